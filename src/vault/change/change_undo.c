/* Reverting changes: after a crash, and on request. */
#include <stdio.h>

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/os/folder.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change/change_parts.h"
#include "vault/change/journal.h"

/* --- after a crash --- */

/* A temporary file with neither the old nor the new text may be the only copy of someone
 * else's edit: keep it in the state folder. */
static bool keep_leftover(struct changes *c, struct arena *a, str text, const char *name)
{
    str path =
        arena_printf(a, "%s/leftover-%lld%s", c->folder, (long long)clock_now(), name);
    AUTO_CLOSE int fd = file_create(FILE_CWD, path.p, 0600);
    bool ok = fd >= 0 && file_write(fd, text) && file_sync(fd, FILE_SYNC_FILE);
    log_event(LOG_WARN, "leftover_kept", LOG_STR("file", path),
              LOG_STR("written", ok ? STR("yes") : STR("no")));
    return ok;
}

/* Whether a temporary file is ours. It is if it has the new text, the old text or the
 * start of the old text. As long as the file itself is unchanged, any content is ours,
 * because the new text may have been written only in part. */
static bool is_ours(struct changes *c, struct arena *a, const struct journal_op *op,
                    str temp)
{
    struct err err;
    return str_starts(op->old, temp) || hash_same(hash_content(temp), op->after) ||
           change_look(c->root, a, op, op->path, &err) == CHANGE_BEFORE;
}

static void drop_temp(struct changes *c, struct arena *a, const struct journal_op *op,
                      const char *temp)
{
    struct fs_place p, at;
    struct fs_seen seen;
    struct err err;
    str text;
    if (!fs_place_open(c->root, a, op->path, &p, &err))
        return;
    at = p;
    snprintf(at.name, sizeof(at.name), "%s", temp);
    if (fs_place_look(&at, CHANGE_FILE_MAX, &seen, &text, a, &err) && seen.exists &&
        (is_ours(c, a, op, text) || keep_leftover(c, a, text, temp)))
        fs_temp_drop(&p, temp);
    fs_place_close(&p);
}

void change_drop_temps(struct changes *c, struct arena *a,
                       const struct journal_change *change)
{
    for (size_t i = 0; i < change->n; i++) {
        const struct journal_op *op = &change->ops[i];
        char temp[CHANGE_TEMP_NAME];
        change_temp_name(temp, change, i);
        if (op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE)
            drop_temp(c, a, op, temp);
    }
}

/* Operations were made in order, so the last one whose file was not changed by others
 * since shows whether the change is complete. */
static bool is_complete(struct changes *c, struct arena *a,
                        const struct journal_change *change, bool *complete,
                        struct err *err)
{
    enum change_state state = CHANGE_OTHER;
    struct change_moves moves = change_moves_of(a, change);
    for (size_t i = change->n; i-- > 0 && state == CHANGE_OTHER;) {
        const struct journal_op *op = &change->ops[i];
        str path =
            op->kind == JOURNAL_MOVE ? op->to : change_moved(a, &moves, i, op->path);
        state = change_look(c->root, a, op, path, err);
    }
    *complete = state != CHANGE_BEFORE;
    return state != CHANGE_UNKNOWN;
}

bool change_revert_all(struct changes *c, struct arena *a,
                       const struct journal_change *change, size_t n, struct err *err)
{
    for (size_t i = n; i-- > 0;) {
        const struct journal_op *op = &change->ops[i];
        char temp[CHANGE_TEMP_NAME];
        change_temp_name(temp, change, i);
        str path = op->kind == JOURNAL_MOVE ? op->to : op->path;
        enum change_state state = change_look(c->root, a, op, path, err);
        if (state == CHANGE_UNKNOWN)
            return false;
        if (state != CHANGE_AFTER || change_revert(c->root, a, op, temp, err))
            continue;
        if (change_may_pass(err))
            return false;
        log_event(LOG_ERROR, "not_rolled_back", LOG_STR("path", op->path),
                  LOG_STR("error", str_c(err->msg)));
    }
    return true;
}

static bool change_undo_finish(struct changes *c, struct arena *a,
                               const struct journal_change *change, struct err *err)
{
    bool complete;
    if (!is_complete(c, a, change, &complete, err))
        return false;
    change_drop_temps(c, a, change);
    if ((!complete && !change_revert_all(c, a, change, change->n, err)) ||
        !change_sync(c->root, a, change, NULL, err))
        return false;
    log_event(LOG_INFO, "recovered", LOG_INT("change", change->number),
              LOG_STR("outcome", complete ? STR("done") : STR("rolled back")));
    journal_end(c->journal, change->number, complete ? JOURNAL_DONE : JOURNAL_ABORTED);
    return true;
}

