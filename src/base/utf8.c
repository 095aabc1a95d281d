#include "base/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include <stdlib.h>
#include <utf8proc.h>

#include "base/err.h"
#include "base/sbuf.h"

static bool has_high(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof(word));
    return (word & 0x8080808080808080u) != 0;
}

/* The first byte of s from i that is not ASCII, or the end. */
static size_t skip_ascii(str s, size_t i)
{
#ifdef __SSE2__
    for (; s.n - i >= 16; i += 16) {
        int high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(s.p + i)));
        if (high != 0)
            return i + (size_t)__builtin_ctz((unsigned)high);
    }
#endif
    while (s.n - i >= 8 && !has_high(s.p + i))
        i += 8;
    while (i < s.n && (unsigned char)s.p[i] < 0x80)
        i++;
    return i;
}

/* What may follow a lead byte: Unicode 15, table 3-7. Later bytes are 80..BF. */
struct lead {
    uint8_t length; /* 0: not a lead byte */
    uint8_t low, high;
};

static struct lead lead_of(unsigned char c)
{
    if (c < 0xC2 || c > 0xF4)
        return (struct lead){0};
    if (c < 0xE0)
        return (struct lead){2, 0x80, 0xBF};
    if (c < 0xF0)
        return (struct lead){3, c == 0xE0 ? 0xA0 : 0x80, c == 0xED ? 0x9F : 0xBF};
    return (struct lead){4, c == 0xF0 ? 0x90 : 0x80, c == 0xF4 ? 0x8F : 0xBF};
}

/*
 * Read the sequence at p, which begins with a high byte. Returns how many bytes of it
 * are valid; *whole says whether they are a complete character.
 */
static size_t sequence(const unsigned char *p, size_t n, bool *whole)
{
    struct lead lead = lead_of(p[0]);
    *whole = false;
    if (lead.length == 0 || n < 2 || p[1] < lead.low || p[1] > lead.high)
        return 1;
    size_t i = 2;
    while (i < lead.length && i < n && (p[i] & 0xC0) == 0x80)
        i++;
    *whole = i == lead.length;
    return i;
}

size_t utf8_valid_prefix(str s)
{
    size_t i = skip_ascii(s, 0);
    while (i < s.n) {
        bool whole;
        size_t length = sequence((const unsigned char *)s.p + i, s.n - i, &whole);
        if (!whole)
            break;
        i += length;
        if (i < s.n && (unsigned char)s.p[i] < 0x80)
            i = skip_ascii(s, i);
    }
    return i;
}

bool utf8_valid(str s)
{
    return utf8_valid_prefix(s) == s.n;
}

str utf8_cut(str s, size_t max)
{
    str head = str_slice(s, 0, max);
    return str_slice(head, 0, utf8_valid_prefix(head));
}

uint32_t utf8_decode(str s, size_t *n)
{
    const unsigned char *p = (const unsigned char *)s.p;
    if (p[0] < 0x80) {
        *n = 1;
        return p[0];
    }
    bool whole;
    *n = sequence(p, s.n, &whole);
    if (!whole)
        return 0xFFFD;
    uint32_t c = p[0] & (0x7Fu >> *n);
    for (size_t i = 1; i < *n; i++)
        c = c << 6 | (p[i] & 0x3Fu);
    return c;
}

size_t utf8_encode(uint32_t c, char out[4])
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)(0xF00u >> n | c);
    return n;
}

/*
 * Ranges in which every character is a starter that normal form C leaves unchanged, so
 * text within them needs no work. Characters outside them are examined.
 */
static const struct {
    uint32_t first, last;
} inert[] = {
    {0x0000, 0x02FF},   /* Latin */
    {0x0400, 0x0482},   /* Cyrillic */
    {0x048A, 0x052F},   /* more Cyrillic */
    {0x2010, 0x2027},   /* dashes, quotation marks, bullets */
    {0x3041, 0x3096},   /* Hiragana */
    {0x30A1, 0x30FA},   /* Katakana */
    {0x4E00, 0x9FFF},   /* Han */
    {0xAC00, 0xD7A3},   /* Hangul syllables */
    {0x1F300, 0x1FAFF}, /* emoji */
};

static bool is_inert(uint32_t c)
{
    for (size_t i = 0; i < COUNT_OF(inert) && c >= inert[i].first; i++)
        if (c <= inert[i].last)
            return true;
    return false;
}

/* Whether every character of s is inert; an invalid byte is not. */
static bool all_inert(str s)
{
    for (size_t i = skip_ascii(s, 0); i < s.n;) {
        size_t n;
        if (!is_inert(utf8_decode(str_skip(s, i), &n)))
            return false;
        i = skip_ascii(s, i + n);
    }
    return true;
}

