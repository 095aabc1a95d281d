#include "app/answers/dataview.h"
#include "app/answers/rows.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/dql/dql.h"

struct options {
    struct cli_common common;
    bool tasks, count, csv, markdown, paths;
    str folder, group;
    struct option_list columns, order;
    int64_t limit, offset;
};

static const struct option table[] = {
    OPTION(struct options, columns, OPTION_LIST, "select", NULL, NULL, "FIELD,...",
           "Fields to show", .letter = 's'),
    OPTION(struct options, order, OPTION_LIST, "sort", NULL, NULL, "FIELD,...",
           "Sort by these fields; -FIELD for descending order"),
    OPTION(struct options, group, OPTION_STR, "group", NULL, NULL, "FIELD",
           "Count the notes for each value"),
    CLI_SWITCH(struct options, tasks, "tasks", "Find tasks instead of notes"),
    CLI_SWITCH(struct options, count, "count", "Only print the count"),
    CLI_SWITCH(struct options, csv, "csv", "Print CSV, for spreadsheets"),
    CLI_SWITCH(struct options, markdown, "md", "Print a Markdown table, for a note"),
    CLI_SWITCH(struct options, paths, "paths", "Print only the paths of the notes"),
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    CLI_LIMIT(struct options, 100, "ROWS"),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "ROWS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

static bool run_dataview(struct cli *c, const struct options *o, str query,
                         struct err *err)
{
    struct dataview found;
    struct dataview_request request = {.query = query,
                                       .offset = (size_t)o->offset,
                                       .limit = cli_limit(c, o->limit, 100)};
    if (o->columns.n > 0 || o->order.n > 0 || o->group.n > 0 || o->folder.n > 0 ||
        o->tasks || o->count || o->csv || o->markdown || o->paths)
        return err_named(
            err, E_INVALID_ARGUMENT,
            "a Dataview query has its own FROM, WHERE, SORT and GROUP BY: use "
            "only --limit and --offset with it");
    if (!dataview_find(c->index, c->arena, &request, &found, err))
        return false;
    c->status = found.found.n == 0;
    return cli_answer(c, &dataview_shape, &found);
}

/* The condition, with a mark below the place that an error is about ("… at byte 9, …"). */
static void mark_place(struct cli *c, str condition, str message)
{
    str mark = STR("at byte "), rest;
    size_t at = str_find(message, mark), end = 0;
    int64_t byte;
    if (at == STR_NONE || c->notes.width <= term_width(condition) + 2)
        return;
    rest = str_skip(message, at + mark.n);
    while (end < rest.n && rest.p[end] >= '0' && rest.p[end] <= '9')
        end++;
    if (!str_to_int(str_slice(rest, 0, end), &byte) || byte > (int64_t)condition.n)
        return;
    term_printf(&c->notes, TERM_PLAIN, "  " STR_FMT "\n", STR_ARG(condition));
    term_printf(&c->notes, TERM_PLAIN, "  %*s^\n",
                (int)term_width(str_slice(condition, 0, (size_t)byte)), "");
}

static bool check_form(struct cli *c, const struct options *o, struct err *err)
{
    if (o->csv + o->markdown + o->paths + (o->count || c->json) > 1)
        return err_named(err, E_INVALID_ARGUMENT,
                         "choose one of --count, --csv, --json, --md and --paths");
    return !o->paths || o->group.n == 0 ||
           err_named(err, E_INVALID_ARGUMENT,
                     "--group has values instead of paths: leave out --paths");
}

static bool cli_query_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    str condition = cli_joined(c);
    if (!check_form(c, o, err))
        return false;
    if (dql_looks_like(condition))
        return run_dataview(c, o, condition, err);
    struct select s = {
        .from = o->tasks ? SELECT_TASKS : SELECT_NOTES,
        .where = condition,
        .folder = o->folder,
        .columns = o->columns.items,
        .n_columns = o->columns.n,
        .order = rows_order(c->arena, o->order.items, o->order.n),
        .n_order = o->order.n,
        .group = o->group,
        .count_only = o->count,
        .offset = (size_t)o->offset,
        .limit = cli_limit(c, o->limit, 100),
    };
    struct rows rows;
    if (!rows_find(c->vault, c->index, c->arena, &s, &rows, err)) {
        mark_place(c, condition, str_c(err->msg));
        return false;
    }
    c->status = rows.found.total == 0;
    if (!o->csv && !o->markdown && !o->paths)
        return cli_answer(c, &rows_shape, &rows);
    term_text(&c->out, rows_export(c->arena, &rows,
                                   o->csv        ? TABLED_CSV
                                   : o->markdown ? TABLED_MARKDOWN
                                                 : TABLED_PATHS));
    return true;
}

const struct cli_verb cli_query = {
    .name = "query",
    .arguments = "[CONDITION]",
    .about = "Find notes or tasks by properties, tags, folders, dates and links",
    .help =
        "  vaultd query 'status = active and due < today + 7d' -s due,status --sort due\n"
        "  vaultd query 'tag = #project' --group status\n"
        "  vaultd query --tasks 'not task.done' --folder Projects\n"
        "  vaultd query 'tag = #book' -s rating --csv      also --md and --paths\n"
        "  vaultd query 'TABLE rating FROM #book WHERE rating > 3 SORT rating DESC'\n\n"
        "Fields are properties, and file.name, file.folder, file.modified, file.size,\n"
        "file.tags, file.links, file.backlinks, task.text, task.done and others. A\n"
        "query that begins with LIST, TABLE or TASK, in capitals, is a Dataview query.\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = SIZE_MAX,
    .run = cli_query_run,
};
