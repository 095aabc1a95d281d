/*
 * safetensors - a file of tensors by name: 8 bytes with the length of a JSON object, which
 * has the type, the shape and the place of every tensor, then their bytes.
 *
 * Only what a model of ours needs: 16-bit numbers in one or two dimensions.
 */
#pragma once

#include "base/json.h"

enum {
    SAFETENSORS_HEAD = 1 << 20,   /* bytes of the object */
    SAFETENSORS_LENGTH = 1 << 20, /* of a dimension */
};

struct safetensors {
    const struct json *head;
    str bytes; /* of all tensors */
};

struct tensor {
    const char *bytes; /* not aligned */
    size_t rows, columns;
};

/* file is borrowed and must outlive *out. */
MUST_CHECK bool safetensors_read(struct arena *a, str file, struct safetensors *out,
                                 struct err *err);

bool safetensors_has(const struct safetensors *s, str name);

/* One of the tensors; rows is 1 if it has one dimension. */
MUST_CHECK bool safetensors_find(const struct safetensors *s, str name,
                                 struct tensor *out, struct err *err);

/* A number of it, as its 16 bits. */
static inline uint16_t tensor_at(const struct tensor *t, size_t row, size_t column)
{
    uint16_t half;
    memcpy(&half, t->bytes + (row * t->columns + column) * sizeof(half), sizeof(half));
    return half;
}
