/* How values compare: for filters by type and meaning, for sorting by a total order. */
#include <math.h>

#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/eval/value.h"

/* Exact for 64-bit integers as well as doubles, so the order has no cycles. */
static long double exact(const struct value *v)
{
    return v->flag ? (long double)v->number : (long double)v->real;
}

static int number_order(const struct value *a, const struct value *b)
{
    if (isnan(a->real) || isnan(b->real)) /* NaN comes after all numbers */
        return !!isnan(a->real) - !!isnan(b->real);
    return exact(a) < exact(b) ? -1 : exact(a) > exact(b);
}

static bool same_text(const struct value_reader *r, str a, str b)
{
    return str_eq(a, b) || str_eq(utf8_fold(r->arena, a), utf8_fold(r->arena, b));
}

/* --- equal --- */

static str without_hash(str s)
{
    return str_starts(s, STR("#")) ? str_skip(s, 1) : s;
}

/* The same tag, or one below it. */
static bool tag_equal(const struct value_reader *r, str have, str want)
{
    have = utf8_fold(r->arena, without_hash(have));
    want = utf8_fold(r->arena, without_hash(want));
    return want.n > 0 && path_is_or_below(want, have);
}

static bool link_equal(const struct value_reader *r, const struct value *a,
                       const struct value *b)
{
    if (a->target != NO_FILE || b->target != NO_FILE)
        if (a->target == b->target)
            return true;
    if (a->type == VALUE_LINK && b->type == VALUE_LINK)
        return a->target == NO_FILE && b->target == NO_FILE &&
               same_text(r, a->path, b->path);
    const struct value *link = a->type == VALUE_LINK ? a : b;
    const struct value *text = a->type == VALUE_LINK ? b : a;
    return text->type == VALUE_TEXT && same_text(r, link->path, text->text);
}

static bool reads_as_number(str text, const struct value *number)
{
    char copy[64], *end;
    text = str_trim(text);
    if (text.n == 0 || text.n >= sizeof(copy) ||
        str_find_char(STR("+-.0123456789"), text.p[0]) == STR_NONE)
        return false;
    memcpy(copy, text.p, text.n);
    copy[text.n] = '\0';
    double d = strtod(copy, &end);
    return *end == '\0' && d == number->real;
}

/* A text that spells the number or boolean. */
static bool spells(const struct value *text, const struct value *v)
{
    if (v->type == VALUE_NUMBER)
        return reads_as_number(text->text, v);
    return v->type == VALUE_BOOL &&
           str_eq_nocase(text->text, v->flag ? STR("true") : STR("false"));
}

static bool has_type(const struct value *a, const struct value *b, enum value_type type)
{
    return a->type == type || b->type == type;
}

static bool scalar_equal(const struct value_reader *r, const struct value *have,
                         const struct value *want)
{
    if (has_type(have, want, VALUE_NULL) || has_type(have, want, VALUE_MAP))
        return have->type == VALUE_NULL && want->type == VALUE_NULL;
    if (has_type(have, want, VALUE_TAG))
        return tag_equal(r, have->text, want->text);
    if (has_type(have, want, VALUE_LINK))
        return link_equal(r, have, want);
    if (have->type == want->type)
        return value_relate(r, have, want) == VALUE_SAME;
    return (want->type == VALUE_TEXT && spells(want, have)) ||
           (have->type == VALUE_TEXT && spells(have, want));
}

bool value_equal(const struct value_reader *r, const struct value *have,
                 const struct value *want)
{
    bool in_have = have->type == VALUE_LIST;
    if (!in_have && want->type != VALUE_LIST)
        return scalar_equal(r, have, want);
    if (has_type(have, want, VALUE_NULL)) /* a list is not null, even if an item is */
        return false;
    struct value_items it = {.list = in_have ? have : want};
    for (struct value item; value_next(r, &it, &item);)
        if (in_have ? value_equal(r, &item, want) : value_equal(r, have, &item))
            return true;
    return false;
}

