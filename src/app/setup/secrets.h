/*
 * secrets - read secrets from files, or from environment variables, which are then
 * erased. Never from arguments, which every user of the machine can see (SEC-74).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum { SECRET_SIZE = 4096 }; /* maximum bytes of a file */

/* The value of a variable, which is then erased from the environment, so that neither
 * child processes nor readers of /proc see it. Empty if it is not set. */
str secrets_take(struct arena *a, const char *variable);

/*
 * The secret in the file, without its line end, or else in the variable; empty when
 * neither is given. ERR_INVALID if both are given, or the file cannot be used.
 */
MUST_CHECK bool secrets_read(struct arena *a, const char *variable, str file, str *out,
                             struct err *err);