str utf8_repair(struct arena *a, str s)
{
    if (utf8_valid(s))
        return s;
    char *out = arena_alloc(a, size_mul(s.n, 3)); /* U+FFFD has 3 bytes */
    size_t to = 0;
    for (size_t i = 0, n; i < s.n; i += n)
        to += utf8_encode(utf8_decode(str_skip(s, i), &n), out + to);
    return (str){out, to};
}

str utf8_nfc(struct arena *a, str s)
{
    if (all_inert(s) || !utf8_valid(s))
        return s;
    /* No character decomposes into more than twice as many as it has bytes. */
    size_t room = size_mul(s.n, 2);
    int32_t *units = mem_alloc(size_add(size_mul(room, sizeof(*units)), 1));
    const utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPOSE;
    ssize_t n = utf8proc_decompose((const uint8_t *)s.p, (ssize_t)s.n, units,
                                   (ssize_t)room, options);
    if (n < 0 || (size_t)n > room)
        BUG("utf8proc: %zd from %zu bytes", n, s.n);
    n = utf8proc_reencode(units, n, options); /* now UTF-8, in the same place */
    if (n < 0)
        BUG("utf8proc: %s", utf8proc_errmsg(n));
    str composed = {(const char *)units, (size_t)n};
    if (!str_eq(composed, s))
        s = arena_str(a, composed);
    free(units);
    return s;
}

static uint32_t fold_char(uint32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    if (c == 0xA0 || c == 0x202F)
        return ' ';
    if (c == 0x03C2) /* final sigma */
        return 0x03C3;
    return (uint32_t)utf8proc_tolower((int32_t)c);
}

/* The length of the start of s that folding leaves unchanged. */
static size_t folded_prefix(str s)
{
    size_t i = 0, n;
    for (; i < s.n; i += n) {
        uint32_t c = utf8_decode(str_skip(s, i), &n);
        if (fold_char(c) != c)
            break;
    }
    return i;
}

static str fold_ascii(struct arena *a, str s)
{
    size_t i = 0;
    while (i < s.n && fold_char((unsigned char)s.p[i]) == (unsigned char)s.p[i])
        i++;
    if (i == s.n)
        return s;
    char *folded = arena_alloc(a, s.n);
    for (i = 0; i < s.n; i++)
        folded[i] = (char)fold_char((unsigned char)s.p[i]);
    return (str){folded, s.n};
}

str utf8_fold(struct arena *a, str s)
{
    if (skip_ascii(s, 0) == s.n)
        return fold_ascii(a, s);
    s = utf8_nfc(a, s);
    size_t i = folded_prefix(s);
    if (i == s.n)
        return s;

    struct sbuf folded = SBUF_ON(a);
    sbuf_room(&folded, size_add(s.n, 4));
    sbuf_add(&folded, str_slice(s, 0, i));
    for (size_t n; i < s.n; i += n) {
        uint32_t c = utf8_decode(str_skip(s, i), &n), to = fold_char(c);
        char *end = sbuf_room(&folded, 4);
        if (to == c) /* so an invalid byte stays as it is */
            memcpy(end, s.p + i, n);
        sbuf_took(&folded, to == c ? n : utf8_encode(to, end));
    }
    /* h with a macron below is one character, H with it is two. */
    return utf8_nfc(a, sbuf_str(&folded));
}

/* Letters with a stroke or similar, which Unicode does not decompose. */
static uint32_t without_stroke(uint32_t c)
{
    switch (c) {
    case 0x00F8: /* ø */
        return 'o';
    case 0x0111: /* đ */
        return 'd';
    case 0x0127: /* ħ */
        return 'h';
    case 0x0131: /* ı */
        return 'i';
    case 0x0142: /* ł */
        return 'l';
    case 0x0167: /* ŧ */
        return 't';
    case 0x0451: /* ё */
        return 0x0435;
    default:
        return c;
    }
}