/* Without its record, a change cannot be rolled back. */
static bool give_up(struct changes *c, uint64_t number)
{
    log_event(LOG_ERROR, "not_recovered", LOG_INT("change", number),
              LOG_STR("error", STR("the journal is damaged")));
    journal_end(c->journal, number, JOURNAL_ABORTED);
    return true;
}

bool change_recover(struct changes *c, struct err *err)
{
    const struct journal_entry *entries;
    size_t n = journal_entries(c->journal, &entries);
    if (n == 0 || entries[n - 1].state != JOURNAL_OPEN)
        return true;
    struct arena a = {0};
    struct journal_change change;
    uint64_t number = entries[n - 1].number;
    bool known = journal_read(c->journal, &a, number, true, &change, err);
    bool ok = known ? change_undo_finish(c, &a, &change, err)
                    : err->name == E_JOURNAL_DAMAGED && give_up(c, number);
    arena_release(&a);
    return ok && (entries[n - 1].state != JOURNAL_OPEN ||
                  err_set(err, ERR_BUSY, "the journal cannot be written at the moment"));
}

/* --- on request --- */

/* A change that is to be undone. */
struct undoing {
    struct changes *c;
    struct arena *a;
    const struct journal_change *change;
    struct change_moves moves;
    struct change_later later;
    struct map taken; /* what undo removes or moves away */
};

/* changes_make() restores files before it moves things back, and removes folders last. */
static struct change_op inverse(struct undoing *u, size_t i)
{
    const struct journal_op *op = &u->change->ops[i];
    bool file = op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE;
    struct change_op to = {
        .path = file ? change_moved(u->a, &u->moves, i, op->path) : op->path,
        .text = op->old,
        .mode = op->mode,
    };
    switch (op->kind) {
    case JOURNAL_WRITE:
        to.kind = op->existed ? JOURNAL_WRITE : JOURNAL_DELETE;
        to.expects = CHANGE_SAME;
        to.was = op->after;
        break;
    case JOURNAL_DELETE:
        to.kind = JOURNAL_WRITE;
        to.expects = CHANGE_NEW;
        break;
    case JOURNAL_MOVE:
        to = (struct change_op){.kind = JOURNAL_MOVE, .path = op->to, .to = op->path};
        break;
    case JOURNAL_MAKE_FOLDER:
        to.kind = JOURNAL_REMOVE_FOLDER;
        break;
    case JOURNAL_REMOVE_FOLDER:
        to.kind = JOURNAL_MAKE_FOLDER;
        break;
    }
    return to;
}

/* Whether a change also moves something to path, from which it moved something away; the
 * file system may ignore case. */
static bool refills(struct undoing *u, str path)
{
    struct err ignored;
    const struct journal_op *op;
    for (size_t at = 0; (op = change_arrival(u->a, &u->moves, path, &at)) != NULL;)
        if (str_eq(op->to, path) ||
            change_find_moved(u->c->root, u->a, op, path, &ignored) == CHANGE_AFTER)
            return true;
    return false;
}

/* Whether the old path of a move is free, or will be when the rest is undone. */
static bool is_old_path_free(struct undoing *u, const struct journal_op *op, str now)
{
    struct err ignored;
    return change_look_for(u->c->root, u->a, op->path, &ignored) == CHANGE_BEFORE ||
           change_is_respelled(u->c->root, u->a, op->path, now) || refills(u, op->path);
}

/* Whether an operation can be undone from what there is now, at *at; UNKNOWN: the disk
 * cannot be read. If not, *at is what stands in the way. */
static enum change_state look_untouched(struct undoing *u, const struct journal_op *op,
                                        str *at, struct err *err)
{
    str path = *at;
    enum change_state state = change_look(u->c->root, u->a, op, path, err);
    if (op->kind != JOURNAL_MOVE || state == CHANGE_UNKNOWN)
        return state;
    bool left = state == CHANGE_AFTER || !change_is_recorded(op) ||
                change_is_replaced(u->c, u->a, &u->later, op, path);
    if (left && is_old_path_free(u, op, path))
        return CHANGE_AFTER;
    if (left)
        *at = op->path;
    return CHANGE_OTHER;
}

/* Fails if files are not as the change left them, naming the first few. */
static bool check_untouched(struct undoing *u, struct err *err)
{
    enum { NAMED = 5 };
    struct sbuf names = SBUF_ON(u->a);
    size_t touched = 0;
    str first = {0};
    for (size_t i = 0; i < u->change->n; i++) {
        const struct journal_op *op = &u->change->ops[i];
        bool move = op->kind == JOURNAL_MOVE;
        str path = change_moved(u->a, &u->moves, i + move, move ? op->to : op->path);
        enum change_state state = look_untouched(u, op, &path, err);
        if (state == CHANGE_UNKNOWN)
            return false;
        if (state == CHANGE_AFTER)
            continue;
        first = touched == 0 ? path : first;
        if (touched++ < NAMED)
            sbuf_printf(&names, "%s'" STR_FMT "'", touched > 1 ? ", " : "",
                        STR_ARG(path));
    }
    if (touched == 0)
        return true;
    return err_named(err, E_CONFLICT,
                     "change %llu was not undone: " STR_FMT "%s changed since" STR_FMT,
                     (unsigned long long)u->change->number, STR_ARG(sbuf_str(&names)),
                     touched > NAMED ? " and others have"
                     : touched > 1   ? " have"
                                     : " has",
                     STR_ARG(change_later_about(u->c, u->a, &u->later, first)));
}

