/* A query is parsed into a plan, which is run; its answer is the plan's. */
#include "vault/eval/select.h"

#include "base/path.h"
#include "base/utf8.h"
#include "vault/eval/dialect.h"
#include "vault/eval/eval.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/plan.h"
#include "vault/eval/select_parser.h"
#include "vault/eval/task_field.h"
#include "vault/eval/unknown_fields.h"
#include "vault/eval/value_date.h"
#include "vault/index/tags.h"

const struct dialect dialect_query = {
    .name = "query",
    .units = DURATION_QUERY,
    .reads.markdown_links = true,
    .reads.inline_fields = true,
    .compares.folded = true,
    .compares.any_item = true,
    .evaluates.errors_as_null = true,
};

struct select_run {
    const struct select *select;
    const struct index *index;
    struct select_query query;
    struct expr *where, *group;
    const struct expr *columns[SELECT_COLUMNS_MAX];
    struct plan_key order[SELECT_COLUMNS_MAX];
    struct plan_step steps[2]; /* a filter, then a sort or groups */
    struct plan plan;
    struct plan_result found;
};

/* --- parsing --- */

static bool check_limits(const struct select *s, struct err *err)
{
    if (s->n_columns > SELECT_COLUMNS_MAX || s->n_order > SELECT_COLUMNS_MAX)
        return err_set(err, ERR_LIMIT, "select, sort: more than %d fields",
                       SELECT_COLUMNS_MAX);
    if (s->limit > SELECT_LIMIT_MAX && s->limit != SIZE_MAX)
        return err_set(err, ERR_LIMIT, "limit: at most %d", SELECT_LIMIT_MAX);
    return s->folder.n <= PATH_MAX_BYTES ||
           err_set(err, ERR_LIMIT, "folder: longer than %d bytes", PATH_MAX_BYTES);
}

static bool parse_fields(struct select_run *run, struct err *err)
{
    const struct select *s = run->select;
    struct select_query *q = &run->query;
    struct expr *x;
    for (size_t i = 0; i < s->n_columns; i++) {
        if (!select_parse_field(q, "select", s->columns[i], &x, err))
            return false;
        run->columns[i] = x;
    }
    for (size_t i = 0; i < s->n_order; i++) {
        if (!select_parse_field(q, "sort", s->order[i].field, &x, err))
            return false;
        run->order[i] = (struct plan_key){x, .descending = s->order[i].descending};
    }
    return s->group.n == 0 || select_parse_field(q, "group", s->group, &run->group, err);
}

static str folded_folder(struct arena *a, str folder)
{
    while (str_ends(folder, STR("/")))
        folder.n--;
    while (str_starts(folder, STR("/")))
        folder = str_skip(folder, 1);
    return utf8_fold(a, folder);
}

/* --- the plan --- */

static void add_step(struct select_run *run, struct plan_step step)
{
    run->steps[run->plan.n_steps++] = step;
}

static void make_plan(struct select_run *run)
{
    const struct select *s = run->select;
    bool groups = run->group != NULL;
    run->plan = (struct plan){
        .from = s->from == SELECT_TASKS ? PLAN_TASKS : PLAN_NOTES,
        .steps = run->steps,
        .columns = run->columns,
        .n_columns = groups ? 0 : s->n_columns,
        .folder = folded_folder(run->query.arena, s->folder),
        .offset = s->offset,
        .limit = s->limit == 0 ? SELECT_LIMIT_MAX : s->limit,
        .count_only = s->count_only,
        .explain = true,
    };
    if (run->where != NULL)
        add_step(run, (struct plan_step){.op = PLAN_FILTER, .expr = run->where});
    if (groups)
        add_step(run, (struct plan_step){.op = PLAN_GROUP,
                                         .expr = run->group,
                                         .by_item = true,
                                         .by_count = true});
    else if (s->n_order > 0)
        add_step(run, (struct plan_step){
                          .op = PLAN_SORT, .keys = run->order, .n = s->n_order});
}

