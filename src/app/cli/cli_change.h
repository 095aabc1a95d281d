/*
 * cli_change - what the verbs that change notes have in common: options such as
 * --dry-run, and how they are run.
 */
#pragma once

#include "app/answers/changed.h"
#include "app/cli/cli.h"
#include "vault/draft.h"

struct cli_changing {
    struct cli_common common;
    bool dry_run;
    str if_match, idempotency_key;
};

/* The rows of struct cli_changing, the first member of the options of these verbs. */
#define CLI_CHANGING                                                                     \
    CLI_SWITCH(struct cli_changing, dry_run, "dry-run",                                  \
               "Show what would change, and change nothing"),                            \
        OPTION(struct cli_changing, if_match, OPTION_STR, "if-match", NULL, NULL,        \
               "ETAG", "Only if the note still has this etag"),                          \
        OPTION(struct cli_changing, idempotency_key, OPTION_STR, "idempotency-key",      \
               NULL, NULL, "KEY",                                                        \
               "Idempotency key: the same command with this key is executed only once"), \
        CLI_COMMON

/* What the journal records about the caller: the user at the terminal, and the request if
 * it has a key. */
struct actor cli_actor(struct cli *c);
struct idempotency cli_request(const struct cli *c, str key);

/* Makes the change of the verb's steps with transact.h, and prints the result. */
MUST_CHECK bool cli_make_change(struct cli *c, const void *options, struct changed *out,
                                struct err *err);
MUST_CHECK bool cli_run_change(struct cli *c, const void *options, struct err *err);

/* The same for a verb whose word i is a text; if it is missing, stdin. */
MUST_CHECK bool cli_run_text(struct cli *c, size_t i, const void *options,
                             struct err *err);

/* Puts the text of an argument into c->text: "-" is stdin. Fails if that is too large. */
MUST_CHECK bool cli_text(struct cli *c, str argument, struct err *err);

/* Whether an edit of f succeeded; if not, err says why in detail. */
bool cli_edited(bool ok, const struct draft_file *f, const struct edit_result *r,
                struct err *err);
