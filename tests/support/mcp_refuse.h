/*
 * mcp_refuse - JSON-RPC errors of handlers: what the conformance suites expect and no tool of
 * vaultd does.
 */
#pragma once

#include "mcp/call.h"
#include "mcp/jsonrpc.h"

/* Fails the call with a JSON-RPC error; returns false. */
static inline bool refuse(struct mcp_call *call, struct err *err, int code,
                          const char *why)
{
    mcp_error(call, code, str_c(why), (str){0});
    return err_set(err, ERR_INVALID, "%s", why);
}

/* Whether the client has the capability; if not, the call fails. */
MUST_CHECK static inline bool need_capability(struct mcp_call *call, enum mcp_can can,
                                              struct err *err)
{
    if (mcp_can(call, can))
        return true;
    static const char why[] = "Missing required client capability";
    mcp_error(call, MCP_MISSING_CAPABILITY, str_c(why),
              arena_printf(call->arena, "{\"requiredCapabilities\":%s}",
                           mcp_capability_json(can)));
    return err_set(err, ERR_INVALID, "%s", why);
}
