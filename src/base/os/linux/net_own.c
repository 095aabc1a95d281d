#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/os/posix/net_parts.h"

int net_make(int family, int type, int protocol, bool waits)
{
    return socket(family, type | SOCK_CLOEXEC | (waits ? 0 : SOCK_NONBLOCK), protocol);
}

int net_take(int fd, struct sockaddr *peer, socklen_t *size)
{
    return accept4(fd, peer, size, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

ssize_t net_put(int fd, str bytes, bool wait)
{
    return send(fd, bytes.p, bytes.n, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
}

void net_give_up_after(int fd, unsigned ms)
{
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
}
