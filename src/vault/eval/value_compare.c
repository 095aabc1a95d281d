/* How values compare: for filters by type and meaning, for sorting by a total order. */
#include <math.h>

#include "base/path.h"
#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/eval/dialect.h"
#include "vault/eval/value.h"

static bool same_text(const struct value_reader *r, str a, str b)
{
    return str_eq(a, b) || str_eq(utf8_fold(r->arena, a), utf8_fold(r->arena, b));
}

/* --- equal --- */

static str value_compare_without_hash(str s)
{
    return str_starts(s, STR("#")) ? str_skip(s, 1) : s;
}

/* The same tag, or one below it. */
static bool tag_equal(const struct value_reader *r, str have, str want)
{
    have = utf8_fold(r->arena, value_compare_without_hash(have));
    want = utf8_fold(r->arena, value_compare_without_hash(want));
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
    double d;
    return value_read_number(text, &d) && d == number->real;
}

/* A text that spells the number or boolean. */
static bool spells(const struct value *text, const struct value *v)
{
    if (v->type == VALUE_NUMBER)
        return reads_as_number(text->text, v);
    return v->type == VALUE_BOOL &&
           str_eq_nocase(text->text, v->truth ? STR("true") : STR("false"));
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
    if (have->type >= VALUE_REGEXP || want->type >= VALUE_REGEXP)
        return value_same(r, have, want);
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
        order = value_number_order(a, b);
    } else if (a->type == VALUE_DATE && b->type == VALUE_DATE) {
        order = date_compare(a->date, b->date);
    } else if (a->type == VALUE_BOOL && b->type == VALUE_BOOL) {
        order = a->truth - b->truth;
    } else if (a->type == VALUE_DURATION && b->type == VALUE_DURATION) {
        double x = duration_ms(a->duration), y = duration_ms(b->duration);
        order = x < y ? -1 : x > y;
    } else if (value_is_textual(a) && value_is_textual(b)) {
        order =
            str_cmp(utf8_fold(r->arena, sort_text(a)), utf8_fold(r->arena, sort_text(b)));
    } else {
        return VALUE_APART;
    }
    return order < 0 ? VALUE_LESS : order > 0 ? VALUE_GREATER : VALUE_SAME;
}

/* --- the same --- */

static bool text_same(const struct value_reader *r, str a, str b)
{
    bool folds = r->dialect == NULL || r->dialect->compares.folded;
    return folds ? same_text(r, a, b) : str_eq(a, b);
}

static bool leads(const struct value *v)
{
    return v->type == VALUE_LINK || v->type == VALUE_FILE;
}

static bool target_same(const struct value_reader *r, const struct value *a,
                        const struct value *b)
{
    if (a->target != NO_FILE || b->target != NO_FILE)
        return a->target == b->target;
    return same_text(r, a->path, b->path);
}

/* A text as the type of the other value. */
static bool text_spells(const struct value_reader *r, str text, const struct value *v)
{
    struct date date;
    struct duration duration;
    struct value link;
    size_t n;
    switch (v->type) {
    case VALUE_NUMBER:
        return reads_as_number(text, v);
    case VALUE_DATE:
        n = date_parse(text, r->utc_offset, &date);
        return n > 0 && n == text.n && date_compare(date, v->date) == 0;
    case VALUE_DURATION:
        return duration_parse(text, r->dialect->units, &duration) &&
               duration_ms(duration) == duration_ms(v->duration);
    case VALUE_LINK:
        link = value_link(r, text, (str){0});
        return target_same(r, &link, v);
    default:
        return false;
    }
}

static bool lists_same(const struct value_reader *r, const struct value *a,
                       const struct value *b)
{
    struct value_items in_a = {.list = a}, in_b = {.list = b};
    struct value x, y;
    if (a->n != b->n)
        return false;
    while (value_next(r, &in_a, &x) && value_next(r, &in_b, &y))
        if (!value_same(r, &x, &y))
            return false;
    return true;
}

/* Both maps in one form: keys and items. */
static struct value spelt_out(const struct value_reader *r, const struct value *map)
{
    if (map->items != NULL || map->n == 0)
        return *map;
    str *keys = ARENA_ARRAY(r->arena, str, map->n);
    struct value *items = ARENA_ARRAY(r->arena, struct value, map->n);
    struct value_items it = {.list = map};
    for (size_t i = 0; value_next(r, &it, &items[i]); i++)
        keys[i] = it.prop->key;
    return value_map(keys, items, map->n);
}

static bool maps_same(const struct value_reader *r, const struct value *a,
                      const struct value *b)
{
    struct value x = spelt_out(r, a), y = spelt_out(r, b);
    for (size_t i = 0; x.n == y.n && i < x.n; i++) {
        struct value other = value_member(r, &y, x.keys[i]);
        if (!value_same(r, &x.items[i], &other))
            return false;
    }
    return x.n == y.n;
}

static bool type_same(const struct value_reader *r, const struct value *a,
                      const struct value *b)
{
    switch (a->type) {
    case VALUE_NULL:
        return true;
    case VALUE_NUMBER:
        return !isnan(a->real) && value_number_order(a, b) == 0;
    case VALUE_DATE:
        return date_compare(a->date, b->date) == 0;
    case VALUE_DURATION:
        return duration_ms(a->duration) == duration_ms(b->duration);
    case VALUE_BOOL:
        return a->truth == b->truth;
    case VALUE_LIST:
        return lists_same(r, a, b);
    case VALUE_MAP:
        return maps_same(r, a, b);
    case VALUE_ROW:
        return a->row == b->row;
    case VALUE_ERROR:
        return false;
    default:
        return text_same(r, a->text, b->text);
    }
}

bool value_same(const struct value_reader *r, const struct value *a,
                const struct value *b)
{
    bool coerces = r->dialect != NULL && r->dialect->compares.coerced;
    if (leads(a) && leads(b))
        return target_same(r, a, b);
    if (has_type(a, b, VALUE_TAG) && value_is_textual(a) && value_is_textual(b))
        return same_text(r, value_compare_without_hash(a->text),
                         value_compare_without_hash(b->text));
    if (a->type == b->type)
        return type_same(r, a, b);
    if (coerces && a->type == VALUE_TEXT)
        return text_spells(r, a->text, b);
    return coerces && b->type == VALUE_TEXT && text_spells(r, b->text, a);
}
