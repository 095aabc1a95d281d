/*
 * parallel - one loop on several threads.
 *
 * The calling thread works together with those of a pool, so it may itself be a job of
 * that pool. If the pool is busy or full, fewer threads help.
 */
#pragma once

#include "base/pool.h"

/*
 * Call fn(arg, i, worker) once for every i below n, in any order, and return when all
 * calls have returned. worker is below parallel_workers(p), and no two calls with the
 * same worker run at the same time: use it as an index for scratch memory. p may be NULL:
 * only the calling thread works.
 */
void parallel_each(struct pool *p, size_t n,
                   void (*fn)(void *arg, size_t i, size_t worker), void *arg);

size_t parallel_workers(const struct pool *p);
