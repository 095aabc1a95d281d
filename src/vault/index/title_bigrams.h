/*
 * title_bigrams - the titles of notes by their pairs of letters, to find those that are
 * similar to a text in spite of typing errors and words in another order.
 *
 * A pair is one of TITLE_BIGRAMS_CLASSES, ignoring case and diacritics; anything between
 * words counts as one space.
 *
 * Nothing is collected until the first question; then it is kept. One writer; any number
 * of threads may ask while there is no writing.
 */
#pragma once

#include "vault/index/file.h"

enum {
    TITLE_BIGRAMS_CLASSES = 256,
    TITLE_BIGRAMS_LETTERS = 100, /* of a text that are considered */
};

/* The pairs of a text, as bits. */
struct title_bigrams_set {
    uint64_t bits[TITLE_BIGRAMS_CLASSES / 64];
};

struct title_bigrams_set title_bigrams_of(str text);
unsigned title_bigrams_count(const struct title_bigrams_set *s);
unsigned title_bigrams_common(const struct title_bigrams_set *a,
                              const struct title_bigrams_set *b);

/* index_title_bigrams() has it; made by title_bigrams_kind (derived.h). */
struct title_bigrams;

/* The notes whose titles have at least that many of these pairs, by id. */
size_t title_bigrams_sharing(const struct title_bigrams *p, struct arena *a,
                             const struct title_bigrams_set *set, unsigned least,
                             file_id **out);
