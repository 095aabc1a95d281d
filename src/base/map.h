/*
 * map - a hash table from strings to numbers, counted from 0 in the order of insertion.
 * Callers keep the values in their own array, by number. Keys cannot be removed.
 *
 * {0} is an empty map on the heap, {.arena = a} one in an arena. Keys are borrowed.
 * Open addressing, with part of the hash in every slot, so other keys are rarely
 * compared. The hash is keyed (hash_table()), so clients cannot choose keys that collide.
 */
#pragma once

#include "base/arena.h"

#define MAP_NONE UINT32_MAX

/* The table itself, from hashes to numbers, for other kinds of keys. */
struct map_index {
    struct map_slot *slots;
    size_t n, mask;
};

struct map_slot {
    uint32_t hash, number; /* number + 1; 0: free */
};

/* The numbers with this hash, one per call, oldest first. Start with *at = 0; MAP_NONE is
 * the end. Different keys can have the same hash, so compare them. */
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

/* Add a number. If a is NULL, slots are on the heap: free(x->slots). */
void map_put(struct map_index *x, struct arena *a, uint64_t hash, uint32_t number);

/* Make room for n numbers. */
void map_reserve(struct map_index *x, struct arena *a, size_t n);

struct map {
    struct arena *arena; /* NULL: the heap */
    struct map_index index;
    str *keys; /* by number */
    uint32_t n;
};

/* The number of key, or MAP_NONE. */
uint32_t map_find(const struct map *m, str key);

/* The number of key, which is added if it is missing. */
uint32_t map_add(struct map *m, str key);

/* The same; returns false if the key was already there. */
bool map_add_new(struct map *m, str key);

/* Remove all keys but keep the memory; free the memory of a map on the heap. */
void map_clear(struct map *m);
void map_release(struct map *m);
