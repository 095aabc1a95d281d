/* Streams need exchanges, so these tests run a real HTTP server on a free port. */
#include "mcp/stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "quoted.h"
#include "until.h"

struct rig {
    struct arena arena;
    struct mcp_streams streams;
    struct http_server *http;
    pthread_t thread;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct http_exchange *arrived; /* a request that was not taken yet */
};

/* Requests wait here until the test takes their exchange. */
static void handle(struct http_exchange *x, void *context)
{
    struct rig *g = context;
    http_on_gone(x, streams_gone, &g->streams, http_exchange_id(x));
    pthread_mutex_lock(&g->lock);
    g->arrived = x;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

static const struct http_route routes[] = {
    {.path = "/", .methods = HTTP_GET, .handle = handle},
    {0},
};

static void *run_http(void *http)
{
    http_server_run(http);
    return NULL;
}

static int setup(void **state)
{
    struct rig *g = mem_zero(sizeof(*g));
    streams_init(&g->streams);
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    struct http_config config = {
        .routes = routes, .context = g, .limits = HTTP_LIMITS_DEFAULT};
    config.limits.drain_ms = 200;
    config.limits.queued = 8 << 20;
    g->http = http_server_create(&config);
    struct err err = {0};
    if (!http_server_listen(g->http, STR("127.0.0.1:0"), &err))
        fail_msg("%s", err.msg);
    assert_int_equal(pthread_create(&g->thread, NULL, run_http, g->http), 0);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    struct rig *g = *state;
    http_server_stop(g->http);
    pthread_join(g->thread, NULL);
    http_server_free(g->http);
    streams_release(&g->streams);
    pthread_cond_destroy(&g->changed);
    pthread_mutex_destroy(&g->lock);
    arena_release(&g->arena);
    free(g);
    return 0;
}

/* --- the client --- */

struct client {
    struct rig *rig;
    int fd;
    char *got;
    size_t n;
};

/* A request whose answer continues until the connection ends: HTTP/1.0 has no chunks. */
static struct http_exchange *request(struct rig *g, struct client *c)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)http_server_port(g->http)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    *c = (struct client){.rig = g, .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    assert_int_equal(connect(c->fd, (struct sockaddr *)&to, sizeof(to)), 0);
    str head = STR("GET / HTTP/1.0\r\n\r\n");
    assert_int_equal(send(c->fd, head.p, head.n, MSG_NOSIGNAL), head.n);
    pthread_mutex_lock(&g->lock);
    while (g->arrived == NULL)
        pthread_cond_wait(&g->changed, &g->lock);
    struct http_exchange *x = g->arrived;
    g->arrived = NULL;
    pthread_mutex_unlock(&g->lock);
    return x;
}

static void leave(struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    free(c->got);
    c->got = NULL;
    c->n = 0;
}

/* The text up to and including end; "(end)" if the connection ends before. */
static str take(struct client *c, str end)
{
    size_t at;
    while ((at = str_find((str){c->got, c->n}, end)) == STR_NONE) {
        enum { STEP = 256 << 10 };
        struct pollfd p = {.fd = c->fd, .events = POLLIN};
        if (poll(&p, 1, UNTIL_MS) != 1)
            fail_msg("nothing came");
        c->got = mem_grow(c->got, c->n + STEP);
        ssize_t n = recv(c->fd, c->got + c->n, STEP, 0);
        if (n <= 0)
            return c->n == 0 ? STR("(end)") : STR("(end in the middle)");
        c->n += (size_t)n;
    }
    at += end.n;
    str text = arena_str(&c->rig->arena, (str){c->got, at});
    c->n -= at;
    memmove(c->got, c->got + at, c->n);
    return text;
}

static void take_head(struct client *c)
{
    str head = take(c, STR("\r\n\r\n"));
    CHECK("status", str_starts(head, STR("HTTP/1.1 200 ")));
    CHECK("type", str_find(head, STR("text/event-stream")) != STR_NONE);
}

/* The next event with its empty line. */
static str take_event(struct client *c)
{
    return take(c, STR("\n\n"));
}

/* The name of the stream in "id: <name>-<number>\n…". */
static str stream_name(str event)
{
    return str_slice(event, 4, 4 + 16);
}

static void check_event(struct client *c, str name, int number, const char *data)
{
    str want =
        arena_printf(&c->rig->arena, "id: " STR_FMT "-%d\nevent: message\ndata: %s\n\n",
                     STR_ARG(name), number, data);
    CHECK_STR(data, take_event(c), want);
}

