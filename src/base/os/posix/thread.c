
#include <errno.h>
#include <sched.h>
#include <signal.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/os/thread.h"

/* --- threads --- */

struct start {
    const char *name;
    void *(*body)(void *);
    void *arg;
};

/* A thread can name itself without /proc, which the sandbox may hide. */
static void *thread_run(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    pthread_setname_np(pthread_self(), start.name);
    return start.body(start.arg);
}

bool thread_start(struct thread *t, const char *name, void *(*body)(void *), void *arg)
{
    sigset_t all, before;
    struct start *start = mem_alloc(sizeof(*start));
    *start = (struct start){name, body, arg};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits the mask */
    int failed = pthread_create(&t->os, NULL, thread_run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        free(start);
        errno = failed;
    }
    return failed == 0;
}

void thread_join(struct thread *t)
{
    pthread_join(t->os, NULL);
}

void thread_leave(struct thread *t)
{
    pthread_detach(t->os);
}

void thread_be_idle(void)
{
    struct sched_param none = {0};
    (void)sched_setscheduler(0, SCHED_IDLE, &none);
}

uintptr_t thread_self(void)
{
    return (uintptr_t)pthread_self();
}

/* --- locks --- */

void mutex_init(struct mutex *m)
{
    if (pthread_mutex_init(&m->os, NULL) != 0)
        BUG("no lock");
}

void mutex_init_nested(struct mutex *m)
{
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    if (pthread_mutex_init(&m->os, &attr) != 0)
        BUG("no lock");
    pthread_mutexattr_destroy(&attr);
}

void mutex_destroy(struct mutex *m)
{
    pthread_mutex_destroy(&m->os);
}

void mutex_lock(struct mutex *m)
{
    pthread_mutex_lock(&m->os);
}

void mutex_unlock(struct mutex *m)
{
    pthread_mutex_unlock(&m->os);
}

/* --- waiting for a change --- */

void cond_init(struct cond *c)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    if (pthread_cond_init(&c->os, &monotonic) != 0)
        BUG("no condition");
    pthread_condattr_destroy(&monotonic);
}

void cond_destroy(struct cond *c)
{
    pthread_cond_destroy(&c->os);
}

void cond_wait(struct cond *c, struct mutex *m)
{
    pthread_cond_wait(&c->os, &m->os);
}

bool cond_wait_until(struct cond *c, struct mutex *m, uint64_t deadline_ns)
{
    enum { SECOND = 1000000000 };
    struct timespec t = {(time_t)(deadline_ns / SECOND), (long)(deadline_ns % SECOND)};
    return pthread_cond_timedwait(&c->os, &m->os, &t) == 0;
}

void cond_wake(struct cond *c)
{
    pthread_cond_signal(&c->os);
}

void cond_wake_all(struct cond *c)
{
    pthread_cond_broadcast(&c->os);
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

/* --- what is done once --- */

void once_run(struct once *o, void (*fn)(void))
{
    pthread_once(&o->os, fn);
}
