/*
 * limits - how much a peer may send, and how long it may take.
 */
#pragma once

#include <stddef.h>

/* All of these together may not take the last quarter of the connections (503). */
enum { HTTP_RESERVED = 4 };

struct http_limits {
    size_t request_line, head;   /* bytes: 414, 431 */
    size_t headers;              /* count: 431 */
    size_t connections;          /* beyond, the caller with most loses one, or 503 */
    size_t connections_per_peer; /* not for loopback and proxies */
    size_t queued;       /* bytes of a stream that may be unread when more is sent */
    size_t queued_all;   /* bytes that all peers together may leave unread */
    size_t received_all; /* bytes of requests that are not complete, of all peers */

    /* Requests with an incomplete body of callers whom no judge knows (server.h), by address
     * as proxies report it (429; not for this machine). */
    size_t unfinished_per_peer;
    unsigned silent_ms, head_ms, body_ms, body_ms_per_mib, write_ms, heartbeat_ms;

    /* More than proxies keep idle connections (nginx 60 s, Caddy 120 s), so that they end them:
     * a request that is sent while this end closes the connection is lost. */
    unsigned keepalive_ms;
    unsigned stop_ms;  /* time to go on after a stop, until a load balancer has noticed */
    unsigned drain_ms; /* time for running exchanges to finish after a stop */

    /* After a stop, how long idle connections of trusted proxies may still send a request: the
     * proxy may have chosen one of them before it could know, and cannot repeat a POST. */
    unsigned drain_idle_ms;
};

#define HTTP_LIMITS_DEFAULT                                                              \
    ((struct http_limits){.request_line = 8 << 10,                                       \
                          .head = 32 << 10,                                              \
                          .headers = 100,                                                \
                          .connections = 1024,                                           \
                          .connections_per_peer = 128,                                   \
                          .queued = 1 << 20,                                             \
                          .queued_all = 64 << 20,                                        \
                          .received_all = 64 << 20,                                      \
                          .unfinished_per_peer = 32,                                     \
                          .silent_ms = 10000,                                            \
                          .head_ms = 10000,                                              \
                          .body_ms = 30000,                                              \
                          .body_ms_per_mib = 1000,                                       \
                          .keepalive_ms = 150000,                                        \
                          .write_ms = 30000,                                             \
                          .heartbeat_ms = 15000,                                         \
                          .drain_ms = 5000,                                              \
                          .drain_idle_ms = 1000})
