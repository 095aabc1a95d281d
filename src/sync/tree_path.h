/*
 * tree_path - which names and files of a repository the vault can hold.
 *
 * A tree of git may have any bytes as names, links, and other repositories. What the
 * vault cannot hold stays in the tree and is never written to disk.
 */
#pragma once

#include "base/str.h"
#include "vault/change/change.h"

enum { TREE_BLOB_MAX = CHANGE_FILE_MAX }; /* bytes of a file */

/* Why a path of the vault is not for the disk, or NULL. */
const char *tree_path_problem(str path);

/* What changes all the time and is nobody's text: open panes of Obsidian, its trash,
 * temp files of ours. */
bool tree_path_is_noise(str path);

/* Whether an entry is a plain file. */
bool tree_is_file(unsigned mode);
