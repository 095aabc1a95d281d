/*
 * program - this program as a file that other programs are given the path of.
 *
 * npx runs it from a cache that may be emptied at any time. Before such a path is written
 * into a client's file or a unit, the program is copied to a place that lasts.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* Where the running program must be copied first: below $XDG_DATA_HOME, else below
 * ~/.local/share. Empty: it can stay where it is. */
str program_refuge(struct arena *a);

/* Whether the file at path is the same program as the running one. */
bool program_is_at(struct arena *a, str path);

/* Copy the running program to a path, whose folder is created, atomically: clients that
 * were given the path before start the old or the new one. */
MUST_CHECK bool program_copy(struct arena *a, str to, struct err *err);
