/*
 * Explains why a text was not found: models send spaces for tabs, straight quotes for
 * curly ones, composed letters for decomposed ones. Lines are compared in a loose form
 * that ignores all this; then the first place where the real lines differ is reported.
 */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"

enum {
    LOOSE_MAX = 4096,   /* bytes of a line that are compared */
    PAIRS = 1024,       /* counters for pairs of characters */
    ALIKE_ENOUGH = 500, /* of 1000 */
    HELD_ENOUGH = 750,  /* of 1000, for a short text inside a longer line */
    HELD_TIMES = 4,     /* in lines longer than this factor, any pair occurs by chance */
    LEAD_MIN = 4,       /* characters needed to align two lines */
};

/* --- the loose form --- */

struct loose {
    uint32_t c[LOOSE_MAX];
    uint16_t at[LOOSE_MAX]; /* offset in the line */
    size_t n;
};

static bool edit_near_is_mark(uint32_t c)
{
    return c >= 0x300 && c <= 0x36F;
}

/* The loose form of a character; 0 if it is invisible. */
static uint32_t loosen(uint32_t c)
{
    if (edit_near_is_mark(c) || c == 0xAD || c == 0xFEFF || (c >= 0x200B && c <= 0x200D))
        return 0;
    if (c == '\t' || c == '\r' || c == 0xA0 || (c >= 0x2000 && c <= 0x200A) ||
        c == 0x202F || c == 0x3000)
        return ' ';
    if ((c >= 0x2018 && c <= 0x201B) || c == 0x2BC || c == 0x60 || c == 0xB4)
        return '\'';
    if ((c >= 0x201C && c <= 0x201F) || c == 0xAB || c == 0xBB)
        return '"';
    if ((c >= 0x2010 && c <= 0x2015) || c == 0x2212)
        return '-';
    return utf8_fold_char(c);
}

static void make_loose(str line, struct loose *out)
{
    size_t n;
    out->n = 0;
    line = str_slice(line, 0, LOOSE_MAX);
    for (size_t i = 0; i < line.n; i += n) {
        uint32_t c = loosen(utf8_decode(str_skip(line, i), &n));
        bool blank = c == ' ' && (out->n == 0 || out->c[out->n - 1] == ' ');
        if (c == 0 || blank)
            continue;
        out->at[out->n] = (uint16_t)i;
        out->c[out->n++] = c;
    }
    while (out->n > 0 && out->c[out->n - 1] == ' ')
        out->n--;
}

/* The position of the first n characters of part in whole, or STR_NONE. */
static size_t find_loose(const struct loose *whole, const struct loose *part, size_t n)
{
    enum { SIZE = sizeof(*whole->c) };
    str in = {(const char *)whole->c, whole->n * SIZE};
    str wanted = {(const char *)part->c, n * SIZE};
    for (size_t at = 0, hit; at < in.n; at += hit - hit % SIZE + SIZE) {
        hit = str_find(str_skip(in, at), wanted);
        if (hit == STR_NONE)
            return STR_NONE;
        if (hit % SIZE == 0)
            return (at + hit) / SIZE;
    }
    return STR_NONE;
}

/*
 * The same for the longest start of part that can be found (by halving); 0 if there is
 * none.
 */
static size_t find_lead(const struct loose *whole, const struct loose *part)
{
    for (size_t n = part->n; n >= LEAD_MIN; n /= 2) {
        size_t hit = find_loose(whole, part, n);
        if (hit != STR_NONE)
            return hit;
    }
    return 0;
}

/* --- likeness: how many pairs of characters two lines share --- */

struct edit_near_pairs {
    uint16_t count[PAIRS];
    size_t n;
};

static size_t pair_at(const struct loose *l, size_t i)
{
    return (l->c[i] * 31 + l->c[i + 1]) * UINT32_C(2654435761) >> 22;
}

static void count_pairs(const struct loose *l, struct edit_near_pairs *out)
{
    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i + 1 < l->n; i++, out->n++)
        out->count[pair_at(l, i)]++;
}

/* Likeness of p and l, 0..1000. p is unchanged afterwards. */
static unsigned share_pairs(struct edit_near_pairs *p, const struct loose *l)
{
    size_t shared = 0, n = l->n > 0 ? l->n - 1 : 0;
    uint16_t taken[LOOSE_MAX];
    for (size_t i = 0; i < n; i++) {
        size_t k = pair_at(l, i);
        if (p->count[k] > 0) {
            p->count[k]--;
            taken[shared++] = (uint16_t)k;
        }
    }
    for (size_t i = 0; i < shared; i++)
        p->count[taken[i]]++;
    if (p->n == 0 || n == 0)
        return 0;
    unsigned alike = (unsigned)(2000 * shared / (p->n + n));
    unsigned held = (unsigned)(1000 * shared / p->n);
    return n > p->n && n < HELD_TIMES * p->n && held >= HELD_ENOUGH && alike < held
               ? held - 1
               : alike;
}

