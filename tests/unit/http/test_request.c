#include "check.h"

#include "http/request.h"

static void test_headers(void **state)
{
    (void)state;
    struct http_header headers[] = {
        {STR("Accept"), STR("a/b")},
        {STR("X-Empty"), STR("")},
        {STR("accept"), STR("c/d")},
    };
    struct http_request r = {.headers = headers, .n_headers = COUNT_OF(headers)};
    CHECK_STR("first", http_header(&r, STR("ACCEPT")), "a/b");
    assert_non_null(http_header(&r, STR("x-empty")).p);
    assert_null(http_header(&r, STR("x-missing")).p);
    assert_int_equal(http_header_count(&r, STR("accept")), 2);
    assert_int_equal(http_header_count(&r, STR("host")), 0);
    assert_true(http_accepts(&r, STR("c/d")));
}

static void test_accepts(void **state)
{
    (void)state;
    static const struct {
        const char *accept, *type;
        bool want;
    } cases[] = {
        {NULL, "text/event-stream", true},
        {"", "text/event-stream", false},
        {"*/*", "text/event-stream", true},
        {"text/*", "text/event-stream", true},
        {"application/*", "text/event-stream", false},
        {"application/json, text/event-stream", "text/event-stream", true},
        {"application/json ,\tTEXT/Event-Stream;q=0.5", "text/event-stream", true},
        {"application/json", "text/event-stream", false},
        {"text/event-stream;q=0", "text/event-stream", false},
        {"text/event-stream;q=0.0, */*", "text/event-stream", false},
        {"*/*;q=0, text/event-stream", "text/event-stream", true},
        {"text/event-stream; charset=utf-8; q=0.1", "text/event-stream", true},
        {"text/event-streams", "text/event-stream", false},
        {"text/", "text/event-stream", false},
        {",,;,", "text/event-stream", false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].accept != NULL ? cases[i].accept : "absent";
        struct http_header accept = {STR("Accept"), str_c(cases[i].accept)};
        struct http_request r = {.headers = &accept,
                                 .n_headers = cases[i].accept != NULL};
        CHECK_INT(row, http_accepts(&r, str_c(cases[i].type)), cases[i].want);
    }
}

static void test_content_type(void **state)
{
    (void)state;
    static const struct {
        const char *value, *want;
    } cases[] = {
        {"application/json", "application/json"},
        {"application/json; charset=utf-8", "application/json"},
        {"application/json ;a=b;c=d", "application/json"},
        {"", ""},
        {";", ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header type = {STR("content-type"), str_c(cases[i].value)};
        struct http_request r = {.headers = &type, .n_headers = 1};
        CHECK_STR(cases[i].value, http_content_type(&r), cases[i].want);
    }
    CHECK_STR("absent", http_content_type(&(struct http_request){0}), "");
}

/* People get pages, programs JSON and streams. */
static void test_wants_html(void **state)
{
    static const struct {
        enum http_method method;
        const char *accept;
        bool want;
    } cases[] = {
        {HTTP_GET, "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", true},
        {HTTP_HEAD, "text/html", true},
        {HTTP_POST, "text/html", false},
        {HTTP_GET, "*/*", false},
        {HTTP_GET, "", false},
        {HTTP_GET, "application/json", false},
        {HTTP_GET, "text/event-stream, text/html", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header accept = {STR("Accept"), str_c(cases[i].accept)};
        struct http_request r = {
            .method = cases[i].method, .headers = &accept, .n_headers = 1};
        CHECK_INT(cases[i].accept, http_wants_html(&r), cases[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_accepts),
        cmocka_unit_test(test_content_type),
        cmocka_unit_test(test_wants_html),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
