#include "app/answers/changed.h"
#include "app/cli/ask.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/os/file.h"
#include "base/os/terminal.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/text/encoding.h"

struct options {
    struct cli_changing changing;
    bool overwrite, keep_properties;
    str model;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, overwrite, "overwrite", "Replace a file that exists"),
    CLI_SWITCH(struct options, keep_properties, "keep-properties",
               "Replace only the text after the properties"),
    OPTION(struct options, model, OPTION_STR, "template", NULL, NULL, "NAME",
           "Begin with this template of the vault"),
    CLI_CHANGING,
};

static bool may_replace(struct draft *d, const struct options *o, str path, str text,
                        struct err *err)
{
    enum ops_replaces what;
    struct draft_file old;
    bool matched = o->changing.if_match.n > 0;
    if (!draft_match(d, path, o->changing.if_match, err) ||
        !ops_replaces(d, path, text, &what, &old, err))
        return false;
    if (o->overwrite || what == OPS_NOTHING || (matched && what == OPS_TEXT))
        return true;
    if (what == OPS_ENCODING && matched)
        return err_named(err, E_NOT_TEXT,
                         "'" STR_FMT "' is %s and would become UTF-8: use --overwrite",
                         STR_ARG(old.path), encoding_name(old.encoding));
    return err_named(err, E_FILE_EXISTS,
                     "'" STR_FMT "' already exists (%zu bytes): replace it with "
                     "--overwrite, or with --if-match " STR_FMT " if it stays as it is",
                     STR_ARG(old.path), old.size,
                     STR_ARG(draft_etag(draft_arena(d), old.hash)));
}

static bool cli_write_steps(struct cli *c, const void *options, struct draft *d,
                            struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct ops_text request = {
        .content = c->text, .model = o->model, .keep_properties = o->keep_properties};
    str path, text, warning;
    bool added;
    if (str_ends(c->words.items[0], STR("/")))
        return changed_make_folder(out, d, c->words.items[0], c->text, err);
    if (!ops_write_path(d, c->words.items[0], &path, &added, err) ||
        !ops_text(d, &request, path, &text, &warning, err) ||
        !may_replace(d, o, path, text, err) ||
        !changed_write(out, d, path, text, DRAFT_OVERWRITE, err))
        return false;
    if (warning.n > 0)
        changed_warn(out, warning);
    return true;
}

/* A person who typed the text is asked before a file is replaced. */
static bool can_ask(const struct cli *c, const struct err *err)
{
    return err->name == E_FILE_EXISTS && c->words.n > 1 && !c->json &&
           terminal_is(FILE_STDIN) && terminal_is(FILE_STDOUT);
}

/* A text that was typed as an argument is a whole line; stdin is taken byte for byte. */
static void cli_write_end_line(struct cli *c)
{
    bool ends = c->text.n == 0 || str_ends(c->text, STR("\n"));
    if (c->words.n > 1 && !str_eq(c->words.items[1], STR("-")) && !ends &&
        !str_ends(c->words.items[0], STR("/")))
        c->text = arena_printf(c->arena, STR_FMT "\n", STR_ARG(c->text));
}

static bool cli_write_run(struct cli *c, const void *options, struct err *err)
{
    struct options o = *(const struct options *)options;
    struct ask ask = {c->arena, &c->out};
    /* with a template, there need not be a text, and a folder has none */
    bool no_text =
        c->words.n == 1 && (o.model.n > 0 || str_ends(c->words.items[0], STR("/")));
    c->text = STR("");
    if (!no_text && !cli_text(c, c->words.n > 1 ? c->words.items[1] : STR("-"), err))
        return false;
    cli_write_end_line(c);
    if (cli_run_change(c, &o, err))
        return true;
    if (!can_ask(c, err))
        return false;
    str question = arena_printf(c->arena, "'" STR_FMT "' already exists. Replace it?",
                                STR_ARG(c->words.items[0]));
    return ask_yes(&ask, question, false, &o.overwrite, err) &&
           (o.overwrite ? cli_run_change(c, &o, err)
                        : err_named(err, E_FILE_EXISTS, "nothing was changed"));
}

const struct cli_verb cli_write = {
    .name = "write",
    .arguments = "PATH [TEXT]",
    .about = "Create a note, or replace one; the text comes from stdin if not given",
    .help = "  vaultd write \"Inbox/Idea\" \"# Idea\"           Inbox/Idea.md\n"
            "  vaultd write --overwrite Log.md < log.md\n"
            "  vaultd write --template Meeting \"Kick-off\"\n"
            "  vaultd write \"Projects/2027/\"                an empty folder\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 2,
    .changes = true,
    .run = cli_write_run,
    .steps = cli_write_steps,
};
