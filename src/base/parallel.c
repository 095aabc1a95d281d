#include "base/parallel.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/lock.h"

/* Shared by the caller and its helpers; a helper may start after everything is done. */
struct loop {
    void (*fn)(void *arg, size_t i, size_t worker);
    void *arg;
    size_t n;
    uint64_t held;         /* locks of the caller */
    atomic_size_t next;    /* the next item */
    atomic_size_t workers; /* worker numbers assigned */
    atomic_size_t holders; /* threads that still use this */
    struct lock lock;
    struct cond done_all;
    size_t done;
};

static void parallel_drop(struct loop *l)
{
    if (atomic_fetch_sub(&l->holders, 1) > 1)
        return;
    lock_release(&l->lock);
    cond_destroy(&l->done_all);
    free(l);
}

static void parallel_work(struct loop *l)
{
    size_t worker = SIZE_MAX, done = 0;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->n; done++) {
        if (worker == SIZE_MAX)
            worker = atomic_fetch_add(&l->workers, 1);
        l->fn(l->arg, i, worker);
    }
    lock_take(&l->lock);
    l->done += done;
    if (l->done == l->n)
        cond_wake_all(&l->done_all);
    lock_drop(&l->lock);
}

static void help(void *arg)
{
    const struct loop *l = arg;
    uint64_t own = lock_lend(l->held);
    parallel_work(arg);
    parallel_drop(arg);
    lock_lend(own);
}

size_t parallel_workers(const struct pool *p)
{
    return p != NULL ? pool_threads(p) + 1 : 1;
}

void parallel_each(struct pool *p, size_t n,
                   void (*fn)(void *arg, size_t i, size_t worker), void *arg)
{
    struct loop *l = mem_zero(sizeof(*l));
    l->fn = fn;
    l->arg = arg;
    l->n = n;
    l->held = lock_held();
    atomic_store(&l->holders, 1);
    lock_init(&l->lock, LOCK_PARALLEL);
    cond_init(&l->done_all);
    size_t helpers = p != NULL && n > 1 ? pool_threads(p) : 0;
    for (size_t i = 0; i < helpers && i + 1 < n; i++) {
        atomic_fetch_add(&l->holders, 1);
        if (!pool_try(p, help, l)) {
            parallel_drop(l);
            break;
        }
    }
    parallel_work(l);
    lock_take(&l->lock);
    while (l->done < l->n)
        lock_wait(&l->lock, &l->done_all);
    lock_drop(&l->lock);
    parallel_drop(l);
}
