#include <time.h>

#include "base/err.h"
#include "base/os/thread.h"

void cond_init(struct cond *c)
{
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    if (pthread_cond_init(&c->os, &monotonic) != 0)
        BUG("no condition");
    pthread_condattr_destroy(&monotonic);
}

bool cond_wait_until(struct cond *c, struct mutex *m, uint64_t deadline_ns)
{
    enum { SECOND = 1000000000 };
    struct timespec t = {(time_t)(deadline_ns / SECOND), (long)(deadline_ns % SECOND)};
    return pthread_cond_timedwait(&c->os, &m->os, &t) == 0;
}
