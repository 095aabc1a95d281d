#include "app/tools/obsidian_vault_mcp/tools.h"
#include "app/tools/sync_now.h"

static bool vault_sync_run(struct mcp_call *call, struct err *err)
{
    if (!syncing_is_on(&app_of(call)->sync))
        return err_named(err, E_NOT_CONFIGURED,
                         "no sync is set up: start vaultd with --sync-command, e.g. "
                         "\"rclone bisync REMOTE: {vault}\", or --git-remote URL");
    jsonw_object(call->out);
    jsonw_put_bool(call->out, STR("synced"), true);
    if (!sync_now(call, false, err))
        return false;
    jsonw_end(call->out);
    return true;
}

const struct mcp_tool ovm_vault_sync = {
    .name = "vault_sync",
    .title = "Sync now",
    .about = "Exchange changes with the remote copy of the vault now, as the operator "
             "set it up (rclone, git).",
    .flags = MCP_IDEMPOTENT | MCP_OPEN_WORLD | MCP_OWN_FIELDS,
    .output_schema =
        "{\"type\":\"object\",\"properties\":{\"synced\":{\"type\":\"boolean\"}},"
        "\"required\":[\"synced\"]}",
    .run = vault_sync_run,
};
