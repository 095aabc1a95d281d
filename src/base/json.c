/*
 * Recursive descent over text that is known to be valid UTF-8, one function per
 * rule of RFC 8259. Each is entered with the cursor on the first byte of its rule and
 * leaves it after the last. Nodes come from small blocks to keep the arena out of
 * the inner loop. Keys are compared at the end of their object: then their number is
 * known, and a hash table, if needed, is built once.
 */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "base/json_parts.h"
#include "base/json_scan.h"
#include "base/map.h"
#include "base/os/number.h"
#include "base/text.h"
#include "base/utf8.h"

enum {
    BLOCK_MIN = 8, /* nodes */
    BLOCK_MAX = 64,
    FEW_KEYS = 16,  /* up to this many are compared pairwise */
    KEY_SHOWN = 60, /* bytes of a key in a message */
};

struct json_parser {
    struct arena *arena;
    struct err *err;
    const char *start, *at, *end;
    struct json *block; /* nodes not used yet */
    size_t left, block_size;
    unsigned depth;
    size_t values; /* so far, without the root */
    bool repeated; /* an object may have a key twice */
    const char *expected;
};

/* Fail: this was expected where the cursor is. */
__attribute__((cold, noinline)) static bool expected(struct json_parser *p,
                                                     const char *what)
{
    p->expected = what;
    return err_set(p->err, ERR_INVALID, "invalid JSON at byte %zu: expected %s%s",
                   (size_t)(p->at - p->start), what,
                   p->at == p->end ? ", found the end" : "");
}

static bool is(const struct json_parser *p, char c)
{
    return p->at < p->end && *p->at == c;
}

static bool at_digit(const struct json_parser *p)
{
    return p->at < p->end && is_digit(*p->at);
}

static void json_skip_blanks(struct json_parser *p)
{
    while (p->at < p->end && is_white(*p->at))
        p->at++;
}

static struct json *new_node(struct json_parser *p)
{
    if (p->left == 0) {
        p->block_size = p->block_size < BLOCK_MAX / 2 ? p->block_size * 2 : BLOCK_MAX;
        p->block = arena_alloc(p->arena, p->block_size * sizeof(*p->block));
        p->left = p->block_size;
    }
    p->left--;
    struct json *node = p->block++;
    *node = (struct json){0};
    return node;
}

/* Four hex digits after \u. */
static bool hex4(const char *at, const char *end, uint32_t *out)
{
    if (end - at < 4)
        return false;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = (unsigned char)at[i], letter = c | 0x20;
        unsigned digit = c - '0';
        if (digit > 9) {
            if (letter < 'a' || letter > 'f')
                return false;
            digit = letter - 'a' + 10u;
        }
        value = value << 4 | digit;
    }
    *out = value;
    return true;
}

/* The cursor is on the u of \uXXXX or of the first half of a surrogate pair. */
static bool unicode_escape(struct json_parser *p, char **out)
{
    uint32_t c, low;
    if (!hex4(p->at + 1, p->end, &c))
        return expected(p, "four hex digits after \\u");
    if (c >= 0xDC00 && c <= 0xDFFF)
        return expected(p, "a first surrogate before a second one");
    if (c >= 0xD800 && c <= 0xDBFF) {
        if (p->end - p->at < 11 || p->at[5] != '\\' || p->at[6] != 'u' ||
            !hex4(p->at + 7, p->end, &low) || low < 0xDC00 || low > 0xDFFF)
            return expected(p, "two surrogates that make a pair");
        c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
        p->at += 6;
    }
    p->at += 5;
    *out += utf8_encode(c, *out);
    return true;
}

/* The cursor is after a backslash. Never writes more than it reads. */
static bool escape(struct json_parser *p, char **out)
{
    static const char meaning['t' + 1] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    unsigned char c = p->at < p->end ? (unsigned char)*p->at : '\0';
    if (c == 'u')
        return unicode_escape(p, out);
    if (c > 't' || meaning[c] == '\0')
        return expected(p, "one of \"\\/bfnrtu after a backslash");
    *(*out)++ = meaning[c];
    p->at++;
    return true;
}

/* The bytes from the cursor to the closing quote or, if there is none, to the end. */
static size_t string_length(const struct json_parser *p)
{
    const char *at = p->at;
    while ((at = json_plain_end(at, p->end)) < p->end && *at == '\\')
        at += p->end - at >= 2 ? 2 : 1;
    return (size_t)(at - p->at);
}

/* The rest of a string whose first part, [begin, at), had no escape. */
static bool escaped_string(struct json_parser *p, const char *begin, str *out)
{
    size_t plain = (size_t)(p->at - begin);
    char *text = arena_alloc(p->arena, plain + string_length(p)), *to = text;
    memcpy(to, begin, plain);
    to += plain;
    while (is(p, '\\')) {
        p->at++;
        if (!escape(p, &to))
            return false;
        const char *run = p->at;
        p->at = json_plain_end(run, p->end);
        memcpy(to, run, (size_t)(p->at - run));
        to += p->at - run;
    }
    *out = (str){text, (size_t)(to - text)};
    return true;
}

