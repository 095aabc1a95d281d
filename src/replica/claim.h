/*
 * claim - a change with an idempotency key is made by exactly one replica: the first that
 * claims the key in the database. The others read its answer there. In one process, every
 * claim is our own.
 */
#pragma once

#include "replica/replica.h"

enum { CLAIM_S = 24 * 3600 }; /* how long a key is kept */

struct claim {
    str replica, process, answer;
    bool own;       /* it is ours, perhaps from before a restart */
    bool same;      /* for the same request */
    int64_t number; /* of the change; 0: it is not made yet */
};

/* Claim it for a request, or read who has. What is read is in the arena. */
MUST_CHECK bool claim_take(struct replica *r, struct arena *a, str name, str request,
                           struct claim *out, struct err *err);

/* The change was made here, with this answer; or it was not, and others may claim it. */
void claim_made(struct replica *r, str name, uint64_t number, str answer);
void claim_drop(struct replica *r, str name);

/* Whether the replica that made the change has pushed it. */
MUST_CHECK bool claim_is_pushed(struct replica *r, str vault, const struct claim *c,
                                bool *pushed, struct err *err);
