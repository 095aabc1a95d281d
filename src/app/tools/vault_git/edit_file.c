#include "app/kit/kit_change.h"
#include "app/tools/vault_git/plain.h"
#include "mcp/call.h"
#include "mcp/schema.h"
#include "vault/draft.h"
#include "vault/note/edit.h"
#include "vault/vault.h"

static const char NAME[] = "edit_file";

struct args {
    str path;
    const struct json *edits;
    bool dryRun;
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
    MCP_FIELD(struct args, dryRun, MCP_BOOL, 0, "Show the diff, change nothing",
              .dflt = "false"),
    {0},
};

static const struct mcp_field edit_fields[] = {
    {.name = "oldText",
     .type = MCP_STR,
     .flags = MCP_REQUIRED,
     .offset = offsetof(struct edit_swap, old_text),
     .about = "the text to replace"},
    {.name = "newText",
     .type = MCP_STR,
     .flags = MCP_REQUIRED,
     .offset = offsetof(struct edit_swap, new_text),
     .about = "what replaces it"},
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

/* A fence longer than any in the diff. */
static str fenced(struct arena *a, str diff)
{
    struct sbuf fence = SBUF_ON(a);
    sbuf_add(&fence, STR("```"));
    while (str_find(diff, sbuf_str(&fence)) != STR_NONE)
        sbuf_char(&fence, '`');
    str bars = sbuf_str(&fence);
    return arena_printf(a, STR_FMT "diff\n" STR_FMT STR_FMT "\n\n", STR_ARG(bars),
                        STR_ARG(diff), STR_ARG(bars));
}

static bool edit_file_finish(struct mcp_call *call, struct draft *d, bool dry_run,
                             struct err *err)
{
    struct draft_result r;
    draft_preview(d, &r);
    str diff = r.n > 0 ? fenced(call->arena, draft_diff(call->arena, &r, KIT_DIFF_MAX))
                       : STR("No changes");
    if (dry_run) {
        mcp_text(call, diff);
        return true;
    }
    return plain_commit(call, d, diff, NULL, err);
}

static bool edit_file_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &plain_change);
    struct edit_swap *swaps = ARENA_ARRAY(call->arena, struct edit_swap, in->edits->n);
    struct edit_result r = {0};
    struct draft_file f;
    struct vault_text ignored;
    if (!read_edits(call, in->edits, swaps, err))
        return false;
    if (!draft_read(d, in->path, &f, err))
        return plain_missing(call, in->path, err);
    if (!vault_cut(f.path, f.text, 1, 0, &ignored, err))
        return false;
    if (!edit_replace(call->arena, f.text, swaps, in->edits->n, &r, err))
        return kit_edit_failed(call, &r);
    return draft_write(d, f.path, r.text, DRAFT_OVERWRITE, err) &&
           edit_file_finish(call, d, in->dryRun, err);
}

static bool edit_file_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plain_change, edit_file_steps, err);
}

const struct mcp_tool tool_edit_file = {
    .name = NAME,
    .title = "Edit File",
    .about = "Replace exact text in a file. Answers with a "
             "git-style diff; dryRun shows it without changing anything." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = edit_file_run,
};
