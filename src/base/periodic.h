/*
 * periodic - a thread that calls a function at once and then at an interval, until it is
 * stopped: to look at what changes without telling anyone, such as a file.
 */
#pragma once

#include <stdatomic.h>

#include "base/err.h"
#include "base/lock.h"
#include "base/os/thread.h"

struct periodic {
    struct lock lock; /* protects ends; not held while the function runs */
    struct cond ending;
    struct thread thread;
    void (*run)(void *arg);
    void *arg;
    unsigned ms;
    atomic_bool started;
    bool ends;
};

void periodic_init(struct periodic *p);

/* Starts the thread, unless it was started before. name as in thread_start(). */
MUST_CHECK bool periodic_start(struct periodic *p, const char *name, unsigned ms,
                               void (*run)(void *arg), void *arg, struct err *err);

bool periodic_is_started(const struct periodic *p);

/* Ends the thread and waits for it: afterwards the function is not called any more. */
void periodic_release(struct periodic *p);
