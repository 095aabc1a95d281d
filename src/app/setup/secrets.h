/*
 * secrets - what nobody else may read: from files, or from variables, which then forget
 * them. Never from arguments, which every user of the machine can see (SEC-74).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum { SECRET_SIZE = 4096 }; /* bytes of one from a file */

/* The value of a variable, which is then gone from the environment, for children and for
 * who looks into /proc, too. Empty when there is none. */
str secrets_take(struct arena *a, const char *variable);

/*
 * The secret in the file, without the end of its line, or else that of the variable;
 * empty when neither is given. ERR_INVALID when both are, or the file cannot be used.
 */
MUST_CHECK bool secrets_read(struct arena *a, const char *variable, str file, str *out,
                             struct err *err);
