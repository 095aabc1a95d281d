#include "vault/text/needles_pair.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static size_t far_of(const struct needles_pair *p)
{
    return p->at[0] > p->at[1] ? p->at[0] : p->at[1];
}

static size_t find_plainly(const struct needles_pair *p, str text, size_t from)
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
size_t needles_pair_find(const struct needles_pair *p, str text, size_t from)
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
    return find_plainly(p, text, i);
}
#else
size_t needles_pair_find(const struct needles_pair *p, str text, size_t from)
{
    return find_plainly(p, text, from);
}
#endif
