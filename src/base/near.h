/*
 * near - the edit distance between two names, for "did you mean". A wrong, missing or
 * extra letter and two swapped neighbours are one slip each.
 *
 * Letters are code points, compared exactly. To ignore case, fold both names first.
 */
#pragma once

#include "base/str.h"

enum { NEAR_MAX = 128 }; /* letters; longer names match nothing */
#define NEAR_NONE SIZE_MAX

/* A name prepared for comparison. */
struct near_letters {
    uint64_t bag; /* a bit for each letter that occurs, of 64 classes */
    uint32_t n;   /* above NEAR_MAX: too long */
    uint32_t at[NEAR_MAX];
};
void near_read(struct near_letters *out, str name);

/* Whether names with these bags and lengths can be within max slips: a slip changes at
 * most two bits of the bag, and the length by at most one. */
static inline bool near_may_be(uint64_t bag_a, uint32_t n_a, uint64_t bag_b, uint32_t n_b,
                               size_t max)
{
    uint32_t apart = n_a > n_b ? n_a - n_b : n_b - n_a;
    return apart <= max && (size_t)__builtin_popcountll(bag_a ^ bag_b) <= 2 * max;
}

/* The number of slips between a and b, or NEAR_NONE if it is more than max. */
size_t near_count(const struct near_letters *a, const struct near_letters *b, size_t max);

/* Finds the nearest of several names; of equally near ones, the first. */
struct near_search {
    struct near_letters wanted;
    size_t far; /* names with this many slips or more do not match */
    str best;   /* the nearest that was offered; empty: none */
};

/* Start: allow up to most slips, but fewer than wanted has letters. */
void near_search(struct near_search *s, str wanted, size_t most);

/* Whether name is nearer than all names before it. */
bool near_offer(struct near_search *s, str name);
