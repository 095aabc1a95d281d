/*
 * One lock protects everything. Workers take jobs from lanes, one for each caller; a timer
 * thread, started with the first pool_later(), moves jobs that are due from a heap to the
 * lanes and waits for room there like any other submitter.
 *
 * The tag of a lane is when its next job may start, in the time that lanes have used. now_tag
 * is the tag of the latest job that was started; a lane that is behind it is moved up, so
 * nothing is saved for later. A lane without jobs and behind now_tag need not be known.
 */
#include "base/pool.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/lock.h"
#include "base/os/machine.h"

/* What a job is charged before its time is known; and how much of a long one is forgotten
 * with each brief one, so that a caller is not light again after a few of them. */
enum { JOB_LEAST_NS = 1000000, COST_FORGOTTEN = 16, NS_PER_MS = 1000000 };

struct pool_job {
    void (*run)(void *arg);
    void *arg;
    uint64_t caller;
};

struct queued {
    struct pool_job job;
    struct queued *next;
    uint64_t order;
};

struct lane {
    uint64_t caller;
    uint64_t tag;  /* ns */
    uint64_t cost; /* ns: of its longest recent job; 0: none has ended */
    struct queued *first, *last;
    size_t n, running, away;
};

struct timer {
    uint64_t due; /* clock_ms() */
    uint64_t order;
    struct pool_job job;
};

struct pool {
    struct lock lock;
    struct cond work;  /* there is a job, or stopping */
    struct cond room;  /* there is room in the queue */
    struct cond alarm; /* there is an earlier timer, or closing */
    bool closing;      /* timers no longer fire */
    bool stopping;     /* workers exit when no job is left */

    struct lane *lanes;
    size_t n_lanes;
    uint64_t now_tag;
    struct queued *queue, *unused; /* max of them; the list of those without a job */
    size_t n, max;

    struct thread *threads;
    uint64_t
        *since; /* of each thread: when its job began to occupy it, clock_ns(); or 0 */
    size_t n_threads, max_threads;
    size_t n_started; /* threads that have a place in since */
    size_t waiting;   /* workers without a job */
    size_t running;   /* workers with a job, except those that are away */
    size_t away;      /* pool_leave() */

    struct timer *timers; /* a heap, the earliest first */
    size_t n_timers;
    uint64_t next_order;
    struct thread timer_thread;
    bool has_timer_thread;
};

/* Of this worker. */
static _Thread_local struct pool *pool_mine;
static _Thread_local struct lane *job_lane;
static _Thread_local uint64_t *my_since;
static _Thread_local uint64_t left_ns, away_ns;

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
    size_t most = p->max_threads + POOL_AWAY_MAX + POOL_SPARE;
    p->threads = mem_zero(size_mul(most, sizeof(*p->threads)));
    p->since = mem_zero(size_mul(most, sizeof(*p->since)));
    p->max = queue_max > 0 ? queue_max : 1;
    p->queue = mem_zero(size_mul(p->max, sizeof(*p->queue)));
    for (size_t i = 0; i < p->max; i++)
        p->queue[i].next = i + 1 < p->max ? &p->queue[i + 1] : NULL;
    p->unused = p->queue;
    p->lanes = mem_zero(POOL_CALLERS_MAX * sizeof(*p->lanes));
    lock_init(&p->lock, LOCK_POOL);
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
    return lock_wait_until(&p->lock, cond, at_ms * 1000000);
}

/* --- lanes --- */

static struct lane *find_lane(const struct pool *p, uint64_t caller)
{
    for (size_t i = 0; i < p->n_lanes; i++)
        if (p->lanes[i].caller == caller)
            return &p->lanes[i];
    return NULL;
}

/* A lane to forget: without jobs, and best one that is not ahead of the others. */
static struct lane *idle_lane(const struct pool *p)
{
    struct lane *least = NULL;
    for (size_t i = 0; i < p->n_lanes; i++) {
        struct lane *l = &p->lanes[i];
        bool idle = l->n + l->running + l->away == 0;
        if (idle && (least == NULL || l->tag < least->tag))
            least = l;
    }
    bool full = p->n_lanes == POOL_CALLERS_MAX;
    return least != NULL && (full || least->tag <= p->now_tag) ? least : NULL;
}

static struct lane *lane_of(struct pool *p, uint64_t caller)
{
    struct lane *l = find_lane(p, caller);
    if (l != NULL)
        return l;
    l = idle_lane(p);
    if (l == NULL && p->n_lanes == POOL_CALLERS_MAX)
        return &p->lanes[caller % POOL_CALLERS_MAX];
    if (l == NULL)
        l = &p->lanes[p->n_lanes++];
    *l = (struct lane){.caller = caller, .tag = p->now_tag};
    return l;
}

