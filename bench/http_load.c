/*
 * http_load [-c CONNECTIONS] [-w ROUNDS] [-r ROUNDS] [-t MS] SERVER [-- SERVER]...
 * where SERVER is LABEL KIND COMMAND...
 *
 * Sends tools/call echo to MCP servers over HTTP, one request in flight on each of
 * CONNECTIONS keep-alive connections. "PORT" within a word of COMMAND becomes a free port
 * of 127.0.0.1. All servers run at the same time and take turns of MS milliseconds. KIND
 * is a row of kinds[] below. Every answer must be a result with the id that was sent. One
 * JSON line for each turn:
 * {"label":"fixture","requests":31000,"per_s":62000,"cpu_us":7.9}
 * The -w rounds before the -r rounds do not count: there Node still compiles.
 * cpu_us is what the server, all threads, spent on one request.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "child.h"

enum {
    SERVERS_MAX = 8,
    CONNECTIONS_MAX = 256,
    ROUNDS_MAX = 10000,
    TURN_MS_MAX = 60000,
    WORDS_MAX = 16,
    MESSAGE_MAX = 4096,
    HEADERS_MAX = 512,
    PATIENCE_MS = 10000, /* with a server that says nothing */
    ID_DIGITS = 10,
};

#define CALL                                                                             \
    "\"method\":\"tools/call\",\"params\":{\"name\":\"echo\","                           \
    "\"arguments\":{\"text\":\"hello, vault\"}"
#define META "io.modelcontextprotocol/"

/* How to speak to a server. */
static const struct kind {
    const char *name;
    bool handshake;      /* initialize, and repeat the session id if there is one */
    const char *headers; /* of a call */
    const char *body;    /* what follows the id */
} kinds[] = {
    {"legacy", true, "MCP-Protocol-Version: 2025-11-25\r\n", CALL "}"},
    {"modern", false,
     "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: echo\r\n",
     CALL ",\"_meta\":{\"" META "protocolVersion\":\"2026-07-28\",\"" META
          "clientInfo\":{\"name\":\"bench\",\"version\":\"1\"},\"" META
          "clientCapabilities\":{}}}"},
    {"plain", false, "", CALL "}"},
};

struct connection {
    int fd;
    char id[ID_DIGITS + 1]; /* of the request that it waits for */
    char in[MESSAGE_MAX];
    size_t have;
};

struct server {
    const char *label;
    const struct kind *kind;
    struct child child;
    uint16_t port;
    char request[MESSAGE_MAX];
    size_t request_len;
    char *id; /* within request */
    long long next_id;
    int epoll;
    struct connection connections[CONNECTIONS_MAX];
};

/* --- one answer --- */

static const char *header_of(const char *head, const char *name)
{
    const char *found = strcasestr(head, name);
    return found == NULL ? NULL : found + strlen(name);
}

/*
 * The bytes of the answer that in begins with, 0 when it is not complete. in ends with a
 * NUL. Chunks are not taken apart: their last one ends the answer.
 */
static size_t answer_size(const char *in, size_t have)
{
    const char *end = strstr(in, "\r\n\r\n");
    if (end == NULL)
        return 0;
    size_t head = (size_t)(end - in) + 4;
    const char *length = header_of(in, "\r\nContent-Length: ");
    if (length != NULL && length < end) {
        size_t size = head + strtoul(length, NULL, 10);
        return size <= have ? size : 0;
    }
    if (header_of(in, "\r\nTransfer-Encoding: chunked") == NULL)
        return strncmp(in, "HTTP/1.1 202", 12) == 0 ? head : 0;
    const char *last = strstr(in + head - 2, "\r\n0\r\n\r\n");
    return last == NULL ? 0 : (size_t)(last - in) + 7;
}

/* Read what there is; true when an answer is complete. */
static bool receive(struct server *s, struct connection *c)
{
    ssize_t k = read(c->fd, c->in + c->have, sizeof(c->in) - 1 - c->have);
    if (k <= 0)
        die("%s hung up, or its answer is too long: %s", s->label, c->in);
    c->have += (size_t)k;
    c->in[c->have] = '\0';
    size_t size = answer_size(c->in, c->have);
    if (size != 0 && size != c->have)
        die("%s answered more than was asked: %s", s->label, c->in);
    return size != 0;
}

/* --- a server --- */

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(port),
                                .sin_addr = {htonl(INADDR_LOOPBACK)}};
}

static uint16_t free_port(void)
{
    struct sockaddr_in at = loopback(0);
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) != 0 ||
        getsockname(fd, (struct sockaddr *)&at, &len) != 0)
        die("no free port: %m");
    close(fd);
    return ntohs(at.sin_port);
}

