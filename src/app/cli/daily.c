#include "app/answers/changed.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/clock.h"
#include "vault/draft.h"
#include "vault/habit.h"
#include "vault/note/edit.h"
#include "vault/ops.h"
#include "vault/text/moment.h"

struct options {
    struct cli_changing changing;
    int period; /* enum obsidian_period */
    str date, section;
    bool create, print;
};

static const char *const periods[] = {"day", "week", "month", "quarter", "year", NULL};

static const struct option table[] = {
    OPTION(struct options, period, OPTION_CHOICE, "period", NULL, "day", "PERIOD",
           "day, week, month, quarter or year", .choices = periods),
    OPTION(struct options, date, OPTION_STR, "date", NULL, NULL, "YYYY-MM-DD",
           "This day instead of today"),
    OPTION(struct options, section, OPTION_STR, "section", NULL, NULL, "HEADING",
           "Add the text to that section"),
    CLI_SWITCH(struct options, create, "create",
               "Create the section, or a note for a period that is not set up"),
    CLI_SWITCH(struct options, print, "print", "Print the note's text"),
    CLI_CHANGING,
};

static bool when_of(struct cli *c, const struct options *o, struct moment *out,
                    struct err *err)
{
    *out = moment_local(clock_now() * 1000);
    struct moment day;
    if (o->date.n == 0)
        return true;
    if (!moment_parse(c->arena, STR("YYYY-MM-DD"), o->date, &day))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is not a date (YYYY-MM-DD)",
                       STR_ARG(o->date));
    out->year = day.year;
    out->month = day.month;
    out->day = day.day;
    return true;
}

static bool cli_daily_add_text(struct cli *c, const struct options *o,
                               const struct draft_file *f, struct edit_result *out,
                               struct err *err)
{
    str text = f->text;
    struct edit_habit siblings = habit_near(c->vault, f->path);
    struct edit_insert append = {.where = EDIT_APPEND, .content = c->text};
    struct edit_section section = {.heading = o->section,
                                   .action = EDIT_APPEND_TO,
                                   .create_level = o->create ? 2 : 0,
                                   .content = c->text,
                                   .siblings = &siblings};
    out->text = text;
    return c->words.n == 0    ? true
           : o->section.n > 0 ? edit_section(c->arena, text, &section, out, err)
                              : edit_insert(c->arena, text, &append, out, err);
}

static bool cli_daily_steps(struct cli *c, const void *options, struct draft *d,
                            struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct ops_dated which = {.period = (enum obsidian_period)o->period,
                              .anyway = o->create};
    struct ops_report note;
    struct draft_file f;
    struct edit_result r = {0};
    out->done = "created";
    if (!when_of(c, o, &which.when, err) ||
        !ops_daily(d, &which, &note, &out->is_done, err) ||
        !draft_read(d, note.path, &f, err) || !cli_daily_add_text(c, o, &f, &r, err))
        return false;
    changed_report(out, &note);
    if (out->is_done)
        f.text = STR("");
    return changed_rewrite(out, d, &f, &r, err);
}

static bool cli_daily_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct changed out;
    if ((c->words.n > 0 && !cli_text(c, cli_joined(c), err)) ||
        !cli_make_change(c, options, &out, err))
        return false;
    if (!o->print || out.made.repeated)
        return cli_answer(c, &changed_shape, &out);
    term_text(&c->out, out.after);
    return true;
}

const struct cli_verb cli_daily = {
    .name = "daily",
    .arguments = "[TEXT...]",
    .about = "Create today's note from its template if missing, and add TEXT to it",
    .help = "  vaultd daily \"- 9:00 call with Ann\"\n"
            "  vaultd daily --period week --print\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = SIZE_MAX,
    .changes = true,
    .run = cli_daily_run,
    .steps = cli_daily_steps,
};
