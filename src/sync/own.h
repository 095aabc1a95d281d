/*
 * own - our git folder for the vault's repository, so that git never reads the settings
 * of that repository, which could make it run programs.
 */
#pragma once

#include "sync/git.h"

/* The git folder of the work tree that contains the vault, and the vault's place in it.
 * False: there is none. */
MUST_CHECK bool own_around(const struct git *g, struct arena *a, str *dir, str *prefix);

/* Set g->common, g->origin, g->sha256 and g->settings from the repository in g->dir. */
MUST_CHECK bool own_settings(struct git *g, struct arena *a, struct err *err);

/* The branch that is checked out in the repository; empty: none. */
str own_checked_out(const struct git *g, struct arena *a);

/* Whether git leaves files of the repository out of the work tree. */
MUST_CHECK bool own_is_sparse(const struct git *g, struct arena *a, bool *sparse,
                              struct err *err);

/* Make the folder and set g->own. */
MUST_CHECK bool own_make(struct git *g, struct arena *a, struct err *err);

/* Before git uses the user's index. */
void own_share_index(const struct git *g, struct arena *a);

/* After git fetched what a shallow clone left out. */
MUST_CHECK bool own_unshallowed(const struct git *g, struct arena *a, struct err *err);
