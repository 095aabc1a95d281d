/*
 * ops_parts - shared by several operations. Private to ops*.c.
 */
#pragma once

#include "vault/ops.h"

bool ops_not_found(struct err *err, str path);

/* Add a warning to a report. */
void ops_warn(struct arena *a, struct ops_report *out, str warning);

/*
 * Update the index before links are looked up in it, unless the system reports changes
 * immediately, or it was done for this draft: it reads all folders. Not while the index
 * is held.
 */
void ops_catch_up(struct draft *d);

/*
 * Where from moves to, given the caller's target (a path or a folder): a free path that
 * may be created, or another spelling of from.
 */
MUST_CHECK bool ops_target(struct draft *d, str from, bool folder, str to, str *out,
                           struct err *err);

/* Whether from, a folder or a file, may be moved to to (else ERR_DENIED). */
MUST_CHECK bool ops_may_move(struct draft *d, str from, str to, bool folder,
                             struct err *err);

/* The path of another note than the one at path, or at from, with the name that path has;
 * empty if there is none, or path is not that of a note. */
str ops_namesake(const struct index *x, struct arena *a, str path, str from);

/* Add the rewrites of plan, and count them. Fails with ERR_DENIED, naming the notes that
 * may not be written. */
MUST_CHECK bool ops_take_plan(struct draft *d, const struct rename_plan *plan,
                              struct ops_report *out, struct err *err);

/* Unlock the index (draft_unlock()) after rewrites: whether all went well, and
 * draft_judge() says the same. */
MUST_CHECK bool ops_unlock(struct draft *d, bool ok, struct err *err);
