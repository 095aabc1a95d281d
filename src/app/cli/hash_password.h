/*
 * hash_password - vaultd hash-password: a bcrypt hash for --auth-users.
 *
 * On a terminal the password is asked for twice, and not shown; otherwise it is the first
 * line of stdin. It is wiped from memory, and is never an argument, which others could
 * see.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* The hash of the password from stdin. *weak says why others could guess it, and has
 * ERR_NONE if they could not; NULL: such a password is refused. */
MUST_CHECK bool hash_password(struct arena *a, struct err *weak, str *out,
                              struct err *err);
