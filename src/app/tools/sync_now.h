/*
 * sync_now - what tools that sync have in common.
 */
#pragma once

#include "app/kit/tool_kit.h"

/*
 * Exchange changes with the remote, telling the client that it takes time, and say in the
 * open object how it stands then. only_status: without the exchange. Sync is on. Fails
 * with ERR_BUSY (SYNC_FAILED), in the remote's words.
 */
MUST_CHECK bool sync_now(struct mcp_call *call, bool only_status, struct err *err);
