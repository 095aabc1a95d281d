#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/os/posix/thread_parts.h"

/* --- threads --- */

struct start {
    const char *name;
    void *(*body)(void *);
    void *arg;
};

static atomic_int thread_others; /* that thread_start() started and that have not ended */

/* A thread can name itself without /proc, which the sandbox may hide. */
static void *thread_run(void *arg)
{
    struct start start = *(struct start *)arg;
    free(arg);
    thread_set_name(start.name);
    void *result = start.body(start.arg);
    atomic_fetch_sub(&thread_others, 1);
    return result;
}

bool thread_start(struct thread *t, const char *name, void *(*body)(void *), void *arg)
{
    sigset_t all, before;
    struct start *start = mem_alloc(sizeof(*start));
    *start = (struct start){name, body, arg};
    sigfillset(&all);
    atomic_fetch_add(&thread_others, 1);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits the mask */
    int failed = pthread_create(&t->os, NULL, thread_run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        free(start);
        atomic_fetch_sub(&thread_others, 1);
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

bool thread_is_alone(void)
{
    return atomic_load(&thread_others) == 0;
}

void thread_pause(unsigned us)
{
    enum { SECOND = 1000000 };
    nanosleep(&(struct timespec){us / SECOND, (long)(us % SECOND) * 1000}, NULL);
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

void cond_destroy(struct cond *c)
{
    pthread_cond_destroy(&c->os);
}

void cond_wait(struct cond *c, struct mutex *m)
{
    pthread_cond_wait(&c->os, &m->os);
}

void cond_wake(struct cond *c)
{
    pthread_cond_signal(&c->os);
}

void cond_wake_all(struct cond *c)
{
    pthread_cond_broadcast(&c->os);
}

/* --- what is done once --- */

void once_run(struct once *o, void (*fn)(void))
{
    pthread_once(&o->os, fn);
}
