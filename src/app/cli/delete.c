#include "app/answers/changed.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "vault/draft.h"
#include "vault/ops.h"
#include "vault/walk.h"

struct options {
    struct cli_changing changing;
    bool recursive, unlink, forever;
};

static const struct option table[] = {
    OPTION(struct options, recursive, OPTION_SWITCH, "recursive", NULL, NULL, NULL,
           "Delete a folder with everything in it", .letter = 'r'),
    OPTION(struct options, unlink, OPTION_SWITCH, "unlink", NULL, NULL, NULL,
           "Turn links to it into plain text"),
    OPTION(struct options, forever, OPTION_SWITCH, "forever", NULL, NULL, NULL,
           "Do not move it to the trash (it can still be undone)"),
    CLI_CHANGING,
};

static bool cli_delete_steps(struct cli *c, const void *options, struct draft *d,
                             struct changed *out, struct err *err)
{
    const struct options *o = options;
    struct ops_delete how = {o->recursive, o->unlink, o->forever};
    struct ops_report r;
    if (!draft_match(d, c->words.items[0], o->changing.if_match, err) ||
        !ops_delete(d, c->words.items[0], &how, &r, err))
        return false;
    changed_report(out, &r);
    out->parts = o->unlink ? CHANGED_REWRITTEN : 0;
    out->done = "deleted";
    out->is_done = true;
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
    struct walk w;
    struct cli_json json;
    if (!ops_trash(c->vault, c->arena, &w, err))
        return false;
    struct jsonw *out = cli_json_begin(c, &json);
    jsonw_array(out);
    for (size_t i = 0; i < w.n; i++) {
        str path = str_skip(w.files[i].path, sizeof(".trash/") - 1);
        jsonw_str(out, path);
        if (!c->json)
            term_printf(&c->out, TERM_PATH, STR_FMT "\n", STR_ARG(path));
    }
    jsonw_end(out);
    if (c->json)
        cli_json_print(c, &json);
    walk_release(&w);
    return true;
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