/* --- the streams --- */

static struct mcp_stream *open_stream(struct rig *g, struct client *c, bool primer,
                                      bool standalone)
{
    struct http_exchange *x = request(g, c);
    http_stream(x, &(struct http_response){.status = 200});
    return stream_open(&g->streams, STR("scope"), x, http_exchange_id(x), primer,
                       standalone);
}

static void send_data(struct mcp_stream *t, const char *data)
{
    struct mcp_sink *sink = stream_sink(t);
    (sink->send)(sink, str_c(data));
}

static void finish(struct mcp_stream *t, const char *data)
{
    stream_sink(t)->finish(stream_sink(t), str_c(data), 0);
}

static bool resume(struct rig *g, struct client *c, const char *scope, str id)
{
    struct http_exchange *x = request(g, c);
    if (streams_resume(&g->streams, str_c(scope), id, x, http_exchange_id(x))) {
        take_head(c);
        return true;
    }
    http_reply(x,
               &(struct http_response){.status = 404}); /* the exchange is still ours */
    CHECK("refused", str_starts(take(c, STR("\r\n\r\n")), STR("HTTP/1.1 404 ")));
    return false;
}

static str event_id(struct rig *g, str name, int number)
{
    return arena_printf(&g->arena, STR_FMT "-%d", STR_ARG(name), number);
}

static void test_events(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, false, false);
    take_head(&c);
    send_data(t, "{\"a\":1}");
    str first = take_event(&c), name = stream_name(first);
    CHECK_STR("first", str_skip(first, 4 + 16),
              "-1\nevent: message\ndata: {\"a\":1}\n\n");
    send_data(t, "two");
    check_event(&c, name, 2, "two");
    finish(t, "three");
    check_event(&c, name, 3, "three");
    CHECK_STR("the end", take_event(&c), "(end)");
    leave(&c);
}

static void test_primer(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, true, false);
    take_head(&c);
    str primer = take_event(&c), name = stream_name(primer);
    CHECK_STR("primer", str_skip(primer, 4 + 16), "-0\nretry: 500\ndata: \n\n");
    send_data(t, "one");
    check_event(&c, name, 1, "one");
    finish(t, "");
    CHECK_STR("an end without an answer", take_event(&c), "(end)");
    leave(&c);

    /* its id can be used to resume */
    assert_true(resume(g, &c, "scope", event_id(g, name, 0)));
    check_event(&c, name, 1, "one");
    CHECK_STR("the end", take_event(&c), "(end)");
    leave(&c);
}

/* A client that disconnected resumes, gets what it missed, and continues. */
static void test_resume(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, false, false);
    take_head(&c);
    send_data(t, "one");
    str name = stream_name(take_event(&c));
    send_data(t, "two");
    send_data(t, "three");
    leave(&c);
    send_data(t, "four");

    assert_true(resume(g, &c, "scope", event_id(g, name, 1)));
    check_event(&c, name, 2, "two");
    check_event(&c, name, 3, "three");
    check_event(&c, name, 4, "four");
    send_data(t, "five");
    check_event(&c, name, 5, "five");
    leave(&c);

    assert_true(resume(g, &c, "scope", event_id(g, name, 99)));
    send_data(t, "six");
    check_event(&c, name, 6, "six");
    leave(&c);

    assert_true(resume(g, &c, "scope", event_id(g, name, 5)));
    check_event(&c, name, 6, "six");
    finish(t, "seven");
    check_event(&c, name, 7, "seven");
    CHECK_STR("the end", take_event(&c), "(end)");
    leave(&c);
}

static void test_resume_after_end(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, false, false);
    take_head(&c);
    send_data(t, "one");
    str name = stream_name(take_event(&c));
    leave(&c);
    send_data(t, "two");
    finish(t, "answer");
    for (int after = 0; after <= 4; after++) { /* any number of times */
        static const char *const all[] = {"one", "two", "answer"};
        assert_true(resume(g, &c, "scope", event_id(g, name, after)));
        for (int i = after; i < (int)COUNT_OF(all); i++)
            check_event(&c, name, i + 1, all[i]);
        CHECK_STR("the end", take_event(&c), "(end)");
        leave(&c);
    }
}

