/*
 * auto_context - adds to the first result of a session which notes the user wrote for the
 * model (tag claude) and which tags it may use: some clients show a model nothing but
 * results (--auto-context).
 *
 * Once per process on stdio, once per legacy session over HTTP, and once for each of
 * several vaults; never in the stateless revision. The tool's set decides how it is added
 * (tools.h). With the set claude-desktop, notes without a description get one that asks
 * for a better one.
 */
#pragma once

#include "mcp/tool.h"

enum {
    AUTO_CONTEXT_TOLD = 1024,       /* sessions that are remembered: the latest */
    AUTO_CONTEXT_NOTES = 100,       /* notes that are named */
    AUTO_CONTEXT_DESCRIPTION = 500, /* bytes of a description */
    AUTO_CONTEXT_FILLED = 100,      /* descriptions written in one go */
};

struct auto_context; /* which sessions have it; thread-safe */

struct auto_context *auto_context_create(void);
void auto_context_free(struct auto_context *c);

/* For mcp_config.after. */
void auto_context_tell(struct mcp_call *call, const struct mcp_tool *t);
