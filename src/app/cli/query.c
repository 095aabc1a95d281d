#include "app/answers/rows.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"

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
           "Sort by these fields; -FIELD for descending order"),
    OPTION(struct options, group, OPTION_STR, "group", NULL, NULL, "FIELD",
           "Count the notes for each value"),
    OPTION(struct options, tasks, OPTION_SWITCH, "tasks", NULL, NULL, NULL,
           "Find tasks instead of notes"),
    OPTION(struct options, count, OPTION_SWITCH, "count", NULL, NULL, NULL,
           "Only print the count"),
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "100", "ROWS",
           "How many to show", .min = 1, .max = SELECT_LIMIT_MAX, .letter = 'n'),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "ROWS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

static bool cli_query_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct select s = {
        .from = o->tasks ? SELECT_TASKS : SELECT_NOTES,
        .where = cli_joined(c),
        .folder = o->folder,
        .columns = o->columns.items,
        .n_columns = o->columns.n,
        .order = rows_order(c->arena, o->order.items, o->order.n),
        .n_order = o->order.n,
        .group = o->group,
        .count_only = o->count,
        .offset = (size_t)o->offset,
        .limit = (size_t)o->limit,
    };
    struct rows rows;
    if (!rows_find(c->vault, c->index, c->arena, &s, &rows, err))
        return false;
    c->status = rows.found.total == 0;
    return cli_answer(c, &rows_shape, &rows);
}

const struct cli_verb cli_query = {
    .name = "query",
    .arguments = "[CONDITION]",
    .about = "Find notes or tasks by properties, tags, folders, dates and links",
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
