/*
 * lock - locks that are taken in one order.
 *
 * Every lock of this type has a rank. A thread that holds one takes only locks of a higher
 * rank: so none is taken twice, and no two threads wait for each other. This is checked
 * in every build, and a violation ends the program (BUG) instead of hanging it some day.
 * The ranks are those of the thread, not of one vault: a thread uses one vault at a time.
 * Helpers of a loop (parallel.h) hold what the thread holds that started it.
 */
#pragma once

#include "base/os/thread.h"
#include "base/stop.h"
#include "base/str.h"

enum lock_rank {
    LOCK_TURN,     /* to make a change: vault/transact.c */
    LOCK_WRITER,   /* to update the index */
    LOCK_PLACE,    /* to find the vault's folder: vault/vault_place.c */
    LOCK_JOURNAL,  /* the journal and the vault, also against other programs */
    LOCK_INDEX,    /* the index, for reading or writing; take nothing slow after it */
    LOCK_MEANING,  /* the vectors of notes: vault/meaning */
    LOCK_STATE,    /* whether the index is loaded; the last one of a vault */
    LOCK_DERIVED,  /* what is collected from an index when first needed: vault/index */
    LOCK_FOLDERS,  /* the folders of an index */
    LOCK_ORDER,    /* the order of its files */
    LOCK_MEMORY,   /* to save what is kept of clients: mcp/server.c */
    LOCK_TASKS,    /* mcp/task.h */
    LOCK_REQUESTS, /* all requests without an answer: mcp/core.h */
    LOCK_HUB,      /* who is notified of changes: mcp/hub.h */
    LOCK_BATCH,    /* mcp/batch.c */
    LOCK_OUTPUT,   /* streams and stdout: mcp/stream.h, mcp/stdio.c */
    LOCK_LEAF,     /* nothing is taken or called after these; none of them with another */
};

/* Checks that a lock of that rank may be taken now: for functions that do so only
 * sometimes. */
void lock_check(enum lock_rank rank);

/* Checks that this thread does not hold the index: whoever waits for a disk with it makes
 * everybody else wait, too. Called by everything in fs.h and fs_edit.h. */
void lock_check_disk(void);

/* Before waiting for something of that rank, and after giving it back. */
void lock_enter(enum lock_rank rank);
void lock_leave(enum lock_rank rank);

/* What this thread holds, as a set. lock_lend() replaces the set and returns the one
 * before: for a helper, before and after its work. */
unsigned lock_held(void);
unsigned lock_lend(unsigned held);

struct lock {
    enum lock_rank rank;
    struct mutex mutex;
};

void lock_init(struct lock *l, enum lock_rank rank);
void lock_release(struct lock *l);
void lock_take(struct lock *l);
void lock_drop(struct lock *l);

/*
 * The same for a lock that may be held for long: waiting ends when stop says so. After
 * LOCK_SLOW_MS with the same holder, whoever waits no longer occupies a worker of a pool
 * (pool_leave()), or gives up if that is not possible. False if the lock was not taken.
 */
enum { LOCK_SLOW_MS = 250 };

struct lock_timed {
    enum lock_rank rank;
    struct mutex mutex;
    struct cond dropped;
    bool taken;
    uint64_t since; /* clock_ms() when it was taken */
};

void lock_timed_init(struct lock_timed *l, enum lock_rank rank);
void lock_timed_release(struct lock_timed *l);
MUST_CHECK bool lock_timed_take(struct lock_timed *l, const struct stop *stop);
void lock_timed_drop(struct lock_timed *l);

/*
 * The same for locks of other kinds, such as those of files: call attempt until it
 * returns true, or fails with an errno that does not mean that another one holds it, or
 * stop says so.
 */
MUST_CHECK bool lock_poll(bool (*attempt)(void *arg), void *arg, const struct stop *stop);

/* Many readers or one writer, who goes first. */
struct lock_shared {
    enum lock_rank rank;
    struct rwlock rwlock;
};

void lock_shared_init(struct lock_shared *l, enum lock_rank rank);
void lock_shared_release(struct lock_shared *l);
void lock_shared_read(struct lock_shared *l);
void lock_shared_write(struct lock_shared *l);
void lock_shared_drop(struct lock_shared *l);
