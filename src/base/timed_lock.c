#include "base/timed_lock.h"

#include <errno.h>

#include "base/clock.h"
#include "base/pool.h"

enum { /* between two looks, at most and first */
       TIMED_LOCK_LOOK_MS = 50,
       TIMED_LOCK_FIRST_US = 500,
};

void timed_lock_init(struct timed_lock *l, enum lock_rank rank)
{
    l->rank = rank;
    l->taken = false;
    mutex_init(&l->mutex);
    cond_init(&l->dropped);
}

void timed_lock_release(struct timed_lock *l)
{
    mutex_destroy(&l->mutex);
    cond_destroy(&l->dropped);
}

static void timed_lock_look(struct timed_lock *l)
{
    cond_wait_until(&l->dropped, &l->mutex,
                    clock_ns() + TIMED_LOCK_LOOK_MS * UINT64_C(1000000));
}

/* Wait with the mutex, which is released while stop is asked. A holder that takes long
 * must not keep the workers of a pool waiting; one that does not is waited for in place,
 * so that a burst of short calls queues up as usual. */
static void timed_lock_wait(struct timed_lock *l, const struct stop *stop, bool *away)
{
    bool stopped = false;
    while (l->taken && !stopped) {
        timed_lock_look(l);
        bool slow = l->taken && clock_ms() - l->since > TIMED_LOCK_SLOW_MS;
        mutex_unlock(&l->mutex);
        stopped = stop_now(stop) || (slow && !*away && !(*away = pool_leave()));
        mutex_lock(&l->mutex);
    }
}

bool timed_lock_take(struct timed_lock *l, const struct stop *stop)
{
    bool away = false;
    lock_enter(l->rank);
    mutex_lock(&l->mutex);
    timed_lock_wait(l, stop, &away);
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

void timed_lock_drop(struct timed_lock *l)
{
    mutex_lock(&l->mutex);
    l->taken = false;
    cond_wake(&l->dropped);
    mutex_unlock(&l->mutex);
    lock_leave(l->rank);
}

static bool timed_lock_is_held(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EACCES;
}

bool timed_lock_poll(bool (*attempt)(void *arg), void *arg, const struct stop *stop)
{
    uint64_t slow = clock_ms() + TIMED_LOCK_SLOW_MS;
    unsigned us = TIMED_LOCK_FIRST_US;
    bool got = attempt(arg), away = false;
    int why = errno;
    while (!got && timed_lock_is_held(why) && !stop_now(stop) &&
           (away || clock_ms() <= slow || (away = pool_leave()))) {
        thread_pause(us);
        us = us < TIMED_LOCK_LOOK_MS * 1000 / 2 ? us * 2 : us;
        got = attempt(arg);
        why = errno;
    }
    if (away)
        pool_return();
    errno = why;
    return got;
}
