/*
 * tool_ack - when a change is acknowledged (--sync-ack): as soon as it is durable here,
 * or when the remote has it. Then an acknowledged change survives the loss of this
 * machine.
 *
 * A tool makes its change, hands the result to tool_ack(), and prints it only if that
 * says so. While the push goes on, no worker waits: the tool is run again, finds the
 * result with tool_acking(), and does not make the change again.
 */
#pragma once

#include "app/tool_support/tool_support.h"

/* What an earlier run of this call has made; NULL in the first run. */
void *tool_acking(struct mcp_call *call);

/*
 * Whether the change may be answered; made, in call->arena, is its result. *waiting: not
 * yet, the tool returns true and is run again. Fails with NOT_PUSHED if the remote
 * refuses or does not answer within --sync-wait: the change is made here, and is pushed
 * later.
 */
MUST_CHECK bool tool_ack(struct mcp_call *call, void *made, bool *waiting,
                         struct err *err);

/* Get what the remote has now, once for a call. *waiting: not yet, the tool returns true
 * and is run again. Without sync there is nothing to get. Fails as the sync does, and
 * with BUSY after --sync-wait. */
MUST_CHECK bool tool_pull(struct mcp_call *call, bool *waiting, struct err *err);

/* Whether a call that has waited that long for the remote must be answered now: --sync-wait
 * is over, or the server stops. */
bool tool_waits_no_more(struct mcp_call *call, uint64_t waited_ms);

/* Milliseconds since this was first asked in any run of this call. */
uint64_t tool_waited(struct mcp_call *call);

/* Run the call again soon, and report progress: the longer it has waited, the less
 * often. */
void tool_wait_more(struct mcp_call *call, uint64_t waited_ms, str message);
