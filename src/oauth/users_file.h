/*
 * users_file - the text of a users file (--auth-users-file): one line NAME:HASH for each user.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum { USERS_FILE_MAX = 1 << 20 /* bytes */ };

/* Whether there is a line for that name. */
bool users_file_has(str text, str name);

/* The text with that line in the place of the one for the name, or at the end; without a hash,
 * the text without it. Comments and other lines are kept. */
str users_file_replace(struct arena *a, str text, str name, str hash);

/* The names, in their order; returns how many. */
size_t users_file_names(struct arena *a, str text, str **out);

/*
 * Replace the hash of a user in the file at path, of which a link is followed: atomically and
 * durably, and not over what another program wrote meanwhile (ERR_CONFLICT, ERR_BUSY).
 * ERR_NOT_FOUND: there is no line for that name.
 */
MUST_CHECK bool users_file_change(struct arena *a, str path, str name, str hash,
                                  struct err *err);
