/*
 * One connection: bytes in, one request at a time, bytes out.
 *
 *     IDLE -> HEAD (-> JUDGING) -> BODY -> ANSWERING -> WRITING -> IDLE ...
 *                 refused early or ending: -> WRITING -> LINGERING -> CLOSING
 *
 * It always reads, even while a handler works, to notice when the peer disconnects; bytes
 * that arrive too early are kept, up to a limit. Apart from that there is no buffer per
 * connection: all read into one buffer of the server, and a parser is lent only while a
 * request arrives.
 */
#include "http/connection.h"

#include <stdlib.h>

#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/os/ready.h"
#include "http/address.h"
#include "http/forwarded.h"

enum {
    LINGER_MS = 2000,
    LINGER_BYTES = 16 << 20, /* more than any body: proxies answer 502 if it is cut */
};

const struct http_limits *connection_limits(const struct connection *c)
{
    return &c->server->config.limits;
}

void connection_deadline(struct connection *c, uint64_t ms)
{
    c->deadline = ms > 0 ? uv_now(&c->server->loop) + ms : 0;
}

static void on_closed(uv_handle_t *h)
{
    struct connection *c = h->data;
    struct http_server *s = c->server;
    *c->link = c->next;
    if (c->next != NULL)
        c->next->link = c->link;
    if (c->parser != NULL)
        server_give_parser(s, c->parser);
    if (c->x != NULL && c->x->handled)
        exchange_gone(c->x);
    else if (c->x != NULL)
        exchange_drop(c->x);
    free(c->waiting);
    net_release(c->fd);
    free(c);
    server_closed_one(s);
}

/* Handlers are notified later, from on_closed, never from within one of their calls. */
void connection_close(struct connection *c)
{
    if (c->state == CONNECTION_CLOSING)
        return;
    c->state = CONNECTION_CLOSING;
    c->server->queued -= c->pending;
    senders_forget(c);
    if (c->x != NULL)
        atomic_store(&c->x->gone, true);
    uv_close(&c->io.handle, on_closed);
}

size_t connection_queued(const struct connection *c)
{
    return uv_stream_get_write_queue_size(&c->io.stream);
}

static void set_write_deadline(struct connection *c)
{
    connection_deadline(c, connection_limits(c)->write_ms +
                               connection_queued(c) / HTTP_MIB * 1000);
}

static void on_shut(uv_shutdown_t *req, int status)
{
    (void)status;
    free(req);
}

/*
 * Closing with unread bytes would reset the connection, and the peer could lose the
 * answer (RFC 9112 §9.6): shut down our side, and continue reading for a moment.
 */
static void linger(struct connection *c)
{
    uv_shutdown_t *req = mem_alloc(sizeof(*req));
    if (uv_shutdown(req, &c->io.stream, on_shut) != 0) {
        free(req);
        connection_close(c);
        return;
    }
    c->state = CONNECTION_LINGERING;
    connection_deadline(c, LINGER_MS);
}

/* The answer has been written. */
static void written(struct connection *c)
{
    if (c->ends && c->lingers) {
        linger(c);
    } else if (c->ends) {
        connection_close(c);
    } else {
        c->state = CONNECTION_IDLE;
        connection_deadline(c, connection_limits(c)->keepalive_ms);
    }
    if (!c->consuming)
        connection_resume(c);
}

void connection_answered(struct connection *c, bool keep_alive, bool lingers)
{
    if (c->state == CONNECTION_CLOSING)
        return;
    serve_release_parser(c);
    c->ends = c->ends || !keep_alive;
    c->lingers = lingers;
    c->beat = 0;
    if (connection_queued(c) == 0) {
        written(c);
        return;
    }
    c->state = CONNECTION_WRITING;
    set_write_deadline(c);
}

void connection_end(struct connection *c)
{
    if (c->state == CONNECTION_CLOSING)
        return;
    if (c->x != NULL)
        atomic_store(&c->x->gone, true);
    connection_answered(c, false, false);
}

void connection_streams(struct connection *c)
{
    if (c->state == CONNECTION_CLOSING)
        return;
    if (c->io.handle.type == UV_TCP)
        net_give_up_after(c->fd, (unsigned)connection_limits(c)->write_ms);
    connection_stream_sent(c);
}

void connection_stream_sent(struct connection *c)
{
    if (c->state == CONNECTION_CLOSING)
        return;
    c->beat = connection_limits(c)->heartbeat_ms > 0
                  ? uv_now(&c->server->loop) + connection_limits(c)->heartbeat_ms
                  : UINT64_MAX;
    if (connection_queued(c) > 0 && c->deadline == 0)
        set_write_deadline(c);
}

struct outgoing {
    uv_write_t req;
    size_t size;
    void *owned;
    char bytes[];
};

