/*
 * check_fix - vaultd check --fix: what can be fixed without a decision, as one change: ambiguous
 * wikilinks of notes become full paths to the file that they mean now, and show the same
 * text.
 */
#pragma once

#include "app/cli/cli.h"

/* Shows the changes; makes them with yes, or if the user agrees on a terminal. Without any c->status
 * is 0. folder: only notes below it. */
MUST_CHECK bool check_fix(struct cli *c, str folder, bool yes, struct err *err);
