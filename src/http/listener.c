/*
 * Listening sockets, and which connections are accepted.
 *
 * Listeners are polled and accepted from here rather than by uv_listen(), because libuv
 * spins when its own spare descriptor is lost, and because connections over the limit can
 * then be refused without creating a handle.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
    ssize_t sent = send(fd, out.p, out.n, MSG_DONTWAIT | MSG_NOSIGNAL);
    shutdown(fd, SHUT_WR);
    /* Unread bytes would turn the close into a reset. */
    ssize_t got = sent > 0 ? recv(fd, s->read_buffer, HTTP_READ_SIZE, MSG_DONTWAIT) : 0;
    (void)got;
    close(fd);
}

static bool is_over_peer_limit(struct http_server *s, const struct sockaddr *peer)
{
    char text[HTTP_PEER_SIZE], room[HTTP_PEER_SIZE];
    str address = http_address_print(peer, text, sizeof(text));
    if (http_address_is_local(peer) || http_proxies_trust(&s->config.proxies, address))
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
    close(s->spare_fd);
    int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);
    int error = errno;
    if (fd >= 0)
        close(fd);
    s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
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
        s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
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

static void on_poll(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct listener *l = poll->data;
    struct http_server *s = l->server;
    if (status < 0) {
        rest(l);
        return;
    }
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        struct sockaddr_storage sa = {.ss_family = AF_UNIX};
        struct sockaddr *peer = (struct sockaddr *)&sa;
        socklen_t len = sizeof(sa);
        int fd = accept4(l->fd, peer, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) {
            if (!survive(l, errno))
                return;
        } else if (s->n_connections >= s->config.limits.connections) {
            send_away(s, fd);
        } else if (is_over_peer_limit(s, peer)) {
            close(fd);
        } else {
            connection_open(s, fd, peer);
        }
    }
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
        unlink(l->socket_file);
    free(l->socket_file);
    free(l);
}

void listeners_close(struct http_server *s)
{
    while (s->listeners != NULL) {
        struct listener *l = s->listeners;
        s->listeners = l->next;
        uv_close((uv_handle_t *)&l->poll, on_listener_closed);
        close(l->fd);
    }
}

/* 0 if it is not a TCP socket. */
static unsigned port_of(int fd)
{
    struct sockaddr_storage sa = {0};
    socklen_t len = sizeof(sa);
    if (getsockname(fd, (struct sockaddr *)&sa, &len) != 0)
        return 0;
    if (sa.ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)&sa)->sin_port);
    return sa.ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)&sa)->sin6_port)
                                    : 0;
}

/* Takes ownership of fd and socket_file, even if it fails. */
static bool add_listener(struct http_server *s, int fd, char *socket_file,
                         struct err *err)
{
    struct listener *l = mem_zero(sizeof(*l));
    l->server = s;
    l->fd = fd;
    l->socket_file = socket_file;
    int failed = listen(fd, BACKLOG) != 0;
    if (!failed) {
        failed = uv_poll_init(&s->loop, &l->poll, fd);
        errno = -failed;
    }
    if (failed) {
        err_sys(err, "cannot listen");
        close(fd);
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
static void remove_stale(const struct sockaddr_un *un, socklen_t len)
{
    struct stat st;
    if (lstat(un->sun_path, &st) != 0 || !S_ISSOCK(st.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)un, len) != 0 && errno == ECONNREFUSED)
        unlink(un->sun_path);
    close(fd);
}

static int open_socket(const struct http_address *a)
{
    int family = a->sa.ss_family, on = 1, off = 0;
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    if (family != AF_UNIX) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        /* Accepted sockets inherit it. */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(fd, (const struct sockaddr *)&a->sa, a->len) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

bool http_server_listen(struct http_server *s, str address, struct err *err)
{
    struct http_address a;
    if (!http_address_parse(address, &a, err))
        return false;
    const struct sockaddr_un *un = (const struct sockaddr_un *)&a.sa;
    bool is_unix = un->sun_family == AF_UNIX;
    if (is_unix)
        remove_stale(un, a.len);

    int fd = open_socket(&a);
    if (fd < 0 && errno == EAFNOSUPPORT && address.p[0] == ':') {
        /* No IPv6 on this machine: listen on every IPv4 address. */
        in_port_t port = ((const struct sockaddr_in6 *)&a.sa)->sin6_port;
        a = (struct http_address){.len = sizeof(struct sockaddr_in)};
        *(struct sockaddr_in *)&a.sa =
            (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
        fd = open_socket(&a);
    }
    if (fd < 0)
        return err_sys(err, "cannot listen on '" STR_FMT "'", STR_ARG(address));
    return add_listener(s, fd, is_unix ? mem_str(str_c(un->sun_path)) : NULL, err);
}

bool http_server_listen_fd(struct http_server *s, int fd, struct err *err)
{
    int type = 0, on = 1;
    socklen_t len = sizeof(type);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
        return err_sys(err, "descriptor %d is not a socket", fd);
    if (type != SOCK_STREAM)
        return err_set(err, ERR_INVALID, "descriptor %d is not a stream socket", fd);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); /* not for unix sockets */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return add_listener(s, fd, NULL, err);
}

bool http_server_is_local(const struct http_server *s)
{
    for (const struct listener *l = s->listeners; l != NULL; l = l->next) {
        struct sockaddr_storage sa = {0};
        socklen_t len = sizeof(sa);
        if (getsockname(l->fd, (struct sockaddr *)&sa, &len) != 0 ||
            !http_address_is_local((const struct sockaddr *)&sa))
            return false;
    }
    return true;
}

unsigned http_server_port(const struct http_server *s)
{
    return s->port;
}