static bool string(struct json_parser *p, str *out)
{
    const char *begin = ++p->at;
    p->at = json_plain_end(begin, p->end);
    *out = (str){begin, (size_t)(p->at - begin)};
    if (is(p, '\\') && !escaped_string(p, begin, out))
        return false;
    if (!is(p, '"'))
        return expected(p, p->at < p->end ? "an escape for a control character"
                                          : "a quote to close the string");
    p->at++;
    return true;
}

static bool digits(struct json_parser *p)
{
    if (!at_digit(p))
        return expected(p, "a digit");
    while (at_digit(p))
        p->at++;
    return true;
}

static bool number(struct json_parser *p)
{
    if (is(p, '-'))
        p->at++;
    if (is(p, '0'))
        p->at++;
    else if (!digits(p))
        return false;
    if (is(p, '.')) {
        p->at++;
        if (!digits(p))
            return false;
    }
    if (is(p, 'e') || is(p, 'E')) {
        p->at++;
        if (is(p, '+') || is(p, '-'))
            p->at++;
        return digits(p);
    }
    return true;
}

static bool literal(struct json_parser *p, str word)
{
    if ((size_t)(p->end - p->at) < word.n || memcmp(p->at, word.p, word.n) != 0)
        return expected(p, word.p);
    p->at += word.n;
    return true;
}

static bool value(struct json_parser *p, struct json *v);

/* Parse a value, with its key if any, as the next child. */
static bool child(struct json_parser *p, struct json *parent, struct json ***link,
                  str key)
{
    if (p->values++ == JSON_MAX_VALUES)
        return err_set(p->err, ERR_LIMIT, "JSON with more than %d values",
                       JSON_MAX_VALUES);
    struct json *node = new_node(p);
    node->key = key;
    json_skip_blanks(p);
    if (!value(p, node))
        return false;
    **link = node;
    *link = &node->next;
    parent->n++;
    json_skip_blanks(p);
    return true;
}

static bool duplicate_key(struct json_parser *p, const struct json *member)
{
    return err_set(
        p->err, ERR_INVALID, "invalid JSON at byte %zu: duplicate key '" STR_FMT "'",
        (size_t)(member->raw.p - p->start), STR_ARG(utf8_cut(member->key, KEY_SHOWN)));
}

static bool few_keys_differ(struct json_parser *p, const struct json *v)
{
    for (const struct json *m = v->child; m != NULL; m = m->next)
        for (const struct json *before = v->child; before != m; before = before->next)
            if (str_eq(m->key, before->key))
                return duplicate_key(p, m);
    return true;
}

static bool many_keys_differ(struct json_parser *p, const struct json *v)
{
    struct map keys = {0};
    const struct json *m = v->child;
    map_reserve(&keys.index, NULL, v->n);
    while (m != NULL && map_add_new(&keys, m->key))
        m = m->next;
    map_release(&keys);
    return m == NULL || duplicate_key(p, m);
}

static bool json_member(struct json_parser *p, struct json *v, struct json ***link)
{
    str key;
    if (!is(p, '"'))
        return expected(p, v->n > 0 ? "a key in quotes" : "a key in quotes or '}'");
    if (!string(p, &key))
        return false;
    json_skip_blanks(p);
    if (!is(p, ':'))
        return expected(p, "':'");
    p->at++;
    if (v->n == JSON_MAX_KEYS)
        return err_set(p->err, ERR_LIMIT, "more than %d keys in one JSON object",
                       JSON_MAX_KEYS);
    return child(p, v, link, key);
}

/* The items of an array or object, brackets included. */
static bool items(struct json_parser *p, struct json *v)
{
    bool object = v->type == JSON_OBJECT;
    char close = object ? '}' : ']';
    struct json **link = &v->child;
    p->at++;
    json_skip_blanks(p);
    if (is(p, close)) {
        p->at++;
        return true;
    }
    for (;;) {
        if (!(object ? json_member(p, v, &link) : child(p, v, &link, (str){0})))
            return false;
        if (is(p, close))
            break;
        if (!is(p, ','))
            return expected(p, object ? "',' or '}'" : "',' or ']'");
        p->at++;
        json_skip_blanks(p);
    }
    p->at++;
    return true;
}

static bool container(struct json_parser *p, struct json *v)
{
    if (p->depth == JSON_MAX_DEPTH)
        return err_set(p->err, ERR_LIMIT, "JSON nested deeper than %d levels at byte %zu",
                       JSON_MAX_DEPTH, (size_t)(p->at - p->start));
    p->depth++;
    if (!items(p, v))
        return false;
    p->depth--;
    if (v->type == JSON_ARRAY || p->repeated)
        return true;
    return v->n <= FEW_KEYS ? few_keys_differ(p, v) : many_keys_differ(p, v);
}

