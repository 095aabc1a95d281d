/* Sorting rows by keys that are read once for each. */
#include "base/sort.h"
#include "vault/eval/eval.h"
#include "vault/eval/field.h"
#include "vault/eval/plan_parts.h"
#include "vault/eval/value.h"

static int plan_sort_by_place(const struct plan_item *a, const struct plan_item *b)
{
    const struct row *x = &a->row, *y = &b->row;
    if (x->file != y->file && x->file != NULL && y->file != NULL)
        return str_cmp(x->file->path, y->file->path);
    return x->task == y->task ? 0 : x->task < y->task ? -1 : 1;
}

static int by_place_only(const void *x, const void *y)
{
    return plan_sort_by_place(x, y);
}

struct sort_by {
    const struct plan_run *run;
    const struct plan_step *step;
};

static int by_keys(const void *x, const void *y, void *arg)
{
    const struct plan_item *a = x, *b = y;
    const struct sort_by *by = arg;
    bool null_last = !by->run->eval->dialect->sorts.null_first;
    for (size_t i = 0; i < by->step->n; i++) {
        const struct value *ka = &a->keys[i], *kb = &b->keys[i];
        int order = value_order(ka, kb);
        bool nothing = ka->type == VALUE_NULL || kb->type == VALUE_NULL;
        if (order != 0)
            return by->step->keys[i].descending && !(nothing && null_last) ? -order
                                                                           : order;
    }
    if (!by->run->ordered)
        return plan_sort_by_place(a, b);
    int64_t x_place = a->keys[by->step->n].number, y_place = b->keys[by->step->n].number;
    return x_place < y_place ? -1 : x_place > y_place;
}

/* False if the row is dropped. */
static bool read_keys(struct plan_run *run, const struct plan_step *step,
                      struct plan_item *item, size_t place)
{
    item->keys = ARENA_ARRAY(&run->work, struct value, step->n + 1);
    item->keys[step->n].number = (int64_t)place;
    eval_row(run->eval, &item->row, &run->work);
    for (size_t i = 0; i < step->n; i++) {
        const struct expr *by = step->keys[i].expr;
        struct value v = eval_value(run->eval, by);
        if (plan_drops(run, &v))
            return false;
        if (by->kind == EXPR_FIELD)
            v = field_key(by->field, &v);
        item->keys[i] = value_key(&run->eval->reader, &v);
    }
    return true;
}

/* In a column of checkboxes, what is missing is not checked. */
static void check_boxes(struct plan_run *run, const struct plan_step *step, size_t i,
                        size_t from)
{
    bool boxes = step->keys[i].checkbox, any = false;
    if (!run->eval->dialect->sorts.null_as_false)
        return;
    for (size_t k = from; k < run->n && !boxes; k++) {
        enum value_type type = run->items[k].keys[i].type;
        if (type != VALUE_BOOL && type != VALUE_NULL)
            return;
        any = any || type == VALUE_BOOL;
    }
    struct value no = value_bool(false);
    no = value_key(&run->eval->reader, &no);
    for (size_t k = from; (boxes || any) && k < run->n; k++)
        if (run->items[k].keys[i].type == VALUE_NULL)
            run->items[k].keys[i] = no;
}

void plan_sort_from(struct plan_run *run, const struct plan_step *step, size_t from)
{
    struct sort_by by = {run, step};
    bool sorted = true;
    size_t kept = from;
    for (size_t i = from; i < run->n; i++)
        if (read_keys(run, step, &run->items[i], i))
            run->items[kept++] = run->items[i];
    run->n = kept;
    for (size_t i = 0; i < step->n; i++)
        check_boxes(run, step, i, from);
    for (size_t i = from + 1; i < run->n && sorted; i++)
        sorted = by_keys(&run->items[i - 1], &run->items[i], &by) <= 0;
    if (!sorted)
        sort_with(&run->items[from], run->n - from, sizeof(*run->items), by_keys, &by);
}

void plan_sort(struct plan_run *run, const struct plan_step *step)
{
    plan_sort_from(run, step, 0);
    run->ordered = true;
}

void plan_order(struct plan_run *run)
{
    bool sorted = run->ordered;
    for (size_t i = 1; i < run->n && !sorted; i++)
        if (plan_sort_by_place(&run->items[i - 1], &run->items[i]) > 0) {
            sort_items(run->items, run->n, sizeof(*run->items), by_place_only);
            sorted = true;
        }
    run->ordered = true;
}
