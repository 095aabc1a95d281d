/*
 * timed_lock - slow locks that are waited for with a deadline.
 */
#pragma once

#include "base/lock.h"
#include "base/stop.h"

/*
 * A lock that may be held for long: waiting ends when stop says so. After
 * TIMED_LOCK_SLOW_MS with the same holder, waiting no longer occupies a pool worker
 * (pool_leave()), or ends if that is not possible. False if the lock was not taken.
 */
enum { TIMED_LOCK_SLOW_MS = 250 };

struct timed_lock {
    enum lock_rank rank;
    struct mutex mutex;
    struct cond dropped;
    bool taken;
    uint64_t since; /* clock_ms() when it was taken */
};

void timed_lock_init(struct timed_lock *l, enum lock_rank rank);
void timed_lock_release(struct timed_lock *l);
MUST_CHECK bool timed_lock_take(struct timed_lock *l, const struct stop *stop);
void timed_lock_drop(struct timed_lock *l);

/*
 * The same for locks of other kinds, such as those of files: call attempt until it
 * returns true, or fails with an errno that does not mean that another one holds it, or
 * stop says so.
 */
MUST_CHECK bool timed_lock_poll(bool (*attempt)(void *arg), void *arg,
                                const struct stop *stop);
