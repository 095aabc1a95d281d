/*
 * server - HTTP/1.1 on one libuv loop: routes, limits, deadlines, streams.
 *
 * One thread runs the loop and owns all sockets. A handler runs there and must not block:
 * it answers immediately, or passes the exchange to another thread that answers later.
 * Requests of one connection are handled one after the other; pipelined ones wait.
 *
 * Strict by design (RFC 9112, SEC-61): a request that two parsers could read differently
 * is refused and the connection closed. Every limit is in struct http_limits. Deadlines
 * are absolute, so a peer that sends very slowly is cut off. What peers leave unread is
 * limited in total: those that left most are cut off. So is what they have sent of
 * requests that are not complete: the largest sender is refused (503). When there are too
 * many connections, the caller with most loses one to a newcomer.
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

/* For browser clients. WELCOME: origins that the guard accepts may read the answer. ANY:
 * every origin may ("*", without credentials), and the guard checks only Host. */
enum http_cors { HTTP_CORS_NONE, HTTP_CORS_WELCOME, HTTP_CORS_ANY };

struct http_route {
    /* Exact, or a prefix if it ends in "/" (except "/" itself). The first match wins. */
    const char *path;
    /* Bits of enum http_method. GET implies HEAD; OPTIONS is always answered. */
    unsigned methods;
    size_t body_max; /* bytes; larger bodies get 413 before they are read */
    enum http_cors cors;
    void (*handle)(struct http_exchange *x, void *context);
    void *context; /* for handle and judge; NULL: the server's */

    /*
     * Called at the end of a head whose body has not arrived with it: calls http_admit(),
     * or answers, at once or later. Meanwhile nothing is read. NULL: anyone may send a
     * body.
     */
    void (*judge)(struct http_exchange *x, void *context);
};

/* A finished exchange, for the access log. */
struct http_access {
    uint64_t id;            /* counts up from 1 */
    str method, path, peer; /* path without the query, which may contain secrets */
    int status;             /* 0: the peer left before the answer */
    size_t bytes;           /* of the answer's body */
    uint64_t micros;
};

struct http_config {
    /* The last row has no path. Routes, guard and proxies must outlive the server. */
    const struct http_route *routes;
    /* For GET of a path without a row by something that wants HTML; NULL: 404 in JSON, as for
     * everything else. */
    const struct http_route *nowhere;
    void *context; /* passed to handlers and the callbacks below */
    struct http_guard guard;
    struct http_proxies proxies; /* that are trusted */
    struct http_limits limits;
    bool https; /* clients use https: send Strict-Transport-Security */
    void (*on_access)(void *context, const struct http_access *a); /* may be NULL */

    bool may_wait; /* handlers may wait on the loop (base/lock.h): for a few peers only */

    void (*on_tick)(void *context); /* on the loop, about twice a second; may be NULL */

    /*
     * Called on the loop when a stop begins: end the streams that would never end by
     * themselves. Exchanges that still work get limits.drain_ms. NULL: all streams end.
     */
    void (*on_stop)(void *context);
};

struct http_server *http_server_create(const struct http_config *config);

/* Call this after run has returned (or without it), when every exchange has ended and no
 * other thread is inside a function of this header. NULL is fine. */
void http_server_free(struct http_server *s);

/*
 * Listen on "host:port", ":port" (every address), "[v6]:port" or "unix:/path"
 * (a stale socket file is replaced); port 0 takes a free one.
 */
MUST_CHECK bool http_server_listen(struct http_server *s, str address, struct err *err);

/* Listen on a socket that is already bound (systemd); it is closed at the end. */
MUST_CHECK bool http_server_listen_fd(struct http_server *s, int fd, struct err *err);

/* The port of the first TCP listener, 0 if there is none; from any thread. */
unsigned http_server_port(const struct http_server *s);

/* Whether only this machine can connect: every socket is bound to loopback or to a file,
 * as the kernel says. */
bool http_server_is_local(const struct http_server *s);

/* From any thread: the number of open connections. */
size_t http_server_connections(const struct http_server *s);

/*
 * Serve until http_server_stop() or SIGTERM, SIGINT; then drain and return. A further
 * signal ends the drain. Exchanges that are still open can be ended afterwards.
 */
void http_server_run(struct http_server *s);

/* From any thread: after limits.stop_ms stop accepting, end streams, answer requests that
 * have arrived, also those that proxies send within limits.drain_idle_ms, and close each
 * connection after that answer. Each further time, do not wait for what it waits for. */
void http_server_stop(struct http_server *s);

/*
 * An exchange: one request and its answer. It ends with http_reply() or
 * http_stream_end(), exactly once, from any thread; then it must not be touched.
 * This also applies if the peer is gone: the answer is then dropped.
 */
const struct http_request *http_request_of(const struct http_exchange *x);
uint64_t http_exchange_id(const struct http_exchange *x);

/*
 * Call fn once, on the loop, if the peer disconnects before the end or has already done
 * so; never from within another call of this header. This may happen just after another
 * thread has ended the exchange, so tag identifies what to stop by a number, and owner
 * must outlive the server. A NULL fn cancels it. Loop thread only.
 */
typedef void (*http_gone_fn)(void *owner, uint64_t tag);
void http_on_gone(struct http_exchange *x, http_gone_fn fn, void *owner, uint64_t tag);

/*
 * From any thread: call fn on the loop, which then owns the exchange as a handler does.
 * serving is false if the loop has ended: then fn must end the exchange itself.
 */
typedef void (*http_continue_fn)(struct http_exchange *x, void *arg, bool serving);
void http_continue(struct http_exchange *x, http_continue_fn fn, void *arg);

/* For a judge or handler, on the loop: the caller, as a number by which requests and
 * connections are counted together. Without it (or 0), they are counted by address. */
void http_name_caller(struct http_exchange *x, uint64_t owner);

/* For a judge, on the loop: read the body, up to max bytes; names the caller, too. */
void http_admit(struct http_exchange *x, size_t max, uint64_t owner);

/* Whether a judge was asked about it. */
bool http_was_judged(const struct http_exchange *x);

/* For a judge: the length of the body; SIZE_MAX if its head does not say. */
size_t http_body_size(const struct http_exchange *x);

/* Send a complete answer. The response is copied. */
void http_reply(struct http_exchange *x, const struct http_response *r);

/* Begin an event stream: status 200 and the headers of response.h, plus those in r. */
void http_stream(struct http_exchange *x, const struct http_response *r);

/*
 * Append bytes to the stream, flushed immediately; copied. A peer that has left more than
 * limits.queued unread when more is sent is cut off; one large piece is not. False if
 * the peer is known to be gone.
 */
bool http_stream_send(struct http_exchange *x, str bytes);

void http_stream_end(struct http_exchange *x);
