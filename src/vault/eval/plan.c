/*
 * A plan runs in steps: go through the files that can match and keep the rows that pass
 * the first filters; then every other step over these rows; then the cells of those that
 * are shown. Temporary data is in two arenas: one for a row, reset before the next, and
 * one for the whole run.
 */
#include "vault/eval/plan.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/field.h"
#include "vault/eval/plan_parts.h"
#include "vault/eval/prefilter.h"
#include "vault/eval/value.h"
#include "vault/index/index.h"

enum { ROWS_BETWEEN_LOOKS = 64 }; /* looks at the clock */

bool plan_stopped(struct plan_run *run)
{
    struct eval *e = run->eval;
    if (run->seen++ % ROWS_BETWEEN_LOOKS == 0)
        (void)eval_is_stopped(e);
    return e->stopped != EVAL_GOES_ON;
}

struct value plan_value(struct plan_run *run, const struct expr *x, const struct row *row,
                        struct arena *a)
{
    eval_row(run->eval, row, a);
    return eval_value(run->eval, x);
}

static void count_error(struct plan_run *run, const struct value *why)
{
    if (run->result.errors++ == 0)
        run->result.first_error = arena_str(run->arena, why->text);
}

bool plan_drops(struct plan_run *run, const struct value *v)
{
    if (v->type != VALUE_ERROR || !run->eval->dialect->evaluates.drops_errors)
        return false;
    count_error(run, v);
    return true;
}

/* --- the source --- */

/* The filters at the beginning, which are applied while rows are collected. */
static size_t first_filters(const struct plan *p)
{
    size_t n = 0;
    while (n < p->n_steps && p->steps[n].op == PLAN_FILTER)
        n++;
    return n;
}

static bool passes(struct plan_run *run, const struct row *row)
{
    const struct plan *p = run->plan;
    struct value why = {0};
    eval_row(run->eval, row, &run->line);
    for (size_t i = 0; i < run->n_first; i++) {
        if (eval_holds(run->eval, p->steps[i].expr, &why))
            continue;
        if (why.type == VALUE_ERROR && run->eval->stopped == EVAL_GOES_ON)
            count_error(run, &why);
        return false;
    }
    return true;
}

void plan_try_row(struct plan_run *run, const struct file *f,
                  const struct note_task *task)
{
    struct row row = {.file = f, .task = task};
    arena_reset(&run->line);
    if (!passes(run, &row))
        return;
    run->result.total++;
    if (!run->plan->count_only)
        *ARRAY_ADD(NULL, run->items, run->n) = (struct plan_item){.row = row};
}

bool plan_is_in_folder(struct plan_run *run, const struct file *f)
{
    if (run->plan->folder.n == 0)
        return true;
    arena_reset(&run->line);
    return path_is_below(run->plan->folder, utf8_fold(&run->line, f->path));
}

/* False if the run was stopped. */
static bool try_file(struct plan_run *run, const struct file *f)
{
    enum plan_from from = run->plan->from;
    if ((f->kind != FILE_NOTE && from != PLAN_FILES) || f->excluded ||
        !plan_is_in_folder(run, f))
        return !plan_stopped(run);
    if (from != PLAN_TASKS) {
        if (plan_stopped(run))
            return false;
        plan_try_row(run, f, NULL);
        return true;
    }
    for (uint32_t i = 0; i < f->note.n_tasks; i++) {
        if (plan_stopped(run))
            return false;
        plan_try_row(run, f, &f->note.tasks[i]);
    }
    return true;
}

static struct prefilter_files plan_candidates(struct plan_run *run)
{
    const struct plan *p = run->plan;
    struct eval *e = run->eval;
    struct prefilter_files may = {.all = true};
    e->reader.arena = &run->work;
    for (size_t i = 0; i < run->n_first; i++)
        may = prefilter_both(may, prefilter(e, p->steps[i].expr));
    if (p->folder.n > 0)
        may =
            prefilter_both(may, prefilter_folder(e->index, &run->work, p->folder, false));
    return may;
}

static const struct file *nth_file(const struct index *x,
                                   const struct prefilter_files *may, size_t i)
{
    return x->files[may->all ? i : may->ids[i]];
}

/* Files are scattered in memory, so load the next ones into the cache early: first a
 * file, then its first properties. */
static void fetch_files(const struct index *x, const struct prefilter_files *may,
                        size_t i, size_t n)
{
    enum { FILES = 8, PROPS = 4, LINES = 6, LINE = 64 };
    if (i + FILES >= n)
        return;
    const struct file *far = nth_file(x, may, i + FILES);
    const struct file *near = nth_file(x, may, i + PROPS);
    if (far != NULL) {
        __builtin_prefetch(far);
        __builtin_prefetch(&far->props);
    }
    for (uintptr_t k = 0; k < LINES && near != NULL && near->props != NULL; k++)
        __builtin_prefetch((const void *)((uintptr_t)near->props + k * LINE));
}

static void collect_rows(struct plan_run *run)
{
    const struct index *x = run->eval->index;
    struct prefilter_files may = plan_candidates(run);
    size_t n = may.all ? x->n : may.n;
    for (size_t i = 0; i < n; i++) {
        const struct file *f = nth_file(x, &may, i);
        fetch_files(x, &may, i, n);
        if (f != NULL && !try_file(run, f))
            break;
    }
}

/* --- without a filter, in an order that the index has --- */

static bool is_modified(const struct expr *x)
{
    return x->kind == EXPR_FIELD && x->field->kind == FIELD_FILE_MODIFIED;
}