static bool content(struct json_parser *p, struct json *v)
{
    switch (p->at < p->end ? *p->at : '\0') {
    case '"':
        v->type = JSON_STRING;
        return string(p, &v->text);
    case '{':
        v->type = JSON_OBJECT;
        return container(p, v);
    case '[':
        v->type = JSON_ARRAY;
        return container(p, v);
    case 'n':
        v->type = JSON_NULL;
        return literal(p, STR("null"));
    case 't':
        v->type = JSON_TRUE;
        return literal(p, STR("true"));
    case 'f':
        v->type = JSON_FALSE;
        return literal(p, STR("false"));
    default:
        if (!is(p, '-') && !at_digit(p))
            return expected(p, "a value");
        v->type = JSON_NUMBER;
        return number(p);
    }
}

static bool value(struct json_parser *p, struct json *v)
{
    const char *begin = p->at;
    if (!content(p, v))
        return false;
    v->raw = (str){begin, (size_t)(p->at - begin)};
    return true;
}

static bool document(struct json_parser *p, str text, const struct json **out)
{
    size_t valid = utf8_valid_prefix(text);
    if (valid < text.n) {
        p->at += valid;
        return expected(p, "UTF-8");
    }
    json_skip_blanks(p);
    struct json *root = new_node(p);
    if (!value(p, root))
        return false;
    json_skip_blanks(p);
    if (p->at < p->end)
        return expected(p, "nothing after the value");
    *out = root;
    return true;
}

static bool json_parse_all(struct json_parser *p, str text, const struct json **out)
{
    p->block_size = BLOCK_MIN / 2;
    p->start = p->at = text.p != NULL ? text.p : "";
    p->end = p->start + text.n;
    return document(p, text, out);
}

bool json_parse_at(struct arena *a, str text, const struct json **out, size_t *at,
                   struct err *err)
{
    struct json_parser p = {.arena = a, .err = err};
    bool ok = json_parse_all(&p, text, out);
    *at = (size_t)(p.at - p.start);
    return ok;
}

bool json_parts_parse(struct arena *a, str text, struct json_parts *out, struct err *err)
{
    struct json_parser p = {.arena = a, .err = err, .repeated = true};
    bool ok = json_parse_all(&p, text, &out->root);
    out->at = (size_t)(p.at - p.start);
    out->expected = p.expected;
    return ok;
}

bool json_parse(struct arena *a, str text, const struct json **out, struct err *err)
{
    size_t ignored;
    return json_parse_at(a, text, out, &ignored, err);
}

const struct json *json_get(const struct json *j, str key)
{
    if (!json_is(j, JSON_OBJECT))
        return NULL;
    const struct json *m = j->child;
    while (m != NULL && !str_eq(m->key, key))
        m = m->next;
    return m;
}

/* The exponent; absurd ones are clamped to a value that is still too large. */
static int64_t exponent(str s)
{
    const int64_t huge = INT64_C(1) << 60;
    bool minus = str_starts(s, STR("-"));
    int64_t n;
    if (str_to_int(str_starts(s, STR("+")) ? str_skip(s, 1) : s, &n) && n > -huge &&
        n < huge)
        return n;
    return minus ? -huge : huge;
}

/* A number with a fraction or exponent that is still an integer. */
static bool decimal_to_int(str raw, int64_t *out)
{
    size_t e = 0;
    while (e < raw.n && raw.p[e] != 'e' && raw.p[e] != 'E')
        e++;
    bool minus = raw.p[0] == '-';
    str mantissa = str_slice(raw, minus, e);
    int64_t power = e < raw.n ? exponent(str_skip(raw, e + 1)) : 0;
    size_t dot = str_find_char(mantissa, '.');
    if (dot != STR_NONE)
        power -= (int64_t)(mantissa.n - dot - 1);
    for (; mantissa.n > 0 && strchr("0.", mantissa.p[mantissa.n - 1]); mantissa.n--)
        power += mantissa.p[mantissa.n - 1] == '0';

    int64_t n = 0; /* negative, since that range is larger by one */
    for (size_t i = 0; i < mantissa.n; i++)
        if (mantissa.p[i] != '.' && (__builtin_mul_overflow(n, 10, &n) ||
                                     __builtin_sub_overflow(n, mantissa.p[i] - '0', &n)))
            return false;
    for (; n != 0 && power > 0; power--)
        if (__builtin_mul_overflow(n, 10, &n))
            return false;
    if ((n != 0 && power < 0) || (n == INT64_MIN && !minus))
        return false;
    *out = minus ? n : -n;
    return true;
}

bool json_int(const struct json *j, int64_t *out)
{
    return json_is(j, JSON_NUMBER) &&
           (str_to_int(j->raw, out) || decimal_to_int(j->raw, out));
}

bool json_num(const struct json *j, double *out)
{
    if (!json_is(j, JSON_NUMBER))
        return false;
    double d = number_read(j->raw);
    if (!isfinite(d))
        return false;
    *out = d;
    return true;
}
