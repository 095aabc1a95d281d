/*
 * pool - worker threads that run jobs to their end.
 *
 * Threads start when the first job comes, so that start-up costs nothing. The queue is
 * bounded: a full one is an answer ("busy") or back-pressure, never growth.
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

/* How many workers it has at most. */
size_t pool_threads(const struct pool *p);

/* Run job(arg) on a worker. False when the queue is full; job is then not run. */
MUST_CHECK bool pool_try(struct pool *p, void (*job)(void *arg), void *arg);

/* The same, but waits for room; so not from a job of the same pool. */
void pool_submit(struct pool *p, void (*job)(void *arg), void *arg);

/* The same after at least ms milliseconds; does not occupy a worker meanwhile. Never
 * full. */
void pool_later(struct pool *p, unsigned ms, void (*job)(void *arg), void *arg);
