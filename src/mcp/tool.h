/*
 * tool - a tool is a row in a table.
 */
#pragma once

#include "mcp/call.h"
#include "mcp/schema.h"

/* Hints for clients, and how the tool is run. */
enum mcp_tool_flag {
    MCP_READ_ONLY = 1,   /* changes nothing */
    MCP_DESTRUCTIVE = 2, /* may overwrite or delete */
    MCP_IDEMPOTENT = 4,  /* repeating it changes nothing more */
    MCP_OPEN_WORLD = 8,  /* reaches beyond the server's own data */
    MCP_QUICK = 16,      /* never blocks, no I/O: runs on the transport's thread */
    MCP_STRUCTURED = 32, /* call->out is also sent as structuredContent */
    MCP_POLLED = 64, /* slow: a 2025-11-25 HTTP client is disconnected, and reconnects for
                        the result */
    MCP_OWN_FIELDS = 128, /* in the form of another server: only its own fields, without
                             mcp_config.common, all hints, its own errors */
    MCP_BRIEF = 256, /* reads one file at most: runs on the transport's thread if that has
                        only one client and mcp_config.ready() is true */
    MCP_PLAIN_ERRORS = 512,   /* a failure is sent as its message only, not as JSON */
    MCP_EXACT = 1024,         /* refuses unknown arguments even if it only reads */
    MCP_TOOL_APP_FLAG = 2048, /* this and higher bits are for the app */
};

struct mcp_tool {
    const char *name, *title;
    const char *about; /* what it does, when to use it, one caveat */
    unsigned flags;
    const struct mcp_field *fields;
    size_t args_size;          /* of the struct filled from the fields */
    const char *input_schema;  /* JSON text instead of fields, passed on unchanged */
    const char *output_schema; /* JSON text; implies MCP_STRUCTURED */
    const char *ui;            /* MCP Apps: the ui:// resource that shows the result */
    bool (*run)(struct mcp_call *call, struct err *err);
    const void *app; /* the app's own data about this row, for run */

    /* Answers a failure in its own way, with mcp_error(); NULL: as a tool error. */
    void (*failed)(struct mcp_call *call, const struct err *err, str message);
};

struct mcp_server;

/* Whether a tool of the server is offered to a caller (mcp_config.offers). */
bool mcp_server_offers(const struct mcp_server *s, const struct mcp_caller *caller,
                       const struct mcp_tool *t);
