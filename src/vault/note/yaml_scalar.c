#include "vault/note/yaml_scalar.h"

#include <math.h>

#include "base/json_write.h"
#include "base/map.h"
#include "base/os/number.h"
#include "base/text.h"

enum { FEW_KEYS = 16 }; /* up to this number, all are compared with each other */

static bool one_of(str s, const char *const *words)
{
    for (; *words != NULL; words++)
        if (str_eq(s, str_c(*words)))
            return true;
    return false;
}

static size_t skip_sign(str s)
{
    return s.n > 0 && (s.p[0] == '-' || s.p[0] == '+') ? 1 : 0;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? with a point or an exponent */
static bool is_float(str s)
{
    size_t start = skip_sign(s), at = text_skip_digits(s, start), whole = at - start;
    bool point = at < s.n && s.p[at] == '.';
    if (point) {
        size_t from = at + 1;
        at = text_skip_digits(s, from);
        whole += at - from;
    }
    if (whole == 0)
        return false;
    if (at == s.n)
        return point;
    if (s.p[at] != 'e' && s.p[at] != 'E')
        return false;
    str power = str_skip(s, at + 1);
    at = skip_sign(power);
    return at < power.n && text_skip_digits(power, at) == power.n;
}

static bool read_special(struct prop *p)
{
    static const char *const infinite[] = {".inf", ".Inf", ".INF", NULL};
    static const char *const not_a_number[] = {".nan", ".NaN", ".NAN", NULL};
    if (one_of(str_skip(p->text, skip_sign(p->text)), infinite))
        p->real = p->text.p[0] == '-' ? -INFINITY : INFINITY;
    else if (one_of(p->text, not_a_number))
        p->real = NAN;
    else
        return false;
    p->type = PROP_FLOAT;
    return true;
}

static int digit_of(char c)
{
    if (is_digit(c))
        return c - '0';
    return is_hex(to_lower(c)) ? to_lower(c) - 'a' + 10 : 16;
}

/* Read digits in that base into *p; false if there are none or some are not digits. */
static bool read_int(struct prop *p, str digits, int base, bool minus)
{
    int64_t number = 0;
    double real = 0;
    bool fits = true;
    for (size_t i = 0; i < digits.n; i++) {
        int digit = digit_of(digits.p[i]);
        if (digit >= base)
            return false;
        real = real * base + digit;
        fits = fits && !__builtin_mul_overflow(number, base, &number) &&
               !__builtin_sub_overflow(number, digit,
                                       &number); /* negative: the range is larger */
    }
    if (digits.n == 0)
        return false;
    if (fits && (minus || !__builtin_sub_overflow((int64_t)0, number, &number))) {
        p->type = PROP_INT;
        p->number = number;
        return true;
    }
    p->type = PROP_FLOAT;
    p->real = base == 10 ? number_read(p->text) : real;
    return true;
}

static bool read_number(struct prop *p)
{
    str s = p->text;
    if (str_starts(s, STR("0o")) && read_int(p, str_skip(s, 2), 8, false))
        return true;
    if (str_starts(s, STR("0x")) && read_int(p, str_skip(s, 2), 16, false))
        return true;
    if (read_int(p, str_skip(s, skip_sign(s)), 10, s.n > 0 && s.p[0] == '-'))
        return true;
    if (!is_float(s))
        return read_special(p);
    p->type = PROP_FLOAT;
    p->real = number_read(s);
    return true;
}

void yaml_scalar_plain(struct prop *p)
{
    static const char *const null_words[] = {"~", "null", "Null", "NULL", NULL};
    static const char *const true_words[] = {"true", "True", "TRUE", NULL};
    static const char *const false_words[] = {"false", "False", "FALSE", NULL};
    p->type = PROP_TEXT;
    if (p->text.n == 0) {
        p->type = PROP_NULL;
        return;
    }
    switch (p->text.p[0]) {
    case '~':
    case 'n':
    case 'N':
        if (one_of(p->text, null_words))
            p->type = PROP_NULL;
        return;
    case 't':
    case 'T':
    case 'f':
    case 'F':
        p->flag = one_of(p->text, true_words);
        if (p->flag || one_of(p->text, false_words))
            p->type = PROP_BOOL;
        return;
    default:
        if (is_digit(p->text.p[0]) || strchr("+-.", p->text.p[0]) != NULL)
            (void)read_number(p);
    }
}

void yaml_scalar_tagged(struct prop *p, str tag)
{
    static const struct {
        const char *tag;
        enum prop_type type;
    } known[] = {
        {"tag:yaml.org,2002:null", PROP_NULL},
        {"tag:yaml.org,2002:bool", PROP_BOOL},
        {"tag:yaml.org,2002:int", PROP_INT},
        {"tag:yaml.org,2002:float", PROP_FLOAT},
    };
    yaml_scalar_plain(p);
    for (size_t i = 0; i < COUNT_OF(known); i++)
        if (str_eq(tag, str_c(known[i].tag)) && p->type == known[i].type)
            return;
    p->type = PROP_TEXT;
}

size_t yaml_scalar_marks(str raw)
{
    size_t at = 0;
    while (at < raw.n && (raw.p[at] == '&' || raw.p[at] == '!')) {
        while (at < raw.n && (unsigned char)raw.p[at] > ' ')
            at++;
        while (at < raw.n && (unsigned char)raw.p[at] <= ' ')
            at++;
    }
    return at;
}

static void yaml_scalar_add_value(struct sbuf *out, const struct prop *p);

static void add_number(struct sbuf *out, const struct prop *p)
{
    struct jsonw w = JSONW_ON(out);
    if (isfinite(p->real))
        jsonw_num(&w, p->real);
    else if (isnan(p->real))
        sbuf_add(out, STR("NaN"));
    else
        sbuf_add(out, p->real < 0 ? STR("-Infinity") : STR("Infinity"));
}

static void add_collection(struct sbuf *out, const struct prop *p)
{
    sbuf_char(out, p->type == PROP_MAP ? '{' : '[');
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        sbuf_add(out, c == p->child ? STR(" ") : STR(", "));
        sbuf_add(out, c->key);
        if (p->type == PROP_MAP && c->type != PROP_NULL)
            sbuf_add(out, STR(": "));
        yaml_scalar_add_value(out, c);
    }
    sbuf_add(out, p->n > 0 ? STR(" ") : STR(""));
    sbuf_char(out, p->type == PROP_MAP ? '}' : ']');
}

