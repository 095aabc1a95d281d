/* One operation of a change: its state, making it, reverting it. */
#include <errno.h>
#include <stdio.h>

#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change/change_parts.h"

void change_temp_name(char out[CHANGE_TEMP_NAME], const struct journal_change *c,
                      size_t i)
{
    /* The dot hides it from Obsidian and vaultd, ".tmp" from sync clients. The time is
     * needed because a server with another state folder may use the same number. */
    snprintf(out, CHANGE_TEMP_NAME, ".vaultd-%llx-%llu-%zu.tmp",
             (unsigned long long)c->time, (unsigned long long)c->number, i);
}

/* --- looking --- */

bool change_may_pass(const struct err *err)
{
    return err->code == ERR_INTERNAL || err->code == ERR_BUSY ||
           err->name == E_NO_SPACE || err->name == E_READ_ONLY;
}

/* What a failure to look means: there is something else, or the state is unknown. */
static enum change_state not_seen(const struct err *err)
{
    return change_may_pass(err) ? CHANGE_UNKNOWN : CHANGE_OTHER;
}

static enum change_state look_at_file(const struct fs_root *root,
                                      const struct journal_op *op, str path,
                                      struct err *err)
{
    struct fs_seen seen;
    str text;
    struct arena scratch = {0}; /* only the hash is needed, of any number of files */
    bool ok = fs_look(root, &scratch, path, CHANGE_FILE_MAX, &seen, &text, err);
    arena_release(&scratch);
    if (!ok)
        return not_seen(err);
    bool before =
        seen.exists == op->existed && (!seen.exists || hash_same(seen.hash, op->before));
    bool after = op->kind == JOURNAL_WRITE
                     ? seen.exists && hash_same(seen.hash, op->after)
                     : !seen.exists;
    return after ? CHANGE_AFTER : before ? CHANGE_BEFORE : CHANGE_OTHER;
}

/* AFTER: path exists. */
enum change_state change_look_for(const struct fs_root *root, struct arena *a, str path,
                                  struct err *err)
{
    struct fs_place p;
    struct file_stat st;
    bool exists = false, open = fs_place_open_named(root, a, path, &p, err);
    bool ok = open ? fs_place_stat(&p, &exists, &st, err) : err->code == ERR_NOT_FOUND;
    fs_place_close(&p);
    return !ok ? not_seen(err) : exists ? CHANGE_AFTER : CHANGE_BEFORE;
}

/* Whether path is found only because the file system ignores case: it is spelled as `to`
 * now. */
bool change_is_respelled(const struct fs_root *root, struct arena *a, str path, str to)
{
    struct fs_place p;
    struct err ignored;
    bool respelled = fs_place_open_named(root, a, path, &p, &ignored) &&
                     fs_is_other_spelling(p.dir, arena_str(a, path_name(to)).p, p.name);
    fs_place_close(&p);
    return respelled;
}

static enum change_state look_at_move(const struct fs_root *root, struct arena *a,
                                      const struct journal_op *op, str to,
                                      struct err *err)
{
    enum change_state there = change_find_moved(root, a, op, to, err);
    if (there == CHANGE_UNKNOWN)
        return there;
    enum change_state from = change_look_for(root, a, op->path, err);
    if (from == CHANGE_AFTER && change_is_respelled(root, a, op->path, to))
        from = CHANGE_BEFORE;
    if (from == CHANGE_UNKNOWN || from == CHANGE_OTHER)
        return from;
    if (there == CHANGE_AFTER && (from == CHANGE_BEFORE || change_is_recorded(op)))
        return CHANGE_AFTER;
    return from == CHANGE_AFTER ? CHANGE_BEFORE : CHANGE_OTHER;
}

enum change_state change_look(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, str path, struct err *err)
{
    enum change_state folder;
    switch (op->kind) {
    case JOURNAL_WRITE:
    case JOURNAL_DELETE:
        return look_at_file(root, op, path, err);
    case JOURNAL_MOVE:
        return look_at_move(root, a, op, path, err);
    case JOURNAL_MAKE_FOLDER:
        return change_look_for(root, a, path, err);
    case JOURNAL_REMOVE_FOLDER:
        folder = change_look_for(root, a, path, err);
        return folder == CHANGE_AFTER    ? CHANGE_BEFORE
               : folder == CHANGE_BEFORE ? CHANGE_AFTER
                                         : folder;
    }
    BUG("operation %d", (int)op->kind);
}

/* --- doing --- */

bool change_place(const struct fs_root *root, struct arena *a, str path,
                  const struct fs_seen *was, struct fs_place *out, struct err *err)
{
    return was != NULL && was->plain ? fs_place_open_named(root, a, path, out, err)
                                     : fs_place_open(root, a, path, out, err);
}

static bool put_file(const struct fs_root *root, struct arena *a, str path,
                     const char *temp, const struct fs_seen *was, struct err *err)
{
    struct fs_place p;
    bool ok = change_place(root, a, path, was, &p, err) && fs_put(&p, temp, was, err);
    fs_place_close(&p);
    return ok;
}

static bool remove_file(const struct fs_root *root, struct arena *a, str path,
                        const char *temp, const struct fs_seen *was, struct err *err)
{
    struct fs_place p;
    bool ok = change_place(root, a, path, was, &p, err) && fs_remove(&p, temp, was, err);
    fs_place_close(&p);
    return ok;
}

static bool move(const struct fs_root *root, struct arena *a, str from, str to,
                 struct err *err)
{
    struct fs_place p = {.dir = -1}, q = {.dir = -1};
    bool ok = fs_place_open_named(root, a, from, &p, err) &&
              fs_place_open_named(root, a, to, &q, err) && fs_move(&p, &q, err);
    fs_place_close(&p);
    fs_place_close(&q);
    return ok;
}

