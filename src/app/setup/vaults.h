/*
 * vaults - the vaults of the running program, and how the hosted ones are opened and
 * closed. Which of them there are for a caller is in callers.h.
 *
 * Vaults named in the settings are open from start to end, and all callers see them. With
 * --vaults-dir there are hosted ones instead: the rows of the table in the store
 * (state/vault_table.h). A user sees those that the table allows; for other users they
 * do not exist. They are opened by open_vaults.h: users of one hold a reference.
 * Changes of the table are noticed while the program runs. A vault that was removed stays
 * in memory as a few bytes, so pointers to it stay valid.
 */
#pragma once

#include "app/setup/app.h"

enum {
    VAULTS_WAIT_MS = 10000,   /* how long a call waits until its vault is open */
    VAULTS_POLL_MS = 15,      /* how often it looks */
    VAULTS_SHOWN_MAX = 50,    /* names in one answer or error */
    VAULTS_WATCH_MS = 3000,   /* how often to look for subscriptions */
    VAULTS_SEARCHED_MAX = 32, /* vaults that one search across vaults uses */
};

/* How hosted vaults are cloned, opened and closed (catalog/opening.h). */
struct vaults_hooks {
    /* Whether it must be cloned first, and how; that may take minutes. */
    bool (*is_away)(struct app_vault *v);
    bool (*fetch)(struct app_vault *v, struct err *err);

    /* Fill v->vault and v->sync. */
    bool (*open)(struct app_vault *v, struct err *err);
    void (*close)(struct app_vault *v);

    /* Whether a vault that is open has changes that are not on its remote yet; and the
     * names of those that clients have subscribed to, in the arena. All of these stay
     * open although they are idle, and the latter are opened, while there is room. */
    bool (*unsent)(struct app_vault *v);
    size_t (*watched)(struct app *app, struct arena *a, str **names);

    /* The table has changed. */
    void (*changed)(struct app *app);
};

/* Before the sandbox: read the table. Without --vaults-dir this does nothing. */
MUST_CHECK bool vaults_open(struct app *app, struct err *err);

/* After the sandbox: from now on vaults can be used. Fails if changes of the table could
 * not be noticed. */
MUST_CHECK bool vaults_start(struct app *app, const struct vaults_hooks *hooks,
                             struct err *err);

/* From now on none is opened any more. */
void vaults_stop(struct app *app);

/* Closes all. Nothing may be in use. */
void vaults_close(struct app *app);

/* --- which --- */

/* All of them, the default first. The list is in the arena. */
size_t vaults_all(const struct app *app, struct arena *a, struct app_vault ***out);

/* The one with that name, ignoring case, without checking access; NULL: none. */
struct app_vault *vaults_named(const struct app *app, str name);

/* The hosted one with that identity; NULL: there is none any more. */
struct app_vault *vaults_with_identity(const struct app *app, str identity);

/* When the table allowed a person to use a hosted vault: the lower, the earlier. 0: it
 * does not. */
int64_t vaults_allowed(const struct app_vault *v, str person);

/* Whether the folder at the path of a vault is its own: it may have become a symlink to
 * that of another one. */
bool vaults_is_apart(const struct app_vault *v);

/* How many there are, and how many of them are open. */
struct vaults_counts {
    size_t all, open;
};
struct vaults_counts vaults_count(const struct app *app);

/* Where a hosted vault is, and what it is a clone of; the remote may be empty. */
str vaults_folder(const struct app_vault *v);
str vaults_remote(const struct app_vault *v);

/* The store with the table, for other modules to borrow: a process must not open
 * SQLite's file twice. NULL: without --vaults-dir. */
struct store *vaults_store(const struct app *app);

/* The folder of --vaults-dir. */
str vaults_top(const struct app *app);

/* The folder in which git keeps its own files about hosted vaults. */
const char *vaults_git_state(struct arena *a, const struct app *app);

/* --- using --- */

/* As open_vaults_try(), open_vaults_use(), open_vaults_not_yet() with the name of the
 * vault, open_vaults_is_fetching(), open_vaults_release(), open_vaults_look() and
 * open_vaults_look_away(). A vault of the settings is always open. */
enum open_state vaults_try(const struct app_vault *v, struct err *err);
MUST_CHECK bool vaults_use(const struct app_vault *v, unsigned ms, struct err *err);
bool vaults_not_yet(const struct app_vault *v, struct err *err);
bool vaults_is_fetching(const struct app_vault *v);
void vaults_release(const struct app_vault *v);
MUST_CHECK bool vaults_look(const struct app_vault *v);
void vaults_look_away(const struct app_vault *v);

/* Their remotes may have changed: those that are open are synced now. A hosted one that
 * is not open pulls when it is opened. Does not wait. */
void vaults_pull(const struct app *app);
