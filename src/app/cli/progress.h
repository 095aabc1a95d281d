/*
 * progress - wait for the index, with a progress bar on stderr if it takes a while.
 */
#pragma once

#include "vault/vault.h"

enum { PROGRESS_AFTER_MS = 500 };

/* Like vault_wait(). The bar is shown only on a terminal, and removed at the end. With
 * most_ms > 0 it gives up after that time (ERR_BUSY). */
MUST_CHECK bool progress_wait(struct vault *v, unsigned most_ms, struct err *err);