static void run_plan(struct select_run *run)
{
    struct arena *a = run->query.arena;
    struct eval e = {.dialect = &dialect_query,
                     .index = run->index,
                     .now = run->query.now,
                     .stop = run->select->stop,
                     .reader = {.utc_offset = run->select->utc_offset}};
    eval_open(&e, a);
    plan_run(&e, &run->plan, a, &run->found);
    eval_release(&e);
}

/* --- the answer --- */

static void take_rows(struct select_run *run, struct select_result *out)
{
    out->n = run->found.n;
    out->rows = ARENA_ARRAY(run->query.arena, struct select_row, out->n);
    for (size_t i = 0; i < out->n; i++) {
        const struct plan_row *row = &run->found.rows[i];
        out->rows[i] = (struct select_row){row->row.file, row->row.task, row->cells};
    }
}

/* Offset and limit apply to groups. */
static void take_groups(struct select_run *run, struct select_result *out)
{
    size_t all = run->found.n_groups, from = run->plan.offset;
    size_t left = from < all ? all - from : 0;
    out->total_groups = all;
    out->n_groups = left < run->plan.limit ? left : run->plan.limit;
    out->groups = ARENA_ARRAY(run->query.arena, struct select_group, out->n_groups);
    for (size_t i = 0; i < out->n_groups; i++) {
        const struct plan_group *g = &run->found.groups[from + i];
        out->groups[i] = (struct select_group){g->key, g->count};
    }
}

/* A tag comes before those nested in it. */
static void take_nested(const struct tags *t, str name, struct select_result *out)
{
    for (size_t i = 0; i + 1 < tags_count(t); i++)
        if (str_eq(tags_at(t, i).name, name)) {
            out->nested_in = name;
            out->nested = tags_at(t, i + 1).name;
            return;
        }
}

/* The first tag that the filter compares with, and that has nested ones. */
static void find_nested(const struct index *x, const struct expr *e,
                        struct select_result *out)
{
    const struct expr *left = e->n > 0 ? e->kids[0] : NULL;
    bool tags = e->kind == EXPR_BINARY &&
                (e->op == EXPR_EQUAL || e->op == EXPR_CONTAINS) &&
                left->kind == EXPR_FIELD && left->field->kind == FIELD_FILE_TAGS;
    for (uint32_t i = tags ? 1 : 0; i < e->n && out->nested.n == 0; i++) {
        struct tag found;
        str tag = e->kids[i]->value.text;
        if (!tags)
            find_nested(x, e->kids[i], out);
        else if (e->kids[i]->kind == EXPR_LITERAL && tag.n > 0 &&
                 tags_find(x->tags, tag, &found) && found.all > found.notes)
            take_nested(x->tags, found.name, out);
    }
}

static void make_result(struct select_run *run, struct select_result *out)
{
    *out = (struct select_result){.total = run->found.total,
                                  .missing = run->found.missing,
                                  .limit = run->found.limit};
    if (run->group != NULL && !run->select->count_only)
        take_groups(run, out);
    else if (!run->select->count_only)
        take_rows(run, out);
    if (run->where != NULL && out->total > 0)
        find_nested(run->index, run->where, out);
    if (out->limit == NULL)
        out->n_unknown = unknown_fields_find(run->index, &run->query.fields,
                                             run->select->stop, &out->unknown);
}

bool select_run(const struct index *x, struct arena *a, const struct select *s,
                struct select_result *out, struct err *err)
{
    struct select_run run = {
        .select = s,
        .index = x,
        .query = {.arena = a,
                  .reader = {.arena = a,
                             .names = x->names,
                             .source_id = NO_FILE,
                             .utc_offset = s->utc_offset},
                  .now = date_of_clock(s->now, s->utc_offset),
                  .fields = {.arena = a, .of_tasks = s->from == SELECT_TASKS}}};
    task_field_reader_open(&run.query.fields.tasks, a, x, s->tasks);
    bool ok = check_limits(s, err) &&
              select_parse_where(&run.query, s->where, &run.where, err) &&
              parse_fields(&run, err);
    if (ok) {
        make_plan(&run);
        run_plan(&run);
        make_result(&run, out);
    }
    expr_release(&run.query.owner);
    return ok;
}
