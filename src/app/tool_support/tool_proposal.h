/*
 * tool_proposal - what a client learns about the changes that it has proposed itself: their
 * outcome, and that one waits for a note; and how it builds on one.
 *
 * Proposals of others do not exist for it. One that builds on another has what that one
 * leaves as its base: if the first is rejected, or the notes change, accepting the second
 * merges, or reports a conflict (vault/accept.h).
 */
#pragma once

#include "app/answers/history.h"
#include "app/setup/proposed.h"
#include "app/tool_support/tool_support.h"
#include "vault/draft.h"

enum {
    TOOL_PROPOSAL_WAIT_S = 50,  /* how long a call may wait for a decision, */
    TOOL_PROPOSAL_TASK_S = 600, /* and a task */
    TOOL_PROPOSAL_POLL_MS = 500,
    TOOL_PROPOSALS_LISTED = 20,
};

/* One of the caller's in the vault of the call. Fails with ERR_NOT_FOUND. */
MUST_CHECK bool tool_proposal_find(struct mcp_call *call, str id, struct proposed *out,
                                   struct err *err);

/* Answers with it; waits up to so many seconds until it is decided: then the call is a task
 * if its client supports tasks. */
MUST_CHECK bool tool_proposal_answer(struct mcp_call *call, str id, int64_t wait_s,
                                     struct err *err);

/* The caller's latest ones, for history.proposals. */
void tool_proposals_list(struct mcp_call *call, struct history *out);

/* What the proposal makes of a file; false if it does not touch it. *exists is false if it
 * deletes it. */
bool tool_proposal_text(const struct proposed *p, str path, bool *exists, str *bytes);

/* For a change that builds on a proposal: fills *out; nothing if id is empty. Fails with
 * ERR_NOT_FOUND, with ERR_CONFLICT if it is decided, and with ERR_INVALID if it moves
 * files. */
MUST_CHECK bool tool_proposal_base(struct mcp_call *call, str id, struct draft_base *out,
                                   struct err *err);

/* After a note was read: says which of the caller's proposals wait for it. */
void tool_proposals_note(struct mcp_call *call, str path);

/* "vault-proposal:///5f0c31a2b4d6": the resource that changes when it is decided. */
#define TOOL_PROPOSAL_SCHEME "vault-proposal://"
str tool_proposal_uri(struct arena *a, const struct app_vault *v, str id);
