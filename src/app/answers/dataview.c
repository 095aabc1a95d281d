#include "app/answers/dataview.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/queried.h"
#include "app/answers/tabled_parts.h"
#include "app/answers/term.h"
#include "base/clock.h"
#include "vault/ask/dql_find.h"
#include "vault/ask/find.h"
#include "vault/dql/dql.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"

bool dataview_find(const struct index *x, struct arena *a,
                   const struct dataview_request *request, struct dataview *out,
                   struct err *err)
{
    int64_t now = clock_now();
    *out = (struct dataview){.arena = a, .offset = request->offset};
    if (!dql_find(x, a, request->query, &out->source, err))
        return false;
    const struct file *self = out->source.file;
    if (request->this_path.n > 0 && !find_file(x, a, request->this_path, &self, err))
        return false;
    struct dql_request w = {
        .index = x,
        .text = out->source.text,
        .this_file = self,
        .utc_offset = clock_utc_offset(now),
        .now = date_of_clock(now, clock_utc_offset(now)),
        .stop = request->stop,
        .offset = request->offset,
        .limit = request->limit,
    };
    return dql_run(a, &w, &out->query, &out->found, err);
}

/* --- parts --- */

static bool is_group(const struct plan_row *row)
{
    return row->row.file == NULL;
}

/* The value of a group, and its rows. */
static const struct value *group_key(const struct plan_row *row)
{
    return dql_row_name(&row->row, STR("key"));
}

static const struct value *group_rows(const struct plan_row *row)
{
    return dql_row_name(&row->row, STR("rows"));
}

/* What rows of this query are called. */
static const char *noun(const struct dataview *d, bool several)
{
    bool tasks = d->query.type == DQL_TASK;
    if (d->query.grouped)
        return several ? "groups" : "group";
    return tasks ? several ? "tasks" : "task" : several ? "notes" : "note";
}

/* --- JSON --- */

static void dataview_put_task(struct jsonw *w, const struct row *row)
{
    str text = row->file->text;
    jsonw_put_int(w, STR("line"), row->task->line);
    jsonw_put_str(w, STR("task"), span_of(text, row->task->text));
    jsonw_put_str(w, STR("status"), span_of(text, row->task->mark));
}

static void dataview_put_place(struct jsonw *w, const struct row *row)
{
    jsonw_put_str(w, STR("path"), row->file->path);
    if (row->task != NULL)
        dataview_put_task(w, row);
}

/* The notes or tasks of a group. */
static void put_members(struct jsonw *w, const struct value *rows)
{
    jsonw_put_array(w, STR("rows"));
    for (size_t i = 0; rows != NULL && rows->items != NULL && i < rows->n; i++) {
        const struct value *v = &rows->items[i];
        jsonw_object(w);
        if (v->type == VALUE_ROW && v->row->file != NULL)
            dataview_put_place(w, v->row);
        jsonw_end(w);
    }
    jsonw_end(w);
}

static void dataview_put_row(struct answer_out *out, const void *result, size_t i)
{
    const struct dataview *d = result;
    const struct plan_row *row = &d->found.rows[i];
    jsonw_object(out->w);
    if (!is_group(row)) {
        dataview_put_place(out->w, &row->row);
    } else {
        jsonw_key(out->w, STR("key"));
        value_json(out->w, group_key(row));
        put_members(out->w, group_rows(row));
    }
    if (d->query.plan.n_columns > 0)
        jsonw_put_object(out->w, STR("values"));
    for (size_t k = 0; k < d->query.plan.n_columns; k++) {
        jsonw_key(out->w, d->query.columns[k]);
        value_json(out->w, &row->cells[k]);
    }
    if (d->query.plan.n_columns > 0)
        jsonw_end(out->w);
    jsonw_end(out->w);
}

static void dataview_json(struct answer_out *out, const void *result)
{
    const struct dataview *d = result;
    jsonw_object(out->w);
    if (d->source.file != NULL)
        jsonw_put_str(out->w, STR("path"), d->source.file->path);
    if (d->source.blocks > 1)
        jsonw_put_int(out->w, STR("block"), (int64_t)d->source.number);
    jsonw_put_int(out->w, STR("total"), (int64_t)d->found.left);
    if (d->found.errors > 0) {
        jsonw_put_object(out->w, STR("errors"));
        jsonw_put_int(out->w, STR("rows"), (int64_t)d->found.errors);
        jsonw_put_str(out->w, STR("first"), d->found.first_error);
        jsonw_end(out->w);
    }
    queried_limit_json(out, d->found.limit);
    queried_unknown_json(out, d->query.unknown, d->query.n_unknown);
    size_t shown = answer_items(out, STR("rows"), d, d->found.n, dataview_put_row);
    answer_next(out, d->offset + shown, d->found.left);
    jsonw_put_text(out->w, STR("note"), d->found.missing);
    jsonw_end(out->w);
}

