#include "fetch/resolve.h"

#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "base/lock.h"
#include "base/os/thread.h"

/* One look-up. The thread and the waiting caller share it; the last one frees it. */
struct look_up {
    struct lock lock;
    struct cond done;
    unsigned holders;
    bool finished;
    resolve_fn *fn;
    struct resolved found;
    char host[];
};

enum { LOOK_MS = 100 }; /* between two looks at stopping */

static atomic_uint running;
static atomic_bool stopping;

void resolve_stop(void)
{
    atomic_store(&stopping, true);
}

static bool resolve_take_turn(bool stranger)
{
    unsigned n = atomic_load(&running);
    while (n < (stranger ? RESOLVE_STRANGERS : RESOLVE_AT_ONCE))
        if (atomic_compare_exchange_weak(&running, &n, n + 1))
            return true;
    return false;
}

static struct look_up *make_look_up(str host, resolve_fn *fn)
{
    struct look_up *l = mem_zero(size_add(sizeof(*l), size_add(host.n, 1)));
    cond_init(&l->done);
    lock_init(&l->lock, LOCK_LEAF);
    l->fn = fn != NULL ? fn : net_look_up;
    l->holders = 2;
    if (host.n > 0)
        memcpy(l->host, host.p, host.n);
    return l;
}

/* The lock is held; it is released. */
static void resolve_let_go(struct look_up *l)
{
    bool last = --l->holders == 0;
    lock_drop(&l->lock);
    if (!last)
        return;
    cond_destroy(&l->done);
    lock_release(&l->lock);
    free(l);
}

static void *look_up_host(void *arg)
{
    struct look_up *l = arg;
    struct resolved found = {0};
    (void)!l->fn(l->host, false, found.addresses, RESOLVE_MAX, &found.n);
    lock_take(&l->lock);
    l->found = found;
    l->finished = true;
    cond_wake(&l->done);
    resolve_let_go(l);
    atomic_fetch_sub(&running, 1);
    return NULL;
}

/* Wait for the thread, up to ms, and let it go. */
static bool wait_for(struct look_up *l, unsigned ms, struct resolved *out,
                     struct err *err)
{
    uint64_t until = clock_ms() + ms;
    lock_take(&l->lock);
    for (uint64_t now; !l->finished && !atomic_load(&stopping);) {
        if ((now = clock_ms()) >= until)
            break;
        uint64_t at = now + (until - now < LOOK_MS ? until - now : LOOK_MS);
        lock_wait_until(&l->lock, &l->done, at * 1000000);
    }
    bool ok = l->finished && l->found.n > 0;
    if (ok)
        *out = l->found;
    else if (l->finished)
        err_named(err, E_FETCH_DNS, "%s has no address", l->host);
    else
        err_named(err, E_FETCH_TIMEOUT,
                  "%s could not be reached: its name server did not answer in time",
                  l->host);
    resolve_let_go(l);
    return ok;
}

bool resolve_host(str host, unsigned ms, bool stranger, resolve_fn *look_up,
                  struct resolved *out, struct err *err)
{
    struct look_up *l = make_look_up(host, look_up);
    struct thread thread;
    *out = (struct resolved){0};
    bool numeric = net_look_up(l->host, true, out->addresses, RESOLVE_MAX, &out->n);
    bool turn = !numeric && resolve_take_turn(stranger);
    bool started = turn && thread_start(&thread, "resolve", look_up_host, l);
    if (started) {
        thread_leave(&thread);
        return wait_for(l, ms, out, err);
    }
    if (turn)
        atomic_fetch_sub(&running, 1);
    l->holders = 1;
    lock_take(&l->lock);
    resolve_let_go(l);
    out->numeric = numeric;
    return numeric ||
           err_set(err, ERR_BUSY, "too many names are being looked up: try again soon");
}
