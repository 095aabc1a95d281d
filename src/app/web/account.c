#include "app/web/account.h"

#include "app/web/changes_list.h"
#include "app/web/changes_page.h"
#include "app/web/pages.h"
#include "base/array.h"
#include "base/path.h"
#include "vault/vault.h"

/* --- changes --- */

/* The changes of the first vault. */
static struct vault *vault_of(void *app)
{
    return ((const struct app *)app)->vaults[0].vault;
}

static size_t account_list(void *app, struct arena *a, str user, struct oauth_thing **out)
{
    struct changes_list listed;
    struct err ignored; /* without a journal there are no changes */
    if (!changes_list_find(vault_of(app), a, user, 0, ACCOUNT_CHANGES, &listed, &ignored))
        return 0;
    *out = ARENA_ARRAY(a, struct oauth_thing, listed.n);
    for (size_t i = 0; i < listed.n; i++) {
        const struct history_item *item = &listed.items[i];
        (*out)[i] = (struct oauth_thing){
            .number = item->entry.number,
            .when = item->entry.time,
            .what = changes_list_summary(a, item),
            .client = item->change.client,
            .has_button = changes_list_can_undo(&item->entry),
        };
    }
    return listed.n;
}

static bool undo(void *app, struct arena *a, str user, uint64_t number, struct err *err)
{
    return changes_list_undo(vault_of(app), a, user, number, err);
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

static void offer_folders(const struct app_vault *served, bool several, struct arena *a,
                          struct oauth_config *config)
{
    struct vault_listing listing = {0};
    struct err ignored; /* without folders, only the whole vault can be chosen */
    if (!vault_list(served->vault, a, STR(""), &listing, &ignored))
        return;
    for (size_t i = 0; i < listing.n; i++) {
        str name = listing.entries[i].name;
        if (listing.entries[i].info.type == FS_FOLDER && path_is_spellable(name))
            *ARRAY_ADD(a, config->vault_folders, config->n_vault_folders) =
                several ? arena_printf(a, STR_FMT ":" STR_FMT, STR_ARG(served->name),
                                       STR_ARG(name))
                        : name;
    }
}

void account_offer(struct app *app, struct arena *a, struct oauth_config *config)
{
    config->section = &changes_of_vault;
    config->pages = pages_of_app;
    config->app = app;
    for (size_t i = 0; i < app->n_vaults; i++)
        offer_folders(&app->vaults[i], app->n_vaults > 1, a, config);
}
