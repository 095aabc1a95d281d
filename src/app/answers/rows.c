#include "app/answers/rows.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/queried.h"
#include "app/answers/term.h"
#include "app/answers/term_table.h"
#include "app/answers/why_none.h"
#include "base/clock.h"
#include "vault/eval/field.h"
#include "vault/eval/select.h"
#include "vault/eval/value.h"
#include "vault/forms/task_settings.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

struct select_order *rows_order(struct arena *a, const str *words, size_t n)
{
    struct select_order *order = ARENA_ARRAY(a, struct select_order, n);
    for (size_t i = 0; i < n; i++) {
        bool descending = str_starts(words[i], STR("-"));
        order[i] = (struct select_order){str_skip(words[i], descending), descending};
    }
    return order;
}

bool rows_find(struct vault *v, const struct index *x, struct arena *a, struct select *s,
               struct rows *out, struct err *err)
{
    struct task_settings tasks;
    task_settings_read(a, obsidian_tasks(vault_obsidian(v)), &tasks);
    *out = (struct rows){.select = s};
    s->tasks = &tasks;
    s->now = clock_now();
    s->utc_offset = clock_utc_offset(s->now);
    bool found = select_run(x, a, s, &out->found, err);
    s->tasks = NULL;
    if (!found)
        return false;
    if (out->found.total == 0)
        out->note = why_none(x, a, s->folder, STR(""));
    if (out->note.n == 0)
        out->note = out->found.missing;
    if (out->note.n == 0 && out->found.nested.n > 0)
        out->note =
            arena_printf(a, "#" STR_FMT " includes its nested tags, such as #" STR_FMT,
                         STR_ARG(out->found.nested_in), STR_ARG(out->found.nested));
    return true;
}

/* --- tasks --- */

/* Whether a column is selected that a task shows in any case. */
static bool rows_selects(const struct select *s, const char *field)
{
    for (size_t k = 0; k < s->n_columns; k++)
        if (field_is(s->columns[k], field))
            return true;
    return false;
}

/* Whether the path, or the line and text of a task, show what is in the column. */
static bool rows_is_shown(const struct select *s, size_t k)
{
    return field_is(s->columns[k], "file.path") ||
           (s->from == SELECT_TASKS && (field_is(s->columns[k], "task.text") ||
                                        field_is(s->columns[k], "task.line")));
}

/* --- JSON --- */

/* A part of a task that is not among the values. */
static void put_part(struct answer_out *out, const struct rows *r, const char *field,
                     const char *key, str value)
{
    if (!rows_selects(r->select, field))
        jsonw_put_str(out->w, str_c(key), value);
}

static void rows_put_row(struct answer_out *out, const void *result, size_t i)
{
    const struct rows *r = result;
    const struct select *s = r->select;
    const struct select_row *row = &r->found.rows[i];
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("path"), row->file->path);
    if (row->task != NULL) {
        jsonw_put_int(out->w, STR("line"), row->task->line);
        put_part(out, r, "task.text", "task", span_of(row->file->text, row->task->text));
        put_part(out, r, "task.status", "status",
                 span_of(row->file->text, row->task->mark));
    }
    if (s->n_columns > 0)
        jsonw_put_object(out->w, STR("values"));
    for (size_t k = 0; k < s->n_columns; k++) {
        jsonw_key(out->w, s->columns[k]);
        value_json(out->w, &row->values[k]);
    }
    if (s->n_columns > 0)
        jsonw_end(out->w);
    jsonw_end(out->w);
}

static void put_group(struct answer_out *out, const void *result, size_t i)
{
    const struct select_group *g = &((const struct rows *)result)->found.groups[i];
    jsonw_object(out->w);
    jsonw_key(out->w, STR("value"));
    value_json(out->w, &g->value);
    jsonw_put_int(out->w, STR("count"), (int64_t)g->count);
    jsonw_end(out->w);
}

