/*
 * vault_words - chance and words for made-up vaults.
 *
 * Whole numbers only: with floating point, two machines may round differently and the
 * same seed would not give the same bytes. No word, title or name contains the letters z
 * or ё or the character 楼, so that what a benchmark plants is found where it was planted
 * and nowhere else.
 */
#pragma once

#include "base/sbuf.h"

/* --- chance --- */

struct rng {
    uint64_t state; /* any value is a seed */
};

uint64_t rng_next(struct rng *r);

/* 0 to n - 1; n is not 0. */
uint32_t rng_below(struct rng *r, uint32_t n);

/* low to high, both included. */
uint32_t rng_between(struct rng *r, uint32_t low, uint32_t high);

/* True that often. */
bool rng_percent(struct rng *r, uint32_t percent);

/* 0 to n - 1; 0 most often, 1 half as often, 2 a third, … (Zipf). */
uint32_t rng_zipf(struct rng *r, uint32_t n);

/* A size: half are below the median, the mean is 1.7 times that, a few are 20 times. */
uint32_t rng_size(struct rng *r, uint32_t median);

/* --- words --- */

enum language { LATIN, CYRILLIC, HAN, LANGUAGES };

enum {
    MADE_WORDS = 60000, /* besides the common ones, which come first */
    NAMES = 10000,      /* family names */
};

/* How many words a language has; rank 0 is the most common one. */
uint32_t words_count(enum language l);
uint32_t words_common(enum language l);

void add_word(struct sbuf *b, enum language l, uint32_t rank);
void add_capitalized(struct sbuf *b, enum language l, uint32_t rank);

/* "Mara Tolensen": the family name is that of the rank. */
void add_name(struct sbuf *b, uint32_t rank);

/* "2021-03-07"; day 0 is the first of 2015, and a month has 28 days. */
void add_date(struct sbuf *b, uint32_t day);
