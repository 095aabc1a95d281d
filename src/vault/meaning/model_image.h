/*
 * model_image - the file of a model: one flat image that is mapped and used in place.
 *
 * A head, then these parts in this order, each at a multiple of 8 bytes:
 *
 *     vocabulary       starts: words + 1, ids: words (32 bits); Unigram: scores: words (32
 *                      bits), the charsmap; the text of all words
 *     tables           rows x width; positions x width (16 bits); one row that is added
 *                      to every token (32 bits); gain and bias of the first norm (32 bits)
 *     for each layer   attention: width -> 3 width (questions, keys, values), width -> width,
 *                      norm; then width -> inner, inner -> width, norm
 *
 * A matrix is its biases (32 bits), then panels: KERNEL_COLUMNS outputs of the first input,
 * the same outputs of the second, and so on; then the next outputs. A norm is its gains and
 * its biases (32 bits). Numbers are little-endian IEEE 754; those of panels and of the
 * first table have 16 bits, or they are integers of 8 bits, and the scales of all outputs or
 * rows (32 bits) come before them.
 *
 * A file may be damaged or hostile: everything that is used as a size or a place is checked
 * when it is opened. model_make.h writes it.
 */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "vault/meaning/kernel.h"
#include "vault/meaning/mapped.h"
#include "vault/meaning/tokens.h"

enum {
    MODEL_VERSION = 2, /* 1: without what its head lacks; still read */
    MODEL_LAYERS_MAX = 24,
    MODEL_WIDTH_MAX = 1024,
    MODEL_INNER_MAX = 4096,
    MODEL_WORDS_MAX = 1 << 18, /* also rows of the table */
    MODEL_WORDS_BYTES = 1 << 24,
    MODEL_POSITIONS_MAX = 4096,
    MODEL_LABEL = 64,      /* bytes of a label */
    MODEL_PREFIX = 128,    /* of a prefix */
    MODEL_LANGUAGES = 512, /* of the list of languages */
};

enum model_pooling { MODEL_MEAN, MODEL_FIRST, MODEL_POOLINGS };
enum model_weights { MODEL_HALVES, MODEL_BYTES, MODEL_WEIGHTS };

struct model_head {
    char magic[8];
    uint32_t version, unused;
    struct hash_content sum; /* of everything after it */
    uint64_t size;           /* of the file */
    uint32_t words, words_bytes, positions, width, layers, heads, inner;
    uint32_t unknown, first, last; /* numbers of words */
    /* UTF-8, with NULs to the end: the name, the languages, the licence. */
    char name[MODEL_LABEL], reads[MODEL_LABEL], licence[MODEL_LABEL];

    /* Since version 2: */
    uint32_t rows;                        /* of the table of words */
    uint32_t kind, flags, charsmap_bytes; /* tokens.h */
    uint32_t weights, bend, pooling;      /* model_weights, kernel_bend, .. */
    uint32_t length;                      /* tokens of a text, at most */
    float lowest, epsilon, weak;          /* tokens.h, kernel.h, embedder.h */
    uint32_t verified;                    /* the weights have the known SHA-256 */
    char query[MODEL_PREFIX], chunk[MODEL_PREFIX]; /* before each text */
    /* ISO 639-1 where there is such a code, separated by spaces; empty: not known. */
    char languages[MODEL_LANGUAGES];
};

/* Sets magic and version. */
void model_head_sign(struct model_head *h);

/* Numbers of 16 bits, or of 8 with scales; the other ones are NULL. */
struct model_numbers {
    const uint16_t *halves;
    const int8_t *bytes;
    const float *scales;
};

struct model_matrix {
    const float *bias;
    struct model_numbers panels;
    uint32_t in, out;
};

struct model_norm {
    const float *gain, *bias;
};

struct model_layer {
    struct model_matrix attention, mix, widen, narrow;
    struct model_norm mixed, done;
};

struct model_image {
    struct model_head head; /* as the newest version has it */
    struct vocabulary vocabulary;
    struct model_numbers words;
    const uint16_t *positions;
    const float *every;
    struct model_norm norm;
    struct model_layer layers[MODEL_LAYERS_MAX];
    struct mapped file; /* if it was opened */
};

/* bytes are aligned to 8, borrowed, and must outlive *out. ERR_INVALID says what is wrong
 * with them. */
MUST_CHECK bool model_image_read(str bytes, struct model_image *out, struct err *err);

/* Maps a file, and reads it. ERR_NOT_FOUND if there is none. */
MUST_CHECK bool model_image_open(const char *path, struct model_image *out,
                                 struct err *err);
void model_image_close(struct model_image *m);

/* One of the head's labels, which has n bytes. */
str model_text(const char *label, size_t n);
#define model_label(label) model_text((label), sizeof(label))
