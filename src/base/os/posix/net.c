#include "base/os/posix/net_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/time.h>
#include <unistd.h>

/* --- for a library that makes its own connections --- */

int net_socket(int family, int type, int protocol)
{
    return net_make(family, type, protocol, true);
}

uintptr_t net_system(int fd)
{
    return (uintptr_t)fd;
}

void net_release(int fd)
{
    (void)fd;
}

/* --- listening --- */

static int close_failed(int fd)
{
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int net_bind(const struct net_address *a)
{
    int on = 1, off = 0;
    union net_sa sa;
    socklen_t len = net_to_system(a, &sa);
    int fd = net_make(sa.any.sa_family, SOCK_STREAM, 0, false);
    if (fd < 0)
        return -1;
    if (a->kind != NET_UNIX) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        /* Accepted sockets inherit it. */
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    if (a->kind == NET_IP6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    return bind(fd, &sa.any, len) == 0 ? fd : close_failed(fd);
}

bool net_listen(int fd, int backlog)
{
    return listen(fd, backlog) == 0;
}

int net_accept(int fd, struct net_address *peer)
{
    union net_sa sa = {.any.sa_family = AF_UNIX};
    socklen_t len = sizeof(sa);
    int got = net_take(fd, &sa.any, &len);
    if (got >= 0 && peer != NULL)
        net_from_system(&sa, peer);
    return got;
}

bool net_name(int fd, struct net_address *out)
{
    union net_sa sa = {0};
    socklen_t len = sizeof(sa);
    if (getsockname(fd, &sa.any, &len) != 0)
        return false;
    net_from_system(&sa, out);
    return true;
}

bool net_adopt(int fd, bool *stream)
{
    int type = 0, on = 1;
    socklen_t len = sizeof(type);
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
        return false;
    *stream = type == SOCK_STREAM;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)); /* not for unix sockets */
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return true;
}

bool net_is_deserted(const struct net_address *a)
{
    union net_sa sa;
    socklen_t len = net_to_system(a, &sa);
    int fd = net_make(AF_UNIX, SOCK_STREAM, 0, false);
    if (fd < 0)
        return false;
    bool deserted = connect(fd, &sa.any, len) != 0 && errno == ECONNREFUSED;
    close(fd);
    return deserted;
}

/* --- talking --- */

int net_connect(const struct net_address *a, unsigned ms)
{
    union net_sa sa;
    socklen_t len = net_to_system(a, &sa);
    struct timeval limit = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    int fd = net_make(sa.any.sa_family, SOCK_STREAM, 0, true);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    return connect(fd, &sa.any, len) == 0 ? fd : close_failed(fd);
}

bool net_send(int fd, str bytes)
{
    return net_put(fd, bytes, true) == (ssize_t)bytes.n;
}

bool net_receive(int fd, void *out, size_t size, size_t *got)
{
    ssize_t n;
    do
        n = recv(fd, out, size, 0);
    while (n < 0 && errno == EINTR);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0;
}

void net_dismiss(int fd, str last, void *scratch, size_t size)
{
    ssize_t sent = net_put(fd, last, false);
    shutdown(fd, SHUT_WR);
    ssize_t got = sent > 0 ? recv(fd, scratch, size, MSG_DONTWAIT) : 0;
    (void)got;
    close(fd);
}

bool net_send_message(str path, str message)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (path.n < 2 || path.n >= sizeof(to.sun_path) ||
        (path.p[0] != '/' && path.p[0] != '@')) {
        errno = EINVAL;
        return false;
    }
    memcpy(to.sun_path, path.p, path.n);
    if (path.p[0] == '@') /* the abstract namespace */
        to.sun_path[0] = '\0';
    int fd = net_make(AF_UNIX, SOCK_DGRAM, 0, true);
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.n);
    if (fd < 0)
        return false;
    bool sent = connect(fd, (const struct sockaddr *)&to, len) == 0 &&
                send(fd, message.p, message.n, MSG_NOSIGNAL) == (ssize_t)message.n;
    return sent ? close(fd) == 0 : close_failed(fd) == 0;
}

void net_notify(str path, str message)
{
    (void)!net_send_message(path, message);
}
