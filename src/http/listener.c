/*
 * Listening sockets, and which connections are accepted.
 *
 * Listeners are polled and accepted from here rather than by uv_listen(), because libuv
 * spins when its own spare descriptor is lost, and because connections over the limit can
 * then be refused without creating a handle.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/os/file.h"
#include "http/address.h"
#include "http/connection.h"
#include "http/forwarded.h"
#include "http/response.h"

enum { BACKLOG = 1024, ACCEPT_BATCH = 64 };

struct listener {
    struct listener *next;
    struct http_server *server;
    uv_poll_t poll;
    int fd;
    bool resting;      /* accept() failed; the sweep tries again */
    char *socket_file; /* removed at the end */
};

/* Too many connections: send a short answer if that is possible without waiting. */
static void send_away(struct http_server *s, int fd)
{
    struct http_response r;
    arena_reset(&s->scratch);
    http_refusal(&s->scratch, 503, &r);
    http_add_header(&r, STR("Retry-After"), STR("1"));
    struct http_framing f = {.date = server_date(s)};
    struct sbuf out = SBUF_ON(&s->scratch);
    http_response_head(&out, &r, &f);
    sbuf_add(&out, r.body);
    net_dismiss(fd, sbuf_str(&out), s->read_buffer, HTTP_READ_SIZE);
}

static bool is_over_peer_limit(struct http_server *s, const struct net_address *peer)
{
    char text[NET_TEXT_SIZE], room[NET_TEXT_SIZE];
    str address = net_print(peer, text);
    if (net_is_local(peer) || http_proxies_trust(&s->config.proxies, address))
        return false;
    size_t n = 0;
    str network = http_address_network(address, room);
    for (const struct connection *c = s->connections; c != NULL; c = c->next)
        n += str_eq(str_c(c->network), network);
    return n >= s->config.limits.connections_per_peer;
}

enum shedding { SHED_ONE, SHED_NONE_WAITS, SHED_FAILED };

/*
 * No descriptor is left: use the spare one to accept a connection and close it. The
 * kernel reports this even if no connection is waiting.
 */
static enum shedding shed(struct listener *l)
{
    struct http_server *s = l->server;
    if (s->spare_fd < 0)
        return SHED_FAILED;
    file_close(s->spare_fd);
    int fd = net_accept(l->fd, NULL);
    int error = errno;
    file_close(fd);
    s->spare_fd = file_open_null();
    if (s->spare_fd < 0)
        return SHED_FAILED;
    if (fd >= 0)
        return SHED_ONE;
    return error == EAGAIN ? SHED_NONE_WAITS : SHED_FAILED;
}

static void on_poll(uv_poll_t *poll, int status, int events);

/* Do not spin on an error: pause the listener until the next sweep. */
static void rest(struct listener *l)
{
    uv_poll_stop(&l->poll);
    l->resting = true;
}

static void stop_resting(struct listener *l)
{
    struct http_server *s = l->server;
    if (s->spare_fd < 0)
        s->spare_fd = file_open_null();
    l->resting = uv_poll_start(&l->poll, UV_READABLE, on_poll) != 0;
}

/* Whether to continue accepting after the error. */
static bool survive(struct listener *l, int error)
{
    switch (error) {
    case EAGAIN:
        return false;
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
        return true;
    case EMFILE:
    case ENFILE: {
        enum shedding result = shed(l);
        if (result == SHED_FAILED)
            rest(l);
        return result == SHED_ONE;
    }
    default:
        rest(l);
        return false;
    }
}

static void accept_some(struct listener *l, int max)
{
    struct http_server *s = l->server;
    for (int i = 0; i < max; i++) {
        struct net_address peer;
        int fd = net_accept(l->fd, &peer);
        if (fd < 0) {
            if (!survive(l, errno))
                return;
        } else if (is_over_peer_limit(s, &peer)) {
            file_close(fd);
        } else if (s->n_connections >= s->config.limits.connections &&
                   !senders_make_room(s, &peer)) {
            send_away(s, fd);
        } else {
            connection_open(s, fd, &peer);
        }
    }
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct listener *l = poll->data;
    if (status < 0)
        rest(l);
    else
        accept_some(l, ACCEPT_BATCH);
}

