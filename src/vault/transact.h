/*
 * transact - the one way in which changes are made, by tools, verbs and sync alike: wait
 * for the others of this process, look whether the same call was made before, draft,
 * commit, and begin again when somebody else was faster.
 *
 * Nothing is answered here: the caller prints the result, which is on disk then.
 */
#pragma once

#include "vault/draft.h"

enum { TRANSACT_TRIES = 4 };

/*
 * Put the steps of a change into a draft (draft.h, ops.h). Called again, with a new
 * draft, when a file changed meanwhile, so whatever arg collects begins anew each time.
 */
typedef bool transact_steps(struct draft *d, void *arg, struct err *err);

struct transact {
    struct change as; /* who wants what; with a key it is made once (change.h) */
    bool dry_run;     /* only what would happen */
    bool exact;       /* the caller means a certain state: fail if there is another */
    transact_steps *steps;
    /* The answer that is kept for who repeats the call, asked for before the commit if
     * there is a key; or NULL: an empty one. */
    str (*keep)(struct arena *a, void *arg);
    void *arg; /* of both */
};

/*
 * Make a change. When somebody else changes a file between the steps and the commit, the
 * index is brought up to date and the steps are called again; the last failure counts.
 * A call that was made before is not made again: out->repeated. Fails as the steps do and
 * as vault_change().
 */
MUST_CHECK bool transact_run(struct vault *v, struct arena *a, const struct transact *t,
                             struct draft_result *out, struct err *err);

/*
 * Take a change back, as vault_undo(): that with *number, or the latest, if it is 0; then
 * it is *number before t->keep is called. Of t also as and arg count.
 */
MUST_CHECK bool transact_undo(struct vault *v, struct arena *a, const struct transact *t,
                              uint64_t *number, struct change_result *out,
                              struct err *err);

/*
 * The loop alone, for changes that are no draft: call attempt until it succeeds, fails
 * for good (*again is false) or was called tries times. The others wait from attempt
 * number alone on, counted from 0.
 */
typedef bool transact_attempt(void *arg, bool *again, struct err *err);
MUST_CHECK bool transact_try(struct vault *v, transact_attempt *attempt, void *arg,
                             int tries, int alone, struct err *err);
