/*
 * tokens - a text as the numbers of the words and parts of words that a model knows.
 *
 * WordPiece, as the models of the family BERT have it: characters that are not seen are
 * dropped, letters lose case and marks (normal form D) if the model was trained so, words
 * end at spaces, and every punctuation character and Chinese character is a word. Of a
 * word, the longest known beginning is taken, then the longest known continuation, and so
 * on; a word of which a part is not known, or with more than 100 characters, is unknown as
 * a whole.
 *
 * Unigram, as SentencePiece and the models of the family XLM-R have it: characters are
 * replaced by a table of the model (charsmap.h), words end at spaces and begin with a
 * character that stands for one, and a word is cut into the pieces whose scores have the
 * largest sum. Characters that no piece has are unknown, neighbours together.
 *
 * What looks like one of the model's special tokens, "[SEP]" or "<s>", is text like any
 * other.
 */
#pragma once

#include "base/str.h"

enum {
    TOKENS_MAX = 512,      /* of a text, with the first and the last */
    TOKENS_WORD_MAX = 100, /* characters of a word (WordPiece) */
    TOKENS_RUN_MAX = 4096, /* bytes of a word (Unigram); longer ones are cut there */
};

enum tokens_kind { TOKENS_WORDPIECE, TOKENS_UNIGRAM, TOKENS_KINDS };

/* How a text is prepared. */
enum {
    TOKENS_LOWER = 1,   /* WordPiece: letters lose their case, */
    TOKENS_BARE = 2,    /* and their marks; */
    TOKENS_CLEAN = 4,   /* what is not seen is dropped; */
    TOKENS_CHINESE = 8, /* every Chinese character is a word */
    TOKENS_SPACES = 16, /* Unigram: all that Unicode calls a space ends a word */
    TOKENS_FLAGS = 32,
    TOKENS_BERT = TOKENS_LOWER | TOKENS_BARE | TOKENS_CLEAN | TOKENS_CHINESE,
};

/* Words in the order of their bytes; WordPiece: those that continue a word begin with
 * "##". */
struct vocabulary {
    const char *text;       /* all words, one after the other */
    const uint32_t *starts; /* n + 1: where in text each begins, and the end */
    const uint32_t *ids;    /* the number of each, below rows */
    const float *scores;    /* Unigram: of each */
    str charsmap;           /* Unigram: see charsmap.h */
    uint32_t n, rows, text_size;
    uint32_t unknown, first, last; /* the numbers of [UNK], [CLS] and [SEP] */
    uint32_t kind, flags;          /* enum tokens_kind */
    float lowest;                  /* Unigram: the score of an unknown character */
};

/* Whether all of it is as described, so that any text can be split. */
bool vocabulary_is_sound(const struct vocabulary *v);

#define VOCABULARY_NONE UINT32_MAX
/* The number of a word, or VOCABULARY_NONE. */
uint32_t vocabulary_find(const struct vocabulary *v, str word);

/* Whether the folded word is known as a whole. */
bool vocabulary_has_word(const struct vocabulary *v, str word);

/* The words that begin with the bytes so far; all at first. */
struct vocabulary_range {
    uint32_t low, high, length;
};
static inline struct vocabulary_range vocabulary_all(const struct vocabulary *v)
{
    return (struct vocabulary_range){0, v->n, 0};
}

/* One more byte; false if no word begins so. *whole: the word that has no more bytes, as an
 * index, or VOCABULARY_NONE. */
bool vocabulary_narrow(const struct vocabulary *v, struct vocabulary_range *r, char c,
                       uint32_t *whole);

struct tokens {
    uint32_t ids[TOKENS_MAX];
    size_t n;       /* with the first and the last */
    size_t bytes;   /* of the text that were read: the rest did not fit */
    size_t unknown; /* of the tokens: those of letters that are not known */

    /* WordPiece, of the words that begin with a letter: their characters, and their
     * tokens. */
    size_t letters, pieces;
    size_t foreign; /* of the letters: those that are not Latin */
};

/* text need not be valid UTF-8. At most max tokens, from 2 to TOKENS_MAX. */
void tokens_split(const struct vocabulary *v, str text, size_t max, struct tokens *out);

/* --- for the two kinds --- */

/* False, and nothing is added, if there is no room besides the last token. */
bool tokens_add_id(struct tokens *out, uint32_t id, size_t max);

/* Return how much of the text was read. */
size_t wordpiece_split(const struct vocabulary *v, str text, size_t max,
                       struct tokens *out);
size_t unigram_split(const struct vocabulary *v, str text, size_t max,
                     struct tokens *out);
