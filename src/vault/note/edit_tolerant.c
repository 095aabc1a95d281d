/*
 * Finds a text that was copied by a model or a person: with straight quotes for
 * typographic ones, spaces for no-break spaces, letters in the other normal form, and
 * without the spaces at the end of lines. Both texts are written in a plain form, in
 * which none of this counts, with the place that each byte comes from.
 */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"

struct plain {
    struct sbuf b;
    uint32_t *at; /* for each byte and the end: where its character is in the text */
    str text;
};

/* Marks and jamo that belong to the character before. */
static bool joins(uint32_t c)
{
    return (c >= 0x300 && c <= 0x36F) || (c >= 0x1160 && c <= 0x11FF) ||
           (c >= 0x3099 && c <= 0x309A);
}

/* The bytes of the character at at, with its marks; of a line break. */
static size_t edit_tolerant_char(str text, size_t at)
{
    size_t n, more;
    if (is_break(text.p[at]))
        return text_break(text, at).n;
    utf8_decode(str_skip(text, at), &n);
    while (at + n < text.n && (unsigned char)text.p[at + n] >= 0x80 &&
           joins(utf8_decode(str_skip(text, at + n), &more)))
        n += more;
    return n;
}

/* The bytes of the space at at, or 0. */
static size_t any_space(str text, size_t at)
{
    size_t n;
    if (is_blank(text.p[at]))
        return 1;
    if ((unsigned char)text.p[at] < 0x80)
        return 0;
    uint32_t c = utf8_decode(str_skip(text, at), &n);
    return c == 0xA0 || c == 0x2007 || c == 0x202F ? n : 0;
}

static void add_plain(struct plain *p, str bytes, size_t at)
{
    for (size_t i = 0; i < bytes.n; i++)
        p->at[p->b.n + i] = (uint32_t)at;
    sbuf_add(&p->b, bytes);
}

/* A character that is not a space, in its plain form, which is not longer. */
static str plain_char(struct arena *a, str c)
{
    size_t n;
    if (c.n == 1)
        return is_break(c.p[0]) ? STR("\n") : c;
    if (is_break(c.p[0]))
        return STR("\n");
    uint32_t first = utf8_decode(c, &n);
    if (first >= 0x2018 && first <= 0x201B)
        return STR("'");
    if (first >= 0x201C && first <= 0x201F)
        return STR("\"");
    str nfc = n < c.n ? utf8_nfc(a, c) : c;
    return nfc.n <= c.n ? nfc : c;
}

/* A run of spaces, which does not count at the end of a line. Returns where it ends. */
static size_t plain_spaces(struct plain *p, size_t at)
{
    size_t end = at;
    for (size_t n; end < p->text.n && (n = any_space(p->text, end)) > 0;)
        end += n;
    if (end == p->text.n || is_break(p->text.p[end]))
        return end;
    for (size_t i = at; i < end; i += any_space(p->text, i))
        add_plain(p, p->text.p[i] == '\t' ? STR("\t") : STR(" "), i);
    return end;
}

static void make_plain(struct arena *a, str text, struct plain *out)
{
    *out = (struct plain){SBUF_ON(a), ARENA_ARRAY(a, uint32_t, text.n + 1), text};
    sbuf_room(&out->b, text.n);
    for (size_t i = 0, n; i < text.n; i += n) {
        if (any_space(text, i) > 0) {
            n = plain_spaces(out, i) - i;
            continue;
        }
        n = edit_tolerant_char(text, i);
        add_plain(out, plain_char(a, str_slice(text, i, i + n)), i);
    }
    out->at[out->b.n] = (uint32_t)text.n;
}

/* Whether a character begins at byte i of the plain form, or it ends there. */
static bool is_edge(const struct plain *p, size_t i)
{
    return i == 0 || i == p->b.n || p->at[i] != p->at[i - 1];
}

static struct edit_range range_of(const struct plain *p, size_t start, size_t end)
{
    size_t last = p->at[end - 1];
    return (struct edit_range){p->at[start], last + edit_tolerant_char(p->text, last)};
}

void edit_find_tolerant(struct arena *a, str text, str old_text, size_t max,
                        struct edit_matches *out)
{
    struct plain in, old;
    *out = (struct edit_matches){0};
    make_plain(a, text, &in);
    make_plain(a, old_text, &old);
    bool ends_line = old_text.n > 0 && old.b.n > 0 && !is_break(old.b.p[old.b.n - 1]) &&
                     range_of(&old, 0, old.b.n).end < old_text.n;
    str all = sbuf_str(&in.b), wanted = sbuf_str(&old.b);
    for (size_t at = 0, hit; wanted.n > 0 && out->n < max; at++) {
        hit = str_find(str_skip(all, at), wanted);
        if (hit == STR_NONE)
            return;
        at += hit;
        size_t end = at + wanted.n;
        if (is_edge(&in, at) && is_edge(&in, end) &&
            (!ends_line || end == all.n || all.p[end] == '\n'))
            *ARRAY_ADD(a, out->at, out->n) = range_of(&in, at, end);
    }
}

/* --- quotes of what is new --- */

static size_t count_quotes(const struct plain *p, size_t start, size_t end)
{
    size_t n = 0;
    for (size_t i = start; i < end; i++)
        n += p->b.p[i] == '"';
    return n;
}

/* The quotation mark before which there are n others, as it is written. */
static str quote_at(const struct plain *p, size_t n)
{
    size_t i = 0;
    while (p->b.p[i] != '"' || n-- > 0)
        i++;
    return str_slice(p->text, p->at[i], p->at[i] + edit_tolerant_char(p->text, p->at[i]));
}

/* The part of made from start to end, with the quotation marks of old, which has as many:
 * a pair of which one mark is kept must not end with another kind. */
static str spell_quotes(struct arena *a, const struct plain *old,
                        const struct plain *made, size_t start, size_t end)
{
    struct sbuf out = SBUF_ON(a);
    size_t n = count_quotes(made, 0, start), from = made->at[start];
    for (size_t i = start; i < end; i++) {
        if (made->b.p[i] != '"')
            continue;
        sbuf_add(&out, str_slice(made->text, from, made->at[i]));
        sbuf_add(&out, quote_at(old, n++));
        from = made->at[i] + edit_tolerant_char(made->text, made->at[i]);
    }
    sbuf_add(&out, str_slice(made->text, from, made->at[end]));
    return sbuf_str(&out);
}

void edit_keep_spelling(struct arena *a, str text, struct edit_range *r, str *new_text)
{
    struct plain old, made;
    make_plain(a, str_slice(text, r->start, r->end), &old);
    make_plain(a, *new_text, &made);
    size_t most = old.b.n < made.b.n ? old.b.n : made.b.n, head = 0, tail = 0;
    while (head < most && old.b.p[head] == made.b.p[head])
        head++;
    while (!is_edge(&old, head) || !is_edge(&made, head))
        head--;
    while (tail < most - head &&
           old.b.p[old.b.n - tail - 1] == made.b.p[made.b.n - tail - 1])
        tail++;
    while (!is_edge(&old, old.b.n - tail) || !is_edge(&made, made.b.n - tail))
        tail--;
    size_t end = made.b.n - tail;
    bool as_many = count_quotes(&old, 0, old.b.n) == count_quotes(&made, 0, made.b.n);
    if (!as_many && count_quotes(&made, head, end) % 2 != 0) /* a pair would be mixed */
        return;
    *new_text = as_many ? spell_quotes(a, &old, &made, head, end)
                        : str_slice(*new_text, made.at[head], made.at[end]);
    *r = (struct edit_range){r->start + old.at[head], r->start + old.at[old.b.n - tail]};
}
