#include "app/tool_support/tool_change.h"
#include "app/tools/obsidian_bundle/bundle.h"
#include "vault/ops.h"

struct args {
    struct bundle_args common;
    bool permanent;
};

static const struct mcp_field fields[] = {
    BUNDLE_FIELDS(struct args),
    MCP_FIELD(struct args, permanent, MCP_BOOL, 0,
              "Delete for good instead of moving to the trash"),
    {0},
};

static bool delete_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_delete how = {.forever = in->permanent};
    struct ops_report ignored;
    return bundle_find(c->call, &c->out.path, err) &&
           ops_delete(c->draft, c->out.path, &how, &ignored, err);
}

const struct mcp_tool bundle_delete_note = {
    .name = "obsidian_delete_note",
    .title = "Delete a note",
    .about = "Delete a note (moves it to the trash)",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    BUNDLE_CHANGES(.steps = delete_steps, .done = "deleted"),
};