static void rows_json(struct answer_out *out, const void *result)
{
    const struct rows *r = result;
    const struct select *s = r->select;
    const struct select_result *f = &r->found;
    bool groups = s->group.n > 0;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("total"), (int64_t)f->total);
    if (groups)
        jsonw_put_int(out->w, STR("total_groups"), (int64_t)f->total_groups);
    queried_unknown_json(out, f->unknown, f->n_unknown);
    queried_limit_json(out, f->limit);
    if (!s->count_only) {
        size_t shown = groups
                           ? answer_items(out, STR("groups"), r, f->n_groups, put_group)
                           : answer_items(out, STR("rows"), r, f->n, rows_put_row);
        answer_next(out, s->offset + shown, groups ? f->total_groups : f->total);
    }
    jsonw_put_text(out->w, STR("note"), r->note);
    jsonw_end(out->w);
}

/* --- plain text: a table --- */

static void rows_text_value(struct model_text *s, const struct value *v)
{
    struct sbuf b = SBUF_ON(s->out->arena);
    value_print(&b, v);
    mt_line(s, sbuf_str(&b));
}

/* A task is below the path of its note, with its line. */
static void rows_text_place(struct model_text *s, const struct select_row *row,
                            bool new_file)
{
    str text = row->file->text;
    if (row->task == NULL || new_file)
        sbuf_add(s->out, row->file->path);
    if (row->task == NULL)
        return;
    sbuf_printf(s->out, "%s%u: [" STR_FMT "] ", new_file ? "\n" : "", row->task->line,
                STR_ARG(span_of(text, row->task->mark)));
    mt_line(s, span_of(text, row->task->text));
}

static void rows_text_one(struct model_text *s, const void *result, size_t i)
{
    const struct rows *r = result;
    const struct select_row *row = &r->found.rows[i];
    rows_text_place(s, row, i == 0 || row[-1].file != row->file);
    for (size_t k = 0; k < r->select->n_columns; k++) {
        if (rows_is_shown(r->select, k))
            continue;
        sbuf_add(s->out, STR(" | "));
        rows_text_value(s, &row->values[k]);
    }
    sbuf_char(s->out, '\n');
}

static void rows_text_group(struct model_text *s, const void *result, size_t i)
{
    const struct select_group *g = &((const struct rows *)result)->found.groups[i];
    size_t before = s->out->n;
    rows_text_value(s, &g->value);
    sbuf_printf(s->out, "%s | %zu\n", s->out->n == before ? "(none)" : "", g->count);
}

/* How many there are, and the names of the columns. */
static void rows_text_head(struct model_text *s, const struct rows *r)
{
    const struct select *q = r->select;
    bool tasks = q->from == SELECT_TASKS;
    queried_count(s, r->found.limit, r->found.total, tasks ? "task" : "note",
                  tasks ? "tasks" : "notes");
    if (q->group.n > 0)
        sbuf_printf(s->out, "\n" STR_FMT " | %s\n", STR_ARG(q->group),
                    tasks ? "tasks" : "notes");
    else if (q->n_columns > 0 && !q->count_only && r->found.n > 0) {
        sbuf_printf(s->out, "\n%s", tasks ? "line: task" : "path");
        for (size_t k = 0; k < q->n_columns; k++)
            if (!rows_is_shown(q, k))
                sbuf_printf(s->out, " | " STR_FMT, STR_ARG(q->columns[k]));
        sbuf_char(s->out, '\n');
    } else {
        sbuf_char(s->out, '\n');
    }
}

static void rows_text(struct model_text *s, const void *result)
{
    const struct rows *r = result;
    const struct select *q = r->select;
    const struct select_result *f = &r->found;
    bool groups = q->group.n > 0;
    queried_unknown_text(s, f->unknown, f->n_unknown); /* before rows that lack it */
    rows_text_head(s, r);
    if (!q->count_only) {
        size_t shown = groups ? mt_items(s, r, f->n_groups, rows_text_group)
                              : mt_items(s, r, f->n, rows_text_one);
        mt_next(s, q->offset + shown, groups ? f->total_groups : f->total);
    }
    queried_limit_text(s, f->limit);
    mt_note(s, r->note);
}

/* --- a terminal --- */

static str rows_shown(struct term *t, const struct value *v)
{
    struct sbuf b = SBUF_ON(t->out.arena);
    value_print(&b, v);
    return sbuf_str(&b);
}

static void rows_put_task(struct term *t, const struct select_row *row, bool new_file)
{
    str text = row->file->text;
    term_place(t, row->file->path, row->task->line, new_file);
    term_printf(t, TERM_PLAIN, "[" STR_FMT "] " STR_FMT,
                STR_ARG(span_of(text, row->task->mark)),
                STR_ARG(span_of(text, row->task->text)));
}

