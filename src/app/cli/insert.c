#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/draft.h"
#include "vault/habit.h"
#include "vault/note/edit.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
    bool prepend, replace, create;
    str before, after, section, block;
    int64_t line;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, prepend, "prepend",
               "Insert at the beginning (below the properties), not at the end",
               .letter = 'p'),
    OPTION(struct options, before, OPTION_STR, "before", NULL, NULL, "TEXT",
           "Above the line with that text"),
    OPTION(struct options, after, OPTION_STR, "after", NULL, NULL, "TEXT",
           "Below the line with that text"),
    OPTION(struct options, line, OPTION_INT, "line", NULL, NULL, "NUMBER",
           "Above that line", .min = 0, .max = INT32_MAX),
    OPTION(struct options, section, OPTION_STR, "section", NULL, NULL, "HEADING",
           "At the end of that section (with --prepend: at its beginning)"),
    OPTION(struct options, block, OPTION_STR, "block", NULL, NULL, "ID",
           "Below the block with that id (with --prepend: above it)"),
    CLI_SWITCH(struct options, replace, "replace",
               "Replace the section, with everything below its heading, or the block"),
    CLI_SWITCH(struct options, create, "create",
               "Create the note, or the heading (level 2), if it is missing"),
    CLI_CHANGING,
};

static enum edit_action action_of(const struct options *o)
{
    return o->replace ? EDIT_REPLACE_BODY : o->prepend ? EDIT_PREPEND_TO : EDIT_APPEND_TO;
}

static bool cli_insert_text(struct cli *c, const struct options *o,
                            const struct draft_file *f, struct edit_result *out,
                            struct err *err)
{
    str content = c->text, text = f->text;
    struct edit_habit siblings = habit_near(c->vault, f->path);
    if (o->section.n > 0)
        return edit_section(c->arena, text,
                            &(struct edit_section){.heading = o->section,
                                                   .action = action_of(o),
                                                   .create_level = o->create ? 2 : 0,
                                                   .content = content,
                                                   .siblings = &siblings},
                            out, err);
    if (o->block.n > 0)
        return edit_block(c->arena, text,
                          &(struct edit_block){o->block, action_of(o), content}, out,
                          err);
    struct edit_insert i = {.where = o->prepend ? EDIT_PREPEND : EDIT_APPEND,
                            .content = content,
                            .tolerant = true,
                            .line = (uint32_t)o->line};
    if (o->line > 0)
        i.where = EDIT_AT_LINE;
    if (o->before.n > 0 || o->after.n > 0) {
        i.where = o->before.n > 0 ? EDIT_BEFORE_TEXT : EDIT_AFTER_TEXT;
        i.anchor = o->before.n > 0 ? o->before : o->after;
    }
    return edit_insert(c->arena, text, &i, out, err);
}

static bool cli_insert_open(struct cli *c, const struct options *o, struct draft *d,
                            struct draft_file *out, bool *created, struct err *err)
{
    str word = c->words.items[0];
    *created = false;
    if (o->create)
        return ops_open_or_create(d, word, out, created, err);
    bool found = ops_open(d, word, out, err);
    if (!found && err->name == E_FILE_NOT_FOUND)
        err->hint = "to create it, use --create";
    return found;
}

static bool cli_insert_steps(struct cli *c, const void *options, struct draft *d,
                             struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct draft_file f;
    struct edit_result r = {0};
    bool created;
    if (!cli_insert_open(c, o, d, &f, &created, err) ||
        !draft_match(d, f.path, o->changing.if_match, err) ||
        !cli_edited(cli_insert_text(c, o, &f, &r, err), &f, &r, err))
        return false;
    out->done = "created";
    out->is_done = created;
    out->target = r.target;
    return changed_rewrite(out, d, &f, &r, err);
}

static bool cli_insert_run(struct cli *c, const void *options, struct err *err)
{
    return cli_run_text(c, 1, options, err);
}

const struct cli_verb cli_insert = {
    .name = "insert",
    .arguments = "PATH [TEXT]",
    .about = "Add text to a note; the text comes from stdin if not given",
    .help = "  vaultd insert Log.md \"- watered the beans\"\n"
            "  vaultd insert Plan.md \"- [ ] buy seeds\" --section \"Next steps\"\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 2,
    .changes = true,
    .run = cli_insert_run,
    .steps = cli_insert_steps,
};
