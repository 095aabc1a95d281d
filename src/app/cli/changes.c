#include "app/answers/changed.h"
#include "app/answers/history.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/transact.h"
#include "vault/vault.h"

struct options {
    struct cli_common common;
    int64_t limit;
    bool verify;
};

static const struct option table[] = {
    OPTION(struct options, limit, OPTION_INT, "limit", NULL, "20", "COUNT",
           "How many to show, latest first", .min = 1, .max = 100000, .letter = 'n'),
    OPTION(struct options, verify, OPTION_SWITCH, "verify", NULL, NULL, NULL,
           "Check that no entry of the journal was altered or lost"),
    CLI_COMMON,
};

static bool verify(struct cli *c, struct err *err)
{
    struct changes *changes = vault_changes(c->vault, err);
    struct journal *j;
    size_t n;
    if (changes == NULL || !changes_hold(changes, &j, err))
        return false;
    bool whole = journal_verify(j, &n, err);
    changes_let_go(changes);
    if (!whole)
        return false;
    term_printf(&c->out, TERM_GOOD, "The journal is intact: " STR_FMT ".\n",
                STR_ARG(term_count(&c->out, n, "change", "changes")));
    return true;
}

static bool cli_changes_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    struct history history;
    struct history_question q = {.limit = (size_t)o->limit};
    if (o->verify)
        return verify(c, err);
    return history_find(c->vault, c->arena, &q, &history, err) &&
           cli_answer(c, &history_shape, &history);
}

const struct cli_verb cli_changes = {
    .name = "changes",
    .arguments = "",
    .about = "List changes made through vaultd, latest first",
    .help = "  vaultd changes\n"
            "  vaultd changes --verify\n",
    .options = table,
    .options_size = sizeof(struct options),
    .changes = true,
    .run = cli_changes_run,
};

/* --- undo --- */

struct undoing {
    struct cli_common common;
    str idempotency_key;
};

static const struct option undo_table[] = {
    OPTION(struct undoing, idempotency_key, OPTION_STR, "idempotency-key", NULL, NULL,
           "KEY", "The same command with this key is executed only once"),
    CLI_COMMON,
};

static bool number_of(struct cli *c, uint64_t *out, struct err *err)
{
    int64_t number = 0;
    if (c->words.n > 0 && (!str_to_int(c->words.items[0], &number) || number < 1))
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is not the number of a change",
                       STR_ARG(c->words.items[0]));
    *out = (uint64_t)number;
    return true;
}

static bool undo(struct cli *c, const void *options, struct err *err)
{
    const struct undoing *o = options;
    struct undone u;
    struct transact t = {
        .as = cli_as(c, o->idempotency_key), .keep = undone_kept, .arg = &u};
    return number_of(c, &u.number, err) &&
           transact_undo(c->vault, c->arena, &t, &u.number, &u.made, err) &&
           cli_answer(c, &undone_shape, &u);
}

const struct cli_verb cli_undo = {
    .name = "undo",
    .arguments = "[CHANGE]",
    .about = "Undo a change: the latest, or the one with this number",
    .help = "Undoing the undo makes the change again.\n\n"
            "  vaultd undo\n"
            "  vaultd undo 12\n",
    .options = undo_table,
    .options_size = sizeof(struct undoing),
    .words_max = 1,
    .changes = true,
    .run = undo,
};
