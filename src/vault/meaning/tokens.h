/*
 * tokens - a text as the numbers of the words and parts of words that a model knows.
 *
 * WordPiece, as the models of the family BERT without upper case have it: characters that
 * are not seen are dropped, letters lose case and marks (normal form D), words end at
 * spaces, and every punctuation character and Chinese character is a word. Of a word, the
 * longest known beginning is taken, then the longest known continuation, and so on; a word
 * of which a part is not known, or with more than 100 characters, is unknown as a whole.
 * What looks like one of the model's special tokens, "[SEP]", is text like any other.
 */
#pragma once

#include "base/str.h"

enum {
    TOKENS_MAX = 256,     /* of a text, with the first and the last */
    TOKENS_WORD_MAX = 100 /* characters of a word */
};

/* Words in the order of their bytes; those that continue a word begin with "##". */
struct vocabulary {
    const char *text;       /* all words, one after the other */
    const uint32_t *starts; /* n + 1: where in text each begins, and the end */
    const uint32_t *ids;    /* the number of each, below n */
    uint32_t n, text_size;
    uint32_t unknown, first, last; /* the numbers of [UNK], [CLS] and [SEP] */
};

/* Whether all of it is as described, so that any text can be split. */
bool vocabulary_is_sound(const struct vocabulary *v);

#define VOCABULARY_NONE UINT32_MAX
/* The number of a word, or VOCABULARY_NONE. */
uint32_t vocabulary_find(const struct vocabulary *v, str word);

struct tokens {
    uint32_t ids[TOKENS_MAX];
    size_t n;     /* with the first and the last */
    size_t bytes; /* of the text that were read: the rest did not fit */

    /* Of the words that begin with a letter: their characters, and their tokens. */
    size_t letters, pieces;
    size_t foreign; /* of the letters: those that are not Latin */
};

/* text need not be valid UTF-8. */
void tokens_split(const struct vocabulary *v, str text, struct tokens *out);
