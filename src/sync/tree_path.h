/*
 * tree_path - which names and files of a repository the vault can hold.
 *
 * A git tree may contain any bytes as names, links, and submodules. What the vault cannot
 * hold stays in the tree and is never written to disk.
 */
#pragma once

#include "base/str.h"
#include "vault/change/change.h"

enum { TREE_BLOB_MAX = CHANGE_FILE_MAX }; /* bytes of a file */

/* Why a vault path cannot be on disk, or NULL. */
const char *tree_path_problem(str path);

/* Files that change all the time and are not content: Obsidian's open panes, its trash,
 * our temp files. */
bool tree_path_is_noise(str path);

/* Whether Obsidian would run the file: plugins with their settings, and the list of those
 * that are on, in any settings folder. Themes and snippets are style sheets. */
bool tree_path_is_code(str path);

/* Whether an entry is a plain file. */
bool tree_is_file(unsigned mode);
