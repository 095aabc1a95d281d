/*
 * repo - the repository of a vault: found, or made, or cloned.
 *
 * A vault that is a work tree, or a folder in one when no other is asked for, is used as
 * it is. Else its folder gets a repository of its own; with a subfolder that is in our
 * state folder, since the work tree has only a part of it. An empty vault gets the files
 * of the remote at once; one with notes is merged later, as any two sides are.
 */
#pragma once

#include "sync/git.h"

/* make: there need not be one yet. Else only what repo_open() made before is looked up,
 * without the network. */
MUST_CHECK bool repo_open(struct git *g, const struct sync_config *config, bool make,
                          struct err *err);

/* Remove locks that a git which was killed has left; each would hold up all to come. */
void repo_unlock(const struct git *g, struct arena *a);

/* For sync_check(). */
MUST_CHECK bool repo_check(struct git *g, const struct sync_config *config,
                           struct err *err);

/* Write the files of a commit that are not there (repo_files.c). */
MUST_CHECK bool repo_files(const struct git *g, struct arena *a, str commit,
                           struct err *err);
