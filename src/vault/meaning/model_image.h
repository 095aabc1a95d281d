/*
 * model_image - the file of a model: one flat image that is mapped and used in place.
 *
 * A head, then these parts in this order, each at a multiple of 8 bytes:
 *
 *     vocabulary       starts: words + 1, ids: words (32 bits); the text of all words
 *     tables           words x width, positions x width (16 bits); one row that is added
 *                      to every token (32 bits); gain and bias of the first norm (32 bits)
 *     for each layer   attention: width -> 3 width (questions, keys, values), width -> width,
 *                      norm; then width -> inner, inner -> width, norm
 *
 * A matrix is its biases (32 bits), then panels (16 bits): KERNEL_COLUMNS outputs of the
 * first input, the same outputs of the second, and so on; then the next outputs. A norm is
 * its gains and its biases (32 bits). Numbers are little-endian IEEE 754.
 *
 * A file may be damaged or hostile: everything that is used as a size or a place is checked
 * when it is opened. model_make.h writes it.
 */
#pragma once

#include "base/err.h"
#include "base/hash.h"
#include "vault/meaning/tokens.h"

enum {
    MODEL_VERSION = 1,
    MODEL_LAYERS_MAX = 24,
    MODEL_WIDTH_MAX = 1024,
    MODEL_INNER_MAX = 4096,
    MODEL_WORDS_MAX = 1 << 18,
    MODEL_WORDS_BYTES = 1 << 24,
    MODEL_POSITIONS_MAX = 4096,
    MODEL_LABEL = 64, /* bytes of a label */
};

struct model_head {
    char magic[8];
    uint32_t version, unused;
    struct hash_content sum; /* of everything after it */
    uint64_t size;           /* of the file */
    uint32_t words, words_bytes, positions, width, layers, heads, inner;
    uint32_t unknown, first, last; /* numbers of words */
    /* UTF-8, with NULs to the end: the name, the languages, the licence. */
    char name[MODEL_LABEL], reads[MODEL_LABEL], licence[MODEL_LABEL];
};

/* Sets magic and version. */
void model_head_sign(struct model_head *h);

struct model_matrix {
    const float *bias;
    const uint16_t *panels;
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
    const struct model_head *head; /* the beginning of the file */
    struct vocabulary vocabulary;
    const uint16_t *words, *positions;
    const float *every;
    struct model_norm norm;
    struct model_layer layers[MODEL_LAYERS_MAX];
    int lease; /* of the file (base/os/memory.h) */
};

/* bytes are aligned to 8, borrowed, and must outlive *out. ERR_INVALID says what is wrong
 * with them. */
MUST_CHECK bool model_image_read(str bytes, struct model_image *out, struct err *err);

/* Maps a file, and reads it. ERR_NOT_FOUND if there is none. */
MUST_CHECK bool model_image_open(const char *path, struct model_image *out,
                                 struct err *err);
void model_image_close(struct model_image *m);

/* One of the head's labels. */
str model_label(const char label[MODEL_LABEL]);