static void test_wrong_ids(void **state)
{
    struct rig *g = *state;
    struct client c, other;
    struct mcp_stream *t = open_stream(g, &c, true, false);
    take_head(&c);
    str name = stream_name(take_event(&c));
    static const char *const cases[] = {
        "",
        "-",
        "-1",
        "x",
        "0-0",
        "0000000000000000-0",
        "ffffffffffffffff-0",
        "%s",
        "%s-",
        "%s-x",
        "%s-1x",
        "%s-1-1",
        "x%s-1",
        "%s.1",
        "%s 1",
        "%s-1 0123456789012345678901234567890123456789",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char id[128];
        size_t at = str_find(str_c(cases[i]), STR("%s"));
        if (at == STR_NONE)
            snprintf(id, sizeof(id), "%s", cases[i]);
        else
            snprintf(id, sizeof(id), "%.*s" STR_FMT "%s", (int)at, cases[i],
                     STR_ARG(name), cases[i] + at + 2);
        CHECK(id, !resume(g, &other, "scope", str_c(id)));
        leave(&other);
    }
    static const char *const scopes[] = {"", "scop", "scope ", "SCOPE", "other"};
    for (size_t i = 0; i < COUNT_OF(scopes); i++) {
        CHECK(scopes[i], !resume(g, &other, scopes[i], event_id(g, name, 0)));
        leave(&other);
    }
    send_data(t, "still here");
    check_event(&c, name, 1, "still here");
    finish(t, "");
    leave(&c);
}

/* The newest connection wins: the old one may be dead without being noticed. */
static void test_second_connection(void **state)
{
    struct rig *g = *state;
    struct client one, two;
    struct mcp_stream *t = open_stream(g, &one, false, false);
    take_head(&one);
    send_data(t, "one");
    str name = stream_name(take_event(&one));
    assert_true(resume(g, &two, "scope", event_id(g, name, 0)));
    CHECK_STR("the old one ends", take_event(&one), "(end)");
    check_event(&two, name, 1, "one");
    finish(t, "two");
    check_event(&two, name, 2, "two");
    leave(&one);
    leave(&two);
}

static void test_detach(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, true, false);
    take_head(&c);
    str name = stream_name(take_event(&c));
    stream_detach(t);
    CHECK_STR("sent away", take_event(&c), "(end)");
    leave(&c);
    stream_detach(t); /* no client is connected */
    send_data(t, "one");
    assert_true(resume(g, &c, "scope", event_id(g, name, 0)));
    check_event(&c, name, 1, "one");
    finish(t, "two");
    check_event(&c, name, 2, "two");
    leave(&c);
}

static void test_standalone(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, false, true);
    char scope[64] = "";
    take_head(&c);
    send_data(t, "one");
    str name = stream_name(take_event(&c));
    leave(&c);
    assert_true(resume(g, &c, "scope", event_id(g, name, 0)));
    check_event(&c, name, 1, "one");
    CHECK("in use", !streams_abandoned(&g->streams, scope));
    CHECK_INT("remembered", g->streams.n, 1);
    finish(t, "");
    CHECK_STR("the end", take_event(&c), "(end)");
    CHECK_INT("forgotten", g->streams.n, 0);
    CHECK_INT("with its events", g->streams.bytes, 0);
    leave(&c);
    assert_false(resume(g, &c, "scope", event_id(g, name, 0)));
    leave(&c);
}

/* Two streams of one session do not mix. */
static void test_two_streams(void **state)
{
    struct rig *g = *state;
    struct client one, two;
    struct mcp_stream *a = open_stream(g, &one, false, false);
    struct mcp_stream *b = open_stream(g, &two, false, false);
    take_head(&one);
    take_head(&two);
    send_data(a, "a1");
    send_data(b, "b1");
    str name_a = stream_name(take_event(&one)), name_b = stream_name(take_event(&two));
    CHECK("names differ", !str_eq(name_a, name_b));
    leave(&one);
    send_data(a, "a2");
    send_data(b, "b2");
    check_event(&two, name_b, 2, "b2");
    assert_true(resume(g, &one, "scope", event_id(g, name_a, 0)));
    check_event(&one, name_a, 1, "a1");
    check_event(&one, name_a, 2, "a2");
    finish(a, "");
    finish(b, "");
    leave(&one);
    leave(&two);
}

/* --- limits --- */

static char *letters(char letter, size_t n)
{
    char *text = mem_zero(n + 1);
    memset(text, letter, n);
    return text;
}

