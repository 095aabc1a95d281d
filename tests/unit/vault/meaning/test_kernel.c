#include "vault/meaning/kernel.h"

#include <float.h>
#include <math.h>

#include "check.h"

static const struct kernel *kernels[2];

static int setup_kernels(void **state)
{
    kernels[0] = &kernel_plain;
    kernels[1] = kernel_best(); /* the same on machines without a faster one */
    return 0;
}

static uint32_t random_state = 7;

/* From -4 to 4. */
static float some(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / (float)(1 << 21) - 4;
}

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = some();
}

static void check_near(const char *row, double got, double want, double error)
{
    if (!(fabs(got - want) <= error))
        fail_msg("%s: got %.9g, want %.9g", row, got, want);
}

/* Every number of 16 bits, by its definition. */
static double half_value(uint16_t half)
{
    int exponent = half >> 10 & 31, fraction = half & 1023;
    double size =
        exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return half & 0x8000 ? -size : size;
}

static void test_widen(void **state)
{
    static uint16_t halves[1 << 16];
    static float out[1 << 16];
    for (size_t i = 0; i < COUNT_OF(halves); i++) /* not infinity: nothing writes it */
        halves[i] = (uint16_t)((i >> 10 & 31) == 31 ? 0 : i);
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        kernels[k]->widen(halves, COUNT_OF(halves), out);
        for (size_t i = 0; i < COUNT_OF(halves); i++)
            check_near(kernels[k]->name, (double)out[i], half_value(halves[i]), 0);
    }
}

/* One size, with strides that are larger than needed. */
static void check_product(const struct kernel *k, size_t rows, size_t depth)
{
    enum { ROWS = 16, DEPTH = 48, WIDE = 60, OUT = 21 };
    static float a[ROWS * WIDE], b[DEPTH * WIDE], bias[KERNEL_COLUMNS], out[ROWS * OUT];
    fill(a, COUNT_OF(a));
    fill(b, COUNT_OF(b));
    fill(bias, COUNT_OF(bias));
    for (size_t i = 0; i < COUNT_OF(out); i++)
        out[i] = 77;
    struct kernel_product p = {a,    b,    rows % 2 ? bias : NULL, out, WIDE, WIDE, OUT,
                               rows, depth};
    k->product(&p);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < OUT; c++) {
            double want = p.bias != NULL && c < KERNEL_COLUMNS ? (double)bias[c] : 0;
            for (size_t i = 0; i < depth && c < KERNEL_COLUMNS; i++)
                want += (double)a[r * WIDE + i] * (double)b[i * WIDE + c];
            bool inside = r < rows && c < KERNEL_COLUMNS;
            check_near(k->name, (double)out[r * OUT + c], inside ? want : 77, 1e-4);
        }
}

static void test_product(void **state)
{
    for (size_t k = 0; k < COUNT_OF(kernels); k++)
        for (size_t rows = 0; rows <= 15; rows++)
            for (size_t depth = 1; depth <= 48; depth += rows % 3 + 5)
                check_product(kernels[k], rows, depth);
}

static void test_gelu(void **state)
{
    enum { N = 4000 };
    static float x[N];
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        for (size_t i = 0; i < N; i++)
            x[i] = (float)i / 100 - 20;
        kernels[k]->bend[KERNEL_GELU](x, N);
        for (size_t i = 0; i < N; i++) {
            double v = (double)((float)i / 100 - 20);
            check_near(kernels[k]->name, (double)x[i], v * erfc(-v / sqrt(2)) / 2, 3e-6);
        }
    }
}

static void test_bends(void **state)
{
    enum { N = 4000 };
    static float x[N];
    for (size_t k = 0; k < COUNT_OF(kernels); k++)
        for (size_t bend = KERNEL_GELU_TANH; bend < KERNEL_BENDS; bend++) {
            for (size_t i = 0; i < N; i++)
                x[i] = (float)i / 100 - 20;
            kernels[k]->bend[bend](x, N);
            for (size_t i = 0; i < N; i++) {
                double v = (double)((float)i / 100 - 20);
                double tanh_of = tanh(sqrt(2 / M_PI) * (v + 0.044715 * v * v * v));
                double want = bend == KERNEL_RELU ? fmax(v, 0) : v * (1 + tanh_of) / 2;
                check_near(kernels[k]->name, (double)x[i], want, 3e-6);
            }
        }
}

static void test_widen_bytes(void **state)
{
    enum { N = 256 };
    int8_t bytes[N];
    float out[N], scales[KERNEL_COLUMNS];
    fill(scales, KERNEL_COLUMNS);
    for (size_t i = 0; i < N; i++)
        bytes[i] = (int8_t)(i - 128);
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        kernels[k]->widen_bytes(bytes, N, scales, out);
        for (size_t i = 0; i < N; i++)
            check_near(kernels[k]->name, (double)out[i],
                       (double)((float)bytes[i] * scales[i % KERNEL_COLUMNS]), 0);
    }
}

static void test_softmax(void **state)
{
    enum { N = 43 };
    float x[N + KERNEL_LANES], was[N];
    for (size_t k = 0; k < COUNT_OF(kernels); k++)
        for (size_t n = 1; n <= N; n++) {
            double sum = 0;
            fill(x, n);
            x[n / 2] = n % 5 == 0 ? 500 : x[n / 2]; /* must not overflow */
            memcpy(was, x, sizeof(was));
            kernels[k]->softmax(x, n, 0.25f);
            for (size_t i = 0; i < n; i++)
                sum += exp(((double)was[i] - (double)was[n / 2]) / 4);
            for (size_t i = 0; i < n; i++)
                check_near(kernels[k]->name, (double)x[i],
                           exp(((double)was[i] - (double)was[n / 2]) / 4) / sum, 1e-6);
        }
}

static void test_norm(void **state)
{
    enum { N = 64 };
    float x[N], was[N], gain[N], bias[N];
    fill(gain, N);
    fill(bias, N);
    for (size_t k = 0; k < COUNT_OF(kernels); k++) {
        double mean = 0, variance = 0;
        fill(x, N);
        memcpy(was, x, sizeof(was));
        kernels[k]->norm(x, N, gain, bias, 1e-12f);
        for (size_t i = 0; i < N; i++)
            mean += (double)was[i] / N;
        for (size_t i = 0; i < N; i++)
            variance += ((double)was[i] - mean) * ((double)was[i] - mean) / N;
        for (size_t i = 0; i < N; i++)
            check_near(kernels[k]->name, (double)x[i],
                       ((double)was[i] - mean) / sqrt(variance) * (double)gain[i] +
                           (double)bias[i],
                       1e-5);
        for (size_t i = 0; i < N; i++)
            x[i] = 3;
        kernels[k]->norm(x, N, gain, bias, 1e-12f); /* no deviation at all */
        for (size_t i = 0; i < N; i++)
            check_near(kernels[k]->name, (double)x[i], (double)bias[i], 1e-6);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widen), cmocka_unit_test(test_product),
        cmocka_unit_test(test_bends), cmocka_unit_test(test_widen_bytes),
        cmocka_unit_test(test_gelu),  cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_norm),
    };
    return cmocka_run_group_tests(tests, setup_kernels, NULL);
}