static int try_connect(uint16_t port)
{
    struct sockaddr_in at = loopback(port);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;
    if (fd < 0)
        die("no socket: %m");
    if (connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    return fd;
}

static size_t make_request(char *out, const struct server *s, const char *headers,
                           const char *body)
{
    int n = snprintf(out, MESSAGE_MAX,
                     "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n"
                     "Content-Type: application/json\r\n"
                     "Accept: application/json, text/event-stream\r\n"
                     "%sContent-Length: %zu\r\n\r\n%s",
                     s->port, headers, strlen(body), body);
    if (n < 0 || n >= MESSAGE_MAX)
        die("the request is too long");
    return (size_t)n;
}

/* Ask on a connection of its own and wait; the answer is in c->in. */
static void ask(struct server *s, struct connection *c, const char *headers,
                const char *body)
{
    char request[MESSAGE_MAX];
    c->have = 0;
    write_all(c->fd, request, make_request(request, s, headers, body));
    while (!receive(s, c))
        continue;
}

/* initialize, and the headers of further requests. */
static void shake_hands(struct server *s, char *headers, size_t size)
{
    static struct connection c;
    c.fd = try_connect(s->port);
    ask(s, &c, "",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{"
        "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},"
        "\"clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}}}");
    const char *session = header_of(c.in, "\r\nMcp-Session-Id: ");
    int n = (int)strlen(headers);
    if (session != NULL)
        snprintf(headers + n, size - (size_t)n, "Mcp-Session-Id: %.*s\r\n",
                 (int)strcspn(session, "\r"), session);
    ask(s, &c, headers, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    close(c.fd);
}

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    die("there is no kind '%s'", name);
}

/* The word with PORT replaced; it lives as long as we do. */
static char *with_port(char *word, uint16_t port)
{
    char *at = strstr(word, "PORT"), *out = word;
    if (at != NULL &&
        asprintf(&out, "%.*s%u%s", (int)(at - word), word, port, at + strlen("PORT")) < 0)
        die("no memory");
    return out;
}

static void launch(struct server *s, char **command)
{
    char *words[WORDS_MAX] = {0};
    s->port = free_port();
    for (size_t i = 0; command[i] != NULL && i + 1 < WORDS_MAX; i++)
        words[i] = with_port(command[i], s->port);
    child_start(&s->child, words, "");
    int probe = -1;
    for (int ms = 0; ms < PATIENCE_MS && (probe = try_connect(s->port)) < 0; ms += 10)
        usleep(10000);
    if (probe < 0)
        die("%s does not listen", s->label);
    close(probe);
}

static void prepare_request(struct server *s)
{
    char headers[HEADERS_MAX], body[MESSAGE_MAX];
    snprintf(headers, sizeof(headers), "%s", s->kind->headers);
    if (s->kind->handshake)
        shake_hands(s, headers, sizeof(headers));
    s->next_id = 1000000000;
    snprintf(body, sizeof(body), "{\"jsonrpc\":\"2.0\",\"id\":%lld,%s}", s->next_id,
             s->kind->body);
    s->request_len = make_request(s->request, s, headers, body);
    s->id = strstr(s->request, "\"id\":") + strlen("\"id\":");
}

static void start(struct server *s, char **command, size_t n_connections)
{
    if (command[0] == NULL || command[1] == NULL || command[2] == NULL)
        die("a server is LABEL KIND COMMAND...");
    s->label = command[0];
    s->kind = find_kind(command[1]);
    launch(s, command + 2);
    prepare_request(s);
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; i < n_connections; i++) {
        struct connection *c = &s->connections[i];
        c->fd = try_connect(s->port);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        if (c->fd < 0 || epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->fd, &event) != 0)
            die("cannot connect to %s: %m", s->label);
    }
}

/* --- the load --- */

static void call(struct server *s, struct connection *c)
{
    snprintf(c->id, sizeof(c->id), "%lld", s->next_id++);
    memcpy(s->id, c->id, ID_DIGITS);
    c->have = 0;
    write_all(c->fd, s->request, s->request_len);
}

static void check(const struct server *s, const struct connection *c)
{
    if (strncmp(c->in, "HTTP/1.1 200", 12) != 0 || strstr(c->in, "\"result\":") == NULL ||
        strstr(c->in, "hello, vault") == NULL || strstr(c->in, c->id) == NULL ||
        strstr(c->in, "\"isError\":true") != NULL)
        die("%s answered %s", s->label, c->in);
}

static void take_turn(struct server *s, size_t n_connections, double ms, bool show)
{
    double cpu = child_cpu_us(&s->child), begin = now_us();
    size_t done = 0, in_flight = n_connections;
    for (size_t i = 0; i < n_connections; i++)
        call(s, &s->connections[i]);
    while (in_flight > 0) {
        struct epoll_event events[CONNECTIONS_MAX];
        int n = epoll_wait(s->epoll, events, CONNECTIONS_MAX, PATIENCE_MS);
        if (n <= 0)
            die("%s does not answer: %m", s->label);
        double now = now_us();
        for (int i = 0; i < n; i++) {
            struct connection *c = events[i].data.ptr;
            if (!receive(s, c))
                continue;
            check(s, c);
            done++;
            if (now - begin < ms * 1e3)
                call(s, c);
            else
                in_flight--;
        }
    }
    double seconds = (now_us() - begin) / 1e6;
    cpu = child_cpu_us(&s->child) - cpu;
    if (show)
        printf("{\"label\":\"%s\",\"requests\":%zu,\"per_s\":%.0f,\"cpu_us\":%.3f}\n",
               s->label, done, (double)done / seconds, cpu / (double)done);
}

int main(int argc, char **argv)
{
    int n_connections = 64, warm = 2, rounds = 11, ms = 500, option;
    while ((option = getopt(argc, argv, "+c:w:r:t:")) != -1) {
        switch (option) {
        case 'c':
            n_connections = count_of(optarg, CONNECTIONS_MAX);
            break;
        case 'w':
            warm = count_of(optarg, ROUNDS_MAX);
            break;
        case 'r':
            rounds = count_of(optarg, ROUNDS_MAX);
            break;
        case 't':
            ms = count_of(optarg, TURN_MS_MAX);
            break;
        default:
            return 2;
        }
    }
    static struct server servers[SERVERS_MAX];
    char **commands[SERVERS_MAX];
    size_t n = split_commands(argv + optind, commands, SERVERS_MAX);
    for (size_t i = 0; i < n; i++)
        start(&servers[i], commands[i], (size_t)n_connections);
    for (int round = -warm; round < rounds; round++)
        for (size_t i = 0; i < n; i++)
            take_turn(&servers[i], (size_t)n_connections, ms, round >= 0);
    for (size_t i = 0; i < n; i++)
        child_stop(&servers[i].child);
    return 0;
}
