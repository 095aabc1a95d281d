/*
 * post - the sink of one POST: where the messages of its request go.
 *
 * The answer is one JSON body, unless something is sent before it: then the response
 * becomes an event stream, which a legacy client can resume (stream.h). The sink frees
 * itself when the request is finished. Private to endpoint.c.
 */
#pragma once

#include "mcp/request.h"
#include "mcp/session.h"

#define POST_SESSION_HEADER STR("Mcp-Session-Id")
#define POST_JSON_TYPE STR("application/json")

struct http_exchange;
struct mcp_streams;

struct mcp_post {
    struct mcp_sink sink; /* must be first */
    struct mcp_server *server;
    struct mcp_streams *streams;
    struct http_exchange *x;
    struct mcp_stream *stream; /* legacy, once it streams */
    bool modern, streaming;
    enum mcp_revision revision;
    char session[SESSION_ID_SIZE]; /* to announce, after initialize */
    char scope[SESSION_SCOPE_SIZE];
};

/* Create the sink of r, whose client is known. If the client disconnects, a modern
 * request is cancelled; the stream of a legacy one is kept, to be resumed. */
struct mcp_post *post_create(struct mcp_streams *streams, struct http_exchange *x,
                             const struct mcp_request *r);
