/*
 * bit_counter - counts, for many things at a time, which of several bits they have.
 *
 * A row has one bit of each of BIT_COUNTER_COLUMNS things. Counts are kept as bits, too,
 * so adding a row takes a few operations for all of them.
 */
#pragma once

#include "base/str.h"

enum {
    BIT_COUNTER_WORDS = 8, /* of 64 bits: one line of a cache */
    BIT_COUNTER_COLUMNS = 64 * BIT_COUNTER_WORDS,
    BIT_COUNTER_LEAST_MAX = 255,
};

struct bit_counter_row {
    const uint64_t *bits; /* BIT_COUNTER_WORDS of them */
    uint64_t flip;        /* 0, or ~0: things that do not have the bit are counted */
};

/* The things that are counted by at least that many of n rows; least is 1 or more. */
void bit_counter_least(const struct bit_counter_row *rows, size_t n, unsigned least,
                       uint64_t out[BIT_COUNTER_WORDS]);
