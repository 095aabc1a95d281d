/*
 * transact - how every change is made, by tools, commands and sync: wait for the other
 * changes of this process, check whether the same call was made before, draft, commit,
 * and draft again if a file was changed in the meantime. There is one loop for all of
 * them, and nothing below it tries again.
 *
 * Nothing is printed here: the caller prints the result after the change is on disk.
 */
#pragma once

#include "base/stop.h"
#include "vault/draft.h"

/* Sanitizers make everything slower. */
enum {
    TRANSACT_TRIES = 4,
    TRANSACT_SLOWER = 1 + 3 * VAULTD_SANITIZED,
    TRANSACT_PLAN_MS = 5000 * TRANSACT_SLOWER, /* for the steps of a change */
};

/*
 * Adds the steps of a change to a draft (draft.h, ops.h). Called again with a new draft
 * if a file has changed in the meantime, so it must reset whatever it collects in arg.
 */
typedef bool transact_steps(struct draft *d, void *arg, struct err *err);

/* A change to be made: of steps, or the undo of another one. */
struct transact {
    struct actor by;
    struct idempotency once; /* without the answer */
    struct draft_base base;  /* draft_set_base() */
    bool dry_run;            /* only report what would happen */
    bool exact;       /* the caller gave an etag: a conflict is final, do not try again */
    bool early;       /* the steps depend only on the files that they change, so others
                         need not wait for them the first time, only for the commit */
    struct stop stop; /* asked while the change waits and by its steps (draft_stop()),
                         which then have TRANSACT_PLAN_MS; all zeros: for commands, where
                         no other caller waits */
    transact_steps *steps;

    /* The change to undo, as vault_undo(); 0 means the latest, and it is set to that before
     * keep and may_undo are called. NULL: steps. */
    uint64_t *undo;
    /* Whether an undo that was not made before may be made. files: that the change
     * touched; by->confirmed may be set. NULL: it may. */
    bool (*may_undo)(struct actor *by, size_t files, void *arg, struct err *err);

    /* The answer to store for repeated calls. Called before the commit, and only if there
     * is a key, or always is set; NULL: store an empty one. */
    str (*keep)(struct arena *a, void *arg);
    bool always;
    void *arg; /* for all three */
};

/*
 * Make a change. If a file is changed between the steps and the commit by anyone else,
 * update the index and start again, with TRANSACT_TRIES attempts in all; the last failure
 * is reported. A call that was made before is not made again: out->repeated is set. Fails
 * as the steps do and as vault_change() or vault_undo(), with BUSY if other changes take
 * longer than VAULT_TURN_MS, and with TIMEOUT if the steps take longer than
 * TRANSACT_PLAN_MS. The texts before and after are known of steps, and of the dry run of an
 * undo.
 */
MUST_CHECK bool transact_run(struct vault *v, struct arena *a, const struct transact *t,
                             struct draft_result *out, struct err *err);

/* What the journal calls the key of a change: keys of different users do not collide. */
str transact_key(struct arena *a, str who, str key);

/*
 * The same loop for changes that are not drafts: call attempt until it succeeds, fails
 * for good (*again is false) or was called tries times. Other changes of this process
 * wait from attempt number `alone` on, counted from 0. Fails with BUSY like
 * transact_run().
 */
typedef bool transact_attempt(void *arg, bool *again, struct err *err);
MUST_CHECK bool transact_try(struct vault *v, transact_attempt *attempt, void *arg,
                             int tries, int alone, struct err *err);
