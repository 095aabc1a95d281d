/*
 * worker - a background thread of a vault that has work now and then, such as extracting
 * the text of PDF files or the embeddings of notes. Private to vault*.c.
 *
 * The thread sleeps until work is due, which other threads signal (worker_wake()), and
 * reports when nothing is left; others can wait for that. All times are those of
 * clock_ns().
 */
#pragma once

#include <stdatomic.h>

#include "base/lock.h"
#include "base/os/thread.h"

struct worker {
    struct lock lock;
    struct cond changed;
    struct thread thread;
    const atomic_bool *stop;
    bool started;

    /* With the lock: */
    uint64_t due; /* when there is work; 0: there is none */
    bool over;    /* nothing is left to do, or can be done */
    bool ended;   /* there is no thread any more */
};

/* over: nothing is to be done at first. stop ends all waiting, and is set before
 * worker_stop(). */
void worker_init(struct worker *w, const atomic_bool *stop, bool over);
void worker_release(struct worker *w);

/* The thread runs run(arg), which calls worker_end() at last. */
void worker_start(struct worker *w, const char *name, void *(*run)(void *arg), void *arg);
void worker_stop(struct worker *w);

/* There is work, from that time on. */
void worker_wake(struct worker *w, uint64_t at);

/* --- for the thread --- */

/* Sleep until that time, or until work is due, if it may interrupt. False if the thread
 * shall end. */
MUST_CHECK bool worker_sleep(struct worker *w, uint64_t until, bool interrupt);

/* Whether work is due; it is begun: only worker_wake() from now on makes more. */
bool worker_is_due(struct worker *w);
void worker_begin(struct worker *w);

/* Nothing is left, unless worker_wake() was called meanwhile; or the thread ends. */
void worker_is_over(struct worker *w, bool over);
void worker_end(struct worker *w);

/* Set a flag that others wait for. */
void worker_set(struct worker *w, bool *flag);

/* --- for others --- */

/* A flag, and waiting for it until that time at most, or until the worker shall stop. */
bool worker_get(struct worker *w, const bool *flag);
bool worker_wait(struct worker *w, const bool *flag, uint64_t until);
