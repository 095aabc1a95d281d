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

/* The hash of the password from stdin. */
MUST_CHECK bool hash_password(struct arena *a, str *out, struct err *err);
