/*
 * needles - any of a few words in a text, at memory speed.
 *
 * One word is found by its two rarest bytes, many places at a time; several words by a
 * fingerprint of their first bytes (the "Teddy" algorithm of Hyperscan and rg). If case
 * is ignored, words must be ASCII; k and s then also match U+212A and U+017F, as
 * Unicode's case folding demands. Immutable, so any number of threads may search.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum { NEEDLES_MAX = 32 };

struct needles;

/*
 * NULL if there are no words or too many, if a word is empty, or if case is ignored and a
 * word is not ASCII.
 */
struct needles *needles_create(struct arena *a, const str *words, size_t n, bool nocase);

/*
 * The first occurrence in text that begins at from or later; false if there is none. If
 * several words match at the same place, the first in order wins. If case is ignored and
 * there are several words, another word may occur up to a word's length earlier.
 */
bool needles_next(const struct needles *n, str text, size_t from, size_t *start,
                  size_t *end);

/*
 * The position of the first byte of s, from i, that is not ASCII; s.n if there is none.
 */
size_t needles_skip_ascii(str s, size_t i);
