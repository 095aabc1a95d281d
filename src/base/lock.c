#include "base/lock.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

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
    pthread_mutex_init(&l->mutex, NULL);
}

void lock_release(struct lock *l)
{
    pthread_mutex_destroy(&l->mutex);
}

void lock_take(struct lock *l)
{
    lock_enter(l->rank);
    pthread_mutex_lock(&l->mutex);
}

void lock_drop(struct lock *l)
{
    pthread_mutex_unlock(&l->mutex);
    lock_leave(l->rank);
}

/* --- locks that are held for long --- */

void lock_timed_init(struct lock_timed *l, enum lock_rank rank)
{
    pthread_condattr_t monotonic;
    l->rank = rank;
    l->taken = false;
    pthread_mutex_init(&l->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->dropped, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void lock_timed_release(struct lock_timed *l)
{
    pthread_mutex_destroy(&l->mutex);
    pthread_cond_destroy(&l->dropped);
}

static void lock_wait_a_little(struct lock_timed *l)
{
    uint64_t at = clock_ns() + LOCK_LOOK_MS * UINT64_C(1000000);
    struct timespec t = {(time_t)(at / 1000000000), (long)(at % 1000000000)};
    pthread_cond_timedwait(&l->dropped, &l->mutex, &t);
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
        pthread_mutex_unlock(&l->mutex);
        stopped = stop_now(stop) || (slow && !*away && !(*away = pool_leave()));
        pthread_mutex_lock(&l->mutex);
    }
}

bool lock_timed_take(struct lock_timed *l, const struct stop *stop)
{
    bool away = false;
    lock_enter(l->rank);
    pthread_mutex_lock(&l->mutex);
    lock_wait(l, stop, &away);
    bool got = !l->taken;
    if (got) {
        l->taken = true;
        l->since = clock_ms();
    }
    pthread_mutex_unlock(&l->mutex);
    if (away)
        pool_return();
    if (!got)
        lock_leave(l->rank);
    return got;
}

void lock_timed_drop(struct lock_timed *l)
{
    pthread_mutex_lock(&l->mutex);
    l->taken = false;
    pthread_cond_signal(&l->dropped);
    pthread_mutex_unlock(&l->mutex);
    lock_leave(l->rank);
}

static bool lock_is_held(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EACCES;
}

bool lock_poll(bool (*attempt)(void *arg), void *arg, const struct stop *stop)
{
    uint64_t slow = clock_ms() + LOCK_SLOW_MS;
    useconds_t us = LOCK_FIRST_US;
    bool got = attempt(arg), away = false;
    int why = errno;
    while (!got && lock_is_held(why) && !stop_now(stop) &&
           (away || clock_ms() <= slow || (away = pool_leave()))) {
        usleep(us);
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
    pthread_rwlockattr_t writers_first;
    l->rank = rank;
    pthread_rwlockattr_init(&writers_first);
    pthread_rwlockattr_setkind_np(&writers_first,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&l->rwlock, &writers_first);
    pthread_rwlockattr_destroy(&writers_first);
}

void lock_shared_release(struct lock_shared *l)
{
    pthread_rwlock_destroy(&l->rwlock);
}

void lock_shared_read(struct lock_shared *l)
{
    lock_enter(l->rank);
    pthread_rwlock_rdlock(&l->rwlock);
}

void lock_shared_write(struct lock_shared *l)
{
    lock_enter(l->rank);
    pthread_rwlock_wrlock(&l->rwlock);
}

void lock_shared_drop(struct lock_shared *l)
{
    pthread_rwlock_unlock(&l->rwlock);
    lock_leave(l->rank);
}
