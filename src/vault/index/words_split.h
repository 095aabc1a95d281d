/*
 * words_split - splits text into folded words. Private to words*.c.
 *
 * The lexer returns atoms in order: a word of an alphabet, or one sign, which is a
 * character of a script without spaces (utf8_is_cjk) or a symbol such as an emoji.
 * Tokens, which are indexed, are made from atoms:
 *
 *     atoms         tokens
 *     word          the word
 *     e - mail      e, mail, and email: written together
 *     c ++          c and c++
 *     日 本 語      日本, 本語, 語: pairs, and the last alone, so that every sign of a
 *                   run begins exactly one token
 *     emoji         the emoji
 */
#pragma once

#include "base/str.h"

enum { WORDS_TOKEN_MAX = 64 }; /* bytes; longer words are cut */

/* Whether text can be cut here without cutting a word. */
static inline bool words_is_gap(char c)
{
    return c == ' ' || c == '\n' || c == '\t';
}

/* How an atom is connected with the one before it. */
enum words_glue {
    WORDS_APART,
    WORDS_ADJACENT, /* nothing between them */
    WORDS_HYPHEN,   /* a hyphen, apostrophe or underscore */
};

struct words_atom {
    str text;          /* folded; stored in the lexer, until its next atom */
    size_t start, end; /* bytes of the source */
    enum words_glue glue;
    bool sign;
    bool cjk;      /* of a sign: it makes pairs with its neighbours */
    uint8_t extra; /* bytes after end that make it another word: ++ of C++, # of C# */
};

struct words_lexer {
    str source;
    size_t at;
    size_t last_end; /* of the atom before */
    char folded[WORDS_TOKEN_MAX + 8];
};

#define WORDS_LEXER_ON(text)                                                             \
    ((struct words_lexer){.source = (text), .last_end = SIZE_MAX})

/* False at the end of the text. */
bool words_lex(struct words_lexer *lexer, struct words_atom *out);

/*
 * The number of bytes after a word of that length that make it another word: "++", or '#'
 * after a single letter, if no word follows directly.
 */
size_t words_extra(str s, size_t end, size_t length);

/*
 * The alphabet of a folded word; words of different alphabets are never joined. 0: any.
 */
int words_script(str word);

/* Kinds of tokens. */
enum words_token_kind {
    WORDS_PLAIN,
    WORDS_PAIR,     /* of two signs */
    WORDS_LAST,     /* the last sign of a run, or its only one */
    WORDS_TOGETHER, /* email */
    WORDS_EXTRA,    /* c++ */
};

struct words_token {
    str text; /* at least 16 bytes are readable there, however short it is */
    size_t start, end;
    enum words_token_kind kind;
};

/* Receives tokens: fn is called for each until it returns false. */
struct words_tokens {
    bool (*fn)(void *arg, const struct words_token *t);
    void *arg;
    size_t atoms; /* number of atoms read */
};

/* False if fn stopped it. */
bool words_tokenize(str text, struct words_tokens *to);

/*
 * The same, but only for tokens that are wanted or begin with a wanted text; others may
 * be omitted. wanted ignores case; NULL: all tokens. In words_some.c.
 */
struct needles;
bool words_tokenize_some(str text, const struct needles *wanted, struct words_tokens *to);
