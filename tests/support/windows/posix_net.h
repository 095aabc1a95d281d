/*
 * posix_net - sockets of POSIX for tests on Windows: descriptors are those of net.h.
 */
#pragma once

#include "base/os/windows/base.h"

#include <afunix.h>

#include <unistd.h>

#include "base/str.h"

enum { SHUT_RD = SD_RECEIVE, SHUT_WR = SD_SEND, SHUT_RDWR = SD_BOTH };
enum { MSG_NOSIGNAL = 0, MSG_DONTWAIT = 0x40000000 };
enum { SOCK_CLOEXEC = 0, SOCK_NONBLOCK = 0x800 };

int posix_socket(int family, int type, int protocol);
int posix_bind(int fd, const struct sockaddr *a, socklen_t size);
int posix_listen(int fd, int backlog);
int posix_connect(int fd, const struct sockaddr *a, socklen_t size);
int posix_accept(int fd, struct sockaddr *a, socklen_t *size);
ssize_t posix_send(int fd, const void *bytes, size_t n, int flags);
ssize_t posix_recv(int fd, void *out, size_t n, int flags);
int posix_getsockname(int fd, struct sockaddr *a, socklen_t *size);
int posix_setsockopt(int fd, int level, int name, const void *value, socklen_t size);
int posix_shutdown(int fd, int how);
int posix_socketpair(int family, int type, int protocol, int out[2]);
#define socket(a, b, c) posix_socket(a, b, c)
#define bind(a, b, c) posix_bind(a, b, c)
#define listen(a, b) posix_listen(a, b)
#define connect(a, b, c) posix_connect(a, b, c)
#define accept(a, b, c) posix_accept(a, b, c)
#define send(a, b, c, d) posix_send(a, b, c, d)
#define recv(a, b, c, d) posix_recv(a, b, c, d)
#define getsockname(a, b, c) posix_getsockname(a, b, c)
#define setsockopt(a, b, c, d, e) posix_setsockopt(a, b, c, d, e)
#define shutdown(a, b) posix_shutdown(a, b)
#define socketpair(a, b, c, d) posix_socketpair(a, b, c, d)

struct posix_pollfd {
    int fd;
    short events, revents;
};
#define pollfd posix_pollfd
#define poll posix_poll
typedef unsigned nfds_t;
int posix_poll(struct posix_pollfd *list, nfds_t n, int ms);

#define accept4(a, b, c, d) posix_accept(a, b, c)
