/*
 * child - processes that this one starts: other programs, and copies of itself.
 *
 * A child leads a process group of its own, which can be ended as a whole. It has default
 * signals and no descriptor but the three it is given. It is not gone before it is reaped.
 */
#pragma once

#include "base/str.h"

struct child {
    int pid; /* 0: none */
};

struct child_plan {
    const char *program; /* a path */
    const char *const *argv, *const *env;
    const char *folder;  /* to run in; NULL: the current one */
    int in, out, errors; /* its stdin, stdout and stderr: not 0, 1 or 2 */
    int nice;            /* as nice(1): 0..19 */
    size_t memory;       /* limit on its address space, in bytes; 0: none */
    unsigned cpu;        /* limit on its processor time, in seconds; 0: none */
    bool stays;          /* leaves our terminal, because it may outlive us */
};

/* False and errno if it cannot be started. */
MUST_CHECK bool child_start(const struct child_plan *plan, struct child *out);

/* Make sure that nice, memory and cpu of the plan are in force, before the child gets its
 * input. Not a part of starting, because a thread that starts programs may not be allowed
 * to affect them (spawn.h). macOS has none of these limits except nice. False and errno if
 * a limit cannot be set. */
MUST_CHECK bool child_limit(const struct child *c, const struct child_plan *plan);

/* What a copy of this process may use until it ends. It can only compute
 * (sandbox_only_compute()) and write to one pipe, and ends with this process if the system
 * can do that. */
struct child_bounds {
    size_t memory; /* more than now, in bytes */
    unsigned cpu;  /* in seconds */
};

/* Run body(arg, out) in a copy of this process that ends with the result as its exit code.
 * *pipe reads what body writes to out. The copy has only this thread: a lock that another
 * thread holds stays locked there. */
MUST_CHECK bool child_compute(const struct child_bounds *bounds,
                              int (*body)(void *arg, int out), void *arg,
                              struct child *out, int *pipe);

/* The processor time that it has used, in nanoseconds; false if that is not known. */
MUST_CHECK bool child_time(const struct child *c, uint64_t *ns);

/* Whether it has ended; it still has to be reaped. */
bool child_has_ended(const struct child *c);

/* To the child and everything in its group. The group is ours until the child is reaped;
 * then others may get its number. Safe from any thread. */
void child_ask_to_end(const struct child *c);
void child_kill(const struct child *c);

enum { CHILD_KILLED = 128 }; /* added to the number of a signal, as shells do */

/* Wait for its end: the exit code, or CHILD_KILLED + the signal. */
int child_reap(struct child *c);

/* Whether a code of child_reap() says that it used up its time, or that it was killed. */
bool child_was_stopped(int code);
