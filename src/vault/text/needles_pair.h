/*
 * needles_pair - places where two bytes occur at a given distance. Private to needles.c.
 *
 * On x86-64 sixteen places are compared at once. Thirty-two (AVX2) are hardly faster:
 * memory is what it waits for.
 */
#pragma once

#include "base/str.h"

struct needles_pair {
    size_t at[2];             /* of both, from the place that is given */
    uint8_t byte[2], fold[2]; /* a text byte | fold is compared with byte */
};

/* The first place from from on, or text.n if there is none. */
size_t needles_pair_find(const struct needles_pair *p, str text, size_t from);