void listeners_accept_rest(struct http_server *s)
{
    for (struct listener *l = s->listeners; l != NULL; l = l->next)
        accept_some(l, BACKLOG);
}

void listeners_wake(struct http_server *s)
{
    for (struct listener *l = s->listeners; l != NULL; l = l->next)
        if (l->resting)
            stop_resting(l);
}

static void on_listener_closed(uv_handle_t *h)
{
    struct listener *l = h->data;
    if (l->socket_file != NULL)
        file_remove(FILE_CWD, l->socket_file);
    free(l->socket_file);
    free(l);
}

void listeners_close(struct http_server *s)
{
    while (s->listeners != NULL) {
        struct listener *l = s->listeners;
        s->listeners = l->next;
        uv_close((uv_handle_t *)&l->poll, on_listener_closed);
        file_close(l->fd);
    }
}

/* 0 if it is not a TCP socket. */
static unsigned port_of(int fd)
{
    struct net_address a;
    return net_name(fd, &a) ? a.port : 0;
}

/* Takes ownership of fd and socket_file, even if it fails. */
static bool add_listener(struct http_server *s, int fd, char *socket_file,
                         struct err *err)
{
    struct listener *l = mem_zero(sizeof(*l));
    l->server = s;
    l->fd = fd;
    l->socket_file = socket_file;
    int failed = !net_listen(fd, BACKLOG);
    if (!failed) {
        failed = uv_poll_init_socket(&s->loop, &l->poll, (uv_os_sock_t)net_system(fd));
        errno = -failed;
    }
    if (failed) {
        err_sys(err, "cannot listen");
        file_close(fd);
        free(socket_file);
        free(l);
        return false;
    }
    l->poll.data = l;
    uv_poll_start(&l->poll, UV_READABLE, on_poll);
    struct listener **last = &s->listeners;
    while (*last != NULL)
        last = &(*last)->next;
    *last = l;
    if (s->port == 0)
        s->port = port_of(fd);
    return true;
}

/* Remove a stale socket file, on which no process listens. */
static void remove_stale(const struct net_address *a)
{
    struct file_stat st;
    if (file_stat_at(FILE_CWD, a->path, FILE_NO_LINK, &st) && st.type == FILE_SOCKET &&
        net_is_deserted(a))
        file_remove(FILE_CWD, a->path);
}

bool http_server_listen(struct http_server *s, str address, struct err *err)
{
    struct net_address a;
    if (!http_address_parse(address, &a, err))
        return false;
    bool is_unix = a.kind == NET_UNIX;
    if (is_unix)
        remove_stale(&a);

    int fd = net_bind(&a);
    if (fd < 0 && errno == EAFNOSUPPORT && address.p[0] == ':') {
        a.kind = NET_IP4; /* no IPv6 on this machine: listen on every IPv4 address */
        fd = net_bind(&a);
    }
    if (fd < 0)
        return err_sys(err, "cannot listen on '" STR_FMT "'", STR_ARG(address));
    return add_listener(s, fd, is_unix ? mem_str(str_c(a.path)) : NULL, err);
}

bool http_server_listen_fd(struct http_server *s, int fd, struct err *err)
{
    bool stream;
    if (!net_adopt(fd, &stream))
        return err_sys(err, "descriptor %d is not a socket", fd);
    if (!stream)
        return err_set(err, ERR_INVALID, "descriptor %d is not a stream socket", fd);
    return add_listener(s, fd, NULL, err);
}

bool http_server_is_local(const struct http_server *s)
{
    for (const struct listener *l = s->listeners; l != NULL; l = l->next) {
        struct net_address a;
        if (!net_name(l->fd, &a) || !net_is_local(&a))
            return false;
    }
    return true;
}

unsigned http_server_port(const struct http_server *s)
{
    return s->port;
}
