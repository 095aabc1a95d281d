#include "mcp/post.h"

#include "http/response.h"
#include "http/server.h"
#include "mcp/core.h"
#include "mcp/jsonrpc.h"
#include "mcp/request.h"
#include "mcp/stream.h"

/* The HTTP status of a JSON-RPC error; legacy clients get errors with status 200. */
static int status_of(const struct mcp_post *p, int code)
{
    if (!p->modern)
        return 200;
    switch (code) {
    case RPC_METHOD_NOT_FOUND:
        return 404;
    case MCP_HEADER_MISMATCH:
    case MCP_MISSING_CAPABILITY:
    case MCP_UNSUPPORTED_VERSION:
    case RPC_INVALID_REQUEST:
    case RPC_PARSE_ERROR:
        return 400;
    default:
        return 200;
    }
}

static void begin_stream(struct mcp_post *p)
{
    if (p->streaming)
        return;
    p->streaming = true;
    struct http_response r = {.status = 200};
    if (p->session[0] != '\0')
        http_add_header(&r, POST_SESSION_HEADER, str_c(p->session));
    http_stream(p->x, &r);
    if (!p->modern)
        p->stream = stream_open(p->streams, str_c(p->scope), p->x, http_exchange_id(p->x),
                                p->revision >= MCP_2025_11_25, false);
}

static void send_frame(struct mcp_post *p, str message)
{
    struct arena a = {0};
    struct sbuf frame = SBUF_ON(&a);
    sse_event(&frame, (str){0}, STR("message"), message);
    http_stream_send(p->x, sbuf_str(&frame));
    arena_release(&a);
}

static void post_send(struct mcp_sink *sink, str message)
{
    struct mcp_post *p = (struct mcp_post *)sink;
    begin_stream(p);
    if (p->modern)
        send_frame(p, message);
    else
        stream_sink(p->stream)->send(stream_sink(p->stream), message);
}

static void reply_once(struct mcp_post *p, str message, int code)
{
    struct http_response r = {.status = 202};
    if (message.n > 0)
        r = (struct http_response){.status = status_of(p, code),
                                   .content_type = POST_JSON_TYPE,
                                   .body = message};
    if (p->session[0] != '\0')
        http_add_header(&r, POST_SESSION_HEADER, str_c(p->session));
    http_reply(p->x, &r);
}

static void post_finish(struct mcp_sink *sink, str message, int code)
{
    struct mcp_post *p = (struct mcp_post *)sink;
    if (code != 0)
        p->session[0] = '\0';
    if (p->server->config.always_stream && message.n > 0 && status_of(p, code) == 200)
        begin_stream(p);
    if (!p->streaming) {
        reply_once(p, message, code);
    } else if (p->modern) {
        if (message.n > 0)
            send_frame(p, message);
        http_stream_end(p->x);
    } else {
        stream_sink(p->stream)->finish(stream_sink(p->stream), message, code);
    }
    free(p);
}

/* A slow call from a client that can reconnect: send it the stream's id, then disconnect
 * it. */
static void post_detach(struct mcp_sink *sink)
{
    struct mcp_post *p = (struct mcp_post *)sink;
    if (p->modern || p->revision < MCP_2025_11_25)
        return;
    begin_stream(p);
    stream_detach(p->stream);
}

static void client_gone(void *owner, uint64_t serial)
{
    mcp_cancel_serial(owner, serial);
}

struct mcp_post *post_create(struct mcp_streams *streams, struct http_exchange *x,
                             const struct mcp_request *r)
{
    struct mcp_post *p = mem_zero(sizeof(*p));
    p->sink = (struct mcp_sink){
        .send = post_send, .finish = post_finish, .detach = post_detach};
    p->server = r->server;
    p->streams = streams;
    p->x = x;
    p->revision = r->client.revision;
    p->modern = mcp_is_modern(p->revision);
    if (r->scope.n > 0 && r->scope.n < sizeof(p->scope))
        memcpy(p->scope, r->scope.p, r->scope.n);
    if (p->modern)
        http_on_gone(x, client_gone, p->server, r->serial);
    else
        http_on_gone(x, streams_gone, streams, http_exchange_id(x));
    return p;
}
