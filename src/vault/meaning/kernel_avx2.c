/* For x86-64 with AVX2, FMA and F16C: Intel since 2013, AMD since 2015. */
#include "vault/meaning/kernel.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#include "base/os/machine.h"
#include "vault/meaning/kernel_vector.h"

#define KERNEL_ROWS 6
#define KERNEL_TARGET __attribute__((target("avx2,fma,f16c")))

KERNEL_TARGET static inline __attribute__((always_inline)) f32x8
kernel_widen8(const uint16_t *halves)
{
    return (f32x8)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)halves));
}

KERNEL_TARGET static inline __attribute__((always_inline)) f32x8
kernel_widen_bytes8(const int8_t *bytes)
{
    return (f32x8)_mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)bytes)));
}

#include "vault/meaning/kernel_body.h"

static const struct kernel kernel_avx2 = {
    .name = "AVX2",
    .fast = true,
    .widen = kernel_widen,
    .widen_bytes = kernel_widen_bytes,
    .product = kernel_multiply,
    .bend = {kernel_gelu, kernel_gelu_tanh, kernel_relu},
    .softmax = kernel_softmax,
    .norm = kernel_norm,
};

static bool has_f16c(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

const struct kernel *kernel_best(void)
{
    return machine_can(MACHINE_AVX2) && machine_can(MACHINE_FMA) && has_f16c()
               ? &kernel_avx2
               : &kernel_plain;
}

#else

const struct kernel *kernel_best(void)
{
    return &kernel_plain;
}

#endif
