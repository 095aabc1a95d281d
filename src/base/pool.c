/*
 * One lock protects everything. Workers take jobs from a ring; a timer thread, started
 * with the first pool_later(), moves jobs that are due from a heap to the ring and waits
 * for room there like any other submitter.
 */
#include "base/pool.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/os/machine.h"
#include "base/os/thread.h"

struct pool_job {
    void (*run)(void *arg);
    void *arg;
};

struct timer {
    uint64_t due; /* clock_ms() */
    uint64_t order;
    struct pool_job job;
};

struct pool {
    struct mutex lock;
    struct cond work;  /* there is a job, or stopping */
    struct cond room;  /* there is room in the ring */
    struct cond alarm; /* there is an earlier timer, or closing */
    bool closing;      /* timers no longer fire */
    bool stopping;     /* workers exit when the ring is empty */

    struct pool_job *ring;
    size_t first, n, max;

    struct thread *threads;
    size_t n_threads, max_threads;
    size_t waiting; /* workers without a job */
    size_t running; /* workers with a job, except those that are away */
    size_t away;    /* pool_leave() */

    struct timer *timers; /* a heap, the earliest first */
    size_t n_timers;
    uint64_t next_order;
    struct thread timer_thread;
    bool has_timer_thread;
};

static _Thread_local struct pool *pool_mine; /* of this worker */

static void init_conditions(struct pool *p)
{
    cond_init(&p->work);
    cond_init(&p->room);
    cond_init(&p->alarm);
}

struct pool *pool_create(unsigned threads, size_t queue_max)
{
    struct pool *p = mem_zero(sizeof(*p));
    unsigned cores = machine_cores();
    p->max_threads = threads > 0 ? threads : cores > 2 ? cores : 2;
    p->threads = mem_zero(size_mul(p->max_threads + POOL_AWAY_MAX, sizeof(*p->threads)));
    p->max = queue_max > 0 ? queue_max : 1;
    p->ring = mem_zero(size_mul(p->max, sizeof(*p->ring)));
    mutex_init(&p->lock);
    init_conditions(p);
    return p;
}

size_t pool_threads(const struct pool *p)
{
    return p->max_threads;
}

/* Wait until at_ms on the clock; false once it is reached. */
static bool wait_until(struct pool *p, struct cond *cond, uint64_t at_ms)
{
    return cond_wait_until(cond, &p->lock, at_ms * 1000000);
}

static struct pool_job take_job(struct pool *p)
{
    struct pool_job job = p->ring[p->first];
    p->first = (p->first + 1) % p->max;
    p->n--;
    cond_wake(&p->room);
    return job;
}

/* A worker that waits because enough others run may run now. */
static void pool_stop_running(struct pool *p)
{
    if (p->running-- >= p->max_threads && p->waiting > 0)
        cond_wake(&p->work);
}

static void *pool_work(void *arg)
{
    struct pool *p = arg;
    pool_mine = p;
    mutex_lock(&p->lock);
    for (;;) {
        while (!p->stopping && (p->n == 0 || p->running >= p->max_threads)) {
            p->waiting++;
            cond_wait(&p->work, &p->lock);
            p->waiting--;
        }
        if (p->n == 0)
            break;
        struct pool_job job = take_job(p);
        p->running++;
        mutex_unlock(&p->lock);
        job.run(job.arg);
        mutex_lock(&p->lock);
        pool_stop_running(p);
    }
    mutex_unlock(&p->lock);
    return NULL;
}

/* Start another worker if each waiting one already has a job. */
static void ensure_worker(struct pool *p)
{
    if (p->n <= p->waiting || p->n_threads >= p->max_threads + p->away || p->stopping)
        return;
    if (thread_start(&p->threads[p->n_threads], "worker", pool_work, p))
        p->n_threads++;
    else if (p->n_threads == 0)
        BUG("cannot start a thread");
}

static void put_job(struct pool *p, struct pool_job job)
{
    p->ring[(p->first + p->n) % p->max] = job;
    p->n++;
    ensure_worker(p);
}

static void put_job_waiting(struct pool *p, struct pool_job job)
{
    while (p->n == p->max)
        cond_wait(&p->room, &p->lock);
    put_job(p, job);
}

bool pool_try(struct pool *p, void (*job)(void *arg), void *arg)
{
    mutex_lock(&p->lock);
    bool fits = p->n < p->max;
    if (fits)
        put_job(p, (struct pool_job){job, arg});
    mutex_unlock(&p->lock);
    if (fits)
        cond_wake(&p->work); /* unlocked: the worker need not wait for us */
    return fits;
}