static void yaml_scalar_add_value(struct sbuf *out, const struct prop *p)
{
    switch (p->type) {
    case PROP_NULL:
        break;
    case PROP_BOOL:
        sbuf_add(out, p->flag ? STR("true") : STR("false"));
        break;
    case PROP_INT:
        sbuf_printf(out, "%lld", (long long)p->number);
        break;
    case PROP_FLOAT:
        add_number(out, p);
        break;
    case PROP_TEXT:
        sbuf_add(out, p->text);
        break;
    case PROP_LIST:
    case PROP_MAP:
        add_collection(out, p);
        break;
    }
}

str yaml_key_text(struct arena *a, const struct prop *key)
{
    if (key->type == PROP_TEXT)
        return key->text;
    struct sbuf out = SBUF_ON(a);
    yaml_scalar_add_value(&out, key);
    return sbuf_str(&out);
}

const struct prop *yaml_key_twice(const struct prop *map)
{
    const struct prop *m = map->child;
    if (map->n <= FEW_KEYS) {
        for (; m != NULL; m = m->next)
            for (const struct prop *before = map->child; before != m;
                 before = before->next)
                if (str_eq(m->key, before->key))
                    return m;
        return NULL;
    }
    struct map keys = {0};
    while (m != NULL && map_add_new(&keys, m->key))
        m = m->next;
    map_release(&keys);
    return m;
}
