#include "app/answers/rows.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"

struct options {
    struct cli_common common;
    str folder, tag;
    bool done, all;
    int64_t limit, offset;
};

static const struct option table[] = {
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    OPTION(struct options, tag, OPTION_STR, "tag", NULL, NULL, "TAG",
           "Only tasks with that tag, or in notes with it"),
    OPTION(struct options, done, OPTION_SWITCH, "done", NULL, NULL, NULL,
           "Those that are done instead"),
    OPTION(struct options, all, OPTION_SWITCH, "all", NULL, NULL, NULL,
           "All, whether done or not", .letter = 'a'),
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "1000", "TASKS",
           "How many to show", .min = 1, .max = SELECT_LIMIT_MAX, .letter = 'n'),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "TASKS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

/* The filters as a condition of vaultd query. */
static bool condition_of(struct cli *c, const struct options *o, str *out,
                         struct err *err)
{
    struct sbuf b = SBUF_ON(c->arena);
    str tag = str_skip(o->tag, str_starts(o->tag, STR("#")));
    if (o->done && o->all)
        return err_set(err, ERR_INVALID, "give only one of --done and --all");
    if (str_find_char(tag, '"') != STR_NONE || str_find_char(tag, '\\') != STR_NONE)
        return err_set(err, ERR_INVALID, "--tag: '" STR_FMT "' is not a tag",
                       STR_ARG(o->tag));
    if (!o->all)
        sbuf_add(&b, o->done ? STR("task.done") : STR("not task.done"));
    if (tag.n > 0)
        sbuf_printf(&b, "%s(tag = \"" STR_FMT "\" or task.tags = \"" STR_FMT "\")",
                    b.n > 0 ? " and " : "", STR_ARG(tag), STR_ARG(tag));
    *out = sbuf_str(&b);
    return true;
}

static bool cli_tasks_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct select s = {.from = SELECT_TASKS,
                       .folder = o->folder,
                       .offset = (size_t)o->offset,
                       .limit = (size_t)o->limit};
    struct rows rows;
    if (!condition_of(c, o, &s.where, err) ||
        !rows_find(c->vault, c->index, c->arena, &s, &rows, err))
        return false;
    c->status = rows.found.total == 0;
    return cli_answer(c, &rows_shape, &rows);
}

const struct cli_verb cli_tasks = {
    .name = "tasks",
    .arguments = "",
    .about = "List the open tasks of the vault, note by note",
    .help = "  vaultd tasks\n"
            "  vaultd tasks --folder Projects --tag errand\n"
            "  vaultd tasks --done -n 20\n\n"
            "vaultd query --tasks has more conditions, for dates and text.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .run = cli_tasks_run,
};
