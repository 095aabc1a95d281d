#include "base/json_write.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/json_scan.h"
#include "base/os/number.h"
#include "base/text.h"
#include "base/utf8.h"

/* sbuf_room(), nearly always without the call. */
static char *json_write_room(struct sbuf *b, size_t n)
{
    return b->cap - b->n >= n ? b->p + b->n : sbuf_room(b, n);
}

static bool in_object(const struct jsonw *w)
{
    unsigned level = w->depth - 1u;
    return w->depth > 0 && (w->object[level / 64] >> level % 64 & 1) != 0;
}

/* Room for a value of up to n bytes: checks that one is allowed here, adds a comma. */
static char *json_write_begin(struct jsonw *w, size_t n)
{
    bool comma = false;
    if (in_object(w)) {
        if (!w->keyed)
            BUG("a value without a key in an object");
    } else {
        comma = w->comma;
        if (comma && w->depth == 0)
            BUG("a second value at the top");
    }
    w->keyed = false;
    w->comma = true;
    char *to = json_write_room(w->out, size_add(n, 1));
    if (comma)
        *to++ = ',';
    return to;
}

/* The value ends before to. */
static void json_write_finish(struct sbuf *b, const char *to)
{
    b->n = (size_t)(to - b->p);
}

static void write_word(struct jsonw *w, str word)
{
    char *to = json_write_begin(w, word.n);
    memcpy(to, word.p, word.n);
    json_write_finish(w->out, to + word.n);
}

static void open_level(struct jsonw *w, char bracket, bool object)
{
    char *to = json_write_begin(w, 1);
    if (w->depth == JSON_MAX_DEPTH)
        BUG("more than %d levels", JSON_MAX_DEPTH);
    uint64_t bit = UINT64_C(1) << w->depth % 64;
    if (object)
        w->object[w->depth / 64] |= bit;
    else
        w->object[w->depth / 64] &= ~bit;
    w->depth++;
    w->comma = false;
    *to++ = bracket;
    json_write_finish(w->out, to);
}

void jsonw_object(struct jsonw *w)
{
    open_level(w, '{', true);
}

void jsonw_array(struct jsonw *w)
{
    open_level(w, '[', false);
}

void jsonw_end(struct jsonw *w)
{
    if (w->depth == 0)
        BUG("an end too many");
    if (w->keyed)
        BUG("an end after a key");
    char *to = json_write_room(w->out, 1);
    *to++ = in_object(w) ? '}' : ']';
    json_write_finish(w->out, to);
    w->depth--;
    w->comma = true;
}

void jsonw_reopen(struct jsonw *w)
{
    if (w->out->n < 2 || w->out->p[w->out->n - 1] != '}')
        BUG("no object was ended");
    w->out->n--;
    w->object[w->depth / 64] |= UINT64_C(1) << w->depth % 64;
    w->depth++;
    w->comma = true;
}

static void add_escape(struct sbuf *b, char c)
{
    static const char letter['\\' + 1] = {
        ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',  ['\f'] = 'f',
        ['\r'] = 'r', ['"'] = '"',  ['\\'] = '\\',
    };
    static const char hex[] = "0123456789abcdef";
    unsigned char u = (unsigned char)c;
    char *to = json_write_room(b, 6);
    to[0] = '\\';
    if (letter[u] != '\0') {
        to[1] = letter[u];
        json_write_finish(b, to + 2);
        return;
    }
    memcpy(to + 1, "u00", 3);
    to[4] = hex[u >> 4];
    to[5] = hex[u & 15];
    json_write_finish(b, to + 6);
}

/* Valid UTF-8, with escapes where needed. */
static void add_escaped(struct sbuf *b, str s)
{
    const char *at = s.p, *end = s.p + s.n;
    while (at < end) {
        const char *special = json_plain_end(at, end);
        sbuf_add(b, (str){at, (size_t)(special - at)});
        if (special == end)
            break;
        add_escape(b, *special);
        at = special + 1;
    }
}

