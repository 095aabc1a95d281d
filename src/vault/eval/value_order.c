/* The order in which values are sorted: by a key that is made once for each. */
#include <math.h>

#include "base/sbuf.h"
#include "base/utf8.h"
#include "vault/eval/dialect.h"
#include "vault/eval/value.h"

enum { RANK_LAST = 255 };

/* Exact for 64-bit integers as well as doubles, so the order has no cycles. */
int value_number_order(const struct value *a, const struct value *b)
{
    if (isnan(a->real) || isnan(b->real)) /* NaN comes after all numbers */
        return !!isnan(a->real) - !!isnan(b->real);
    long double x = a->is_integer ? (long double)a->number : (long double)a->real;
    long double y = b->is_integer ? (long double)b->number : (long double)b->real;
    return x < y ? -1 : x > y;
}

/* Dataview sorts types by their names: array, boolean, date, ... */
static uint8_t rank_by_name(enum value_type t)
{
    static const uint8_t ranks[VALUE_TYPES] = {
        [VALUE_LIST] = 1, [VALUE_BOOL] = 2,  [VALUE_DATE] = 3,   [VALUE_DURATION] = 4,
        [VALUE_HTML] = 5, [VALUE_LINK] = 6,  [VALUE_FILE] = 6,   [VALUE_NUMBER] = 7,
        [VALUE_MAP] = 8,  [VALUE_ROW] = 8,   [VALUE_TEXT] = 9,   [VALUE_TAG] = 9,
        [VALUE_ICON] = 9, [VALUE_IMAGE] = 9, [VALUE_REGEXP] = 9,
    };
    return ranks[t];
}

static uint8_t rank_of(const struct dialect *d, enum value_type t)
{
    bool nothing = t == VALUE_NULL || t == VALUE_ERROR;
    if (nothing)
        return d != NULL && d->sorts.null_first ? 0 : RANK_LAST;
    if (d != NULL && d->compares.across_types)
        return rank_by_name(t);
    if (d != NULL && d->sorts.texts_apart)
        return t == VALUE_TAG ? VALUE_TEXT : (uint8_t)t;
    return t == VALUE_LINK || t == VALUE_TAG ? VALUE_TEXT : (uint8_t)t;
}

/* Types without an order of their own are sorted by their printed form. */
static struct value printed_key(const struct value_reader *r, const struct value *v)
{
    struct value key = {.type = VALUE_MAP, .rank = rank_of(r->dialect, v->type)};
    struct sbuf text = SBUF_ON(r->arena);
    value_print(&text, v);
    key.text = sbuf_str(&text);
    return key;
}

static str sort_text(const struct dialect *d, const struct value *v)
{
    if (v->type != VALUE_LINK)
        return v->text;
    if (d != NULL && d->sorts.texts_apart)
        return v->display.n > 0 ? v->display : value_link_text(v);
    return v->path;
}

static struct value text_key(const struct value_reader *r, const struct value *v)
{
    if (v->type == VALUE_TEXT && v->describes_date) {
        struct value date = value_date(v->date);
        return value_key(r, &date);
    }
    str text = sort_text(r->dialect, v);
    struct value key = {.type = VALUE_TEXT,
                        .rank = rank_of(r->dialect, v->type),
                        .text = utf8_fold(r->arena, text)};
    if (r->dialect != NULL && !r->dialect->compares.folded)
        key.path = text; /* what differs in case only is in the order of its bytes */
    return key;
}

static struct value list_key(const struct value_reader *r, const struct value *v)
{
    struct value key = {.type = VALUE_LIST, .rank = rank_of(r->dialect, v->type)};
    struct value *items = ARENA_ARRAY(r->arena, struct value, v->n);
    struct value_items it = {.list = v};
    for (struct value item; value_next(r, &it, &item);)
        items[key.n++] =
            item.type == VALUE_LIST ? printed_key(r, &item) : value_key(r, &item);
    key.items = items;
    return key;
}

struct value value_key(const struct value_reader *r, const struct value *v)
{
    struct value key = *v;
    switch (v->type) {
    case VALUE_MAP:
    case VALUE_ROW:
        return printed_key(r, v);
    case VALUE_LIST:
        return list_key(r, v);
    case VALUE_NULL:
    case VALUE_ERROR:
        key = value_null();
        break;
    case VALUE_NUMBER:
    case VALUE_DATE:
    case VALUE_DURATION:
    case VALUE_BOOL:
        break;
    default:
        return text_key(r, v);
    }
    key.rank = rank_of(r->dialect, v->type);
    return key;
}

static int list_order(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        int order = value_order(&a->items[i], &b->items[i]);
        if (order != 0)
            return order;
    }
    return a->n < b->n ? -1 : a->n > b->n;
}

static int duration_order(const struct value *a, const struct value *b)
{
    double x = duration_ms(a->duration), y = duration_ms(b->duration);
    return x < y ? -1 : x > y;
}

int value_order(const struct value *a, const struct value *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    int order;
    switch (a->type) {
    case VALUE_NUMBER:
        return value_number_order(a, b);
    case VALUE_DATE:
        return date_order(a->date, b->date);
    case VALUE_DURATION:
        return duration_order(a, b);
    case VALUE_TEXT:
    case VALUE_MAP:
        order = str_cmp(a->text, b->text);
        return order != 0 ? order : str_cmp(a->path, b->path);
    case VALUE_BOOL:
        return a->truth - b->truth;
    case VALUE_LIST:
        return list_order(a, b);
    default:
        return 0;
    }
}
