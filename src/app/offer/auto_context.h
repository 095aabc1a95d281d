/*
 * auto_context - with the first result of a session the model is told which notes the
 * user wrote for it (tag claude) and which tags it may use: some clients show a model
 * nothing of a server but results (--auto-context).
 *
 * Once per process on stdio, once per legacy session over HTTP, and of several vaults
 * once for each; never in the stateless revision. How it is told is the tool's set's
 * (tools.h). Where the set is claude-desktop, notes without a description get one that
 * asks for a better.
 */
#pragma once

#include "mcp/tool.h"

enum {
    AUTO_CONTEXT_TOLD = 1024,       /* sessions that are remembered, the latest ones */
    AUTO_CONTEXT_NOTES = 100,       /* that are named */
    AUTO_CONTEXT_DESCRIPTION = 500, /* bytes of a description */
    AUTO_CONTEXT_FILLED = 100,      /* descriptions that are written at once */
};

struct auto_context; /* who was told; for any thread */

struct auto_context *auto_context_create(void);
void auto_context_free(struct auto_context *c);

/* For mcp_config.after. */
void auto_context_tell(struct mcp_call *call, const struct mcp_tool *t);
