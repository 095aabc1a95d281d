/* What the changes since one of them have done to its files. */
#include "base/array.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/sbuf.h"
#include "vault/change/change_parts.h"
#include "vault/change/journal.h"

enum { LATER_MAX = 200, LATER_NAMED = 5 };

struct later_change {
    struct journal_change change;
    struct change_moves moves;
    struct map_index paths; /* operations by path */
};

/* --- reading them --- */

static void read_one(struct changes *c, struct arena *a, struct change_later *l,
                     uint64_t number)
{
    struct err ignored;
    struct later_change *later = ARRAY_ADD(a, l->changes, l->n);
    *later = (struct later_change){0};
    if (!journal_read(c->journal, a, number, false, &later->change, &ignored)) {
        l->n--;
        l->complete = false;
        return;
    }
    later->moves = change_moves_of(a, &later->change);
    for (size_t i = 0; i < later->change.n; i++)
        map_put(&later->paths, a, hash_table(later->change.ops[i].path), (uint32_t)i);
}

/* The latest of them, in the order in which they were made; once. */
static void read_later(struct changes *c, struct arena *a, struct change_later *l)
{
    const struct journal_entry *all;
    size_t n = journal_entries(c->journal, &all), i = n;
    if (l->read)
        return;
    while (i > 0 && all[i - 1].number > l->since && n - i < LATER_MAX)
        i--;
    l->read = true;
    l->complete = i == 0 || all[i - 1].number <= l->since;
    for (; i < n; i++)
        if (all[i].state == JOURNAL_DONE)
            read_one(c, a, l, all[i].number);
}

/* --- for people --- */

/* Whether it is about that path, or something in it. */
static bool is_about(const struct later_change *later, str path)
{
    for (size_t i = 0; i < later->change.n; i++)
        if (path_is_or_below(path, later->change.ops[i].path) ||
            path_is_or_below(path, later->change.ops[i].to))
            return true;
    return false;
}

str change_later_about(struct changes *c, struct arena *a, struct change_later *l,
                       str path)
{
    struct sbuf out = SBUF_ON(a);
    size_t named = 0;
    read_later(c, a, l);
    for (size_t i = l->n; i-- > 0 && named < LATER_NAMED;)
        if (is_about(&l->changes[i], path))
            sbuf_printf(&out, "%s%llu", named++ > 0 ? ", " : "",
                        (unsigned long long)l->changes[i].change.number);
    if (named == 0)
        return STR(", not through vaultd");
    return arena_printf(a, ", by change%s " STR_FMT ": undo %s first",
                        named > 1 ? "s" : "", STR_ARG(sbuf_str(&out)),
                        named > 1 ? "these" : "that");
}

/* --- what a move left --- */

/* What a later operation did to the file or folder that a move left: it is recorded as
 * the move would have left it. *gone: it was removed, and may be made again by undo. */
static void follow(const struct journal_op *later, struct journal_op *moved, bool *gone)
{
    bool same = later->existed && (change_is_same(&later->is, &moved->is) ||
                                   hash_same(later->before, moved->after));
    if (later->kind == JOURNAL_WRITE && (same || (*gone && !later->existed))) {
        moved->after = later->after;
        moved->is = (struct journal_identity){0};
        *gone = false;
    } else if (later->kind == JOURNAL_DELETE && same) {
        *gone = true;
    } else if (later->kind == JOURNAL_MAKE_FOLDER && moved->folder) {
        moved->is = (struct journal_identity){0};
    }
}

static void follow_all(const struct later_change *later, str at, struct journal_op *moved,
                       bool *gone)
{
    uint64_t hash = hash_table(at);
    uint32_t i;
    for (size_t n = 0; (i = map_next(&later->paths, hash, &n)) != MAP_NONE;)
        if (str_eq(later->change.ops[i].path, at))
            follow(&later->change.ops[i], moved, gone);
}

bool change_is_replaced(struct changes *c, struct arena *a, struct change_later *l,
                        const struct journal_op *op, str path)
{
    struct journal_op moved = *op;
    struct err ignored;
    str at = path;
    bool gone = false;
    if (!change_is_recorded(op))
        return false;
    read_later(c, a, l);
    for (size_t i = 0; l->complete && i < l->n; i++) {
        follow_all(&l->changes[i], at, &moved, &gone);
        at = change_moved(a, &l->changes[i].moves, 0, at);
    }
    return l->complete && str_eq(at, path) && !gone &&
           change_find_moved(c->root, a, &moved, path, &ignored) == CHANGE_AFTER;
}
