/* What a move has moved: recorded before it is made, and found again by that alone. */
#include "base/array.h"
#include "base/os/folder.h"
#include "base/path.h"
#include "vault/change/change_parts.h"

/* What is at a place: its identity, and for a symlink or a very large file no hash. */
struct thing {
    bool exists, hashed;
    struct journal_identity is;
    struct hash_content hash;
};

/* The names in a folder, in any order. */
static bool hash_names(const struct fs_place *p, struct hash_content *out)
{
    struct folder_names names = folder_names(p->dir, p->name);
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        struct hash_content h = hash_content(str_c(name));
        out->low += h.low;
        out->high += h.high;
    }
    return folder_end(&names);
}

static bool hash_thing(const struct fs_place *p, struct arena *a,
                       const struct file_stat *st, struct thing *out, struct err *err)
{
    struct fs_seen seen;
    str text;
    if (st->type == FILE_FOLDER) {
        out->hashed = hash_names(p, &out->hash);
        return true;
    }
    if (st->type != FILE_REGULAR || st->size > CHANGE_FILE_MAX)
        return true;
    struct arena scratch = {0};
    bool ok = fs_place_look(p, CHANGE_FILE_MAX, &seen, &text, &scratch, err);
    arena_release(&scratch);
    out->hashed = ok && seen.exists;
    out->hash = seen.hash;
    return ok || err->code == ERR_DENIED || err->name == E_FILE_TOO_LARGE;
}

static struct journal_identity identity_of(const struct file_stat *st)
{
    return (struct journal_identity){st->inode, st->born_ns, st->size};
}

bool change_is_same(const struct journal_identity *a, const struct journal_identity *b)
{
    return a->inode != 0 && a->inode == b->inode && a->born_ns != 0 &&
           a->born_ns == b->born_ns;
}

/* Whether it is what op has moved. Some file systems number their files anew, or do not
 * know when they were created: then the content decides. */
static bool is_moved(const struct journal_op *op, const struct thing *t)
{
    bool known = op->after.low != 0 || op->after.high != 0;
    if (change_is_same(&op->is, &t->is))
        return true;
    if (known && t->hashed && hash_same(op->after, t->hash))
        return !op->folder || op->is.inode == 0 || op->is.born_ns == t->is.born_ns;
    return !known && op->is.born_ns == 0 && op->is.size == t->is.size;
}

static bool find_thing(const struct fs_root *root, struct arena *a, str path,
                       const struct journal_identity *wanted, struct thing *out,
                       enum file_type *type, struct err *err)
{
    struct fs_place p;
    struct file_stat st = {0};
    *out = (struct thing){0};
    bool open = fs_place_open_named(root, a, path, &p, err);
    bool ok =
        open ? fs_place_stat(&p, &out->exists, &st, err) : err->code == ERR_NOT_FOUND;
    out->is = identity_of(&st);
    *type = st.type;
    if (ok && out->exists && !change_is_same(wanted, &out->is))
        ok = hash_thing(&p, a, &st, out, err);
    fs_place_close(&p);
    return ok;
}

bool change_identify(const struct fs_root *root, struct arena *a, str path,
                     struct journal_op *op, struct err *err)
{
    struct thing t;
    enum file_type type;
    if (!find_thing(root, a, path, &(struct journal_identity){0}, &t, &type, err))
        return !change_may_pass(err);
    if (!t.exists)
        return true;
    op->is = t.is;
    op->folder = type == FILE_FOLDER;
    if (t.hashed)
        op->after = t.hash;
    return true;
}

bool change_is_recorded(const struct journal_op *op)
{
    return op->is.inode != 0 || op->after.low != 0 || op->after.high != 0;
}

enum change_state change_find_moved(const struct fs_root *root, struct arena *a,
                                    const struct journal_op *op, str path,
                                    struct err *err)
{
    struct thing t;
    enum file_type type;
    if (!find_thing(root, a, path, &op->is, &t, &type, err))
        return change_may_pass(err) ? CHANGE_UNKNOWN : CHANGE_OTHER;
    if (!t.exists)
        return CHANGE_BEFORE;
    return !change_is_recorded(op) || is_moved(op, &t) ? CHANGE_AFTER : CHANGE_OTHER;
}

/* --- while it is planned --- */

/* The number of the operation that is recorded for path, before operation `before`. */
static uint32_t recorded(const struct change_paths *p, str path, uint32_t before)
{
    uint32_t found = map_find(&p->map, path);
    return found != MAP_NONE && p->ops[found] < before ? p->ops[found] : MAP_NONE;
}

/* The operation before `before` that moved something to path or a folder of it. */
static uint32_t last_arrival(const struct making *m, str path, uint32_t before)
{
    uint32_t last = MAP_NONE;
    for (size_t i = 1; i <= path.n; i++) {
        if (i < path.n && path.p[i] != '/')
            continue;
        uint32_t found = recorded(&m->arrivals, str_slice(path, 0, i), before);
        if (found != MAP_NONE && (last == MAP_NONE || found > last))
            last = found;
    }
    return last;
}

/* Where it is now, before anything is moved. */
static str origin(const struct making *m, str path)
{
    uint32_t at = (uint32_t)m->record.n;
    while ((at = last_arrival(m, path, at)) != MAP_NONE) {
        const struct journal_op *op = &m->record.ops[at];
        path = arena_printf(m->a, STR_FMT STR_FMT, STR_ARG(op->path),
                            STR_ARG(str_skip(path, op->to.n)));
    }
    return path;
}

static void remember(struct making *m, struct change_paths *p, str path)
{
    p->map.arena = m->a;
    uint32_t number = map_add(&p->map, path);
    while (p->n <= number)
        *ARRAY_ADD(m->a, p->ops, p->n) = 0;
    p->ops[number] = (uint32_t)m->record.n;
}

void change_remember_write(struct making *m, str path)
{
    remember(m, &m->written, path);
}

bool change_plan_move(struct making *m, struct journal_op *op, struct err *err)
{
    str from = origin(m, op->path);
    uint32_t written = recorded(&m->written, from, MAP_NONE);
    remember(m, &m->arrivals, op->to);
    if (written == MAP_NONE)
        return change_identify(m->root, m->a, from, op, err);
    op->after = m->record.ops[written].after; /* a new file, which has no inode yet */
    op->is.size = (int64_t)m->texts[written].n;
    return true;
}
