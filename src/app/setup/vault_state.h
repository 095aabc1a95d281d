/*
 * vault_state - under which key the state of a vault is kept: its journal, index, vectors
 * and what sync knows of it (changes-KEY, index-KEY.snapshot, vectors-KEY, sync-KEY).
 *
 * A hosted vault has its identity as key, so that a later one of the same name or folder
 * begins with nothing. A vault of the settings has a key for its folder: not for the path
 * alone, but also for the inode and time of creation of what is there, which are kept in
 * roots-HASH of the state folder. Another folder at the same path gets another key, and
 * what the first one had is kept, and found again if that folder comes back. File systems
 * that do not say when a folder was made have the path alone.
 */
#pragma once

#include "base/arena.h"

enum { VAULT_STATE_ROOTS_MAX = 64 }; /* folders remembered for one path */

/* The key of the vault in a folder, which should exist; identity: of a hosted one, else
 * empty. It ends in NUL. Remembers the folder, and logs if it is another one. */
str vault_state_key(struct arena *a, const char *state_dir, str folder, str identity);

/* The same without remembering anything. */
str vault_state_look(struct arena *a, const char *state_dir, str folder, str identity);

/* That of a folder which is part of the state itself. */
str vault_state_of_path(struct arena *a, str folder);
