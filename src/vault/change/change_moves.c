#include "vault/change/change_moves.h"

#include "base/path.h"
#include "base/utf8.h"

struct change_moves change_moves_of(struct arena *a, const struct journal_change *c)
{
    struct change_moves m = {.change = c};
    for (size_t i = 0; i < c->n; i++) {
        const struct journal_op *op = &c->ops[i];
        if (op->kind != JOURNAL_MOVE)
            continue;
        map_put(&m.from, a, hash_table(op->path), (uint32_t)i);
        map_put(&m.to, a, hash_table(utf8_fold(a, op->to)), (uint32_t)i);
    }
    return m;
}

/* The first operation from `first` on that moves exactly this path. */
static uint32_t departure_of(const struct change_moves *m, uint32_t first, str path)
{
    uint64_t hash = hash_table(path);
    uint32_t i;
    for (size_t at = 0; (i = map_next(&m->from, hash, &at)) != MAP_NONE;)
        if (i >= first && str_eq(m->change->ops[i].path, path))
            return i;
    return MAP_NONE;
}

/* The same for path or a folder that it is in. */
static uint32_t next_departure(const struct change_moves *m, uint32_t first, str path)
{
    uint32_t next = MAP_NONE;
    for (size_t i = 1; i <= path.n; i++) {
        if (i < path.n && path.p[i] != '/')
            continue;
        uint32_t found = departure_of(m, first, str_slice(path, 0, i));
        next = found < next ? found : next;
    }
    return next;
}

str change_moved(struct arena *a, const struct change_moves *m, size_t first, str path)
{
    uint32_t i = (uint32_t)first;
    while (m->from.n > 0 && (i = next_departure(m, i, path)) != MAP_NONE) {
        const struct journal_op *op = &m->change->ops[i++];
        path = arena_printf(a, STR_FMT STR_FMT, STR_ARG(op->to),
                            STR_ARG(str_skip(path, op->path.n)));
    }
    return path;
}

const struct journal_op *change_arrival(struct arena *a, const struct change_moves *m,
                                        str path, size_t *at)
{
    uint64_t hash = hash_table(utf8_fold(a, path));
    uint32_t i = map_next(&m->to, hash, at);
    return i != MAP_NONE ? &m->change->ops[i] : NULL;
}