/* The newest megabyte of a stream is kept, and always the last event. */
static void test_bytes_of_one(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, true, false);
    take_head(&c);
    str name = stream_name(take_event(&c));
    leave(&c);
    char *half = letters('h', STREAM_BYTES_MAX / 2);
    char *huge = letters('H', 2 * STREAM_BYTES_MAX);
    send_data(t, half);
    send_data(t, half);
    CHECK_INT("both fit", g->streams.bytes, STREAM_BYTES_MAX);
    send_data(t, "x");
    CHECK_INT("the first went", g->streams.bytes, STREAM_BYTES_MAX / 2 + 1);
    assert_true(resume(g, &c, "scope", event_id(g, name, 0)));
    check_event(&c, name, 2, half);
    check_event(&c, name, 3, "x");
    leave(&c);
    send_data(t, huge);
    CHECK_INT("only the last", g->streams.bytes, 2 * STREAM_BYTES_MAX);
    finish(t, "end");
    CHECK_INT("or not even that", g->streams.bytes, 3);
    assert_true(resume(g, &c, "scope", event_id(g, name, 0)));
    check_event(&c, name, 5, "end");
    leave(&c);
    free(half);
    free(huge);
}

/* Among all streams, ended ones are dropped first, the oldest before the others. */
static void test_bytes_of_all(void **state)
{
    enum { STREAMS = STREAMS_BYTES_MAX / STREAM_BYTES_MAX + 6 };
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *running = open_stream(g, &c, true, false);
    take_head(&c);
    str kept = arena_str(&g->arena, stream_name(take_event(&c)));
    leave(&c);
    send_data(running, "mine");
    char *text = letters('x', STREAM_BYTES_MAX);
    str first = {0};
    for (int i = 0; i < STREAMS; i++) {
        struct mcp_stream *t = open_stream(g, &c, true, false);
        take_head(&c);
        str name = stream_name(take_event(&c));
        if (i == 0)
            first = arena_str(&g->arena, name);
        leave(&c);
        finish(t, text);
        CHECK("bounded",
              g->streams.bytes <= (size_t)STREAMS_BYTES_MAX + 2 * STREAM_BYTES_MAX);
    }
    CHECK_INT("some went", g->streams.n < STREAMS, 1);
    CHECK("most are there", g->streams.n > STREAMS / 2);
    assert_false(resume(g, &c, "scope", event_id(g, first, 0)));
    leave(&c);
    assert_true(resume(g, &c, "scope", event_id(g, kept, 0)));
    check_event(&c, kept, 1, "mine");
    finish(running, "");
    leave(&c);
    free(text);
}

/* --- threads --- */

static void *send_many(void *stream)
{
    for (int i = 0; i < 200; i++) {
        char text[16];
        snprintf(text, sizeof(text), "%d", i);
        send_data(stream, text);
    }
    return NULL;
}

/* While a worker sends, the client disconnects and reconnects again and again. */
static void test_threads(void **state)
{
    struct rig *g = *state;
    struct client c;
    struct mcp_stream *t = open_stream(g, &c, true, false);
    take_head(&c);
    str name = arena_str(&g->arena, stream_name(take_event(&c)));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, send_many, t), 0);
    int seen = 0;
    while (seen < 200) {
        for (int i = 0; i < 20 && seen < 200; i++, seen++) {
            char want[16];
            snprintf(want, sizeof(want), "%d", seen);
            check_event(&c, name, seen + 1, want);
        }
        leave(&c);
        assert_true(resume(g, &c, "scope", event_id(g, name, seen)));
    }
    pthread_join(thread, NULL);
    finish(t, "end");
    check_event(&c, name, 201, "end");
    leave(&c);
}

/* Streams that are open when the server stops, with and without a connection. */
static void test_left_open(void **state)
{
    struct rig *g = *state;
    struct client c, d;
    open_stream(g, &c, true, true);
    struct mcp_stream *t = open_stream(g, &d, true, false);
    take_head(&d);
    send_data(t, "x");
    leave(&d);
    leave(&c);
    open_stream(g, &c, true, false);
    close(c.fd); /* without waiting for it */
}

#define STREAM_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        STREAM_TEST(test_events),       STREAM_TEST(test_primer),
        STREAM_TEST(test_resume),       STREAM_TEST(test_resume_after_end),
        STREAM_TEST(test_wrong_ids),    STREAM_TEST(test_second_connection),
        STREAM_TEST(test_detach),       STREAM_TEST(test_standalone),
        STREAM_TEST(test_two_streams),  STREAM_TEST(test_bytes_of_one),
        STREAM_TEST(test_bytes_of_all), STREAM_TEST(test_threads),
        STREAM_TEST(test_left_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
