/*
 * parallel - one loop on several threads.
 *
 * The calling thread works along with those of a pool, so it may itself be a job of that
 * pool, and a pool that is busy or full only means that fewer help.
 */
#pragma once

#include "base/pool.h"

/*
 * Call fn(arg, i, worker) once for every i below n, in any order, and return when all
 * calls have ended. worker is below parallel_workers(p) and no two calls with the same
 * one run at a time: an index for scratch memory. p may be NULL: no help.
 */
void parallel_each(struct pool *p, size_t n,
                   void (*fn)(void *arg, size_t i, size_t worker), void *arg);

size_t parallel_workers(const struct pool *p);
