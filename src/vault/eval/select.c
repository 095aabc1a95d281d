/*
 * A query runs in steps: parse it; go through the files that can match and keep the rows
 * that do; read the sort keys of these and sort them; read the columns of those that are
 * shown.
 * Temporary data is in two arenas: one for a row, reset before the next, and one for all
 * matches.
 */
#include "vault/eval/select.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/utf8.h"
#include "vault/eval/select_node.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/index/index.h"
#include "vault/text/regex.h"

enum { ROWS_BETWEEN_LOOKS = 64 }; /* looks at the clock */

struct match {
    const struct file *file;
    const struct note_task *task;
    struct value *keys; /* one per field to sort by */
};

struct select_run {
    const struct select *select;
    struct select_plan plan;
    const struct select_field *columns[SELECT_COLUMNS_MAX], *order[SELECT_COLUMNS_MAX];
    const struct select_field *group;
    str folder; /* folded */
    struct arena row, work;
    struct regex_scratch *regex;
    struct match *matches;
    size_t n, rows_seen;
    bool sorted; /* the matches are in order */
    struct select_result result;
};

/* --- reading a field --- */

static struct value_reader reader_for(const struct select_run *run, struct arena *a,
                                      const struct file *f)
{
    return (struct value_reader){.arena = a,
                                 .names = run->plan.index->names,
                                 .source = f->path,
                                 .source_id = f->id,
                                 .utc_offset = run->select->utc_offset};
}

static struct value read_field(const struct select_run *run, struct arena *a,
                               const struct select_field *field, const struct match *m)
{
    struct value_reader r = reader_for(run, a, m->file);
    struct select_row_of row = {run->plan.index, m->file, m->task};
    return select_field_value(&r, field, &row);
}

/* --- the page --- */

/* The number of rows or groups on it. */
static size_t select_shown(const struct select *s, size_t total)
{
    size_t limit = s->limit == 0 ? SELECT_LIMIT_MAX : s->limit;
    size_t left = s->offset < total ? total - s->offset : 0;
    return left < limit ? left : limit;
}

/* --- matching --- */

static void select_keep(struct select_run *run, const struct file *f,
                        const struct note_task *task)
{
    run->result.total++;
    if (run->select->count_only)
        return;
    *ARRAY_ADD(NULL, run->matches, run->n) = (struct match){.file = f, .task = task};
}

static bool is_stopped(struct select_run *run)
{
    const struct select *s = run->select;
    if (run->rows_seen++ % ROWS_BETWEEN_LOOKS == 0)
        run->result.partial = (s->stop != NULL && s->stop(s->stop_arg)) ||
                              (s->deadline_ns != 0 && clock_ns() >= s->deadline_ns);
    return run->result.partial;
}

static void try_row(struct select_run *run, const struct file *f,
                    const struct note_task *task)
{
    arena_reset(&run->row);
    struct select_match m = {.reader = reader_for(run, &run->row, f),
                             .row = {run->plan.index, f, task},
                             .regex = run->regex};
    if (run->plan.where == NULL || select_matches(&m, run->plan.where))
        select_keep(run, f, task);
}

static bool is_in_folder(struct select_run *run, const struct file *f)
{
    if (run->folder.n == 0)
        return true;
    arena_reset(&run->row);
    return path_is_below(run->folder, utf8_fold(&run->row, f->path));
}

/* False if the query was stopped. */
static bool try_file(struct select_run *run, const struct file *f)
{
    if (f->kind != FILE_NOTE || f->excluded || !is_in_folder(run, f))
        return !is_stopped(run);
    if (run->select->from == SELECT_NOTES) {
        if (is_stopped(run))
            return false;
        try_row(run, f, NULL);
        return true;
    }
    for (uint32_t i = 0; i < f->note.n_tasks; i++) {
        if (is_stopped(run))
            return false;
        try_row(run, f, &f->note.tasks[i]);
    }
    return true;
}

static void find_matches(struct select_run *run)
{
    const struct index *x = run->plan.index;
    struct select_notes may = select_narrow(&run->plan);
    size_t n = may.all ? x->n : may.n;
    if (run->plan.n_regexes > 0)
        run->regex = regex_scratch_create();
    for (size_t i = 0; i < n; i++) {
        const struct file *f = x->files[may.all ? i : may.ids[i]];
        if (f != NULL && !try_file(run, f))
            break;
    }
}

