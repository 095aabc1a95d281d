/*
 * progress - waiting for the index, with a bar on stderr when it takes a while.
 */
#pragma once

#include "vault/vault.h"

enum { PROGRESS_AFTER_MS = 500 };

/* As vault_wait(); the bar is shown on a terminal only, and removed in the end. */
MUST_CHECK bool progress_wait(struct vault *v, struct err *err);
