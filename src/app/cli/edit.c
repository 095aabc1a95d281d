#include "vault/note/edit.h"
#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "vault/draft.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
    bool all, regex, ignore_case;
};

static const struct option table[] = {
    OPTION(struct options, all, OPTION_SWITCH, "all", NULL, NULL, NULL,
           "Replace every occurrence, not just a single one", .letter = 'a'),
    OPTION(
        struct options, regex, OPTION_SWITCH, "regex", NULL, NULL, NULL,
        "OLD is a regular expression, NEW may use $1 and ${name}; replaces every match",
        .letter = 'e'),
    OPTION(struct options, ignore_case, OPTION_SWITCH, "ignore-case", NULL, NULL, NULL,
           "Ignore case in a regular expression", .letter = 'i'),
    CLI_CHANGING,
};

static bool cli_edit_text(struct cli *c, const struct options *o, str text,
                          struct edit_result *out, struct err *err)
{
    str old = c->words.items[1], new_text = c->words.items[2];
    if (!o->regex)
        return edit_replace(c->arena, text, &(struct edit_swap){old, new_text, o->all}, 1,
                            out, err);
    struct edit_pattern p = {
        .pattern = old, .replacement = new_text, .nocase = o->ignore_case};
    return edit_regex(c->arena, text, &p, out, err);
}

static bool cli_edit_steps(struct cli *c, const void *options, struct draft *d,
                           struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct draft_file f;
    struct edit_result r = {0};
    if (!ops_open(d, c->words.items[0], &f, err) ||
        !draft_match(d, f.path, o->changing.if_match, err) ||
        !cli_edited(cli_edit_text(c, o, f.text, &r, err), &r, err))
        return false;
    out->parts = CHANGED_COUNTED;
    out->done = "replaced";
    out->is_done = true;
    out->replacements = r.replacements;
    return changed_rewrite(out, d, &f, &r, err);
}

const struct cli_verb cli_edit = {
    .name = "edit",
    .arguments = "PATH OLD NEW",
    .about = "Replace a text that occurs once in a note, or all matches of a pattern",
    .help = "  vaultd edit Plan.md \"next week\" \"on Friday\"\n"
            "  vaultd edit Plan.md -e '(\\d+) EUR' '$1 euros' --dry-run\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 3,
    .words_max = 3,
    .changes = true,
    .run = cli_run_change,
    .steps = cli_edit_steps,
};
