/*
 * array - lists that grow: a pointer and a count.
 *
 * Lists start with ARRAY_FIRST items and double. A list that begins as {NULL, 0} and only
 * grows by ARRAY_ADD() needs no capacity, because it is full at 0 and at the powers of
 * two. Lists in an arena that shrink and grow many times use ARRAY_ADD_CAP().
 *
 * ARRAY_ADD() changes n, so the value assigned to it must not use n.
 */
#pragma once

#include "base/arena.h"

enum { ARRAY_FIRST = 8 };

static inline bool array_is_full(size_t n)
{
    return (n & (n - 1)) == 0 && n % ARRAY_FIRST == 0;
}

static inline size_t array_more(size_t cap)
{
    return cap < ARRAY_FIRST ? ARRAY_FIRST : size_mul(cap, 2);
}

/* Grow items from cap to array_more(cap) items of that size: in the arena, or on the heap
 * (for free()) if a is NULL. */
void *array_grow(struct arena *a, void *items, size_t cap, size_t size);

/* Add an item, not initialised; returns a pointer to it. */
#define ARRAY_ADD(a, items, n)                                                           \
    ({                                                                                   \
        if (array_is_full(n))                                                            \
            (items) = array_grow((a), (void *)(items), (n), sizeof(*(items)));           \
        &(items)[(n)++];                                                                 \
    })

/* The same for a list with a capacity. */
#define ARRAY_ADD_CAP(a, items, n, cap)                                                  \
    ({                                                                                   \
        if ((n) == (cap)) {                                                              \
            (items) = array_grow((a), (void *)(items), (cap), sizeof(*(items)));         \
            (cap) = (__typeof__(cap))array_more(cap);                                    \
        }                                                                                \
        &(items)[(n)++];                                                                 \
    })
