/*
 * needles_pair - places where two bytes occur at a given distance. Private to needles.c.
 *
 * On x86-64 sixteen places are compared at a time. Thirty-two (AVX2) are hardly faster,
 * because memory is the bottleneck.
 */
#pragma once

#include "base/str.h"

struct needles_pair {
    size_t at[2];             /* the offset of each byte from the place */
    uint8_t byte[2], fold[2]; /* a text byte | fold is compared with byte */
};

/* The first place from from on, or text.n if there is none. */
size_t needles_pair_find(const struct needles_pair *p, str text, size_t from);
