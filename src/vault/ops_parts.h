/*
 * ops_parts - what several operations need. Private to ops*.c.
 */
#pragma once

#include "vault/ops.h"

bool ops_not_found(struct err *err, str path);
bool ops_is_folder(struct vault *v, str path);

/*
 * Before links are looked up in the index: where nobody tells us of changes at once, some
 * may not be known yet. Not while the index is held.
 */
void ops_catch_up(struct vault *v);

/*
 * Where from goes when somebody says to: a free path that may be made, or that of from in
 * another spelling.
 */
MUST_CHECK bool ops_target(struct draft *d, str from, bool folder, str to, str *out,
                           struct err *err);

/* Whether from, a folder or a file, may go to to (ERR_DENIED). */
MUST_CHECK bool ops_may_move(struct draft *d, str from, str to, bool folder,
                             struct err *err);

/* Rewrite what plan says, and count it. Fails with ERR_DENIED, naming notes that may not
 * be written. */
MUST_CHECK bool ops_take_plan(struct draft *d, const struct rename_plan *plan,
                              struct ops_report *out, struct err *err);
