#include "vault/forms/task.h"
#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/text.h"
#include "vault/draft.h"
#include "vault/ops_task.h"

struct options {
    struct cli_changing changing;
    bool done, todo, add, archive, remove;
    str status, due, scheduled, start, priority, to, lane;
    int64_t position;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, done, "done", "Complete it; short for --status done",
               .letter = 'd'),
    CLI_SWITCH(struct options, todo, "todo", "Open it again; short for --status todo"),
    OPTION(struct options, status, OPTION_STR, "status", NULL, NULL, "STATUS",
           "done, todo, cancelled, next, or the symbol or name of a status"),
    OPTION(struct options, due, OPTION_STR, "due", NULL, NULL, "DATE",
           "YYYY-MM-DD, today, tomorrow, or none to remove it"),
    OPTION(struct options, scheduled, OPTION_STR, "scheduled", NULL, NULL, "DATE",
           "The same for the date on which to work on it"),
    OPTION(struct options, start, OPTION_STR, "start", NULL, NULL, "DATE",
           "The same for the date before which it cannot begin"),
    OPTION(struct options, priority, OPTION_STR, "priority", NULL, NULL, "PRIORITY",
           "highest, high, medium, none, low or lowest"),
    OPTION(struct options, to, OPTION_STR, "to", NULL, NULL, "NOTE#HEADING",
           "Move it there, or add it there"),
    OPTION(struct options, lane, OPTION_STR, "lane", NULL, NULL, "LANE",
           "On a board: move it to that lane, or add it there"),
    OPTION(struct options, position, OPTION_INT, "position", NULL, "0", "NUMBER",
           "In the lane, from 1; 0: the end", .min = 0, .max = INT32_MAX),
    CLI_SWITCH(struct options, archive, "archive", "On a board: move it to the archive"),
    CLI_SWITCH(struct options, remove, "remove",
               "Remove it from the note, with the lines that belong to it"),
    CLI_SWITCH(struct options, add, "add", "Add TEXT as a new task", .letter = 'a'),
    CLI_CHANGING,
};

/* "Garden.md:12" */
static void split_line(str word, struct ops_task *out)
{
    size_t colon = str_find_last(word, ':');
    int64_t line;
    out->path = word;
    if (colon == STR_NONE || !str_to_int(str_skip(word, colon + 1), &line) || line < 1 ||
        line > INT32_MAX)
        return;
    out->path = str_slice(word, 0, colon);
    out->line = (uint32_t)line;
}

static bool read_change(const struct options *o, struct ops_task *out, struct err *err)
{
    const struct ops_task_words words = {.due = o->due,
                                         .scheduled = o->scheduled,
                                         .start = o->start,
                                         .priority = o->priority};
    if (o->done + o->todo + (o->status.n > 0) > 1)
        return err_set(err, ERR_INVALID, "give only one of --done, --todo and --status");
    out->status = o->done ? STR("done") : o->todo ? STR("todo") : o->status;
    out->to = o->to;
    out->lane = o->lane;
    out->position = (uint32_t)o->position;
    out->archive = o->archive;
    out->remove = o->remove;
    if (!ops_task_fields(&words, &out->fields, err))
        return false;
    return o->add || ops_task_any(out) ||
           err_set(err, ERR_INVALID,
                   "nothing to do: give --done, --todo, --status, --due, --scheduled, "
                   "--start, --priority, --to, --lane, --archive, --remove or --add");
}

static bool cli_task_steps(struct cli *c, const void *options, struct draft *d,
                           struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct ops_task task = {0};
    struct ops_task_found found;
    struct ops_task_done done;
    str text = c->words.n > 1 ? c->words.items[1] : STR("");
    split_line(c->words.items[0], &task);
    *(o->add ? &task.add : &task.text) = text;
    if (o->add && text.n == 0)
        return err_set(err, ERR_INVALID, "--add needs the text of the task");
    return read_change(o, &task, err) && ops_task_find(d, &task, &found, err) &&
           draft_match(d, found.file.path, o->changing.if_match, err) &&
           cli_edited(ops_task_change(d, &task, &found, &done, err), &found.file,
                      &done.edit, err) &&
           changed_links(out, &done.report) &&
           changed_rewrite(out, d, &done.file, &done.edit, err);
}

const struct cli_verb cli_task = {
    .name = "task",
    .arguments = "PATH[:LINE] [TEXT]",
    .about = "Complete, change, move or add a task, as the Tasks plugin would",
    .help = "  vaultd task Garden.md:12 --done\n"
            "  vaultd task Garden 'water the beans' --due tomorrow --priority high\n"
            "  vaultd task Garden 'water the beans' --to 'Autumn#Next steps'\n"
            "  vaultd task Garden 'buy seeds' --add --to '#Next steps'\n"
            "  vaultd task Board 'buy seeds' --lane Done\n\n"
            "TEXT is the text of the task, or a part of it that no other task has.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 2,
    .changes = true,
    .run = cli_run_change,
    .steps = cli_task_steps,
};
