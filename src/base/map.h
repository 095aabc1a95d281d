/*
 * map - texts to numbers, counted from 0 in the order in which they were added; what
 * belongs to a text is in the caller's own array, by number. Nothing is ever removed.
 *
 * {0} is an empty map on the heap, {.arena = a} one in an arena. Keys are borrowed.
 * Open addressing with a part of the hash in every slot, so that another key is hardly
 * ever looked at. The hash is keyed (hash_table()), so that nobody can choose keys that
 * collide.
 */
#pragma once

#include "base/arena.h"

#define MAP_NONE UINT32_MAX

/* The table itself, for keys of another kind: hashes to numbers. */
struct map_index {
    struct map_slot *slots;
    size_t n, mask;
};

struct map_slot {
    uint32_t hash, number; /* number + 1; 0: free */
};

/* The numbers with that hash, one by one, oldest first; *at is 0 before the first, the
 * result MAP_NONE after the last. Others may be among them: compare the keys. */
static inline uint32_t map_next(const struct map_index *x, uint64_t hash, size_t *at)
{
    while (x->slots != NULL) {
        const struct map_slot *s = &x->slots[((uint32_t)hash + (*at)++) & x->mask];
        if (s->number == 0)
            break;
        if (s->hash == (uint32_t)hash)
            return s->number - 1;
    }
    return MAP_NONE;
}

/* a NULL: on the heap, where free(x->slots) ends it. */
void map_put(struct map_index *x, struct arena *a, uint64_t hash, uint32_t number);

/* Room for so many numbers at once. */
void map_reserve(struct map_index *x, struct arena *a, size_t n);

struct map {
    struct arena *arena; /* NULL: the heap */
    struct map_index index;
    str *keys; /* by number */
    uint32_t n;
};

/* The number of key, or MAP_NONE. */
uint32_t map_find(const struct map *m, str key);

/* The number of key, which is added if it is not there. */
uint32_t map_add(struct map *m, str key);

/* The same; false when it was there already. */
bool map_add_new(struct map *m, str key);

/* Forget all keys and keep the memory; free the memory of a map on the heap. */
void map_clear(struct map *m);
void map_release(struct map *m);
