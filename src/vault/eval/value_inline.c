#include "vault/eval/value_inline.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sbuf.h"
#include "base/text.h"

/* --- numbers and dates --- */

static bool value_inline_is_number(str s, bool *real)
{
    size_t at = str_starts(s, STR("-")), digits = text_skip_digits(s, at);
    *real = digits < s.n && s.p[digits] == '.';
    size_t end = *real ? text_skip_digits(s, digits + 1) : digits;
    return digits > at && end == s.n && (!*real || end > digits + 1);
}

struct value value_of_number(str text)
{
    enum { LONGEST = 64, INTEGER = 18 }; /* digits of any 64-bit integer */
    char copy[LONGEST];
    bool real;
    if (text.n >= sizeof(copy) || !value_inline_is_number(text, &real))
        return value_null();
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    struct value v = real || text.n > INTEGER ? value_number(strtod(copy, NULL))
                                              : value_integer(strtoll(copy, NULL, 10));
    v.text = text;
    return v;
}

bool value_iso_date(str text, int utc_offset, struct date *out)
{
    enum { MONTH = 7, DAY = 10 };
    char day[DAY];
    if (text.n == MONTH) {
        memcpy(day, text.p, MONTH);
        memcpy(day + MONTH, "-01", sizeof(day) - MONTH);
        return date_parse((str){day, sizeof(day)}, utc_offset, out) == sizeof(day);
    }
    bool spaced = text.n > DAY && is_blank(text.p[DAY]);
    return text.n >= DAY && !spaced && date_parse(text, utc_offset, out) == text.n;
}

/* --- one value --- */

/* "text" with nothing after it. */
static bool read_quoted(struct arena *a, str s, str *out)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 1; s.n > 1 && s.p[0] == '"' && i < s.n; i++) {
        if (s.p[i] == '"') {
            *out = sbuf_str(&b);
            return i + 1 == s.n;
        }
        i += s.p[i] == '\\' && i + 1 < s.n;
        sbuf_char(&b, s.p[i]);
    }
    return false;
}

static bool value_inline_is_tag(str s)
{
    static const str ends = STR(" \t\"'`,;:.!?()[]{}<>=+*%&|\\^$@~#");
    if (s.n < 2 || s.p[0] != '#')
        return false;
    for (size_t i = 1; i < s.n; i++)
        if (str_find_char(ends, s.p[i]) != STR_NONE)
            return false;
    return true;
}

static bool value_inline_read_word(str s, struct value *out)
{
    if (str_eq(s, STR("true")) || str_eq(s, STR("false")))
        *out = value_bool(s.p[0] == 't');
    else if (str_eq(s, STR("null")))
        *out = value_null();
    else
        return false;
    return true;
}

/* A value that is not just text. */
static bool read_atom(const struct value_reader *r, str s, struct value *out)
{
    struct date date;
    struct duration duration;
    str text;
    *out = value_of_number(s);
    if (out->type == VALUE_NUMBER || value_inline_read_word(s, out))
        return true;
    if (value_iso_date(s, r->utc_offset, &date))
        *out = value_date(date);
    else if (is_digit(s.p[0]) && duration_parse(s, DURATION_DQL, &duration))
        *out = value_duration(duration);
    else if (read_quoted(r->arena, s, &text))
        *out = value_text(text);
    else if (value_inline_is_tag(s))
        *out = value_tag(str_skip(s, 1));
    else if (s.p[0] == '[' || s.p[0] == '!')
        *out = value_of_text(r, s);
    else
        return false;
    if (out->type == VALUE_DATE || out->type == VALUE_DURATION)
        out->text = s;
    return out->type != VALUE_TEXT || s.p[0] == '"';
}

/* --- lists --- */

/* The next comma that is not in quotes or in a link; the end if there is none. */
static size_t next_comma(str s, size_t at)
{
    bool quoted = false;
    unsigned open = 0;
    for (; at < s.n; at++) {
        char c = s.p[at];
        if (c == '\\' && quoted)
            at++;
        else if (c == '"')
            quoted = !quoted;
        else if (c == '[')
            open++;
        else if (c == ']')
            open -= open > 0;
        else if (c == ',' && !quoted && open == 0)
            break;
    }
    return at < s.n ? at : s.n;
}

/* Items with commas between them, none of which is just text. */
static bool read_list(const struct value_reader *r, str s, struct value *out)
{
    struct value *items = NULL;
    size_t n = 0, comma = next_comma(s, 0);
    if (comma == s.n)
        return false;
    for (size_t at = 0; at <= s.n; at = comma + 1) {
        struct value item;
        comma = next_comma(s, at);
        str part = str_trim(str_slice(s, at, comma));
        if (part.n == 0 || n == VALUE_LIST_MAX || !read_atom(r, part, &item))
            return false;
        *ARRAY_ADD(r->arena, items, n) = item;
    }
    *out = value_list(items, n);
    return true;
}

struct value value_of_inline(const struct value_reader *r, str text)
{
    struct value v;
    text = str_trim(text);
    if (text.n == 0)
        return value_null();
    return read_atom(r, text, &v) || read_list(r, text, &v) ? v : value_text(text);
}
