/*
 * prompt - a prompt is a row in a table. Its fields are strings.
 */
#pragma once

#include "mcp/call.h"
#include "mcp/schema.h"

struct mcp_prompt {
    const char *name, *title, *about;
    const struct mcp_field *fields;
    size_t args_size;
    bool quick; /* as MCP_QUICK */
    bool (*run)(struct mcp_call *call, struct err *err);
    bool (*complete)(struct mcp_call *call, str argument, str typed, struct err *err);
};
