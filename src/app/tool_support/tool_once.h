/*
 * tool_once - a change with an idempotency key is made once by all replicas together
 * (shared.h). In one process, the journal sees to that (transact.h).
 *
 * A replica claims the key in the database before it makes the change, and stores the
 * answer with it afterwards. A retry at another replica gets that answer. While there is
 * none, the retry waits, and then fails.
 *
 * If the first replica is gone (lease.h), it may have made the change and stopped before it
 * could say so, or push it. Nobody else can know that, so nobody makes the change in its
 * place: the retry looks for it on the remote, where the commit names the key, and fails with
 * what to do if it is not there. When that replica is back, it pushes what it has made, and
 * makes what it has not when it gets the retry.
 */
#pragma once

#include "app/tool_support/tool_support.h"
#include "vault/draft.h"

enum {
    TOOL_ONCE_S = 24 * 3600, /* how long a key is kept */
    TOOL_ONCE_MS =
        3000, /* how long a retry waits for the replica that makes the change */
};

struct tool_once {
    str name;       /* empty: nothing to claim */
    bool elsewhere; /* another replica has made the change: do not make it */
};

/*
 * Before a change. *waiting: the tool returns true and is run again. If o->elsewhere, *made
 * is the result to answer with. Fails with KEY_REUSED, BUSY, NOT_PUSHED, or as the database
 * does; nothing is to be changed then.
 */
MUST_CHECK bool tool_once_begin(struct mcp_call *call, const struct change *as,
                                struct tool_once *o, struct draft_result *made,
                                bool *waiting, struct err *err);

/* The change was made here, with this answer for retries (number 0: nothing changed); or
 * it was not made. */
void tool_once_made(struct mcp_call *call, const struct tool_once *o, uint64_t number,
                    str answer);
void tool_once_failed(struct mcp_call *call, const struct tool_once *o);
