#include "base/lock.h"

#include <errno.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/pool.h"

enum {
    LOCK_LOOK_MS = 50,
    LOCK_FIRST_US = 500
}; /* between two looks, at most and first */

static _Thread_local unsigned lock_mine; /* one bit for each rank */

void lock_check(enum lock_rank rank)
{
    if (lock_mine >> rank != 0)
        BUG("lock %d is taken while locks %#x are held", (int)rank, lock_mine);
}

void lock_check_disk(void)
{
    if ((lock_mine >> LOCK_INDEX & 1) != 0)
        BUG("the disk is used while the index is held (locks %#x)", lock_mine);
}

void lock_enter(enum lock_rank rank)
{
    lock_check(rank);
    lock_mine |= 1U << rank;
}

void lock_leave(enum lock_rank rank)
{
    if ((lock_mine >> rank & 1) == 0)
        BUG("lock %d is given back, but it is not held", (int)rank);
    lock_mine &= ~(1U << rank);
}

unsigned lock_held(void)
{
    return lock_mine;
}

unsigned lock_lend(unsigned held)
{
    unsigned before = lock_mine;
    lock_mine = held;
    return before;
}

/* --- one holder --- */

void lock_init(struct lock *l, enum lock_rank rank)
{
    l->rank = rank;
    mutex_init(&l->mutex);
}

void lock_release(struct lock *l)
{
    mutex_destroy(&l->mutex);
}

void lock_take(struct lock *l)
{
    lock_enter(l->rank);
    mutex_lock(&l->mutex);
}

void lock_drop(struct lock *l)
{
    enum lock_rank rank =
        l->rank; /* another thread may free the lock once it is dropped */
    mutex_unlock(&l->mutex);
    lock_leave(rank);
}

/* --- locks that are held for long --- */

void lock_timed_init(struct lock_timed *l, enum lock_rank rank)
{
    l->rank = rank;
    l->taken = false;
    mutex_init(&l->mutex);
    cond_init(&l->dropped);
}

void lock_timed_release(struct lock_timed *l)
{
    mutex_destroy(&l->mutex);
    cond_destroy(&l->dropped);
}

static void lock_wait_a_little(struct lock_timed *l)
{
    cond_wait_until(&l->dropped, &l->mutex,
                    clock_ns() + LOCK_LOOK_MS * UINT64_C(1000000));
}

/* Wait with the mutex, which is released while stop is asked. A holder that takes long
 * must not keep the workers of a pool waiting; one that does not is waited for in place,
 * so that a burst of short calls queues up as usual. */
static void lock_wait(struct lock_timed *l, const struct stop *stop, bool *away)
{
    bool stopped = false;
    while (l->taken && !stopped) {
        lock_wait_a_little(l);
        bool slow = l->taken && clock_ms() - l->since > LOCK_SLOW_MS;
        mutex_unlock(&l->mutex);
        stopped = stop_now(stop) || (slow && !*away && !(*away = pool_leave()));
        mutex_lock(&l->mutex);
    }
}

bool lock_timed_take(struct lock_timed *l, const struct stop *stop)
{
    bool away = false;
    lock_enter(l->rank);
    mutex_lock(&l->mutex);
    lock_wait(l, stop, &away);
    bool got = !l->taken;
    if (got) {
        l->taken = true;
        l->since = clock_ms();
    }
    mutex_unlock(&l->mutex);
    if (away)
        pool_return();
    if (!got)
        lock_leave(l->rank);
    return got;
}

void lock_timed_drop(struct lock_timed *l)
{
    mutex_lock(&l->mutex);
    l->taken = false;
    cond_wake(&l->dropped);
    mutex_unlock(&l->mutex);
    lock_leave(l->rank);
}

static bool lock_is_held(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EACCES;
}

bool lock_poll(bool (*attempt)(void *arg), void *arg, const struct stop *stop)
{
    uint64_t slow = clock_ms() + LOCK_SLOW_MS;
    unsigned us = LOCK_FIRST_US;
    bool got = attempt(arg), away = false;
    int why = errno;
    while (!got && lock_is_held(why) && !stop_now(stop) &&
           (away || clock_ms() <= slow || (away = pool_leave()))) {
        thread_pause(us);
        us = us < LOCK_LOOK_MS * 1000 / 2 ? us * 2 : us;
        got = attempt(arg);
        why = errno;
    }
    if (away)
        pool_return();
    errno = why;
    return got;
}

/* --- many readers --- */

void lock_shared_init(struct lock_shared *l, enum lock_rank rank)
{
    l->rank = rank;
    rwlock_init(&l->rwlock);
}

void lock_shared_release(struct lock_shared *l)
{
    rwlock_destroy(&l->rwlock);
}

void lock_shared_read(struct lock_shared *l)
{
    lock_enter(l->rank);
    rwlock_read(&l->rwlock);
}

void lock_shared_write(struct lock_shared *l)
{
    lock_enter(l->rank);
    rwlock_write(&l->rwlock);
}

void lock_shared_drop(struct lock_shared *l)
{
    rwlock_unlock(&l->rwlock);
    lock_leave(l->rank);
}
