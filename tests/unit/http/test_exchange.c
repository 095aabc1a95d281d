/* Streams, answers from other threads, and peers that disconnect. */
#include "fixture.h"
#include "systems.h"

#define HOST "Host: localhost\r\n"
#define EVENTS "GET /events HTTP/1.1\r\n" HOST "\r\n"

/* Read the head of a stream byte by byte, so that nothing after it is consumed. */
static str hear_head(struct fixture *f, int fd)
{
    return hear(f, fd).head;
}

static void test_stream(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("GET /events HTTP/1.1\r\n" HOST "Origin: http://localhost\r\n\r\n"));
    str head = hear_head(f, fd);
    assert_int_equal(status_in(head), 200);
    CHECK_STR("type", header_in(head, "content-type"), "text/event-stream");
    CHECK_STR("cache", header_in(head, "cache-control"), "no-cache, no-transform");
    CHECK_STR("buffering", header_in(head, "x-accel-buffering"), "no");
    CHECK_STR("chunks", header_in(head, "transfer-encoding"), "chunked");
    CHECK_STR("cors", header_in(head, "access-control-allow-origin"), "http://localhost");
    assert_null(header_in(head, "content-length").p);

    struct http_exchange *x = fixture_stream(f);
    CHECK_STR("the path is kept", http_request_of(x)->path, "/events");
    assert_true(http_stream_send(x, STR("data: 1\n\n")));
    CHECK_STR("one", hear_bytes(f, fd, 14), "9\r\ndata: 1\n\n\r\n");
    assert_true(http_stream_send(x, STR("")));
    assert_true(http_stream_send(x, STR("data: 2\n\n")));
    CHECK_STR("two", hear_bytes(f, fd, 14), "9\r\ndata: 2\n\n\r\n");
    http_stream_end(x);
    CHECK_STR("end", hear_bytes(f, fd, 5), "0\r\n\r\n");

    say(fd, STR("GET / HTTP/1.1\r\n" HOST "\r\n")); /* the connection stays open */
    assert_int_equal(hear(f, fd).status, 200);
    WAIT_UNTIL(atomic_load(&f->accesses) == 2);
    close(fd);
    assert_int_equal(atomic_load(&f->gone), 0);
    fixture_stop(f);
}

static void test_stream_http10(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    str head = hear_head(f, fd);
    assert_null(header_in(head, "transfer-encoding").p);
    CHECK_STR("until close", header_in(head, "connection"), "close");
    struct http_exchange *x = fixture_stream(f);
    http_stream_send(x, STR("data: 1\n\n"));
    http_stream_end(x);
    struct heard h = hear_all(f, fd);
    CHECK_STR("bare", h.text, "data: 1\n\n");
    assert_int_equal(h.ending, CLOSED);
    close(fd);
    fixture_stop(f);
}

/* HEAD gets the head of the stream, and the handler is notified that the peer is gone. */
static void test_stream_head(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("HEAD /events HTTP/1.1\r\n" HOST "\r\n"));
    struct heard h = hear_all(f, fd);
    assert_int_equal(h.ending, CLOSED);
    assert_true(str_ends(h.text, STR("\r\n\r\n")));
    WAIT_UNTIL(atomic_load(&f->gone) == 1);
    struct http_exchange *x = fixture_stream(f);
    assert_false(http_stream_send(x, STR("data: 1\n\n")));
    http_stream_end(x);
    close(fd);
    fixture_stop(f);
}

struct sender {
    pthread_t thread;
    struct http_exchange *x;
    int id, n;
};

static void *send_many(void *arg)
{
    struct sender *s = arg;
    for (int i = 0; i < s->n; i++) {
        char text[64];
        int n = snprintf(text, sizeof(text), "data: %d %d\n\n", s->id, i);
        http_stream_send(s->x, (str){text, (size_t)n});
    }
    return NULL;
}

