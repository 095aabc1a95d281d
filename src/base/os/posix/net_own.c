#include <fcntl.h>

#include "base/os/posix/net_parts.h"

/* A program that is started in between would inherit it, but child_start() closes what is
 * open. */
static int net_own_prepare(int fd, bool waits)
{
    if (fd >= 0)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fd >= 0 && !waits)
        fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

int net_make(int family, int type, int protocol, bool waits)
{
    return net_own_prepare(socket(family, type, protocol), waits);
}

int net_take(int fd, struct sockaddr *peer, socklen_t *size)
{
    return net_own_prepare(accept(fd, peer, size), false);
}

ssize_t net_put(int fd, str bytes, bool wait)
{
    return send(fd, bytes.p, bytes.n, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
}

/* The system's own limit, which may be many minutes, applies. */
void net_give_up_after(int fd, unsigned ms)
{
}
