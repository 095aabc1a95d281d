/* Summaries of a column. */
#include <math.h>

#include "base/sort.h"
#include "vault/eval/eval.h"
#include "vault/eval/function_table.h"
#include "vault/eval/plan_parts.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"

bool plan_summary_named(str name, enum plan_summary_kind *out)
{
    static const char *const names[] = {
        [PLAN_AVERAGE] = "Average",
        [PLAN_MIN] = "Min",
        [PLAN_MAX] = "Max",
        [PLAN_SUM] = "Sum",
        [PLAN_RANGE] = "Range",
        [PLAN_MEDIAN] = "Median",
        [PLAN_STDDEV] = "Stddev",
        [PLAN_EARLIEST] = "Earliest",
        [PLAN_LATEST] = "Latest",
        [PLAN_CHECKED] = "Checked",
        [PLAN_UNCHECKED] = "Unchecked",
        [PLAN_EMPTY] = "Empty",
        [PLAN_FILLED] = "Filled",
        [PLAN_UNIQUE] = "Unique",
    };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!str_eq(name, str_c(names[i])))
            continue;
        *out = (enum plan_summary_kind)i;
        return true;
    }
    return false;
}

/* --- numbers and dates --- */

static struct value by_function(struct eval *e, const struct value *list,
                                struct value (*fn)(struct eval *, const struct call *))
{
    struct call c = {.self = *list};
    return fn(e, &c);
}

/* The first or last date; null if there is none. */
static struct value extreme_date(const struct value *list, int sign)
{
    struct value best = value_null();
    for (size_t i = 0; i < list->n; i++) {
        const struct value *v = &list->items[i];
        if (v->type != VALUE_DATE)
            continue;
        if (best.type == VALUE_NULL || date_order(v->date, best.date) * sign > 0)
            best = *v;
    }
    return best;
}

static struct value range(struct eval *e, const struct value *list)
{
    struct value least = by_function(e, list, function_min);
    struct value most = by_function(e, list, function_max);
    if (least.type != VALUE_NULL)
        return value_number(most.real - least.real);
    least = extreme_date(list, -1);
    most = extreme_date(list, 1);
    return least.type == VALUE_NULL
               ? least
               : value_duration(duration_between(most.date, least.date));
}

/* Of the whole population. */
static struct value deviation(struct eval *e, const struct value *list)
{
    struct value mean = by_function(e, list, function_mean);
    double sum = 0, n = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i].type != VALUE_NUMBER)
            continue;
        sum += pow(list->items[i].real - mean.real, 2);
        n++;
    }
    return n > 0 ? value_number(sqrt(sum / n)) : value_null();
}

/* --- counting --- */

static struct value count_flags(const struct value *list, bool flag)
{
    double n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += list->items[i].type == VALUE_BOOL && list->items[i].truth == flag;
    return value_number(n);
}

static struct value count_empty(const struct value *list, bool empty)
{
    double n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += value_is_empty(&list->items[i]) == empty;
    return value_number(n);
}

static int unique_order(const void *x, const void *y)
{
    return value_order(x, y);
}

/* Empty ones are one value together. */
static struct value count_unique(struct plan_run *run, const struct value *list)
{
    struct value *keys = ARENA_ARRAY(run->arena, struct value, list->n);
    struct value nothing = value_null();
    double n = 0;
    for (size_t i = 0; i < list->n; i++)
        keys[i] =
            plan_key(run, value_is_empty(&list->items[i]) ? &nothing : &list->items[i]);
    if (list->n > 1)
        sort_items(keys, list->n, sizeof(*keys), unique_order);
    for (size_t i = 0; i < list->n; i++)
        n += i == 0 || value_order(&keys[i - 1], &keys[i]) != 0;
    return value_number(n);
}

static struct value summary(struct plan_run *run, const struct plan_summary *s,
                            const struct value *list)
{
    struct eval *e = run->eval;
    switch (s->kind) {
    case PLAN_AVERAGE:
        return by_function(e, list, function_mean);
    case PLAN_MIN:
        return by_function(e, list, function_min);
    case PLAN_MAX:
        return by_function(e, list, function_max);
    case PLAN_SUM:
        return by_function(e, list, function_sum);
    case PLAN_MEDIAN:
        return by_function(e, list, function_median);
    case PLAN_RANGE:
        return range(e, list);
    case PLAN_STDDEV:
        return deviation(e, list);
    case PLAN_EARLIEST:
    case PLAN_LATEST:
        return extreme_date(list, s->kind == PLAN_LATEST ? 1 : -1);
    case PLAN_CHECKED:
    case PLAN_UNCHECKED:
        return count_flags(list, s->kind == PLAN_CHECKED);
    case PLAN_EMPTY:
    case PLAN_FILLED:
        return count_empty(list, s->kind == PLAN_EMPTY);
    case PLAN_UNIQUE:
        return count_unique(run, list);
    case PLAN_CUSTOM:
        break;
    }
    e->values = *list;
    e->row = NULL;
    return eval_value(e, s->expr);
}

/* The values of a column, without errors. */
static struct value column(struct plan_run *run, const struct expr *of, size_t first,
                           size_t n)
{
    struct value *values = ARENA_ARRAY(run->arena, struct value, n);
    size_t kept = 0;
    for (size_t i = 0; i < n && run->eval->stopped == EVAL_GOES_ON; i++) {
        struct value v = plan_value(run, of, &run->items[first + i].row, run->arena);
        if (v.type != VALUE_ERROR)
            values[kept++] = v;
    }
    return value_list(values, kept);
}

struct value *plan_summarise(struct plan_run *run, size_t first, size_t n)
{
    const struct plan *p = run->plan;
    struct value *out = ARENA_ARRAY(run->arena, struct value, p->n_summaries);
    for (size_t i = 0; i < p->n_summaries; i++) {
        struct value list = column(run, p->summaries[i].of, first, n);
        out[i] = summary(run, &p->summaries[i], &list);
    }
    return out;
}