/* Four threads send concurrently: nothing is lost, and each keeps its order. */
static void test_senders(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("GET /events HTTP/1.0\r\n\r\n"));
    hear_head(f, fd);
    struct http_exchange *x = fixture_stream(f);
    enum { SENDERS = 4, EACH = 1000 };
    struct sender senders[SENDERS];
    for (int i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){.x = x, .id = i, .n = EACH};
        pthread_create(&senders[i].thread, NULL, send_many, &senders[i]);
    }
    for (int i = 0; i < SENDERS; i++)
        pthread_join(senders[i].thread, NULL);
    http_stream_end(x);
    str text = hear_all(f, fd).text, line;
    int next[SENDERS] = {0};
    while (str_next(&text, '\n', &line)) {
        int id, i;
        char copy[64];
        snprintf(copy, sizeof(copy), STR_FMT, STR_ARG(line));
        if (sscanf(copy, "data: %d %d", &id, &i) == 2)
            assert_int_equal(i, next[id]++);
    }
    for (int i = 0; i < SENDERS; i++)
        assert_int_equal(next[i], EACH);
    close(fd);
    fixture_stop(f);
}

static void test_SEC_70_heartbeat(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.heartbeat_ms = 100;
    limits.keepalive_ms = 50; /* not for streams */
    limits.write_ms = 50;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    uint64_t start = clock_ms();
    say(fd, STR(EVENTS));
    hear_head(f, fd);
    CHECK_STR("beats", hear_bytes(f, fd, 36),
              "d\r\n: keepalive\n\n\r\nd\r\n: keepalive\n\n\r\n");
    uint64_t took = clock_ms() - start;
    assert_true(took >= 190);
    http_stream_end(fixture_stream(f));
    close(fd);
    fixture_stop(f);
}

/* Send until the stream is refused; bounded so that a failure ends. */
static bool is_cut(struct http_exchange *x, size_t piece, size_t total)
{
    char *text = mem_alloc(piece);
    memset(text, 'x', piece);
    bool alive = true;
    for (size_t sent = 0; alive && sent < total; sent += piece) {
        alive = http_stream_send(x, (str){text, piece});
        usleep(100);
    }
    free(text);
    return !alive;
}

static void test_SEC_64_slow_reader(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.queued = 100000;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR(EVENTS));
    struct http_exchange *x = fixture_stream(f);
    assert_true(is_cut(x, 10000, 50 << 20));
    WAIT_UNTIL(atomic_load(&f->gone) == 1);
    http_stream_end(x);
    WAIT_UNTIL(atomic_load(&f->accesses) == 1);
    close(fd);
    fixture_stop(f);
}

/* One piece may be larger than the limit, if the peer reads it in time. */
static void test_large_piece(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.queued = 1000;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("GET /events HTTP/1.0\r\n\r\n"));
    hear_head(f, fd);
    struct http_exchange *x = fixture_stream(f);
    enum { SIZE = 12 << 20 };
    char *text = mem_zero(SIZE);
    assert_true(http_stream_send(x, (str){text, SIZE}));
    http_stream_end(x);
    free(text);
    assert_int_equal(hear_all(f, fd).text.n, SIZE);
    close(fd);
    fixture_stop(f);
}

/* A stuck reader is also cut off by time, although little is queued. */
static void test_SEC_64_stuck_reader(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.queued = 100 << 20;
    limits.write_ms = 200;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR(EVENTS));
    struct http_exchange *x = fixture_stream(f);
    char *text = mem_zero(5 << 20);
    http_stream_send(x, (str){text, 5 << 20});
    free(text);
    WAIT_UNTIL(atomic_load(&f->gone) == 1);
    assert_false(http_stream_send(x, STR("more")));
    http_stream_end(x);
    WAIT_UNTIL(atomic_load(&f->accesses) == 1);
    assert_true(hear_all(f, fd).text.n < 5 << 20);
    close(fd);
    fixture_stop(f);
}

static void leave(int fd)
{
    close(fd);
}

static void reset(int fd)
{
    struct linger now = {.l_onoff = 1};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(fd);
}

