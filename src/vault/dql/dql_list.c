/* DQL's functions of lists. */
#include "base/sort.h"
#include "vault/dql/dql_functions.h"
#include "vault/eval/eval.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"

struct value function_dql_length(struct eval *e, const struct call *c)
{
    switch (c->self.type) {
    case VALUE_NULL:
        return value_integer(0);
    case VALUE_LIST:
    case VALUE_MAP:
        return value_integer((int64_t)c->self.n);
    default:
        return eval_member(e, &c->self, STR("length"));
    }
}

/* --- numbers --- */

/* a + b + ..., which may also be durations; missing values do not count. */
static struct value dql_added(struct eval *e, const struct value *list, size_t *count)
{
    size_t n;
    const struct value *items = eval_items(e, list, &n);
    struct value sum = value_null();
    *count = 0;
    for (size_t i = 0; i < n && sum.type != VALUE_ERROR; i++) {
        if (items[i].type == VALUE_NULL)
            continue;
        sum = (*count)++ == 0 ? items[i] : eval_binary(e, EXPR_ADD, &sum, &items[i]);
    }
    return sum;
}

struct value function_dql_sum(struct eval *e, const struct call *c)
{
    size_t n;
    return dql_added(e, &c->self, &n);
}

struct value function_dql_average(struct eval *e, const struct call *c)
{
    size_t n;
    struct value sum = dql_added(e, &c->self, &n), count = value_number((double)n);
    return n > 0 ? eval_binary(e, EXPR_DIVIDE, &sum, &count) : value_null();
}

/* The least (-1) or greatest (1) of the arguments, or of the items of a list. */
static struct value dql_extreme(struct eval *e, const struct call *c, int sign)
{
    size_t n = c->n;
    const struct value *items = c->args;
    struct value best = value_null();
    if (n == 1 && items[0].type == VALUE_LIST)
        items = eval_items(e, &c->args[0], &n);
    for (size_t i = 0; i < n && eval_step(e, 1); i++) {
        struct value x = value_key(&e->reader, &items[i]);
        struct value y = value_key(&e->reader, &best);
        if (items[i].type != VALUE_NULL &&
            (best.type == VALUE_NULL || value_order(&x, &y) * sign > 0))
            best = items[i];
    }
    return best;
}

struct value function_dql_min(struct eval *e, const struct call *c)
{
    return dql_extreme(e, c, -1);
}

struct value function_dql_max(struct eval *e, const struct call *c)
{
    return dql_extreme(e, c, 1);
}

/* --- making lists --- */

struct value function_dql_list(struct eval *e, const struct call *c)
{
    return eval_list(e, c->args, c->n);
}

/* As often as the argument says. */
struct value function_dql_flat(struct eval *e, const struct call *c)
{
    double depth = c->n > 0 && c->args[0].type == VALUE_NUMBER ? c->args[0].real : 1;
    double most = EVAL_NEST_MAX;
    size_t times = depth >= most ? EVAL_NEST_MAX : depth > 0 ? (size_t)depth : 0;
    struct call again = *c;
    for (size_t i = 0; i < times; i++)
        if (again.self.type == VALUE_LIST)
            again.self = function_flat(e, &again);
    return again.self;
}

struct value function_dql_join(struct eval *e, const struct call *c)
{
    struct value comma = value_text(STR(", "));
    struct call joined = *c;
    if (c->self.type != VALUE_LIST)
        return function_to_string(e, c);
    if (c->n == 0) {
        joined.args = &comma;
        joined.n = 1;
    }
    return function_join(e, &joined);
}

/* object("a", 1, "b", 2) */
struct value function_dql_object(struct eval *e, const struct call *c)
{
    size_t n = c->n / 2;
    str *keys = ARENA_ARRAY(e->reader.arena, str, n);
    struct value *items = ARENA_ARRAY(e->reader.arena, struct value, n);
    if (c->n % 2 != 0)
        return eval_error(e, "object() needs a value for each key");
    for (size_t i = 0; i < n; i++) {
        keys[i] = value_text_of(&e->reader, &c->args[2 * i]);
        items[i] = c->args[2 * i + 1];
    }
    return value_map(keys, items, n);
}

