/*
 * pairs - the titles of notes by their pairs of letters, to find those that are similar
 * to a text in spite of typing errors and words in another order.
 *
 * A pair is one of PAIRS_CLASSES, ignoring case and diacritics; anything between words
 * counts as one space.
 *
 * Nothing is collected until the first question; then it is kept. One writer; any number
 * of threads may ask while there is no writing.
 */
#pragma once

#include "vault/index/file.h"

enum {
    PAIRS_CLASSES = 256,
    PAIRS_LETTERS = 100, /* of a text that are considered */
};

/* The pairs of a text, as bits. */
struct pairs_set {
    uint64_t bits[PAIRS_CLASSES / 64];
};

struct pairs_set pairs_of(str text);
unsigned pairs_count(const struct pairs_set *s);
unsigned pairs_common(const struct pairs_set *a, const struct pairs_set *b);

struct pairs; /* index_pairs() has it; made by pairs_kind (derived.h) */

/* The notes whose titles have at least that many of these pairs, by id. */
size_t pairs_sharing(const struct pairs *p, struct arena *a, const struct pairs_set *set,
                     unsigned least, file_id **out);
