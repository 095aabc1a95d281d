#include "app/web/account.h"

#include "app/web/pages.h"
#include "base/array.h"
#include "base/path.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/transact.h"
#include "vault/vault.h"

/* --- changes --- */

static const char *verb_of(const struct journal_op *op)
{
    switch (op->kind) {
    case JOURNAL_WRITE:
        return op->existed ? "Changed" : "Created";
    case JOURNAL_MOVE:
        return "Moved";
    case JOURNAL_DELETE:
    case JOURNAL_REMOVE_FOLDER:
        return "Deleted";
    case JOURNAL_MAKE_FOLDER:
        return "Made the folder";
    }
    return "Changed";
}

/* "Moved Inbox/a.md to Notes/a.md", "Changed Home.md and 13 more" */
static str describe(struct arena *a, const struct journal_change *c)
{
    if (c->n == 0)
        return STR("Nothing");
    struct sbuf out = SBUF_ON(a);
    const struct journal_op *op = &c->ops[0];
    if (c->undoes > 0)
        sbuf_printf(&out, "Undid change %llu: ", (unsigned long long)c->undoes);
    sbuf_printf(&out, "%s " STR_FMT, verb_of(op), STR_ARG(op->path));
    if (op->to.n > 0)
        sbuf_printf(&out, " to " STR_FMT, STR_ARG(op->to));
    if (c->n > 1)
        sbuf_printf(&out, " and %zu more", c->n - 1);
    return sbuf_str(&out);
}

/* Changes without a user name belong to every user. */
static bool is_theirs(const struct journal_change *c, str user)
{
    return c->who.n == 0 || str_eq(c->who, user);
}

static size_t list_changes(const struct journal *j, struct arena *a, str user,
                           struct oauth_thing *out)
{
    const struct journal_entry *all;
    size_t n = journal_entries(j, &all), shown = 0;
    for (size_t i = n; i > 0 && shown < ACCOUNT_CHANGES; i--) {
        const struct journal_entry *e = &all[i - 1];
        struct journal_change c;
        struct err ignored; /* a damaged record is not shown */
        if (e->state == JOURNAL_ABORTED ||
            !journal_read(j, a, e->number, false, &c, &ignored) || !is_theirs(&c, user))
            continue;
        out[shown++] = (struct oauth_thing){
            .number = e->number,
            .when = e->time,
            .what = describe(a, &c),
            .client = c.client,
            .has_button = e->state == JOURNAL_DONE && e->undone_by == 0,
        };
    }
    return shown;
}

/* The changes of the first vault. */
static struct vault *vault_of(void *app)
{
    return ((const struct app *)app)->vaults[0].vault;
}

static size_t account_list(void *app, struct arena *a, str user, struct oauth_thing **out)
{
    struct err ignored;
    struct journal *j;
    struct changes *changes = vault_changes(vault_of(app), &ignored);
    if (changes == NULL || !changes_hold(changes, &j, &ignored))
        return 0;
    *out = ARENA_ARRAY(a, struct oauth_thing, ACCOUNT_CHANGES);
    size_t n = list_changes(j, a, user, *out);
    changes_let_go(changes);
    return n;
}

/* Only changes that the list shows: not those of another user. */
static bool may_undo(struct vault *v, struct arena *a, str user, uint64_t number,
                     struct err *err)
{
    struct journal *j;
    struct journal_change c;
    struct changes *changes = vault_changes(v, err);
    if (changes == NULL || !changes_hold(changes, &j, err))
        return false;
    bool ok = journal_read(j, a, number, false, &c, err);
    changes_let_go(changes);
    if (ok && !is_theirs(&c, user))
        ok = err_set(err, ERR_NOT_FOUND, "no such change");
    return ok;
}

static bool undo(void *app, struct arena *a, str user, uint64_t number, struct err *err)
{
    struct transact t = {.as = {.tool = STR("account"), .who = user}};
    struct change_result result;
    return may_undo(vault_of(app), a, user, number, err) &&
           transact_undo(vault_of(app), a, &t, &number, &result, err);
}

static const struct oauth_section changes_of_vault = {
    .id = "changes",
    .title = "Recent changes",
    .text = "Changes that your apps made to notes. Undoing is also a change.",
    .empty = "There are no changes.",
    .path = "/account/undo",
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
