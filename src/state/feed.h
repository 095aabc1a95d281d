/*
 * feed - messages between the processes that share one database (LISTEN and NOTIFY of
 * PostgreSQL). With SQLite, or in memory, nobody is there to hear: nothing is sent.
 *
 * A message may be lost, when the database goes away or too many wait: it only makes the
 * others look at once at what they would find later. Own messages are not heard.
 */
#pragma once

#include "state/store.h"

enum feed_topic {
    FEED_REVOKED, /* something was revoked, or the table of vaults changed: the store
                     itself listens to it, too (store_generation()) */
    FEED_CHANGED, /* a vault changed: the commit that its remote has now */
    FEED_MCP,     /* about sessions, subscriptions and tasks: mcp/peers.c */
    FEED_SEEN,    /* a client has read a note: app/tool_support/read_log.h */
    FEED_RATES,   /* what was counted for rate limits: app/web/rates.h */
    FEED_TOPICS_N,
};

enum {
    FEED_TEXT_MAX = 4000,     /* bytes of a notification; PostgreSQL knows 7999 */
    FEED_LONG_MAX = 64 << 10, /* bytes of a message; a long one is a row of a table, */
    FEED_LONG_S = 60,         /* which is kept for so many seconds */
    FEED_WAITING_MAX = 1000,
    FEED_WAITING_BYTES = 4 << 20,
};

struct feed_config {
    /* On a thread of the store, which must not wait. */
    void (*heard)(void *arg, enum feed_topic topic, str text);
    /* The connection was lost and is back: anything may have been missed. NULL is fine. */
    void (*lost)(void *arg);
    void *arg;
};

struct feed;

/* One for a store, which is kept (store_keep()); close it before the store. */
struct feed *feed_open(struct store *s, const struct feed_config *config);
void feed_close(struct feed *f); /* NULL is fine; waits for heard() and lost() */

/* Notify the others. text without NUL, up to FEED_LONG_MAX bytes; above FEED_TEXT_MAX it
 * costs them a query each. Does not wait. */
void feed_say(struct feed *f, enum feed_topic topic, str text);
