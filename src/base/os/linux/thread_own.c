#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/err.h"
#include "base/os/posix/thread_parts.h"

void thread_set_name(const char *name)
{
    pthread_setname_np(pthread_self(), name);
}

void thread_be_idle(void)
{
    struct sched_param none = {0};
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
}

void thread_be_last(void)
{
    enum {
        NICE = 10
    }; /* a tenth of what the others get, and not a hundredth of a machine
                           that other programs keep busy */
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
}

/* --- many readers or one writer --- */

void rwlock_init(struct rwlock *l)
{
    pthread_rwlockattr_t writers_first;
    pthread_rwlockattr_init(&writers_first);
    pthread_rwlockattr_setkind_np(&writers_first,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    if (pthread_rwlock_init(&l->os, &writers_first) != 0)
        BUG("no lock");
    pthread_rwlockattr_destroy(&writers_first);
}

void rwlock_destroy(struct rwlock *l)
{
    pthread_rwlock_destroy(&l->os);
}

void rwlock_read(struct rwlock *l)
{
    pthread_rwlock_rdlock(&l->os);
}

void rwlock_write(struct rwlock *l)
{
    pthread_rwlock_wrlock(&l->os);
}

void rwlock_unlock(struct rwlock *l)
{
    pthread_rwlock_unlock(&l->os);
}
