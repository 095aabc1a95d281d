/*
 * resolve - vaultd sync resolve: notes with a conflict copy beside them, whoever made it (git sync
 * of vaultd, Obsidian Sync, Syncthing, Dropbox, ...: conflict_copy.h), and which version to keep.
 * Each is one change, with the copy moved to the trash.
 */
#pragma once

#include "app/cli/cli.h"

enum resolve_keep { RESOLVE_ASK, RESOLVE_MINE, RESOLVE_THEIRS, RESOLVE_BOTH };
extern const char *const resolve_keeps[];

/* note: only this one; empty: all. RESOLVE_ASK asks on a terminal, after the diff, and elsewhere
 * lists the conflicts. Without one c->status is 1. */
MUST_CHECK bool resolve_run(struct cli *c, str note, enum resolve_keep keep, bool dry_run,
                            struct err *err);

/* Both texts: the lines of theirs that are not in mine come after those that are there instead.
 * The properties are those of mine. */
str resolve_both(struct arena *a, str mine, str theirs);
