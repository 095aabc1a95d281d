#include "fetch/resolve.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "base/thread.h"

/* One look-up. The thread and the waiting caller share it; the last one frees it. */
struct look_up {
    pthread_mutex_t lock;
    pthread_cond_t done;
    unsigned holders;
    bool finished;
    int failed; /* EAI_* */
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

static bool take_turn(bool stranger)
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
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&l->done, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&l->lock, NULL);
    l->fn = fn != NULL ? fn : getaddrinfo;
    l->holders = 2;
    if (host.n > 0)
        memcpy(l->host, host.p, host.n);
    return l;
}

/* The lock is held; it is released. */
static void let_go(struct look_up *l)
{
    bool last = --l->holders == 0;
    pthread_mutex_unlock(&l->lock);
    if (!last)
        return;
    pthread_cond_destroy(&l->done);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

static int ask(resolve_fn *fn, const char *host, int flags, struct resolved *out)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    int failed = fn(host, NULL, &hints, &found);
    if (failed != 0)
        return failed;
    for (const struct addrinfo *at = found; at != NULL && out->n < RESOLVE_MAX;
         at = at->ai_next)
        memcpy(&out->addresses[out->n++], at->ai_addr, at->ai_addrlen);
    freeaddrinfo(found);
    return 0;
}

static void *look_up_host(void *arg)
{
    struct look_up *l = arg;
    struct resolved found = {0};
    int failed = ask(l->fn, l->host, 0, &found);
    pthread_mutex_lock(&l->lock);
    l->found = found;
    l->failed = failed;
    l->finished = true;
    pthread_cond_signal(&l->done);
    let_go(l);
    atomic_fetch_sub(&running, 1);
    return NULL;
}

/* Wait for the thread, up to ms, and let it go. */
static bool wait_for(struct look_up *l, unsigned ms, struct resolved *out,
                     struct err *err)
{
    uint64_t until = clock_ms() + ms;
    pthread_mutex_lock(&l->lock);
    for (uint64_t now; !l->finished && !atomic_load(&stopping);) {
        if ((now = clock_ms()) >= until)
            break;
        uint64_t at = now + (until - now < LOOK_MS ? until - now : LOOK_MS);
        struct timespec next = {(time_t)(at / 1000), (long)(at % 1000) * 1000000};
        pthread_cond_timedwait(&l->done, &l->lock, &next);
    }
    bool ok = l->finished && l->failed == 0 && l->found.n > 0;
    if (ok)
        *out = l->found;
    else if (l->finished)
        err_named(err, E_FETCH_DNS, "%s has no address", l->host);
    else
        err_named(err, E_FETCH_TIMEOUT,
                  "%s could not be reached: its name server did not answer in time",
                  l->host);
    let_go(l);
    return ok;
}

bool resolve_host(str host, unsigned ms, bool stranger, resolve_fn *look_up,
                  struct resolved *out, struct err *err)
{
    struct look_up *l = make_look_up(host, look_up);
    pthread_t thread;
    *out = (struct resolved){0};
    bool numeric = ask(getaddrinfo, l->host, AI_NUMERICHOST, out) == 0;
    bool turn = !numeric && take_turn(stranger);
    bool started = turn && thread_start(&thread, "resolve", look_up_host, l);
    if (started) {
        pthread_detach(thread);
        return wait_for(l, ms, out, err);
    }
    if (turn)
        atomic_fetch_sub(&running, 1);
    l->holders = 1;
    pthread_mutex_lock(&l->lock);
    let_go(l);
    out->numeric = numeric;
    return numeric ||
           err_set(err, ERR_BUSY, "too many names are being looked up: try again soon");
}
