#include "app/tool_support/tool_change.h"
#include "app/tools/obsidian_bundle/bundle.h"
#include "vault/draft.h"

struct args {
    struct bundle_args common;
    str content;
    bool overwrite;
};

static const struct mcp_field fields[] = {
    BUNDLE_FIELDS(struct args),
    MCP_FIELD(struct args, content, MCP_STR, 0, "Initial note content (markdown)"),
    MCP_FIELD(struct args, overwrite, MCP_BOOL, 0, "Overwrite if file exists"),
    {0},
};

static bool create_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    if (!bundle_new_path(c->call, in->common.name, &c->out.path, err))
        return false;
    c->out.is_done = !draft_exists(c->draft, c->out.path);
    if (!c->out.is_done && !in->overwrite)
        return err_named(
            err, E_FILE_EXISTS,
            "'" STR_FMT
            "' already exists. Choose another name, or set overwrite to replace it.",
            STR_ARG(c->out.path));
    return draft_write(c->draft, c->out.path, in->content, DRAFT_OVERWRITE, err);
}

const struct mcp_tool bundle_create_note = {
    .name = "obsidian_create_note",
    .title = "Create a note",
    .about = "Create a new note in the vault",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    BUNDLE_CHANGES(.steps = create_steps, .done = "created"),
};