bool pool_leave(void)
{
    struct pool *p = pool_mine;
    if (p == NULL)
        return true;
    mutex_lock(&p->lock);
    bool may = p->away < POOL_AWAY_MAX;
    if (may) {
        p->away++;
        pool_stop_running(p);
        ensure_worker(p);
    }
    mutex_unlock(&p->lock);
    return may;
}

void pool_return(void)
{
    struct pool *p = pool_mine;
    if (p == NULL)
        return;
    mutex_lock(&p->lock);
    p->away--;
    p->running++;
    mutex_unlock(&p->lock);
}

void pool_submit(struct pool *p, void (*job)(void *arg), void *arg)
{
    mutex_lock(&p->lock);
    put_job_waiting(p, (struct pool_job){job, arg});
    mutex_unlock(&p->lock);
    cond_wake(&p->work);
}

static bool earlier(const struct timer *a, const struct timer *b)
{
    return a->due != b->due ? a->due < b->due : a->order < b->order;
}

static void swap_timers(struct timer *a, struct timer *b)
{
    struct timer t = *a;
    *a = *b;
    *b = t;
}

static void push_timer(struct pool *p, struct timer t)
{
    size_t i = p->n_timers;
    *ARRAY_ADD(NULL, p->timers, p->n_timers) = t;
    for (; i > 0 && earlier(&p->timers[i], &p->timers[(i - 1) / 2]); i = (i - 1) / 2)
        swap_timers(&p->timers[i], &p->timers[(i - 1) / 2]);
}

static struct pool_job pop_timer(struct pool *p)
{
    struct pool_job job = p->timers[0].job;
    p->timers[0] = p->timers[--p->n_timers];
    for (size_t i = 0;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < p->n_timers && earlier(&p->timers[child + 1], &p->timers[child]))
            child++;
        if (child >= p->n_timers || !earlier(&p->timers[child], &p->timers[i]))
            return job;
        swap_timers(&p->timers[child], &p->timers[i]);
        i = child;
    }
}

static void *keep_time(void *arg)
{
    struct pool *p = arg;
    mutex_lock(&p->lock);
    while (!p->closing) {
        if (p->n_timers == 0)
            cond_wait(&p->alarm, &p->lock);
        else if (p->timers[0].due > clock_ms())
            wait_until(p, &p->alarm, p->timers[0].due);
        else {
            put_job_waiting(p, pop_timer(p));
            cond_wake(&p->work);
        }
    }
    mutex_unlock(&p->lock);
    return NULL;
}

static void ensure_timer_thread(struct pool *p)
{
    if (!p->has_timer_thread)
        p->has_timer_thread = thread_start(&p->timer_thread, "timer", keep_time, p);
    if (!p->has_timer_thread)
        BUG("cannot start a thread");
}

void pool_later(struct pool *p, unsigned ms, void (*job)(void *arg), void *arg)
{
    mutex_lock(&p->lock);
    if (!p->closing) {
        /* Plus one: clock_ms() rounds down, and "at least" must hold. */
        push_timer(p, (struct timer){clock_ms() + ms + 1, p->next_order++, {job, arg}});
        ensure_timer_thread(p);
        cond_wake(&p->alarm);
    }
    mutex_unlock(&p->lock);
}

/* The timer thread first: it may be submitting a job, which needs running workers. */
static void stop_timers(struct pool *p)
{
    mutex_lock(&p->lock);
    p->closing = true;
    bool join = p->has_timer_thread;
    cond_wake_all(&p->alarm);
    mutex_unlock(&p->lock);
    if (join)
        thread_join(&p->timer_thread);
}

static void stop_workers(struct pool *p)
{
    mutex_lock(&p->lock);
    p->stopping = true;
    size_t n = p->n_threads;
    cond_wake_all(&p->work);
    mutex_unlock(&p->lock);
    for (size_t i = 0; i < n; i++)
        thread_join(&p->threads[i]);
}

void pool_free(struct pool *p)
{
    if (p == NULL)
        return;
    stop_timers(p);
    stop_workers(p);
    cond_destroy(&p->work);
    cond_destroy(&p->room);
    cond_destroy(&p->alarm);
    mutex_destroy(&p->lock);
    free(p->timers);
    free(p->threads);
    free(p->ring);
    free(p);
}
