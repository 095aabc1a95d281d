/* The rows of a query as a file: for spreadsheets, for notes, for scripts. */
#include "app/answers/rows.h"
#include "app/answers/tabled_parts.h"
#include "base/sbuf.h"
#include "vault/eval/value.h"

struct rows_exporter {
    struct arena *a;
    const struct rows *rows;
    struct sbuf out;
    void (*cell)(struct rows_exporter *x, size_t column, str text);
};

static void rows_csv_cell(struct rows_exporter *x, size_t column, str text)
{
    tabled_csv_field(&x->out, text, column == 0);
}

static void rows_markdown_cell(struct rows_exporter *x, size_t column, str text)
{
    if (column == 0)
        sbuf_char(&x->out, '|');
    sbuf_cell(&x->out, text);
}

static str rows_export_value(struct rows_exporter *x, const struct value *v)
{
    struct sbuf b = SBUF_ON(x->a);
    value_print(&b, v);
    return sbuf_str(&b);
}

/* The line of names; below it, in Markdown, the line of dashes. */
static void rows_export_head(struct rows_exporter *x, bool markdown)
{
    const struct select *s = x->rows->select;
    bool groups = s->group.n > 0, tasks = s->from == SELECT_TASKS;
    size_t n = 0;
    x->cell(x, n++, groups ? s->group : markdown ? STR("file") : STR("path"));
    if (groups)
        x->cell(x, n++, STR("count"));
    if (tasks && !groups) {
        x->cell(x, n++, STR("line"));
        x->cell(x, n++, STR("status"));
        x->cell(x, n++, STR("task"));
    }
    for (size_t k = 0; !groups && k < s->n_columns; k++)
        x->cell(x, n++, s->columns[k]);
    sbuf_char(&x->out, '\n');
    for (size_t k = 0; markdown && k < n; k++)
        sbuf_add(&x->out, k == 0 ? STR("| --- |") : STR(" --- |"));
    if (markdown)
        sbuf_char(&x->out, '\n');
}

static void rows_export_row(struct rows_exporter *x, const struct select_row *row,
                            bool markdown)
{
    const struct select *s = x->rows->select;
    str path = row->file->path, text = row->file->text;
    size_t n = 0;
    x->cell(x, n++, markdown ? tabled_markdown_link(x->a, path) : path);
    if (row->task != NULL) {
        x->cell(x, n++, arena_printf(x->a, "%u", row->task->line));
        x->cell(x, n++, span_of(text, row->task->mark));
        x->cell(x, n++, span_of(text, row->task->text));
    }
    for (size_t k = 0; k < s->n_columns; k++)
        x->cell(x, n++, rows_export_value(x, &row->values[k]));
    sbuf_char(&x->out, '\n');
}

static void rows_export_table(struct rows_exporter *x, bool markdown)
{
    const struct select_result *found = &x->rows->found;
    rows_export_head(x, markdown);
    for (size_t i = 0; i < found->n_groups; i++) {
        x->cell(x, 0, rows_export_value(x, &found->groups[i].value));
        x->cell(x, 1, arena_printf(x->a, "%zu", found->groups[i].count));
        sbuf_char(&x->out, '\n');
    }
    for (size_t i = 0; i < found->n; i++)
        rows_export_row(x, &found->rows[i], markdown);
}

/* Each file once: tasks of a note follow each other unless they are sorted. */
static void rows_export_paths(struct rows_exporter *x)
{
    const struct select_result *found = &x->rows->found;
    for (size_t i = 0; i < found->n; i++)
        if (i == 0 || found->rows[i].file != found->rows[i - 1].file)
            sbuf_printf(&x->out, STR_FMT "\n", STR_ARG(found->rows[i].file->path));
}

str rows_export(struct arena *a, const struct rows *rows, enum tabled_form form)
{
    bool markdown = form == TABLED_MARKDOWN;
    struct rows_exporter x = {.a = a,
                              .rows = rows,
                              .out = SBUF_ON(a),
                              .cell = markdown ? rows_markdown_cell : rows_csv_cell};
    if (form == TABLED_PATHS)
        rows_export_paths(&x);
    else
        rows_export_table(&x, markdown);
    return sbuf_str(&x.out);
}
