#include "base/thread.h"

#include <errno.h>
#include <signal.h>

#include "base/arena.h"

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

bool thread_start(pthread_t *thread, const char *name, void *(*body)(void *), void *arg)
{
    sigset_t all, before;
    struct start *start = mem_alloc(sizeof(*start));
    *start = (struct start){name, body, arg};
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a new thread inherits the mask */
    int failed = pthread_create(thread, NULL, thread_run, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed != 0) {
        free(start);
        errno = failed;
    }
    return failed == 0;
}
