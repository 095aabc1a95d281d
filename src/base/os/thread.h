/*
 * thread - threads, and what they use to wait for each other.
 *
 * A thread leaves signals to the main thread. Deadlines are by clock_ns(). That a system
 * has no room for a lock is a BUG(): nothing here fails, except starting a thread.
 */
#pragma once

#include "base/os/native.h"
#include "base/str.h"

/* --- threads --- */

struct thread {
    thread_os os;
};

/*
 * Run body(arg) on a new thread with all signals blocked. name has up to 15 bytes and
 * must outlive the thread; ps and gdb show it. Returns false and sets errno on failure.
 * Later the thread is either joined, which waits for its end, or left alone.
 */
MUST_CHECK bool thread_start(struct thread *t, const char *name, void *(*body)(void *),
                             void *arg);
void thread_join(struct thread *t);
void thread_leave(struct thread *t);

/* Whether none of those that were started still runs. */
bool thread_is_alone(void);

/* The calling thread runs only when the machine has nothing else to do, if the system can
 * do that. */
void thread_be_idle(void);

/* The calling thread gets a small share of the processors while others of its process
 * need them, if the system can do that. */
void thread_be_last(void);

/* The calling thread does nothing for that many microseconds, or until a signal. */
void thread_pause(unsigned us);

/* The calling thread as a number, never 0; another thread may get it after the end of
 * this one. */
uintptr_t thread_self(void);

/* --- locks --- */

struct mutex {
    mutex_os os;
};
#define MUTEX_INIT                                                                       \
    {                                                                                    \
        MUTEX_OS_INIT                                                                    \
    }

void mutex_init(struct mutex *m);
void mutex_init_nested(struct mutex *m); /* recursive: its holder may take it again */
void mutex_destroy(struct mutex *m);
void mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);

/* --- waiting for a change --- */

struct cond {
    cond_os os;
};

#define COND_INIT                                                                        \
    {                                                                                    \
        COND_OS_INIT                                                                     \
    } /* for waiting without a deadline */

void cond_init(struct cond *c);
void cond_destroy(struct cond *c);

/* Wait until it is woken, for any reason; m is held before and after. */
void cond_wait(struct cond *c, struct mutex *m);

/* The same; false once the deadline is reached. */
bool cond_wait_until(struct cond *c, struct mutex *m, uint64_t deadline_ns);

void cond_wake(struct cond *c); /* one of the waiting threads */
void cond_wake_all(struct cond *c);

/* --- many readers or one writer, who goes first --- */

struct rwlock {
    rwlock_os os;
    mutex_os gate; /* where the system lets readers pass a writer that waits */
    bool writing;
};

void rwlock_init(struct rwlock *l);
void rwlock_destroy(struct rwlock *l);
void rwlock_read(struct rwlock *l);
void rwlock_write(struct rwlock *l);
void rwlock_unlock(struct rwlock *l);

/* --- what is done once --- */

struct once {
    once_os os;
};
#define ONCE_INIT                                                                        \
    {                                                                                    \
        ONCE_OS_INIT                                                                     \
    }

/* Call fn unless it was called for this once; wait for it if another thread does. */
void once_run(struct once *o, void (*fn)(void));
