#include "app/answers/put.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "base/clock.h"
#include "vault/ask/select.h"
#include "vault/ask/select_value.h"

struct options {
    struct cli_common common;
    bool tasks, count;
    str folder, group;
    struct option_list columns, order;
    int64_t limit, offset;
};

static const struct option table[] = {
    OPTION(struct options, columns, OPTION_LIST, "select", NULL, NULL, "FIELD,...",
           "Fields to show", .letter = 's'),
    OPTION(struct options, order, OPTION_LIST, "sort", NULL, NULL, "FIELD,...",
           "Order by these fields; -FIELD for the largest first"),
    OPTION(struct options, group, OPTION_STR, "group", NULL, NULL, "FIELD",
           "How many there are of each value"),
    OPTION(struct options, tasks, OPTION_SWITCH, "tasks", NULL, NULL, NULL,
           "Tasks instead of notes"),
    OPTION(struct options, count, OPTION_SWITCH, "count", NULL, NULL, NULL,
           "Only how many"),
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "100", "ROWS",
           "How many to show", .min = 1, .max = SELECT_LIMIT_MAX, .letter = 'n'),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "ROWS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

/* --- JSON --- */

static void cli_query_put_json(struct cli *c, const struct select *s,
                               const struct select_result *r)
{
    struct cli_json json;
    struct jsonw *w = cli_json_begin(c, &json);
    jsonw_object(w);
    jsonw_put_int(w, STR("total"), (int64_t)r->total);
    if (s->group.n > 0) {
        jsonw_put_int(w, STR("total_groups"), (int64_t)r->total_groups);
        jsonw_put_array(w, STR("groups"));
        for (size_t i = 0; i < r->n_groups; i++)
            put_group(w, &r->groups[i]);
        jsonw_end(w);
    } else if (!s->count_only) {
        jsonw_put_array(w, STR("rows"));
        for (size_t i = 0; i < r->n; i++)
            put_row(w, s, &r->rows[i]);
        jsonw_end(w);
    }
    put_unknown_fields(w, r);
    jsonw_end(w);
    cli_json_print(c, &json);
}

/* --- people --- */

static str cli_query_shown(struct cli *c, const struct value *v)
{
    struct sbuf b = SBUF_ON(c->arena);
    value_print(&b, v);
    return sbuf_str(&b);
}

/* Values of a row from column 0 on; no blanks at the end of a line. */
static void put_values(struct cli *c, const str *values, size_t n, const size_t *widths,
                       enum term_style style)
{
    while (n > 0 && values[n - 1].n == 0)
        n--;
    for (size_t i = 0; i < n; i++) {
        term_put(&c->out, TERM_PLAIN, STR("  "));
        term_left(&c->out, style, values[i], i + 1 < n ? widths[i] : 0);
    }
    term_put(&c->out, TERM_PLAIN, STR("\n"));
}

static bool has_value(const str *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (values[i].n > 0)
            return true;
    return false;
}

static void put_task(struct cli *c, const struct select_row *row, bool new_file)
{
    str text = row->file->text;
    term_place(&c->out, row->file->path, row->task->line, new_file);
    term_printf(&c->out, TERM_PLAIN, "[" STR_FMT "] " STR_FMT,
                STR_ARG(span_of(text, row->task->mark)),
                STR_ARG(span_of(text, row->task->text)));
}

/* What is shown of each row, and how wide the columns are; [0] is the path. */
struct sheet {
    str *values; /* columns of the first row, of the second, ... */
    size_t *widths;
};

static void widen(size_t *width, str text)
{
    enum { COLUMN_MAX = 60 };
    size_t wanted = term_width(text);
    if (wanted <= COLUMN_MAX && wanted > *width)
        *width = wanted;
}

static struct sheet make_sheet(struct cli *c, const struct select *s,
                               const struct select_result *r)
{
    struct sheet sheet = {ARENA_ARRAY(c->arena, str, size_mul(r->n, s->n_columns)),
                          ARENA_ARRAY(c->arena, size_t, s->n_columns + 1)};
    for (size_t k = 0; c->out.width > 0 && k < s->n_columns; k++)
        widen(&sheet.widths[k + 1], s->columns[k]);
    for (size_t i = 0; i < r->n; i++) {
        widen(&sheet.widths[0], r->rows[i].file->path);
        for (size_t k = 0; k < s->n_columns; k++) {
            str value = cli_query_shown(c, &r->rows[i].values[k]);
            widen(&sheet.widths[k + 1], value);
            sheet.values[i * s->n_columns + k] = value;
        }
    }
    return sheet;
}

