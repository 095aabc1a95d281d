#include "base/periodic.h"

#include "base/clock.h"

void periodic_init(struct periodic *p)
{
    *p = (struct periodic){0};
    lock_init(&p->lock, LOCK_LEAF);
    cond_init(&p->ending);
}

static void *periodic_repeat(void *arg)
{
    struct periodic *p = arg;
    lock_take(&p->lock);
    while (!p->ends) {
        lock_drop(&p->lock);
        p->run(p->arg);
        lock_take(&p->lock);
        uint64_t next = clock_ns() + (uint64_t)p->ms * 1000000;
        while (!p->ends && lock_wait_until(&p->lock, &p->ending, next))
            ;
    }
    lock_drop(&p->lock);
    return NULL;
}

bool periodic_start(struct periodic *p, const char *name, unsigned ms,
                    void (*run)(void *arg), void *arg, struct err *err)
{
    bool ok = true;
    lock_take(&p->lock);
    if (!atomic_load(&p->started)) {
        p->run = run;
        p->arg = arg;
        p->ms = ms;
        ok = thread_start(&p->thread, name, periodic_repeat, p) ||
             err_sys(err, "cannot start a thread");
        atomic_store(&p->started, ok);
    }
    lock_drop(&p->lock);
    return ok;
}

bool periodic_is_started(const struct periodic *p)
{
    return atomic_load(&p->started);
}

void periodic_release(struct periodic *p)
{
    lock_take(&p->lock);
    p->ends = true;
    cond_wake_all(&p->ending);
    lock_drop(&p->lock);
    if (atomic_load(&p->started))
        thread_join(&p->thread);
    cond_destroy(&p->ending);
    lock_release(&p->lock);
}
