/*
 * endpoint - MCP over Streamable HTTP: one path, both eras, decided per request.
 *
 * The handler runs on the HTTP loop: it checks a request from the outside in (mcp.md
 * §1.4), gives it to the server and returns. Answers are one JSON body; as soon as
 * something goes to the client before the answer, they become an event stream.
 */
#pragma once

#include "http/server.h"
#include "mcp/server.h"

enum { MCP_BODY_MAX = 4 << 20 };

struct mcp_endpoint;

/*
 * A caller that asks for a tool which others have and it has not is given to refuse,
 * which answers (403), before anything is sent. NULL: to that caller the tool is unknown.
 */
typedef void mcp_refuse_fn(void *context, struct http_exchange *x);
struct mcp_endpoint *mcp_endpoint_create(struct mcp_server *server, mcp_refuse_fn *refuse,
                                         void *context);

/* admit is asked before tools that change something are called, n of them, and says no by
 * answering (429); it has the context of refuse. */
typedef bool mcp_admit_fn(void *context, struct http_exchange *x, size_t n);
void mcp_endpoint_admit(struct mcp_endpoint *e, mcp_admit_fn *admit);

void mcp_endpoint_free(struct mcp_endpoint *e); /* after the HTTP server is gone */

/* When the HTTP server stops: end the streams that wait for changes; calls go on. */
void mcp_endpoint_stop(struct mcp_endpoint *e);

/*
 * End the streams of callers who are not welcome any more, and cancel what they asked
 * for. welcome gets each mcp_caller.id but 0, maybe several times, and must not come back
 * here. From any thread.
 */
void mcp_endpoint_check(struct mcp_endpoint *e,
                        bool (*welcome)(void *context, int64_t id), void *context);

/* Methods of its route: POST, GET, DELETE. caller, who was let in, is copied. */
void mcp_endpoint_handle(struct mcp_endpoint *e, struct http_exchange *x,
                         const struct mcp_caller *caller);
