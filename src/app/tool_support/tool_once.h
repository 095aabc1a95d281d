/*
 * tool_once - a change with an idempotency key is made once by all replicas together
 * (replica/claim.h). In one process, the journal ensures that (transact.h).
 *
 * A replica claims the key in the database before it makes the change, and stores the
 * answer with it afterwards. A retry at another replica gets that answer. While there is
 * none, the retry waits, and then fails.
 *
 * If the first replica is gone (lease.h), it may have made the change and stopped before
 * it could report or push it. No other replica can know, so none makes the change in its
 * place: the retry looks for it on the remote, where the commit names the key, and fails
 * with what to do if it is not there. When that replica is back, it pushes what it has
 * made, and makes what it has not when it gets the retry.
 */
#pragma once

#include "app/tool_support/tool_support.h"
#include "vault/transact.h"

enum {
    TOOL_ONCE_MS =
        3000, /* how long a retry waits for the replica that makes the change */
};

struct tool_made {
    struct draft_result made;
    bool elsewhere; /* by another replica, before */
    bool waiting;   /* for that: the tool returns true and is run again */
};

/*
 * transact_run(), unless another replica has made the change. Also fails with KEY_REUSED,
 * BUSY, NOT_PUSHED, or as the database does; nothing was changed here then.
 */
MUST_CHECK bool tool_transact(struct mcp_call *call, const struct transact *t,
                              struct tool_made *out, struct err *err);