/* What is shown: the file first, then the columns. */
struct sheet {
    size_t n;
    str *names;
    str *cells; /* n of the first row, n of the second, ... */
    size_t *widths;
};

static struct sheet make_sheet(struct term *t, const struct select *s,
                               const struct select_result *r)
{
    struct arena *a = t->out.arena;
    struct sheet sheet = {.n = 1,
                          .names = ARENA_ARRAY(a, str, s->n_columns + 1),
                          .cells = ARENA_ARRAY(a, str, size_mul(r->n, s->n_columns + 1)),
                          .widths = ARENA_ARRAY(a, size_t, s->n_columns + 1)};
    sheet.names[0] = STR("file");
    for (size_t k = 0; k < s->n_columns; k++)
        if (!rows_is_shown(s, k))
            sheet.names[sheet.n++] = s->columns[k];
    for (size_t i = 0; i < r->n; i++) {
        str *cell = &sheet.cells[i * sheet.n];
        *cell++ = r->rows[i].file->path;
        for (size_t k = 0; k < s->n_columns; k++)
            if (!rows_is_shown(s, k))
                *cell++ = rows_shown(t, &r->rows[i].values[k]);
    }
    for (size_t k = 0; k < sheet.n && t->width > 0; k++)
        term_table_widen(t, &sheet.widths[k], sheet.names[k]);
    for (size_t i = 0; i < r->n * sheet.n; i++)
        term_table_widen(t, &sheet.widths[i % sheet.n], sheet.cells[i]);
    term_table_fit(t, sheet.widths, sheet.n);
    return sheet;
}

static void put_sheet(struct term *t, const struct select *s,
                      const struct select_result *r)
{
    struct sheet sheet = make_sheet(t, s, r);
    bool tasks = s->from == SELECT_TASKS;
    if (t->width > 0 && sheet.n > 1 && !tasks && r->n > 0)
        term_table_line(t, sheet.names, sheet.widths, sheet.n, TERM_FAINT, TERM_FAINT);
    for (size_t i = 0; i < r->n; i++) {
        const struct select_row *row = &r->rows[i];
        const str *cells = &sheet.cells[i * sheet.n];
        if (!tasks) {
            term_table_line(t, cells, sheet.widths, sheet.n, TERM_PATH, TERM_PLAIN);
            continue;
        }
        rows_put_task(t, row, i == 0 || r->rows[i - 1].file != row->file);
        term_table_rest(t, cells + 1, sheet.widths + 1, sheet.n - 1, TERM_PLAIN);
    }
}

static void put_rest(struct term *t, const struct select *s,
                     const struct select_result *r)
{
    bool groups = s->group.n > 0;
    size_t all = groups ? r->total_groups : r->total, n = groups ? r->n_groups : r->n;
    if (!s->count_only && s->offset + n < all)
        term_printf(term_remarks(t), TERM_FAINT,
                    "%zu of %zu; continue with --offset %zu\n", n, all, s->offset + n);
}

static void rows_term(struct term *t, const void *result)
{
    const struct select *s = ((const struct rows *)result)->select;
    const struct select_result *r = &((const struct rows *)result)->found;
    str note = ((const struct rows *)result)->note;
    if (s->count_only)
        term_printf(t, TERM_PLAIN, "%zu\n", r->total);
    for (size_t i = 0; i < r->n_groups; i++) {
        str name = rows_shown(t, &r->groups[i].value);
        term_right(t, TERM_FAINT, arena_printf(t->out.arena, "%zu", r->groups[i].count),
                   7);
        term_printf(t, TERM_PLAIN, "  " STR_FMT "\n",
                    STR_ARG(name.n > 0 ? name : STR("(none)")));
    }
    if (!s->count_only && s->group.n == 0)
        put_sheet(t, s, r);
    put_rest(t, s, r);
    queried_unknown_term(t->notes, r->unknown, r->n_unknown);
    if (t->width > 0 && note.n > 0)
        term_printf(t->notes, TERM_PLAIN, STR_FMT "\n", STR_ARG(note));
}

const struct answer_shape rows_shape = {"rows", .json = rows_json, .text = rows_text,
                                        .term = rows_term};
