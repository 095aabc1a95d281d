/*
 * pool - worker threads that run jobs to completion.
 *
 * Threads start with the first job, so start-up costs nothing. The queue is bounded: when
 * it is full, callers get an error ("busy") or wait.
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

/* Run job(arg) on a worker. False if the queue is full; job is not run then. */
MUST_CHECK bool pool_try(struct pool *p, void (*job)(void *arg), void *arg);

/* The same, but waits for room. Do not call this from a job of the same pool. */
void pool_submit(struct pool *p, void (*job)(void *arg), void *arg);

/* The same after at least ms milliseconds, without occupying a worker until then. Never
 * full. */
void pool_later(struct pool *p, unsigned ms, void (*job)(void *arg), void *arg);

/*
 * Around waiting inside a job, for something other than the processor: until
 * pool_return(), another worker may run in the place of this one, so calls that wait do
 * not keep the others from running. False if POOL_AWAY_MAX workers wait already: then do
 * not wait. Always true on threads that are not workers.
 */
enum { POOL_AWAY_MAX = 8 };
MUST_CHECK bool pool_leave(void);
void pool_return(void);
