/*
 * prompt - a prompt is a row in a table. Its fields are strings. Prompts that are only
 * known at run time come from a family; a server has at most one.
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

struct mcp_prompt_family {
    /* List all of them with mcp_list_prompt(), after the fixed prompts. */
    bool (*list)(struct mcp_call *call, struct err *err);

    /*
     * Run one of them by name; call->args is what the client sent, a const struct json *,
     * or NULL. Sets *about. ERR_NOT_FOUND: no such prompt.
     */
    bool (*run)(struct mcp_call *call, str name, str *about, struct err *err);
};
