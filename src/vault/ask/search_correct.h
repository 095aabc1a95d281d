/*
 * search_correct - corrects the words of a query that no note has. Private to search*.c.
 *
 * Such a word becomes the most similar one that notes have (words_suggest()), or what its
 * keys are on another keyboard: "compst" becomes "compost", "ghbdtn" "привет". Left as they
 * are: what is quoted, excluded or the beginning of a word (prefix*), short words, numbers,
 * the most frequent words of a language, and words that the model for meaning learnt. Only the words of the index are looked at, so
 * a view (vault_as()) gives nothing away.
 */
#pragma once

#include "vault/index/words.h"
#include "vault/meaning/meaning.h"

struct search_correction {
    str query; /* with the corrections */
    str note;  /* "compost (for compst), heap (for haep)" */
};

/* Whether one word may be a slip of the other: long enough, and hardly different. right is
 * not one of a language's most frequent words, which are similar to too many. */
bool search_is_slip(str wrong, str right);

/* False if there is nothing to correct. m may be NULL. */
bool search_correct(const struct words *w, const struct meaning *m, struct arena *a,
                    str query, struct search_correction *out);
