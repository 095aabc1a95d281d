/*
 * header_match - the headers of a modern HTTP request that repeat its body.
 *
 * Proxies route by them, so a header that differs from the body is refused before
 * anything happens. Private to src/mcp.
 */
#pragma once

#include "http/request.h"
#include "mcp/request.h"

/* MCP-Protocol-Version and Mcp-Method, where present, agree with the body; neither they
 * nor Mcp-Name occur twice. */
MUST_CHECK bool header_match_agrees(const struct http_request *h, str version,
                                    const struct rpc_message *m, struct rpc_error *bad);

/* The mandatory ones are present, and Mcp-Name agrees. */
MUST_CHECK bool header_match_complete(struct arena *a, const struct http_request *h,
                                      const struct rpc_message *m, struct rpc_error *bad);

/* Mcp-Param-* agree with the arguments that the tool marks. */
MUST_CHECK bool header_match_params(struct arena *a, const struct http_request *h,
                                    const struct mcp_server *s,
                                    const struct rpc_message *m, struct rpc_error *bad);
