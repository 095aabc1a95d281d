/*
 * json_scan - find the special bytes in strings, for json.c and json_write.c: quotes,
 * backslashes and control characters. Sixteen bytes at a time with SSE2, otherwise eight.
 */
#pragma once

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/str.h"

#define JSON_HIGH_BITS UINT64_C(0x8080808080808080)

static inline bool json_special(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* Nonzero in JSON_HIGH_BITS if one of the eight bytes is special. */
static inline uint64_t json_special8(uint64_t bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t quote = bytes ^ (ones * '"'), slash = bytes ^ (ones * '\\');
    return ((bytes - ones * 0x20) & ~bytes) | ((quote - ones) & ~quote) |
           ((slash - ones) & ~slash);
}

static inline uint64_t json_load8(const char *p)
{
    uint64_t bytes;
    memcpy(&bytes, p, sizeof(bytes));
    return bytes;
}

#ifdef __SSE2__
/* FF where a byte is special. */
static inline __m128i json_special16(__m128i bytes)
{
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    return _mm_or_si128(_mm_or_si128(quote, slash), control);
}

static inline __m128i json_load16(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}
#endif

/* The first special byte in [p, end), or end. */
static inline const char *json_plain_end(const char *p, const char *end)
{
#ifdef __SSE2__
    for (; end - p >= 16; p += 16) {
        int special = _mm_movemask_epi8(json_special16(json_load16(p)));
        if (special != 0)
            return p + __builtin_ctz((unsigned)special);
    }
#endif
    while (end - p >= 8 && (json_special8(json_load8(p)) & JSON_HIGH_BITS) == 0)
        p += 8;
    while (p < end && !json_special(*p))
        p++;
    return p;
}
