/* Values as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/text.h"
#include "vault/eval/value.h"
#include "vault/eval/value_duration.h"
#include "vault/index/file.h"
#include "vault/note/prop.h"

/* --- numbers --- */

/* The fewest digits that give the same number again, and where the point is. */
static int shortest(double d, char digits[20], int *point)
{
    char text[40];
    int n = 0, precision = 14;
    do
        snprintf(text, sizeof(text), "%.*e", precision, d);
    while (precision++ < 16 && strtod(text, NULL) != d);
    for (const char *p = text; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    *point = (int)strtol(strchr(text, 'e') + 1, NULL, 10) + 1;
    return n;
}

static void add_zeros(struct sbuf *b, int n)
{
    while (n-- > 0)
        sbuf_char(b, '0');
}

static void add_exponent(struct sbuf *b, const char *digits, int n, int point)
{
    sbuf_char(b, digits[0]);
    if (n > 1)
        sbuf_char(b, '.');
    sbuf_add(b, (str){digits + 1, (size_t)n - 1});
    sbuf_printf(b, "e%+d", point - 1);
}

str value_number_text(struct arena *a, double d)
{
    if (isnan(d))
        return STR("NaN");
    if (isinf(d))
        return d > 0 ? STR("Infinity") : STR("-Infinity");
    if (d == trunc(d) && fabs(d) < 1e15)
        return arena_printf(a, "%" PRId64, (int64_t)d);
    char digits[20];
    int point, n = shortest(fabs(d), digits, &point);
    struct sbuf b = SBUF_ON(a);
    if (d < 0)
        sbuf_char(&b, '-');
    if (point > 21 || point <= -6) {
        add_exponent(&b, digits, n, point);
    } else if (point <= 0) {
        sbuf_add(&b, STR("0."));
        add_zeros(&b, -point);
        sbuf_add(&b, (str){digits, (size_t)n});
    } else {
        int whole = n < point ? n : point;
        sbuf_add(&b, (str){digits, (size_t)whole});
        add_zeros(&b, point - n);
        if (n > point)
            sbuf_char(&b, '.');
        sbuf_add(&b, (str){digits + whole, (size_t)(n - whole)});
    }
    return sbuf_str(&b);
}

bool value_read_number(str s, double *out)
{
    char copy[64], *end;
    s = str_trim_line(s);
    if (s.n == 0 || s.n >= sizeof(copy))
        return false;
    for (size_t i = 0; i < s.n; i++) /* no hex, no names */
        if (!is_digit(s.p[i]) && str_find_char(STR("+-.eE"), s.p[i]) == STR_NONE)
            return false;
    memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    *out = strtod(copy, &end);
    return *end == '\0';
}

/* --- text --- */

static str number_text(struct arena *a, const struct value *v)
{
    return v->is_integer ? arena_printf(a, "%" PRId64, v->number)
                         : value_number_text(a, v->real);
}

static str row_text(const struct row *row)
{
    return row->file != NULL ? row->file->path : (str){0};
}

str value_plain(struct arena *a, const struct value *v)
{
    char date[DATE_TEXT_SIZE];
    if (v->type == VALUE_BOOL)
        return v->truth ? STR("true") : STR("false");
    if (v->type == VALUE_NULL || v->type == VALUE_LIST || v->type == VALUE_MAP)
        return (str){0};
    if (v->text.n > 0)
        return v->text;
    switch (v->type) {
    case VALUE_NUMBER:
        return number_text(a, v);
    case VALUE_DATE:
        return arena_str(a, date_text(v->date, date));
    case VALUE_DURATION:
        return duration_words(a, duration_ms(v->duration));
    case VALUE_ROW:
        return row_text(v->row);
    default:
        return v->text;
    }
}

const char *value_type_name(enum value_type type)
{
    static const char *const names[VALUE_TYPES] = {
        [VALUE_NULL] = "null",    [VALUE_NUMBER] = "number",
        [VALUE_DATE] = "date",    [VALUE_DURATION] = "duration",
        [VALUE_TEXT] = "string",  [VALUE_LINK] = "link",
        [VALUE_TAG] = "string",   [VALUE_FILE] = "file",
        [VALUE_BOOL] = "boolean", [VALUE_LIST] = "list",
        [VALUE_MAP] = "object",   [VALUE_REGEXP] = "regexp",
        [VALUE_HTML] = "html",    [VALUE_IMAGE] = "image",
        [VALUE_ICON] = "icon",    [VALUE_ROW] = "object",
        [VALUE_ERROR] = "error",
    };
    return names[type];
}

static void add_text(const struct value_reader *r, struct sbuf *b, const struct value *v);

static void value_text_add_items(const struct value_reader *r, struct sbuf *b,
                                 const struct value *v)
{
    struct value_items it = {.list = v};
    size_t start = b->n;
    for (struct value item; b->n < VALUE_TEXT_MAX && value_next(r, &it, &item);) {
        if (b->n > start)
            sbuf_add(b, STR(", "));
        add_text(r, b, &item);
    }
}

static void add_text(const struct value_reader *r, struct sbuf *b, const struct value *v)
{
    char date[DATE_TEXT_SIZE];
    struct jsonw w = JSONW_ON(b);
    switch (v->type) {
    case VALUE_NUMBER:
        sbuf_add(b, value_number_text(r->arena, v->real));
        break;
    case VALUE_DATE:
        sbuf_add(b, date_text(v->date, date));
        break;
    case VALUE_LIST:
        value_text_add_items(r, b, v);
        break;
    case VALUE_MAP:
        value_json(&w, v);
        break;
    case VALUE_IMAGE:
        sbuf_printf(b, "![](" STR_FMT ")", STR_ARG(v->text));
        break;
    default:
        sbuf_add(b, value_plain(r->arena, v));
        break;
    }
}

str value_text_of(const struct value_reader *r, const struct value *v)
{
    if (v->type == VALUE_TEXT || v->type == VALUE_LINK)
        return v->text;
    struct sbuf b = SBUF_ON(r->arena);
    add_text(r, &b, v);
    return sbuf_str(&b);
}

/* --- JSON --- */

static void real_json(struct jsonw *w, double real)
{
    if (isfinite(real))
        jsonw_num(w, real);
    else
        jsonw_str(w, value_number_text(w->out->arena, real));
}

static void items_json(struct jsonw *w, const struct value *v)
{
    if (v->props != NULL) {
        struct prop p = {.type = v->type == VALUE_MAP ? PROP_MAP : PROP_LIST,
                         .child = (struct prop *)v->props};
        prop_json(w, &p);
        return;
    }
    if (v->type == VALUE_MAP)
        jsonw_object(w);
    else
        jsonw_array(w);
    for (size_t i = 0; v->items != NULL && i < v->n; i++) {
        if (v->type == VALUE_MAP)
            jsonw_key(w, v->keys[i]);
        value_json(w, &v->items[i]);
    }
    jsonw_end(w);
}

static void special_json(struct jsonw *w, const struct value *v)
{
    jsonw_object(w);
    if (v->type == VALUE_ERROR) {
        jsonw_put_str(w, STR("error"), v->text);
    } else {
        double ms = duration_ms(v->duration);
        jsonw_put_str(w, STR("duration"), duration_words(w->out->arena, ms));
        jsonw_key(w, STR("days"));
        real_json(w, ms / 86400000);
    }
    jsonw_end(w);
}

void value_json(struct jsonw *w, const struct value *v)
{
    switch (v->type) {
    case VALUE_NULL:
        jsonw_null(w);
        break;
    case VALUE_BOOL:
        jsonw_bool(w, v->truth);
        break;
    case VALUE_NUMBER:
        if (v->is_integer)
            jsonw_int(w, v->number);
        else if (v->text.n > 0) /* a property */
            jsonw_num(w, v->real);
        else
            real_json(w, v->real);
        break;
    case VALUE_LIST:
    case VALUE_MAP:
        items_json(w, v);
        break;
    case VALUE_DURATION:
    case VALUE_ERROR:
        special_json(w, v);
        break;
    default:
        jsonw_str(w, value_plain(w->out->arena, v));
        break;
    }
}

static void props_print(struct sbuf *out, const struct prop *first, bool map)
{
    for (const struct prop *p = first; p != NULL; p = p->next) {
        if (p != first)
            sbuf_add(out, STR(", "));
        if (map) {
            sbuf_add(out, p->key);
            sbuf_add(out, STR(": "));
        }
        if (p->type == PROP_MAP)
            sbuf_char(out, '{');
        if (p->type == PROP_LIST)
            sbuf_char(out, '[');
        if (p->type == PROP_MAP || p->type == PROP_LIST)
            props_print(out, p->child, p->type == PROP_MAP);
        else
            sbuf_add(out, p->text);
        if (p->type == PROP_LIST)
            sbuf_char(out, ']');
        if (p->type == PROP_MAP)
            sbuf_char(out, '}');
    }
}

void value_print(struct sbuf *out, const struct value *v)
{
    bool map = v->type == VALUE_MAP;
    if (!map && v->type != VALUE_LIST) {
        sbuf_add(out, value_plain(out->arena, v));
        return;
    }
    if (map)
        sbuf_char(out, '{');
    if (v->items == NULL)
        props_print(out, v->props, map);
    for (size_t i = 0; v->items != NULL && i < v->n; i++) {
        if (i > 0)
            sbuf_add(out, STR(", "));
        if (map)
            sbuf_printf(out, STR_FMT ": ", STR_ARG(v->keys[i]));
        value_print(out, &v->items[i]);
    }
    if (map)
        sbuf_char(out, '}');
}
