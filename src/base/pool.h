/*
 * pool - worker threads that run jobs to completion, shared fairly by callers.
 *
 * Threads start with the first job, so start-up costs nothing. The queue is bounded: when
 * it is full, callers get an error ("busy") or wait.
 *
 * A caller is a number; 0 is the program itself. Jobs of one caller run in order of their
 * submission. Among callers, the one that has used the workers least goes first
 * (start-time fair queuing): each is charged the time that its jobs occupy a worker, but
 * not the time between pool_leave() and pool_return(). A caller that comes back after a
 * pause has no credit from it. While all workers are occupied, one more runs the next job of
 * a caller that has none running and has used at most POOL_LIGHT_MS more than its share. And
 * a worker that is occupied for POOL_LONG_MS does not count for light callers, whose recent
 * jobs all took at most POOL_LIGHT_MS of processor time, and POOL_SLOW_MS in all: up to
 * POOL_SPARE workers more run these. So brief jobs do not wait for long ones, however many
 * callers have long ones, and however long a busy machine makes the brief ones.
 */
#pragma once

#include "base/str.h"

struct pool;

/* threads 0: one per core, at least two. */
struct pool *pool_create(unsigned threads, size_t queue_max);

/*
 * Waits for running and queued jobs (and those they submit), then frees. Jobs of
 * pool_later() that are not due yet are dropped. NULL is fine.
 */
void pool_free(struct pool *p);

/* The maximum number of workers. */
size_t pool_threads(const struct pool *p);

enum {
    POOL_CALLERS_MAX =
        512,        /* that are told apart; others share a place with one of them */
    POOL_SHARE = 4, /* one caller may fill this part of the queue: a quarter */
    POOL_LIGHT_MS = 100,
    POOL_SLOW_MS = 1000,
    POOL_LONG_MS = 20,
    POOL_SPARE = 4,
};

/* Run job(arg) on a worker, for the caller of the running job, or for the program. False
 * if the queue is full; job is not run then. */
MUST_CHECK bool pool_try(struct pool *p, void (*job)(void *arg), void *arg);

/* The same after at least ms milliseconds, without occupying a worker until then. Never
 * full. For the program. */
void pool_later(struct pool *p, unsigned ms, void (*job)(void *arg), void *arg);

/* The same for a caller. pool_try_for() is also false if the caller has its share of the
 * queue; pool_submit_for() waits for room, so do not call it from a job of the same pool. */
MUST_CHECK bool pool_try_for(struct pool *p, uint64_t caller, void (*job)(void *arg),
                             void *arg);
void pool_submit_for(struct pool *p, uint64_t caller, void (*job)(void *arg), void *arg);
void pool_later_for(struct pool *p, uint64_t caller, unsigned ms, void (*job)(void *arg),
                    void *arg);

/*
 * Around waiting inside a job, for something other than the processor: until
 * pool_return(), another worker may run in the place of this one, so calls that wait do
 * not keep the others from running. False if POOL_AWAY_MAX workers wait already, or
 * POOL_AWAY_SHARE for this caller: then do not wait. Always true on threads that are not
 * workers.
 */
enum { POOL_AWAY_MAX = 8, POOL_AWAY_SHARE = 4 };
MUST_CHECK bool pool_leave(void);
void pool_return(void);
