/* words_match - the documents that have a word or phrase. Private to words*.c. */
#pragma once

#include "vault/index/words_index.h"
#include "vault/index/words_query.h"

/*
 * tf is the number of occurrences, weighted by field and by the length of body and title.
 * 0: all words of the phrase occur, but it must still be checked whether they are
 * adjacent.
 */
struct words_match {
    uint32_t slot;
    float tf;
};

/* Sorted by slot; live documents only. */
struct words_matches {
    struct words_match *items;
    size_t n;
    size_t df; /* how rare it is, if that is not n; 0: it is */
};

struct words_found {
    uint32_t slot;
    float score;
    uint32_t words; /* of words_match_any() */
};

/* The documents found so far, by slot. */
struct words_pile {
    struct words_found *items;
    size_t n;
};

/* A search in progress. */
struct words_run {
    const struct words *words;
    struct arena *arena;
    words_text_fn text;
    void *arg;
    float body[256];  /* weight of a word in a body of that length class; 0: dead */
    float title[256]; /* in a title with that number of words */
    bool cut;
    bool exact;                     /* other forms of words do not count */
    struct words_other_form *forms; /* that documents have */
    size_t n_forms;
};

/* A word of the index with the same stem as another. */
struct words_form {
    const struct words_term *term;
    uint64_t languages; /* in which it is one: bits */
    bool compound;      /* the word is a part of it */
    size_t df;          /* if there are too many */
};

enum { WORDS_FORMS_MAX = 32 }; /* of a word: the most common ones */

/* The other forms of a word, if it is one of a language with stems; words_forms.c. */
size_t words_find_forms(struct words_run *run, str word, struct words_form **out);

/* exact, and the documents that have another form of the word. */
struct words_matches words_add_forms(struct words_run *run, struct words_matches exact,
                                     str word);

/* Call fn for the terms that contain run, which is folded; false if fn stopped it. */
bool words_with_run(const struct words *w, struct arena *a, str run,
                    bool (*fn)(void *arg, const struct words_term *t), void *arg);

/* The current slot of a posting of t; too large if it comes from a damaged image. */
static inline uint32_t words_slot_now(const struct words *w, const struct words_term *t,
                                      uint32_t slot)
{
    if (!words_is_old(w, t))
        return slot;
    return slot < w->sweep.n ? w->sweep.moved[slot] : UINT32_MAX;
}

void words_run_init(struct words_run *run, const struct words *w, struct arena *a,
                    words_text_fn text, void *arg);

/* The documents with this term, this part, or this want. */
struct words_matches words_match_term(struct words_run *run, const struct words_term *t);
struct words_matches words_match_part(struct words_run *run, struct words_part part);
struct words_matches words_match_want(struct words_run *run,
                                      const struct words_want *want);

/* The tf of a phrase whose words all occur; 0 if they are not adjacent. */
float words_check_phrase(const struct words_run *run, const struct words_want *want,
                         uint32_t slot);

/* How often the atoms of want are adjacent in text; words_phrase.c. */
uint32_t words_count_phrase(const struct words_want *want, str text);

/* What a word adds to the score of a document; it is never more than its idf. */
float words_idf(const struct words *w, size_t df);
float words_points(float rarity, float tf);

/* The tf that gives this part (below 1) of a word's idf. */
float words_tf_for(float part);

/* The idf of what the matches are of. */
static inline float words_rarity(const struct words *w, const struct words_matches *m)
{
    return words_idf(w, m->df > 0 ? m->df : m->n);
}

/* The documents with any word of the wants that asks() accepts; out gets their ideal and
 * the common words. */
struct words_pile words_match_any(struct words_run *run, const struct words_query *q,
                                  bool (*asks)(const struct words_want *want),
                                  struct words_result *out);
