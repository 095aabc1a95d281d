/* words_query - the parsed query of a ranked search: read once, for any number of searches. */
#pragma once

#include "vault/index/words.h"

/* What a document must have; see words_match.h. */
enum words_need {
    WORDS_EXACT,  /* this word */
    WORDS_PREFIX, /* a word that begins like this */
    WORDS_SIGN,   /* this sign: a pair that begins with it, or it alone */
};

struct words_part {
    str text;
    enum words_need need;
    bool forms; /* other forms of the word are as good */
};

/* A word or phrase of the query. It matches where its atoms are adjacent. */
struct words_want {
    bool excluded;
    bool quoted;
    bool open; /* ends with *: the last atom is a prefix */
    str *atoms;
    size_t n_atoms;
    struct words_part *parts; /* a document with the phrase has all of these, */
    size_t n_parts;
    str together; /* or this: the words written together; empty if not applicable */
    str extra;    /* instead of all that, if it occurs in the index: c++ */
};

struct words_query {
    struct words_want wants[WORDS_TERMS_MAX];
    size_t n;
};

/* Fails with ERR_LIMIT above a limit of words.h. */
MUST_CHECK bool words_read_query(struct arena *a, str text, struct words_query *out,
                                 struct err *err);
