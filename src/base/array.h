/*
 * array - lists that grow: a pointer, a count, and here how much room there is.
 *
 * Lists double, from ARRAY_FIRST items on. One that begins as {NULL, 0} and is only ever
 * grown by ARRAY_ADD() needs no capacity beside its count, because it is full at 0 and at
 * every power of two. Lists that shrink and grow many times in an arena keep one, and use
 * ARRAY_ADD_CAP().
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

/* Items of that size with room for array_more(cap), of which cap are kept; in the arena,
 * or on the heap, for free(), when a is NULL. */
void *array_grow(struct arena *a, void *items, size_t cap, size_t size);

/* A pointer to one more item, not initialised. */
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