static bool has_key(const struct value_reader *r, const struct value *map, str key)
{
    for (const struct prop *p = map->props; p != NULL; p = p->next)
        if (same_text(r, p->key, key))
            return true;
    return false;
}

bool value_contains(const struct value_reader *r, const struct value *a,
                    const struct value *b)
{
    if (a->type == VALUE_LIST || b->type == VALUE_LIST)
        return value_equal(r, a, b);
    if (has_type(a, b, VALUE_NULL))
        return false;
    str part = value_plain(r->arena, b);
    if (a->type == VALUE_MAP)
        return has_key(r, a, part);
    if (b->type == VALUE_LINK && value_equal(r, a, b))
        return true;
    str whole = utf8_fold(r->arena, value_plain(r->arena, a));
    return str_find(whole, utf8_fold(r->arena, part)) != STR_NONE;
}

/* --- less and greater --- */

static bool is_textual(enum value_type t)
{
    return t == VALUE_TEXT || t == VALUE_LINK || t == VALUE_TAG;
}

static str sort_text(const struct value *v)
{
    return v->type == VALUE_LINK ? v->path : v->text;
}

enum value_relation value_relate(const struct value_reader *r, const struct value *a,
                                 const struct value *b)
{
    int order;
    if (a->type == VALUE_NUMBER && b->type == VALUE_NUMBER) {
        if (isnan(a->real) || isnan(b->real))
            return VALUE_APART;
        order = number_order(a, b);
    } else if (a->type == VALUE_DATE && b->type == VALUE_DATE) {
        order = date_compare(a->date, b->date);
    } else if (a->type == VALUE_BOOL && b->type == VALUE_BOOL) {
        order = a->flag - b->flag;
    } else if (is_textual(a->type) && is_textual(b->type)) {
        order =
            str_cmp(utf8_fold(r->arena, sort_text(a)), utf8_fold(r->arena, sort_text(b)));
    } else {
        return VALUE_APART;
    }
    return order < 0 ? VALUE_LESS : order > 0 ? VALUE_GREATER : VALUE_SAME;
}

/* --- sorting --- */

/* Types without an order of their own are sorted by their printed form. */
static struct value printed_key(const struct value_reader *r, const struct value *v)
{
    struct value key = {.type = v->type};
    struct sbuf text = SBUF_ON(r->arena);
    value_print(&text, v);
    key.text = sbuf_str(&text);
    return key;
}

struct value value_key(const struct value_reader *r, const struct value *v)
{
    struct value key = *v;
    if (v->type == VALUE_MAP)
        return printed_key(r, v);
    if (is_textual(v->type))
        key.text = key.path = utf8_fold(r->arena, sort_text(v));
    if (v->type != VALUE_LIST)
        return key;
    struct value *items = ARENA_ARRAY(r->arena, struct value, v->n);
    struct value_items it = {.list = v};
    key.n = 0;
    for (struct value item; value_next(r, &it, &item);)
        items[key.n++] =
            item.type == VALUE_LIST ? printed_key(r, &item) : value_key(r, &item);
    key.items = items;
    key.props = NULL;
    return key;
}

static int rank(enum value_type t)
{
    if (t == VALUE_NULL)
        return VALUE_MAP + 1;
    return is_textual(t) ? VALUE_TEXT : (int)t;
}

static int list_order(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        int order = value_order(&a->items[i], &b->items[i]);
        if (order != 0)
            return order;
    }
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    return str_cmp(a->text, b->text);
}

int value_order(const struct value *a, const struct value *b)
{
    if (rank(a->type) != rank(b->type))
        return rank(a->type) < rank(b->type) ? -1 : 1;
    switch (a->type) {
    case VALUE_NUMBER:
        return number_order(a, b);
    case VALUE_DATE:
        return date_order(a->date, b->date);
    case VALUE_TEXT:
    case VALUE_LINK:
    case VALUE_TAG:
    case VALUE_MAP:
        return str_cmp(a->text, b->text);
    case VALUE_BOOL:
        return a->flag - b->flag;
    case VALUE_LIST:
        return list_order(a, b);
    default:
        return 0;
    }
}