/* --- without a filter, in an order that the index has --- */

static bool is_listing(const struct select_run *run)
{
    const struct select *s = run->select;
    bool newest = s->n_order == 1 && s->order[0].descending &&
                  run->order[0]->kind == SELECT_FILE_MODIFIED;
    return run->plan.where == NULL && run->folder.n == 0 && run->group == NULL &&
           s->from == SELECT_NOTES && (s->n_order == 0 || newest);
}

/* Only the notes up to the end of the page are looked at. */
static void list_notes(struct select_run *run)
{
    const struct index *x = run->plan.index;
    const struct select *s = run->select;
    const file_id *newest = NULL;
    const struct file *f;
    size_t n = s->n_order > 0 ? index_newest(x, &newest) : x->count;
    size_t wanted = s->count_only ? 0 : s->offset + select_shown(s, x->listed);
    run->result.total = x->listed;
    for (size_t i = 0; i < n && run->n < wanted && !is_stopped(run); i++) {
        f = newest != NULL ? x->files[newest[i]] : index_nth(x, i);
        if (f->kind == FILE_NOTE && !f->excluded)
            *ARRAY_ADD(NULL, run->matches, run->n) = (struct match){.file = f};
    }
    run->sorted = true;
}

/* --- sorting --- */

static int by_place(const struct match *a, const struct match *b)
{
    if (a->file != b->file)
        return str_cmp(a->file->path, b->file->path);
    return a->task == b->task ? 0 : a->task < b->task ? -1 : 1;
}

static int by_keys(const void *x, const void *y, void *arg)
{
    const struct match *a = x, *b = y;
    const struct select_run *run = arg;
    for (size_t i = 0; i < run->select->n_order; i++) {
        const struct value *ka = &a->keys[i], *kb = &b->keys[i];
        int order = value_order(ka, kb);
        bool nothing = ka->type == VALUE_NULL || kb->type == VALUE_NULL;
        if (order != 0)
            return run->select->order[i].descending && !nothing ? -order : order;
    }
    return by_place(a, b);
}

static void read_keys(struct select_run *run, struct match *m)
{
    size_t n = run->select->n_order;
    m->keys = ARENA_ARRAY(&run->work, struct value, n);
    for (size_t i = 0; i < n; i++) {
        struct value v = read_field(run, &run->work, run->order[i], m);
        struct value_reader r = reader_for(run, &run->work, m->file);
        v = select_field_key(run->order[i], &v);
        m->keys[i] = value_key(&r, &v);
    }
}

static void sort_matches(struct select_run *run)
{
    bool sorted = true;
    for (size_t i = 0; i < run->n; i++) {
        if (run->select->n_order > 0)
            read_keys(run, &run->matches[i]);
        sorted = sorted &&
                 (i == 0 || by_keys(&run->matches[i - 1], &run->matches[i], run) <= 0);
    }
    if (!sorted)
        qsort_r(run->matches, run->n, sizeof(*run->matches), by_keys, run);
}

/* --- tasks by their due dates, in the order that the index has --- */

/* Whether the dates of tasks alone decide, and not properties of their notes. */
static bool is_due_listing(const struct select_run *run)
{
    const struct select *s = run->select;
    const struct select_field *f = s->n_order > 0 ? run->order[0] : NULL;
    return f != NULL && f->kind == SELECT_TASK_FIELD && select_task_is_due(f->task) &&
           !s->count_only && run->group == NULL &&
           (f->n_path == 0 || select_having(&run->plan, f).n == 0);
}

/* Sort the matches from start on, if one of them can be on the page. */
static void sort_last(struct select_run *run, size_t start)
{
    const struct select *s = run->select;
    size_t limit = s->limit == 0 ? SELECT_LIMIT_MAX : s->limit;
    if (start >= s->offset + limit || run->n < start + 1)
        return;
    for (size_t i = start; i < run->n; i++)
        read_keys(run, &run->matches[i]);
    qsort_r(&run->matches[start], run->n - start, sizeof(*run->matches), by_keys, run);
}

/* Tasks that are due, in order; those of one day are sorted. False if the query was
 * stopped. */
