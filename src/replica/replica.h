/*
 * replica - what the replicas of a server share (--state-db): pub/sub messages,
 * notes with an expiry (a small key-value store), claims, and a common key.
 *
 * A replica is a process with its own clone of the vaults and its own state folder;
 * several of them serve the same clients, and any of them may get any request. Without
 * --state-db there is one process: a struct of zeros, with which all functions do
 * nothing, or what is right for one process. So callers need not check, unless something
 * costs time.
 *
 * The rest of this room: shared_counter.h (limits for all replicas together), limiter.h,
 * leader.h (leader election), lease.h (which of them are alive), claim.h (a change
 * that is made once), read_your_writes.h, replica_vault.h (also the push lock).
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

struct store;
struct ryw;

enum { REPLICA_ID_SIZE = 33, REPLICA_KEY_SIZE = 32, REPLICA_SWEEP_S = 600 };

struct replica {
    struct store *store;           /* NULL: there is one process */
    struct pubsub *pubsub;         /* NULL: nothing is sent yet */
    struct ryw *ryw;               /* read_your_writes.h */
    char name[REPLICA_ID_SIZE];    /* of the state folder of this process; or empty */
    uint8_t key[REPLICA_KEY_SIZE]; /* of sessions and sealed states, the same in all */
};

/* url empty: there is one process. Reads the common key, or sets it if we are the first.
 * After the sandbox: it starts threads. */
MUST_CHECK bool replica_open(struct replica *r, str url, const char *state_dir,
                             struct err *err);

/* Call no more subscribers, and wait for those that run; then, when it is unused,
 * close. */
void replica_stop(struct replica *r);
void replica_close(struct replica *r);

static inline bool replica_is_shared(const struct replica *r)
{
    return r->store != NULL;
}

/* As in pubsub.h, which has the limits. */
void replica_subscribe(struct replica *r, const char *topic,
                       void (*notified)(void *arg, str text), void *arg);
void replica_publish(struct replica *r, const char *topic, str text);

/*
 * Notes: texts by name and part, which expire after some seconds (0: at once). What
 * cannot be stored is lost, and logged. replica_put_some() stores one without text,
 * unless there are as many already whose names begin like group, or all (*full).
 * replica_once(): whether this is the first of all calls with that name.
 */
struct replica_note {
    str part, text;
};
struct replica_limits {
    str group, all;
    size_t group_max, all_max;
};
void replica_put(struct replica *r, str name, str part, str text, int64_t seconds);
MUST_CHECK bool replica_put_some(struct replica *r, str name, str part, int64_t seconds,
                                 const struct replica_limits *limits, bool *full);
void replica_touch(struct replica *r, str name, int64_t seconds);
MUST_CHECK bool replica_list(struct replica *r, struct arena *a, str name,
                             struct replica_note **out, size_t *n);
MUST_CHECK bool replica_once(struct replica *r, str name, int64_t seconds, bool *first);

/* The number of the first change here: no other replica has changes with such numbers, so
 * that one is never taken for another (undo). 0: there are no other replicas. */
uint64_t replica_first_change(const struct replica *r);

/* Log that something could not be stored, and is lost. */
void replica_not_stored(const struct err *err);

/* Remove what has expired, if no other replica does. Waits for the database. */
void replica_sweep(struct replica *r);
