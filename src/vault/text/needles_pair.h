/*
 * needles_pair - places where two bytes stand at a given distance. Private to needles.c.
 *
 * The three ways give the same places; the widest one the machine has is chosen when the
 * pair is made.
 */
#pragma once

#include "base/str.h"

struct needles_pair {
    size_t at[2];             /* of both, from the place that is given */
    uint8_t byte[2], fold[2]; /* a text byte | fold is compared with byte */
    size_t (*find)(const struct needles_pair *p, str text, size_t from);
};

/* Sets find, after the rest: the first place from from on, or text.n if there is none. */
void needles_pair_choose(struct needles_pair *p);

/* The ways, for tests. */
size_t needles_pair_plain(const struct needles_pair *p, str text, size_t from);
#ifdef __x86_64__
size_t needles_pair_16(const struct needles_pair *p, str text, size_t from);
size_t needles_pair_32(const struct needles_pair *p, str text, size_t from); /* AVX2 */
#endif
