/*
 * repo - find, create or clone the repository of a vault.
 *
 * A vault that is a work tree, or a folder in one unless configured otherwise, is used as
 * it is. Otherwise its folder gets its own repository; with a subfolder the repository is
 * in our state folder, since the work tree is only a part of it. An empty vault gets the
 * files of the remote immediately; a vault with notes is merged later as usual.
 */
#pragma once

#include "sync/git.h"

/* make: create it if necessary. Otherwise only find what an earlier repo_open() created,
 * without the network. */
MUST_CHECK bool repo_open(struct git *g, const struct sync_config *config, bool make,
                          struct err *err);

/* Whether that would use the network, if it may create. */
bool repo_is_away(struct git *g, const struct sync_config *config);

/* Remove locks left by a killed git, which would block all later commands. */
void repo_unlock(const struct git *g, struct arena *a);

/* For sync_check(). */
MUST_CHECK bool repo_check(struct git *g, const struct sync_config *config,
                           struct err *err);

/* Write the files of a commit that are missing on disk (repo_files.c). */
MUST_CHECK bool repo_files(const struct git *g, struct arena *a, str commit,
                           struct err *err);
