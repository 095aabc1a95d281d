#include "vault/text/needles_pair.h"

#include "base/os/machine.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static size_t far_of(const struct needles_pair *p)
{
    return p->at[0] > p->at[1] ? p->at[0] : p->at[1];
}

size_t needles_pair_plain(const struct needles_pair *p, str text, size_t from)
{
    const uint8_t *bytes = (const uint8_t *)text.p;
    size_t far = far_of(p);
    for (size_t i = from; i < text.n && text.n - i > far; i++)
        if ((bytes[i + p->at[0]] | p->fold[0]) == p->byte[0] &&
            (bytes[i + p->at[1]] | p->fold[1]) == p->byte[1])
            return i;
    return text.n;
}

#ifdef __x86_64__
size_t needles_pair_16(const struct needles_pair *p, str text, size_t from)
{
    const __m128i fold0 = _mm_set1_epi8((char)p->fold[0]);
    const __m128i fold1 = _mm_set1_epi8((char)p->fold[1]);
    const __m128i byte0 = _mm_set1_epi8((char)p->byte[0]);
    const __m128i byte1 = _mm_set1_epi8((char)p->byte[1]);
    size_t i = from, far = far_of(p);
    for (; i + far + 16 <= text.n; i += 16) {
        __m128i a = _mm_loadu_si128((const __m128i *)(text.p + i + p->at[0]));
        __m128i b = _mm_loadu_si128((const __m128i *)(text.p + i + p->at[1]));
        a = _mm_cmpeq_epi8(_mm_or_si128(a, fold0), byte0);
        b = _mm_cmpeq_epi8(_mm_or_si128(b, fold1), byte1);
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_and_si128(a, b));
        if (hits != 0)
            return i + (unsigned)__builtin_ctz(hits);
    }
    return needles_pair_plain(p, text, i);
}

struct wide {
    __m256i byte0, byte1, fold0, fold1;
};

__attribute__((target("avx2"))) static inline __m256i
fits_32(const struct wide *w, const char *first, const char *second)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)first);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)second);
    a = _mm256_cmpeq_epi8(_mm256_or_si256(a, w->fold0), w->byte0);
    b = _mm256_cmpeq_epi8(_mm256_or_si256(b, w->fold1), w->byte1);
    return _mm256_and_si256(a, b);
}

/* Two blocks at a time, then one, then a last block that overlaps with the one before. */
__attribute__((target("avx2"))) size_t needles_pair_32(const struct needles_pair *p,
                                                       str text, size_t from)
{
    const struct wide w = {
        _mm256_set1_epi8((char)p->byte[0]), _mm256_set1_epi8((char)p->byte[1]),
        _mm256_set1_epi8((char)p->fold[0]), _mm256_set1_epi8((char)p->fold[1])};
    const char *first = text.p + p->at[0], *second = text.p + p->at[1];
    size_t i = from, far = far_of(p);
    for (; i + far + 64 <= text.n; i += 64) {
        __m256i a = fits_32(&w, first + i, second + i);
        __m256i b = fits_32(&w, first + i + 32, second + i + 32);
        __m256i any = _mm256_or_si256(a, b);
        if (_mm256_testz_si256(any, any))
            continue;
        uint64_t hits = (uint32_t)_mm256_movemask_epi8(b);
        hits = hits << 32 | (uint32_t)_mm256_movemask_epi8(a);
        return i + (unsigned)__builtin_ctzll(hits);
    }
    while (i + far < text.n) {
        size_t at = i + far + 32 <= text.n ? i : text.n - far - 32;
        if (text.n < far + 32)
            return needles_pair_plain(p, text, i);
        uint32_t hits =
            (uint32_t)_mm256_movemask_epi8(fits_32(&w, first + at, second + at));
        hits = hits >> (i - at) << (i - at); /* those before i were checked already */
        if (hits != 0)
            return at + (unsigned)__builtin_ctz(hits);
        i = at + 32;
    }
    return text.n;
}
#endif

void needles_pair_choose(struct needles_pair *p)
{
    p->find = needles_pair_plain;
#ifdef __x86_64__
    p->find = machine_can(MACHINE_AVX2) ? needles_pair_32 : needles_pair_16;
#endif
}
