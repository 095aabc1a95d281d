/*
 * safetensors - a file of tensors by name: 8 bytes with the length of a JSON object, which
 * has the type, the shape and the place of every tensor, then their bytes.
 *
 * A file may be hostile. Before anything is used, every tensor is checked: a known type, a
 * shape that does not overflow, a place within the file that has its size; and together they
 * fill the file without gaps, so that no two share bytes.
 */
#pragma once

#include "base/json.h"

enum {
    SAFETENSORS_HEAD = 1 << 20,    /* bytes of the object */
    SAFETENSORS_TENSORS = 1 << 12, /* tensors */
    SAFETENSORS_DIMENSIONS = 8,    /* of a tensor */
};

struct safetensors {
    const struct json *head;
    str bytes; /* of all tensors */
};

enum tensor_type { TENSOR_F16, TENSOR_BF16, TENSOR_F32, TENSOR_OTHER };

struct tensor {
    const char *bytes; /* not aligned */
    enum tensor_type type;
    size_t rows, columns;
};

/* file is borrowed and must outlive *out. */
MUST_CHECK bool safetensors_read(struct arena *a, str file, struct safetensors *out,
                                 struct err *err);

bool safetensors_has(const struct safetensors *s, str name);

/* One of the tensors, of numbers with 16 or 32 bits in one or two dimensions; rows is 1 if
 * it has one dimension. */
MUST_CHECK bool safetensors_find(const struct safetensors *s, str name,
                                 struct tensor *out, struct err *err);

/* n of its numbers, counted along the rows. False if one of them is not finite. */
MUST_CHECK bool tensor_read(const struct tensor *t, size_t from, size_t n, float *out);
