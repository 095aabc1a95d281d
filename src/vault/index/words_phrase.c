/*
 * Searches phrases in the text itself: the index knows which words a document has, but
 * not where.
 *
 * A phrase that begins with a word of ASCII letters is searched by the first letter of
 * that word, sixteen bytes at a time; the lexer runs only where the letter begins a word,
 * or where the text is not ASCII. For other phrases the lexer reads everything.
 */
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/text.h"
#include "vault/index/words_match.h"

static bool is_atom(const struct words_want *want, size_t i, str atom)
{
    if (want->open && i + 1 == want->n_atoms)
        return str_starts(atom, want->atoms[i]);
    return str_eq(atom, want->atoms[i]);
}

/*
 * fail[i] is the length of the longest start of the phrase with which its first i atoms
 * end.
 */
static void find_failures(const struct words_want *want, uint8_t *fail)
{
    for (size_t i = 1, k = 0; i < want->n_atoms; i++) {
        while (k > 0 && !str_eq(want->atoms[i], want->atoms[k]))
            k = fail[k];
        k += str_eq(want->atoms[i], want->atoms[k]);
        fail[i + 1] = (uint8_t)k;
    }
}

/* Knuth-Morris-Pratt over all atoms of the text. */
static uint32_t count_slowly(const struct words_want *want, str text)
{
    struct words_lexer lexer = WORDS_LEXER_ON(text);
    uint8_t fail[WORDS_PHRASE_MAX + 1] = {0};
    size_t have = 0;
    uint32_t count = 0;
    find_failures(want, fail);
    for (struct words_atom atom; words_lex(&lexer, &atom);) {
        while (have > 0 && !is_atom(want, have, atom.text))
            have = fail[have];
        have += is_atom(want, have, atom.text);
        if (have < want->n_atoms)
            continue;
        count++;
        have = 0;
    }
    return count;
}

/* The first byte at or after at that is one of the two or not ASCII; or the end. */
static size_t find_first(str s, size_t at, char low, char high)
{
#ifdef __SSE2__
    const __m128i a = _mm_set1_epi8(low), b = _mm_set1_epi8(high);
    for (; s.n - at >= 16; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(s.p + at));
        __m128i hit = _mm_or_si128(_mm_cmpeq_epi8(bytes, a), _mm_cmpeq_epi8(bytes, b));
        int found = _mm_movemask_epi8(_mm_or_si128(hit, bytes)); /* or not ASCII */
        if (found != 0)
            return at + (size_t)__builtin_ctz((unsigned)found);
    }
#endif
    while (at < s.n && s.p[at] != low && s.p[at] != high && (unsigned char)s.p[at] < 0x80)
        at++;
    return at;
}

/* Whether the bytes at at can be the atom, which is ASCII: no other word bytes follow. */
static bool may_be_atom(str s, size_t at, str atom)
{
    for (size_t i = 0; i < atom.n; i++) {
        unsigned char c = at + i < s.n ? (unsigned char)s.p[at + i] : 0;
        if (c >= 0x80)
            return true;
        if (to_lower((char)c) != atom.p[i])
            return false;
    }
    return true;
}

/*
 * Whether the next atoms of the lexer are the phrase; returns the end of the first and of
 * the last.
 */
static bool is_phrase(struct words_lexer lexer, const struct words_want *want,
                      size_t *first_end, size_t *end)
{
    struct words_atom atom;
    for (size_t i = 0; i < want->n_atoms; i++) {
        if (!words_lex(&lexer, &atom))
            return false;
        if (i == 0)
            *first_end = atom.end;
        if (!is_atom(want, i, atom.text))
            return false;
    }
    *end = atom.end;
    return true;
}

/* The start of the word that contains at, as far as it is ASCII. */
static size_t word_start(str s, size_t at)
{
    while (at > 0 && is_alnum((unsigned char)s.p[at - 1]))
        at--;
    return at;
}

/* The end of the word at at, which is not the first of the phrase. */
static size_t words_phrase_skip_word(str s, size_t at, size_t done)
{
    size_t end = at;
    while (end < s.n && is_alnum((unsigned char)s.p[end]))
        end++;
    if (end == s.n || (unsigned char)s.p[end] < 0x80)
        return end;
    /* It may continue with é and the like. */
    struct words_lexer lexer = WORDS_LEXER_ON(s);
    struct words_atom atom;
    size_t start = word_start(s, at);
    lexer.at = start > done ? start : done;
    return words_lex(&lexer, &atom) ? atom.end : s.n;
}

static uint32_t count_quickly(const struct words_want *want, str text)
{
    str first = want->atoms[0];
    char low = first.p[0], high = low >= 'a' ? (char)(low - 32) : low;
    struct words_lexer lexer = WORDS_LEXER_ON(text);
    uint32_t count = 0;
    /* done is always between two atoms */
    for (size_t done = 0, at; (at = find_first(text, done, low, high)) < text.n;) {
        bool ascii = (unsigned char)text.p[at] < 0x80;
        bool inside = at > done && is_alnum((unsigned char)text.p[at - 1]);
        if (ascii && (inside || !may_be_atom(text, at, first))) {
            done = words_phrase_skip_word(text, at, done);
            continue;
        }
        size_t start = word_start(text, at), first_end = text.n, end;
        lexer.at = start > done ? start : done;
        bool found = is_phrase(lexer, want, &first_end, &end);
        count += found;
        done = found ? end : first_end;
    }
    return count;
}

uint32_t words_count_phrase(const struct words_want *want, str text)
{
    str first = want->atoms[0];
    for (size_t i = 0; i < first.n; i++)
        if ((unsigned char)first.p[i] >= 0x80)
            return count_slowly(want, text);
    return count_quickly(want, text);
}
