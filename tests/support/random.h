/* random - the choices of random tests, which are the same in each run. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct random {
    uint32_t state; /* not 0 */
};

/* 0 <= result < below; below is not 0. */
static inline uint32_t random_below(struct random *r, uint32_t below)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 17;
    r->state ^= r->state << 5;
    return r->state % below;
}

/* True in one of n cases. */
static inline bool random_one_in(struct random *r, uint32_t n)
{
    return random_below(r, n) == 0;
}
