/*
 * stop - when to give up work or waiting: at a deadline, on cancellation, or
 * when it needs too much memory.
 *
 * Work that may take long asks stop_now() now and then. NULL never stops.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct stop {
    bool (*asked)(void *arg); /* whether to give up; NULL: never asked */
    void *arg;
    uint64_t until;            /* clock_ms(); 0: no limit */
    const struct arena *arena; /* whose size is limited to max bytes; or NULL */
    size_t max;
};

bool stop_now(const struct stop *s);

/* Whether the arena is larger than it may be. */
bool stop_is_large(const struct stop *s);

/* The failure of work that was stopped: TIMEOUT, or ERR_LIMIT for memory. what is the
 * beginning of the sentence, hint says what to do. Returns false. */
bool stop_fail(const struct stop *s, const char *what, const char *hint, struct err *err);

/* The same stop, but at most ms milliseconds from now. NULL is fine. */
struct stop stop_within(const struct stop *s, unsigned ms);
