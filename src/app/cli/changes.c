#include "app/answers/changed.h"
#include "app/answers/feed.h"
#include "app/answers/history.h"
#include "app/answers/reviewed.h"
#include "app/answers/term.h"
#include "app/cli/cli.h"
#include "app/cli/cli_change.h"
#include "app/cli/verbs.h"
#include "app/setup/settings.h"
#include "base/clock.h"
#include "vault/change/change.h"
#include "vault/change/journal.h"
#include "vault/review.h"
#include "vault/transact.h"
#include "vault/vault.h"
#include "vault/vault_feed.h"

struct options {
    struct cli_common common;
    int64_t limit;
    str path, since, client;
    bool all, verify;
};

static const struct option table[] = {
    CLI_LIMIT(struct options, 20, "COUNT"),
    OPTION(struct options, path, OPTION_STR, "path", NULL, NULL, "PATH",
           "Only changes to this note, file or folder"),
    CLI_SWITCH(struct options, all, "all",
               "Also changes by people and other programs, file by file, oldest first"),
    OPTION(
        struct options, since, OPTION_STR, "since", NULL, NULL, "WHEN|NUMBER",
        "Only changes from this day on (YYYY-MM-DD, today, yesterday), of the last hours "
        "or "
        "days (24h, 7d), or after this change; with --all: after the cursor of the last "
        "answer"),
    OPTION(struct options, client, OPTION_STR, "client", NULL, NULL, "NAME",
           "Only changes by clients whose name contains this"),
    CLI_SWITCH(struct options, verify, "verify",
               "Verify that no journal entry was altered or lost"),
    CLI_COMMON,
};

static bool verify(struct cli *c, struct err *err)
{
    struct changes *changes = vault_changes(c->vault, err);
    struct journal *j;
    size_t n;
    if (changes == NULL || !changes_lock_all(changes, &j, err))
        return false;
    bool whole = journal_verify(j, &n, err);
    changes_unlock(changes);
    if (!whole)
        return false;
    term_printf(&c->out, TERM_GOOD, "The journal is intact: " STR_FMT ".\n",
                STR_ARG(term_count(&c->out, n, "change", "changes")));
    return true;
}

static bool since_of(struct cli *c, str since, struct history_question *q,
                     struct err *err)
{
    int64_t number;
    if (since.n == 0)
        return true;
    if (str_to_int(since, &number) && number >= 0) {
        q->since = (uint64_t)number;
        return true;
    }
    return cli_since(c->arena, since, clock_now(), &q->from) ||
           err_set(err, ERR_INVALID,
                   "--since: '" STR_FMT "' is neither a date (YYYY-MM-DD, today, "
                   "yesterday), a time such as 24h or 7d, nor the number of a change",
                   STR_ARG(since));
}

static bool number_of(str word, uint64_t *out, struct err *err)
{
    int64_t number = 0;
    if (!str_to_int(word, &number) || number < 1)
        return err_set(err, ERR_INVALID, "'" STR_FMT "' is not the number of a change",
                       STR_ARG(word));
    *out = (uint64_t)number;
    return true;
}

static bool show_change(struct cli *c, struct err *err)
{
    struct review review;
    uint64_t number = 0;
    return number_of(c->words.items[0], &number, err) &&
           review_change(c->vault, c->arena, number, &review, err) &&
           cli_answer(c, &reviewed_shape, &review);
}

static bool list_changes(struct cli *c, const struct options *o, struct err *err)
{
    struct history history;
    struct history_question q = {
        .limit = cli_limit(c, o->limit, 20), .path = o->path, .client = o->client};
    if (!since_of(c, o->since, &q, err) ||
        !history_find(c->vault, c->arena, &q, &history, err))
        return false;
    c->status = history.n == 0 && (o->path.n > 0 || o->since.n > 0 || o->client.n > 0);
    return cli_answer(c, &history_shape, &history);
}

