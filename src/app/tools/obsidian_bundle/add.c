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

static bool add_add(struct mcp_call *call, const struct mcp_tool *tool,
                    enum edit_where where, const char *key, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = bundle_draft(call, tool->name);
    struct edit_insert insert = {.where = where, .content = in->content};
    struct edit_result r = {0};
    struct draft_file f;
    str path;
    return bundle_find(call, &path, err) && draft_read(d, path, &f, err) &&
           edit_insert(call->arena, f.text, &insert, &r, err) &&
           draft_write(d, f.path, r.text, DRAFT_OVERWRITE, err) &&
           bundle_commit(call, d, f.path, key, true, err);
}

static bool add_append(struct mcp_call *call, struct err *err)
{
    return add_add(call, &bundle_append_note, EDIT_APPEND, "appended", err);
}

static bool run_append(struct mcp_call *call, struct err *err)
{
    return bundle_change(call, add_append, err);
}

const struct mcp_tool bundle_append_note = {
    .name = "obsidian_append_note",
    .title = "Append to a note",
    .about = "Append content to the end of a note",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run_append,
    .failed = bundle_failed,
};

static bool prepend(struct mcp_call *call, struct err *err)
{
    return add_add(call, &bundle_prepend_note, EDIT_PREPEND, "prepended", err);
}

static bool run_prepend(struct mcp_call *call, struct err *err)
{
    return bundle_change(call, prepend, err);
}

const struct mcp_tool bundle_prepend_note = {
    .name = "obsidian_prepend_note",
    .title = "Prepend to a note",
    .about = "Prepend content to the beginning of a note, below its properties",
    .flags = MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = run_prepend,
    .failed = bundle_failed,
};
