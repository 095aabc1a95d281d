/*
 * stem - what the forms of a word have in common: "connect" of "connected". Made by
 * Snowball, whose libstemmer is included only here.
 *
 * Words are folded as the word index has them (words.h), and so are stems.
 */
#pragma once

#include "base/str.h"
#include "vault/text/language.h"

/* Whether there are stems of that language. */
bool stem_has(enum language l);

/* Whether words of that language have prefixes, which stems lack; else words begin with
 * their stem, but for its last letter. */
bool stem_has_prefixes(enum language l);

/* Whether words of that language are written together with others: Regenhose. */
bool stem_has_compounds(enum language l);

/* Used by one thread at a time. NULL if there are no stems of that language. */
struct stemmer;
struct stemmer *stemmer_create(enum language l);
void stemmer_free(struct stemmer *s);

/* The stem of a word; it is replaced by the next. */
str stemmer_stem(struct stemmer *s, str word);