static bool list_all(struct cli *c, const struct options *o, struct err *err)
{
    struct vault_feed_answer found;
    struct history_question since = {0};
    if (o->client.n > 0)
        return err_set(err, ERR_INVALID,
                       "--client is about changes through vaultd: leave out --all");
    if (!since_of(c, o->since, &since, err))
        return false;
    struct vault_feed_question q = {.after = (int64_t)since.since,
                                    .from = since.from,
                                    .path = o->path,
                                    .limit = cli_limit(c, o->limit, 20)};
    if (!vault_feed_ask(c->vault, c->arena, &q, &found, err))
        return false;
    c->status = found.n == 0 && (o->path.n > 0 || o->since.n > 0);
    return cli_answer(c, &feed_shape, &found);
}

static bool cli_changes_run(struct cli *c, const void *options, struct err *err)
{
    const struct options *o = options;
    return o->verify        ? verify(c, err)
           : o->all         ? list_all(c, o, err)
           : c->words.n > 0 ? show_change(c, err)
                            : list_changes(c, o, err);
}

const struct cli_verb cli_changes = {
    .name = "changes",
    .arguments = "[CHANGE]",
    .about = "List the changes made through vaultd, or show what one of them did",
    .help = "  vaultd changes                      the latest 20: when, who, what\n"
            "  vaultd changes 12                   the diff of change 12\n"
            "  vaultd changes --path Projects --since yesterday\n"
            "  vaultd changes --client claude\n"
            "  vaultd changes --all                also by Obsidian, sync and other "
            "programs\n"
            "  vaultd changes --verify             is the journal intact?\n\n"
            "vaultd undo CHANGE undoes one.\n",
    .options = table,
    .options_size = sizeof(struct options),
    .words_max = 1,
    .changes = true,
    .run = cli_changes_run,
};

/* --- undo --- */

struct undo_options {
    struct cli_common common;
    bool dry_run;
    str idempotency_key;
};

static const struct option undo_table[] = {
    CLI_SWITCH(struct undo_options, dry_run, "dry-run",
               "Show what would change, and change nothing"),
    OPTION(struct undo_options, idempotency_key, OPTION_STR, "idempotency-key", NULL,
           NULL, "KEY",
           "Idempotency key: the same command with this key is executed only once"),
    CLI_COMMON,
};

static bool show_undo(struct cli *c, const struct transact *undo, struct err *err)
{
    struct changed plan = {.arena = c->arena, .parts = CHANGED_FILES, .dry_run = true};
    if (!transact_run(c->vault, c->arena, undo, &plan.made, err))
        return false;
    if (!c->json)
        term_printf(&c->out, TERM_FAINT, "Undoing change %llu would do this:\n",
                    (unsigned long long)*undo->undo);
    return cli_answer(c, &changed_shape, &plan);
}

static bool undo(struct cli *c, const void *options, struct err *err)
{
    const struct undo_options *o = options;
    struct undone u = {0};
    struct transact t = {.by = cli_actor(c),
                         .once = cli_request(c, o->idempotency_key),
                         .dry_run = o->dry_run,
                         .undo = &u.number,
                         .keep = undone_kept,
                         .arg = &u};
    if (c->words.n > 0 && !number_of(c->words.items[0], &u.number, err))
        return false;
    if (o->dry_run)
        return show_undo(c, &t, err);
    return transact_run(c->vault, c->arena, &t, &u.made, err) &&
           cli_answer(c, &undone_shape, &u);
}

const struct cli_verb cli_undo = {
    .name = "undo",
    .arguments = "[CHANGE]",
    .about = "Undo a change: the latest, or the one with this number",
    .help = "Undoing the undo makes the change again.\n\n"
            "  vaultd undo --dry-run    what it would change\n"
            "  vaultd undo\n"
            "  vaultd undo 12           vaultd changes has the numbers\n",
    .pages = true,
    .options = undo_table,
    .options_size = sizeof(struct undo_options),
    .words_max = 1,
    .changes = true,
    .run = undo,
};
