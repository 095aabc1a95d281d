#include "base/os/windows/net_parts.h"

#include <errno.h>

#include "base/os/file.h"
#include "base/os/windows/failure.h"

#ifndef TCP_MAXRT
#define TCP_MAXRT 5
#endif

enum { SEND_MAX = 1 << 30 }; /* bytes of one call */

/* Before main(), because libraries use sockets without us. */
__attribute__((constructor)) static void net_begin(void)
{
    WSADATA data;
    (void)!WSAStartup(MAKEWORD(2, 2), &data);
}

static int net_failed(void)
{
    errno = failure_number((DWORD)WSAGetLastError());
    return -1;
}

static SOCKET net_socket_of(int fd)
{
    const struct fd *f = fd_find(fd);
    if (f != NULL && f->kind == FD_SOCKET)
        return (SOCKET)f->handle;
    errno = f != NULL ? ENOTSOCK : EBADF;
    return INVALID_SOCKET;
}

static void net_set_waits(SOCKET s, bool waits)
{
    u_long off = waits ? 0 : 1;
    ioctlsocket(s, (long)FIONBIO, &off);
}

static int net_keep(SOCKET s, bool waits)
{
    if (s == INVALID_SOCKET)
        return net_failed();
    SetHandleInformation((HANDLE)s, HANDLE_FLAG_INHERIT, 0);
    net_set_waits(s, waits);
    int fd = fd_add(FD_SOCKET, (HANDLE)s);
    if (fd >= 0)
        fd_find(fd)->never_waits = !waits;
    return fd;
}

static int net_make(int family, int type, int protocol, bool waits)
{
    return net_keep(WSASocketW(family, type, protocol, NULL, 0,
                               WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT),
                    waits);
}

static void net_option(int fd, int level, int name, int value)
{
    setsockopt(net_socket_of(fd), level, name, (const char *)&value, sizeof(value));
}

/* Keeps errno. */
static int net_close_failed(int fd)
{
    net_failed();
    file_close(fd);
    return -1;
}

/* --- for a library that makes its own connections --- */

int net_socket(int family, int type, int protocol)
{
    return net_make(family, type, protocol, true);
}

uintptr_t net_system(int fd)
{
    return (uintptr_t)net_socket_of(fd);
}

void net_release(int fd)
{
    struct fd entry;
    if (fd >= 0)
        (void)!fd_take(fd, &entry);
}

/* --- listening --- */

/* SO_REUSEADDR would share a port that is in use; here one in TIME_WAIT can be bound anyway. */
int net_bind(const struct net_address *a)
{
    union net_sa sa;
    socklen_t len = net_to_system(a, &sa);
    int fd = net_make(sa.any.sa_family, SOCK_STREAM, 0, false);
    if (fd < 0)
        return -1;
    if (a->kind != NET_UNIX) {
        net_option(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, 1);
        net_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    }
    if (a->kind == NET_IP6)
        net_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    return bind(net_socket_of(fd), &sa.any, len) == 0 ? fd : net_close_failed(fd);
}

bool net_listen(int fd, int backlog)
{
    return listen(net_socket_of(fd), backlog) == 0 || net_failed() == 0;
}

int net_accept(int fd, struct net_address *peer)
{
    union net_sa sa = {.any.sa_family = AF_UNIX};
    socklen_t len = sizeof(sa);
    int got = net_keep(accept(net_socket_of(fd), &sa.any, &len), false);
    if (got >= 0 && peer != NULL)
        net_from_system(&sa, peer);
    if (got >= 0 && sa.any.sa_family != AF_UNIX) /* not inherited here */
        net_option(got, IPPROTO_TCP, TCP_NODELAY, 1);
    return got;
}

bool net_name(int fd, struct net_address *out)
{
    union net_sa sa = {0};
    socklen_t len = sizeof(sa);
    if (getsockname(net_socket_of(fd), &sa.any, &len) != 0)
        return net_failed() == 0;
    net_from_system(&sa, out);
    return true;
}

/* No program passes listening sockets on. */
bool net_adopt(int fd, bool *stream)
{
    (void)fd;
    *stream = false;
    return false;
}

bool net_is_deserted(const struct net_address *a)
{
    union net_sa sa;
    socklen_t len = net_to_system(a, &sa);
    AUTO_CLOSE int fd = net_make(AF_UNIX, SOCK_STREAM, 0, true);
    return fd >= 0 && connect(net_socket_of(fd), &sa.any, len) != 0 &&
           WSAGetLastError() == WSAECONNREFUSED;
}

/* --- talking --- */

int net_connect(const struct net_address *a, unsigned ms)
{
    union net_sa sa;
    socklen_t len = net_to_system(a, &sa);
    int fd = net_make(sa.any.sa_family, SOCK_STREAM, 0, true);
    if (fd < 0)
        return -1;
    net_option(fd, SOL_SOCKET, SO_RCVTIMEO, (int)ms);
    net_option(fd, SOL_SOCKET, SO_SNDTIMEO, (int)ms);
    return connect(net_socket_of(fd), &sa.any, len) == 0 ? fd : net_close_failed(fd);
}

/* Windows counts seconds. */
void net_give_up_after(int fd, unsigned ms)
{
    net_option(fd, IPPROTO_TCP, TCP_MAXRT, (int)((ms + 999) / 1000));
}

bool net_put_some(const struct fd *f, str bytes, size_t *put)
{
    int n = send((SOCKET)f->handle, bytes.p,
                 (int)(bytes.n < SEND_MAX ? bytes.n : SEND_MAX), 0);
    *put = n > 0 ? (size_t)n : 0;
    if (n >= 0 || net_failed() == 0)
        return true;
    if (errno == ECONNRESET || errno == ECONNABORTED)
        errno = EPIPE; /* as elsewhere: nobody reads */
    return false;
}

bool net_send(int fd, str bytes)
{
    const struct fd *f = fd_find(fd);
    size_t put = 0;
    for (; f != NULL && bytes.n > 0; bytes = str_skip(bytes, put))
        if (!net_put_some(f, bytes, &put))
            return false;
    return f != NULL;
}

bool net_receive(int fd, void *out, size_t size, size_t *got)
{
    int n = recv(net_socket_of(fd), out, (int)(size < SEND_MAX ? size : SEND_MAX), 0);
    *got = n > 0 ? (size_t)n : 0;
    return n >= 0 || net_failed() == 0;
}

void net_dismiss(int fd, str last, void *scratch, size_t size)
{
    SOCKET s = net_socket_of(fd);
    net_set_waits(s, false);
    int sent = send(s, last.p, (int)last.n, 0);
    shutdown(s, SD_SEND);
    if (sent > 0)
        recv(s, scratch, (int)(size < SEND_MAX ? size : SEND_MAX), 0);
    file_close(fd);
}

/* There is no supervisor that wants to know. */
bool net_send_message(str path, str message)
{
    (void)path, (void)message;
    errno = ENOTSUP;
    return false;
}

void net_notify(str path, str message)
{
    (void)path, (void)message;
}

/* --- waiting --- */

bool net_wait(struct net_wait *list, size_t n, int ms)
{
    WSAPOLLFD polled[NET_WAIT_MAX];
    for (size_t i = 0; i < n; i++)
        polled[i] = (WSAPOLLFD){.fd = (SOCKET)list[i].fd->handle,
                                .events = list[i].write ? POLLWRNORM : POLLRDNORM};
    bool any = n > 0 && WSAPoll(polled, (ULONG)n, ms) > 0;
    for (size_t i = 0; i < n; i++)
        list[i].is = any && polled[i].revents != 0;
    return any;
}
