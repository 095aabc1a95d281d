/*
 * progress - wait for the index, with a progress bar on stderr if it takes a while.
 */
#pragma once

#include "vault/vault.h"

enum { PROGRESS_AFTER_MS = 500 };

/* Like vault_wait(). The bar is shown only on a terminal, and removed at the end. */
MUST_CHECK bool progress_wait(struct vault *v, struct err *err);
