/*
 * words_term_filter - which words may contain some letters or be similar to a word,
 * without reading all of them. Private to words*.c.
 *
 * Words are taken in batches. For each batch, bits say which groups of words have which
 * three letters in a row, and which words have which letters. Nothing is made until the
 * first question; then every question makes a few more batches until nearly all words
 * have one, so that none takes long. Words without a batch are left to the caller.
 *
 * Answers may have too many words, never too few. One writer; any number of threads may
 * ask while there is no writing.
 */
#pragma once

#include "base/near.h"
#include "base/str.h"
#include "vault/index/bit_counter.h"

struct words;
struct words_batch;
struct term_filter;

struct term_filter *term_filter_create(void);
void term_filter_free(struct term_filter *s);
void term_filter_clear(struct term_filter *s); /* all terms are about to change */
size_t term_filter_memory(const struct term_filter *s);

/* The term is new, or has another name now. */
void term_filter_put(struct words *w, uint32_t term);

/* Terms, by index. */
struct words_range {
    uint32_t from, to;
};

/* Where a question is. */
struct words_cursor {
    const struct words *words;
    const struct words_batch *batch, *next; /* the current one and the one after it */
    size_t slice;                           /* of the batch */
    uint32_t from, end;               /* first term of the batch, and after the batch */
    uint64_t left[BIT_COUNTER_WORDS]; /* of the slice */
};

enum { TERM_FILTER_ROWS = 12 };

/* The words that may contain some letters. */
struct term_candidates {
    struct words_cursor at;
    bool grouped;                    /* one bit is a group of words */
    uint16_t rows[TERM_FILTER_ROWS]; /* bits that they must have */
    size_t n;
};

/* Begin with the words that may contain run; or with those that may have been cut. */
void term_candidates_run(struct term_candidates *s, const struct words *w, str run);
void term_candidates_cut(struct term_candidates *s, const struct words *w);

/* The next ones, in any order. */
bool term_candidates_next(struct term_candidates *s, struct words_range *out);

/* The words that may be at most max slips away from another. */
struct words_near {
    struct words_cursor at;
    uint32_t bag;     /* classes of the other's letters */
    uint32_t letters; /* of the other */
    unsigned max;
};

void words_near_begin(struct words_near *n, const struct words *w,
                      const struct near_letters *word, unsigned max);
bool words_near_next(struct words_near *n, uint32_t *term);
