/*
 * fixed_server - an HTTP server inside the test, on a port of its own, that gives the same answer to every request.
 *
 *     struct fixed_server s = {.answer = "HTTP/1.1 204 X\r\n\r\n"};
 *     fixed_server_start(&s);
 *     ... http://127.0.0.1:s.port ...
 *     fixed_server_stop(&s);
 *
 * The answer may be replaced between two requests.
 */
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/sbuf.h"
#include "check.h"

struct fixed_server {
    int fd;
    unsigned port;
    pthread_t thread;
    const char *answer; /* all of it; NULL: close without one */
};

/* Whether all of a request is there. */
static inline bool fixed_server_has_all(str got)
{
    size_t end = str_find(got, STR("\r\n\r\n")),
           at = str_find(got, STR("Content-Length: "));
    if (end == STR_NONE)
        return false;
    size_t n = at < end ? strtoul(got.p + at + 16, NULL, 10) : 0;
    return got.n >= end + 4 + n;
}

static inline void fixed_server_answer(const struct fixed_server *s, int fd)
{
    struct arena a = {0};
    struct sbuf got = SBUF_ON(&a);
    char bytes[64 << 10];
    for (ssize_t n; (got.n == 0 || !fixed_server_has_all(sbuf_str(&got))) &&
                    (n = read(fd, bytes, sizeof(bytes))) > 0;)
        sbuf_add(&got, (str){bytes, (size_t)n});
    if (s->answer != NULL)
        (void)!send(fd, s->answer, strlen(s->answer), MSG_NOSIGNAL);
    arena_release(&a);
    close(fd);
}

static inline void *fixed_server_run(void *arg)
{
    struct fixed_server *s = arg;
    for (int fd; (fd = accept(s->fd, NULL, NULL)) >= 0;)
        fixed_server_answer(s, fd);
    return NULL;
}

static inline void fixed_server_start(struct fixed_server *s)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(s->fd, 8), 0);
    assert_int_equal(getsockname(s->fd, (struct sockaddr *)&at, &len), 0);
    s->port = ntohs(at.sin_port);
    assert_int_equal(pthread_create(&s->thread, NULL, fixed_server_run, s), 0);
}

static inline void fixed_server_stop(struct fixed_server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->fd);
}
