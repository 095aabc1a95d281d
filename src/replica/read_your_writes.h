/*
 * read_your_writes - a client that has seen a change never reads an older state at
 * another replica.
 *
 * The database has two facts about each vault. A replica that has the same commit as the
 * remote records it, with the number of the last change of its journal in it (heads). A
 * caller who got an answer from a replica has seen its changes up to a number (marks). So
 * another replica knows, before it answers that caller, whether it must have a commit
 * first, and pulls it; or that the change is not pushed yet, and waits for that. After
 * RYW_MS it answers anyway, and says that the answer may be out of date; and as long as
 * what it waited for hangs, other requests get such an answer at once.
 *
 * A request reports which vault it uses as soon as it knows. What is known of our clone
 * of a vault (replica_vault.h) stays when a hosted one is closed; one that is opened for
 * the first time is known to have nothing, so it pulls what the caller has seen.
 *
 * A caller is a user with a program or, without sign-in, a legacy session, or all
 * together. A page in a browser is for a user, whichever of their programs has seen
 * something. A mark is written only if the vault has changed here since the caller's last
 * answer about it, and looking up marks is one query for each request. With one process,
 * or without a git remote, nothing here does anything.
 */
#pragma once

#include "base/arena.h"
#include "base/lock.h"
#include "replica/replica_vault.h"

enum {
    RYW_MS = 5000, /* how long a request waits for what its caller has seen */
    RYW_POLL_MS = 20,
    RYW_MARKED = 4096, /* marks that are remembered, by hash */
};

/* Of the process: replica.ryw, to be freed. */
struct ryw {
    atomic_uint_fast64_t back_at; /* when the database was last back; 0: never away */
    struct lock lock;             /* of the rest */
    struct {
        uint64_t mark, number;
    } marked[RYW_MARKED];
};

struct ryw *ryw_create(void);

struct ryw_use;
struct ryw_mark;

/* What a request has asked about, in its arena. */
struct ryw_request {
    struct arena *arena;
    str owner;    /* the caller */
    bool person;  /* that is a user and a line feed, or empty for all: all callers
                     that begin so have seen it */
    bool several; /* it is about several vaults: one query reads the marks of all */
    bool stale;   /* what it reads may be older than what its caller has seen */

    /* Private. */
    uint64_t began;
    struct ryw_use *uses;
    struct ryw_mark *all;
    size_t n_all;
};

/* We have the same commit as the remote. Notifies the others: they pull, if the vault is
 * open there. False: the database does not have it. The message is "COMMIT NAME". */
#define RYW_TOPIC "changed"
MUST_CHECK bool ryw_level(struct replica_vault *v, str commit, uint64_t number);

/* The database was away, and is back: what others said, and what callers have seen, may
 * be missing there. So a vault is pulled before it is used. Does not wait. */
void ryw_missed(struct replica *r);

/*
 * A request is about to use a vault, which is open: how many milliseconds it waits before
 * this is asked again; 0: it may use it. On workers.
 */
unsigned ryw_hold(struct ryw_request *r, struct replica_vault *v);

/* The same, but waits for it here, without occupying a worker of a pool, until end by
 * clock_ms(), or stop returns true. For what cannot be run again; stop may be NULL. */
void ryw_wait(struct ryw_request *r, struct replica_vault *v, uint64_t end,
              bool (*stop)(void *arg), void *arg);

/* What the request answers about a vault is settled, and only waits to be sent: its
 * caller does not see later changes. Else waiting for those would never end while others
 * write. */
void ryw_settled(struct ryw_request *r, const struct replica_vault *v);

/* The request is about to be answered: its caller has seen what is here. */
void ryw_saw(const struct ryw_request *r);

/* What an answer says that may be older than what its caller has seen. */
#define RYW_STALE                                                                        \
    "This server has not received the latest changes that you have seen: results "       \
    "may be out of date. Try again later."