/* Move what op is about. If another program has put something else there in the last
 * moment, that goes back. */
static bool move_recorded(const struct fs_root *root, struct arena *a,
                          const struct journal_op *op, str from, str to, struct err *err)
{
    struct err ignored;
    if (!move(root, a, from, to, err))
        return false;
    if (change_find_moved(root, a, op, to, &ignored) != CHANGE_OTHER)
        return true;
    (void)!move(root, a, to, from, &ignored);
    return err_named(err, E_CONFLICT,
                     "'" STR_FMT "' has been changed in the meantime: try again",
                     STR_ARG(from));
}

static bool change_steps_make_folder(const struct fs_root *root, struct arena *a,
                                     str path, unsigned mode, struct err *err)
{
    struct fs_place p;
    bool ok = fs_place_open_named(root, a, path, &p, err) && fs_make(&p, mode, err);
    fs_place_close(&p);
    return ok;
}

static bool remove_folder(const struct fs_root *root, struct arena *a, str path,
                          struct err *err)
{
    struct fs_place p;
    bool ok = fs_place_open_named(root, a, path, &p, err) && fs_remove_folder(&p, err);
    fs_place_close(&p);
    return ok;
}

bool change_do(const struct fs_root *root, struct arena *a, const struct journal_op *op,
               const struct fs_seen *was, unsigned mode, const char *temp,
               struct err *err)
{
    switch (op->kind) {
    case JOURNAL_WRITE:
        return put_file(root, a, op->path, temp, was, err);
    case JOURNAL_MOVE:
        return move_recorded(root, a, op, op->path, op->to, err);
    case JOURNAL_DELETE:
        return remove_file(root, a, op->path, temp, was, err);
    case JOURNAL_MAKE_FOLDER:
        return change_steps_make_folder(root, a, op->path, mode, err);
    case JOURNAL_REMOVE_FOLDER:
        return remove_folder(root, a, op->path, err);
    }
    BUG("operation %d", (int)op->kind);
}

/* Restore the old content. It need not be the same inode as before. */
static bool restore(const struct fs_root *root, struct arena *a,
                    const struct journal_op *op, const char *temp, struct err *err)
{
    struct fs_seen now = {.exists = op->kind == JOURNAL_WRITE, .hash = op->after};
    struct fs_place p;
    bool ok = fs_place_open(root, a, op->path, &p, err);
    if (ok)
        fs_temp_drop(&p, temp);
    ok = ok && fs_temp_write(&p, temp, op->old, op->mode, err) &&
         fs_temp_sync(&p, temp, err) && fs_put(&p, temp, &now, err);
    if (!ok && p.dir >= 0)
        fs_temp_drop(&p, temp);
    fs_place_close(&p);
    return ok;
}

bool change_revert(const struct fs_root *root, struct arena *a,
                   const struct journal_op *op, const char *temp, struct err *err)
{
    struct fs_seen after = {.exists = true, .hash = op->after};
    switch (op->kind) {
    case JOURNAL_WRITE:
        return op->existed ? restore(root, a, op, temp, err)
                           : remove_file(root, a, op->path, temp, &after, err);
    case JOURNAL_MOVE:
        return move_recorded(root, a, op, op->to, op->path, err);
    case JOURNAL_DELETE:
        return restore(root, a, op, temp, err);
    case JOURNAL_MAKE_FOLDER:
        return remove_folder(root, a, op->path, err);
    case JOURNAL_REMOVE_FOLDER:
        return change_steps_make_folder(root, a, op->path, op->mode, err);
    }
    BUG("operation %d", (int)op->kind);
}

/* --- syncing --- */

/* Folders that are already synced. */
struct synced {
    const struct fs_root *root;
    struct arena *a;
    struct file_stat known[8];
    size_t n;
    struct map paths; /* of synced folders, as they are named */
    bool all;         /* too many folders: sync the whole file system */
};

/* Sync the folder of path, or of the target of a symlink. If it cannot be reached,
 * nothing was changed there. */
static bool sync_place(struct synced *s, str path, bool follow, struct err *err)
{
    struct fs_place p;
    struct file_stat st;
    if (!follow && !map_add_new(&s->paths, path_folder(path)))
        return true;
    bool open = follow ? fs_place_open(s->root, s->a, path, &p, err)
                       : fs_place_open_named(s->root, s->a, path, &p, err);
    if (!open || !file_stat(p.dir, &st)) {
        fs_place_close(&p);
        return !open && !change_may_pass(err);
    }
    bool ok = true, known = false;
    for (size_t i = 0; i < s->n && !known; i++)
        known = file_is_same(&s->known[i], &st);
    if (!known && s->n == COUNT_OF(s->known)) {
        s->all = true;
    } else if (!known) {
        s->known[s->n++] = st;
        ok = fs_place_sync(&p, err);
    }
    fs_place_close(&p);
    return ok;
}

bool change_sync(const struct fs_root *root, struct arena *a,
                 const struct journal_change *c, const struct fs_seen *was,
                 struct err *err)
{
    struct synced s = {.root = root, .a = a, .paths.arena = a};
    struct change_moves moves = change_moves_of(a, c);
    for (size_t i = 0; i < c->n; i++) {
        const struct journal_op *op = &c->ops[i];
        bool file = op->kind == JOURNAL_WRITE || op->kind == JOURNAL_DELETE;
        bool follow = file && !(was != NULL && was[i].plain);
        str moved = file ? change_moved(a, &moves, i, op->path) : op->to;
        if (!sync_place(&s, op->path, follow, err) ||
            (moved.n > 0 && !str_eq(moved, op->path) &&
             !sync_place(&s, moved, follow, err)))
            return false;
        if (s.all)
            return fs_sync_all(root, err);
    }
    return true;
}