/* --- plain text --- */

static void say_task(struct model_text *s, const struct row *row, bool new_file)
{
    str text = row->file->text;
    if (new_file)
        sbuf_printf(s->out, STR_FMT "\n", STR_ARG(row->file->path));
    sbuf_printf(s->out, "%u: [" STR_FMT "] ", row->task->line,
                STR_ARG(span_of(text, row->task->mark)));
    mt_line(s, span_of(text, row->task->text));
    sbuf_char(s->out, '\n');
}

/* The tasks of a group, below its key. */
static void say_members(struct model_text *s, const struct value *rows)
{
    const struct file *last = NULL;
    for (size_t i = 0; rows != NULL && rows->items != NULL && i < rows->n; i++) {
        const struct row *row = rows->items[i].row;
        if (rows->items[i].type != VALUE_ROW || row->task == NULL)
            continue;
        say_task(s, row, row->file != last);
        last = row->file;
    }
}

static void say_cells(struct model_text *s, const struct dataview *d,
                      const struct plan_row *row)
{
    bool first = d->query.without_id;
    for (size_t k = 0; k < d->query.plan.n_columns; k++) {
        sbuf_add(s->out, first ? STR("") : STR(" | "));
        sbuf_add(s->out, tabled_cell(d->arena, &row->cells[k]));
        first = false;
    }
    sbuf_char(s->out, '\n');
}

static void say_group(struct model_text *s, const struct dataview *d,
                      const struct plan_row *row)
{
    str key = tabled_cell(d->arena, group_key(row));
    const struct value *rows = group_rows(row);
    if (!d->query.without_id)
        sbuf_printf(s->out, STR_FMT, STR_ARG(key.n > 0 ? key : STR("(none)")));
    if (d->query.plan.n_columns == 0)
        sbuf_printf(s->out, " | %zu", rows != NULL ? rows->n : 0);
    say_cells(s, d, row);
    if (d->query.type == DQL_TASK)
        say_members(s, rows);
}

static void dataview_text_row(struct model_text *s, const void *result, size_t i)
{
    const struct dataview *d = result;
    const struct plan_row *row = &d->found.rows[i];
    if (is_group(row)) {
        say_group(s, d, row);
    } else if (row->row.task != NULL) {
        say_task(s, &row->row, i == 0 || row[-1].row.file != row->row.file);
    } else {
        if (!d->query.without_id)
            sbuf_add(s->out, row->row.file->path);
        say_cells(s, d, row);
    }
}

/* The names of the columns. */
static void say_head(struct model_text *s, const struct dataview *d)
{
    bool first = d->query.without_id;
    if (d->query.plan.n_columns == 0 || d->found.n == 0)
        return;
    if (!first)
        sbuf_add(s->out, d->query.grouped ? d->query.group : STR("path"));
    for (size_t k = 0; k < d->query.plan.n_columns; k++) {
        sbuf_add(s->out, first ? STR("") : STR(" | "));
        mt_line(s, d->query.columns[k]);
        first = false;
    }
    sbuf_char(s->out, '\n');
}

static void dataview_text(struct model_text *s, const void *result)
{
    const struct dataview *d = result;
    const struct dql_found *from = &d->source;
    queried_unknown_text(s, d->query.unknown,
                         d->query.n_unknown); /* before rows that lack it */
    if (from->file != NULL)
        sbuf_add(s->out, from->file->path);
    if (from->blocks > 1)
        sbuf_printf(s->out, ", block %zu of %zu", from->number, from->blocks);
    sbuf_add(s->out, from->file != NULL ? STR(": ") : STR(""));
    queried_count(s, d->found.limit, d->found.left, noun(d, false), noun(d, true));
    sbuf_char(s->out, '\n');
    say_head(s, d);
    size_t shown = mt_items(s, d, d->found.n, dataview_text_row);
    mt_next(s, d->offset + shown, d->found.left);
    if (d->found.errors > 0)
        mt_note(s,
                arena_printf(d->arena,
                             "%zu rows could not be evaluated and are left out: " STR_FMT,
                             d->found.errors, STR_ARG(d->found.first_error)));
    queried_limit_text(s, d->found.limit);
    mt_note(s, d->found.missing);
}

/* --- a terminal --- */

static void dataview_term(struct term *t, const void *result)
{
    struct sbuf text = SBUF_ON(t->out.arena);
    struct model_text s = {.out = &text, .max = SIZE_MAX};
    dataview_text(&s, result);
    term_text(t, sbuf_str(&text));
}

const struct answer_shape dataview_shape = {"dataview", .json = dataview_json,
                                            .text = dataview_text, .term = dataview_term};
