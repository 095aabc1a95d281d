/* Cookies in a head. */
#include "check.h"

#include "http/cookie.h"

static void test_find(void **state)
{
    static const struct {
        const char *row, *first, *second, *want; /* want NULL: none */
    } rows[] = {
        {"none", NULL, NULL, NULL},
        {"alone", "a=1", NULL, "1"},
        {"among others", "x=0; a=1; b=2", NULL, "1"},
        {"without spaces", "x=0;a=1;b=2", NULL, "1"},
        {"with tabs", "x=0;\ta=1\t;b=2", NULL, "1"},
        {"with = in it", "a=1=2==", NULL, "1=2=="},
        {"empty", "a=", NULL, ""},
        {"without =", "a", NULL, NULL},
        {"a prefix", "aa=1", NULL, NULL},
        {"a suffix", "ba=1", NULL, NULL},
        {"in a value", "b=x a=1", NULL, NULL},
        {"case", "A=1", NULL, NULL},
        {"in the second header", "b=2", "a=1", "1"},
        {"twice", "a=1; a=2", NULL, NULL},
        {"the same twice", "a=1; a=1", NULL, NULL},
        {"in both headers", "a=1", "a=2", NULL},
        {"nothing but separators", ";;; ; =;", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct http_header headers[] = {
            {STR("cookie"), str_c(rows[i].first)},
            {STR("Accept"), STR("a=9")},
            {STR("Cookie"), str_c(rows[i].second)},
        };
        struct http_request r = {.headers = headers, .n_headers = COUNT_OF(headers)};
        str got = http_cookie(&r, STR("a"));
        CHECK(rows[i].row, (got.p == NULL) == (rows[i].want == NULL));
        CHECK_STR(rows[i].row, got, rows[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