static bool is_listing(const struct plan *p)
{
    const struct plan_step *s = p->steps;
    bool newest = p->n_steps == 1 && s->op == PLAN_SORT && s->n == 1 &&
                  s->keys[0].descending && is_modified(s->keys[0].expr);
    return p->folder.n == 0 && p->from == PLAN_NOTES && p->n_summaries == 0 &&
           (p->n_steps == 0 || newest);
}

static size_t shown(const struct plan *p, size_t total)
{
    size_t left = p->offset < total ? total - p->offset : 0;
    return p->limit == 0 || left < p->limit ? left : p->limit;
}

/* Only the notes up to the end of the page are looked at. */
static void list_notes(struct plan_run *run)
{
    const struct index *x = run->eval->index;
    const struct plan *p = run->plan;
    const file_id *newest = NULL;
    size_t n = p->n_steps > 0 ? index_newest(x, &newest) : x->count;
    size_t wanted = p->count_only ? 0 : p->offset + shown(p, x->listed);
    run->result.total = x->listed;
    for (size_t i = 0; i < n && run->n < wanted && !plan_stopped(run); i++) {
        const struct file *f = newest != NULL ? x->files[newest[i]] : index_nth(x, i);
        if (f->kind == FILE_NOTE && !f->excluded)
            *ARRAY_ADD(NULL, run->items, run->n) = (struct plan_item){.row = {.file = f}};
    }
    run->ordered = true;
}

/* --- steps --- */

static void filter_rows(struct plan_run *run, const struct plan_step *step)
{
    size_t kept = 0;
    for (size_t i = 0; i < run->n && !plan_stopped(run); i++) {
        struct value why = {0};
        arena_reset(&run->line);
        eval_row(run->eval, &run->items[i].row, &run->line);
        if (eval_holds(run->eval, step->expr, &why))
            run->items[kept++] = run->items[i];
        else if (why.type == VALUE_ERROR)
            count_error(run, &why);
    }
    run->n = kept;
}

static void limit_rows(struct plan_run *run, const struct plan_step *step)
{
    plan_order(run);
    run->result.total = run->counted ? run->result.total : run->n;
    run->counted = true;
    run->n = step->n < run->n ? step->n : run->n;
}

static void run_step(struct plan_run *run, const struct plan_step *step)
{
    switch (step->op) {
    case PLAN_FILTER:
        filter_rows(run, step);
        break;
    case PLAN_SORT:
        plan_sort(run, step);
        break;
    case PLAN_LIMIT:
        limit_rows(run, step);
        break;
    case PLAN_GROUP:
        plan_group(run, step);
        break;
    case PLAN_COLLECT:
        plan_collect(run, step);
        break;
    case PLAN_FLATTEN:
        plan_flatten(run, step);
        break;
    }
    if (!run->counted && step->op != PLAN_GROUP)
        run->result.total = run->n;
}

/* --- the answer --- */

static void make_rows(struct plan_run *run)
{
    const struct plan *p = run->plan;
    struct plan_result *out = &run->result;
    bool grouped = out->groups != NULL;
    size_t from = grouped ? 0 : p->offset;
    plan_order(run);
    out->left = is_listing(p) ? out->total : run->n;
    out->n = grouped ? run->n : shown(p, run->n);
    out->rows = ARENA_ARRAY(run->arena, struct plan_row, out->n);
    for (size_t i = 0; i < out->n; i++) {
        const struct plan_item *item = &run->items[from + i];
        struct value *cells = ARENA_ARRAY(run->arena, struct value, p->n_columns);
        for (size_t k = 0; k < p->n_columns; k++)
            cells[k] = value_null();
        out->rows[i] = (struct plan_row){item->row, cells};
        if (p->n_columns == 0 || run->eval->stopped != EVAL_GOES_ON)
            continue;
        eval_row(run->eval, &out->rows[i].row, run->arena);
        for (size_t k = 0; k < p->n_columns; k++)
            cells[k] = eval_value(run->eval, p->columns[k]);
    }
}

static void make_summaries(struct plan_run *run)
{
    struct plan_result *out = &run->result;
    if (run->plan->n_summaries == 0)
        return;
    out->summaries = plan_summarise(run, 0, run->n);
    for (size_t i = 0; i < out->n_groups; i++)
        out->groups[i].summaries =
            plan_summarise(run, out->groups[i].first, out->groups[i].n);
}

void plan_run(struct eval *e, const struct plan *p, struct arena *a,
              struct plan_result *out)
{
    struct plan_run run = {.eval = e, .plan = p, .arena = a, .n_first = first_filters(p)};
    uint64_t until = e->until;
    e->until = until != 0 ? until : clock_ms() + EVAL_MS_MAX;
    if (is_listing(p)) {
        list_notes(&run);
    } else if (!plan_list_due(&run)) {
        collect_rows(&run);
        for (size_t i = run.n_first; i < p->n_steps && !p->count_only; i++)
            run_step(&run, &p->steps[i]);
    }
    if (!p->count_only) {
        make_rows(&run);
        make_summaries(&run);
    }
    run.result.limit = eval_limit_text(e->stopped);
    if (p->explain && run.result.total == 0 && run.result.limit == NULL)
        plan_find_missing(&run);
    e->until = until;
    e->reader.arena = a;
    e->row = NULL;
    *out = run.result;
    free(run.items);
    arena_release(&run.line);
    arena_release(&run.work);
}
