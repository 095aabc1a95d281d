/* Functions of lists. */
#include <math.h>

#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"

/* --- searching --- */

/* A tag is also found by the tags above it. */
static bool function_list_is_item(struct eval *e, const struct value *item,
                                  const struct value *wanted)
{
    if (item->type != VALUE_TAG)
        return value_same(&e->reader, item, wanted);
    str tag = wanted->text;
    tag = utf8_fold(e->reader.arena, str_skip(tag, str_starts(tag, STR("#"))));
    return tag.n > 0 && path_is_or_below(tag, utf8_fold(e->reader.arena, item->text));
}

static bool list_contains(struct eval *e, const struct value *list,
                          const struct value *wanted)
{
    struct value_items it = {.list = list};
    for (struct value item; eval_step(e, 1) && value_next(&e->reader, &it, &item);)
        if (function_list_is_item(e, &item, wanted))
            return true;
    return false;
}

struct value function_contains_item(struct eval *e, const struct call *c)
{
    return value_bool(list_contains(e, &c->self, &c->args[0]));
}

struct value function_contains_all_items(struct eval *e, const struct call *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!list_contains(e, &c->self, &c->args[i]))
            return value_bool(false);
    return value_bool(true);
}

struct value function_contains_any_item(struct eval *e, const struct call *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (list_contains(e, &c->self, &c->args[i]))
            return value_bool(true);
    return value_bool(false);
}

/* --- with an expression for each item --- */

struct value function_filter(struct eval *e, const struct call *c)
{
    size_t n, kept = 0;
    const struct value *items = eval_items(e, &c->self, &n);
    const struct expr *test = c->node->kids[1];
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n; i++) {
        struct value args[] = {items[i], value_number((double)i)};
        struct value v = eval_lambda(e, test, args, COUNT_OF(args));
        if (v.type == VALUE_ERROR)
            return v;
        if (value_is_true(&v))
            out[kept++] = items[i];
    }
    return eval_list(e, out, kept);
}

struct value function_map(struct eval *e, const struct call *c)
{
    size_t n;
    const struct value *items = eval_items(e, &c->self, &n);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n; i++) {
        struct value args[] = {items[i], value_number((double)i)};
        out[i] = eval_lambda(e, c->node->kids[1], args, COUNT_OF(args));
        if (out[i].type == VALUE_ERROR)
            return out[i];
    }
    return eval_list(e, out, n);
}

struct value function_reduce(struct eval *e, const struct call *c)
{
    size_t n;
    const struct value *items = eval_items(e, &c->self, &n);
    struct value acc = c->n > 1 ? eval_value(e, c->node->kids[2]) : value_null();
    for (size_t i = 0; i < n && acc.type != VALUE_ERROR; i++) {
        struct value args[] = {items[i], value_number((double)i), acc};
        acc = eval_lambda(e, c->node->kids[1], args, COUNT_OF(args));
    }
    return acc;
}

/* --- other lists --- */

struct value function_flat(struct eval *e, const struct call *c)
{
    size_t n, more, all = 0, used = 0;
    const struct value *items = eval_items(e, &c->self, &n);
    for (size_t i = 0; i < n; i++)
        all += items[i].type == VALUE_LIST ? items[i].n : 1;
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, all);
    for (size_t i = 0; i < n; i++) {
        if (items[i].type != VALUE_LIST) {
            out[used++] = items[i];
            continue;
        }
        const struct value *inner = eval_items(e, &items[i], &more);
        if (more > 0)
            memcpy(out + used, inner, more * sizeof(*out));
        used += more;
    }
    return eval_list(e, out, used);
}

struct value function_join(struct eval *e, const struct call *c)
{
    struct sbuf b = SBUF_ON(e->reader.arena);
    str between = c->n > 0 ? value_text_of(&e->reader, &c->args[0]) : STR(",");
    struct value_items it = {.list = &c->self};
    for (struct value item; b.n <= EVAL_TEXT_MAX && value_next(&e->reader, &it, &item);) {
        if (it.at > 1)
            sbuf_add(&b, between);
        sbuf_add(&b, value_text_of(&e->reader, &item));
    }
    return eval_text(e, sbuf_str(&b));
}

