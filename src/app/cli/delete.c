#include "app/answers/changed.h"
#include "app/answers/trash.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "vault/ops.h"

struct options {
    struct cli_changing changing;
    bool recursive, unlink, forever;
    str links_to;
};

static const struct option table[] = {
    CLI_SWITCH(struct options, recursive, "recursive",
               "Delete a folder with everything in it", .letter = 'r'),
    CLI_SWITCH(struct options, unlink, "unlink", "Turn links to it into plain text"),
    OPTION(struct options, links_to, OPTION_STR, "links-to", NULL, NULL, "NOTE",
           "Redirect links to this note"),
    CLI_SWITCH(struct options, forever, "forever",
               "Do not move it to the trash (it can still be undone)"),
    CLI_CHANGING,
};

static bool cli_delete_steps(struct cli *c, const void *options, struct draft *d,
                             struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct ops_delete how = {o->recursive, o->unlink, o->forever, o->links_to};
    struct ops_report r;
    if (!ops_match(d, c->words.items[0], o->changing.if_match, err))
        return false;
    if (!ops_delete(d, c->words.items[0], &how, &r, err))
        return err->name == E_IS_FOLDER && !o->recursive
                   ? err_reword(err,
                                "'" STR_FMT
                                "' is a folder with %zu file%s: use -r to delete it",
                                STR_ARG(r.path), r.files, r.files == 1 ? "" : "s")
                   : false;
    changed_deleted(out, &r, o->unlink || o->links_to.n > 0);
    return true;
}

const struct cli_verb cli_delete = {
    .name = "delete",
    .arguments = "PATH",
    .about = "Delete a note or folder by moving it to the vault's .trash",
    .help = "  vaultd delete Inbox/Idea.md\n"
            "  vaultd delete Archive -r --dry-run\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_min = 1,
    .words_max = 1,
    .changes = true,
    .run = cli_run_change,
    .steps = cli_delete_steps,
};

/* --- restore --- */

struct restoring {
    struct cli_changing changing;
    str to;
};

static const struct option restore_table[] = {
    OPTION(struct restoring, to, OPTION_STR, "to", NULL, NULL, "PATH",
           "Restore it to this path instead of the old one"),
    CLI_CHANGING,
};

static bool list_trash(struct cli *c, struct err *err)
{
    struct trash found;
    return trash_find(c->vault, c->arena, &found, err) &&
           cli_answer(c, &trash_shape, &found);
}

static bool cli_restore_steps(struct cli *c, const void *options, struct draft *d,
                              struct changed *out, struct err *err)
{
    const struct restoring *o = options;
    struct ops_report r;
    if (!ops_restore(d, c->words.items[0], o->to, &r, err))
        return false;
    changed_restored(out, &r);
    return true;
}

static bool cli_restore_run(struct cli *c, const void *options, struct err *err)
{
    return c->words.n == 0 ? list_trash(c, err) : cli_run_change(c, options, err);
}

const struct cli_verb cli_restore = {
    .name = "restore",
    .arguments = "[PATH]",
    .about = "Restore a file from the trash; without a path, list the trash",
    .help = "  vaultd restore\n"
            "  vaultd restore Inbox/Idea.md\n",
    .options = restore_table,
    .options_size = sizeof(struct restoring),
    .words_max = 1,
    .changes = true,
    .run = cli_restore_run,
    .steps = cli_restore_steps,
};
