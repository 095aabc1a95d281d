#include "check.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "http/response.h"

static void test_heads(void **state)
{
    static const struct {
        const char *name;
        struct http_response response;
        struct http_framing framing;
        const char *want;
    } cases[] = {
        {"plain",
         {.status = 200, .content_type = {"text/plain", 10}, .body = {"hello", 5}},
         {.keep_alive = true},
         "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n"
         "X-Content-Type-Options: nosniff\r\n\r\n"},
        {"reached by https",
         {.status = 404},
         {.keep_alive = true, .https = true},
         "HTTP/1.1 404 Not Found\r\nDate: D\r\nContent-Length: 0\r\n"
         "X-Content-Type-Options: nosniff\r\n"
         "Strict-Transport-Security: max-age=31536000\r\n\r\n"},
        {"closing, no body",
         {.status = 404},
         {0},
         "HTTP/1.1 404 Not Found\r\nDate: D\r\nContent-Length: 0\r\n"
         "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"},
        {"204 has no length",
         {.status = 204, .headers = {{{"A", 1}, {"b", 1}}}, .n_headers = 1},
         {.keep_alive = true},
         "HTTP/1.1 204 No Content\r\nDate: D\r\nX-Content-Type-Options: nosniff\r\n"
         "A: b\r\n\r\n"},
        {"1.0 that stays",
         {.status = 200},
         {.http10 = true, .keep_alive = true},
         "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Length: 0\r\n"
         "X-Content-Type-Options: nosniff\r\nConnection: keep-alive\r\n\r\n"},
        {"stream",
         {.status = 200, .content_type = {"text/event-stream", 17}},
         {.keep_alive = true, .stream = true},
         "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/event-stream\r\n"
         "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n"
         "Transfer-Encoding: chunked\r\nX-Content-Type-Options: nosniff\r\n\r\n"},
        {"stream for 1.0",
         {.status = 200, .content_type = {"text/event-stream", 17}},
         {.http10 = true, .stream = true},
         "HTTP/1.1 200 OK\r\nDate: D\r\nContent-Type: text/event-stream\r\n"
         "Cache-Control: no-cache, no-transform\r\nX-Accel-Buffering: no\r\n"
         "X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n"},
        {"cors",
         {.status = 202},
         {.keep_alive = true, .cors = true, .origin = {"http://localhost", 16}},
         "HTTP/1.1 202 Accepted\r\nDate: D\r\nContent-Length: 0\r\n"
         "X-Content-Type-Options: nosniff\r\nVary: Origin\r\n"
         "Access-Control-Allow-Origin: http://localhost\r\n"
         "Access-Control-Expose-Headers: WWW-Authenticate, Mcp-Session-Id, "
         "MCP-Protocol-Version\r\n\r\n"},
        {"cors, for every origin",
         {.status = 202},
         {.keep_alive = true, .cors = true, .origin = {"*", 1}},
         "HTTP/1.1 202 Accepted\r\nDate: D\r\nContent-Length: 0\r\n"
         "X-Content-Type-Options: nosniff\r\nAccess-Control-Allow-Origin: *\r\n"
         "Access-Control-Expose-Headers: WWW-Authenticate, Mcp-Session-Id, "
         "MCP-Protocol-Version\r\n\r\n"},
        {"cors, without origin",
         {.status = 202},
         {.keep_alive = true, .cors = true},
         "HTTP/1.1 202 Accepted\r\nDate: D\r\nContent-Length: 0\r\n"
         "X-Content-Type-Options: nosniff\r\nVary: Origin\r\n\r\n"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_framing f = cases[i].framing;
        f.date = STR("D");
        struct sbuf out = SBUF_ON(*state);
        http_response_head(&out, &cases[i].response, &f);
        CHECK_STR(cases[i].name, sbuf_str(&out), cases[i].want);
    }
}

static void test_refusals(void **state)
{
    struct http_response r;
    http_refusal(*state, 404, &r);
    assert_int_equal(r.status, 404);
    CHECK_STR("404", r.content_type, "application/json");
    CHECK_STR("404", r.body, "{\"error\":\"there is nothing at this path\"}");
    http_refusal(*state, 429, &r);
    CHECK_STR("429", r.body, "{\"error\":\"Too Many Requests\"}");
}

static void test_reasons(void **state)
{
    (void)state;
    assert_string_equal(http_reason(200), "OK");
    assert_string_equal(http_reason(421), "Misdirected Request");
    assert_string_equal(http_reason(299), "Unknown");
}

static void test_dates(void **state)
{
    (void)state;
    char text[HTTP_DATE_SIZE];
    CHECK_STR("0", http_date(0, text), "Thu, 01 Jan 1970 00:00:00 GMT");
    CHECK_STR("RFC", http_date(784111777, text), "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK_STR("leap", http_date(1709251199, text), "Thu, 29 Feb 2024 23:59:59 GMT");
}

static void test_events(void **state)
{
    static const struct {
        const char *id, *event, *data, *want;
    } cases[] = {
        {"", "", "x", "data: x\n\n"},
        {"7", "message", "x", "id: 7\nevent: message\ndata: x\n\n"},
        {"7", "", "", "id: 7\ndata: \n\n"},
        {"", "", "a\nb\r\nc\rd", "data: a\ndata: b\ndata: c\ndata: d\n\n"},
        {"", "", "a\n\nb\n", "data: a\ndata: \ndata: b\ndata: \n\n"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sbuf out = SBUF_ON(*state);
        sse_event(&out, str_c(cases[i].id), str_c(cases[i].event), str_c(cases[i].data));
        CHECK_STR(cases[i].want, sbuf_str(&out), cases[i].want);
    }
}

/* Whether fn ends the process, as BUG() does. */
static bool is_fatal(void (*fn)(void))
{
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        fn();
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

static void add_lf(void)
{
    http_add_header(&(struct http_response){0}, STR("A"), STR("b\nSet-Cookie: c"));
}

static void add_nul(void)
{
    http_add_header(&(struct http_response){0}, STR("A"), STR("b\0c"));
}

static void add_cr_name(void)
{
    http_add_header(&(struct http_response){0}, STR("A\r"), STR("b"));
}

static void add_nine(void)
{
    struct http_response r = {0};
    for (int i = 0; i < HTTP_RESPONSE_HEADERS_MAX + 1; i++)
        http_add_header(&r, STR("A"), STR("b"));
}

static void head_lf(void)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    http_response_head(&out,
                       &(struct http_response){.status = 200, .content_type = STR("a\n")},
                       &(struct http_framing){0});
}

static void event_lf(void)
{
    struct arena a = {0};
    struct sbuf out = SBUF_ON(&a);
    sse_event(&out, STR("1\ndata: x"), STR(""), STR(""));
}

static void test_SEC_43_splitting_is_a_bug(void **state)
{
    (void)state;
    assert_true(is_fatal(add_lf));
    assert_true(is_fatal(add_nul));
    assert_true(is_fatal(add_cr_name));
    assert_true(is_fatal(add_nine));
    assert_true(is_fatal(head_lf));
    assert_true(is_fatal(event_lf));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_heads),         ARENA_TEST(test_refusals),
        cmocka_unit_test(test_reasons), cmocka_unit_test(test_dates),
        ARENA_TEST(test_events),        cmocka_unit_test(test_SEC_43_splitting_is_a_bug),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
