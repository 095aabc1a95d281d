/*
 * connection - private to src/http: what the files that know the loop share.
 *
 * Everything here belongs to the loop thread except the atomic members of an exchange
 * and the list of messages, through which other threads speak.
 *
 * Who owns what: the server its connections; a connection its exchange until the
 * request is complete, from then on the handler, until it ends the exchange. Each
 * knows the other and is told when it dies: exchange->connection and connection->x.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

#include "http/parse.h"
#include "http/server.h"

enum connection_state {
    CONNECTION_IDLE,      /* no byte of a request yet */
    CONNECTION_HEAD,      /* within the head */
    CONNECTION_BODY,      /* within the body */
    CONNECTION_ANSWERING, /* a handler has the request */
    CONNECTION_WRITING,   /* the answer is on its way */
    CONNECTION_LINGERING, /* answered early; reads what the peer still sends */
    CONNECTION_CLOSING,
};

struct connection {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } io;
    struct http_server *server;
    struct connection *next, **link; /* in server->connections */
    struct http_exchange *x;
    struct http_parser *parser; /* only within head and body */
    char *waiting;              /* bytes that came too early: [waiting_at, waiting_n) */
    size_t waiting_at, waiting_n;
    uint64_t deadline; /* ms of the loop's clock; 0: none */
    uint64_t beat;     /* when a stream gets its next comment; 0: no stream */
    size_t dropped;    /* bytes read while lingering */
    enum connection_state state;
    bool is_local;
    bool reading;
    bool consuming; /* its bytes are being parsed further up the stack */
    bool ends;      /* close when the answer is written */
    bool lingers;   /* the peer may still be sending then */
    char peer[64];
};

struct http_exchange {
    struct http_server *server;
    struct connection *connection; /* NULL once it is closed */
    struct http_exchange *next;    /* in server->spare_exchanges */
    struct arena arena;
    struct http_request request;
    const struct http_route *route;
    str origin, path, peer; /* in the arena, or in kept */
    char *kept;
    uint64_t id, started; /* ns */
    size_t bytes;
    http_gone_fn gone_fn;
    void *gone_owner;
    uint64_t gone_tag;
    atomic_bool ended;
    atomic_uint posted; /* messages on their way */
    atomic_bool gone;
    int status;  /* of the answer, once there is one */
    int verdict; /* what the head alone decided, 0: nothing */
    bool http10, keep_alive, lingers;
    bool handled; /* a handler has it */
    bool streaming;
    bool telling, finished; /* ended within on_gone */
};

struct message;
struct listener;

struct http_server {
    struct http_config config;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t sweep;
    uv_signal_t signals[2];
    struct listener *listeners;
    unsigned port; /* of the first TCP listener; set before others can ask */
    struct connection *connections;
    atomic_size_t n_connections; /* others only read it */
    int spare_fd;                /* given up for a moment when no descriptor is left */
    char *read_buffer;
    struct arena scratch; /* for the head of one answer */
    struct http_exchange *spare_exchanges;
    struct http_parser **spare_parsers;
    size_t n_spare_exchanges, n_spare_parsers;
    uint64_t last_id;
    uint64_t drain_until;
    bool stopping;
    int64_t date_of; /* the second that date says */
    char date[HTTP_DATE_SIZE];
    _Atomic(struct message *) messages; /* newest first */
    _Atomic(pthread_t) thread;          /* that runs the loop */
    atomic_bool stop_asked;
};

enum { HTTP_READ_SIZE = 64 << 10, HTTP_SPARES = 64, HTTP_MIB = 1 << 20 };

/* server.c */
str server_date(struct http_server *s);
struct http_parser *server_take_parser(struct http_server *s);
void server_give_parser(struct http_server *s, struct http_parser *p);
void server_closed_one(struct http_server *s); /* the last one ends a drain */

/* listener.c */
void listeners_wake(struct http_server *s); /* those that rest try again */
void listeners_close(struct http_server *s);

/* serve.c */
void serve_begin(struct connection *c); /* the first byte of a request is here */
size_t serve_feed(struct connection *c, str bytes); /* says how many were used */
void serve_late(struct connection *c);              /* 408 */

/* connection.c: takes over fd */
void connection_open(struct http_server *s, int fd, const struct sockaddr *peer);
void connection_close(struct connection *c); /* at once; freed later by the loop */
void connection_check(struct connection *c, uint64_t now); /* deadlines and heartbeat */
/* The server stops: what is idle ends, and streams, if asked. */
void connection_drain(struct connection *c, bool end_streams);

/* Send parts one behind the other. owned, if given, holds the last part and is freed when
 * that is written; the others are copied as needed. */
void connection_send(struct connection *c, const str *parts, size_t n, void *owned);
size_t connection_queued(const struct connection *c);
const struct http_limits *connection_limits(const struct connection *c);
void connection_deadline(struct connection *c, uint64_t ms); /* from now; 0: none */

/* The whole answer was given to connection_send. */
void connection_answered(struct connection *c, bool keep_alive, bool lingers);

/* Close when everything is written; its exchange, if any, counts as gone from now on. */
void connection_end(struct connection *c);

/* From now on a stream: heartbeats, and a deadline for bytes that are not taken. */
void connection_streams(struct connection *c);
void connection_stream_sent(struct connection *c);

/* exchange.c */
struct http_exchange *exchange_create(struct http_server *s, struct connection *c);
void exchange_drop(struct http_exchange *x); /* its request never became complete */
void exchange_free(struct http_exchange *x);
void exchange_gone(struct http_exchange *x); /* its connection is closed */
void exchange_reply(struct http_exchange *x, const struct http_response *r);
void exchange_last_chunk(struct http_exchange *x);
void exchange_heartbeat(struct http_exchange *x);
void exchange_take_messages(struct http_server *s);
