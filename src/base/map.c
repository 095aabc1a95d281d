#include "base/map.h"

#include "base/array.h"
#include "base/err.h"
#include "base/hash.h"

enum { SLOTS_FIRST = 16 };

static void place(struct map_index *x, struct map_slot slot)
{
    size_t i = slot.hash & x->mask;
    while (x->slots[i].number != 0)
        i = (i + 1) & x->mask;
    x->slots[i] = slot;
}

void map_reserve(struct map_index *x, struct arena *a, size_t n)
{
    struct map_index old = *x;
    size_t size = old.slots != NULL ? old.mask + 1 : SLOTS_FIRST;
    while (size < 2 * n) /* at most half of the slots are in use */
        size = size_mul(size, 2);
    if (old.slots != NULL && size == old.mask + 1)
        return;
    size_t bytes = size_mul(size, sizeof(*x->slots));
    x->slots = a != NULL ? arena_zero(a, bytes) : mem_zero(bytes);
    x->mask = size - 1;
    size_t first = 0; /* start after a free slot, so equal hashes keep their order */
    while (old.n > 0 && old.slots[first].number != 0)
        first++;
    for (size_t i = 0; old.n > 0 && i <= old.mask; i++)
        if (old.slots[(first + i) & old.mask].number != 0)
            place(x, old.slots[(first + i) & old.mask]);
    if (a == NULL)
        free(old.slots);
}

void map_put(struct map_index *x, struct arena *a, uint64_t hash, uint32_t number)
{
    if (x->slots == NULL || 2 * x->n > x->mask)
        map_reserve(x, a, x->n + 1);
    place(x, (struct map_slot){(uint32_t)hash, number + 1});
    x->n++;
}

static uint32_t map_find_hashed(const struct map *m, str key, uint64_t hash)
{
    size_t at = 0;
    uint32_t i;
    while ((i = map_next(&m->index, hash, &at)) != MAP_NONE && !str_eq(m->keys[i], key))
        ;
    return i;
}

uint32_t map_find(const struct map *m, str key)
{
    return map_find_hashed(m, key, hash_table(key));
}

uint32_t map_add(struct map *m, str key)
{
    uint64_t hash = hash_table(key);
    uint32_t i = map_find_hashed(m, key, hash);
    if (i != MAP_NONE)
        return i;
    if (m->n + 1 == MAP_NONE)
        BUG("too many keys");
    map_put(&m->index, m->arena, hash, m->n);
    *ARRAY_ADD(m->arena, m->keys, m->n) = key;
    return m->n - 1;
}

bool map_add_new(struct map *m, str key)
{
    uint32_t n = m->n;
    return map_add(m, key) == n;
}

void map_clear(struct map *m)
{
    if (m->index.slots != NULL)
        memset(m->index.slots, 0, (m->index.mask + 1) * sizeof(*m->index.slots));
    m->index.n = m->n = 0;
}

void map_release(struct map *m)
{
    free(m->index.slots);
    free(m->keys);
    *m = (struct map){0};
}
