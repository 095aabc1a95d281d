#include "vault/note/edit.h"
#include "app/answers/changed.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/editor.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/draft.h"
#include "vault/ops.h"

enum { COLUMNS_MAX = 50 };

struct options {
    struct cli_changing changing;
    bool all, regex, ignore_case;
    str section, lines, row;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, all, "all",
               "Replace every occurrence, not just a single one", .letter = 'a'),
    CLI_SWITCH(
        struct options, regex, "regex",
        "OLD is a regular expression, NEW may use $1 and ${name}; replaces every match",
        .letter = 'e'),
    CLI_SWITCH(struct options, ignore_case, "ignore-case",
               "Ignore case in a regular expression", .letter = 'i'),
    OPTION(struct options, section, OPTION_STR, "section", NULL, NULL, "HEADING",
           "Only in that section, with everything below its heading"),
    OPTION(struct options, lines, OPTION_STR, "lines", NULL, NULL, "FIRST-LAST",
           "Replace these lines by NEW; without NEW, remove them"),
    OPTION(struct options, row, OPTION_STR, "row", NULL, NULL, "TEXT",
           "Change the table row that begins with this cell, or add it; without "
           "COLUMN=TEXT, remove it"),
    CLI_CHANGING,
};

static bool cli_edit_lines(struct cli *c, const struct options *o, str text,
                           struct edit_result *out, struct err *err)
{
    struct edit_lines e = {0};
    if (c->words.n > 2)
        return err_set(err, ERR_INVALID, "--lines takes PATH and NEW");
    if (c->words.n > 1)
        e.content = c->words.items[1];
    return edit_read_lines(o->lines, &e, err) && edit_lines(c->arena, text, &e, out, err);
}

static bool cli_edit_row(struct cli *c, const struct options *o, str text,
                         struct edit_result *out, struct err *err)
{
    struct edit_cell *cells = ARENA_ARRAY(c->arena, struct edit_cell, c->words.n);
    struct edit_row e = {o->section, o->row, cells, 0};
    for (size_t i = 1; i < c->words.n; i++) {
        str word = c->words.items[i];
        size_t equals = str_find_char(word, '=');
        if (equals == STR_NONE)
            return err_set(err, ERR_INVALID, "'" STR_FMT "' is not COLUMN=TEXT",
                           STR_ARG(word));
        cells[e.n++] =
            (struct edit_cell){str_slice(word, 0, equals), str_skip(word, equals + 1)};
    }
    return edit_row(c->arena, text, &e, out, err);
}

static bool cli_edit_text(struct cli *c, const struct options *o, str text,
                          struct edit_result *out, struct err *err)
{
    if (o->lines.n > 0)
        return cli_edit_lines(c, o, text, out, err);
    if (o->row.n > 0)
        return cli_edit_row(c, o, text, out, err);
    if (c->words.n != 3)
        return err_set(
            err, ERR_INVALID,
            "give PATH, OLD and NEW, or --lines or --row; only PATH opens an editor on a "
            "terminal");
    struct edit_pattern p = {.pattern = c->words.items[1],
                             .replacement = c->words.items[2],
                             .nocase = o->ignore_case,
                             .section = o->section};
    struct edit_swap swap = {.old_text = p.pattern,
                             .new_text = p.replacement,
                             .replace_all = o->all,
                             .section = o->section,
                             .tolerant = true};
    return o->regex ? edit_regex(c->arena, text, &p, out, err)
                    : edit_replace(c->arena, text, &swap, 1, out, err);
}

static bool cli_edit_steps(struct cli *c, const void *options, struct draft *d,
                           struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct draft_file f;
    struct edit_result r = {0};
    if (c->edited != NULL)
        return editor_steps(c->edited, d, out, err);
    if (!ops_open(d, c->words.items[0], &f, err) ||
        !draft_match(d, f.path, o->changing.if_match, err) ||
        !cli_edited(cli_edit_text(c, o, f.text, &r, err), &f, &r, err))
        return false;
    out->parts = CHANGED_COUNTED;
    out->done = "replaced";
    out->is_done = true;
    out->replacements = r.replacements;
    return changed_rewrite(out, d, &f, &r, err);
}

/* With nothing but a note, and a person to edit it. */
static bool cli_edit_opens(const struct cli *c, const struct options *o)
{
    return c->words.n == 1 && o->lines.n == 0 && o->row.n == 0 && !o->regex &&
           editor_is_possible(c);
}

static bool cli_edit_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct editor_text text;
    bool changed;
    if (!cli_edit_opens(c, o))
        return cli_run_change(c, options, err);
    str state = settings_state_dir(c->arena, o->changing.common.state_dir);
    if (!editor_run(c, state, c->words.items[0], &text, &changed, err))
        return false;
    if (!changed) {
        term_put(&c->out, TERM_FAINT, STR("Nothing was changed\n"));
        return true;
    }
    c->edited = &text;
    if (!cli_run_change(c, options, err)) {
        if (str_find(str_c(err->msg), STR("your text is kept")) == STR_NONE)
            err_reword(err, "%s; your text is kept in %s", err->msg, text.file);
        return false;
    }
    if (!o->changing.dry_run)
        editor_drop(&text);
    return true;
}

const struct cli_verb cli_edit = {
    .name = "edit",
    .arguments = "PATH [OLD] [NEW]",
    .about = "Edit a note in your editor, or replace a text, a pattern, lines, or a row",
    .help =
        "  vaultd edit Plan.md                   in $VISUAL or $EDITOR, as one change\n"
        "  vaultd edit Plan.md \"next week\" \"on Friday\" --section Dates\n"
        "  vaultd edit Plan.md -e '(\\d+) EUR' '$1 euros' --dry-run\n"
        "  vaultd edit Plan.md --lines 12-15 \"one line instead\"\n"
        "  vaultd edit Stock.md --row beans Quantity=3 Ordered=yes\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 1 + COLUMNS_MAX,
    .changes = true,
    .run = cli_edit_run,
    .steps = cli_edit_steps,
};
