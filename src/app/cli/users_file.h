/*
 * users_file - the text of a users file (--auth-users-file): one line NAME:HASH for each user.
 */
#pragma once

#include "base/arena.h"

/* Whether there is a line for that name. */
bool users_file_has(str text, str name);

/* The text with that line in the place of the one for the name, or at the end; without a hash,
 * the text without it. Comments and other lines are kept. */
str users_file_replace(struct arena *a, str text, str name, str hash);

/* The names, in their order; returns how many. */
size_t users_file_names(struct arena *a, str text, str **out);
