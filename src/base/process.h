/*
 * process - run another program to completion, within limits.
 *
 * No shell: an argument vector, an explicit environment, a folder. The child gets its own
 * process group, which is killed when the child has exited, takes too long or prints too
 * much, or the caller has to stop; it inherits only stdin, stdout and stderr. Blocks the
 * calling thread: never call this on an event loop.
 */
#pragma once

#include <stdatomic.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/os/machine.h"

struct process {
    const char *const *argv; /* argv[0] is looked up in PATH of env */
    const char *const *env;  /* "NAME=value"; ends with NULL */
    const char *folder;      /* to run in */
    str input;               /* for its stdin */
    size_t out_max;          /* limit on stdout; more kills it (ERR_LIMIT) */
    unsigned ms;             /* time limit */
    atomic_bool *stop;       /* or NULL: kills it soon when true (ERR_BUSY) */
    int nice;                /* as nice(1): 0..19 */
    bool hostile;  /* its input may be: it is started as SPAWN_READER (spawn.h) */
    size_t memory; /* limit on its address space, in bytes; 0: none */
    unsigned cpu;  /* limit on its processor time, in seconds; 0: none */

    /* Called for each line of stderr (progress); may be NULL. */
    void (*on_line)(void *arg, str line);
    void *arg;
};

struct process_result {
    int code; /* exit code, or 128 + signal */
    str out;
    str errors; /* the last PROCESS_ERRORS_KEPT bytes of stderr */
};

enum { PROCESS_ERRORS_KEPT = 8 << 10, PROCESS_KILL_MS = 2000, PROCESS_MAX = 64 };

/* True if it ran to completion, whatever its exit code. ERR_NOT_FOUND: no such program.
 * A timeout is E_TIMEOUT. If it was killed (for its size, time or stop), *out has what it
 * wrote until then, which may be a little more than out_max. */
MUST_CHECK bool process_run(struct arena *a, const struct process *p,
                            struct process_result *out, struct err *err);

/* --- a program that answers several requests --- */

/* It reads requests from stdin and answers on stdout until it is closed. The rules above
 * apply, limits to each request; p->input is ignored. For one thread. */
struct process_session;
MUST_CHECK bool process_open(const struct process *p, struct process_session **out,
                             struct err *err);

/* Send a request and read until is_whole() says that the answer is complete. After a
 * failure the program can only be closed; ERR_BUSY: it has exited. */
MUST_CHECK bool process_ask(struct process_session *s, struct arena *a, str request,
                            bool (*is_whole)(void *arg, str answer), void *arg,
                            str *answer, struct err *err);

/* End it, and all that it started. out (or NULL) gets its exit code and errors, in a. */
void process_close(struct process_session *s, struct arena *a,
                   struct process_result *out);

/* The PATH of this process, or a usual one. */
const char *process_path(void);

/* The program with this name in a PATH, of which only absolute folders count; a name with a
 * '/' is a path already. NULL if there is none. On Windows only files ".exe" are programs:
 * what a shell would run (".cmd") interprets its arguments. */
const char *process_find(struct arena *a, const char *name, const char *path);

/* What a system calls the file of a program. */
str process_file_on(enum machine_system system, struct arena *a, str name);

/* Kill all running programs and what they started, because this process is about to end.
 * From any thread. (Of more than PROCESS_MAX at a time, only so many.) */
void process_kill_all(void);
