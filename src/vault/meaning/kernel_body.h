/*
 * kernel_body - the functions of struct kernel, for the .c file that includes this and
 * defines
 *
 *     KERNEL_ROWS    rows of a product that fit into registers together with two vectors
 *     KERNEL_TARGET  the attribute of each function that chooses instructions, or nothing
 *     kernel_widen8  8 numbers of 16 bits to 32 bits
 *     kernel_widen_bytes8  8 integers of 8 bits to numbers of 32 bits
 *
 * Vectors are those of the compiler, so the same lines become AVX2, SSE2 or NEON. x * y + z
 * becomes one instruction where there is one.
 */
#pragma once

#include "vault/meaning/kernel.h"
#include "vault/meaning/kernel_vector.h"

#include <math.h>

#define KERNEL_INLINE KERNEL_TARGET static inline __attribute__((always_inline))

KERNEL_INLINE f32x8 kernel_load(const float *p)
{
    return *(const f32x8_loose *)p;
}

KERNEL_INLINE void kernel_store(float *p, f32x8 x)
{
    *(f32x8_loose *)p = x;
}

KERNEL_INLINE f32x8 kernel_splat(float x)
{
    return (f32x8){x, x, x, x, x, x, x, x};
}

KERNEL_INLINE float kernel_sum(const f32x8 *sums)
{
    const f32x8 x = *sums;
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

KERNEL_INLINE f32x8 kernel_larger(f32x8 a, f32x8 b)
{
    i32x8 is_a = a > b;
    return (f32x8)(((i32x8)a & is_a) | ((i32x8)b & ~is_a));
}

KERNEL_TARGET static void kernel_widen(const uint16_t *halves, size_t n, float *out)
{
    for (size_t i = 0; i < n; i += KERNEL_LANES)
        kernel_store(out + i, kernel_widen8(halves + i));
}

KERNEL_TARGET static void kernel_widen_bytes(const int8_t *bytes, size_t n,
                                             const float *scales, float *out)
{
    f32x8 left = kernel_load(scales), right = kernel_load(scales + KERNEL_LANES);
    for (size_t i = 0; i < n; i += KERNEL_COLUMNS) {
        kernel_store(out + i, kernel_widen_bytes8(bytes + i) * left);
        kernel_store(out + i + KERNEL_LANES,
                     kernel_widen_bytes8(bytes + i + KERNEL_LANES) * right);
    }
}

/* --- products --- */

/* rows is a constant wherever this is called, so that the sums are in registers. */
KERNEL_INLINE void kernel_block(const struct kernel_product *p, size_t row,
                                const size_t rows)
{
    const float *a = p->a + row * p->a_stride, *b = p->b;
    f32x8 sums[KERNEL_ROWS][2];
    for (size_t r = 0; r < rows; r++) {
        sums[r][0] = p->bias != NULL ? kernel_load(p->bias) : kernel_splat(0);
        sums[r][1] = p->bias != NULL ? kernel_load(p->bias + 8) : kernel_splat(0);
    }
    for (size_t k = 0; k < p->depth; k++, b += p->b_stride) {
        f32x8 left = kernel_load(b), right = kernel_load(b + 8);
        KERNEL_UNROLL
        for (size_t r = 0; r < rows; r++) {
            f32x8 x = kernel_splat(a[r * p->a_stride + k]);
            sums[r][0] = x * left + sums[r][0];
            sums[r][1] = x * right + sums[r][1];
        }
    }
    for (size_t r = 0; r < rows; r++) {
        float *out = p->out + (row + r) * p->out_stride;
        kernel_store(out, sums[r][0]);
        kernel_store(out + 8, sums[r][1]);
    }
}

KERNEL_TARGET static void kernel_multiply(const struct kernel_product *p)
{
    size_t row = 0;
    for (; p->rows - row >= KERNEL_ROWS; row += KERNEL_ROWS)
        kernel_block(p, row, KERNEL_ROWS);
    if (KERNEL_ROWS > 4 && p->rows - row >= 4) {
        kernel_block(p, row, 4);
        row += 4;
    }
    if (KERNEL_ROWS > 2 && p->rows - row >= 2) {
        kernel_block(p, row, 2);
        row += 2;
    }
    if (p->rows > row)
        kernel_block(p, row, 1);
}

/* --- rows --- */

/*
 * e^x for x <= 0: x = k ln 2 + rest, |rest| <= ln 2 / 2; e^rest by its series, 2^k by the
 * bits of a number. ln 2 is in two parts, the first of which times k is exact. Below -87
 * the result is that of -87, about 1e-38.
 */
KERNEL_INLINE f32x8 kernel_exp(f32x8 x)
{
    const float shift = 12582912; /* 1.5 * 2^23: adding it rounds to an integer */
    x = kernel_larger(x, kernel_splat(-87));
    f32x8 k = (x * 1.44269504f + shift) - shift;
    f32x8 rest = x - k * 0.693359375f + k * 2.12194440e-4f;
    f32x8 e = rest * 1.9875691500e-4f + 1.3981999507e-3f;
    e = e * rest + 8.3334519073e-3f;
    e = e * rest + 4.1665795894e-2f;
    e = e * rest + 1.6666665459e-1f;
    e = e * rest + 5.0000001201e-1f;
    e = e * rest * rest + rest + 1;
    i32x8 power = (__builtin_convertvector(k, i32x8) + 127) << 23;
    return e * (f32x8)power;
}

/* erf by Abramowitz and Stegun 7.1.26, whose error is below 1.5e-7. */
KERNEL_TARGET static void kernel_gelu(float *x, size_t n)
{
    for (size_t i = 0; i < n; i += KERNEL_LANES) {
        f32x8 v = kernel_load(x + i);
        f32x8 z = kernel_larger(v, -v) * 0.70710678f;
        f32x8 t = 1 / (z * 0.3275911f + 1);
        f32x8 sum = t * 1.061405429f - 1.453152027f;
        sum = sum * t + 1.421413741f;
        sum = sum * t - 0.284496736f;
        sum = sum * t + 0.254829592f;
        f32x8 half_tail = sum * t * kernel_exp(-z * z) * 0.5f; /* P(X > |v|) */
        i32x8 below = v < 0;
        f32x8 share =
            (f32x8)(((i32x8)half_tail & below) | ((i32x8)(1 - half_tail) & ~below));
        kernel_store(x + i, v * share);
    }
}

/* x / (1 + e^-2y), y = sqrt(2 / pi) * (x + 0.044715 x^3). */
KERNEL_TARGET static void kernel_gelu_tanh(float *x, size_t n)
{
    for (size_t i = 0; i < n; i += KERNEL_LANES) {
        f32x8 v = kernel_load(x + i);
        f32x8 y = (v * v * 0.044715f + 1) * v * 1.5957691216f;
        f32x8 e = kernel_exp(-kernel_larger(y, -y)); /* of the larger side, at most 1 */
        i32x8 below = y < 0;
        f32x8 top = (f32x8)(((i32x8)e & below) | ((i32x8)kernel_splat(1) & ~below));
        kernel_store(x + i, v * top / (e + 1));
    }
}

KERNEL_TARGET static void kernel_relu(float *x, size_t n)
{
    for (size_t i = 0; i < n; i += KERNEL_LANES)
        kernel_store(x + i, kernel_larger(kernel_load(x + i), kernel_splat(0)));
}

KERNEL_TARGET static void kernel_softmax(float *x, size_t n, float scale)
{
    f32x8 top = kernel_splat(-HUGE_VALF), sums = kernel_splat(0);
    for (size_t i = n; i % KERNEL_LANES != 0; i++)
        x[i] = -HUGE_VALF;
    for (size_t i = 0; i < n; i += KERNEL_LANES)
        top = kernel_larger(kernel_load(x + i), top);
    float largest = top[0];
    for (size_t i = 1; i < KERNEL_LANES; i++)
        largest = top[i] > largest ? top[i] : largest;
    for (size_t i = 0; i < n; i += KERNEL_LANES) {
        f32x8 e = kernel_exp((kernel_load(x + i) - largest) * scale);
        kernel_store(x + i, e);
        sums += e;
    }
    float share = 1 / kernel_sum(&sums);
    for (size_t i = 0; i < n; i += KERNEL_LANES)
        kernel_store(x + i, kernel_load(x + i) * share);
}

KERNEL_TARGET static void kernel_norm(float *x, size_t n, const float *gain,
                                      const float *bias, float epsilon)
{
    f32x8 sums = kernel_splat(0), squares = kernel_splat(0);
    for (size_t i = 0; i < n; i += KERNEL_LANES)
        sums += kernel_load(x + i);
    float mean = kernel_sum(&sums) / (float)n;
    for (size_t i = 0; i < n; i += KERNEL_LANES) {
        f32x8 off = kernel_load(x + i) - mean;
        squares = off * off + squares;
    }
    float factor = 1 / sqrtf(kernel_sum(&squares) / (float)n + epsilon);
    for (size_t i = 0; i < n; i += KERNEL_LANES) {
        f32x8 even = (kernel_load(x + i) - mean) * factor;
        kernel_store(x + i, even * kernel_load(gain + i) + kernel_load(bias + i));
    }
}
