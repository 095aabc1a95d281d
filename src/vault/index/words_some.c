/*
 * Finds the tokens of a text that may be wanted, skipping most others.
 *
 * No token extends beyond a piece of text between two ASCII spaces. So a piece needs to
 * be read only if a wanted word occurs in it literally, or if it has a byte that may be
 * part of another spelling: é is e, and e-mail is email.
 */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "vault/index/words_split.h"
#include "vault/text/needles.h"

static bool is_odd(char c)
{
    return (unsigned char)c >= 0x80 || c == '-' || c == '\'' || c == '_';
}

/* The first byte at or after at that is not ASCII or joins words; or the end. */
static size_t find_odd(str s, size_t at)
{
#ifdef __SSE2__
    const __m128i a = _mm_set1_epi8('-'), b = _mm_set1_epi8('\''), c = _mm_set1_epi8('_');
    for (; at < s.n && s.n - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(s.p + at));
        __m128i odd = _mm_or_si128(_mm_cmpeq_epi8(bytes, a), _mm_cmpeq_epi8(bytes, b));
        odd = _mm_or_si128(odd, _mm_cmpeq_epi8(bytes, c));
        int found = _mm_movemask_epi8(_mm_or_si128(odd, bytes)); /* or not ASCII */
        if (found != 0)
            return at + (size_t)__builtin_ctz((unsigned)found);
    }
#endif
    while (at < s.n && !is_odd(s.p[at]))
        at++;
    return at;
}

/* The end of the piece that contains at, and of all following pieces with an odd byte. */
static size_t piece_end(str s, size_t at)
{
    for (; at < s.n; at++)
        if (words_is_gap(s.p[at]) && (at + 1 == s.n || !is_odd(s.p[at + 1])))
            return at;
    return s.n;
}

struct shifted {
    struct words_tokens *to;
    size_t by;
};

static bool give_shifted(void *arg, const struct words_token *t)
{
    struct shifted *s = arg;
    struct words_token moved = *t;
    moved.start += s->by;
    moved.end += s->by;
    return s->to->fn(s->to->arg, &moved);
}

/* The first place at or after at where a wanted word occurs literally; or the end. */
static size_t find_word(const struct needles *wanted, str text, size_t at)
{
    size_t start, end;
    return needles_next(wanted, text, at, &start, &end) ? start : text.n;
}

bool words_tokenize_some(str text, const struct needles *wanted, struct words_tokens *to)
{
    if (wanted == NULL)
        return words_tokenize(text, to);
    size_t word = find_word(wanted, text, 0), odd = find_odd(text, 0), done = 0;
    while (word < text.n || odd < text.n) {
        size_t at = word < odd ? word : odd, from = at;
        while (from > done && !words_is_gap(text.p[from - 1]))
            from--;
        done = piece_end(text, at);
        struct shifted s = {to, from};
        struct words_tokens some = {.fn = give_shifted, .arg = &s};
        if (!words_tokenize(str_slice(text, from, done), &some))
            return false;
        to->atoms += some.atoms;
        word = word < done ? find_word(wanted, text, done) : word;
        odd = odd < done ? find_odd(text, done) : odd;
    }
    return true;
}