/* Not inline: add_string() is fast only while it is small. */
__attribute__((noinline)) static void add_repaired(struct sbuf *b, str s)
{
    while (s.n > 0) {
        size_t valid = utf8_valid_prefix(s), broken;
        add_escaped(b, str_slice(s, 0, valid));
        s = str_skip(s, valid);
        if (s.n == 0)
            break;
        utf8_decode(s, &broken);
        sbuf_add(b, STR("\uFFFD"));
        s = str_skip(s, broken);
    }
}

static bool plain8(uint64_t bytes)
{
    return ((json_special8(bytes) | bytes) & JSON_HIGH_BITS) == 0;
}

/* Copy eight bytes; false if one is special or not ASCII: then they do not count. */
static bool copy8(char *to, const char *from)
{
    uint64_t bytes = json_load8(from);
    memcpy(to, &bytes, sizeof(bytes));
    return plain8(bytes);
}

/* The same for 4 to 7 bytes: the first and the last four, which overlap. */
static bool copy4to7(char *to, str s)
{
    uint32_t first, last;
    memcpy(&first, s.p, sizeof(first));
    memcpy(&last, s.p + s.n - 4, sizeof(last));
    memcpy(to, &first, sizeof(first));
    memcpy(to + s.n - 4, &last, sizeof(last));
    return plain8((uint64_t)last << 32 | first);
}

/* Copy the plain ASCII at the start of s, or most of it; returns how much. */
static size_t copy_plain(char *to, str s)
{
    size_t i = 0;
#ifdef __SSE2__
    for (; s.n - i >= 16; i += 16) {
        __m128i bytes = json_load16(s.p + i);
        if (_mm_movemask_epi8(_mm_or_si128(json_special16(bytes), bytes)) != 0)
            return i;
        _mm_storeu_si128((__m128i *)(void *)(to + i), bytes);
    }
#endif
    for (; s.n - i >= 8; i += 8)
        if (!copy8(to + i, s.p + i))
            return i;
    if (s.n >= 8) /* the last eight, which may overlap */
        return copy8(to + s.n - 8, s.p + s.n - 8) ? s.n : i;
    if (s.n >= 4)
        return copy4to7(to, s) ? s.n : 0;
    for (; i < s.n && !json_special(s.p[i]) && (unsigned char)s.p[i] < 0x80; i++)
        to[i] = s.p[i];
    return i;
}

/* Write s in quotes to to, which has room for s without escapes plus STRING_MORE. */
enum { STRING_MORE = 3 /* quotes, and a colon that the caller may add */ };
static char *add_string(struct sbuf *b, char *to, str s)
{
    *to++ = '"';
    size_t plain = copy_plain(to, s);
    to += plain;
    if (plain < s.n) {
        json_write_finish(b, to);
        add_repaired(b, str_skip(s, plain));
        to = json_write_room(b, STRING_MORE);
    }
    *to++ = '"';
    return to;
}

void jsonw_key(struct jsonw *w, str key)
{
    if (!in_object(w))
        BUG("a key outside of an object");
    if (w->keyed)
        BUG("a key after a key");
    char *to = json_write_room(w->out, size_add(key.n, STRING_MORE + 1));
    if (w->comma)
        *to++ = ',';
    to = add_string(w->out, to, key);
    *to++ = ':';
    json_write_finish(w->out, to);
    w->keyed = true;
}

/* At most how long a text without broken characters is with its escapes. */
static size_t escaped_size(str s)
{
    enum { ESCAPE_MORE = 5, LETTER_MORE = 1 };
    size_t n = s.n;
    const char *end = s.p + s.n;
    for (const char *at = json_plain_end(s.p, end); at < end;
         at = json_plain_end(at + 1, end)) {
        unsigned char c = (unsigned char)*at;
        n += c == '"' || c == '\\' || (c >= '\b' && c <= '\r' && c != '\v') ? LETTER_MORE
                                                                            : ESCAPE_MORE;
    }
    return n;
}

