#include "vault/meaning/dot.h"

#include "base/os/machine.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void dot_portable(const int8_t *query, const int8_t *rows, size_t length, size_t n,
                  int32_t *out)
{
    for (size_t i = 0; i < n; i++, rows += length) {
        int32_t sum = 0;
        for (size_t k = 0; k < length; k++)
            sum += query[k] * rows[k];
        out[i] = sum;
    }
}

#if defined(__x86_64__)

/* 16 products, as eight sums of two. */
__attribute__((target("avx2"))) static __m256i dot_16(const int8_t *a, const int8_t *b)
{
    __m256i x = _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)a));
    __m256i y = _mm256_cvtepi8_epi16(_mm_load_si128((const __m128i *)b));
    return _mm256_madd_epi16(x, y);
}

__attribute__((target("avx2"))) static void
dot_avx2(const int8_t *query, const int8_t *rows, size_t length, size_t n, int32_t *out)
{
    for (size_t i = 0; i < n; i++, rows += length) {
        __m256i even = _mm256_setzero_si256(), odd = even;
        for (size_t k = 0; k < length; k += DOT_ALIGN) {
            even = _mm256_add_epi32(even, dot_16(query + k, rows + k));
            odd = _mm256_add_epi32(odd, dot_16(query + k + 16, rows + k + 16));
        }
        __m256i sum = _mm256_add_epi32(even, odd);
        __m128i half =
            _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4e));
        half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0xb1));
        out[i] = _mm_cvtsi128_si32(half);
    }
}

dot_rows *dot_best(void)
{
    return machine_can(MACHINE_AVX2) ? dot_avx2 : dot_portable;
}

#else

dot_rows *dot_best(void)
{
    return dot_portable;
}

#endif
