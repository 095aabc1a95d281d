#include "app/tool_support/tool_change.h"
#include "app/tools/obsidian_bundle/bundle.h"
#include "vault/draft.h"
#include "vault/note/edit.h"

struct args {
    struct bundle_args common;
    str content;
};

static const struct mcp_field fields[] = {
    BUNDLE_FIELDS(struct args),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "Content to add (markdown)"),
    {0},
};

static bool bundle_add(struct tool_changing *c, enum edit_where where, struct err *err)
{
    const struct args *in = c->call->args;
    struct edit_insert insert = {.where = where, .content = in->content};
    struct draft_file f;
    str path;
    return bundle_find(c->call, &path, err) && draft_read(c->draft, path, &f, err) &&
           edit_insert(c->call->arena, f.text, &insert, &c->edit, err) &&
           tool_rewrite(c, &f, err);
}

static bool append_steps(struct tool_changing *c, struct err *err)
{
    return bundle_add(c, EDIT_APPEND, err);
}

static bool prepend_steps(struct tool_changing *c, struct err *err)
{
    return bundle_add(c, EDIT_PREPEND, err);
}

const struct mcp_tool bundle_append_note = {
    .name = "obsidian_append_note",
    .title = "Append to a note",
    .about = "Append content to the end of a note",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    BUNDLE_CHANGES(.steps = append_steps, .done = "appended"),
};

const struct mcp_tool bundle_prepend_note = {
    .name = "obsidian_prepend_note",
    .title = "Prepend to a note",
    .about = "Prepend content to the beginning of a note, below its properties",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    BUNDLE_CHANGES(.steps = prepend_steps, .done = "prepended"),
};