/* Whether a folder stays because it has other files by now, even hidden ones. It is at
 * path now, and at `back` when undo gets to it: folders are removed after all moves. */
static bool keeps_folder(struct undoing *u, str path, str back)
{
    struct err err;
    int fd;
    if (!fs_open_folder(u->c->root, path, true, &fd, &err))
        return false;
    bool kept = false;
    struct folder_names names = folder_names_of(fd);
    for (const char *name; !kept && (name = folder_next(&names)) != NULL;)
        kept = map_find(&u->taken, path_join(u->a, path, str_c(name))) == MAP_NONE &&
               map_find(&u->taken, path_join(u->a, back, str_c(name))) == MAP_NONE;
    folder_end(&names);
    return kept;
}

/* In reverse order of the journal, so the contents of a folder come before the folder. */
static void plan_undo(struct undoing *u, struct change *undo)
{
    undo->undoes = u->change->number;
    undo->files = u->change->files;
    undo->n = 0;
    undo->ops = ARENA_ARRAY(u->a, struct change_op, u->change->n);
    for (size_t i = u->change->n; i-- > 0;) {
        struct change_op op = inverse(u, i);
        if (op.kind == JOURNAL_REMOVE_FOLDER &&
            keeps_folder(u, change_moved(u->a, &u->moves, i, op.path), op.path))
            continue;
        if (op.kind != JOURNAL_WRITE && op.kind != JOURNAL_MAKE_FOLDER)
            map_add(&u->taken, op.path);
        undo->ops[undo->n++] = op;
    }
}

/* A change whose undo was undone counts as made. */
static bool is_undone(const struct journal *j, const struct journal_entry *e)
{
    bool undone = false;
    for (; e != NULL && e->undone_by > 0; e = journal_find(j, e->undone_by))
        undone = !undone;
    return undone;
}

/* The inverse of a change that can be undone now. */
static bool prepare_undo(struct changes *c, struct arena *a, uint64_t number,
                         struct change *undo, struct err *err)
{
    struct journal_change change;
    if (!journal_read(c->journal, a, number, true, &change, err))
        return false;
    const struct journal_entry *e = journal_find(c->journal, number);
    bool undone = is_undone(c->journal, e);
    if (undone || e->state == JOURNAL_ABORTED)
        return err_named(err, E_CONFLICT, "change %llu %s", (unsigned long long)number,
                         undone ? "is already undone"
                                : "failed, so there is nothing to undo");
    struct undoing u = {.c = c,
                        .a = a,
                        .change = &change,
                        .moves = change_moves_of(a, &change),
                        .later.since = number,
                        .taken.arena = a};
    if (!check_untouched(&u, err))
        return false;
    plan_undo(&u, undo);
    return true;
}

static void report_undo(const struct change *undo, struct change_result *out)
{
    out->undoing = undo->ops;
    out->n_undoing = undo->n;
    out->files = undo->files;
}

static bool undo_held(struct changes *c, struct arena *a, uint64_t number,
                      struct change *undo, struct change_result *out, struct err *err)
{
    struct journal_change before;
    if (!change_recover(c, err) || !change_was_made(c, a, &undo->once, &before, err))
        return false;
    if (before.number > 0) {
        *out = change_repeated(&before);
        return true;
    }
    if (!prepare_undo(c, a, number, undo, err) || !change_make_held(c, a, undo, out, err))
        return false;
    report_undo(undo, out);
    return true;
}

bool changes_plan_undo(struct changes *c, struct arena *a, uint64_t number,
                       struct change_result *out, struct err *err)
{
    struct journal *j;
    struct change undo = {0};
    *out = (struct change_result){0};
    if (!changes_lock_all(c, &j, err))
        return false;
    bool ok = change_recover(c, err) && prepare_undo(c, a, number, &undo, err);
    changes_unlock(c);
    report_undo(&undo, out);
    return ok;
}

bool changes_undo(struct changes *c, struct arena *a, uint64_t number,
                  struct change *undo, struct change_result *out, struct err *err)
{
    struct journal *j;
    if (!changes_lock_all(c, &j, err))
        return false;
    bool ok = undo_held(c, a, number, undo, out, err);
    changes_unlock(c);
    return ok;
}