unsigned edit_likeness(str a, str b)
{
    struct loose x, y;
    struct edit_near_pairs p;
    make_loose(a, &x);
    make_loose(b, &y);
    if (x.n == y.n && memcmp(x.c, y.c, x.n * sizeof(*x.c)) == 0)
        return 1000;
    count_pairs(&x, &p);
    return share_pairs(&p, &y);
}

/* --- the closest line --- */

static str edit_near_line_of(str text, size_t at)
{
    return str_slice(text, at, text_find_break(text, at));
}

/* The most distinctive line of old_text, and the number of lines before it. */
static str distinctive_line(str old_text, size_t *index)
{
    str best = {0};
    size_t i = 0;
    *index = 0;
    for (size_t at = 0; at < old_text.n; at = edit_next_line(old_text, at), i++) {
        str line = edit_near_line_of(old_text, at);
        if (str_trim(line).n > str_trim(best).n) {
            best = line;
            *index = i;
        }
    }
    return best;
}

struct edit_near {
    size_t line_start; /* in the text */
    size_t column;     /* bytes into it, where the line from the request would begin */
};

/* Align the line of the request with the line of the file. */
static size_t column_of(const struct loose *have, const struct loose *want)
{
    size_t hit = find_lead(have, want), lead = want->at[0];
    size_t first = have->n > 0 ? have->at[hit] : 0;
    /* indentation in the request is before the first letter in the file, too */
    return hit == 0 && lead > 0 ? 0 : first >= lead ? first - lead : 0;
}

/* The first line of the request may be the end of a line of the file. */
static size_t first_column(str line, str sent)
{
    struct loose have, want;
    if (str_ends(line, sent))
        return line.n - sent.n;
    make_loose(line, &have);
    make_loose(sent, &want);
    return want.n > 0 ? column_of(&have, &want) : 0;
}

/* The line of text that was most probably meant; false if none is similar. */
static bool edit_near_find_near(str text, str line, struct edit_near *out)
{
    struct loose want, have;
    struct edit_near_pairs pairs;
    unsigned best = ALIKE_ENOUGH - 1;
    make_loose(line, &want);
    if (want.n == 0)
        return false;
    count_pairs(&want, &pairs);
    for (size_t at = 0; at < text.n; at = edit_next_line(text, at)) {
        make_loose(edit_near_line_of(text, at), &have);
        bool same = find_loose(&have, &want, want.n) != STR_NONE;
        unsigned alike = same ? 1000 : share_pairs(&pairs, &have);
        if (alike <= best)
            continue;
        best = alike;
        *out = (struct edit_near){at, column_of(&have, &want)};
        if (same)
            return true;
    }
    return best >= ALIKE_ENOUGH;
}

/* --- the first difference --- */

static void describe_mark(struct sbuf *b, uint32_t c, str s, size_t n)
{
    size_t more = 0;
    if (s.n > n && edit_near_is_mark(utf8_decode(str_skip(s, n), &more)))
        sbuf_printf(b, "'" STR_FMT "' as a letter and a mark (NFD)",
                    STR_ARG(str_slice(s, 0, n + more)));
    else if (c < 0x80)
        sbuf_printf(b, "'%c'", (int)c);
    else
        sbuf_printf(b, "'" STR_FMT "' (U+%04X)", STR_ARG(str_slice(s, 0, n)), c);
}

/* Describe the character at the start of s. */
static void describe(struct sbuf *b, str s)
{
    size_t n;
    if (s.n == 0) {
        sbuf_add(b, STR("the end of the line"));
        return;
    }
    bool trailing = str_trim(s).n == 0;
    uint32_t c = utf8_decode(s, &n);
    if (c == 0xFFFD && s.p[0] != '\xEF')
        sbuf_printf(b, "the byte 0x%02x", (unsigned char)s.p[0]);
    else if (trailing)
        sbuf_printf(b, "%zu space%s at the end of the line", s.n, s.n > 1 ? "s" : "");
    else if (c == '\t')
        sbuf_add(b, STR("a tab"));
    else if (c == ' ')
        sbuf_add(b, STR("a space"));
    else if (c == 0xA0 || c == 0x202F)
        sbuf_printf(b, "a no-break space (U+%04X)", c);
    else if (c < 0x20 || c == 0x7F || (c >= 0x200B && c <= 0x200F) || c == 0xFEFF ||
             c == 0xAD || (edit_near_is_mark(c)))
        sbuf_printf(b, "the invisible character U+%04X", c);
    else
        describe_mark(b, c, s, n);
}

