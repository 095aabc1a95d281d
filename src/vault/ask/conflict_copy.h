/*
 * conflict_copy - files that a sync program has put beside another one, because both had changed:
 * of Obsidian Sync, Syncthing, Dropbox, Nextcloud, rclone bisync, and vaultd's own.
 *
 *     Plan (Conflicted copy phone 202611161200).md     of Plan.md
 *     Plan.sync-conflict-20261116-120000-ABC1234.md    of Plan.md
 *     Plan.md.conflict1                                of Plan.md
 */
#pragma once

#include "base/arena.h"

/* The path of the file that path is a copy of, in the arena; empty: it is none. Only the name is
 * looked at. */
str conflict_copy_of(struct arena *a, str path);
