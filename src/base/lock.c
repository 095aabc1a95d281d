#include "base/lock.h"

#include <inttypes.h>
#include <stdatomic.h>

#include "base/err.h"
#include "base/log.h"

static _Thread_local uint64_t lock_mine; /* one bit for each rank */
static _Thread_local bool lock_on_loop;  /* lock_never_wait() */

static void report_waiting(void)
{
    static atomic_bool reported;
    lock_on_loop = false; /* the log may take locks, too */
    if (VAULTD_SANITIZED)
        BUG("the event loop uses something slow");
    if (!atomic_exchange(&reported, true))
        log_event(LOG_ERROR, "loop_waits",
                  LOG_STR("please", STR("report it: the server is slower than it could "
                                        "be, but works")));
    lock_on_loop = true;
}

void lock_never_wait(void)
{
    lock_on_loop = true;
}

void lock_may_wait(void)
{
    lock_on_loop = false;
}

void lock_check(enum lock_rank rank)
{
    if (lock_mine >> rank != 0)
        BUG("lock %d is taken while locks %#" PRIx64 " are held", (int)rank, lock_mine);
}

void lock_check_slow(void)
{
    if (lock_mine >> LOCK_BRIEF != 0)
        BUG("something slow is used while locks %#" PRIx64 " are held", lock_mine);
    if (lock_on_loop)
        report_waiting();
}

void lock_enter(enum lock_rank rank)
{
    lock_check(rank);
    if (lock_on_loop && rank < LOCK_BRIEF)
        report_waiting();
    lock_mine |= UINT64_C(1) << rank;
}

void lock_leave(enum lock_rank rank)
{
    if ((lock_mine >> rank & 1) == 0)
        BUG("lock %d is released, but it is not held", (int)rank);
    lock_mine &= ~(UINT64_C(1) << rank);
}

uint64_t lock_held(void)
{
    return lock_mine;
}

uint64_t lock_lend(uint64_t held)
{
    uint64_t before = lock_mine;
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

void lock_wait(struct lock *l, struct cond *changed)
{
    cond_wait(changed, &l->mutex);
}

bool lock_wait_until(struct lock *l, struct cond *changed, uint64_t deadline_ns)
{
    return cond_wait_until(changed, &l->mutex, deadline_ns);
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
