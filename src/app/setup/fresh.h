/*
 * fresh - a client that has seen a change never reads an older state at another replica.
 *
 * Three facts are in the database. A replica that has the same commit as the remote says
 * so, with the number of the last change of its journal in it (heads). A caller who got an
 * answer from a replica has seen its changes up to a number (marks). So another replica
 * knows, before it answers that caller, whether it must have a commit first, and pulls it;
 * or that the change is not pushed yet, and waits for that. After FRESH_MS it answers
 * nevertheless, and says that the answer may be older (mcp_call.stale).
 *
 * This holds for the first vault of the settings. Of others, and of hosted ones, replicas
 * only tell each other when to pull.
 *
 * A caller is a user with a program or, without sign-in, a legacy session, or everybody.
 * A mark is written only if this replica has changed since the caller's last answer, and
 * looking up marks is one query for each request.
 */
#pragma once

#include <stdatomic.h>

#include "base/os/thread.h"
#include "mcp/call.h"

struct app_vault;

enum {
    FRESH_MS = 5000, /* how long a request waits for what its caller has seen */
    FRESH_POLL_MS = 20,
    FRESH_KNOWN = 256,   /* commits that are known to be here */
    FRESH_OWNERS = 1024, /* callers whose last mark is remembered, by hash */
    FRESH_GONE = 16,     /* replicas that are not waited for */
    FRESH_ID = 72,
};

struct fresh {
    atomic_uint_fast64_t newest; /* the last change made here, since the start */
    struct mutex lock;           /* of the following; all zeros is unlocked */
    char known[FRESH_KNOWN][FRESH_ID];
    size_t n_known; /* in all; the oldest is overwritten */
    struct {
        uint64_t owner, number;
    } marked[FRESH_OWNERS];
    struct {
        char replica[FRESH_ID];
        uint64_t number; /* changes up to this one are not waited for again */
    } gone[FRESH_GONE];
    size_t n_gone;
};

/* What all replicas call a vault; empty for the first of the settings. */
str fresh_vault(const struct app_vault *v);

/* A change was made here, by a client or by a pull. Does not wait. */
void fresh_made(struct app_vault *v, uint64_t number);

/* We have the same commit as the remote: for sync_config.on_level. Tells the others. */
void fresh_level(struct app_vault *v, str commit, uint64_t number);

/* Whether another replica's commit is known to be here. */
bool fresh_has(struct fresh *f, str commit);

/* For mcp_config.hold and saw; app is a struct app. */
unsigned fresh_hold(void *app, struct arena *a, const struct mcp_caller *caller,
                    str session, void **kept, bool *stale);
void fresh_saw(void *app, const struct mcp_caller *caller, str session);

/* What an answer says that may be older than what its caller has seen. */
#define FRESH_STALE                                                                      \
    "This server has not received the latest changes that you have seen: what it "       \
    "shows may be older. Try again later."