struct value function_reverse_list(struct eval *e, const struct call *c)
{
    size_t n;
    const struct value *items = eval_items(e, &c->self, &n);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n; i++)
        out[i] = items[n - 1 - i];
    return eval_list(e, out, n);
}

struct value function_slice_list(struct eval *e, const struct call *c)
{
    size_t n, from, to;
    const struct value *items = eval_items(e, &c->self, &n);
    function_bounds(c, n, &from, &to);
    return eval_list(e, n > 0 ? items + from : items, to - from);
}

/* Links are told apart by their text, not by the file they lead to. */
static bool is_twice(struct eval *e, const struct value *a, const struct value *b)
{
    if (a->type == VALUE_LINK && b->type == VALUE_LINK)
        return str_eq(a->text, b->text);
    return value_same(&e->reader, a, b);
}

struct value function_unique(struct eval *e, const struct call *c)
{
    size_t n, kept = 0;
    const struct value *items = eval_items(e, &c->self, &n);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n && eval_step(e, kept); i++) {
        size_t k = 0;
        while (k < kept && !is_twice(e, &out[k], &items[i]))
            k++;
        if (k == kept)
            out[kept++] = items[i];
    }
    return eval_list(e, out, kept);
}

struct sorted {
    struct value key;
    size_t at;
};

static int by_key_and_place(const void *x, const void *y)
{
    const struct sorted *a = x, *b = y;
    int order = value_order(&a->key, &b->key);
    return order != 0 ? order : a->at < b->at ? -1 : a->at > b->at;
}

struct value function_sort(struct eval *e, const struct call *c)
{
    size_t n;
    const struct value *items = eval_items(e, &c->self, &n);
    struct sorted *sorted = ARENA_ARRAY(e->reader.arena, struct sorted, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = (struct sorted){value_key(&e->reader, &items[i]), i};
    if (n > 1)
        sort_items(sorted, n, sizeof(*sorted), by_key_and_place);
    struct value *out = ARENA_ARRAY(e->reader.arena, struct value, n);
    for (size_t i = 0; i < n; i++)
        out[i] = items[sorted[i].at];
    return eval_list(e, out, n);
}

/* --- numbers in a list --- */

static double *numbers_in(struct eval *e, const struct call *c, size_t *n)
{
    size_t all;
    const struct value *items = eval_items(e, &c->self, &all);
    double *numbers = ARENA_ARRAY(e->reader.arena, double, all);
    *n = 0;
    for (size_t i = 0; i < all; i++)
        if (items[i].type == VALUE_NUMBER)
            numbers[(*n)++] = items[i].real;
    return numbers;
}

static int by_size(const void *x, const void *y)
{
    const double *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

struct value function_sum(struct eval *e, const struct call *c)
{
    size_t n;
    double *numbers = numbers_in(e, c, &n), sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += numbers[i];
    return value_number(sum);
}

struct value function_mean(struct eval *e, const struct call *c)
{
    size_t n;
    (void)numbers_in(e, c, &n);
    struct value sum = function_sum(e, c);
    return n > 0 ? value_number(sum.real / (double)n) : value_null();
}

struct value function_median(struct eval *e, const struct call *c)
{
    size_t n;
    double *numbers = numbers_in(e, c, &n);
    if (n == 0)
        return value_null();
    sort_items(numbers, n, sizeof(*numbers), by_size);
    return value_number(n % 2 == 1 ? numbers[n / 2]
                                   : (numbers[n / 2 - 1] + numbers[n / 2]) / 2);
}

struct value function_min(struct eval *e, const struct call *c)
{
    size_t n;
    double *numbers = numbers_in(e, c, &n), best = n > 0 ? numbers[0] : 0;
    for (size_t i = 1; i < n; i++)
        best = fmin(best, numbers[i]);
    return n > 0 ? value_number(best) : value_null();
}

struct value function_max(struct eval *e, const struct call *c)
{
    size_t n;
    double *numbers = numbers_in(e, c, &n), best = n > 0 ? numbers[0] : 0;
    for (size_t i = 1; i < n; i++)
        best = fmax(best, numbers[i]);
    return n > 0 ? value_number(best) : value_null();
}