/* The first place where two lines differ, at the start of a character. */
static size_t first_difference(str a, str b)
{
    size_t i = 0;
    while (i < a.n && i < b.n && a.p[i] == b.p[i])
        i++;
    while (i > 0 && i < a.n && ((unsigned char)a.p[i] & 0xC0) == 0x80)
        i--;
    /* a letter and its combining mark belong together */
    size_t n;
    bool marked = (i < a.n && edit_near_is_mark(utf8_decode(str_skip(a, i), &n))) ||
                  (i < b.n && edit_near_is_mark(utf8_decode(str_skip(b, i), &n)));
    while (marked && i > 0 && ((unsigned char)a.p[--i] & 0xC0) == 0x80)
        ;
    return i;
}

static size_t count_chars(str s)
{
    size_t chars = 0;
    for (size_t i = 0; i < s.n; i++)
        chars += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return chars;
}

/* A line of the text and the line of the request that should be the same. */
struct pairing {
    size_t line; /* its start in the text */
    size_t at;   /* where the line of the request should begin */
    size_t sent; /* its start in the request */
};

static void write_report(struct sbuf *b, str text, const struct pairing *p, str sent,
                         size_t excerpt_max)
{
    str line = edit_near_line_of(text, p->line);
    str shown = utf8_cut(str_trim(line), excerpt_max);
    str have = str_skip(line, p->at - p->line);
    size_t differs = first_difference(have, sent);
    sbuf_printf(b, "closest is line %u: \"" STR_FMT "%s\"",
                text_line_number(text, p->line), STR_ARG(shown),
                shown.n < str_trim(line).n ? "..." : "");
    sbuf_printf(b, "; differs at column %zu: file has ",
                count_chars(str_slice(line, 0, p->at - p->line + differs)) + 1);
    str rest = str_skip(have, differs), rest_sent = str_skip(sent, differs);
    if (rest.n == 0 && rest_sent.n == 0) { /* the request has more lines than the file */
        sbuf_add(b, STR("the end of the file, you sent a line break"));
        return;
    }
    describe(b, rest);
    sbuf_add(b, STR(", you sent "));
    describe(b, rest_sent);
}

/* Whether the line of the request is at at; unless it is the last, it must end there. */
static bool edit_near_is_same(str text, size_t at, str sent, bool last)
{
    str have = edit_near_line_of(text, at);
    return last ? str_starts(have, sent) : str_eq(have, sent);
}

/* Advance to the first pair of lines that differ, or the last pair. */
static void find_different(str text, str old_text, struct pairing *p)
{
    for (;;) {
        size_t next = edit_next_line(old_text, p->sent);
        bool last = next == text_find_break(old_text, p->sent);
        size_t below = edit_next_line(text, p->line);
        if (last || next >= old_text.n || below >= text.n ||
            !edit_near_is_same(text, p->at, edit_near_line_of(old_text, p->sent), last))
            return;
        p->line = p->at = below;
        p->sent = next;
    }
}

bool edit_explain(struct arena *a, str text, str old_text, size_t excerpt_max, str *out)
{
    size_t index;
    struct edit_near near;
    str telling = distinctive_line(old_text, &index);
    if (!edit_near_find_near(text, telling, &near))
        return false;
    struct pairing p = {
        .line = near.line_start,
        .at = near.line_start + near.column,
        .sent = (size_t)(telling.p - old_text.p),
    };
    for (; index > 0 && p.line > 0; index--) { /* back to the first line of the request */
        p.at = p.line = edit_line_before(text, p.line);
        p.sent = edit_line_before(old_text, p.sent);
        if (p.sent == 0)
            p.at += first_column(edit_near_line_of(text, p.line),
                                 edit_near_line_of(old_text, 0));
    }
    find_different(text, old_text, &p);
    struct sbuf b = SBUF_ON(a);
    write_report(&b, text, &p, edit_near_line_of(old_text, p.sent), excerpt_max);
    *out = sbuf_str(&b);
    return true;
}