void jsonw_str(struct jsonw *w, str s)
{
    enum { LARGE = 256 << 10 };
    if (s.n >= LARGE)
        sbuf_reserve(w->out, size_add(escaped_size(s), STRING_MORE + 1));
    char *to = json_write_begin(w, size_add(s.n, STRING_MORE));
    json_write_finish(w->out, add_string(w->out, to, s));
}

void jsonw_int(struct jsonw *w, int64_t n)
{
    char digits[20];
    size_t at = sizeof(digits);
    uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (n < 0)
        digits[--at] = '-';
    write_word(w, (str){digits + at, sizeof(digits) - at});
}

/*
 * 15 digits are exact in a double, 17 always round-trip. Below DBL_MIN a double has
 * fewer than 15, and one may be enough.
 */
static size_t format_shortest(char *text, size_t size, double d)
{
    size_t n;
    int digits = fabs(d) < DBL_MIN ? 1 : 15;
    do
        n = number_print(text, size, digits, d);
    while (digits++ < 17 && number_read((str){text, n}) != d);
    return n;
}

void jsonw_num(struct jsonw *w, double d)
{
    char text[32];
    if (!isfinite(d))
        jsonw_null(w);
    else
        write_word(w, (str){text, format_shortest(text, sizeof(text), d)});
}

void jsonw_bool(struct jsonw *w, bool b)
{
    write_word(w, b ? STR("true") : STR("false"));
}

void jsonw_null(struct jsonw *w)
{
    write_word(w, STR("null"));
}

void jsonw_value(struct jsonw *w, const struct json *j)
{
    if (j == NULL) {
        jsonw_null(w);
        return;
    }
    size_t start = w->out->n;
    write_word(w, j->raw);
    if (j->type < JSON_ARRAY)
        return;
    /* A line break in valid JSON is between values, never in a string. */
    for (size_t i = start; i < w->out->n; i++)
        if (is_break(w->out->p[i]))
            w->out->p[i] = ' ';
}

void jsonw_printf(struct jsonw *w, const char *fmt, ...)
{
    char few[256], *text = few;
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(few, sizeof(few), fmt, args);
    va_end(args);
    if (n < 0)
        BUG("cannot format '%s'", fmt);
    if ((size_t)n >= sizeof(few)) {
        text = mem_alloc((size_t)n + 1);
        vsnprintf(text, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    jsonw_str(w, (str){text, (size_t)n});
    if (text != few)
        free(text);
}

void jsonw_put_str(struct jsonw *w, str key, str s)
{
    jsonw_key(w, key);
    jsonw_str(w, s);
}

void jsonw_put_int(struct jsonw *w, str key, int64_t n)
{
    jsonw_key(w, key);
    jsonw_int(w, n);
}

void jsonw_put_bool(struct jsonw *w, str key, bool b)
{
    jsonw_key(w, key);
    jsonw_bool(w, b);
}

void jsonw_put_value(struct jsonw *w, str key, const struct json *j)
{
    jsonw_key(w, key);
    jsonw_value(w, j);
}

void jsonw_put_object(struct jsonw *w, str key)
{
    jsonw_key(w, key);
    jsonw_object(w);
}

void jsonw_put_array(struct jsonw *w, str key)
{
    jsonw_key(w, key);
    jsonw_array(w);
}

void jsonw_put_strs(struct jsonw *w, str key, const str *items, size_t n)
{
    jsonw_put_array(w, key);
    for (size_t i = 0; i < n; i++)
        jsonw_str(w, items[i]);
    jsonw_end(w);
}

void jsonw_put_text(struct jsonw *w, str key, str s)
{
    if (s.n > 0)
        jsonw_put_str(w, key, s);
}

void jsonw_put_true(struct jsonw *w, str key, bool b)
{
    if (b)
        jsonw_put_bool(w, key, true);
}

void jsonw_put_written(struct jsonw *w, str key, const struct jsonw *done)
{
    if (done->depth != 0 || !done->comma)
        BUG("the other writer has not finished");
    jsonw_key(w, key);
    write_word(w, sbuf_str(done->out));
}
