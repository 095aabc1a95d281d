/*
 * Where the vault is. All work goes through the descriptor of the folder that was opened,
 * so a folder that takes its place at the same path (a restored backup, a file system
 * that is mounted again) would not be noticed, and changes would go to the old one. So
 * the path is compared with the descriptor before every change, after it and before it
 * counts (else it is rolled back), and by the watcher from time to time.
 *
 * The new folder is opened under the number of the old descriptor, which all views
 * share; no change is being made at that moment.
 */
#include <errno.h>

#include "base/log.h"
#include "base/os/folder.h"
#include "vault/change/change.h"
#include "vault/vault_live.h"

/* Nothing but what a new file system has. */
static bool vault_place_is_bare(int at, const char *path)
{
    bool bare = true;
    struct folder_names names = folder_names(at, path);
    for (const char *name; bare && (name = folder_next(&names)) != NULL;)
        bare = strcmp(name, "lost+found") == 0;
    return folder_end(&names) && bare;
}

/* An empty folder in place of one with files is most likely a mount point that has lost
 * its file system: the vault is gone, not emptied. */
static enum vault_place vault_place_look(const struct live *v)
{
    struct file_stat there, open = {0};
    if (v->given == NULL)
        return VAULT_HERE;
    if (!file_stat_at(FILE_CWD, v->given, FILE_FOLLOW, &there) ||
        there.type != FILE_FOLDER)
        return VAULT_GONE;
    if (file_stat(v->root.fd, &open) && file_is_same(&open, &there))
        return VAULT_HERE;
    bool was_bare = open.names > 0 && vault_place_is_bare(v->root.fd, ".");
    return vault_place_is_bare(FILE_CWD, v->given) && !was_bare ? VAULT_GONE
                                                                : VAULT_REPLACED;
}

/* The sandbox may forbid the new folder: it allowed the old one, not a path. */
static bool vault_place_reopen(struct live *v, struct err *err)
{
    const struct vault_options *o = &v->options;
    if (o->may_reopen != NULL && !o->may_reopen(o->changed_arg))
        return err_set(err, ERR_DENIED, "the folder belongs to another vault");
    AUTO_CLOSE int fd = folder_open(FILE_CWD, v->given);
    if (fd < 0 || (v->changes == NULL && !file_renumber(fd, v->root.fd)))
        return err_sys(err, "the vault's folder cannot be opened");
    if (v->changes != NULL && !changes_reopen(v->changes, fd, err))
        return false;
    atomic_fetch_add(&v->opened, 1);
    log_event(LOG_WARN, "vault_reopened", LOG_STR("vault", str_c(v->name)),
              LOG_STR("why", STR("another folder has replaced it")));
    return true;
}

static void vault_place_note(struct live *v, enum vault_place place)
{
    static const char *const events[] = {
        [VAULT_HERE] = "vault_returned",
        [VAULT_GONE] = "vault_gone",
        [VAULT_REPLACED] = "vault_replaced",
    };
    if (atomic_exchange(&v->place, (int)place) != (int)place)
        log_event(place == VAULT_HERE ? LOG_INFO : LOG_ERROR, events[place],
                  LOG_STR("vault", str_c(v->name)));
}

/* Fails with BUSY if the new folder cannot be opened right now: then it is as it was. */
static bool vault_place_find(struct live *v, enum vault_place *place, struct err *err)
{
    struct err why = {0};
    lock_take(&v->placing);
    *place = vault_place_look(v);
    if (*place == VAULT_REPLACED && vault_place_reopen(v, &why))
        *place = vault_place_look(v);
    bool known = why.name != E_BUSY;
    if (known)
        vault_place_note(v, *place);
    else
        *place = (enum vault_place)atomic_load(&v->place);
    lock_drop(&v->placing);
    if (!known)
        *err = why;
    return known;
}

static bool vault_place_fail(enum vault_place place, struct err *err)
{
    return err_named(err, E_VAULT_UNAVAILABLE,
                     place == VAULT_GONE
                         ? "the vault's folder is missing (moved, deleted, unmounted, or "
                           "replaced by an empty one): restore it, then try again"
                         : "the vault's folder was replaced by another one, which this "
                           "server may not open: restart vaultd");
}

bool live_is_in_place(struct live *v, struct err *err)
{
    unsigned before = atomic_load(&v->opened);
    enum vault_place place;
    if (!vault_place_find(v, &place, err))
        return false;
    if (place != VAULT_HERE)
        return vault_place_fail(place, err);
    if (atomic_load(&v->opened) != before)
        vault_refresh(&v->own, NULL, 0);
    return true;
}

bool live_is_still_in_place(void *arg, struct err *err)
{
    enum vault_place place = vault_place_look(arg);
    return place == VAULT_HERE ||
           (place == VAULT_GONE
                ? vault_place_fail(place, err)
                : err_named(err, E_VAULT_UNAVAILABLE,
                            "the vault's folder was replaced during the change: nothing "
                            "was changed, try again"));
}

bool live_may_change(struct live *v, struct err *err)
{
    enum vault_place place = vault_place_look(v);
    bool fine = place == VAULT_HERE ||
                (place == VAULT_REPLACED && atomic_load(&v->place) != VAULT_REPLACED);
    return fine || vault_place_fail(place, err);
}

bool live_may_read(struct live *v, struct err *err)
{
    return atomic_load(&v->place) != VAULT_REPLACED || live_may_change(v, err);
}

bool live_look_for_place(void *arg, unsigned *opened)
{
    struct live *v = arg;
    enum vault_place place;
    struct err later; /* it is looked for again */
    (void)!vault_place_find(v, &place, &later);
    unsigned now = atomic_load(&v->opened), before = *opened;
    *opened = now;
    return now != before;
}

enum vault_place vault_place(struct vault *v)
{
    enum vault_place place;
    struct err later;
    (void)!vault_place_find(v->live, &place, &later);
    return place;
}
