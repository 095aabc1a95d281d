#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "base/path.h"
#include "vault/draft.h"

struct options {
    struct cli_changing changing;
    bool create;
};

static const struct option table[] = {
    OPTION(struct options, create, OPTION_SWITCH, "create", NULL, NULL, NULL,
           "Refuse if the note already exists"),
    CLI_CHANGING,
};

static bool cli_write_steps(struct cli *c, const void *options, struct draft *d,
                            struct changed *out, struct err *err)
{
    const struct options *o = options;
    str path;
    return path_clean(c->arena, c->words.items[0], &path, err) &&
           draft_match(d, path, o->changing.if_match, err) &&
           changed_write(out, d, path, c->text,
                         o->create ? DRAFT_CREATE : DRAFT_OVERWRITE, err);
}

static bool cli_write_run(struct cli *c, const void *options, struct err *err)
{
    return cli_run_text(c, 1, options, err);
}

const struct cli_verb cli_write = {
    .name = "write",
    .arguments = "PATH [TEXT]",
    .about = "Create or overwrite a note; the text comes from stdin if not given",
    .help = "  vaultd write Inbox/Idea.md \"# Idea\"\n"
            "  vaultd write --create Log.md < log.md\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 2,
    .changes = true,
    .run = cli_write_run,
    .steps = cli_write_steps,
};