static void cli_query_put_rows(struct cli *c, const struct select *s,
                               const struct select_result *r)
{
    struct sheet sheet = make_sheet(c, s, r);
    bool columns = s->n_columns > 0, tasks = s->from == SELECT_TASKS;
    if (c->out.width > 0 && columns && !tasks && r->n > 0) {
        term_left(&c->out, TERM_FAINT, STR("file"), sheet.widths[0]);
        put_values(c, s->columns, s->n_columns, sheet.widths + 1, TERM_FAINT);
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct select_row *row = &r->rows[i];
        const str *values = columns ? &sheet.values[i * s->n_columns] : NULL;
        if (tasks)
            put_task(c, row, i == 0 || r->rows[i - 1].file != row->file);
        else
            term_left(&c->out, TERM_PATH, row->file->path,
                      has_value(values, s->n_columns) ? sheet.widths[0] : 0);
        put_values(c, values, s->n_columns, sheet.widths + 1, TERM_PLAIN);
    }
}

/* Said on stderr, so that it does not get between the results. */
static void put_unknown(struct cli *c, const struct select_result *r)
{
    for (size_t i = 0; i < r->n_unknown; i++) {
        const struct select_unknown *u = &r->unknown[i];
        term_printf(&c->notes, TERM_PLAIN, "No note has a property '" STR_FMT "'",
                    STR_ARG(u->field));
        for (size_t k = 0; k < u->n; k++)
            term_printf(&c->notes, TERM_PLAIN, "%s'" STR_FMT "'",
                        k == 0 ? "; did you mean " : ", ", STR_ARG(u->nearest[k]));
        term_put(&c->notes, TERM_PLAIN, u->n > 0 ? STR("?\n") : STR(".\n"));
    }
}

static void put_rest(struct cli *c, const struct select *s, const struct select_result *r)
{
    bool groups = s->group.n > 0;
    size_t all = groups ? r->total_groups : r->total, n = groups ? r->n_groups : r->n;
    if (!s->count_only && s->offset + n < all)
        term_printf(&c->out, TERM_FAINT, "%zu of %zu; go on with --offset %zu\n", n, all,
                    s->offset + n);
}

static void put_people(struct cli *c, const struct select *s,
                       const struct select_result *r)
{
    if (s->count_only)
        term_printf(&c->out, TERM_PLAIN, "%zu\n", r->total);
    for (size_t i = 0; i < r->n_groups; i++) {
        str name = cli_query_shown(c, &r->groups[i].value);
        term_right(&c->out, TERM_FAINT, arena_printf(c->arena, "%zu", r->groups[i].count),
                   7);
        term_printf(&c->out, TERM_PLAIN, "  " STR_FMT "\n",
                    STR_ARG(name.n > 0 ? name : STR("(none)")));
    }
    if (!s->count_only && s->group.n == 0)
        cli_query_put_rows(c, s, r);
    if (c->out.width > 0)
        put_rest(c, s, r);
    put_unknown(c, r);
}

static bool cli_query_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct select_order *order = ARENA_ARRAY(c->arena, struct select_order, o->order.n);
    for (size_t i = 0; i < o->order.n; i++) {
        str field = o->order.items[i];
        bool descending = str_starts(field, STR("-"));
        order[i] = (struct select_order){str_skip(field, descending), descending};
    }
    struct select s = {
        .from = o->tasks ? SELECT_TASKS : SELECT_NOTES,
        .where = cli_joined(c),
        .folder = o->folder,
        .columns = o->columns.items,
        .n_columns = o->columns.n,
        .order = order,
        .n_order = o->order.n,
        .group = o->group,
        .count_only = o->count,
        .offset = (size_t)o->offset,
        .limit = (size_t)o->limit,
        .now = clock_now(),
    };
    s.utc_offset = clock_utc_offset(s.now);
    struct select_result r;
    if (!select_run(c->index, c->arena, &s, &r, err))
        return false;
    c->status = r.total == 0;
    if (c->json)
        cli_query_put_json(c, &s, &r);
    else
        put_people(c, &s, &r);
    return true;
}

const struct cli_verb cli_query = {
    .name = "query",
    .arguments = "[CONDITION]",
    .about = "Notes or tasks by properties, tags, folders, dates and links",
    .help =
        "  vaultd query 'status = active and due < today + 7d' -s due,status --sort due\n"
        "  vaultd query 'tag = #project' --group status\n"
        "  vaultd query --tasks 'not task.done' --folder Projects\n\n"
        "Fields are properties, and file.name, file.folder, file.modified, file.size,\n"
        "file.tags, file.links, file.backlinks, task.text, task.done and others.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = SIZE_MAX,
    .run = cli_query_run,
};
