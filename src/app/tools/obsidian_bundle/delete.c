#include "app/tools/obsidian_bundle/bundle.h"
#include "vault/ops.h"

static const char NAME[] = "obsidian_delete_note";

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

static bool delete_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = bundle_draft(call, NAME);
    struct ops_delete how = {.forever = in->permanent};
    struct ops_report report;
    str path;
    return bundle_find(call, &path, err) && ops_delete(d, path, &how, &report, err) &&
           bundle_commit(call, d, path, "deleted", true, err);
}

static bool delete_run(struct mcp_call *call, struct err *err)
{
    return bundle_change(call, delete_steps, err);
}

const struct mcp_tool bundle_delete_note = {
    .name = NAME,
    .title = "Delete a note",
    .about = "Delete a note (moves it to the trash)",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = delete_run,
    .failed = bundle_failed,
};
