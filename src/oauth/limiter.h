/*
 * limiter - how often something happened lately, by key: an address, a user, a client.
 *
 * A table of fixed size: whatever keys strangers invent, memory stays the same. A key is
 * kept as a hash with a secret of this process; where the table is full, the key that was
 * quiet longest of a few neighbours is forgotten. Counts slide over the window: what is
 * older than it does not count.
 *
 * With a penalty a key that used up its limit is shut out for that time, twice as long
 * after each further try, up to the largest; a window without tries forgives it.
 *
 * Time is passed in, in milliseconds of clock_ms(). Safe from any thread.
 */
#pragma once

#include "base/str.h"

struct limiter_rule {
    unsigned limit; /* at least 1 */
    uint64_t window_ms;
    uint64_t penalty_ms, penalty_max_ms; /* 0: none, wait for the window to slide on */
};

enum { LIMITER_SLOTS = 16384 }; /* keys at most; a power of two */

struct limiter;

struct limiter *limiter_create(const struct limiter_rule *rule);
void limiter_free(struct limiter *t); /* NULL is fine */

/*
 * Count one for key. False when it may not now: nothing is counted, and *wait_ms (which
 * may be NULL) says when it may.
 */
bool limiter_take(struct limiter *t, str key, uint64_t now_ms, uint64_t *wait_ms);

/* One that was taken does not count after all. */
void limiter_give_back(struct limiter *t, str key, uint64_t now_ms);

/* All is forgiven. */
void limiter_clear(struct limiter *t, str key);
