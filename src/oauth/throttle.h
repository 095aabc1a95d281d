/*
 * throttle - at most so many in a minute, all askers together. Safe from any thread.
 */
#pragma once

#include <pthread.h>

#include "base/str.h"

struct throttle {
    pthread_mutex_t lock;
    unsigned per_minute;
    double left;
    uint64_t at; /* clock_ms() */
};

void throttle_init(struct throttle *t, unsigned per_minute);
void throttle_release(struct throttle *t);

/* False: too many; *retry_after says when to try again, in seconds. */
bool throttle_take(struct throttle *t, unsigned *retry_after);
