/*
 * process - run another program to its end, with bounds on everything.
 *
 * No shell: an argument vector, an environment of our own, a folder. The child gets its
 * own process group, which is killed whole when it takes too long, says too much, or the
 * caller is told to stop; no descriptor but the three is inherited. Blocks the calling
 * thread: never on a loop.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"

struct process {
    const char *const *argv; /* argv[0] is looked up in PATH of env */
    const char *const *env;  /* "NAME=value"; ends with NULL */
    const char *folder;      /* to run in */
    str input;               /* for its stdin, which is empty otherwise */
    size_t out_max;          /* bytes of stdout; more ends it (ERR_LIMIT) */
    unsigned ms;             /* in all */
    atomic_bool *stop;       /* or NULL: ends it soon when true (ERR_BUSY) */
    int nice;                /* how much it lets others go first: 0..19 */

    /* Lines of stderr as they come (progress); may be NULL. */
    void (*on_line)(void *arg, str line);
    void *arg;
};

struct process_result {
    int code; /* exit code, or 128 + signal */
    str out;
    str errors; /* the last PROCESS_ERRORS_KEPT bytes of stderr */
};

enum { PROCESS_ERRORS_KEPT = 8 << 10, PROCESS_KILL_MS = 2000 };

/* True when it ran to its end, whatever its exit code. ERR_NOT_FOUND: no such program.
 * A time-out is E_TIMEOUT. */
MUST_CHECK bool process_run(struct arena *a, const struct process *p,
                            struct process_result *out, struct err *err);
