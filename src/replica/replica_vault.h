/*
 * replica_vault - what a replica knows of its clone of a vault: which commits are in it,
 * and what it no longer waits for (read_your_writes.h). Also the push lock.
 *
 * It is small and outlives the opening of the vault. Ids are kept as hashes, the last few
 * of each kind; a commit that was forgotten is pulled for again. All zeros at first: of a
 * server without replicas. Safe for any number of threads.
 */
#pragma once

#include <stdatomic.h>

#include "base/os/thread.h"
#include "base/str.h"

struct replica;

enum {
    REPLICA_VAULT_COMMITS = 32, /* commits that are known to be here */
    REPLICA_VAULT_GONE = 8,     /* replicas that are not waited for */
};

/* How the vault reaches its remote; may be called on any thread, while the vault is
 * open. */
enum replica_pull { REPLICA_PULL_GOES_ON, REPLICA_PULL_SUCCEEDED, REPLICA_PULL_FAILED };
struct replica_remote {
    str (*name)(void *arg);    /* what all replicas call the vault */
    bool (*exists)(void *arg); /* whether there is a remote that all replicas push to */
    bool (*is_stopping)(void *arg);
    uint64_t (*pulled_at)(
        void *arg); /* when the last pull began, by clock_ms(); 0: never */
    bool (*pull)(void *arg, uint64_t *ticket); /* soon; false: not possible */
    enum replica_pull (*answer)(void *arg, uint64_t ticket);
};

struct replica_vault {
    struct replica *replica;
    const struct replica_remote *remote;
    void *arg;                          /* of its functions */
    atomic_uint_fast64_t overdue;       /* a pull that was waited for in vain; 0: none */
    atomic_uint_fast64_t overdue_asked; /* when it was asked for, by clock_ms() */

    atomic_uint_fast64_t newest; /* the number of the last change here; 0: none */
    atomic_uint_fast64_t
        doubted;       /* the outage after which a pull failed (read_your_writes.c) */
    struct mutex lock; /* of the rest */
    uint64_t commits[REPLICA_VAULT_COMMITS];
    unsigned n_commits, n_gone; /* in all; the oldest is overwritten */
    struct replica_vault_gone {
        uint64_t replica;
        uint64_t number; /* changes up to this one are not waited for until they are */
        uint64_t pushed; /* pushed; and those up to this one not even then */
    } gone[REPLICA_VAULT_GONE];
};

/* A text as a number that is not 0. */
uint64_t replica_vault_id(str text);

/* A change with that number was made here, by a client or by a pull. */
void replica_vault_made(struct replica_vault *v, uint64_t number);

/* Whether a commit is known to be here; and that it is. */
bool replica_vault_has(struct replica_vault *v, str commit);
void replica_vault_learn(struct replica_vault *v, str commit);

/* A change of another replica that was waited for in vain, pushed or not: whether that
 * was so, and that it was. A change that is pushed later is waited for again. */
bool replica_vault_gave_up(struct replica_vault *v, str replica, uint64_t number,
                           bool pushed);
void replica_vault_give_up(struct replica_vault *v, str replica, uint64_t number,
                           bool pushed);

/* It has the same commit as the remote: whatever is pushed can be had. */
void replica_vault_level(struct replica_vault *v, str commit);

/*
 * Replicas push to the same remote in turn (begin, and end). Without that, all but one of
 * those that push at the same time are refused, fetch, merge and try again, and while
 * changes keep coming, one of them may starve. It is only an optimization: a
 * caller that has waited for PUSH_LOCK_MS, or cannot reach the database, pushes
 * anyway.
 */
enum { PUSH_LOCK_MS = 2000, PUSH_LOCK_POLL_MS = 20 };
void replica_push_lock(struct replica_vault *v, bool begin);
