/* Arithmetic, and what the other operators have in common. */
#include <math.h>

#include "base/text.h"
#include "vault/eval/eval_parts.h"
#include "vault/eval/value.h"
#include "vault/eval/value_duration.h"

static str capital(char out[16], enum value_type type)
{
    str name = str_c(value_type_name(type));
    memcpy(out, name.p, name.n);
    out[0] = (char)(out[0] - ('a' - 'A'));
    return (str){out, name.n};
}

static struct value invalid(struct eval *e, enum value_type left, enum value_type right)
{
    char a[16], b[16];
    return eval_error(e, "Invalid operator between " STR_FMT " and " STR_FMT,
                      STR_ARG(capital(a, left)), STR_ARG(capital(b, right)));
}

static struct value numbers(enum expr_op op, double a, double b)
{
    switch (op) {
    case EXPR_ADD:
        return value_number(a + b);
    case EXPR_SUBTRACT:
        return value_number(a - b);
    case EXPR_MULTIPLY:
        return value_number(a * b);
    case EXPR_DIVIDE:
        return value_number(a / b);
    default:
        return value_number(fmod(a, b));
    }
}

static struct value concatenated(struct eval *e, const struct value *a,
                                 const struct value *b)
{
    str left = value_text_of(&e->reader, a), right = value_text_of(&e->reader, b);
    if (left.n + right.n > EVAL_TEXT_MAX)
        return eval_error(e, "the text is longer than %d bytes", EVAL_TEXT_MAX);
    char *p = arena_alloc(e->reader.arena, left.n + right.n + 1);
    memcpy(p, left.n > 0 ? left.p : "", left.n);
    memcpy(p + left.n, right.n > 0 ? right.p : "", right.n);
    return value_text((str){p, left.n + right.n});
}

static struct value lists_joined(struct eval *e, const struct value *a,
                                 const struct value *b)
{
    size_t n, more;
    const struct value *first = eval_items(e, a, &n), *then = eval_items(e, b, &more);
    struct value *all = ARENA_ARRAY(e->reader.arena, struct value, n + more);
    if (n > 0)
        memcpy(all, first, n * sizeof(*all));
    if (more > 0)
        memcpy(all + n, then, more * sizeof(*all));
    return eval_list(e, all, n + more);
}

static struct value date_moved(const struct value *date, enum expr_op op,
                               struct duration by)
{
    return value_date(
        duration_move(date->date, duration_times(by, op == EXPR_ADD ? 1 : -1)));
}

/* A date on the left; false if the pair has no meaning of its own. */
static bool on_date(struct eval *e, enum expr_op op, const struct value *a,
                    const struct value *b, struct value *out)
{
    struct duration by;
    if (op != EXPR_ADD && op != EXPR_SUBTRACT)
        return false;
    if (b->type == VALUE_DATE && op == EXPR_SUBTRACT)
        *out = value_duration(duration_between(a->date, b->date));
    else if (b->type == VALUE_DURATION)
        *out = date_moved(a, op, b->duration);
    else if (b->type == VALUE_TEXT && e->dialect->compares.coerced &&
             duration_parse(b->text, e->dialect->units, &by))
        *out = date_moved(a, op, by);
    else
        return false;
    return true;
}

/* The same of a duration. */
static bool on_duration(struct eval *e, enum expr_op op, const struct value *a,
                        const struct value *b, struct value *out)
{
    bool sum = op == EXPR_ADD || op == EXPR_SUBTRACT;
    bool scale = op == EXPR_MULTIPLY || op == EXPR_DIVIDE;
    if (sum && b->type == VALUE_DURATION)
        *out = value_duration(duration_plus(
            a->duration, duration_times(b->duration, op == EXPR_ADD ? 1 : -1)));
    else if (sum && op == EXPR_ADD && b->type == VALUE_DATE &&
             e->dialect->evaluates.lists_by_item)
        *out = date_moved(b, op, a->duration); /* DQL: 1d + date */
    else if (scale && b->type == VALUE_NUMBER)
        *out = value_duration(
            duration_times(a->duration, op == EXPR_MULTIPLY ? b->real : 1 / b->real));
    else
        return false;
    return true;
}

static struct value arithmetic(struct eval *e, enum expr_op op, const struct value *a,
                               const struct value *b)
{
    struct value out;
    if (a->type == VALUE_NULL || b->type == VALUE_NULL)
        return value_null();
    if (a->type == VALUE_NUMBER && b->type == VALUE_NUMBER)
        return numbers(op, a->real, b->real);
    if (a->type == VALUE_DATE && on_date(e, op, a, b, &out))
        return out;
    if (a->type == VALUE_DURATION && on_duration(e, op, a, b, &out))
        return out;
    if (op == EXPR_ADD && a->type == VALUE_LIST && b->type == VALUE_LIST)
        return lists_joined(e, a, b);
    bool text = value_is_textual(a) || value_is_textual(b);
    return op == EXPR_ADD && text && !e->dialect->evaluates.errors_as_null
               ? concatenated(e, a, b)
               : invalid(e, a->type, b->type);
}

struct value eval_binary(struct eval *e, enum expr_op op, const struct value *left,
                         const struct value *right)
{
    if (left->type == VALUE_ERROR)
        return *left;
    if (right->type == VALUE_ERROR)
        return *right;
    if (op >= EXPR_EQUAL)
        return value_bool(eval_compare(e, op, left, right));
    return arithmetic(e, op, left, right);
}

struct value eval_negated(struct eval *e, const struct value *v)
{
    char name[16];
    if (v->type == VALUE_NULL)
        return *v;
    if (v->type == VALUE_NUMBER)
        return value_number(-v->real);
    if (v->type == VALUE_DURATION)
        return value_duration(duration_times(v->duration, -1));
    return eval_error(e, "Invalid operator - before " STR_FMT,
                      STR_ARG(capital(name, v->type)));
}

/* --- what operators and functions make --- */

struct value eval_list(struct eval *e, const struct value *items, size_t n)
{
    struct value list = value_list(items, n);
    if (!eval_step(e, n))
        return eval_stopped(e);
    if (list.total > VALUE_LIST_MAX)
        return eval_error(e, "the list has more than %d items", VALUE_LIST_MAX);
    return list.depth <= EVAL_NEST_MAX
               ? list
               : eval_error(e, "lists are nested deeper than %d levels", EVAL_NEST_MAX);
}

struct value eval_text(struct eval *e, str text)
{
    (void)eval_step(e, text.n / 64);
    return text.n <= EVAL_TEXT_MAX
               ? value_text(text)
               : eval_error(e, "the text is longer than %d bytes", EVAL_TEXT_MAX);
}

const struct value *eval_items(struct eval *e, const struct value *v, size_t *n)
{
    if (v->type == VALUE_NULL) {
        *n = 0;
        return v;
    }
    if (v->type != VALUE_LIST) {
        *n = 1;
        return v;
    }
    *n = v->n;
    if (v->items != NULL || v->n == 0)
        return v->items;
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, v->n);
    struct value_items it = {.list = v};
    for (*n = 0; value_next(&e->reader, &it, &items[*n]);)
        if (++*n == v->n)
            break;
    return items;
}
