/*
 * shared - what the replicas of a server share (--state-db): notes in a database, and
 * messages to each other.
 *
 * A replica is a process with its own clone of the vault and its own state folder; several
 * of them serve the same clients, and any of them may get any request. Without --state-db
 * there is one process, and nothing here does anything.
 */
#pragma once

#include "base/os/thread.h"
#include "mcp/server.h"
#include "state/feed.h"

enum { SHARED_ID_SIZE = 33, SHARED_SWEEP_S = 600 };

struct shared {
    struct store *store; /* NULL: there is one process */
    struct feed *feed;
    char replica[SHARED_ID_SIZE]; /* names the state folder of this process */
    uint8_t key[MCP_KEY_SIZE];    /* of sessions and sealed states, the same in all */

    struct mutex hearing; /* of the following; all zeros is unlocked */
    void (*heard_rates)(void *arg, str text);
    void *heard_arg;
};

/* url empty: there is one process. Reads the common key, or sets it if we are the first.
 * After the sandbox: it starts a thread. */
MUST_CHECK bool shared_open(struct shared *s, str url, const char *state_dir,
                            struct err *err);

/* From now on hear what the others say; heard and lost as in feed.h. */
void shared_listen(struct shared *s, const struct feed_config *config);

/* Hear nothing more; then, when nobody uses it, close it. */
void shared_deafen(struct shared *s);
void shared_close(struct shared *s);

static inline bool shared_is_on(const struct shared *s)
{
    return s->store != NULL;
}

/* What others say of FEED_RATES is for heard, on a thread that must not wait; NULL: from
 * now on for nobody, and heard is not running any more. */
void shared_hear_rates(struct shared *s, void (*heard)(void *arg, str text), void *arg);
void shared_heard_rates(struct shared *s, str text);

/* The number of the first change here: no other replica has changes with such numbers, so
 * that one is never taken for another (undo). 0: there are no other replicas. */
uint64_t shared_first_change(const struct shared *s);

/* Log that something could not be stored, and is lost. */
void shared_not_stored(const struct err *err);

/* mcp_peers, on a struct shared. Notes that cannot be stored are lost, and logged. */
void shared_tell(struct shared *s, enum feed_topic topic, str text);
void shared_put(struct shared *s, str name, str part, str text, int64_t seconds);
MUST_CHECK bool shared_list(struct shared *s, struct arena *a, str name,
                            struct mcp_peer_note **out, size_t *n);

MUST_CHECK bool shared_put_some(struct shared *s, str name, str part, int64_t seconds,
                                const struct mcp_peer_limits *limits, bool *full);
void shared_touch(struct shared *s, str name, int64_t seconds);
MUST_CHECK bool shared_once(struct shared *s, str name, int64_t seconds, bool *first);

/* Remove what has expired, if no other replica does. Waits for the database. */
void shared_sweep(struct shared *s);
