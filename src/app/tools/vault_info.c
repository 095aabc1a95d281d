#include "app/kit/tool_kit.h"
#include "app/setup/syncing.h"
#include "app/tools/rows.h"
#include "base/clock.h"
#include "sync/sync.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/tags.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

static void put_counts(struct jsonw *out, const struct index_counts *counts)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_put_int(out, STR("notes"), (int64_t)counts->notes);
    jsonw_put_int(out, STR("attachments"), (int64_t)counts->attachments);
    jsonw_put_int(out, STR("folders"), (int64_t)counts->folders);
    jsonw_put_int(out, STR("bytes"), counts->bytes);
    if (counts->newest > 0)
        jsonw_put_str(out, STR("last_modified"), clock_iso(counts->newest, when));
}

static void put_own_settings(struct jsonw *out, const struct obsidian *o)
{
    static const char *const formats[] = {
        [LINKS_SHORTEST] = "shortest",
        [LINKS_RELATIVE] = "relative",
        [LINKS_ABSOLUTE] = "absolute",
    };
    struct obsidian_dated daily = obsidian_daily(o);
    jsonw_put_str(out, STR("link_format"), str_c(formats[obsidian_link_format(o)]));
    jsonw_put_bool(out, STR("markdown_links"), obsidian_markdown_links(o));
    jsonw_put_object(out, STR("daily_notes"));
    jsonw_put_str(out, STR("folder"), daily.folder);
    jsonw_put_str(out, STR("format"), daily.format);
    jsonw_end(out);
}

static void put_known(struct jsonw *out, struct vault *v, const struct index *x)
{
    struct graph_counts links;
    graph_count(x->graph, &links);
    if (x->unreadable > 0)
        jsonw_put_int(out, STR("unreadable_folders"), (int64_t)x->unreadable);
    jsonw_put_int(out, STR("links"), (int64_t)links.links);
    jsonw_put_int(out, STR("unresolved_links"), (int64_t)links.unresolved);
    jsonw_put_int(out, STR("tags"), (int64_t)tags_count(x->tags));
    put_own_settings(out, vault_obsidian(v));
}

static void put_changes(struct jsonw *out, struct arena *a, struct vault *v)
{
    struct err why = {0};
    bool possible = vault_can_change(v, &why);
    jsonw_put_bool(out, STR("can_change"), possible);
    if (!possible)
        jsonw_put_str(out, STR("why_not"), str_c(why.msg));
    str where = possible ? vault_writable(v, a) : (str){0};
    if (where.n > 0)
        jsonw_put_str(out, STR("writable"), where);
}

/* Of several, all there are, the one that is meant by default first. */
static void put_vaults(struct jsonw *out, const struct app *app)
{
    jsonw_put_array(out, STR("vaults"));
    for (size_t i = 0; i < app->n_vaults; i++)
        jsonw_str(out, app->vaults[i].name);
    jsonw_end(out);
}

static void put_sync(struct mcp_call *call)
{
    struct sync_state state;
    if (!syncing_is_on(&app_of(call)->sync))
        return;
    sync_state(app_of(call)->sync.sync, call->arena, &state);
    jsonw_put_object(call->out, STR("sync"));
    syncing_put(call->out, &state, kit_vault(call));
    jsonw_end(call->out);
}

static bool vault_info_run(struct mcp_call *call, struct err *err)
{
    struct vault *v = kit_vault(call);
    struct index_counts counts;
    struct jsonw *out = call->out;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    index_count(x, &counts);
    kit_let_go(call);
    jsonw_object(out);
    jsonw_put_str(out, STR("name"), kit_served(call)->name);
    put_counts(out, &counts);
    put_changes(out, call->arena, v);
    put_known(out, v, vault_hold(v));
    vault_let_go(v);
    if (strcmp(vault_watching(v), "polling") == 0)
        jsonw_put_str(out, STR("watching"), STR("polling: changes are seen late"));
    put_sync(call);
    if (app_of(call)->n_vaults > 1)
        put_vaults(out, app_of(call));
    jsonw_put_str(out, STR("server_version"), STR(VAULTD_VERSION));
    jsonw_end(out);
    return true;
}

const struct mcp_tool tool_vault_info = {
    .name = "vault_info",
    .title = "About",
    .about = "The vault's name, how many notes, links and tags, when it changed, "
             "whether it can be changed. Call it first.",
    .flags = MCP_READ_ONLY | MCP_BRIEF,
    .run = vault_info_run,
};

/* The same for vault-git. */
const struct mcp_tool tool_get_vault_info = {
    .name = "get_vault_info",
    .title = "Vault Info",
    .about = "The vault as JSON: its name, how many notes, directories, links and tags, "
             "when it last changed, whether it can be changed, where daily notes are, "
             "and how git stands. Use it first.",
    .flags = MCP_READ_ONLY | MCP_BRIEF | MCP_OWN_FIELDS,
    .run = vault_info_run,
};
