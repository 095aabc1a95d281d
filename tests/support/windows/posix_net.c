#include "posix_net.h"

#include <stdatomic.h>

#include "base/os/file.h"
#include "base/os/net.h"
#include "base/os/ready.h"
#include "base/os/windows/failure.h"
#include "base/os/windows/fd.h"

#undef socket
#undef bind
#undef listen
#undef connect
#undef accept
#undef send
#undef recv
#undef getsockname
#undef setsockopt
#undef shutdown

/* On Windows, only closing a listener wakes those who accept on it, not shutdown(). */
static atomic_bool is_shut[FD_MAX];

static SOCKET of(int fd)
{
    const struct fd *f = fd_find(fd);
    return f != NULL ? (SOCKET)f->handle : INVALID_SOCKET;
}

static int posix_result(int n)
{
    if (n < 0)
        errno = failure_number((DWORD)WSAGetLastError());
    return n;
}

int posix_socket(int family, int type, int protocol)
{
    int fd = net_socket(family, type & 0xFF, protocol);
    if (fd >= 0)
        atomic_store(&is_shut[fd], false);
    u_long on = 1;
    if (fd >= 0 && (type & SOCK_NONBLOCK) != 0)
        ioctlsocket(of(fd), (long)FIONBIO, &on);
    return fd;
}

int posix_bind(int fd, const struct sockaddr *a, socklen_t size)
{
    return posix_result(bind(of(fd), a, size));
}

int posix_listen(int fd, int backlog)
{
    return posix_result(listen(of(fd), backlog));
}

int posix_connect(int fd, const struct sockaddr *a, socklen_t size)
{
    return posix_result(connect(of(fd), a, size));
}

int posix_accept(int fd, struct sockaddr *a, socklen_t *size)
{
    while (!ready_wait(&(struct ready){.fd = fd}, 1, 100))
        if (atomic_load(&is_shut[fd])) {
            errno = EINVAL;
            return -1;
        }
    SOCKET s = accept(of(fd), a, size);
    return s == INVALID_SOCKET ? posix_result(-1) : fd_add(FD_SOCKET, (HANDLE)s);
}

ssize_t posix_send(int fd, const void *bytes, size_t n, int flags)
{
    (void)flags;
    return posix_result(send(of(fd), bytes, (int)n, 0));
}

ssize_t posix_recv(int fd, void *out, size_t n, int flags)
{
    if ((flags & MSG_DONTWAIT) != 0 && !ready_to_read(fd)) {
        errno = EAGAIN;
        return -1;
    }
    return posix_result(recv(of(fd), out, (int)n, flags & MSG_PEEK));
}

int posix_getsockname(int fd, struct sockaddr *a, socklen_t *size)
{
    return posix_result(getsockname(of(fd), a, size));
}

int posix_setsockopt(int fd, int level, int name, const void *value, socklen_t size)
{
    return posix_result(setsockopt(of(fd), level, name, value, size));
}

int posix_shutdown(int fd, int how)
{
    int code = shutdown(of(fd), how);
    if (code != 0 && fd >= 0 && fd < FD_MAX)
        atomic_store(&is_shut[fd], true);
    return posix_result(code);
}

int posix_socketpair(int family, int type, int protocol, int out[2])
{
    struct net_address a = {.kind = NET_IP4, .ip = {127, 0, 0, 1}};
    (void)family, (void)type, (void)protocol;
    AUTO_CLOSE int listener = net_bind(&a);
    if (listener < 0 || !net_listen(listener, 1) || !net_name(listener, &a))
        return -1;
    out[0] = net_connect(&a, 10000);
    out[1] = out[0] >= 0 && ready_wait(&(struct ready){.fd = listener}, 1, 10000)
                 ? net_accept(listener, NULL)
                 : -1;
    return out[1] >= 0 ? 0 : -1;
}

int posix_poll(struct posix_pollfd *list, nfds_t n, int ms)
{
    struct ready ready[8];
    int any = 0;
    for (nfds_t i = 0; i < n; i++)
        ready[i] =
            (struct ready){.fd = list[i].fd, .write = (list[i].events & POLLOUT) != 0};
    (void)ready_wait(ready, n, ms);
    for (nfds_t i = 0; i < n; i++) {
        list[i].revents = ready[i].is ? list[i].events : 0;
        any += ready[i].is;
    }
    return any;
}
