/*
 * tool_rules - the rules of a place (guidance.h) come with the answer to the first change
 * of a client there, for models that did not ask for them (vault_context).
 *
 * Once per client and text: for the process at the other end of stdio and in a legacy
 * session as long as it lasts, otherwise for FOLDER_RULES_MS. Rules that change are sent
 * again. Only those that the caller may read; not with --auto-context off, and not the rules
 * of the root that the instructions have (--claude-md). What is sent is bounded; what is cut is
 * said to be.
 */
#pragma once

#include "mcp/tool.h"

struct draft_result;

enum {
    FOLDER_RULES_TOLD = 4096,      /* texts and clients that are remembered: the latest */
    FOLDER_RULES_MS = 3600 * 1000, /* without a session */
    FOLDER_RULES_FILES = 4,        /* in one answer */
    FOLDER_RULES_BYTES = 4096,     /* of their texts in one answer */
    FOLDER_RULES_CHANGED_MAX = 100, /* files of a change whose folders are looked at */
};

struct folder_rules; /* which client has which; thread-safe */

struct folder_rules *folder_rules_create(void);
void folder_rules_free(struct folder_rules *r);

/* Adds a block to the answer if there are rules that the client does not have yet. For a
 * change of our own tools, made, proposed, or only shown. Not while the index is held. */
void folder_rules_tell(struct mcp_call *call, const struct draft_result *made);
