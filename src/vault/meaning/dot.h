/*
 * dot - products of rows of int8 numbers.
 *
 * Rows are aligned to DOT_ALIGN bytes, and their length is a multiple of it: what is not
 * used is 0. With AVX2 where the processor has it; the results are the same.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { DOT_ALIGN = 32 };

typedef void dot_rows(const int8_t *query, const int8_t *rows, size_t length, size_t n,
                      int32_t *out);

/* out[i]: the sum of the products of the query and the i-th of n rows. */
dot_rows dot_portable;

/* The fastest one for this processor. */
dot_rows *dot_best(void);
