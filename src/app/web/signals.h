/*
 * signals - the process stops within a fixed time, and reloads when asked to.
 *
 * A thread waits for signals and does nothing else, so they work whatever all other
 * threads are stuck in: a hung disk, a silent remote, a lock that another program holds.
 *
 *   SIGTERM, SIGINT  stop() is called. If the process has not ended in the time that it
 *                    has for that, it is ended: programs that it started are killed,
 *                    and it exits. That is as safe as a crash: whatever was acknowledged
 *                    is on disk, and the next start rolls back what is half done.
 *   SIGHUP           reload() is called, on another thread, as it reads files. It never
 *                    ends the process.
 */
#pragma once

#include <stdbool.h>

struct signals;

struct signals_config {
    void (*stop)(void *arg); /* called again for each further signal */
    void (*reload)(void *arg);
    void *arg;
    unsigned grace_ms; /* how long stopping may take */
    unsigned delay_ms; /* that it takes longer on purpose */
};

/* Before there are vaults to serve: SIGHUP must not end us. */
void signals_expect(void);

/* stop() runs on the thread of signals. Other threads must be started by
 * thread_start(), or from this one after the call. */
struct signals *signals_start(const struct signals_config *config);

/*
 * What is being done to stop, for the log in case it takes too long; a literal. clean:
 * nothing but tidying up is left, so that running out of time is not a failure.
 */
void signals_phase(struct signals *s, const char *phase, bool clean);

/* How much of the time is left, in milliseconds; all of it if nothing asked us to stop. */
unsigned signals_left(const struct signals *s);

/* The process is about to end by itself. */
void signals_end(struct signals *s);
