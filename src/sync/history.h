/*
 * history - parse the output of "git log". Private to src/sync.
 */
#pragma once

#include "sync/sync.h"

/* With -z and --name-only: for each commit these fields, each followed by NUL, and paths.
 */
#define HISTORY_FORMAT                                                                   \
    "--format=%x01%H%x00%an%x00%ae%x00%ct%x00%s%x00"                                     \
    "%(trailers:key=Vaultd-Change,valueonly,separator=%x2C)%x00"                         \
    "%(trailers:key=Tool,valueonly,separator=%x2C)%x00"                                  \
    "%(trailers:key=Client,valueonly,separator=%x2C)%x00"

void history_parse(struct arena *a, str out, struct sync_commit **commits, size_t *n);

/* Whether a text can be passed to git as a revision; whether it is a date. */
bool history_is_revision(str s);
bool history_is_date(str s);