static bool try_dated(struct select_run *run, const struct select_due *due)
{
    const struct index *x = run->plan.index;
    size_t start = run->n;
    int32_t day = TASK_NO_DATE;
    for (size_t i = 0; i < due->n; i++) {
        bool down = run->select->order[0].descending;
        const struct tasks_due *d = &due->tasks[down ? due->n - 1 - i : i];
        const struct file *f = x->files[d->note];
        if (d->day != day) {
            sort_last(run, start);
            start = run->n;
            day = d->day;
        }
        if (is_stopped(run))
            return false;
        if (is_in_folder(run, f))
            try_row(run, f, &f->note.tasks[d->task]);
    }
    sort_last(run, start);
    return true;
}

static bool try_undated_of(struct select_run *run, const struct file *f)
{
    const struct tasks_item *items = tasks_of(index_tasks(run->plan.index), f->id);
    if (items == NULL || !is_in_folder(run, f))
        return true;
    for (uint32_t i = 0; i < f->note.n_tasks; i++) {
        if (is_stopped(run))
            return false;
        if (items[i].dates[TASK_DUE_ON] <= TASK_BAD_DATE)
            try_row(run, f, &f->note.tasks[i]);
    }
    return true;
}

/* They come last, in either direction. */
static void try_undated(struct select_run *run)
{
    const struct index *x = run->plan.index;
    size_t start = run->n;
    for (file_id i = 0; i < x->n; i++)
        if (x->files[i] != NULL && !try_undated_of(run, x->files[i]))
            return;
    sort_last(run, start);
}

static void list_due(struct select_run *run)
{
    struct select_due due = select_find_due(&run->plan);
    if (run->plan.n_regexes > 0)
        run->regex = regex_scratch_create();
    if (try_dated(run, &due) && due.others)
        try_undated(run);
    run->sorted = true;
}

/* --- rows --- */

static void make_rows(struct select_run *run, struct arena *a)
{
    const struct select *s = run->select;
    struct select_result *out = &run->result;
    if (!run->sorted)
        sort_matches(run);
    out->n = select_shown(s, run->n);
    out->rows = ARENA_ARRAY(a, struct select_row, out->n);
    for (size_t i = 0; i < out->n; i++) {
        const struct match *m = &run->matches[s->offset + i];
        struct value *values = ARENA_ARRAY(a, struct value, s->n_columns);
        for (size_t k = 0; k < s->n_columns; k++)
            values[k] = read_field(run, a, run->columns[k], m);
        out->rows[i] = (struct select_row){m->file, m->task, values};
    }
}

/* --- groups --- */

/* One value of one row. */
struct member {
    struct value value, key;
    size_t row;
};

struct members {
    struct member *items;
    size_t n;
};

static int by_key(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    int order = value_order(&a->key, &b->key);
    return order != 0 ? order : a->row < b->row ? -1 : a->row > b->row;
}

static void add_member(struct select_run *run, struct members *list,
                       const struct value *v, size_t row)
{
    struct value_reader r = reader_for(run, &run->work, run->matches[row].file);
    *ARRAY_ADD(NULL, list->items, list->n) =
        (struct member){.value = *v, .key = value_key(&r, v), .row = row};
}

static void add_members(struct select_run *run, struct members *list, size_t row)
{
    const struct match *m = &run->matches[row];
    struct value v = read_field(run, &run->work, run->group, m), item;
    struct value_reader r = reader_for(run, &run->work, m->file);
    struct value_items it = {.list = &v};
    if (v.type != VALUE_LIST) {
        add_member(run, list, &v, row);
        return;
    }
    while (value_next(&r, &it, &item))
        add_member(run, list, &item, row);
    if (v.n == 0) /* an empty list is in the group of null */
        add_member(run, list, &(struct value){.target = NO_FILE}, row);
}

/* Of several spellings of a value, the first by bytes is shown. */
static bool is_spelt_before(const struct value *a, const struct value *b)
{
    return str_cmp(a->text, b->text) < 0;
}

static size_t make_groups(const struct members *list, struct select_group *groups)
{
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        const struct member *m = &list->items[i];
        bool same = i > 0 && value_order(&m->key, &list->items[i - 1].key) == 0;
        if (!same)
            groups[n++] = (struct select_group){.value = m->value};
        struct select_group *g = &groups[n - 1];
        if (same && is_spelt_before(&m->value, &g->value))
            g->value = m->value;
        g->count += !same || m->row != list->items[i - 1].row;
    }
    return n;
}

