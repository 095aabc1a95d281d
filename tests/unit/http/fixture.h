/*
 * fixture - a server on a free port in its own thread, with a few routes, and a client
 * that sends raw bytes to it.
 */
#pragma once

#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "http/server.h"

struct fixture {
    struct http_server *server;
    pthread_t thread;
    unsigned port;
    atomic_int gone;     /* calls of on_gone */
    atomic_int accesses; /* calls of on_access */
    atomic_int last_status;
    atomic_int workers;                     /* threads that will answer */
    atomic_int stops;                       /* calls of on_stop */
    atomic_bool let_go;                     /* /held answers, "later" is admitted */
    atomic_int judged;                      /* calls of judge_token */
    _Atomic(struct http_exchange *) stream; /* of /events */
    struct arena arena;                     /* for the client */
};

/* X-Token: "known", "known2" and so on name a caller. 0: a stranger. */
static inline uint64_t caller_of(struct http_exchange *x)
{
    str token = http_header(http_request_of(x), STR("x-token"));
    return str_starts(token, STR("known")) ? hash_table(token) | 1 : 0;
}

static inline void handle_echo(struct http_exchange *x, void *context)
{
    (void)context;
    const struct http_request *r = http_request_of(x);
    http_name_caller(x, caller_of(x));
    struct http_response response = {
        .status = 200,
        .content_type = STR("text/plain"),
        .body = r->body.n > 0 ? r->body : r->path,
    };
    http_reply(x, &response);
}

/* A body of as many bytes as the query says. */
static inline void handle_large(struct http_exchange *x, void *context)
{
    (void)context;
    int64_t n = 0;
    str_to_int(http_request_of(x)->query, &n);
    char *body = mem_alloc((size_t)n);
    memset(body, 'x', (size_t)n);
    struct http_response response = {
        .status = 200,
        .content_type = STR("text/plain"),
        .body = {body, (size_t)n},
    };
    http_reply(x, &response);
    free(body);
}

static inline void count_gone(void *owner, uint64_t tag)
{
    struct fixture *f = owner;
    if (tag == 7)
        atomic_fetch_add(&f->gone, 1);
}

struct later {
    struct fixture *fixture;
    struct http_exchange *x;
};

/* Answers from another thread: after as many ms as the query says, and /held when it is let go. */
static inline void *answer_later(void *arg)
{
    struct later later = *(struct later *)arg;
    free(arg);
    const struct http_request *r = http_request_of(later.x);
    int64_t ms = 0;
    str_to_int(r->query, &ms);
    usleep((useconds_t)ms * 1000);
    while (str_eq(r->path, STR("/held")) && !atomic_load(&later.fixture->let_go))
        usleep(1000);
    struct http_response response = {
        .status = 200,
        .content_type = STR("text/plain"),
        .body = r->path,
    };
    http_add_header(&response, STR("X-Late"), STR("yes"));
    http_reply(later.x, &response);
    atomic_fetch_sub(&later.fixture->workers, 1);
    return NULL;
}

static inline void handle_later(struct http_exchange *x, void *context)
{
    struct fixture *f = context;
    http_on_gone(x, count_gone, f, 7);
    struct later *later = mem_alloc(sizeof(*later));
    *later = (struct later){f, x};
    atomic_fetch_add(&f->workers, 1);
    pthread_t thread;
    pthread_create(&thread, NULL, answer_later, later);
    pthread_detach(thread);
}

/* Keeps the loop busy until it is let go. */
static inline void handle_busy(struct http_exchange *x, void *context)
{
    struct fixture *f = context;
    atomic_fetch_add(&f->workers, 1);
    while (!atomic_load(&f->let_go))
        usleep(1000);
    atomic_fetch_sub(&f->workers, 1);
    http_reply(x, &(struct http_response){.status = 204});
}

/* A stream that the test writes to and ends. */
static inline void handle_events(struct http_exchange *x, void *context)
{
    struct fixture *f = context;
    http_on_gone(x, count_gone, f, 7);
    http_stream(x, &(struct http_response){0});
    atomic_store(&f->stream, x);
}

enum { JUDGED_SMALL = 16, JUDGED_OWNER = 42 };

static inline void admit_later(struct http_exchange *x, void *arg, bool serving)
{
    (void)arg;
    if (serving)
        http_admit(x, 4 << 20, JUDGED_OWNER);
    else
        http_reply(x, &(struct http_response){.status = 503});
}