static size_t count_long(const struct pool *p, uint64_t now)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_started; i++)
        n += p->since[i] > 0 && now - p->since[i] >= POOL_LONG_MS * NS_PER_MS;
    return n < POOL_SPARE ? n : POOL_SPARE;
}

static bool is_light(const struct lane *l)
{
    return l->cost > 0 && l->cost <= POOL_LIGHT_MS * NS_PER_MS;
}

/* Whether a worker may run the lane's next job now. */
static bool may_run(const struct pool *p, const struct lane *l)
{
    if (p->running < p->max_threads || p->stopping)
        return true;
    if (l->caller == 0 || l->running > 0)
        return false;
    if (p->running == p->max_threads &&
        l->tag <= p->now_tag + POOL_LIGHT_MS * UINT64_C(1000000))
        return true;
    return is_light(l) && p->running < p->max_threads + count_long(p, clock_ns());
}

static bool goes_before(const struct lane *a, const struct lane *b)
{
    return a->tag != b->tag ? a->tag < b->tag : a->first->order < b->first->order;
}

/* The lane whose job is next; NULL: none, or enough workers run. */
static struct lane *next_lane(const struct pool *p)
{
    struct lane *next = NULL;
    for (size_t i = 0; i < p->n_lanes && p->n > 0; i++) {
        struct lane *l = &p->lanes[i];
        if (l->n > 0 && may_run(p, l) && (next == NULL || goes_before(l, next)))
            next = l;
    }
    return next;
}

static void put_in_lane(struct pool *p, struct lane *l, struct pool_job job)
{
    struct queued *q = p->unused;
    p->unused = q->next;
    *q = (struct queued){.job = job, .order = p->next_order++};
    if (l->n == 0)
        l->first = q;
    else
        l->last->next = q;
    l->last = q;
    if (l->n++ == 0 && l->running == 0 && l->tag < p->now_tag)
        l->tag = p->now_tag;
    p->n++;
}

static struct pool_job take_job(struct pool *p, struct lane *l)
{
    struct queued *q = l->first;
    struct pool_job job = q->job;
    l->first = q->next;
    q->next = p->unused;
    p->unused = q;
    l->n--;
    p->n--;
    if (l->tag > p->now_tag)
        p->now_tag = l->tag;
    l->tag += JOB_LEAST_NS;
    cond_wake(&p->room);
    return job;
}

struct job_use {
    uint64_t ns; /* how long it occupied its worker */
    uint64_t processor_ns;
};

/* Other programs may keep a brief job from the processor, so only processor time makes it
 * a heavy one; unless it took so long that it must have waited for a disk. */
static void charge(struct lane *l, struct job_use use)
{
    uint64_t rest = l->cost - l->cost / COST_FORGOTTEN;
    bool slow = use.ns > POOL_SLOW_MS * UINT64_C(1000000);
    uint64_t cost = slow ? use.ns : use.processor_ns + 1;
    l->tag += use.ns > JOB_LEAST_NS ? use.ns - JOB_LEAST_NS : 0;
    l->cost = cost > rest ? cost : rest;
}

/* --- workers --- */

/* A worker that waits because enough others run may run now. */
static void pool_stop_running(struct pool *p)
{
    if (p->running-- >= p->max_threads && p->waiting > 0)
        cond_wake(&p->work);
}

/* Without the lock. */
static struct job_use run_job(const struct pool_job *job)
{
    uint64_t start = clock_ns(), processor = clock_thread_ns();
    away_ns = 0;
    job->run(job->arg);
    return (struct job_use){clock_ns() - start - away_ns, clock_thread_ns() - processor};
}

/* Jobs that may not run yet may do so when another one has become long. */
static void wait_for_job(struct pool *p)
{
    p->waiting++;
    if (p->n > 0)
        wait_until(p, &p->work, clock_ms() + POOL_LONG_MS);
    else
        lock_wait(&p->lock, &p->work);
    p->waiting--;
}

static void *pool_work(void *arg)
{
    struct pool *p = arg;
    pool_mine = p;
    lock_take(&p->lock);
    my_since = &p->since[p->n_started++];
    for (;;) {
        struct lane *l;
        while ((l = next_lane(p)) == NULL && !p->stopping)
            wait_for_job(p);
        if (l == NULL)
            break;
        struct pool_job job = take_job(p, l);
        p->running++;
        l->running++;
        job_lane = l;
        *my_since = clock_ns();
        lock_drop(&p->lock);
        struct job_use use = run_job(&job);
        lock_take(&p->lock);
        *my_since = 0;
        l->running--;
        charge(l, use);
        pool_stop_running(p);
    }
    lock_drop(&p->lock);
    return NULL;
}

/* Start another worker if each waiting one already has a job. */
static void ensure_worker(struct pool *p, uint64_t caller)
{
    size_t most = p->max_threads + p->away + (caller != 0 ? POOL_SPARE : 0);
    if (p->n <= p->waiting || p->n_threads >= most || p->stopping)
        return;
    if (thread_start(&p->threads[p->n_threads], "worker", pool_work, p))
        p->n_threads++;
    else if (p->n_threads == 0)
        BUG("cannot start a thread");
}

