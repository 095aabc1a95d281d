/*
 * A call while its handler runs, with what the handler does not see. Private to src/mcp.
 */
#pragma once

#include "mcp/call.h"
#include "mcp/form.h"
#include "mcp/request.h"
#include "mcp/template.h"

/* The private struct around a handler's struct mcp_call. */
enum mcp_call_kind {
    MCP_CALL_TOOL,
    MCP_CALL_PROMPT,
    MCP_CALL_RESOURCE,
    MCP_CALL_COMPLETE,
    MCP_CALL_LIST
};

struct mcp_running_call {
    struct mcp_call open; /* what the handler sees; must be first */
    struct mcp_request *request;
    enum mcp_call_kind kind;
    struct jsonw *w;     /* inside the array that the handler fills */
    struct sbuf out_buf; /* of open.out */
    struct jsonw out_w;
    str pattern; /* a template's */
    str variables[MCP_VARIABLES_MAX];
    const struct json *ui_meta; /* of a ui:// page */
    size_t n;                   /* suggestions so far */
    str cursor;                 /* where the list continues */
};

/* Begin a call for a handler whose output goes into the open array of w. */
void mcp_call_init(struct mcp_running_call *c, struct mcp_request *r,
                   enum mcp_call_kind kind, struct jsonw *w);

/* Read its arguments: args, common, and why if that fails. */
MUST_CHECK bool mcp_call_read(struct mcp_running_call *c, const struct mcp_form *form,
                              const struct json *arguments, bool strict, struct err *err);
