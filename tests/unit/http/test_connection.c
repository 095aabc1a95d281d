/* Requests over the wire: what is answered, when a connection ends, and how soon. */
#include "fixture.h"

#define HOST "Host: localhost\r\n"
#define POST "POST /echo HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define ROW(text) text, sizeof(text) - 1

/* Answered once and then closed, without a reset. The parser's rows are in test_parse.c.
 */
static void test_SEC_61_SEC_67_SEC_68_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        int status;
    } cases[] = {
        {ROW(POST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                  "GET /smuggled HTTP/1.1\r\n" HOST "\r\n"),
         400},
        {ROW(POST "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"), 400},
        {ROW(POST "Content-Length: +2\r\n\r\nab"), 400},
        {ROW(POST "Content-Length: 0x5\r\n\r\nabcde"), 400},
        {ROW(POST "Content-Length: 5,6\r\n\r\nabcdef"), 400},
        {ROW(POST "Content-Length: 4e1\r\n\r\nab"), 400},
        {ROW(POST "Content-Length: 9223372036854775808\r\n\r\nab"), 400},
        {ROW(POST "Content-Length : 2\r\n\r\nab"), 400},
        {ROW(POST "Content-Length: 2\r\n , 3\r\n\r\nabc"), 400},
        {ROW(POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 400},
        {ROW(POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 400},
        {ROW(CHUNKED "0x3\r\nabc\r\n0\r\n\r\n"), 400},
        {ROW(CHUNKED "3x\r\nabc\r\n0\r\n\r\n"), 400},
        {ROW(CHUNKED "3\r\nabc0\r\n\r\n"), 400},
        {ROW(CHUNKED "fffffffffffffffff\r\nabc"), 400},
        {ROW("GET / HTTP/1.1\r\n" HOST "A: b\rC: d\r\n\r\n"), 400},
        {ROW("GET / HTTP/1.1\nHost: localhost\n\n"), 400},
        {ROW("GET / HTTP/1.1\r\n" HOST "A: b\0c\r\n\r\n"), 400},
        {ROW("GET / HTTP/1.1\r\n" HOST "A: b\r\n c\r\n\r\n"), 400},
        {ROW("GET / HTTP/1.1\r\n\r\n"), 400},
        {ROW("GET / HTTP/1.1\r\n" HOST HOST "\r\n"), 400},
        {ROW("GET /\r\n\r\n"), 400},
        {ROW("GET / HTTP/0.9\r\n\r\n"), 400},
        {ROW("GET / HTTP/2.0\r\n" HOST "\r\n"), 505},
        {ROW("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505},
        {ROW("BREW / HTTP/1.1\r\n" HOST "\r\n"), 501},
        {ROW("GET http://evil.example/ HTTP/1.1\r\n" HOST "\r\n"), 400},
        {ROW("CONNECT localhost:22 HTTP/1.1\r\n" HOST "\r\n"), 400},
        {ROW("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 400},
        {ROW(POST "Expect: tea\r\nContent-Length: 2\r\n\r\nab"), 417},
        {ROW(POST "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab"), 415},
        {ROW("POST /small HTTP/1.1\r\n" HOST "Content-Length: 11\r\n\r\n"), 413},
        {ROW("POST /small HTTP/1.1\r\n" HOST "Content-Length: 11\r\n"
             "Expect: 100-continue\r\n\r\n"),
         413},
        {ROW("POST /small HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
             "a\r\n0123456789\r\n1\r\n"),
         413},
        {ROW("POST /none HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab"), 404},
        {ROW("POST / HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab"), 405},
        {ROW("OPTIONS /echo HTTP/1.1\r\n" HOST "Content-Length: 2\r\n\r\nab"), 413},
        {ROW("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421},
        {ROW("OPTIONS / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421},
        {ROW("GET /none HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421},
        {ROW("GET / HTTP/1.1\r\n" HOST "Origin: https://evil.example\r\n\r\n"), 403},
        {ROW("GET / HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n"), 403},
        {ROW("OPTIONS /cors HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n"), 403},
        {ROW("GET /any HTTP/1.1\r\nHost: evil.example\r\n\r\n"), 421},
    };

    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int fd = dial(f);
        say(fd, (str){cases[i].text, cases[i].n});
        struct heard h = hear_all(f, fd);
        CHECK_INT(cases[i].text, status_in(h.text), cases[i].status);
        CHECK_INT(cases[i].text, count_in(h.text, "HTTP/1.1 "), 1);
        CHECK_INT(cases[i].text, count_in(h.text, "{\"error\":\""), 1);
        CHECK_STR(cases[i].text, header_in(h.text, "connection"), "close");
        CHECK_INT(cases[i].text, h.ending, CLOSED);
        close(fd);
    }
    WAIT_UNTIL(atomic_load(&f->accesses) == (int)COUNT_OF(cases));
    fixture_stop(f);
}

/* Answered, and the connection stays open. */
static void test_SEC_60_answers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int status;
        const char *body;  /* NULL: not checked */
        const char *allow; /* NULL: none */
    } cases[] = {
        {"GET / HTTP/1.1\r\n" HOST "\r\n", 200, "/", NULL},
        {"GET http://localhost/tree/x?y HTTP/1.1\r\n" HOST "\r\n", 200, "/tree/x", NULL},
        {POST "Content-Length: 5\r\n\r\nhello", 200, "hello", NULL},
        {CHUNKED "2;x=y\r\nhe\r\n3\r\nllo\r\n0\r\nA: b\r\n\r\n", 200, "hello", NULL},
        {"DELETE /echo HTTP/1.1\r\n" HOST "\r\n", 200, "/echo", NULL},
        {"GET /none HTTP/1.1\r\n" HOST "\r\n", 404,
         "{\"error\":\"there is nothing at this path\"}", NULL},
        {"DELETE / HTTP/1.1\r\n" HOST "\r\n", 405, NULL, "GET, HEAD, OPTIONS"},
        {"PATCH /echo HTTP/1.1\r\n" HOST "\r\n", 405, NULL,
         "GET, HEAD, POST, DELETE, OPTIONS"},
        {"OPTIONS /small HTTP/1.1\r\n" HOST "\r\n", 204, "", "POST, OPTIONS"},
        {"OPTIONS /none HTTP/1.1\r\n" HOST "\r\n", 404, NULL, NULL},
        {"OPTIONS * HTTP/1.1\r\n" HOST "\r\n", 204, "",
         "GET, HEAD, POST, DELETE, OPTIONS"},
        {"GET / HTTP/1.1\r\n" HOST "Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200,
         "/", NULL},
        {"\r\nGET / HTTP/1.1\r\n" HOST "\r\n", 200, "/", NULL},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200, "/", NULL},
    };

    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].text;
        say(fd, str_c(row));
        struct answer a = hear(f, fd);
        CHECK_INT(row, a.status, cases[i].status);
        if (cases[i].body != NULL)
            CHECK_STR(row, a.body, cases[i].body);
        CHECK_STR(row, header_in(a.head, "allow"), cases[i].allow);
        CHECK_STR(row, header_in(a.head, "x-content-type-options"), "nosniff");
        CHECK_INT(row, header_in(a.head, "date").n, 29);
        CHECK(row, header_in(a.head, "server").p == NULL);
        WAIT_UNTIL(atomic_load(&f->accesses) == (int)i + 1);
    }
    close(fd);
    fixture_stop(f);
}

static void test_head(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("HEAD /tree/ HTTP/1.1\r\n" HOST "\r\nHEAD /no HTTP/1.1\r\n" HOST
                "Connection: close\r\n\r\n"));
    struct heard h = hear_all(f, fd);
    assert_int_equal(h.ending, CLOSED);
    assert_int_equal(count_in(h.text, "\r\n\r\nHTTP/1.1 404"), 1);
    assert_true(str_ends(h.text, STR("\r\n\r\n")));
    CHECK_STR("length of what is not sent", header_in(h.text, "content-length"), "6");
    close(fd);
    fixture_stop(f);
}

static void test_http10(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    say(fd, STR("GET /tree/a HTTP/1.0\r\n\r\n"));
    struct heard h = hear_all(f, fd);
    assert_int_equal(h.ending, CLOSED);
    assert_int_equal(status_in(h.text), 200);
    assert_true(str_ends(h.text, STR("\r\n\r\n/tree/a")));
    close(fd);

    fd = dial(f);
    say(fd, STR("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"));
    struct answer a = hear(f, fd);
    CHECK_STR("kept", header_in(a.head, "connection"), "keep-alive");
    say(fd, STR("GET / HTTP/1.0\r\n\r\n"));
    h = hear_all(f, fd);
    assert_int_equal(h.ending, CLOSED);
    close(fd);
    fixture_stop(f);
}

static void test_SEC_11_cors(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    const char *origin = "http://localhost:5173";

    say(fd, STR("OPTIONS /cors HTTP/1.1\r\n" HOST "Origin: http://localhost:5173\r\n"
                "Access-Control-Request-Method: POST\r\n"
                "Access-Control-Request-Headers: mcp-param-path,x-other\r\n\r\n"));
    struct answer a = hear(f, fd);
    assert_int_equal(a.status, 204);
    CHECK_STR("preflight", header_in(a.head, "access-control-allow-origin"), origin);
    CHECK_STR("preflight", header_in(a.head, "access-control-max-age"), "86400");
    CHECK_STR("preflight", header_in(a.head, "access-control-allow-methods"),
              "GET, HEAD, POST, OPTIONS");
    CHECK_STR("preflight", header_in(a.head, "vary"), "Origin");
    assert_true(str_ends(header_in(a.head, "access-control-allow-headers"),
                         STR("last-event-id, mcp-param-path")));

    say(fd, STR("GET /cors HTTP/1.1\r\n" HOST "Origin: http://localhost:5173\r\n\r\n"));
    a = hear(f, fd);
    CHECK_STR("answer", header_in(a.head, "access-control-allow-origin"), origin);
    CHECK_STR("answer", header_in(a.head, "vary"), "Origin");
    CHECK_STR("answer", header_in(a.head, "access-control-expose-headers"),
              "WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version");

    say(fd, STR("GET /cors HTTP/1.1\r\n" HOST "\r\n"));
    a = hear(f, fd);
    assert_null(header_in(a.head, "access-control-allow-origin").p);

    say(fd, STR("GET /echo HTTP/1.1\r\n" HOST "Origin: http://localhost:5173\r\n\r\n"));
    a = hear(f, fd);
    assert_int_equal(a.status, 200);
    assert_null(header_in(a.head, "access-control-allow-origin").p);
    assert_null(header_in(a.head, "vary").p);

    say(fd, STR("OPTIONS /any HTTP/1.1\r\n" HOST "Origin: null\r\n\r\n"));
    assert_int_equal(hear(f, fd).status, 204);
    say(fd, STR("GET /any HTTP/1.1\r\n" HOST "Origin: https://a.example\r\n\r\n"));
    a = hear(f, fd);
    assert_int_equal(a.status, 200);
    CHECK_STR("for all", header_in(a.head, "access-control-allow-origin"), "*");
    assert_null(header_in(a.head, "access-control-allow-credentials").p);
    assert_null(header_in(a.head, "vary").p);
    close(fd);
    fixture_stop(f);
}

/* 100 requests in one write, some answered by other threads: in order, none lost. */
static void test_pipelining(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    struct sbuf all = SBUF_ON(&f->arena);
    for (int i = 0; i < 100; i++) {
        if (i % 10 == 0)
            sbuf_add(&all, STR("GET /later HTTP/1.1\r\n" HOST "\r\n"));
        else if (i % 2 == 0)
            sbuf_printf(&all, "GET /tree/%d HTTP/1.1\r\n" HOST "\r\n", i);
        else
            sbuf_printf(&all, POST "Content-Length: 3\r\n\r\n%03d", i);
    }
    int fd = dial(f);
    say(fd, sbuf_str(&all));
    for (int i = 0; i < 100; i++) {
        char want[32];
        if (i % 10 == 0)
            snprintf(want, sizeof(want), "/later");
        else
            snprintf(want, sizeof(want), i % 2 == 0 ? "/tree/%d" : "%03d", i);
        struct answer a = hear(f, fd);
        CHECK_INT(want, a.status, 200);
        CHECK_STR(want, a.body, want);
    }
    close(fd);
    assert_int_equal(atomic_load(&f->gone), 0);
    fixture_stop(f);
}

/* More bytes than may be kept: reading pauses, and nothing is lost. */
static void test_long_pipeline(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    enum { N = 20, SIZE = 50000 };
    char *body = mem_alloc(SIZE);
    memset(body, 'y', SIZE);
    int fd = dial(f);
    say(fd, STR("GET /later?100 HTTP/1.1\r\n" HOST "\r\n"));
    for (int i = 0; i < N; i++) {
        say(fd, STR(POST "Content-Length: 50000\r\n\r\n"));
        say(fd, (str){body, SIZE});
    }
    assert_int_equal(hear(f, fd).status, 200);
    for (int i = 0; i < N; i++)
        assert_int_equal(hear(f, fd).body.n, SIZE);
    free(body);
    close(fd);
    fixture_stop(f);
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    str text = STR(CHUNKED "3\r\nabc\r\n0\r\n\r\n" POST "Content-Length: 3\r\n\r\ndef");
    for (size_t i = 0; i < text.n; i++) {
        say(fd, str_slice(text, i, i + 1));
        usleep(200);
    }
    CHECK_STR("chunks", hear(f, fd).body, "abc");
    CHECK_STR("length", hear(f, fd).body, "def");
    close(fd);
    fixture_stop(f);
}

static void test_large(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    enum { SIZE = 4 << 20 };
    char *body = mem_alloc(SIZE);
    for (size_t i = 0; i < SIZE; i++)
        body[i] = (char)('a' + i % 23);
    int fd = dial(f);
    say(fd, STR(POST "Content-Length: 4194304\r\n\r\n"));
    say(fd, (str){body, SIZE});
    usleep(50000); /* let the answer fill the kernel's buffers */
    struct answer a = hear(f, fd);
    assert_true(str_eq(a.body, (str){body, SIZE}));
    free(body);

    /* Half closed by the peer while the answer is being written. */
    say(fd, STR("GET /large?20000000 HTTP/1.1\r\n" HOST "\r\n"));
    shutdown(fd, SHUT_WR);
    usleep(20000);
    a = hear(f, fd);
    assert_int_equal(a.body.n, 20000000);
    close(fd);
    fixture_stop(f);
}

static void test_continue(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    const str go_on = STR("HTTP/1.1 100 Continue\r\n\r\n");
    say(fd, STR(POST "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"));
    assert_true(str_eq(hear_bytes(f, fd, go_on.n), go_on));
    say(fd, STR("abc"));
    CHECK_STR("after", hear(f, fd).body, "abc");

    say(fd, STR(POST "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"));
    assert_true(str_eq(hear_bytes(f, fd, go_on.n), go_on));
    say(fd, STR("3\r\nabc\r\n0\r\n\r\n"));
    CHECK_STR("chunks", hear(f, fd).body, "abc");

    /* Nothing to continue with. */
    say(fd, STR(POST "Expect: 100-continue\r\n\r\n"));
    assert_int_equal(hear(f, fd).status, 200);
    close(fd);
    fixture_stop(f);
}

/* A client that sends its whole body before it reads still gets the answer. */
static void test_SEC_61_early_refusal_is_heard(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    enum { SIZE = 500000 };
    char *body = mem_zero(SIZE);
    int fd = dial(f);
    say(fd, STR("POST /small HTTP/1.1\r\n" HOST "Content-Length: 500000\r\n\r\n"));
    say(fd, (str){body, SIZE});
    struct heard h = hear_all(f, fd);
    assert_int_equal(status_in(h.text), 413);
    assert_int_equal(h.ending, CLOSED);
    close(fd);
    free(body);
    fixture_stop(f);
}

static void test_SEC_62_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *before, *again;
        size_t times;
        int status;
    } cases[] = {
        {"GET /", "a", 9000, 414},
        {"GET / HTTP/1.1\r\n" HOST "A: ", "b", 40000, 431},
        {"GET / HTTP/1.1\r\n" HOST, "A: b\r\n", 100, 431},
    };

    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct fixture *f = fixture_start(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf text = SBUF_ON(&f->arena);
        sbuf_add(&text, str_c(cases[i].before));
        for (size_t j = 0; j < cases[i].times; j++)
            sbuf_add(&text, str_c(cases[i].again));
        int fd = dial(f);
        say(fd, sbuf_str(&text));
        struct heard h = hear_all(f, fd);
        CHECK_INT(cases[i].again, status_in(h.text), cases[i].status);
        CHECK_INT(cases[i].again, h.ending, CLOSED);
        close(fd);
    }
    fixture_stop(f);
}

/* Deadlines are absolute: a slow peer is cut off like a silent one. Only that of the row is
 * short, because the test itself may be late. */
static void test_SEC_63_deadlines(void **state)
{
    (void)state;
    enum { SILENT, HEAD, BODY, SHORT_MS = 200 };
    static const struct {
        const char *name, *first, *drip;
        int status; /* 0: closed without an answer */
        size_t deadline;
    } cases[] = {
        {"silent", "", "", 0, SILENT},
        {"head", "GET / HTTP/1.1\r\nHo", "", 408, HEAD},
        {"dripping head", "GET / HTTP/1.1\r\nA: ", "a", 408, HEAD},
        {"empty lines", "\r\n", "", 408, HEAD},
        {"body", POST "Content-Length: 1000\r\n\r\n", "", 408, BODY},
        {"dripping body", POST "Content-Length: 1000\r\n\r\n", "a", 408, BODY},
        {"dripping chunks", CHUNKED, "1\r\na\r\n", 408, BODY},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].name;
        struct http_limits limits = HTTP_LIMITS_DEFAULT;
        unsigned *deadlines[] = {&limits.silent_ms, &limits.head_ms, &limits.body_ms};
        for (size_t j = 0; j < COUNT_OF(deadlines); j++)
            *deadlines[j] = j == cases[i].deadline ? SHORT_MS : HEAR_MS;
        struct fixture *f = fixture_start(&limits);
        uint64_t start = clock_ms();
        int fd = dial(f);
        say(fd, str_c(cases[i].first));
        struct pollfd p = {.fd = fd, .events = POLLIN};
        while (poll(&p, 1, 20) == 0 && clock_ms() - start < HEAR_MS)
            say(fd, str_c(cases[i].drip));
        uint64_t took = clock_ms() - start;
        struct heard h = hear_all(f, fd);
        CHECK_INT(row, status_in(h.text), cases[i].status);
        CHECK_INT(row, h.ending, CLOSED);
        if (took + 20 < SHORT_MS)
            fail_msg("%s: cut after %llu ms", row, (unsigned long long)took);
        close(fd);
        fixture_stop(f);
    }
}

static void test_SEC_63_idle_and_slow_readers(void **state)
{
    (void)state;
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.keepalive_ms = 200;
    limits.write_ms = 200;
    struct fixture *f = fixture_start(&limits);
    int fd = dial(f);
    uint64_t start = clock_ms();
    say(fd, STR("GET / HTTP/1.1\r\n" HOST "\r\n"));
    assert_int_equal(hear(f, fd).status, 200);
    struct heard h = hear_all(f, fd);
    uint64_t took = clock_ms() - start;
    assert_int_equal(h.ending, CLOSED);
    assert_int_equal(h.text.n, 0);
    assert_true(took >= 150);
    close(fd);

    /* Handlers have no deadline. */
    fd = dial(f);
    say(fd, STR("GET /later?600 HTTP/1.1\r\n" HOST "\r\n"));
    assert_int_equal(hear(f, fd).status, 200);
    close(fd);

    /* An answer that is not read gets 200 ms, plus 1 s for each queued MiB. */
    fd = dial(f);
    say(fd, STR("GET /large?6000000 HTTP/1.1\r\n" HOST "\r\n"));
    WAIT_UNTIL(atomic_load(&f->accesses) == 3 && http_server_connections(f->server) == 0);
    assert_true(hear_all(f, fd).text.n < 6000000);
    close(fd);
    fixture_stop(f);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_61_SEC_67_SEC_68_refusals),
        cmocka_unit_test(test_SEC_60_answers),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_http10),
        cmocka_unit_test(test_SEC_11_cors),
        cmocka_unit_test(test_pipelining),
        cmocka_unit_test(test_long_pipeline),
        cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_continue),
        cmocka_unit_test(test_SEC_61_early_refusal_is_heard),
        cmocka_unit_test(test_SEC_62_sizes),
        cmocka_unit_test(test_SEC_63_deadlines),
        cmocka_unit_test(test_SEC_63_idle_and_slow_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
