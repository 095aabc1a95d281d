/*
 * cli_change - what the verbs that change notes have in common: --dry-run, a coloured
 * diff, and how the outcome is told.
 */
#pragma once

#include "app/cli/cli.h"
#include "vault/draft.h"

struct cli_changing {
    struct cli_common common;
    bool dry_run;
    str if_match;
};

/* The rows of struct cli_changing, with which the options of such a verb begin. */
#define CLI_CHANGING                                                                     \
    OPTION(struct cli_changing, dry_run, OPTION_SWITCH, "dry-run", NULL, NULL, NULL,     \
           "Show what would change, and change nothing"),                                \
        OPTION(struct cli_changing, if_match, OPTION_STR, "if-match", NULL, NULL,        \
               "ETAG", "Only if the note still has this etag"),                          \
        CLI_COMMON

/* A draft of the verb's own; in the name of the person at the terminal. */
struct draft *cli_draft(struct cli *c, const char *tool);

/* Commit, or show the diff; tell the outcome. warnings of the steps are told, too. */
MUST_CHECK bool cli_commit(struct cli *c, const struct cli_changing *o, struct draft *d,
                           const str *warnings, size_t n_warnings, struct err *err);

/* The text of an argument: "-" is stdin. Fails when that is too large. */
MUST_CHECK bool cli_text(struct cli *c, str argument, str *out, struct err *err);
