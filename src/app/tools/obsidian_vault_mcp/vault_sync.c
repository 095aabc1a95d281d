#include "app/setup/syncing.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "app/tools/sync_now.h"

static void vault_sync_json(struct answer_out *out, const void *result)
{
    const struct sync_outcome *s = result;
    jsonw_object(out->w);
    jsonw_put_bool(out->w, STR("synced"), !s->going_on);
    syncing_put(out->w, &s->state, s->vault);
    jsonw_end(out->w);
}

static const struct answer_shape vault_sync_shape = {.json = vault_sync_json};

static bool vault_sync_run(struct mcp_call *call, struct err *err)
{
    if (!syncing_is_on(&tool_served(call)->sync))
        return err_named(err, E_NOT_CONFIGURED,
                         "no sync is set up: start vaultd with --sync-command, e.g. "
                         "\"rclone bisync REMOTE: {vault}\", or --git-remote URL");
    struct sync_outcome synced;
    if (!sync_now(call, false, &synced, err))
        return false;
    return synced.waiting ||
           tool_answer(call, &vault_sync_shape, &synced, TOOL_NO_BUDGET);
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
