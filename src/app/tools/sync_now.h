/*
 * sync_now - what tools that sync have in common.
 */
#pragma once

#include "app/kit/tool_kit.h"
#include "sync/sync.h"

struct synced {
    struct sync_state state;
    const struct vault *vault; /* of what the caller may not read nothing is said */
};

/*
 * Exchange changes with the remote, telling the client that it takes time; the status is
 * that after it. only_status: without the exchange. Sync is on. Fails with ERR_BUSY
 * (SYNC_FAILED), in the remote's words.
 */
MUST_CHECK bool sync_now(struct mcp_call *call, bool only_status, struct synced *out,
                         struct err *err);

extern const struct answer_shape synced_shape;
