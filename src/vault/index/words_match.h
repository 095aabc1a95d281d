/*
 * words_match - the documents that have a word or phrase. Private to vault/words*.c.
 */
#pragma once

#include "vault/index/words_query.h"

/*
 * tf is how often, by field weights, over the length of the body. 0: all words of the
 * phrase are there; whether they stand in a row must still be checked.
 */
struct words_match {
    uint32_t slot;
    float tf;
};

/* By slot; live documents only. */
struct words_matches {
    struct words_match *items;
    size_t n;
};

/* One search while it runs. */
struct words_run {
    const struct words *words;
    struct arena *arena;
    words_text_fn text;
    void *arg;
    float body[256];  /* weight of a word in a body of that class of length; 0: dead */
    float title[256]; /* in a title of so many words */
    bool cut;
};

/* The slot of today of a posting of t, or one too large: of a damaged image. */
static inline uint32_t words_slot_now(const struct words *w, const struct words_term *t,
                                      uint32_t slot)
{
    if (!words_is_old(w, t))
        return slot;
    return slot < w->sweep.n ? w->sweep.moved[slot] : UINT32_MAX;
}

void words_run_init(struct words_run *run, const struct words *w, struct arena *a,
                    words_text_fn text, void *arg);

/* The documents that have this part, or this want. */
struct words_matches words_match_part(struct words_run *run, struct words_part part);
struct words_matches words_match_want(struct words_run *run,
                                      const struct words_want *want);

/* The tf of a phrase whose words are all there; 0 when they do not stand in a row. */
float words_check_phrase(const struct words_run *run, const struct words_want *want,
                         uint32_t slot);

/* How often the atoms of want stand in a row in text; words_phrase.c. */
uint32_t words_count_phrase(const struct words_want *want, str text);
