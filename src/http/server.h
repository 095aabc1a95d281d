/*
 * server - HTTP/1.1 on one libuv loop: routes, limits, deadlines, streams.
 *
 * One thread runs the loop and owns all sockets. A handler runs there and must
 * not block: it answers at once, or hands the exchange to another thread that
 * answers later. Requests of one connection are handled one after the other;
 * what is pipelined behind waits.
 *
 * Strict by design (RFC 9112, SEC-61): a request that two parsers could read in
 * two ways is refused and the connection closed. Every limit is in struct
 * http_limits. Deadlines are absolute, so a peer that drips bytes is cut.
 */
#pragma once

#include "base/err.h"
#include "http/forwarded.h"
#include "http/guard.h"
#include "http/limits.h"
#include "http/request.h"
#include "http/response.h"

struct http_server;
struct http_exchange;

/* For browser clients. WELCOME: origins the guard welcomes are told so. ANY: every origin
 * may read the answer ("*", without credentials), and the guard looks at Host alone. */
enum http_cors { HTTP_CORS_NONE, HTTP_CORS_WELCOME, HTTP_CORS_ANY };

struct http_route {
    const char
        *path; /* exact; a prefix if it ends in "/" and is longer; first row wins */
    unsigned
        methods; /* of enum http_method; GET brings HEAD, OPTIONS is always answered */
    size_t body_max; /* bytes; larger is 413 before it is read */
    enum http_cors cors;
    void (*handle)(struct http_exchange *x, void *context);
    void *context; /* for handle; NULL: that of the server */
};

/* What one finished exchange was, for the access log. */
struct http_access {
    uint64_t id;            /* counts up from 1 */
    str method, path, peer; /* path without query: that may hold secrets */
    int status;             /* 0: the peer was gone before an answer */
    size_t bytes;           /* of the answer's body */
    uint64_t micros;
};

struct http_config {
    const struct http_route
        *routes;             /* ends with a row without path; must outlive the server */
    void *context;           /* given to handlers and the callbacks below */
    struct http_guard guard; /* borrowed likewise */
    struct http_proxies proxies; /* likewise: whose word on the peer is believed */
    struct http_limits limits;
    bool https; /* clients come by https: they are told never to try http */
    void (*on_access)(void *context, const struct http_access *a); /* may be NULL */

    void (*on_tick)(void *context); /* on the loop, every half second; may be NULL */

    /*
     * Called on the loop when a stop begins: end the streams that would never end by
     * themselves. Exchanges that still work get limits.drain_ms. NULL: all streams end.
     */
    void (*on_stop)(void *context);
};

struct http_server *http_server_create(const struct http_config *config);

/* After run returned (or without it), when every exchange was ended and no other thread
 * is within a call of this header any more. NULL is fine. */
void http_server_free(struct http_server *s);

/*
 * Listen on "host:port", ":port" (every address), "[v6]:port" or "unix:/path"
 * (a stale socket file is replaced); port 0 takes a free one.
 */
MUST_CHECK bool http_server_listen(struct http_server *s, str address, struct err *err);

/* Listen on a socket that is bound already (systemd); it is closed when we are done. */
MUST_CHECK bool http_server_listen_fd(struct http_server *s, int fd, struct err *err);

/* The port of the first TCP listener, 0 if there is none; from any thread. */
unsigned http_server_port(const struct http_server *s);

/* From any thread: how many connections are open. */
size_t http_server_connections(const struct http_server *s);

/*
 * Serve until http_server_stop() or SIGTERM, SIGINT; then drain and return. A second
 * signal ends the drain. Exchanges that are still open may be ended afterwards.
 */
void http_server_run(struct http_server *s);

/* From any thread: stop accepting, end idle connections and streams, let the rest finish.
 */
void http_server_stop(struct http_server *s);

/*
 * An exchange: one request and its answer. It ends with http_reply() or
 * http_stream_end(), exactly once, from any thread; then it must not be touched.
 * That also holds when the peer is gone: the answer is then dropped.
 */
const struct http_request *http_request_of(const struct http_exchange *x);
uint64_t http_exchange_id(const struct http_exchange *x);

/*
 * Have fn called once, on the loop, if the peer goes away before the end or has gone
 * already; never from within another call of this header. It may come just after another
 * thread has ended the exchange, so it names what to stop by a number, and owner must
 * outlive the server. NULL takes it back. Loop thread only.
 */
typedef void (*http_gone_fn)(void *owner, uint64_t tag);
void http_on_gone(struct http_exchange *x, http_gone_fn fn, void *owner, uint64_t tag);

/* Answer whole. The response is copied. */
void http_reply(struct http_exchange *x, const struct http_response *r);

/* Begin an event stream: status 200 and the headers of response.h, plus those in r. */
void http_stream(struct http_exchange *x, const struct http_response *r);

/*
 * Append bytes to the stream, flushed at once; copied. A peer that has left more than
 * limits.queued unread when more is sent is cut off; one large piece is not. False when
 * the peer is known to be gone.
 */
bool http_stream_send(struct http_exchange *x, str bytes);

void http_stream_end(struct http_exchange *x);
