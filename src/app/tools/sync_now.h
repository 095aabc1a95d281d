/*
 * sync_now - what the tools that sync share.
 */
#pragma once

#include "app/tool_support/tool_support.h"
#include "sync/sync.h"

struct sync_outcome {
    bool waiting; /* there is no answer yet: return true, the call is run again */
    bool
        going_on; /* the sync did not end within --sync-wait, and the call is not a task */
    struct sync_state state;
    const struct vault *vault; /* the caller's view: files it hides are not mentioned */
};

/*
 * Exchange changes with the remote, reporting progress to the client; out has the status
 * afterwards. No worker waits meanwhile (mcp_wait). only_status: do not exchange. Sync
 * must be on. Fails with ERR_BUSY (SYNC_FAILED) and the remote's message.
 */
MUST_CHECK bool sync_now(struct mcp_call *call, bool only_status,
                         struct sync_outcome *out, struct err *err);

extern const struct answer_shape synced_shape;
