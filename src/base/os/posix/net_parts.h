/*
 * net_parts - what systems do in different ways for net.c.
 */
#pragma once

#include "base/os/net_types.h"

/* As socket(), accept() and send(), of sockets as net.h describes them. */
int net_make(int family, int type, int protocol, bool waits);
int net_take(int fd, struct sockaddr *peer, socklen_t *size); /* does not wait later */
ssize_t net_put(int fd, str bytes, bool wait);
