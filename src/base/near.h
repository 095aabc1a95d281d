/*
 * near - how many slips of the pen are between two names: letters that are wrong, missing
 * or too many, and neighbours that are swapped. "Did you mean" is asked with it.
 *
 * Letters are characters, compared as they are: who ignores case folds both names before.
 */
#pragma once

#include "base/str.h"

enum { NEAR_MAX = 128 }; /* letters; a longer name is near nothing */
#define NEAR_NONE SIZE_MAX

/* A name as it is compared. */
struct near_letters {
    uint64_t bag; /* a bit for each letter that occurs, of 64 classes */
    uint32_t n;   /* above NEAR_MAX: too long */
    uint32_t at[NEAR_MAX];
};
void near_read(struct near_letters *out, str name);

/* Whether names of such bags and lengths can be near at all: a slip changes two bits of a
 * bag at most, and the length by one. */
static inline bool near_may_be(uint64_t bag_a, uint32_t n_a, uint64_t bag_b, uint32_t n_b,
                               size_t max)
{
    uint32_t apart = n_a > n_b ? n_a - n_b : n_b - n_a;
    return apart <= max && (size_t)__builtin_popcountll(bag_a ^ bag_b) <= 2 * max;
}

/* The slips between a and b, or NEAR_NONE when there are more than max. */
size_t near_count(const struct near_letters *a, const struct near_letters *b, size_t max);

/* The nearest of names that are offered one by one; of equally near ones the first. */
struct near_search {
    struct near_letters wanted;
    size_t far; /* so many slips are too many */
};

/* wanted may have up to most slips, but not in every letter. */
void near_search(struct near_search *s, str wanted, size_t most);

/* Whether name is nearer than all before it. */
bool near_offer(struct near_search *s, str name);
