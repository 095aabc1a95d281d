/*
 * keeper - private to src/state: a store in PostgreSQL, its connections, and the thread that
 * keeps them.
 *
 * A process has four connections: one writes, one only reads, so that reading never waits
 * for a transaction, one is for store_peek(), so that looking up a token never waits for
 * other reading, and one listens. A thread of its own, the keeper, makes them, again after
 * they were lost, and listens; so no other thread waits for a connection, nor for a name
 * server.
 *
 * Transactions of all processes exclude each other through an advisory lock, as those of
 * SQLite do through BEGIN IMMEDIATE; a single change takes the same lock.
 */
#pragma once

#include <stdatomic.h>

#include "base/os/ready.h"
#include "base/os/thread.h"
#include "state/feed.h"
#include "state/postgres.h"
#include "state/store_backend.h"

enum {
    POSTGRES_CONNECT_MS = 5000,
    POSTGRES_CHECK_MS = 500,   /* how often the keeper asks for the generation */
    POSTGRES_ANSWER_MS = 2000, /* how long it waits for an answer */
    POSTGRES_PAUSE_MS = 250,   /* between attempts to connect; doubles */
    POSTGRES_PAUSE_MAX_MS = 2000,
    POSTGRES_SLACK_MS = 1000, /* the server gives up first, then we do */
};

enum {
    KEEPER_ID = 17,
    KEEPER_LINE_MAX = FEED_TEXT_MAX + 40, /* bytes of a message with its head */
};

enum postgres_link { LINK_WRITE, LINK_READ, LINK_PEEK, LINK_LISTEN, LINKS_N };

/* A connection and the thread that uses it now. */
struct link {
    struct pg *pg;   /* NULL: lost, or not connected yet */
    uintptr_t owner; /* thread_self(); 0: free */
    unsigned depth;  /* how often its owner has taken it */
    unsigned number; /* of the connection: another one after each loss */
};

/* A duty that this process has, as long as the connection that listens is the same. */
struct duty {
    int64_t key;
    uint64_t fence;
    unsigned connection;
};

struct postgres {
    struct store store;
    char *url;
    struct mutex lock; /* of links and stopping */
    struct cond freed;
    struct link links[LINKS_N];
    bool stopping;
    char **said; /* messages to send */
    size_t n_said, said_bytes;
    struct duty *duties; /* used by whoever has taken LINK_LISTEN */
    size_t n_duties;

    _Atomic uint64_t revoked; /* the generation: how often we revoked or heard of it */
    _Atomic uint64_t away;    /* when the database last answered; 0: it answers */
    _Atomic uint64_t steady;  /* since when it has taken each beat; 0: it does not */

    /* Of the keeper. */
    struct thread keeper;
    atomic_bool has_keeper;
    struct bell wake;
    char id[KEEPER_ID];   /* of this process, in messages */
    int64_t counter;      /* of revocations, in the database */
    uint64_t answered;    /* by clock_ms() */
    uint64_t next_beat;   /* when to say that we are alive (lease.h) */
    uint64_t n_long;      /* messages that were rows */
    unsigned pause_ms;    /* before it connects again */
    struct mutex feeding; /* of feed, also while it is called */
    struct feed *feed;    /* NULL: nobody listens here */
};

struct postgres *postgres_of(struct store *s);

/* Use a connection; waits for other threads, up to ms. ERR_BUSY: it is in use for too
 * long, or lost. */
MUST_CHECK bool postgres_take(struct postgres *p, enum postgres_link which, unsigned ms,
                              struct err *err);
void postgres_give(struct postgres *p, enum postgres_link which);

/* Connect one link and check the version of the tables. On the keeper's thread, or before
 * it is started. */
MUST_CHECK bool postgres_connect(struct postgres *p, enum postgres_link which,
                                 struct err *err);

/* --- called by the keeper (feed.c) --- */
void feed_hear(struct feed *f, enum feed_topic topic, str text);
void feed_lost(struct feed *f);

/* --- called by the keeper, with LINK_LISTEN (lease.c) --- */
MUST_CHECK bool lease_begin(struct postgres *p, struct err *err);
MUST_CHECK bool lease_beat(struct postgres *p, struct err *err); /* if it is time */

/* --- the thread --- */
MUST_CHECK bool keeper_start(struct postgres *p, struct err *err);
void keeper_stop(struct postgres *p);
void keeper_wake(struct postgres *p);

/* Send a message to the other processes. Does not wait. */
void keeper_say(struct postgres *p, enum feed_topic topic, str text);
