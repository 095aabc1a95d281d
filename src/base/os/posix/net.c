#include "base/os/posix/net_parts.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

/* --- addresses --- */

enum { MAPPED = 12 }; /* where IPv4 begins within IPv6 */

/* An address as the system has it. */
union net_sa {
    struct sockaddr any;
    struct sockaddr_in in4;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
    struct sockaddr_storage room;
};

static int family_of(enum net_kind kind)
{
    return kind == NET_IP4 ? AF_INET : kind == NET_IP6 ? AF_INET6 : AF_UNIX;
}

static socklen_t to_system(const struct net_address *a, union net_sa *out)
{
    *out = (union net_sa){.any.sa_family = (sa_family_t)family_of(a->kind)};
    if (a->kind == NET_IP4) {
        out->in4.sin_port = htons(a->port);
        memcpy(&out->in4.sin_addr, a->ip, sizeof(out->in4.sin_addr));
        return sizeof(out->in4);
    }
    if (a->kind == NET_IP6) {
        out->in6.sin6_port = htons(a->port);
        memcpy(&out->in6.sin6_addr, a->ip, sizeof(out->in6.sin6_addr));
        return sizeof(out->in6);
    }
    size_t n = strnlen(a->path, NET_PATH_MAX - 1);
    if (n >= sizeof(out->un.sun_path))
        n = 0; /* no room on this system: binding and connecting fail */
    memcpy(out->un.sun_path, a->path, n);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + 1);
}

static void from_system(const union net_sa *sa, struct net_address *out)
{
    *out = (struct net_address){0};
    if (sa->any.sa_family == AF_INET) {
        out->kind = NET_IP4;
        out->port = ntohs(sa->in4.sin_port);
        memcpy(out->ip, &sa->in4.sin_addr, sizeof(sa->in4.sin_addr));
    } else if (sa->any.sa_family == AF_INET6) {
        out->kind = NET_IP6;
        out->port = ntohs(sa->in6.sin6_port);
        memcpy(out->ip, &sa->in6.sin6_addr, sizeof(sa->in6.sin6_addr));
    } else if (sa->any.sa_family == AF_UNIX) {
        out->kind = NET_UNIX;
    }
}

bool net_read_ip(str text, struct net_address *out)
{
    char c[INET6_ADDRSTRLEN];
    *out = (struct net_address){0};
    if (text.n == 0 || text.n >= sizeof(c) || str_find_char(text, '\0') != STR_NONE)
        return false;
    memcpy(c, text.p, text.n);
    c[text.n] = '\0';
    out->kind = inet_pton(AF_INET, c, out->ip) == 1 ? NET_IP4 : NET_IP6;
    return out->kind == NET_IP4 || inet_pton(AF_INET6, c, out->ip) == 1;
}

static bool is_mapped(const struct net_address *a)
{
    static const uint8_t prefix[MAPPED] = {[10] = 0xFF, [11] = 0xFF};
    return a->kind == NET_IP6 && memcmp(a->ip, prefix, MAPPED) == 0;
}

void net_unmap(struct net_address *a)
{
    if (!is_mapped(a))
        return;
    a->kind = NET_IP4;
    memmove(a->ip, a->ip + MAPPED, sizeof(struct in_addr));
    memset(a->ip + sizeof(struct in_addr), 0, MAPPED);
}

str net_print(const struct net_address *a, char out[NET_TEXT_SIZE])
{
    struct net_address plain = *a;
    net_unmap(&plain);
    if (plain.kind == NET_IP4 || plain.kind == NET_IP6)
        inet_ntop(family_of(plain.kind), plain.ip, out, NET_TEXT_SIZE);
    else
        snprintf(out, NET_TEXT_SIZE, "unix");
    return str_c(out);
}

bool net_is_local(const struct net_address *a)
{
    static const uint8_t loopback[16] = {[15] = 1};
    struct net_address plain = *a;
    net_unmap(&plain);
    if (plain.kind == NET_IP4)
        return plain.ip[0] == 127;
    if (plain.kind == NET_IP6)
        return memcmp(plain.ip, loopback, sizeof(loopback)) == 0;
    return plain.kind == NET_UNIX; /* who can reach another kind is not known */
}

/* --- names --- */

bool net_look_up(const char *host, bool numeric, struct net_address *out, size_t max,
                 size_t *n)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = numeric ? AI_NUMERICHOST : 0};
    struct addrinfo *found = NULL;
    *n = 0;
    if (getaddrinfo(host, NULL, &hints, &found) != 0)
        return false;
    for (const struct addrinfo *at = found; at != NULL && *n < max; at = at->ai_next)
        net_read_system(at->ai_addr, at->ai_addrlen, &out[(*n)++]);
    freeaddrinfo(found);
    return *n > 0;
}

/* --- for a library that makes its own connections --- */

void net_read_system(const void *sockaddr, size_t size, struct net_address *out)
{
    union net_sa sa = {0};
    memcpy(&sa, sockaddr, size < sizeof(sa) ? size : sizeof(sa));
    from_system(&sa, out);
}

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
    socklen_t len = to_system(a, &sa);
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
        from_system(&sa, peer);
    return got;
}

bool net_name(int fd, struct net_address *out)
{
    union net_sa sa = {0};
    socklen_t len = sizeof(sa);
    if (getsockname(fd, &sa.any, &len) != 0)
        return false;
    from_system(&sa, out);
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
    socklen_t len = to_system(a, &sa);
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
    socklen_t len = to_system(a, &sa);
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

void net_notify(str path, str message)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    if (path.n < 2 || path.n >= sizeof(to.sun_path) ||
        (path.p[0] != '/' && path.p[0] != '@'))
        return;
    memcpy(to.sun_path, path.p, path.n);
    if (path.p[0] == '@') /* the abstract namespace */
        to.sun_path[0] = '\0';
    int fd = net_make(AF_UNIX, SOCK_DGRAM, 0, true);
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + path.n);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)&to, len) == 0)
        (void)!net_put(fd, message, true);
    close(fd);
}
