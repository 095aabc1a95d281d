/* One operation of a change: seen, made, taken back. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change_parts.h"

void change_temp_name(char out[CHANGE_TEMP_NAME], uint64_t number, size_t i)
{
    /* hidden for Obsidian and us; ".tmp" for sync clients */
    snprintf(out, CHANGE_TEMP_NAME, ".vaultd-%llu-%zu.tmp", (unsigned long long)number,
             i);
}

static bool exists(const struct fs_root *root, str path)
{
    struct fs_info info;
    struct err err;
    return fs_stat(root, path, &info, &err) || err.code != ERR_NOT_FOUND;
}

/* --- seeing --- */

static enum change_state look_at_file(const struct fs_root *root, struct arena *a,
                                      const struct journal_op *op, str path)
{
    struct fs_place p;
    struct fs_seen seen = {0};
    str text;
    struct err err;
    bool open = fs_place_open(root, a, path, &p, &err);
    if (!open && err.code != ERR_NOT_FOUND)
        return CHANGE_OTHER;
    bool ok = !open || fs_place_look(&p, CHANGE_FILE_MAX, &seen, &text, a, &err);
    fs_place_close(&p);
    if (!ok)
        return CHANGE_OTHER;
    bool before =
        seen.exists == op->existed && (!seen.exists || hash_same(seen.hash, op->before));
    bool after = op->kind == JOURNAL_WRITE
                     ? seen.exists && hash_same(seen.hash, op->after)
                     : !seen.exists;
    return after ? CHANGE_AFTER : before ? CHANGE_BEFORE : CHANGE_OTHER;
}

enum change_state change_look(const struct fs_root *root, struct arena *a,
                              const struct journal_op *op, str path)
{
    switch (op->kind) {
    case JOURNAL_WRITE:
    case JOURNAL_DELETE:
        return look_at_file(root, a, op, path);
    case JOURNAL_MOVE: {
        bool from = exists(root, op->path), to = exists(root, op->to);
        return from == to ? CHANGE_OTHER : to ? CHANGE_AFTER : CHANGE_BEFORE;
    }
    case JOURNAL_MAKE_FOLDER:
        return exists(root, path) ? CHANGE_AFTER : CHANGE_BEFORE;
    case JOURNAL_REMOVE_FOLDER:
        return exists(root, path) ? CHANGE_BEFORE : CHANGE_AFTER;
    }
    return CHANGE_OTHER;
}

/* --- doing --- */

static bool put_file(const struct fs_root *root, struct arena *a, str path,
                     const char *temp, const struct fs_seen *was, struct err *err)
{
    struct fs_place p;
    bool ok = fs_place_open(root, a, path, &p, err) && fs_put(&p, temp, was, err);
    fs_place_close(&p);
    return ok;
}

static bool remove_file(const struct fs_root *root, struct arena *a, str path,
                        const struct fs_seen *was, struct err *err)
{
    struct fs_place p;
    bool ok = fs_place_open(root, a, path, &p, err) && fs_remove(&p, was, err);
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

static bool make_folder(const struct fs_root *root, struct arena *a, str path,
                        struct err *err)
{
    struct fs_place p;
    bool ok = fs_place_open_named(root, a, path, &p, err) && fs_make(&p, err);
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

static struct fs_seen before(const struct journal_op *op)
{
    return (struct fs_seen){.exists = op->existed, .hash = op->before};
}

bool change_do(const struct fs_root *root, struct arena *a, const struct journal_op *op,
               const char *temp, struct err *err)
{
    struct fs_seen was = before(op);
    switch (op->kind) {
    case JOURNAL_WRITE:
        return put_file(root, a, op->path, temp, &was, err);
    case JOURNAL_MOVE:
        return move(root, a, op->path, op->to, err);
    case JOURNAL_DELETE:
        return remove_file(root, a, op->path, &was, err);
    case JOURNAL_MAKE_FOLDER:
        return make_folder(root, a, op->path, err);
    case JOURNAL_REMOVE_FOLDER:
        return remove_folder(root, a, op->path, err);
    }
    BUG("operation %d", (int)op->kind);
}

/* Put back what was there; that of the old content, not the old file, is enough. */
static bool restore(const struct fs_root *root, struct arena *a,
                    const struct journal_op *op, const char *temp, struct err *err)
{
    struct fs_seen now = {.exists = op->kind == JOURNAL_WRITE, .hash = op->after};
    struct fs_place p;
    bool ok = fs_place_open(root, a, op->path, &p, err);
    if (ok)
        fs_temp_drop(&p, temp);
    ok = ok && fs_temp_write(&p, temp, op->old, err) && fs_temp_sync(&p, temp, err) &&
         fs_put(&p, temp, &now, err);
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
                           : remove_file(root, a, op->path, &after, err);
    case JOURNAL_MOVE:
        return move(root, a, op->to, op->path, err);
    case JOURNAL_DELETE:
        return restore(root, a, op, temp, err);
    case JOURNAL_MAKE_FOLDER:
        return remove_folder(root, a, op->path, err);
    case JOURNAL_REMOVE_FOLDER:
        return make_folder(root, a, op->path, err);
    }
    BUG("operation %d", (int)op->kind);
}

/* --- durable --- */

static bool sync_folder(const struct fs_root *root, struct arena *a, str path,
                        struct err *err)
{
    struct fs_place p;
    bool ok = fs_place_open_named(root, a, path, &p, err) && fs_place_sync(&p, err);
    fs_place_close(&p);
    return ok;
}

/* A few folders one by one, many at once. */
bool change_sync(const struct fs_root *root, struct arena *a,
                 const struct journal_op *ops, size_t n, struct err *err)
{
    enum { ONE_BY_ONE = 8 };
    str done[ONE_BY_ONE];
    size_t n_done = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        const struct journal_op *op = &ops[i / 2];
        str path = i % 2 == 0 ? op->path : op->to, folder = path_folder(path);
        size_t k = 0;
        while (k < n_done && !str_eq(done[k], folder))
            k++;
        if (path.n == 0 || k < n_done)
            continue;
        if (n_done == ONE_BY_ONE)
            return fs_sync_all(root, err);
        done[n_done++] = folder;
    }
    for (size_t i = 0; i < n_done; i++) {
        struct err gone;
        str inside = path_join(a, done[i], STR("x"));
        if (!sync_folder(root, a, inside, &gone) && gone.code != ERR_NOT_FOUND) {
            *err = gone;
            return false;
        }
    }
    return true;
}
