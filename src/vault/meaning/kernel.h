/*
 * kernel - the arithmetic of the model: products of matrices, and what is done to rows
 * between them.
 *
 * The same source, kernel_body.h, is compiled twice: for any machine, and for x86-64 with
 * AVX2, FMA and F16C. Both give the same numbers except for rounding. No pointer needs to
 * be aligned for more than its type.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    KERNEL_COLUMNS = 16, /* of a product */
    KERNEL_LANES = 8,    /* numbers that are worked on together */
};

/* out = a x b + bias. A stride is the distance of two rows, in numbers. */
struct kernel_product {
    const float *a, *b; /* rows x depth, depth x KERNEL_COLUMNS */
    const float *bias;  /* KERNEL_COLUMNS numbers; NULL: zeros */
    float *out;         /* rows x KERNEL_COLUMNS */
    size_t a_stride, b_stride, out_stride;
    size_t rows, depth;
};

/* What is done to each number between the two matrices of a layer. */
enum kernel_bend {
    KERNEL_GELU,      /* x * P(X <= x), X normal */
    KERNEL_GELU_TANH, /* nearly the same, as some models were trained with */
    KERNEL_RELU,
    KERNEL_BENDS
};

struct kernel {
    const char *name; /* "AVX2", for people */
    bool fast;        /* enough for a whole vault */

    /* Numbers of 16 bits (IEEE 754) to 32 bits. n is a multiple of KERNEL_LANES. */
    void (*widen)(const uint16_t *halves, size_t n, float *out);

    /* The same for numbers of 8 bits, each times the scale of its column. n is a multiple
     * of KERNEL_COLUMNS, of which there are as many scales. */
    void (*widen_bytes)(const int8_t *bytes, size_t n, const float *scales, float *out);
    void (*product)(const struct kernel_product *p);

    /* n is a multiple of KERNEL_LANES. */
    void (*bend[KERNEL_BENDS])(float *x, size_t n);

    /* x = exp(scale * x) / sum. x has room for a multiple of KERNEL_LANES. */
    void (*softmax)(float *x, size_t n, float scale);

    /* x = (x - mean) / deviation * gain + bias, where the deviation is the root of the
     * variance + epsilon. n is a multiple of KERNEL_LANES. */
    void (*norm)(float *x, size_t n, const float *gain, const float *bias, float epsilon);
};

extern const struct kernel kernel_plain;

/* The fastest for this machine. */
const struct kernel *kernel_best(void);