/* Groups were made in the order of their values, so addresses break ties. */
static int by_count(const void *x, const void *y)
{
    const struct select_group *const *a = x, *const *b = y;
    if ((*a)->count != (*b)->count)
        return (*a)->count > (*b)->count ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

/* Texts that were made for the key or value are in the work arena: copy them. */
static struct value lasting(struct arena *a, struct value v)
{
    v.text = arena_str(a, v.text);
    v.path = arena_str(a, v.path);
    return v;
}

static void show_groups(struct select_run *run, struct arena *a,
                        struct select_group *groups, size_t n)
{
    struct select_result *out = &run->result;
    const struct select_group **sorted =
        ARENA_ARRAY(&run->work, const struct select_group *, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &groups[i];
    qsort(sorted, n, sizeof(*sorted), by_count);
    out->total_groups = n;
    out->n_groups = select_shown(run->select, n);
    out->groups = ARENA_ARRAY(a, struct select_group, out->n_groups);
    for (size_t i = 0; i < out->n_groups; i++) {
        out->groups[i] = *sorted[run->select->offset + i];
        out->groups[i].value = lasting(a, out->groups[i].value);
    }
}

static void group_rows(struct select_run *run, struct arena *a)
{
    struct members list = {0};
    for (size_t i = 0; i < run->n; i++)
        add_members(run, &list, i);
    if (list.n > 1)
        qsort(list.items, list.n, sizeof(*list.items), by_key);
    struct select_group *groups = ARENA_ARRAY(&run->work, struct select_group, list.n);
    show_groups(run, a, groups, make_groups(&list, groups));
    free(list.items);
}

/* --- the whole query --- */

static bool check_limits(const struct select *s, struct err *err)
{
    if (s->n_columns > SELECT_COLUMNS_MAX || s->n_order > SELECT_COLUMNS_MAX)
        return err_set(err, ERR_LIMIT, "select, sort: more than %d fields",
                       SELECT_COLUMNS_MAX);
    if (s->limit > SELECT_LIMIT_MAX)
        return err_set(err, ERR_LIMIT, "limit: at most %d", SELECT_LIMIT_MAX);
    return s->folder.n <= PATH_MAX_BYTES ||
           err_set(err, ERR_LIMIT, "folder: longer than %d bytes", PATH_MAX_BYTES);
}

static bool parse(struct select_run *run, struct err *err)
{
    const struct select *s = run->select;
    struct select_plan *p = &run->plan;
    if (!check_limits(s, err) || !select_parse_where(p, s->where, err))
        return false;
    for (size_t i = 0; i < s->n_columns; i++)
        if (!select_parse_field(p, "select", s->columns[i], &run->columns[i], err))
            return false;
    for (size_t i = 0; i < s->n_order; i++)
        if (!select_parse_field(p, "sort", s->order[i].field, &run->order[i], err))
            return false;
    str folder = s->folder;
    while (str_ends(folder, STR("/")))
        folder.n--;
    while (str_starts(folder, STR("/")))
        folder = str_skip(folder, 1);
    run->folder = utf8_fold(p->arena, folder);
    return s->group.n == 0 || select_parse_field(p, "group", s->group, &run->group, err);
}

static void select_release(struct select_run *run)
{
    for (size_t i = 0; i < run->plan.n_regexes; i++)
        regex_free(run->plan.regexes[i]);
    regex_scratch_free(run->regex);
    free(run->matches);
    arena_release(&run->row);
    arena_release(&run->work);
}

bool select_run(const struct index *x, struct arena *a, const struct select *s,
                struct select_result *out, struct err *err)
{
    struct select_run run = {.select = s,
                             .plan = {.arena = a,
                                      .index = x,
                                      .from = s->from,
                                      .now = date_of_clock(s->now, s->utc_offset),
                                      .reader = {.arena = a,
                                                 .names = x->names,
                                                 .source_id = NO_FILE,
                                                 .utc_offset = s->utc_offset}}};
    select_tasks_open(&run.plan.tasks, a, x, s->tasks);
    bool ok = parse(&run, err);
    if (ok) {
        if (is_listing(&run))
            list_notes(&run);
        else if (is_due_listing(&run))
            list_due(&run);
        else
            find_matches(&run);
        if (run.group != NULL && !s->count_only)
            group_rows(&run, a);
        else if (!s->count_only)
            make_rows(&run, a);
        if (!run.result.partial)
            select_find_unknown(&run.plan, &run.result);
        *out = run.result;
    }
    select_release(&run);
    return ok;
}
