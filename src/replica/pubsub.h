/*
 * pubsub - messages between the processes that share one database (LISTEN and NOTIFY of
 * PostgreSQL). With SQLite, or in memory, there are no others: nothing is sent.
 *
 * A message has a topic, a word that its room chooses. It may be lost, when the
 * connection is lost or too many are queued: it only makes the others look now at what
 * they would find later. Own messages are not received. Subscribers are called by a
 * thread of the pubsub, one after the other: one that takes long delays other messages,
 * but no revocation.
 */
#pragma once

#include "state/store.h"

enum {
    PUBSUB_TEXT_MAX = 4000,     /* bytes that fit into one notification; */
    PUBSUB_LONG_MAX = 64 << 10, /* of a message, which is sent in parts */
    PUBSUB_TOPICS_MAX = 8,
};

struct pubsub;

/* One for a store, which is kept (store_keep()); close it before the store. */
struct pubsub *pubsub_open(struct store *s);
/* Call no more subscribers, and wait for those that run. NULL is fine for both. */
void pubsub_stop(struct pubsub *p);
void pubsub_close(struct pubsub *p);

/* Call notified for each message of a topic, a constant. notified NULL: no longer, and it
 * is not running any more. The topic PUBSUB_MISSED has no message: the connection was
 * lost and is back, so anything may have been missed. */
#define PUBSUB_MISSED "missed"
void pubsub_subscribe(struct pubsub *p, const char *topic,
                      void (*notified)(void *arg, str text), void *arg);

/* Send to the others. text is UTF-8 without NUL, up to PUBSUB_LONG_MAX bytes. Does not
 * wait. */
void pubsub_publish(struct pubsub *p, const char *topic, str text);