/* A disconnect is noticed immediately, although nothing is sent to the peer. */
static void test_SEC_70_gone(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*leave)(int fd);
    } cases[] = {{"closed", leave}, {"reset", reset}};

    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int fd = dial(f);
        say(fd, STR(EVENTS));
        struct http_exchange *x = fixture_stream(f);
        hear_head(f, fd);
        cases[i].leave(fd);
        WAIT_UNTIL(atomic_load(&f->gone) == 1);
        assert_false(http_stream_send(x, STR("x")));
        http_stream_end(x);
        WAIT_UNTIL(atomic_load(&f->accesses) == 1);
        assert_int_equal(atomic_load(&f->last_status), 200);

        fd = dial(f);
        atomic_store(&f->let_go, false);
        say(fd, STR("GET /held HTTP/1.1\r\n" HOST "\r\n"));
        WAIT_UNTIL(atomic_load(&f->workers) == 1);
        cases[i].leave(fd);
        WAIT_UNTIL(atomic_load(&f->gone) == 2);
        atomic_store(&f->let_go, true);
        WAIT_UNTIL(atomic_load(&f->accesses) == 2); /* the answer is dropped */
        assert_int_equal(atomic_load(&f->last_status), 0);
        WAIT_UNTIL(atomic_load(&f->workers) == 0); /* the next one waits for 1 */
        atomic_store(&f->gone, 0);
        atomic_store(&f->accesses, 0);
    }
    fixture_stop(f);
}

/* An idle stream must cost little: no buffer, no parser, no request. */
static size_t resident(void)
{
    size_t pages = 0, shared = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%zu %zu", &shared, &pages) != 2)
        fail_msg("statm");
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void keep_none(struct http_exchange *x, void *context)
{
    struct http_exchange **all = context;
    all[http_exchange_id(x) - 1] = x;
    http_stream(x, &(struct http_response){0}); /* last: the client goes on */
}

static void test_idle_memory(void **state)
{
    (void)state;
    if (VAULTD_SANITIZED)
        SKIP("sanitizers need memory of their own; the build with gcc has none");
    if (UNDER_WINE)
        SKIP("Wine needs memory of its own");
    static struct http_exchange *all[450]; /* two descriptors each, of 1024 */
    static const struct http_route routes[] = {
        {.path = "/events", .methods = HTTP_GET, .handle = keep_none}, {0}};
    struct http_config config = {
        .routes = routes, .context = all, .limits = HTTP_LIMITS_DEFAULT};
    struct fixture f = {.server = http_server_create(&config)};
    struct err err;
    assert_true(http_server_listen(f.server, STR("127.0.0.1:0"), &err));
    fixture_begin(&f);
    int fds[COUNT_OF(all)];
    size_t before = 0;
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        if (i == 100)
            before = resident();
        fds[i] = dial(&f);
        say(fds[i], STR(EVENTS));
        hear(&f, fds[i]);
        arena_reset(&f.arena);
    }
    size_t each = (resident() - before) / (COUNT_OF(fds) - 100);
    if (each > 2048)
        fail_msg("an idle stream costs %zu bytes", each);
    for (size_t i = 0; i < COUNT_OF(fds); i++) {
        http_stream_end(all[i]);
        close(fds[i]);
    }
    http_server_stop(f.server);
    pthread_join(f.thread, NULL);
    http_server_free(f.server);
    arena_release(&f.arena);
}

/* Many peers that ask for a lot and read nothing. */
static void test_stuck_readers(void **state)
{
    enum { PEERS = 12 };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.queued_all = 16 << 20;
    struct fixture *f = fixture_start(&limits);
    int fds[PEERS];
    for (size_t i = 0; i < PEERS; i++) {
        fds[i] = dial(f);
        say(fds[i], STR("GET /large?16000000 HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    }
    WAIT_UNTIL(atomic_load(&f->accesses) == PEERS);
    WAIT_UNTIL(http_server_connections(f->server) <= PEERS / 2);
    CHECK("a single answer is never too much", http_server_connections(f->server) >= 1);
    for (size_t i = 0; i < PEERS; i++)
        close(fds[i]);
    fixture_stop(f);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        {"SEC-64: unread answers are limited in total", test_stuck_readers, NULL, NULL,
         NULL},
        cmocka_unit_test(test_stream),
        cmocka_unit_test(test_stream_http10),
        cmocka_unit_test(test_stream_head),
        cmocka_unit_test(test_senders),
        cmocka_unit_test(test_SEC_70_heartbeat),
        cmocka_unit_test(test_SEC_64_slow_reader),
        cmocka_unit_test(test_large_piece),
        cmocka_unit_test(test_SEC_64_stuck_reader),
        cmocka_unit_test(test_SEC_70_gone),
        cmocka_unit_test(test_idle_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
