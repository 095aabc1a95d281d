/*
 * history - reading what "git log" prints. Private to src/sync.
 */
#pragma once

#include "sync/sync.h"

/* With -z and --name-only: for each commit these, each with NUL behind it, and paths. */
#define HISTORY_FORMAT                                                                   \
    "--format=%x01%H%x00%an%x00%ae%x00%ct%x00%s%x00"                                     \
    "%(trailers:key=Vaultd-Change,valueonly,separator=%x2C)%x00"                         \
    "%(trailers:key=Tool,valueonly,separator=%x2C)%x00"                                  \
    "%(trailers:key=Client,valueonly,separator=%x2C)%x00"

void history_parse(struct arena *a, str out, struct sync_commit **commits, size_t *n);

/* Whether a text can be given to git as a revision; and whether it is a date. */
bool history_is_revision(str s);
bool history_is_date(str s);
