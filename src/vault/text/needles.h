/*
 * needles - any of a few words in a text, at memory speed.
 *
 * One word is sought by two of its rarest bytes, many places at a time; several by a
 * fingerprint of their first bytes (the "Teddy" of Hyperscan and rg). Without case only
 * ASCII words are taken; k and s then also fit U+212A and U+017F, as Unicode wants.
 * Immutable once made: any number of threads may search.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum { NEEDLES_MAX = 32 };

struct needles;

/* NULL when the words are none, too many, empty, or not ASCII though case is ignored. */
struct needles *needles_create(struct arena *a, const str *words, size_t n, bool nocase);

/*
 * The first occurrence in text that begins at from or later; false if there is none. Of
 * words that fit at the same place, the one given first. When case is ignored and there
 * are several words, another may begin up to a word's length earlier.
 */
bool needles_next(const struct needles *n, str text, size_t from, size_t *start,
                  size_t *end);

/* How many line feeds s holds. */
size_t needles_count_lines(str s);

/* The first byte of s from i on that is not ASCII, or its length. */
size_t needles_skip_ascii(str s, size_t i);
