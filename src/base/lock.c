#include "base/lock.h"

#include "base/err.h"

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
