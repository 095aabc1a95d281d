/*
 * tokenizer_json - tokenizer.json, in which the library "tokenizers" keeps how a model
 * splits texts: as much of it as tokens.h can do.
 *
 * WordPiece with the preparation of BERT, and Unigram with SentencePiece's. What the file
 * asks for besides is refused with its name, so that no text is ever split in another way
 * than the model was trained with. Truncation, padding and decoding do not concern us.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "vault/meaning/tokens.h"

enum { TOKENIZER_BYTES = 1 << 26 }; /* of the file */

struct tokenizer_word {
    str text;
    uint32_t id;
    float score;
};

struct tokenizer_json {
    enum tokens_kind kind;
    uint32_t flags;
    struct tokenizer_word *words; /* by their bytes; Unigram: without special tokens */
    uint32_t n;
    uint32_t unknown, first, last;
    float lowest;
    str charsmap;
};

/* rows: numbers of words are below it. In the arena, which may have views into text. */
MUST_CHECK bool tokenizer_json_read(struct arena *a, str text, uint32_t rows,
                                    struct tokenizer_json *out, struct err *err);
