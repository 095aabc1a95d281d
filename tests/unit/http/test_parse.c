#include "check.h"

#include <stdio.h>

#include "base/sbuf.h"
#include "http/parse.h"

enum { BODY_MAX = 100, WHOLE = 1 << 20 };

/* The result for some bytes: the status, 0 if more are needed, 200 for a request. */
struct outcome {
    int status;
    size_t used;
    struct http_request request;
    bool keep_alive, http10, expects;
};

/* Feed text in pieces of step bytes. */
static struct outcome parse(struct arena *a, struct http_parser *p, str text, size_t step)
{
    struct outcome o = {0};
    http_parser_start(p, a);
    enum http_parse state = HTTP_MORE;
    while (state == HTTP_MORE && o.used < text.n) {
        size_t used;
        state = http_parser_feed(p, str_slice(text, o.used, o.used + step), &used);
        o.used += used;
        if (state == HTTP_HEAD_END) {
            http_parser_body(p, BODY_MAX);
            state = http_parser_feed(p, str_slice(text, o.used, o.used + step), &used);
            o.used += used;
        }
    }
    o.status = state == HTTP_BAD        ? http_parser_status(p)
               : state == HTTP_COMPLETE ? 200
                                        : 0;
    o.request = *http_parser_request(p);
    o.keep_alive = http_parser_keep_alive(p);
    o.http10 = http_parser_is_http10(p);
    o.expects = http_parser_expects(p);
    return o;
}

#define GET "GET / HTTP/1.1\r\n"
#define HOST "Host: localhost\r\n"
#define POST "POST / HTTP/1.1\r\n" HOST
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
#define ROW(text) text, sizeof(text) - 1

