#include "vault/note/scan.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

struct scan_marks_word {
    uint64_t lf, cr, mark;
};

#ifdef __SSE2__
static inline __m128i equal(__m128i bytes, char c)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

/* Compares with first, first + 1 and first + 2. */
static inline __m128i one_of_three(__m128i bytes, char first)
{
    __m128i offset = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(offset, _mm_set1_epi8(2)), offset);
}

static inline uint64_t mask(__m128i hits, unsigned shift)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(hits) << shift;
}

static inline struct scan_marks_word classify(const char *p)
{
    uint64_t lf = 0, cr = 0, marks = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i brackets = one_of_three(bytes, '['), signs = one_of_three(bytes, '#');
        __m128i others = _mm_or_si128(equal(bytes, '`'), equal(bytes, '<'));
        lf |= mask(equal(bytes, '\n'), i);
        cr |= mask(equal(bytes, '\r'), i);
        marks |= mask(_mm_or_si128(_mm_or_si128(brackets, signs), others), i);
    }
    return (struct scan_marks_word){lf, cr, marks};
}
#else
static inline struct scan_marks_word classify(const char *p)
{
    struct scan_marks_word w = {0};
    for (unsigned i = 0; i < 64; i++) {
        char c = p[i];
        w.lf |= (uint64_t)(c == '\n') << i;
        w.cr |= (uint64_t)(c == '\r') << i;
        w.mark |= (uint64_t)((c >= '[' && c <= ']') || (c >= '#' && c <= '%') ||
                             c == '`' || c == '<')
                  << i;
    }
    return w;
}
#endif

/* A CR ends a line unless an LF follows. */
static uint64_t line_ends(struct scan_marks_word w, bool lf_follows)
{
    if (w.cr == 0)
        return w.lf;
    uint64_t before_lf = w.lf >> 1 | (uint64_t)lf_follows << 63;
    return w.lf | (w.cr & ~before_lf);
}

void scan_marks(str text, uint64_t *lines, uint64_t *marks)
{
    size_t i = 0, word = 0;
    for (; text.n - i >= 64; i += 64, word++) {
        struct scan_marks_word w = classify(text.p + i);
        lines[word] = line_ends(w, i + 64 < text.n && text.p[i + 64] == '\n');
        marks[word] = w.mark;
    }
    if (i == text.n)
        return;
    char rest[64] = {0};
    memcpy(rest, text.p + i, text.n - i);
    struct scan_marks_word w = classify(rest);
    lines[word] = line_ends(w, false);
    marks[word] = w.mark;
}
