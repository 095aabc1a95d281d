#include <time.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/os/thread.h"

void cond_init(struct cond *c)
{
    if (pthread_cond_init(&c->os, NULL) != 0)
        BUG("no condition");
}

/* Conditions know the wall clock only, which may be set; a duration does not depend on it. */
bool cond_wait_until(struct cond *c, struct mutex *m, uint64_t deadline_ns)
{
    enum { SECOND = 1000000000 };
    uint64_t now = clock_ns();
    if (now >= deadline_ns)
        return false;
    struct timespec t = {(time_t)((deadline_ns - now) / SECOND),
                         (long)((deadline_ns - now) % SECOND)};
    return pthread_cond_timedwait_relative_np(&c->os, &m->os, &t) == 0;
}
