#include "app/tool_support/tool_change.h"
#include "app/tools/vault_git/plain.h"
#include "mcp/call.h"
#include "mcp/schema.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/vault.h"

struct args {
    str path;
    const struct json *edits;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "File, with extension"),
    MCP_FIELD(
        struct args, edits, MCP_LIST, MCP_REQUIRED, "Replacements, in order, all or none",
        .items = "{\"type\":\"object\",\"properties\":{"
                 "\"oldText\":{\"type\":\"string\",\"description\":\"Text to search "
                 "for: exact, and once in the file\"},"
                 "\"newText\":{\"type\":\"string\",\"description\":\"Text to replace "
                 "it with\"},"
                 "\"replace_all\":{\"type\":\"boolean\",\"description\":\"Every "
                 "occurrence\"}},"
                 "\"required\":[\"oldText\",\"newText\"]}"),
    MCP_FIELD_AS(struct args, change.dry_run, "dryRun", MCP_BOOL, 0,
                 "Show the diff, change nothing", .dflt = "false"),
    {0},
};

static const struct mcp_field edit_fields[] = {
    MCP_FIELD_AS(struct edit_swap, old_text, "oldText", MCP_STR, MCP_REQUIRED,
                 "the text to replace"),
    MCP_FIELD_AS(struct edit_swap, new_text, "newText", MCP_STR, MCP_REQUIRED,
                 "what replaces it"),
    MCP_FIELD(struct edit_swap, replace_all, MCP_BOOL, 0, "every occurrence"),
    {0},
};

static bool read_edits(struct mcp_call *call, const struct json *list,
                       struct edit_swap *out, struct err *err)
{
    size_t n = 0;
    for (const struct json *j = list->child; j != NULL; j = j->next, n++) {
        struct err why;
        if (!mcp_schema_read(call->arena, edit_fields, j, true, &out[n], &why))
            return err_named(err, E_INVALID_ARGUMENT, "edits, item %zu: %s", n + 1,
                             why.msg);
    }
    return n > 0 || err_named(err, E_INVALID_ARGUMENT, "edits is empty");
}

/* The fence is longer than any in the diff. */
static void diff_text(struct model_text *s, const void *result)
{
    struct sbuf *out = s->out;
    const struct changed *c = result;
    str diff = draft_diff(out->arena, &c->made, CHANGED_DIFF_MAX);
    struct sbuf fence = SBUF_ON(out->arena);
    sbuf_add(&fence, STR("```"));
    while (str_find(diff, sbuf_str(&fence)) != STR_NONE)
        sbuf_char(&fence, '`');
    if (c->made.n > 0)
        sbuf_printf(out, STR_FMT "diff\n" STR_FMT STR_FMT "\n\n",
                    STR_ARG(sbuf_str(&fence)), STR_ARG(diff), STR_ARG(sbuf_str(&fence)));
    else
        sbuf_add(out, STR("No changes"));
}

static const struct answer_shape diff_shape = {.text = diff_text};

static bool edit_file_steps(struct tool_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    struct edit_swap *swaps = ARENA_ARRAY(a, struct edit_swap, in->edits->n);
    struct draft_file f;
    struct vault_text ignored;
    if (!read_edits(c->call, in->edits, swaps, err))
        return false;
    if (!draft_read(c->draft, in->path, &f, err))
        return plain_missing(c->call, in->path, err);
    return vault_cut(f.path, f.text, 1, 0, &ignored, err) &&
           edit_replace(a, f.text, swaps, in->edits->n, &c->edit, err) &&
           tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_edit_file = {
    .name = "edit_file",
    .title = "Edit File",
    .about = "Replace exact text in a file. Answers with a "
             "git-style diff; dryRun shows it without changing anything." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = edit_file_steps, .shape = &diff_shape,
                 .change = offsetof(struct args, change)),
};
