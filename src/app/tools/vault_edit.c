#include "app/kit/kit_change.h"
#include "app/tools/rows.h"
#include "mcp/schema.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

struct args {
    str path, old_text, new_text;
    bool replace_all, regex;
    const struct json *edits;
    struct kit_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "File, with extension"),
    MCP_FIELD(struct args, old_text, MCP_STR, 0, "Exact text; must occur once"),
    MCP_FIELD(struct args, new_text, MCP_STR, 0, "Empty deletes"),
    MCP_FIELD(struct args, replace_all, MCP_BOOL, 0, "Every occurrence"),
    MCP_FIELD(struct args, regex, MCP_BOOL, 0,
              "old_text is a regex, new_text may use $1; every match"),
    MCP_FIELD(struct args, edits, MCP_LIST, 0, "Several edits, in order, all or none",
              .items = "{\"type\":\"object\",\"properties\":{"
                       "\"old_text\":{\"type\":\"string\"},"
                       "\"new_text\":{\"type\":\"string\"},"
                       "\"replace_all\":{\"type\":\"boolean\"}},"
                       "\"required\":[\"old_text\",\"new_text\"]}"),
    KIT_CHANGE_FIELDS(struct args),
    {0},
};

static const struct mcp_field swap_fields[] = {
    MCP_FIELD(struct edit_swap, old_text, MCP_STR, MCP_REQUIRED, "the text to replace"),
    MCP_FIELD(struct edit_swap, new_text, MCP_STR, MCP_REQUIRED, "what replaces it"),
    MCP_FIELD(struct edit_swap, replace_all, MCP_BOOL, 0, "every occurrence"),
    {0},
};

static bool read_swaps(struct mcp_call *call, const struct json *list,
                       struct edit_swap *out, struct err *err)
{
    size_t n = 0;
    for (const struct json *j = list->child; j != NULL; j = j->next, n++) {
        struct err why;
        if (!mcp_schema_read(call->arena, swap_fields, j, true, &out[n], &why))
            return err_named(err, E_INVALID_ARGUMENT, "edits, item %zu: %s", n + 1,
                             why.msg);
    }
    return true;
}

/* Either one replacement or a list of them; a regex is always one. */
static bool vault_edit_check_form(const struct args *in, struct err *err)
{
    bool one = in->old_text.p != NULL || in->new_text.p != NULL;
    if (in->edits != NULL && (one || in->regex || in->replace_all))
        return err_named(
            err, E_INVALID_ARGUMENT,
            "give edits alone: each item has its own old_text, new_text and replace_all");
    if (in->edits == NULL && (in->old_text.p == NULL || in->new_text.p == NULL))
        return err_named(err, E_INVALID_ARGUMENT,
                         "%s is missing; give old_text and new_text, or edits",
                         in->old_text.p == NULL ? "old_text" : "new_text");
    if (in->edits != NULL && in->edits->n == 0)
        return err_named(err, E_INVALID_ARGUMENT, "edits is empty");
    return true;
}

static bool vault_edit_text(struct kit_changing *c, const struct args *in, str text,
                            struct edit_result *out, struct err *err)
{
    struct mcp_call *call = c->call;
    struct edit_pattern pattern = {.pattern = in->old_text,
                                   .replacement = in->new_text,
                                   .stop = draft_stop(c->draft)};
    struct edit_swap one = {in->old_text, in->new_text, in->replace_all}, *swaps = &one;
    size_t n = 1;
    if (in->regex)
        return edit_regex(call->arena, text, &pattern, out, err);
    if (in->edits != NULL) {
        n = in->edits->n;
        swaps = ARENA_ARRAY(call->arena, struct edit_swap, n);
        if (!read_swaps(call, in->edits, swaps, err))
            return false;
    }
    return edit_replace(call->arena, text, swaps, n, out, err);
}

static bool vault_edit_steps(struct kit_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct draft_file f;
    if (!vault_edit_check_form(in, err) || !kit_open(c, in->path, &f, err) ||
        !vault_edit_text(c, in, f.text, &c->edit, err))
        return false;
    c->out.parts = CHANGED_COUNTED;
    c->out.replacements = c->edit.replacements;
    return kit_rewrite(c, &f, err);
}

const struct mcp_tool tool_vault_edit = {
    .name = "vault_edit",
    .title = "Edit a note",
    .about = "Replace exact text in a file. To add text use vault_insert, for properties "
             "vault_frontmatter.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    KIT_CHANGES(.steps = vault_edit_steps, .done = "replaced", .tags = true,
                .early = true, .change = offsetof(struct args, change)),
};
