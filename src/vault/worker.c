#include "vault/worker.h"

#include "base/clock.h"
#include "base/err.h"

void worker_init(struct worker *w, const atomic_bool *stop, bool over)
{
    lock_init(&w->lock, LOCK_STATE);
    cond_init(&w->changed);
    w->stop = stop;
    w->over = over;
}

void worker_release(struct worker *w)
{
    lock_release(&w->lock);
    cond_destroy(&w->changed);
}

void worker_start(struct worker *w, const char *name, void *(*run)(void *arg), void *arg)
{
    if (!thread_start(&w->thread, name, run, arg))
        BUG("cannot start a thread for %s", name);
    w->started = true;
}

static void drop_and_wake(struct worker *w)
{
    cond_wake_all(&w->changed);
    lock_drop(&w->lock);
}

void worker_stop(struct worker *w)
{
    if (!w->started)
        return;
    lock_take(&w->lock);
    drop_and_wake(w);
    thread_join(&w->thread);
    w->started = false;
}

void worker_wake(struct worker *w, uint64_t at)
{
    lock_take(&w->lock);
    if (!w->ended) {
        w->due = w->due == 0 || at < w->due ? at : w->due;
        w->over = false;
    }
    drop_and_wake(w);
}

bool worker_sleep(struct worker *w, uint64_t until, bool interrupt)
{
    lock_take(&w->lock);
    while (!atomic_load(w->stop)) {
        uint64_t at = interrupt && w->due != 0 && w->due < until ? w->due : until;
        if (clock_ns() >= at)
            break;
        (void)lock_wait_until(&w->lock, &w->changed, at);
    }
    lock_drop(&w->lock);
    return !atomic_load(w->stop);
}

bool worker_is_due(struct worker *w)
{
    lock_take(&w->lock);
    bool due = w->due != 0 && clock_ns() >= w->due;
    lock_drop(&w->lock);
    return due;
}

void worker_begin(struct worker *w)
{
    lock_take(&w->lock);
    w->due = 0;
    lock_drop(&w->lock);
}

void worker_is_over(struct worker *w, bool over)
{
    lock_take(&w->lock);
    w->over = over && w->due == 0;
    drop_and_wake(w);
}

void worker_end(struct worker *w)
{
    lock_take(&w->lock);
    w->over = w->ended = true;
    drop_and_wake(w);
}

void worker_set(struct worker *w, bool *flag)
{
    lock_take(&w->lock);
    *flag = true;
    drop_and_wake(w);
}

bool worker_get(struct worker *w, const bool *flag)
{
    lock_take(&w->lock);
    bool set = *flag;
    lock_drop(&w->lock);
    return set;
}

bool worker_wait(struct worker *w, const bool *flag, uint64_t until)
{
    bool early = true;
    lock_take(&w->lock);
    while (!*flag && early && !atomic_load(w->stop))
        early = lock_wait_until(&w->lock, &w->changed, until);
    bool set = *flag;
    lock_drop(&w->lock);
    return set;
}
