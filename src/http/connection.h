/*
 * connection - shared by the files that use the loop; private to src/http.
 *
 * Everything here belongs to the loop thread except the atomic members of an exchange
 * and the list of messages, which other threads use.
 *
 * Ownership: the server owns its connections. A connection owns its exchange until the
 * request is complete; from then on the handler does, until it ends the exchange. They
 * point to each other (exchange->connection, connection->x) and are notified when the
 * other one is gone.
 */
#pragma once

#include <stdatomic.h>
#include <uv.h>

#include "base/os/thread.h"
#include "http/address.h"
#include "http/parse.h"
#include "http/server.h"

enum connection_state {
    CONNECTION_IDLE,      /* no byte of a request yet */
    CONNECTION_HEAD,      /* within the head */
    CONNECTION_JUDGING,   /* between head and body: a judge has the request */
    CONNECTION_BODY,      /* within the body */
    CONNECTION_ANSWERING, /* a handler has the request */
    CONNECTION_WRITING,   /* the answer is being written */
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
    char *waiting; /* bytes that arrived too early: [waiting_at, waiting_n) */
    size_t waiting_at, waiting_n;
    uint64_t deadline; /* ms of the loop's clock; 0: none */
    uint64_t beat;     /* when a stream gets its next comment; 0: not a stream */
    size_t dropped;    /* bytes read while lingering */
    size_t pending;    /* bytes given to libuv that are not written yet */
    size_t held;       /* bytes of requests that are not complete (senders.c) */
    uint64_t owner;    /* of the last request whose head was read (senders.c) */
    bool known;        /* a judge or handler has named the owner */
    enum connection_state state;
    int fd; /* of libuv, which closes it; -1: none */
    bool is_local;
    bool reading;
    bool consuming; /* its bytes are being parsed further up the stack */
    bool ends;      /* close when the answer is written */
    bool lingers;   /* the peer may still be sending */
    char peer[NET_TEXT_SIZE], network[NET_TEXT_SIZE]; /* http_address_network() */
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
    atomic_uint posted; /* messages not yet handled */
    atomic_bool gone;
    int status;  /* of the answer, once there is one */
    int verdict; /* the status decided by the head alone, 0: none */
    bool http10, keep_alive, lingers;
    bool handled; /* a handler or judge has it */
    bool judged;  /* a judge was asked */
    bool is_local;
    bool streaming;
    bool notifying, finished; /* gone_fn is running; it ended the exchange */
};

struct message;
struct listener;

struct http_server {
    struct http_config config;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t sweep;
    uv_timer_t stop_delay; /* until a stop begins */
    uv_timer_t idle_end;   /* until it ends idle connections */
    uv_signal_t signals[2];
    struct listener *listeners;
    unsigned port; /* of the first TCP listener; set before other threads can ask */
    struct connection *connections;
    size_t queued;               /* bytes that peers have not read yet */
    size_t received;             /* bytes of requests that are not complete */
    atomic_size_t n_connections; /* other threads only read it */
    int spare_fd;                /* closed briefly when no descriptor is left */
    char *read_buffer;
    struct arena scratch; /* for the head of one answer */
    struct http_exchange *spare_exchanges;
    struct http_parser **spare_parsers;
    size_t n_spare_exchanges, n_spare_parsers;
    uint64_t last_id;
    uint64_t drain_until;
    bool stopping, freeing;
    unsigned stops_taken; /* of stop_asked */
    int64_t date_of;      /* the second that date shows */
    char date[HTTP_DATE_SIZE];
    _Atomic(struct message *) messages; /* newest first */
    _Atomic(uintptr_t) thread;          /* of the loop: thread_self(), or 0 */
    atomic_uint stop_asked;             /* how often */
};

enum { HTTP_READ_SIZE = 64 << 10, HTTP_SPARES = 64, HTTP_MIB = 1 << 20 };

/* server.c */
str server_date(struct http_server *s);
struct http_parser *server_take_parser(struct http_server *s);
void server_give_parser(struct http_server *s, struct http_parser *p);
void server_closed_one(struct http_server *s); /* the last one completes a drain */

/* listener.c */
void listeners_wake(struct http_server *s);        /* paused ones try again */
void listeners_accept_rest(struct http_server *s); /* those that are connected already */
void listeners_close(struct http_server *s);

/* serve.c */
void serve_begin(struct connection *c); /* the first byte of a request has arrived */
size_t serve_feed(struct connection *c, str bytes); /* returns how many were used */
void serve_late(struct connection *c);              /* 408 */
void serve_drop(struct connection *c);              /* 503: others need the memory */
void serve_release_parser(struct connection *c);    /* if it has one */

/* senders.c: who uses connections, and memory for unfinished requests */
void senders_name(struct connection *c, str peer);            /* a stranger, by address */
int senders_judge(const struct connection *c, bool is_local); /* 0, 429 or 503 */
void senders_count(struct connection *c); /* what it holds now; may drop others, and it */
void senders_forget(struct connection *c);

/* Too many connections: close one of the caller with most, if the newcomer has fewer. */
bool senders_make_room(struct http_server *s, const struct net_address *newcomer);

/* connection.c: takes ownership of fd */
void connection_open(struct http_server *s, int fd, const struct net_address *peer);
void connection_close(struct connection *c); /* immediately; freed later by the loop */
void connection_check(struct connection *c, uint64_t now); /* deadlines and heartbeat */
/* The server stops: the next answer is the last one. Streams end if requested, and idle
 * connections unless they are those of proxies. */
void connection_drain(struct connection *c, bool end_streams);
void connection_end_idle(struct connection *c); /* if no request has arrived */

/* Send parts one after the other. owned, if not NULL, contains the last part and is freed
 * when that is written; the others are copied as needed. */
void connection_send(struct connection *c, const str *parts, size_t n, void *owned);
size_t connection_queued(const struct connection *c);
void connection_resume(struct connection *c); /* with bytes that were kept, and reading */
const struct http_limits *connection_limits(const struct connection *c);
void connection_deadline(struct connection *c, uint64_t ms); /* from now; 0: none */

/* The whole answer was passed to connection_send. */
void connection_answered(struct connection *c, bool keep_alive, bool lingers);

/* Close when everything is written; from now on its exchange, if any, counts as gone. */
void connection_end(struct connection *c);

/* From now on a stream: heartbeats, and a deadline for bytes that the peer does not read.
 */
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
