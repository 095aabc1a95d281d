/*
 * shared_counter - how often something happened recently, counted in the database by all
 * servers that share it: for what is rare and must not be allowed once per server,
 * such as guessing passwords. What happens often is counted by limiter.h.
 *
 * The rules are those of limiter.h, without penalties. Keys are stored as hashes. Times
 * are milliseconds since 1970, by the clocks of all servers; what a server has counted
 * whose clock is more than SHARED_COUNTER_AHEAD_MS ahead of ours is ignored, as it would
 * count for too long.
 */
#pragma once

#include "replica/limiter.h"
#include "state/store.h"

enum { SHARED_COUNTER_AHEAD_MS = 3600 * 1000 };

/* For store_begin(). */
#define SHARED_COUNTER_LOCK "counters"

struct shared_counter {
    const char *what; /* keys of different counters do not collide */
    struct limiter_rule rule;
};

/* What shared_counter_take() would say of the limit, without counting or waiting for
 * others. */
MUST_CHECK bool shared_counter_look(struct store *s, const struct shared_counter *t,
                                    str key, uint64_t *wait_ms, struct err *err);

/*
 * Within a transaction: count one for key. *wait_ms: how long to wait because the limit
 * is reached, and nothing was counted; 0: it was counted. False: the database does not
 * answer.
 */
MUST_CHECK bool shared_counter_take(struct store *s, const struct shared_counter *t,
                                    str key, uint64_t *wait_ms, struct err *err);

/* Within a transaction: undo one count. */
MUST_CHECK bool shared_counter_give_back(struct store *s, const struct shared_counter *t,
                                         str key, struct err *err);