static bool utf8_is_mark(int32_t c)
{
    utf8proc_category_t category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

/* The letter c without its marks; c itself if that is not a single letter. */
static uint32_t base_letter(uint32_t c)
{
    int32_t parts[32];
    int last_class = UTF8PROC_BOUNDCLASS_START;
    ssize_t n = utf8proc_decompose_char(
        (int32_t)c, parts, COUNT_OF(parts),
        UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE, &last_class);
    if (n < 1 || n > (ssize_t)COUNT_OF(parts))
        return c;
    for (ssize_t i = 1; i < n; i++)
        if (!utf8_is_mark(parts[i]))
            return c;
    return parts[0] != ' ' ? (uint32_t)parts[0] : c; /* a mark by itself is on a space */
}

uint32_t utf8_fold_char(uint32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
    if (c >= 0x0430 && c < 0x0450)
        return c;
    if (c >= 0x0410 && c < 0x0430)
        return c + 0x20;
    if ((c >= 0x3041 && c < 0x3100) || (c >= 0x4E00 && c < 0xA000) ||
        (c >= 0xAC00 && c < 0xD800) || c > 0x10FFFF)
        return c;
    c = fold_char(c);
    bool latin_or_greek = c < 0x0250 || (c >= 0x0370 && c < 0x0400) ||
                          (c >= 0x1E00 && c < 0x2000) || (c >= 0x2100 && c < 0x2150);
    bool other_form = c >= 0xF900 && (c < 0xFB00 || (c >= 0xFF00 && c < 0xFFF0));
    if (c >= 0x80 && (latin_or_greek || other_form))
        c = fold_char(base_letter(c));
    return without_stroke(c);
}

bool utf8_is_word(uint32_t c)
{
    if (c < 0x80) {
        uint32_t letter = c | 0x20;
        return (letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9');
    }
    if ((c >= 0x0400 && c < 0x0482) || (c >= 0x4E00 && c < 0xA000) ||
        (c >= 0xAC00 && c < 0xD7A4))
        return true;
    utf8proc_category_t category = utf8proc_category((int32_t)c);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO;
}

bool utf8_is_cjk(uint32_t c)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0E01, 0x0E3A},   {0x0E40, 0x0E4E},   /* Thai */
        {0x0E81, 0x0ECD},   {0x0EDC, 0x0EDF},   /* Lao */
        {0x1000, 0x103F},   {0x1050, 0x108F},   /* Burmese */
        {0x1100, 0x11FF},                       /* Hangul letters */
        {0x1780, 0x17D3},   {0x17DD, 0x17DD},   /* Khmer */
        {0x3005, 0x3007},   {0x3021, 0x3029},   /* marks and numbers among Han */
        {0x3041, 0x3096},   {0x3099, 0x309A},   /* Hiragana, voicing marks */
        {0x309D, 0x309F},   {0x30A1, 0x30FA},   /* Katakana */
        {0x30FC, 0x30FF},   {0x3105, 0x312F},   /* Bopomofo */
        {0x3131, 0x318E},   {0x31A0, 0x31BF},   /* more Hangul, more Bopomofo */
        {0x31F0, 0x31FF},   {0x3400, 0x4DBF},   /* small Katakana, Han A */
        {0x4E00, 0x9FFF},   {0xA960, 0xA97C},   /* Han, old Hangul */
        {0xAC00, 0xD7FB},   {0xF900, 0xFAFF},   /* Hangul, compatibility Han */
        {0xFF66, 0xFFDC},   {0x1B000, 0x1B16F}, /* half width, more kana */
        {0x20000, 0x3FFFD},                     /* Han B and later */
    };
    for (size_t i = 0; i < COUNT_OF(ranges) && c >= ranges[i].first; i++)
        if (c <= ranges[i].last)
            return true;
    return false;
}

uint32_t utf8_lower_char(uint32_t c)
{
    return (uint32_t)utf8proc_tolower((utf8proc_int32_t)c);
}

uint32_t utf8_title_char(uint32_t c)
{
    return (uint32_t)utf8proc_totitle((utf8proc_int32_t)c);
}

unsigned utf8_columns(uint32_t c)
{
    int width = c < 0x80 ? 1 : utf8proc_charwidth((utf8proc_int32_t)c);
    return width > 0 ? (unsigned)width : 0;
}

enum utf8_kind utf8_kind(uint32_t c)
{
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    if (category == UTF8PROC_CATEGORY_MN)
        return UTF8_MARK;
    if (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO)
        return UTF8_PUNCTUATION;
    if (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP)
        return UTF8_SPACE;
    return category >= UTF8PROC_CATEGORY_CC ? UTF8_UNSEEN : UTF8_OTHER;
}

size_t utf8_parts(uint32_t c, uint32_t out[UTF8_PARTS_MAX])
{
    int32_t parts[UTF8_PARTS_MAX];
    int last_class = UTF8PROC_BOUNDCLASS_START;
    ssize_t n = c < 0x80 ? 0
                         : utf8proc_decompose_char((int32_t)c, parts, COUNT_OF(parts),
                                                   UTF8PROC_STABLE | UTF8PROC_DECOMPOSE,
                                                   &last_class);
    if (n < 1 || n > UTF8_PARTS_MAX) {
        out[0] = c;
        return 1;
    }
    for (ssize_t i = 0; i < n; i++)
        out[i] = (uint32_t)parts[i];
    return (size_t)n;
}