static void on_written(uv_write_t *req, int status)
{
    struct connection *c = req->handle->data;
    struct outgoing *out = req->data;
    size_t size = out->size;
    free(out->owned);
    free(out);
    if (c->state == CONNECTION_CLOSING)
        return;
    c->pending -= size;
    c->server->queued -= size;
    bool all = connection_queued(c) == 0;
    if (status < 0)
        connection_close(c);
    else if (c->state == CONNECTION_WRITING && all)
        written(c);
    else if (c->beat != 0 && all)
        c->deadline = 0;
    else if (c->beat != 0)
        set_write_deadline(c);
}

/* Too much is unread in all: drop the peers that have left most of it. One answer to one
 * peer is never too much. */
static void shed_readers(struct http_server *s)
{
    while (s->queued > s->config.limits.queued_all) {
        struct connection *worst = NULL;
        size_t n = 0;
        for (struct connection *c = s->connections; c != NULL; c = c->next) {
            if (c->state == CONNECTION_CLOSING || c->pending == 0)
                continue;
            n++;
            if (worst == NULL || c->pending > worst->pending)
                worst = c;
        }
        if (n < 2)
            return;
        connection_close(worst);
    }
}

/* Queue what the socket did not accept immediately. */
static void queue_rest(struct connection *c, const str *parts, size_t n, void *owned)
{
    size_t copied = 0, n_copied = owned != NULL ? n - 1 : n;
    for (size_t i = 0; i < n_copied; i++)
        copied += parts[i].n;
    struct outgoing *out = mem_alloc(size_add(sizeof(*out), copied));
    out->owned = owned;
    out->req.data = out;
    char *at = out->bytes;
    for (size_t i = 0; i < n_copied; i++) {
        if (parts[i].n > 0)
            memcpy(at, parts[i].p, parts[i].n);
        at += parts[i].n;
    }
    uv_buf_t bufs[2] = {{.base = out->bytes, .len = copied}};
    unsigned n_bufs = copied > 0;
    if (owned != NULL && parts[n - 1].n > 0)
        bufs[n_bufs++] = uv_buf_init((char *)parts[n - 1].p, (unsigned)parts[n - 1].n);
    out->size = copied + (owned != NULL ? parts[n - 1].n : 0);
    if (uv_write(&out->req, &c->io.stream, bufs, n_bufs, on_written) != 0) {
        free(out->owned);
        free(out);
        connection_close(c);
        return;
    }
    c->pending += out->size;
    c->server->queued += out->size;
    shed_readers(c->server);
}

void connection_send(struct connection *c, const str *parts, size_t n, void *owned)
{
    enum { PARTS_MAX = 3 };
    str rest[PARTS_MAX];
    uv_buf_t bufs[PARTS_MAX];
    size_t total = 0;
    for (size_t i = 0; i < n; i++) {
        rest[i] = parts[i];
        bufs[i] = (uv_buf_t){.base = (char *)parts[i].p, .len = parts[i].n};
        total += parts[i].n;
    }
    if (c->state == CONNECTION_CLOSING || total == 0) {
        free(owned);
        return;
    }
    int sent = connection_queued(c) == 0 ? uv_try_write(&c->io.stream, bufs, (unsigned)n)
                                         : UV_EAGAIN;
    if (sent == (int)total || (sent < 0 && sent != UV_EAGAIN)) {
        free(owned);
        if (sent < 0)
            connection_close(c);
        return;
    }
    size_t gone = sent > 0 ? (size_t)sent : 0;
    for (size_t i = 0; i < n && gone > 0; i++) {
        size_t cut = gone < rest[i].n ? gone : rest[i].n;
        rest[i] = str_skip(rest[i], cut);
        gone -= cut;
    }
    queue_rest(c, rest, n, owned);
}

static bool is_receiving(const struct connection *c)
{
    return c->state == CONNECTION_IDLE || c->state == CONNECTION_HEAD ||
           c->state == CONNECTION_BODY;
}

/* Handle requests until all bytes are used or one has to wait for its answer. */
static size_t consume(struct connection *c, str bytes)
{
    size_t used = 0;
    c->consuming = true;
    while (used < bytes.n && is_receiving(c)) {
        if (c->state == CONNECTION_IDLE)
            serve_begin(c);
        used += serve_feed(c, str_skip(bytes, used));
    }
    c->consuming = false;
    bool over = c->state == CONNECTION_LINGERING || c->state == CONNECTION_CLOSING;
    return over ? bytes.n : used;
}

static void keep_waiting(struct connection *c, str bytes)
{
    if (c->waiting_at > 0) {
        c->waiting_n -= c->waiting_at;
        memmove(c->waiting, c->waiting + c->waiting_at, c->waiting_n);
        c->waiting_at = 0;
    }
    c->waiting = mem_grow(c->waiting, size_add(c->waiting_n, bytes.n));
    memcpy(c->waiting + c->waiting_n, bytes.p, bytes.n);
    c->waiting_n += bytes.n;
    if (c->waiting_n > connection_limits(c)->head) {
        uv_read_stop(&c->io.stream);
        c->reading = false;
    }
}

