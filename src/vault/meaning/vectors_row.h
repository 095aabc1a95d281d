/*
 * vectors_row - rows in memory, and the form they have in a file. Private to vectors*.c.
 */
#pragma once

#include "vault/meaning/dot.h"
#include "vault/meaning/vectors.h"

/* The scale of a row that has no vector. */
#define VECTORS_SCALE_UNREAD (-1.0F)
#define VECTORS_SCALE_REFUSED (-2.0F)
#define VECTORS_SCALE_DAMAGED (0.0F)

struct vectors_chunk {
    struct hash_content hashes[VECTORS_CHUNK];
    float scales[VECTORS_CHUNK];
    _Alignas(DOT_ALIGN) int8_t numbers[]; /* v->stride each */
};

/* A row in the file; v->numbers bytes follow. */
struct vectors_row {
    struct hash_content hash;
    float scale;
    uint32_t check; /* of everything else */
};

int8_t *vectors_numbers(const struct vectors *v, uint32_t row);
float *vectors_scale(const struct vectors *v, uint32_t row);

/* A new row, whose numbers are to be filled in; NULL if there are too many. It can be found
 * unless it is damaged. */
int8_t *vectors_append(struct vectors *v, struct hash_content hash, float scale);
