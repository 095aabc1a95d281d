#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "app/tools/sync_now.h"

struct args {
    bool status;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, status, MCP_BOOL, 0, "Only report the status"),
    {0},
};

static bool vault_sync_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct sync_outcome synced;
    if (!sync_now(call, in->status, &synced, err))
        return false;
    return synced.waiting || tool_answer(call, &synced_shape, &synced, TOOL_NO_BUDGET);
}

const struct mcp_tool tool_vault_sync = {
    .name = "vault_sync",
    .title = "Sync now",
    .about = "Exchange changes with the remote now. conflicts: notes changed on both "
             "sides; theirs is kept as a copy.",
    .flags = MCP_IDEMPOTENT | MCP_OPEN_WORLD | APP_NEEDS_SYNC,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_sync_run,
};
