/*
 * progress - wait for the index, with a progress bar on stderr if it takes a while.
 */
#pragma once

#include "vault/vault.h"

/* Like vault_wait(), with term_progress.h. With most_ms > 0 it gives up after that time
 * (ERR_BUSY). Ctrl-C says what is kept and ends the program. */
MUST_CHECK bool progress_wait(struct vault *v, unsigned most_ms, struct err *err);
