/*
 * search_all - a search in all vaults that the caller sees, one after the other.
 *
 * It has one deadline, and uses at most VAULTS_SEARCHED_MAX hosted vaults. What could not be
 * opened or searched in time is left out, and the answer names it.
 */
#pragma once

#include "mcp/tool.h"
#include "vault/ask/search.h"

enum { SEARCH_ALL_MS = 8000 };

/* Answers the call, in at most budget tokens. */
MUST_CHECK bool search_all(struct mcp_call *call, const struct search *s, int64_t budget,
                           struct err *err);
