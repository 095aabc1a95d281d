/*
 * lock - locks that are taken in one order.
 *
 * Every lock has a rank. A thread that holds one takes only locks of a higher rank: so
 * none is taken twice, and no two threads wait for each other. The ranks are those of the
 * thread, not of one vault: a thread uses one vault at a time. Helpers of a loop
 * (parallel.h) hold what the thread holds that started it.
 *
 * Slow locks are held while their holder waits for a disk, a server or another program.
 * Brief locks are not: their holder uses no file, starts no program, asks no
 * database, reads no grant and calls nothing that the app gave it (lock_check_slow()).
 *
 * Both rules are checked in every build, and a violation ends the program (BUG) instead of
 * hanging it some day. Locks that are waited for with a deadline: timed_lock.h.
 */
#pragma once

#include "base/os/thread.h"
#include "base/str.h"

enum lock_rank {
    /* slow */
    LOCK_RELOAD,     /* what SIGHUP reads again: app/web/serve.c */
    LOCK_MEMORY,     /* to save what is kept of clients: mcp/server.c */
    LOCK_KEY,        /* to make the key of session ids: mcp/server.c */
    LOCK_EMBEDDINGS, /* requests to an endpoint, one at a time: fetch/embeddings.c */
    LOCK_TURN,       /* to make a change: vault/transact.c */
    LOCK_WRITER,     /* to update the index */
    LOCK_PLACE,      /* to find the vault's folder: vault/vault_place.c */
    LOCK_JOURNAL,    /* the journal and the vault, also against other programs */
    LOCK_PLACING,    /* to decide where a hosted vault is: app/setup/vaults.c */
    LOCK_SYNC_START, /* app/setup/syncing.c */
    LOCK_PDF_CACHE,  /* pdf/pdf_cache.c */
    LOCK_USERS,      /* the users file: oauth/users.c */
    LOCK_STORE,      /* a connection to the database: state */
    /* brief */
    LOCK_INDEX, /* the index, for reading or writing */
    LOCK_BRIEF = LOCK_INDEX,
    LOCK_MEANING,     /* which vectors notes have: vault/meaning */
    LOCK_STATE,       /* whether the index is loaded; the last one of a vault */
    LOCK_DERIVED,     /* what is collected from an index when first needed: vault/index */
    LOCK_FOLDERS,     /* the folders of an index */
    LOCK_ORDER,       /* the order of its files */
    LOCK_TASKS,       /* mcp/task.h */
    LOCK_REQUESTS,    /* all requests without an answer: mcp/core.h */
    LOCK_HUB,         /* who is notified of changes: mcp/hub.h */
    LOCK_BATCH,       /* mcp/batch.c */
    LOCK_OUTPUT,      /* streams and stdout: mcp/stream.h, mcp/stdio.c */
    LOCK_VAULTS,      /* the table of hosted vaults: app/setup/vaults.c */
    LOCK_OPEN_VAULTS, /* which of them are open: app/setup/open_vaults.c */
    LOCK_SERVER,      /* what a signal stops: app/web/serve.c */
    LOCK_LEAF,  /* nothing of ours is called with these; none of them with another */
    LOCK_SPAWN, /* base: from anywhere */
    LOCK_PARALLEL,
    LOCK_POOL,
    LOCK_LOG,
    LOCK_RANKS
};

/* Checks that a lock of that rank may be taken now: for functions that do so only
 * sometimes. */
void lock_check(enum lock_rank rank);

/* Checks that this thread holds no brief lock: before it waits for something slow, or calls
 * a function that may. Everything in fs.h, fs_edit.h and spawn.h does. */
void lock_check_slow(void);

/*
 * For the thread of an event loop, which must not wait: from now on the same holds there as
 * with a brief lock. A violation ends builds with sanitizers; others log it once
 * (loop_waits), because they go on if a little later.
 */
void lock_never_wait(void);
void lock_may_wait(void); /* the loop has ended */

/* Before waiting for something of that rank, and after giving it back. */
void lock_enter(enum lock_rank rank);
void lock_leave(enum lock_rank rank);

/* What this thread holds, as a set. lock_lend() replaces the set and returns the one
 * before: for a helper, before and after its work. */
uint64_t lock_held(void);
uint64_t lock_lend(uint64_t held);

struct lock {
    enum lock_rank rank;
    struct mutex mutex;
};
#define LOCK_INIT(r)                                                                     \
    {                                                                                    \
        .rank = (r), .mutex = MUTEX_INIT                                                 \
    }

void lock_init(struct lock *l, enum lock_rank rank);
void lock_release(struct lock *l);
void lock_take(struct lock *l);
void lock_drop(struct lock *l);

/* Wait for a change of what the lock protects; it is held before and after. */
void lock_wait(struct lock *l, struct cond *changed);

/* The same; false once the deadline is reached. */
bool lock_wait_until(struct lock *l, struct cond *changed, uint64_t deadline_ns);

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