static const struct {
    const char *text;
    size_t n;
    int status; /* 200: a request; 0: more is needed */
} strictness[] = {
    {ROW(GET HOST "\r\n"), 200},
    {ROW("\r\n" GET HOST "\r\n"), 200},
    {ROW("\r\n\r\n\r\n\r\n" GET HOST "\r\n"), 200},
    {ROW("\r\n\r\n\r\n\r\n\r\n" GET HOST "\r\n"), 400},
    {ROW("\n" GET HOST "\r\n"), 400},
    {ROW("\r" GET HOST "\r\n"), 400},
    {ROW(GET HOST), 0},
    {ROW("G"), 0},

    /* request line */
    {ROW("GET /\r\n\r\n"), 400},
    {ROW("GET /\r\n"), 400},
    {ROW("GET / HTTP/0.9\r\n\r\n"), 400},
    {ROW("GET / HTTP/1.2\r\n" HOST "\r\n"), 505},
    {ROW("GET / HTTP/2.0\r\n" HOST "\r\n"), 505},
    {ROW("GET / HTTP/3.0\r\n" HOST "\r\n"), 505},
    {ROW("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505},
    {ROW("GET / HTTP/1\r\n" HOST "\r\n"), 400},
    {ROW("GET / HTTP/11\r\n" HOST "\r\n"), 400},
    {ROW("GET / HTTP/1.1x\r\n" HOST "\r\n"), 400},
    {ROW("GET / http/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET / HTTP/1.1 \r\n" HOST "\r\n"), 400},
    {ROW("GET  / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET /  HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET\t/\tHTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW(" GET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET / RTSP/1.0\r\n" HOST "\r\n"), 400},
    {ROW("FOO / HTTP/1.1\r\n" HOST "\r\n"), 501},
    {ROW("get / HTTP/1.1\r\n" HOST "\r\n"), 501},
    {ROW("PUT / HTTP/1.1\r\n" HOST "\r\n"), 200},
    {ROW("GET/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"), 400},
    {ROW("{\"jsonrpc\":\"2.0\"}"), 400},

    /* target */
    {ROW("GET foo HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET /a#b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET /\x7f HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET http://localhost/a HTTP/1.1\r\n" HOST "\r\n"), 200},
    {ROW("GET http://localhost HTTP/1.1\r\n" HOST "\r\n"), 200},
    {ROW("GET http://evil.example/a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET http://user@localhost/a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET http:///a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("GET ftp://localhost/a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("CONNECT localhost:80 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {ROW("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), 200},
    {ROW("GET * HTTP/1.1\r\n" HOST "\r\n"), 400},

    /* Host */
    {ROW(GET "\r\n"), 400},
    {ROW(GET HOST HOST "\r\n"), 400},
    {ROW(GET HOST "hOST: other\r\n\r\n"), 400},
    {ROW(GET "Host:\r\n\r\n"), 200},
    {ROW(GET "Host: a b\r\n\r\n"), 400},
    {ROW(GET "Host: a/b\r\n\r\n"), 400},
    {ROW(GET "Host: a@b\r\n\r\n"), 400},
    {ROW("GET / HTTP/1.0\r\n\r\n"), 200},
    {ROW("GET / HTTP/1.0\r\n" HOST "\r\n"), 200},
    {ROW("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400},

    /* lines */
    {ROW("GET / HTTP/1.1\nHost: localhost\n\n"), 400},
    {ROW(GET "Host: localhost\n\r\n"), 400},
    {ROW(GET HOST "\n"), 400},
    {ROW(GET HOST "A: b\rC: d\r\n\r\n"), 400},
    {ROW(GET HOST "A: b\r\r\n\r\n"), 400},
    {ROW(GET HOST "\rA: b\r\n\r\n"), 400},
    {ROW(GET HOST "A: b\0c\r\n\r\n"), 400},
    {ROW(GET HOST "A\0: b\r\n\r\n"), 400},
    {ROW(GET HOST "A: b\r\n c\r\n\r\n"), 400},
    {ROW(GET HOST "A: b\r\n\tc\r\n\r\n"), 400},
    {ROW(GET " A: b\r\n" HOST "\r\n"), 400},
    {ROW(POST "Content-Length:\r\n 2\r\n\r\nab"), 400},
    {ROW(GET HOST "A : b\r\n\r\n"), 400},
    {ROW(GET HOST "A\t: b\r\n\r\n"), 400},
    {ROW(GET HOST ": b\r\n\r\n"), 400},
    {ROW(GET HOST "A\r\n\r\n"), 400},
    {ROW(CHUNKED "0\r\n: b\r\n\r\n"), 400},
    {ROW(GET HOST "A(: b\r\n\r\n"), 400},
    {ROW(GET HOST "A\xc3: b\r\n\r\n"), 400},
    {ROW(GET HOST "A: \x01\r\n\r\n"), 400},
    {ROW(GET HOST "A: \x7f\r\n\r\n"), 400},
    {ROW(GET HOST "A: \xc3\xa9\t\"\r\n\r\n"), 200},
    {ROW(GET HOST "A:\r\nB: \r\nC:c\r\n\r\n"), 200},
    {ROW(GET HOST "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), 200},
    {ROW(GET HOST "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n\r\n"), 200},

    /* Content-Length */
    {ROW(POST "Content-Length: 2\r\n\r\nab"), 200},
    {ROW(POST "Content-Length: 002\r\n\r\nab"), 200},
    {ROW(POST "Content-Length: 0\r\n\r\n"), 200},
    {ROW(POST "Content-Length: 3\r\n\r\nab"), 0},
    {ROW(POST "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: 2\r\nContent-Length: 3\r\n\r\nabc"), 400},
    {ROW(POST "Content-Length: 2, 2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: 5,6\r\n\r\nabcde"), 400},
    {ROW(POST "Content-Length: +2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: -2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: -0\r\n\r\n"), 400},
    {ROW(POST "Content-Length: 0x2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: 4e1\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: 2 \r\n\r\nab"), 200},
    {ROW(POST "Content-Length: 2 2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: \r\n\r\n"), 400},
    {ROW(POST "Content-Length: two\r\n\r\nab"), 400},
    {ROW(POST "Content-Length : 2\r\n\r\nab"), 400},
    {ROW(POST "Content-Length: 9223372036854775808\r\n\r\n"), 400},
    {ROW(POST "Content-Length: 18446744073709551618\r\n\r\n"), 400},
    {ROW(POST "Content-Length: 99999999999999999999999999\r\n\r\n"), 400},
    {ROW(POST "Content-Length: 101\r\n\r\n"), 413},
    {ROW(POST "Content-Length: 9223372036854775807\r\n\r\n"), 413},

    /* Transfer-Encoding */
    {ROW(CHUNKED "2\r\nab\r\n0\r\n\r\n"), 200},
    {ROW(CHUNKED "0\r\n\r\n"), 200},
    {ROW(CHUNKED), 0},
    {ROW(CHUNKED "2\r\nab\r\n0\r\n"), 0},
    {ROW(POST "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"), 200},
    {ROW(POST "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: chunked;a=b\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: \x0b"
              "chunked\r\n\r\n0\r\n\r\n"),
     400},
    {ROW(POST "Transfer-Encoding:\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: identity\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"), 400},
    {ROW(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
              "0\r\n\r\n"),
     400},
    {ROW(POST "Transfer-Encoding: chunked\r\nTransfer-encoding: x\r\n\r\n0\r\n\r\n"),
     400},
    {ROW("POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},

    /* chunks */
    {ROW(CHUNKED "0x2\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "2x\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "+2\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "-2\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED " 2\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "\r\n2\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "2\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab0\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nabc\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab\r\n0\r\n\n"), 400},
    {ROW(CHUNKED "2\r\nab\r\n0\n\r\n"), 400},
    {ROW(CHUNKED "10000000000000002\r\nab\r\n0\r\n\r\n"), 400},
    {ROW(CHUNKED "ffffffffffffffff\r\nab"), 413},
    {ROW(CHUNKED "65\r\n"), 413},
    {ROW(CHUNKED "64\r\n"), 0},
    {ROW(CHUNKED "2;c;a=b\r\nab\r\n0\r\n\r\n"), 200},
    {ROW(CHUNKED "2;a=\"b c\"\r\nab\r\n0\r\n\r\n"), 200},
    {ROW(CHUNKED "2\r\nab\r\n0\r\nA: b\r\nC: d\r\n\r\n"), 200},
    {ROW(CHUNKED "2\r\nab\r\n0\r\nA: b\nC: d\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab\r\n0\r\nA: b\r\n c\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab\r\n0\r\n A: b\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab\r\n0\r\nA: b\0c\r\n\r\n"), 400},
    {ROW(CHUNKED "2\r\nab\r\n0\r\nA : b\r\n\r\n"), 400},

    /* Expect */
    {ROW(POST "Expect: 100-continue\r\nContent-Length: 2\r\n\r\nab"), 200},
    {ROW(POST "Expect: 100-Continue\r\nContent-Length: 2\r\n\r\nab"), 200},
    {ROW(POST "Expect: 200-ok\r\nContent-Length: 2\r\n\r\nab"), 417},
    {ROW(POST "Expect: 100-continue\r\nExpect: 100-continue\r\n\r\n"), 417},
    {ROW("POST / HTTP/1.0\r\nExpect: x\r\n\r\n"), 200},
};

/* However the bytes are split, the result is the same. */
static void test_SEC_61_strictness(void **state)
{
    static const size_t steps[] = {WHOLE, 1, 2, 3, 7};
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_parser *p = http_parser_create(&limits);
    for (size_t i = 0; i < COUNT_OF(strictness); i++) {
        for (size_t j = 0; j < COUNT_OF(steps); j++) {
            str text = {strictness[i].text, strictness[i].n};
            struct outcome o = parse(*state, p, text, steps[j]);
            char row[600];
            snprintf(row, sizeof(row), "%zu by %zu: %s", i, steps[j], text.p);
            CHECK_INT(row, o.status, strictness[i].status);
        }
        arena_reset(*state);
    }
    http_parser_free(p);
}

static void test_request(void **state)
{
    static const str text = {
        ROW("POST /a/b%20c?x=1&y=?2 HTTP/1.1\r\nHost: LocalHost:80\r\nX-Empty:\r\n"
            "x-Blank: \t v w \t\r\nContent-Length: 5\r\n\r\nhelloGET / HTTP/1.1\r\n")};
    static const size_t steps[] = {WHOLE, 1, 13};
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_parser *p = http_parser_create(&limits);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct outcome o = parse(*state, p, text, steps[i]);
        assert_int_equal(o.status, 200);
        CHECK_STR("left", str_skip(text, o.used), "GET / HTTP/1.1\r\n");
        const struct http_request *r = &o.request;
        assert_int_equal(r->method, HTTP_POST);
        CHECK_STR("method", r->method_name, "POST");
        CHECK_STR("path", r->path, "/a/b%20c");
        CHECK_STR("query", r->query, "x=1&y=?2");
        CHECK_STR("body", r->body, "hello");
        assert_int_equal(r->n_headers, 4);
        CHECK_STR("host", http_header(r, STR("HOST")), "LocalHost:80");
        CHECK_STR("spaces", http_header(r, STR("x-blank")), "v w");
        assert_non_null(http_header(r, STR("x-empty")).p);
        CHECK_STR("empty", http_header(r, STR("x-empty")), "");
        assert_null(http_header(r, STR("x-missing")).p);
    }
    http_parser_free(p);
}

static void test_targets(void **state)
{
    static const struct {
        const char *target, *path, *query;
    } cases[] = {
        {"/", "/", ""},
        {"/?", "/", ""},
        {"/a?b?c", "/a", "b?c"},
        {"//a/../b", "//a/../b", ""},
        {"http://localhost", "/", ""},
        {"HTTP://LOCALHOST/x", "/x", ""},
        {"https://localhost/a?b", "/a", "b"},
    };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_parser *p = http_parser_create(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].target;
        str text =
            arena_printf(*state, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", row);
        struct outcome o = parse(*state, p, text, WHOLE);
        CHECK_INT(row, o.status, 200);
        CHECK_STR(row, o.request.path, cases[i].path);
        CHECK_STR(row, o.request.query, cases[i].query);
    }
    http_parser_free(p);
}

static void test_keep_alive(void **state)
{
    static const struct {
        const char *text;
        bool keep_alive, http10;
    } cases[] = {
        {GET HOST "\r\n", true, false},
        {GET HOST "Connection: close\r\n\r\n", false, false},
        {GET HOST "Connection: Keep-Alive, Close\r\n\r\n", false, false},
        {"GET / HTTP/1.0\r\n\r\n", false, true},
        {"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true, true},
    };
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_parser *p = http_parser_create(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct outcome o = parse(*state, p, str_c(cases[i].text), WHOLE);
        CHECK_INT(cases[i].text, o.status, 200);
        CHECK_INT(cases[i].text, o.keep_alive, cases[i].keep_alive);
        CHECK_INT(cases[i].text, o.http10, cases[i].http10);
    }
    http_parser_free(p);
}

static str repeat(struct arena *a, const char *before, const char *again, size_t times,
                  const char *after)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, str_c(before));
    for (size_t i = 0; i < times; i++)
        sbuf_add(&b, str_c(again));
    sbuf_add(&b, str_c(after));
    return sbuf_str(&b);
}

static void test_SEC_62_limits(void **state)
{
    static const struct {
        const char *name, *before, *again;
        size_t times;
        const char *after;
        int status;
    } cases[] = {
        {"line fits", "GET /", "a", 85, " HTTP/1.1\r\n" HOST "\r\n", 200},
        {"line too long", "GET /", "a", 90, " HTTP/1.1\r\n" HOST "\r\n", 414},
        {"endless line", "GET /", "a", 5000, "", 414},
        {"head fits", GET HOST "A: ", "b", 900, "\r\n\r\n", 200},
        {"head too large", GET HOST "A: ", "b", 1000, "\r\n\r\n", 431},
        {"endless head", GET HOST "A: ", "b", 5000, "", 431},
        {"endless name", GET HOST, "b", 5000, "", 431},
        {"fields fit", GET HOST, "A: b\r\n", 9, "\r\n", 200},
        {"too many fields", GET HOST, "A: b\r\n", 10, "\r\n", 431},
        {"chunks fit", CHUNKED, "1\r\na\r\n", 100, "0\r\n\r\n", 200},
        {"chunks too large", CHUNKED, "1\r\na\r\n", 101, "0\r\n\r\n", 413},
        {"extension fits", CHUNKED "1;", "e", 250, "\r\na\r\n0\r\n\r\n", 200},
        {"extension too long", CHUNKED "1;", "e", 257, "\r\na\r\n0\r\n\r\n", 400},
        {"extensions too long", CHUNKED "1", ";efg", 86, "\r\na\r\n0\r\n\r\n", 400},
        {"last extension too long", CHUNKED "1\r\na\r\n0;", "e", 257, "\r\n\r\n", 400},
        {"endless chunk size", CHUNKED, "0", 5000, "1\r\na\r\n0\r\n\r\n", 400},
        {"trailers fit", CHUNKED "0\r\n", "A: b\r\n", 1000, "\r\n", 200},
        {"trailers too large", CHUNKED "0\r\n", "A: b\r\n", 1400, "\r\n", 400},
        {"endless trailer", CHUNKED "0\r\nA: ", "b", 9000, "", 400},
    };
    static const size_t steps[] = {WHOLE, 1, 100};
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    limits.request_line = 100;
    limits.head = 1000;
    limits.headers = 10;
    struct http_parser *p = http_parser_create(&limits);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = repeat(*state, cases[i].before, cases[i].again, cases[i].times,
                          cases[i].after);
        for (size_t j = 0; j < COUNT_OF(steps); j++) {
            struct outcome o = parse(*state, p, text, steps[j]);
            CHECK_INT(cases[i].name, o.status, cases[i].status);
        }
        arena_reset(*state);
    }
    http_parser_free(p);
}

/* The head can be checked before any of the body is read. */
static void test_head_first(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_parser *p = http_parser_create(&limits);
    http_parser_start(p, *state);
    str text = STR(POST "Expect: 100-continue\r\nContent-Length: 5\r\n\r\nhello");
    size_t used;
    assert_int_equal(http_parser_feed(p, text, &used), HTTP_HEAD_END);
    assert_true(http_parser_expects(p));
    assert_true(http_parser_has_body(p));
    assert_int_equal(http_parser_declared(p), 5);
    CHECK_STR("left", str_skip(text, used), "hello");
    assert_false(http_parser_body(p, 4));
    assert_true(http_parser_body(p, 5));
    assert_int_equal(http_parser_feed(p, str_skip(text, used), &used), HTTP_COMPLETE);
    CHECK_STR("body", http_parser_request(p)->body, "hello");

    http_parser_start(p, *state);
    text = STR(GET HOST "\r\n");
    assert_int_equal(http_parser_feed(p, text, &used), HTTP_HEAD_END);
    assert_false(http_parser_has_body(p));
    assert_int_equal(http_parser_feed(p, (str){0}, &used), HTTP_COMPLETE);
    http_parser_free(p);
}

/* A large declared length costs memory only when bytes have arrived. */
static void test_SEC_62_declared_memory(void **state)
{
    struct http_limits limits = HTTP_LIMITS_DEFAULT;
    struct http_parser *p = http_parser_create(&limits);
    http_parser_start(p, *state);
    str text = STR(POST "Content-Length: 4000000\r\n\r\nabc");
    size_t used;
    assert_int_equal(http_parser_feed(p, text, &used), HTTP_HEAD_END);
    assert_true(http_parser_body(p, 4 << 20));
    assert_int_equal(http_parser_feed(p, str_skip(text, used), &used), HTTP_MORE);
    assert_true(arena_size(*state) < 100 << 10);

    size_t sent = 3;
    char piece[10000];
    memset(piece, 'x', sizeof(piece));
    enum http_parse result = HTTP_MORE;
    while (result == HTTP_MORE && sent < 5000000) {
        result = http_parser_feed(p, (str){piece, sizeof(piece)}, &used);
        sent += used;
    }
    assert_int_equal(result, HTTP_COMPLETE);
    assert_int_equal(sent, 4000000);
    assert_int_equal(http_parser_request(p)->body.n, 4000000);
    assert_true(arena_size(*state) < 4200 << 10);
    http_parser_free(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_61_strictness),
        ARENA_TEST(test_request),
        ARENA_TEST(test_targets),
        ARENA_TEST(test_keep_alive),
        ARENA_TEST(test_SEC_62_limits),
        ARENA_TEST(test_head_first),
        ARENA_TEST(test_SEC_62_declared_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
