/*
 * needles_pair - places where two bytes occur at a given distance. Private to needles.c.
 *
 * The three implementations give the same results; the widest one that the machine
 * supports is chosen when the pair is made.
 */
#pragma once

#include "base/str.h"

struct needles_pair {
    size_t at[2];             /* the offset of each byte from the place */
    uint8_t byte[2], fold[2]; /* a text byte | fold is compared with byte */
    size_t (*find)(const struct needles_pair *p, str text, size_t from);
};

/*
 * Set find, after the other members. It returns the first place at from or later, or
 * text.n if there is none.
 */
void needles_pair_choose(struct needles_pair *p);

/* The implementations, for tests. */
size_t needles_pair_plain(const struct needles_pair *p, str text, size_t from);
#ifdef __x86_64__
size_t needles_pair_16(const struct needles_pair *p, str text, size_t from);
size_t needles_pair_32(const struct needles_pair *p, str text, size_t from); /* AVX2 */
#endif
