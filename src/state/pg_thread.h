/*
 * pg_thread - for src/state and src/replica: a store in PostgreSQL, its connections, and
 * the thread that makes and uses them.
 *
 * A process has four connections: one writes, one only reads, so that reading never waits
 * for a transaction, one is for store_peek(), so that looking up a token never waits for
 * other reading, and one listens. A separate thread makes them, reconnects after they
 * were lost, and listens; so no other thread waits for a connection or a name server.
 *
 * The thread handles revocations itself. Other messages wait in two queues, which
 * replica/pubsub.h fills and empties: whatever its subscribers do, and however long, does
 * not delay a revocation.
 */
#pragma once

#include <stdatomic.h>

#include "base/lock.h"
#include "base/os/ready.h"
#include "state/postgres.h"
#include "state/store_backend.h"

enum {
    POSTGRES_CONNECT_MS = 5000,
    POSTGRES_CHECK_MS = 500,   /* how often the thread asks for the generation */
    POSTGRES_ANSWER_MS = 2000, /* how long it waits for an answer */
    POSTGRES_PAUSE_MS = 250,   /* between attempts to connect; doubles */
    POSTGRES_PAUSE_MAX_MS = 2000,
    POSTGRES_SLACK_MS = 1000, /* the server gives up first, then we do */
};

enum {
    PG_THREAD_ID = 17,
    PG_BEAT_MS = 2000,           /* how often it says that this process is alive */
    PG_MESSAGE_MAX = 7000,       /* bytes; PostgreSQL knows 7999, with the id before it */
    PG_MESSAGES_MAX = 1000,      /* that wait in one direction; */
    PG_MESSAGES_BYTES = 4 << 20, /* more are lost */
    PG_SEND_AT_ONCE = 32,        /* before it looks for revocations again */
};

/* Of a message: something was revoked, or the table of vaults changed. Triggers send it,
 * too. */
#define PG_REVOKED "0 "

/* Messages that wait. */
struct pg_queue {
    char **all;
    size_t n, bytes;
};

enum postgres_link { LINK_WRITE, LINK_READ, LINK_PEEK, LINK_LISTEN, LINKS_N };

/* A connection and the thread that uses it now. */
struct link {
    struct pg *pg;   /* NULL: lost, or not connected yet */
    uintptr_t owner; /* thread_self(); 0: free */
    unsigned depth;  /* how often its owner has taken it */
    unsigned number; /* of the connection: another one after each loss */
};

/* A lock of the connection that listens (replica/leader.h), as long as it is the same. */
struct pg_held {
    int64_t key;
    uint64_t fence;
    unsigned connection;
};

struct postgres {
    struct store store;
    char *url;
    struct lock lock; /* of links, stopping, and messages */
    struct cond freed;
    struct link links[LINKS_N];
    bool stopping;
    struct pg_queue out, in;
    bool receives;        /* a thread empties the queue */
    bool missed;          /* messages may have been lost */
    struct cond received; /* of the three */
    struct pg_held *held; /* used by the holder of LINK_LISTEN */
    size_t n_held;

    _Atomic uint64_t revoked; /* the generation: revocations, ours and others' */
    _Atomic uint64_t away;    /* when the database last answered; 0: it answers */
    _Atomic uint64_t steady;  /* since when it has taken each beat; 0: it does not */

    atomic_bool announce; /* a revocation is to be announced to the others */

    /* Of the thread. */
    struct thread thread;
    atomic_bool has_thread;
    struct bell wake;
    char id[PG_THREAD_ID]; /* of this process, in messages */
    int64_t counter;       /* of revocations, in the database */
    uint64_t answered;     /* by clock_ms() */
    uint64_t next_beat;    /* when to say that we are alive (replica/lease.h) */
    unsigned pause_ms;     /* before it connects again */
};

/* NULL: it is another store, or none. */
struct postgres *postgres_of(struct store *s);

/* Use a connection; waits for other threads, up to ms. ERR_BUSY: it is in use for too
 * long, or lost. */
MUST_CHECK bool postgres_take(struct postgres *p, enum postgres_link which, unsigned ms,
                              struct err *err);
void postgres_give(struct postgres *p, enum postgres_link which);

/* Connect one link and check the version of the tables. On the thread, or before it
 * is started. */
MUST_CHECK bool postgres_connect(struct postgres *p, enum postgres_link which,
                                 struct err *err);

/* The time of the database, in ms, as SQL. */
#define PG_NOW "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)"

/* --- the thread --- */
MUST_CHECK bool pg_thread_start(struct postgres *p, struct err *err);
void pg_thread_stop(struct postgres *p);
void pg_thread_wake(struct postgres *p);

/* Announce a revocation to the other processes, before all messages. Does not wait. */
void pg_thread_revoked(struct postgres *p);

/* Send messages of at most PG_MESSAGE_MAX bytes to the other processes, all or none. Does
 * not wait. */
void pg_thread_send(struct postgres *p, const str *messages, size_t n);

/*
 * Receive what other processes send, from now on or no longer. pg_thread_receive() waits
 * for a message, "ID TEXT", to be freed; NULL: *missed, messages may have been lost; or
 * else receiving has ended.
 */
void pg_thread_listen(struct postgres *p, bool on);
char *pg_thread_receive(struct postgres *p, bool *missed);