static void put_job(struct pool *p, struct pool_job job)
{
    put_in_lane(p, lane_of(p, job.caller), job);
    ensure_worker(p, job.caller);
}

static void put_job_waiting(struct pool *p, struct pool_job job)
{
    while (p->n == p->max)
        lock_wait(&p->lock, &p->room);
    put_job(p, job);
}

static bool has_room(struct pool *p, uint64_t caller)
{
    const struct lane *l = caller != 0 ? find_lane(p, caller) : NULL;
    return p->n < p->max && (l == NULL || l->n < (p->max + POOL_SHARE - 1) / POOL_SHARE);
}

bool pool_try_for(struct pool *p, uint64_t caller, void (*job)(void *arg), void *arg)
{
    lock_take(&p->lock);
    bool fits = has_room(p, caller);
    if (fits)
        put_job(p, (struct pool_job){job, arg, caller});
    lock_drop(&p->lock);
    if (fits)
        cond_wake(&p->work); /* unlocked: the worker need not wait for us */
    return fits;
}

static uint64_t own_caller(const struct pool *p)
{
    return pool_mine == p ? job_lane->caller : 0;
}

bool pool_try(struct pool *p, void (*job)(void *arg), void *arg)
{
    return pool_try_for(p, own_caller(p), job, arg);
}

static bool may_leave(const struct pool *p, const struct lane *l)
{
    return p->away < POOL_AWAY_MAX && (l->caller == 0 || l->away < POOL_AWAY_SHARE);
}

bool pool_leave(void)
{
    struct pool *p = pool_mine;
    if (p == NULL)
        return true;
    lock_take(&p->lock);
    bool may = may_leave(p, job_lane);
    if (may) {
        p->away++;
        job_lane->away++;
        job_lane->running--;
        left_ns = clock_ns();
        *my_since = 0;
        pool_stop_running(p);
        ensure_worker(p, job_lane->caller);
    }
    lock_drop(&p->lock);
    return may;
}

void pool_return(void)
{
    struct pool *p = pool_mine;
    if (p == NULL)
        return;
    lock_take(&p->lock);
    p->away--;
    p->running++;
    job_lane->away--;
    job_lane->running++;
    *my_since = clock_ns();
    away_ns += *my_since - left_ns;
    lock_drop(&p->lock);
}

void pool_submit_for(struct pool *p, uint64_t caller, void (*job)(void *arg), void *arg)
{
    lock_take(&p->lock);
    put_job_waiting(p, (struct pool_job){job, arg, caller});
    lock_drop(&p->lock);
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
    lock_take(&p->lock);
    while (!p->closing) {
        if (p->n_timers == 0)
            lock_wait(&p->lock, &p->alarm);
        else if (p->timers[0].due > clock_ms())
            wait_until(p, &p->alarm, p->timers[0].due);
        else {
            put_job_waiting(p, pop_timer(p));
            cond_wake(&p->work);
        }
    }
    lock_drop(&p->lock);
    return NULL;
}

static void ensure_timer_thread(struct pool *p)
{
    if (!p->has_timer_thread)
        p->has_timer_thread = thread_start(&p->timer_thread, "timer", keep_time, p);
    if (!p->has_timer_thread)
        BUG("cannot start a thread");
}

void pool_later_for(struct pool *p, uint64_t caller, unsigned ms, void (*job)(void *arg),
                    void *arg)
{
    lock_take(&p->lock);
    if (!p->closing) {
        /* Plus one: clock_ms() rounds down, and "at least" must hold. */
        push_timer(
            p, (struct timer){clock_ms() + ms + 1, p->next_order++, {job, arg, caller}});
        ensure_timer_thread(p);
        cond_wake(&p->alarm);
    }
    lock_drop(&p->lock);
}

void pool_later(struct pool *p, unsigned ms, void (*job)(void *arg), void *arg)
{
    pool_later_for(p, 0, ms, job, arg);
}

/* The timer thread first: it may be submitting a job, which needs running workers. */
static void stop_timers(struct pool *p)
{
    lock_take(&p->lock);
    p->closing = true;
    bool join = p->has_timer_thread;
    cond_wake_all(&p->alarm);
    lock_drop(&p->lock);
    if (join)
        thread_join(&p->timer_thread);
}

static void stop_workers(struct pool *p)
{
    lock_take(&p->lock);
    p->stopping = true;
    size_t n = p->n_threads;
    cond_wake_all(&p->work);
    lock_drop(&p->lock);
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
    lock_release(&p->lock);
    free(p->timers);
    free(p->threads);
    free(p->since);
    free(p->queue);
    free(p->lanes);
    free(p);
}
