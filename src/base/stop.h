/*
 * stop - when to give up work or waiting: at a time, or when nobody wants the result.
 *
 * Work that may take long asks stop_now() now and then. NULL never stops.
 */
#pragma once

#include "base/str.h"

struct stop {
    bool (*asked)(void *arg); /* whether to give up; NULL: never asked */
    void *arg;
    uint64_t until; /* clock_ms(); 0: no limit */
};

bool stop_now(const struct stop *s);

/* The same stop, but at most ms milliseconds from now. NULL is fine. */
struct stop stop_within(const struct stop *s, unsigned ms);
