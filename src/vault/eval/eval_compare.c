/* Operators that give true or false. */
#include <math.h>

#include "base/path.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/eval/eval_parts.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"
#include "vault/text/regex.h"

static bool relation_holds(enum expr_op op, enum value_relation is)
{
    switch (op) {
    case EXPR_LESS:
        return is == VALUE_LESS;
    case EXPR_LESS_EQUAL:
        return is == VALUE_LESS || is == VALUE_SAME;
    case EXPR_GREATER:
        return is == VALUE_GREATER;
    default:
        return is == VALUE_GREATER || is == VALUE_SAME;
    }
}

static enum value_relation relation(int order)
{
    return order < 0 ? VALUE_LESS : order > 0 ? VALUE_GREATER : VALUE_SAME;
}

/* --- any item of a list (vault_query) --- */

static bool matches_line(struct eval *e, const struct regex *regex, str text)
{
    str line;
    uint32_t start, end;
    while (text_take_line(&text, &line))
        if (regex_find(regex, eval_scratch(e), line, &start, &end))
            return true;
    return false;
}

/* Text operators on one scalar; want is already folded. */
static bool text_holds(struct eval *e, enum expr_op op, const struct value *have,
                       const struct value *want)
{
    struct arena *a = e->reader.arena;
    if (have->type == VALUE_NULL || have->type == VALUE_MAP)
        return false;
    str text = value_plain(a, have);
    if (op == EXPR_MATCHES)
        return matches_line(e, want->regexp, text);
    str part = utf8_fold(a, value_plain(a, want));
    text = utf8_fold(a, text);
    if (have->type == VALUE_TAG && op == EXPR_STARTS && str_starts(part, STR("#")))
        part = str_skip(part, 1);
    if (op == EXPR_STARTS)
        return str_starts(text, part);
    return op == EXPR_ENDS ? str_ends(text, part) : path_is_or_below(part, text);
}

static bool any_item_holds(struct eval *e, enum expr_op op, const struct value *have,
                           const struct value *want)
{
    if (op == EXPR_EQUAL || op == EXPR_NOT_EQUAL)
        return value_equal(&e->reader, have, want) == (op == EXPR_EQUAL);
    if (op == EXPR_CONTAINS)
        return value_contains(&e->reader, have, want);
    if (have->type == VALUE_LIST) {
        struct value_items it = {.list = have};
        for (struct value item; value_next(&e->reader, &it, &item);)
            if (any_item_holds(e, op, &item, want))
                return true;
        return false;
    }
    if (op >= EXPR_LESS && op <= EXPR_GREATER_EQUAL)
        return relation_holds(op, value_relate(&e->reader, have, want));
    return text_holds(e, op, have, want);
}

/* --- whole values (Bases, DQL) --- */

/* A text as a value of the type it is compared with; false if it is not one. */
static bool read_as(struct eval *e, const struct value *text, enum value_type type,
                    struct value *out)
{
    struct duration duration;
    struct date date;
    if (text->type != VALUE_TEXT)
        return false;
    if (type == VALUE_DATE) {
        size_t n = date_parse(text->text, e->reader.utc_offset, &date);
        *out = value_date(date);
        return n > 0 && n == text->text.n;
    }
    if (type != VALUE_DURATION ||
        !duration_parse(text->text, e->dialect->units, &duration))
        return false;
    *out = value_duration(duration);
    return true;
}

/* Booleans count as 0 and 1, durations as milliseconds. */
static bool as_number(const struct value *v, double *out)
{
    if (v->type == VALUE_NUMBER)
        *out = v->real;
    else if (v->type == VALUE_BOOL)
        *out = v->truth;
    else if (v->type == VALUE_DURATION)
        *out = duration_ms(v->duration);
    else
        return false;
    return true;
}

static enum value_relation relate_whole(struct eval *e, const struct value *a,
                                        const struct value *b)
{
    struct value read;
    double x, y;
    if (e->dialect->compares.coerced && read_as(e, a, b->type, &read))
        return relate_whole(e, &read, b);
    if (e->dialect->compares.coerced && read_as(e, b, a->type, &read))
        return relate_whole(e, a, &read);
    if (as_number(a, &x) && as_number(b, &y))
        return isnan(x) || isnan(y) ? VALUE_APART : relation(x < y ? -1 : x > y);
    if (a->type == VALUE_DATE && b->type == VALUE_DATE)
        return relation(date_compare(a->date, b->date));
    bool texts = (a->type == VALUE_TEXT || a->type == VALUE_TAG) &&
                 (b->type == VALUE_TEXT || b->type == VALUE_TAG);
    return texts ? relation(str_cmp(a->text, b->text)) : VALUE_APART;
}

static enum value_relation relate(struct eval *e, const struct value *a,
                                  const struct value *b)
{
    if (!e->dialect->compares.across_types)
        return relate_whole(e, a, b);
    if (a->type == VALUE_DATE && b->type == VALUE_DATE)
        return relation(date_compare(a->date, b->date));
    struct value x = value_key(&e->reader, a), y = value_key(&e->reader, b);
    return relation(value_order(&x, &y));
}

bool eval_compare(struct eval *e, enum expr_op op, const struct value *left,
                  const struct value *right)
{
    if (e->dialect->compares.any_item)
        return any_item_holds(e, op, left, right);
    if (op == EXPR_EQUAL || op == EXPR_NOT_EQUAL)
        return value_same(&e->reader, left, right) == (op == EXPR_EQUAL);
    if (op >= EXPR_LESS && op <= EXPR_GREATER_EQUAL)
        return relation_holds(op, relate(e, left, right));
    return any_item_holds(e, op, left, right);
}
