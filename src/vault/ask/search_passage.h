/*
 * search_passage - the best line of a note for the words of a query. Private to
 * search*.c.
 */
#pragma once

#include "vault/ask/search_parts.h"
#include "vault/index/words.h"
#include "vault/meaning/meaning.h"

enum { SEARCH_SHOWN_WORDS = 128 }; /* of the query that are looked for */

/* A word to look for, and the words of the query that it counts for, as bits. */
struct wanted {
    str text;
    bool open; /* a prefix */
    uint64_t bits;
};

struct wanted_words {
    struct wanted items[SEARCH_SHOWN_WORDS];
    size_t n;
    uint64_t all;                  /* bits */
    bool excludes;                 /* the query has words that must not occur */
    uint64_t first[4];             /* a bit for each first byte of a word */
    const struct needles *needles; /* the words; NULL: needles cannot find all of them */
};

void search_read_wanted(const struct words_query *q, struct wanted_words *out);

/* Forms that notes have instead of a word count for it, the first ones. */
void search_want_forms(const struct words_result *r, struct wanted_words *w);

/* Call this before showing: common words of the result are not looked for. */
void search_prepare_wanted(struct arena *a, const struct words_result *r,
                           struct wanted_words *w);

/* Add a hit: the line of a file with most of the words; its name if there is none. */
struct search_hit *search_show_words(struct search_job *job,
                                     const struct wanted_words *wanted,
                                     const struct file *f);

/* Add a hit: the line with most of the words in the chunk that is near; else the
 * first. */
struct search_hit *search_show_chunk(struct search_job *job,
                                     const struct wanted_words *wanted,
                                     const struct meaning_near *near);
