/*
 * endpoint - MCP over Streamable HTTP: one path, both eras, decided per request.
 *
 * The handler runs on the HTTP loop: it checks a request from the outside in,
 * passes it to the server and returns. The response is one JSON body; if anything
 * is sent before the answer, it becomes an event stream.
 */
#pragma once

#include "http/server.h"
#include "mcp/server.h"

enum { MCP_BODY_MAX = 4 << 20 };

struct mcp_endpoint;

/*
 * If a caller requests a tool that exists but is not offered to it, refuse is called to
 * answer (403) before anything is sent. NULL: the tool is unknown to that caller.
 */
typedef void mcp_refuse_fn(void *context, struct http_exchange *x);
struct mcp_endpoint *mcp_endpoint_create(struct mcp_server *server, mcp_refuse_fn *refuse,
                                         void *context);

/* Requests wait for their turn; take and charge get the same context as refuse. */
void mcp_endpoint_take_turns(struct mcp_endpoint *e, mcp_turn_fn *take,
                             mcp_charge_fn *charge);

void mcp_endpoint_free(struct mcp_endpoint *e); /* after the HTTP server is gone */

/* The HTTP server stops, or tokens can no longer be checked: end all streams that wait
 * for changes. Calls continue. From any thread. */
void mcp_endpoint_end_streams(struct mcp_endpoint *e);

/*
 * End the streams of callers whose token has expired or whose access was revoked or has
 * changed, and cancel their requests. welcome gets the callers whose id is not 0, with
 * id, proof and grant, and may wait; NULL: nothing was revoked. From any thread.
 */
void mcp_endpoint_check(struct mcp_endpoint *e,
                        bool (*welcome)(void *context, const struct mcp_caller *caller),
                        void *context);

/* For a route with POST, GET and DELETE. caller, already authenticated, is copied. */
void mcp_endpoint_handle(struct mcp_endpoint *e, struct http_exchange *x,
                         const struct mcp_caller *caller);
