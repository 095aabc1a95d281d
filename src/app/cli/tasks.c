#include "app/answers/rows.h"
#include "app/cli/cli.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/path.h"
#include "base/text.h"
#include "vault/forms/task.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    str folder, tag, due, priority;
    bool done, all;
    int64_t limit, offset;
};

static const struct option table[] = {
    OPTION(struct options, folder, OPTION_STR, "folder", NULL, NULL, "FOLDER",
           "Only below that folder"),
    OPTION(struct options, tag, OPTION_STR, "tag", NULL, NULL, "TAG",
           "Only tasks with that tag, or in notes with it"),
    OPTION(struct options, due, OPTION_STR, "due", NULL, NULL, "DATE",
           "Due on that day or earlier: YYYY-MM-DD, today, tomorrow, or 7d from now"),
    OPTION(struct options, priority, OPTION_STR, "priority", NULL, NULL, "PRIORITY",
           "With that priority or a higher one: highest, high, medium, none, low"),
    CLI_SWITCH(struct options, done, "done", "Completed tasks instead of open ones"),
    CLI_SWITCH(struct options, all, "all", "All tasks, open and completed",
               .letter = 'a'),
    CLI_LIMIT(struct options, 1000, "TASKS"),
    OPTION(struct options, offset, OPTION_INT, "offset", NULL, "0", "TASKS",
           "How many to skip", .min = 0, .max = INT32_MAX),
    CLI_COMMON,
};

/* A date as a condition has it: "today + 7d" for "7d". */
static bool add_due(struct sbuf *b, str due, struct err *err)
{
    str unit = str_skip(due, text_skip_digits(due, 0));
    bool span = unit.n == 1 && unit.n < due.n && memchr("dwmy", unit.p[0], 4) != NULL;
    int32_t day;
    if (!span && !str_eq(due, STR("today")) && !str_eq(due, STR("tomorrow")) &&
        (!task_date_parse(due, &day) || day == TASK_BAD_DATE))
        return err_set(err, ERR_INVALID,
                       "--due: '" STR_FMT
                       "' is not a date (YYYY-MM-DD, today, tomorrow, 7d)",
                       STR_ARG(due));
    sbuf_printf(b, "%stask.due <= %s" STR_FMT, b->n > 0 ? " and " : "",
                span ? "today + " : "", STR_ARG(due));
    return true;
}

static bool add_priority(struct sbuf *b, str name, struct err *err)
{
    enum task_priority lowest;
    if (!task_priority_parse(name, &lowest, err))
        return false;
    sbuf_printf(b, "%stask.priority in (", b->n > 0 ? " and " : "");
    for (int i = 0; i <= (int)lowest; i++)
        sbuf_printf(b, "%s%s", i > 0 ? ", " : "", task_priorities[i]);
    sbuf_char(b, ')');
    return true;
}

/* Boxes of templates are no tasks, unless they are asked for. */
static void add_no_templates(struct sbuf *b, struct cli *c, str folder)
{
    const struct obsidian *settings = vault_obsidian(c->vault);
    const str folders[] = {obsidian_templates(settings).folder,
                           obsidian_templater_folder(settings)};
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        str templates = folders[i];
        if (templates.n == 0 || path_is_or_below(templates, folder) ||
            (i > 0 && str_eq(templates, folders[0])) ||
            str_find_char(templates, '"') != STR_NONE ||
            str_find_char(templates, '\\') != STR_NONE)
            continue;
        sbuf_printf(b, "%snot file.path startswith \"" STR_FMT "/\"",
                    b->n > 0 ? " and " : "", STR_ARG(templates));
    }
}

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
    add_no_templates(&b, c, o->folder);
    if (!o->all)
        sbuf_printf(&b, "%s%s", b.n > 0 ? " and " : "",
                    o->done ? "task.done" : "not task.done");
    if (tag.n > 0)
        sbuf_printf(&b, "%s(tag = \"" STR_FMT "\" or task.tags = \"" STR_FMT "\")",
                    b.n > 0 ? " and " : "", STR_ARG(tag), STR_ARG(tag));
    if ((o->due.n > 0 && !add_due(&b, o->due, err)) ||
        (o->priority.n > 0 && !add_priority(&b, o->priority, err)))
        return false;
    *out = sbuf_str(&b);
    return true;
}

static bool cli_tasks_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    const struct select_order order[] = {{.field = STR("task.due")},
                                         {.field = STR("task.priority")}};
    bool sorted = o->due.n > 0 || o->priority.n > 0;
    struct select s = {.from = SELECT_TASKS,
                       .order = order,
                       .n_order = sorted ? COUNT_OF(order) : 0,
                       .folder = o->folder,
                       .offset = (size_t)o->offset,
                       .limit = cli_limit(c, o->limit, 1000)};
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
            "  vaultd tasks --due 7d --priority high\n"
            "  vaultd tasks --done -n 20\n\n"
            "Boxes of templates are left out, unless --folder names their folder. With "
            "--due\n"
            "or --priority, tasks are sorted by due date. vaultd query --tasks has more\n"
            "conditions; vaultd task completes and changes one.\n",
    .pages = true,
    .options = table,
    .options_size = sizeof(struct options),
    .run = cli_tasks_run,
};
