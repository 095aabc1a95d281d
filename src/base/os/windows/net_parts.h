/*
 * net_parts - sockets for the bodies of file.h and ready.h.
 */
#pragma once

#include "base/os/net_types.h"
#include "base/os/windows/fd.h"

/* Send some of it; EAGAIN if it would have to wait and must not. */
MUST_CHECK bool net_put_some(const struct fd *f, str bytes, size_t *put);

/* Whether the next call would not wait, within ms milliseconds, for each of them; false if
 * none is ready. At most NET_WAIT_MAX. */
enum { NET_WAIT_MAX = 8 };
struct net_wait {
    const struct fd *fd;
    bool write, is;
};
bool net_wait(struct net_wait *list, size_t n, int ms);