static inline void *judge_later(void *arg)
{
    struct later later = *(struct later *)arg;
    free(arg);
    while (!atomic_load(&later.fixture->let_go))
        usleep(1000);
    http_continue(later.x, admit_later, NULL);
    atomic_fetch_sub(&later.fixture->workers,
                     1); /* if the loop has ended, free calls it */
    return NULL;
}

/* X-Token: a caller is admitted at once, "later" when it is let go; others may send little. */
static inline void judge_token(struct http_exchange *x, void *context)
{
    struct fixture *f = context;
    str token = http_header(http_request_of(x), STR("x-token"));
    atomic_fetch_add(&f->judged, 1);
    if (caller_of(x) != 0) {
        http_admit(x, 4 << 20, caller_of(x));
    } else if (str_eq(token, STR("later"))) {
        struct later *later = mem_alloc(sizeof(*later));
        pthread_t thread;
        *later = (struct later){f, x};
        atomic_fetch_add(&f->workers, 1);
        pthread_create(&thread, NULL, judge_later, later);
        pthread_detach(thread);
    } else if (http_body_size(x) <= JUDGED_SMALL) {
        http_admit(x, JUDGED_SMALL, 0);
    } else {
        http_reply(x, &(struct http_response){.status = 401});
    }
}

static inline void note_access(void *context, const struct http_access *a)
{
    struct fixture *f = context;
    atomic_store(&f->last_status, a->status); /* first: tests wait for the number */
    atomic_fetch_add(&f->accesses, 1);
}

static const struct http_route fixture_routes[] = {
    {.path = "/", .methods = HTTP_GET, .handle = handle_echo},
    {.path = "/echo",
     .methods = HTTP_GET | HTTP_POST | HTTP_DELETE,
     .body_max = 4 << 20,
     .handle = handle_echo},
    {.path = "/small", .methods = HTTP_POST, .body_max = 10, .handle = handle_echo},
    {.path = "/cors",
     .methods = HTTP_GET | HTTP_POST,
     .body_max = 100,
     .cors = HTTP_CORS_WELCOME,
     .handle = handle_echo},
    {.path = "/any", .methods = HTTP_GET, .cors = HTTP_CORS_ANY, .handle = handle_echo},
    {.path = "/large", .methods = HTTP_GET, .handle = handle_large},
    {.path = "/later", .methods = HTTP_GET, .handle = handle_later},
    {.path = "/held", .methods = HTTP_GET, .handle = handle_later},
    {.path = "/busy", .methods = HTTP_GET, .handle = handle_busy},
    {.path = "/events",
     .methods = HTTP_GET,
     .cors = HTTP_CORS_WELCOME,
     .handle = handle_events},
    {.path = "/judged",
     .methods = HTTP_POST,
     .body_max = 4 << 20,
     .handle = handle_echo,
     .judge = judge_token},
    {.path = "/tree/", .methods = HTTP_GET, .handle = handle_echo},
    {0},
};

static inline void *fixture_run(void *arg)
{
    struct fixture *f = arg;
    http_server_run(f->server);
    return NULL;
}

static inline struct fixture *fixture_create(const struct http_limits *limits)
{
    struct fixture *f = mem_zero(sizeof(*f));
    struct http_config config = {
        .routes = fixture_routes,
        .context = f,
        .limits = *limits,
        .on_access = note_access,
    };
    f->server = http_server_create(&config);
    return f;
}

static inline void fixture_begin(struct fixture *f)
{
    f->port = http_server_port(f->server);
    pthread_create(&f->thread, NULL, fixture_run, f);
}

static inline struct fixture *fixture_start(const struct http_limits *limits)
{
    struct fixture *f = fixture_create(limits);
    struct err err;
    if (!http_server_listen(f->server, STR("127.0.0.1:0"), &err))
        fail_msg("listen: %s (%s)", err.msg, err.detail);
    fixture_begin(f);
    return f;
}

enum { HEAR_MS = 300000 }; /* ends a test that hangs, and nothing else */

