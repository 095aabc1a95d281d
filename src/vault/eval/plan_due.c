/* Tasks by their due dates, in the order that the index has. */
#include "vault/eval/eval.h"
#include "vault/eval/field.h"
#include "vault/eval/plan_parts.h"
#include "vault/eval/prefilter.h"
#include "vault/eval/task_field.h"
#include "vault/index/index.h"
#include "vault/index/tasks.h"

/* Filters, then a sort that begins with the due date of the tasks themselves, for which
 * no property of a note can take the place. */
static const struct plan_step *due_sort(struct plan_run *run)
{
    const struct plan *p = run->plan;
    if (p->from != PLAN_TASKS || p->n_steps != run->n_first + 1 || p->count_only ||
        p->n_summaries > 0)
        return NULL;
    const struct plan_step *sort = &p->steps[run->n_first];
    if (sort->op != PLAN_SORT || sort->n == 0)
        return NULL;
    const struct expr *key = sort->keys[0].expr;
    if (!prefilter_is_due(key))
        return NULL;
    run->eval->reader.arena = &run->work;
    return key->field->n_path == 0 || prefilter_not_by_due(run->eval, key->field).n == 0
               ? sort
               : NULL;
}

/* Sort the rows from start on, if one of them can be on the page. */
static void sort_last(struct plan_run *run, const struct plan_step *sort, size_t start)
{
    const struct plan *p = run->plan;
    if ((p->limit == 0 || start < p->offset || start - p->offset < p->limit) &&
        start + 1 < run->n)
        plan_sort_from(run, sort, start);
}

static const struct tasks_due *nth_due(const struct tasks_due *due, size_t n, size_t i,
                                       bool descending)
{
    return &due[descending ? n - 1 - i : i];
}

/* Days are in another order than notes, so load the next ones into the cache early: a
 * file, then its task, and the dates of that. */
static void fetch_due(const struct index *x, const struct tasks *tasks,
                      const struct tasks_due *due, size_t n, size_t i, bool descending)
{
    enum { FILES = 16, TASKS = 8 };
    if (i + FILES >= n)
        return;
    const struct tasks_due *far = nth_due(due, n, i + FILES, descending);
    const struct tasks_due *near = nth_due(due, n, i + TASKS, descending);
    const struct file *f = x->files[far->note];
    __builtin_prefetch(f);
    __builtin_prefetch(&f->note.tasks);
    __builtin_prefetch(&x->files[near->note]->note.tasks[near->task]);
    __builtin_prefetch(&tasks_of(tasks, near->note)[near->task]);
}

/* Those of one day are sorted. False if the query was stopped. */
static bool try_dated(struct plan_run *run, const struct plan_step *sort,
                      const struct tasks_due *due, size_t n)
{
    const struct index *x = run->eval->index;
    const struct tasks *tasks = index_tasks(x);
    bool down = sort->keys[0].descending;
    size_t start = run->n;
    int32_t day = TASK_NO_DATE;
    for (size_t i = 0; i < n; i++) {
        const struct tasks_due *d = nth_due(due, n, i, down);
        const struct file *f = x->files[d->note];
        fetch_due(x, tasks, due, n, i, down);
        if (d->day != day) {
            sort_last(run, sort, start);
            start = run->n;
            day = d->day;
        }
        if (plan_stopped(run))
            return false;
        if (plan_is_in_folder(run, f))
            plan_try_row(run, f, &f->note.tasks[d->task]);
    }
    sort_last(run, sort, start);
    return true;
}

static bool try_undated_of(struct plan_run *run, const struct file *f)
{
    const struct tasks_item *items = tasks_of(index_tasks(run->eval->index), f->id);
    if (items == NULL || !plan_is_in_folder(run, f))
        return true;
    for (uint32_t i = 0; i < f->note.n_tasks; i++) {
        if (plan_stopped(run))
            return false;
        if (items[i].dates[TASK_DUE_ON] <= TASK_BAD_DATE)
            plan_try_row(run, f, &f->note.tasks[i]);
    }
    return true;
}

/* They come last, in either direction. */
static void try_undated(struct plan_run *run, const struct plan_step *sort)
{
    const struct index *x = run->eval->index;
    size_t start = run->n;
    const struct file *f;
    for (file_id i = 0; (f = index_next(x, &i, run->eval->stop)) != NULL;)
        if (!try_undated_of(run, f))
            return;
    if (eval_is_stopped(run->eval))
        return;
    sort_last(run, sort, start);
}

bool plan_list_due(struct plan_run *run)
{
    const struct plan_step *sort = due_sort(run);
    struct prefilter_days days = {INT32_MIN, INT32_MAX};
    const struct tasks_due *due;
    bool others = true;
    if (sort == NULL)
        return false;
    for (size_t i = 0; i < run->n_first; i++)
        prefilter_due_days(run->plan->steps[i].expr, &days, &others);
    size_t n = tasks_by_due(index_tasks(run->eval->index), days.first, days.last, &due);
    if (try_dated(run, sort, due, n) && others)
        try_undated(run, sort);
    run->ordered = true;
    return true;
}
