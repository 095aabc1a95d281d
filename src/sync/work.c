#include "sync/work.h"

#include "base/fs.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/os/file.h"
#include "base/stop.h"
#include "base/timed_lock.h"
#include "sync/git.h"
#include "sync/mask.h"
#include "sync/own.h"

enum { SAVED_MAX = 4096, LOCK_WAIT_MS = 10000 };

void work_init(struct work *w, struct git *g, struct vault *v)
{
    *w = (struct work){.g = g, .v = v};
    git_reader_init(&w->reader, g);
    lock_init(&w->lock, LOCK_LEAF);
}

void work_release(struct work *w)
{
    git_reader_close(&w->reader);
    for (size_t i = 0; i < w->n_notices; i++)
        free(w->notices[i]);
    for (size_t i = 0; i < w->n_conflicts; i++) {
        free(w->conflicts[i].path);
        free(w->conflicts[i].sibling);
    }
    lock_release(&w->lock);
}

bool work_notice(struct work *w, str path, const char *why)
{
    struct arena a = {0};
    str text = arena_printf(&a, "'" STR_FMT "': %s", STR_ARG(mask_line(&a, path)), why);
    bool known = false;
    lock_take(&w->lock);
    for (size_t i = 0; i < w->n_notices; i++)
        known = known || str_eq(str_c(w->notices[i]), text);
    if (!known) {
        if (w->n_notices == WORK_NOTICES_MAX)
            free(w->notices[--w->n_notices]);
        memmove(w->notices + 1, w->notices, w->n_notices++ * sizeof(*w->notices));
        w->notices[0] = mem_str(text);
    }
    lock_drop(&w->lock);
    arena_release(&a);
    return !known;
}

void work_leave(struct work *w, const struct unsynced_reason *reason)
{
    if (work_notice(w, reason->files, reason->why))
        log_event(LOG_WARN, "left_alone", LOG_STR("files", reason->files),
                  LOG_STR("why", str_c(reason->why)));
}

void work_conflict(struct work *w, str path, str sibling)
{
    lock_take(&w->lock);
    if (w->n_conflicts == WORK_NOTICES_MAX) {
        w->n_conflicts--;
        free(w->conflicts[w->n_conflicts].path);
        free(w->conflicts[w->n_conflicts].sibling);
    }
    memmove(w->conflicts + 1, w->conflicts, w->n_conflicts++ * sizeof(*w->conflicts));
    w->conflicts[0].path = mem_str(path);
    w->conflicts[0].sibling = mem_str(sibling);
    lock_drop(&w->lock);
}

static const char *work_place(const struct git *g, struct arena *a, const char *name)
{
    return arena_printf(a, "%s/%s", g->home, name).p;
}

bool work_save(const struct git *g, const char *name, str text, struct err *err)
{
    struct arena a = {0};
    bool ok = fs_replace_file(work_place(g, &a, name), text, err);
    arena_release(&a);
    return ok;
}

str work_saved(const struct git *g, struct arena *a, const char *name)
{
    AUTO_CLOSE int fd = file_open(FILE_CWD, work_place(g, a, name), FILE_FOLLOW);
    char *text = arena_alloc(a, SAVED_MAX);
    return (str){text, fd >= 0 ? file_read_at(fd, text, SAVED_MAX, 0) : 0};
}

void work_forget(const struct git *g, const char *name)
{
    struct arena a = {0};
    file_remove(FILE_CWD, work_place(g, &a, name));
    arena_release(&a);
}

static bool try_lock(void *fd)
{
    return file_lock(*(int *)fd);
}

int work_lock(const struct git *g)
{
    struct arena a = {0};
    struct stop stop = stop_within(NULL, LOCK_WAIT_MS);
    AUTO_CLOSE int fd = file_open_own(FILE_CWD, work_place(g, &a, "lock"), FILE_KEPT);
    arena_release(&a);
    return fd >= 0 && timed_lock_poll(try_lock, &fd, &stop) ? TAKE(fd) : -1;
}

/* Work on another branch is not ours to publish. */
static bool is_on_branch(const struct git *g, struct arena *a, struct err *err)
{
    enum { NAMED = 100 };
    str now = own_checked_out(g, a), ours = str_slice(g->branch, 0, NAMED);
    if (g->ours || str_eq(now, g->branch))
        return true;
    if (now.n == 0)
        return err_named(err, E_UNFINISHED,
                         "the repository has no branch checked out, and '" STR_FMT
                         "' is synced: run 'git switch " STR_FMT "' there",
                         STR_ARG(ours), STR_ARG(ours));
    return err_named(err, E_UNFINISHED,
                     "the repository is on branch '" STR_FMT "', and '" STR_FMT
                     "' is synced: run 'git switch " STR_FMT
                     "' there, or set --git-branch",
                     STR_ARG(str_slice(now, 0, NAMED)), STR_ARG(ours), STR_ARG(ours));
}

/* The files that it leaves out would seem deleted. */
static bool is_whole(const struct git *g, struct arena *a, struct err *err)
{
    bool sparse = false;
    if (!g->ours && !own_is_sparse(g, a, &sparse, err))
        return false;
    return !sparse ||
           err_named(err, E_UNFINISHED,
                     "the repository is a sparse checkout, which sync does not support: "
                     "run 'git sparse-checkout disable' there");
}

bool work_is_free(const struct git *g, struct err *err)
{
    static const struct {
        const char *file, *what;
    } states[] = {{"MERGE_HEAD", "merge"},
                  {"rebase-merge", "rebase"},
                  {"rebase-apply", "rebase"},
                  {"CHERRY_PICK_HEAD", "cherry-pick"},
                  {"REVERT_HEAD", "revert"}};
    struct arena a = {0};
    const char *found = NULL;
    for (size_t i = 0; i < COUNT_OF(states) && found == NULL; i++)
        if (file_exists(arena_printf(&a, "%s/%s", g->dir, states[i].file).p))
            found = states[i].what;
    bool free = found == NULL
                    ? is_on_branch(g, &a, err) && is_whole(g, &a, err)
                    : err_named(err, E_UNFINISHED,
                                "a %s in the repository is not finished: finish it or "
                                "run 'git %s --abort' there",
                                found, found);
    arena_release(&a);
    return free;
}