/* Wait until the condition holds; patiently, so a busy machine does not fail a test. */
#define WAIT_UNTIL(condition)                                                            \
    do {                                                                                 \
        uint64_t until_ = clock_ms() + HEAR_MS;                                          \
        bool held_;                                                                      \
        while (!(held_ = (condition)) && clock_ms() < until_)                            \
            usleep(1000);                                                                \
        if (!held_)                                                                      \
            fail_msg("waited in vain for %s", #condition);                               \
    } while (0)

/* After the loop has ended. */
static inline void fixture_free(struct fixture *f)
{
    pthread_join(f->thread, NULL);
    WAIT_UNTIL(atomic_load(&f->workers) == 0);
    http_server_free(f->server);
    arena_release(&f->arena);
    free(f);
}

static inline void fixture_stop(struct fixture *f)
{
    http_server_stop(f->server);
    fixture_free(f);
}

/* Of this process: those of the server and of the client. */
static inline size_t count_descriptors(void)
{
    size_t n = 0;
    for (int fd = 0; fd < 2048; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static inline struct http_exchange *fixture_stream(struct fixture *f)
{
    WAIT_UNTIL(atomic_load(&f->stream) != NULL);
    return atomic_exchange(&f->stream, NULL);
}

static inline int dial(const struct fixture *f)
{
    struct sockaddr_in sa = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)f->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) != 0)
        fail_msg("connect: %s", strerror(errno));
    return fd;
}

/* False if the server no longer accepts it. */
static inline bool say(int fd, str text)
{
    while (text.n > 0) {
        ssize_t n = send(fd, text.p, text.n, MSG_NOSIGNAL);
        if (n < 0)
            return false;
        text = str_skip(text, (size_t)n);
    }
    return true;
}

enum ending { STILL_OPEN, CLOSED, RESET };

struct heard {
    str text;
    enum ending ending;
};

/* Everything until the end, or until nothing arrives for ms. */
static inline struct heard hear_all(struct fixture *f, int fd)
{
    struct sbuf out = SBUF_ON(&f->arena);
    struct heard h = {0};
    for (;;) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, HEAR_MS) <= 0)
            break;
        ssize_t n = recv(fd, sbuf_room(&out, 65536), 65536, 0);
        if (n <= 0) {
            h.ending = n == 0 ? CLOSED : RESET;
            break;
        }
        sbuf_took(&out, (size_t)n);
    }
    h.text = sbuf_str(&out);
    return h;
}

/* At least n bytes, or what arrived in time. */
static inline str hear_bytes(struct fixture *f, int fd, size_t n)
{
    struct sbuf out = SBUF_ON(&f->arena);
    while (out.n < n) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, HEAR_MS) <= 0)
            break;
        ssize_t got = recv(fd, sbuf_room(&out, n - out.n), n - out.n, 0);
        if (got <= 0)
            break;
        sbuf_took(&out, (size_t)got);
    }
    return sbuf_str(&out);
}

/* The value of a header in a head; p is NULL if it is missing. */
static inline str header_in(str head, const char *name)
{
    str line;
    size_t end = str_find(head, STR("\r\n\r\n"));
    head = str_slice(head, 0, end);
    while (str_next(&head, '\n', &line)) {
        str key;
        if (str_find_char(line, ':') == STR_NONE)
            continue;
        str_next(&line, ':', &key);
        if (str_eq_nocase(key, str_c(name)))
            return str_trim_line(line);
    }
    return (str){0};
}

struct answer {
    int status;
    str head, body;
};

/* One answer with a Content-Length, and nothing after it. */
static inline struct answer hear(struct fixture *f, int fd)
{
    struct sbuf out = SBUF_ON(&f->arena);
    while (!str_ends(sbuf_str(&out), STR("\r\n\r\n"))) {
        str byte = hear_bytes(f, fd, 1);
        if (byte.n == 0)
            break;
        sbuf_add(&out, byte);
    }
    struct answer a = {.head = sbuf_str(&out)};
    int64_t n = 0, status = 0;
    str_to_int(str_slice(a.head, 9, 12), &status);
    str_to_int(header_in(a.head, "content-length"), &n);
    a.status = (int)status;
    a.body = hear_bytes(f, fd, (size_t)n);
    return a;
}

static inline int status_in(str text)
{
    int64_t status = 0;
    str_to_int(str_slice(text, 9, 12), &status);
    return (int)status;
}

static inline size_t count_in(str text, const char *needle)
{
    size_t n = 0, at;
    while ((at = str_find(text, str_c(needle))) != STR_NONE) {
        n++;
        text = str_skip(text, at + 1);
    }
    return n;
}