/* --- with a function for each item --- */

/* The list that the first argument is, and the function after it; NULL if there is none. */
struct each {
    const struct value *items;
    size_t n;
    const struct expr *function;
    struct value error;
};

static bool each_open(struct eval *e, const struct call *c, struct each *out)
{
    struct expr *const *kids = c->node->kids;
    struct value *list = ARENA_NEW(e->reader.arena, struct value);
    *list = eval_value(e, kids[0]);
    *out = (struct each){.error = *list};
    if (list->type == VALUE_ERROR)
        return false;
    out->items = eval_items(e, list, &out->n);
    if (c->node->n > 1)
        out->function = kids[1];
    return true;
}

static struct value each_value(struct eval *e, const struct each *x, size_t i)
{
    return x->function != NULL ? eval_lambda(e, x->function, &x->items[i], 1)
                               : x->items[i];
}

/* As a method of the list. */
static struct value of_list(struct eval *e, const struct call *c,
                            struct value (*method)(struct eval *, const struct call *))
{
    struct call list = {.node = c->node, .self = eval_value(e, c->node->kids[0])};
    if (list.self.type == VALUE_ERROR || list.self.type == VALUE_NULL)
        return list.self;
    return method(e, &list);
}

struct value function_dql_map(struct eval *e, const struct call *c)
{
    return of_list(e, c, function_map);
}

struct value function_dql_filter(struct eval *e, const struct call *c)
{
    return of_list(e, c, function_filter);
}

struct dql_sorted {
    struct value key;
    size_t at;
};

static int dql_by_key(const void *a, const void *b)
{
    const struct dql_sorted *x = a, *y = b;
    int order = value_order(&x->key, &y->key);
    return order != 0 ? order : x->at < y->at ? -1 : x->at > y->at;
}

/* By the values of the function. */
struct value function_dql_sort(struct eval *e, const struct call *c)
{
    struct each x;
    if (!each_open(e, c, &x))
        return x.error;
    struct dql_sorted *all = ARENA_ARRAY(e->reader.arena, struct dql_sorted, x.n);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, x.n);
    for (size_t i = 0; i < x.n; i++) {
        struct value v = each_value(e, &x, i);
        if (v.type == VALUE_ERROR)
            return v;
        all[i] = (struct dql_sorted){value_key(&e->reader, &v), i};
    }
    if (x.n > 1)
        sort_items(all, x.n, sizeof(*all), dql_by_key);
    for (size_t i = 0; i < x.n; i++)
        out[i] = x.items[all[i].at];
    return eval_list(e, out, x.n);
}

/* How many of the items, or of several arguments, are true; false for an error. */
static bool count_true(struct eval *e, const struct call *c, size_t *yes, size_t *all,
                       struct value *error)
{
    struct expr *const *kids = c->node->kids;
    bool function = c->node->n == 2 && kids[1]->kind == EXPR_LAMBDA;
    struct each x = {.n = c->node->n};
    if ((function || c->node->n == 1) && !each_open(e, c, &x)) {
        *error = x.error;
        return false;
    }
    *yes = 0;
    *all = x.n;
    for (size_t i = 0; i < x.n; i++) {
        struct value v = x.items != NULL ? each_value(e, &x, i) : eval_value(e, kids[i]);
        *error = v;
        if (v.type == VALUE_ERROR)
            return false;
        *yes += value_is_true(&v);
    }
    return true;
}

struct value function_dql_all(struct eval *e, const struct call *c)
{
    size_t yes, all;
    struct value error;
    return count_true(e, c, &yes, &all, &error) ? value_bool(yes == all) : error;
}

struct value function_dql_any(struct eval *e, const struct call *c)
{
    size_t yes, all;
    struct value error;
    return count_true(e, c, &yes, &all, &error) ? value_bool(yes > 0) : error;
}

struct value function_dql_none(struct eval *e, const struct call *c)
{
    size_t yes, all;
    struct value error;
    return count_true(e, c, &yes, &all, &error) ? value_bool(yes == 0) : error;
}
