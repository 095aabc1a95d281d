#include "app/web/account.h"

#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/page_vault.h"
#include "app/web/account_uses.h"
#include "app/web/changes_list.h"
#include "app/web/changes_page.h"
#include "app/web/pages.h"
#include "base/array.h"
#include "base/path.h"
#include "mcp/tool.h"
#include "vault/vault.h"

/* --- changes --- */

/* Use the first vault of a user; page_vault_close() is due later. */
static bool use_first(void *app, struct arena *a, str user, struct page_vault *use,
                      struct err *err)
{
    const struct mcp_caller caller = app_caller(app, a, user);
    const struct app_vault *v = vaults_first(app, &caller);
    return v != NULL ? page_vault_open(use, a, v, user, err)
                     : vaults_unknown(app, &caller, STR(""), err);
}

/* With other replicas there is no button: it would have to say whose number it has, as those
 * of CHANGES_PATH do. */
static size_t put_things(const struct app *app, struct arena *a,
                         const struct changes_list *listed, struct oauth_thing **out)
{
    bool alone = !replica_is_shared(&app->replica);
    str more = alone ? STR("") : arena_printf(a, "&at=%s", app->replica.name);
    *out = ARENA_ARRAY(a, struct oauth_thing, listed->n);
    for (size_t i = 0; i < listed->n; i++) {
        const struct history_item *item = &listed->items[i];
        (*out)[i] = (struct oauth_thing){
            .number = item->entry.number,
            .when = item->entry.time,
            .what = changes_list_summary(a, item),
            .client = item->change.client,
            .more = more,
            .has_button = alone && changes_list_can_undo(&item->entry),
        };
    }
    return listed->n;
}

static str account_not_listed(struct arena *a, const struct err *why)
{
    return arena_printf(a, "The list of changes is not available: %s.", why->msg);
}

static size_t account_list(void *app, struct arena *a, str user, struct oauth_thing **out,
                           str *alert)
{
    struct changes_list listed;
    struct err err = {0};
    struct page_vault use;
    if (!use_first(app, a, user, &use, &err)) {
        if (err.name != E_VAULT_NOT_FOUND) /* a user without a vault has no changes */
            *alert = account_not_listed(a, &err);
        return 0;
    }
    const struct changes_question q = {.user = user, .max = ACCOUNT_CHANGES};
    bool ok = changes_list_find(use.vault->vault, a, &q, &listed, &err);
    size_t n = ok ? put_things(app, a, &listed, out) : 0;
    if (!ok)
        *alert = account_not_listed(a, &err);
    else if (use.seen.stale)
        *alert = STR(RYW_STALE);
    page_vault_close(&use);
    return n;
}

static bool undo(void *app, struct arena *a, str user, uint64_t number, struct err *err)
{
    struct page_vault use;
    if (replica_is_shared(&((struct app *)app)->replica))
        return err_set(err, ERR_INVALID, "open all changes, and undo it there");
    if (!use_first(app, a, user, &use, err))
        return false;
    bool ok = changes_list_undo(use.vault->vault, a, user, number, err);
    page_vault_close(&use);
    return ok;
}

static const struct oauth_section changes_of_vault = {
    .id = "changes",
    .title = "Recent changes",
    .text = "Changes that your apps made to notes. Undoing is also a change.",
    .empty = "There are no changes.",
    .path = "/account/undo",
    .details = CHANGES_PATH,
    .field = "change",
    .all = "All changes",
    .button = "Undo",
    .done = "undone",
    .notice = "The change has been undone.",
    .unknown = "That change does not exist.",
    .failed = "Could not undo the change",
    .event = "oauth.undo",
    .list = account_list,
    .act = undo,
};

/* --- folders --- */

/* The folders in one of them, each followed by those in it. */
static void offer_below(const struct app_vault *served, bool several, str folder,
                        unsigned depth, struct arena *a, struct oauth_config *config)
{
    struct vault_listing listing = {0};
    struct err ignored; /* without folders, only the whole vault can be chosen */
    if (!vault_list(served->vault, a, folder, &listing, &ignored))
        return;
    for (size_t i = 0; i < listing.n && config->n_vault_folders < ACCOUNT_FOLDERS; i++) {
        str name = listing.entries[i].name,
            path = folder.n == 0 ? name : path_join(a, folder, name);
        if (listing.entries[i].info.type != FS_FOLDER || !path_is_spellable(path))
            continue;
        *ARRAY_ADD(a, config->vault_folders, config->n_vault_folders) =
            several ? arena_printf(a, STR_FMT ":" STR_FMT, STR_ARG(served->name),
                                   STR_ARG(path))
                    : path;
        if (depth + 1 < ACCOUNT_FOLDERS_DEEP)
            offer_below(served, several, path, depth + 1, a, config);
    }
}

static void offer_folders(const struct app_vault *served, bool several, struct arena *a,
                          struct oauth_config *config)
{
    if (several)
        *ARRAY_ADD(a, config->vault_folders, config->n_vault_folders) =
            arena_printf(a, STR_FMT ":", STR_ARG(served->name));
    offer_below(served, several, STR(""), 0, a, config);
}

/* Of hosted vaults only the whole ones are offered: "NAME:". */
static size_t account_vaults(void *app, struct arena *a, str user, str **out)
{
    const struct mcp_caller caller = app_caller(app, a, user);
    struct app_vault **vaults;
    size_t n = vaults_seen(app, a, &caller, &vaults);
    *out = ARENA_ARRAY(a, str, n);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = arena_printf(a, STR_FMT ":", STR_ARG(vaults[i]->name));
    return n;
}

/* Those of the server, by their titles, to choose from. */
static void offer_tools(const struct app *app, struct arena *a,
                        struct oauth_config *config)
{
    size_t n = 0;
    while (app->tools[n] != NULL)
        n++;
    struct oauth_tool *tools = ARENA_ARRAY(a, struct oauth_tool, n);
    const struct mcp_caller any = {0};
    for (size_t i = 0; i < n; i++) {
        const struct mcp_tool *t = app->tools[i];
        if (mcp_server_offers(app->mcp, &any, t))
            tools[config->n_tools++] =
                (struct oauth_tool){.name = str_c(t->name),
                                    .title = str_c(t->title != NULL ? t->title : ""),
                                    .reads = (t->flags & MCP_READ_ONLY) != 0};
    }
    config->tools = tools;
}

void account_offer(struct app *app, struct arena *a, struct oauth_config *config)
{
    config->section = &changes_of_vault;
    config->pages = pages_of(&app->settings);
    config->app = app;
    config->uses = account_uses;
    offer_tools(app, a, config);
    config->names_vaults = app_has_several(app);
    if (app->hosted != NULL)
        config->vaults_of = account_vaults;
    for (size_t i = 0; i < app->n_vaults; i++)
        offer_folders(&app->vaults[i], app->n_vaults > 1, a, config);
}
