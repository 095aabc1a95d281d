#include "app/app.h"
#include "app/tools.h"
#include "base/clock.h"

static bool run(struct mcp_call *call, struct err *err)
{
    struct vault *vault = app_of(call)->vault;
    struct vault_counts counts;
    if (!vault_count(vault, &counts, err))
        return false;
    char when[CLOCK_ISO_SIZE];
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("name"), vault_name(vault));
    jsonw_put_int(out, STR("notes"), (int64_t)counts.notes);
    jsonw_put_int(out, STR("attachments"), (int64_t)counts.attachments);
    jsonw_put_int(out, STR("folders"), (int64_t)counts.folders);
    jsonw_put_int(out, STR("bytes"), counts.bytes);
    if (counts.newest > 0)
        jsonw_put_str(out, STR("last_modified"), clock_iso(counts.newest, when));
    if (counts.unreadable > 0)
        jsonw_put_int(out, STR("unreadable_folders"), (int64_t)counts.unreadable);
    jsonw_put_str(out, STR("server_version"), STR(VAULTD_VERSION));
    jsonw_end(out);
    return true;
}

const struct mcp_tool tool_vault_info = {
    .name = "vault_info",
    .title = "About this vault",
    .about =
        "Name and size of the vault: how many notes, attachments, folders and bytes, and "
        "when it last changed. Use it first to get your bearings; use vault_list to see "
        "what is there.",
    .flags = MCP_READ_ONLY,
    .run = run,
};
