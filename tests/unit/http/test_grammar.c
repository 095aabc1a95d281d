#include "check.h"

#include "http/grammar.h"

#define ROW(text) text, sizeof(text) - 1

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        bool ok;
    } cases[] = {
        {ROW("A: b\r\nC: d\r\n\r\n"), true},
        {ROW("A: b"), true},
        {ROW("A: b\r"), true},
        {ROW("\r\n"), true},
        {ROW("A: b\nC: d"), false},
        {ROW("\n"), false},
        {ROW("A: b\rC"), false},
        {ROW("A: b\r\r\n"), false},
        {ROW("A: \0"), false},
        {ROW("A: b\r\n\0"), false},
        {ROW(" A: b"), false},
        {ROW("A: b\r\n c"), false},
        {ROW("A: b\r\n\tc"), false},
        {ROW("A: b\r\n: c"), false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t step = 1; step <= cases[i].n; step++) {
            struct http_lines l = {0};
            str text = {cases[i].text, cases[i].n};
            bool ok = true;
            for (size_t at = 0; ok && at < text.n; at += step)
                ok = http_check_lines(&l, str_slice(text, at, at + step));
            CHECK_INT(cases[i].text, ok, cases[i].ok);
        }
    }
}

static void test_request_lines(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        {"GET / HTTP/1.1", 0},
        {"GET / HTTP/1.0", 0},
        {"GET / HTTP/0.9", 400},
        {"GET / HTTP/1.2", 505},
        {"GET / HTTP/2.0", 505},
        {"GET / HTTP/9.9", 505},
        {"GET / HTTP/1.10", 400},
        {"GET / HTTP/1", 400},
        {"GET / http/1.1", 400},
        {"GET /", 400},
        {"GET", 400},
        {"", 400},
        {"GET  / HTTP/1.1", 400},
        {" GET / HTTP/1.1", 400},
        {"GET / HTTP/1.1 ", 400},
        {"GET / a HTTP/1.1", 400},
        {"GET /  HTTP/1.1", 400},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].line, http_check_request_line(str_c(cases[i].line)),
                  cases[i].status);
}

static void test_methods(void **state)
{
    (void)state;
    static const struct {
        const char *start;
        int status;
    } cases[] = {
        {"BREW / HTTP/1.1", 501}, {"BR", 501},  {"get ", 501},
        {"GET/ ", 400},           {"{\"", 400}, {"\x16\x03", 400},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].start, http_check_method(str_c(cases[i].start)),
                  cases[i].status);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(http_is_token(STR("mcp-param-x!#$%&'*+.^_`|~9")));
    assert_false(http_is_token(STR("")));
    assert_false(http_is_token(STR("a b")));
    assert_false(http_is_token(STR("a\0b")));
    assert_false(http_is_token(STR("a,b")));
    assert_true(http_is_host(STR("")));
    assert_true(http_is_host(STR("[::1]:80")));
    assert_true(http_is_host(STR("a-b.example:80")));
    assert_false(http_is_host(STR("a/b")));
    assert_false(http_is_host(STR("a@b")));
    assert_false(http_is_host(STR("a\0b")));
}

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *target, *path, *query; /* NULL: refused */
    } cases[] = {
        {"/", "/", ""},
        {"/?", "/", ""},
        {"/a?b?c", "/a", "b?c"},
        {"//a/../b", "//a/../b", ""},
        {"http://localhost", "/", ""},
        {"HTTP://LocalHost/x?y", "/x", "y"},
        {"https://localhost/a", "/a", ""},
        {"http://localhost?a", NULL, NULL},
        {"http:///a", NULL, NULL},
        {"http://other/a", NULL, NULL},
        {"http://u@localhost/a", NULL, NULL},
        {"ftp://localhost/a", NULL, NULL},
        {"localhost:80", NULL, NULL},
        {"a", NULL, NULL},
        {"", NULL, NULL},
        {"*", NULL, NULL},
        {"/a#b", NULL, NULL},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].target;
        str path, query;
        bool ok =
            http_split_target(str_c(row), HTTP_GET, STR("localhost"), &path, &query);
        CHECK_INT(row, ok, cases[i].path != NULL);
        if (ok) {
            CHECK_STR(row, path, cases[i].path);
            CHECK_STR(row, query, cases[i].query);
        }
    }
    str path, query;
    assert_true(http_split_target(STR("*"), HTTP_OPTIONS, STR("x"), &path, &query));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),   cmocka_unit_test(test_request_lines),
        cmocka_unit_test(test_methods), cmocka_unit_test(test_words),
        cmocka_unit_test(test_targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