static void peer_ended(struct connection *c, bool cleanly)
{
    c->reading = false;
    if (c->state == CONNECTION_WRITING && cleanly)
        c->ends = true; /* it may have closed only its half: finish the answer */
    else
        connection_close(c);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf)
{
    struct connection *c = stream->data;
    if (n == 0 || c->state == CONNECTION_CLOSING)
        return;
    if (n < 0) {
        peer_ended(c, n == UV_EOF);
        return;
    }
    if (c->state == CONNECTION_LINGERING) {
        c->dropped += (size_t)n;
        if (c->dropped > LINGER_BYTES)
            connection_close(c);
        return;
    }
    str bytes = {buf->base, (size_t)n};
    size_t used = consume(c, bytes);
    if (used < bytes.n)
        keep_waiting(c, str_skip(bytes, used));
    senders_count(c);
}

static void on_alloc(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
    (void)suggested;
    struct connection *c = h->data;
    *buf = uv_buf_init(c->server->read_buffer, HTTP_READ_SIZE);
}

static void start_reading(struct connection *c)
{
    c->reading = uv_read_start(&c->io.stream, on_alloc, on_read) == 0;
    if (!c->reading)
        connection_close(c);
}

void connection_resume(struct connection *c)
{
    if (c->waiting != NULL) {
        str bytes = {c->waiting + c->waiting_at, c->waiting_n - c->waiting_at};
        c->waiting_at += consume(c, bytes);
        if (c->waiting_at == c->waiting_n) {
            free(c->waiting);
            c->waiting = NULL;
            c->waiting_at = c->waiting_n = 0;
        }
    }
    if (!c->reading && c->state != CONNECTION_CLOSING &&
        c->waiting_n - c->waiting_at <= connection_limits(c)->head)
        start_reading(c);
    senders_count(c);
}

/* Bytes that the loop has not read yet. Closing now would reset the connection. */
static bool has_input(const struct connection *c)
{
    return ready_to_read(c->fd);
}

void connection_end_idle(struct connection *c)
{
    if (c->state == CONNECTION_IDLE && !has_input(c))
        connection_close(c);
}

void connection_check(struct connection *c, uint64_t now)
{
    if (c->state == CONNECTION_CLOSING)
        return;
    if (c->deadline != 0 && now >= c->deadline) {
        if (c->state == CONNECTION_HEAD || c->state == CONNECTION_BODY)
            serve_late(c);
        else if (c->state == CONNECTION_IDLE)
            connection_end_idle(c);
        else
            connection_close(c);
    } else if (c->beat != 0 && now >= c->beat && connection_queued(c) == 0) {
        exchange_heartbeat(c->x);
    }
}

void connection_drain(struct connection *c, bool end_streams)
{
    if (end_streams && c->state == CONNECTION_ANSWERING && c->beat != 0) {
        exchange_last_chunk(c->x);
        connection_end(c);
    } else {
        c->ends = true;
        if (!http_proxies_trust(&c->server->config.proxies, str_c(c->peer)))
            connection_end_idle(c);
    }
}

static int attach(struct connection *c, int fd, bool is_unix)
{
    uv_loop_t *loop = &c->server->loop;
    if (is_unix && machine_system() != MACHINE_WINDOWS) { /* named pipes there */
        uv_pipe_init(loop, &c->io.pipe, 0);
        return uv_pipe_open(&c->io.pipe, fd);
    }
    uv_tcp_init(loop, &c->io.tcp);
    return uv_tcp_open(&c->io.tcp, (uv_os_sock_t)net_system(fd));
}

void connection_open(struct http_server *s, int fd, const struct net_address *peer)
{
    struct connection *c = mem_zero(sizeof(*c));
    c->server = s;
    c->is_local = net_is_local(peer);
    str address = net_print(peer, c->peer);
    str network = http_address_network(address, c->network);
    if (network.p != c->network)
        memcpy(c->network, c->peer, sizeof(c->peer));
    senders_name(c, address);
    c->next = s->connections;
    c->link = &s->connections;
    if (c->next != NULL)
        c->next->link = &c->next;
    s->connections = c;
    s->n_connections++;

    bool inet = peer->kind == NET_IP4 || peer->kind == NET_IP6;
    int failed = attach(c, fd, !inet);
    c->io.handle.data = c;
    c->fd = failed ? -1 : fd;
    if (failed) {
        file_close(fd);
        connection_close(c);
        return;
    }
    connection_deadline(c, connection_limits(c)->silent_ms);
    start_reading(c);
}
