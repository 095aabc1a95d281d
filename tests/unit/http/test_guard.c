#include "check.h"

#include <stdio.h>

#include "http/guard.h"

static const str hosts[] = {{"vault.example.org", 17}, {"[2001:db8::1]", 13}};
static const str origins[] = {{"https://claude.ai", 17}, {"vscode-webview://abc", 20}};

static const struct http_guard strict = {
    .hosts = hosts,
    .n_hosts = COUNT_OF(hosts),
    .origins = origins,
    .n_origins = COUNT_OF(origins),
};
static const struct http_guard any = {.any_host = true};
static const struct http_guard bare = {0};

static void test_SEC_68_verdicts(void **state)
{
    (void)state;
    static const struct {
        const struct http_guard *guard;
        const char *host, *origin; /* NULL: absent */
        enum http_verdict want;
    } cases[] = {
        {&bare, "localhost", NULL, HTTP_WELCOME},
        {&bare, "LOCALHOST:8080", NULL, HTTP_WELCOME},
        {&bare, "127.0.0.1:1", NULL, HTTP_WELCOME},
        {&bare, "[::1]", NULL, HTTP_WELCOME},
        {&bare, "[::1]:65535", NULL, HTTP_WELCOME},
        {&bare, "localhost:", NULL, HTTP_WELCOME},
        {&bare, NULL, NULL, HTTP_WELCOME},
        {&bare, "", NULL, HTTP_FOREIGN_HOST},
        {&bare, "evil.example", NULL, HTTP_FOREIGN_HOST},
        {&bare, "localhost.evil.example", NULL, HTTP_FOREIGN_HOST},
        {&bare, "localhost:80:80", NULL, HTTP_FOREIGN_HOST},
        {&bare, "localhost:80x", NULL, HTTP_FOREIGN_HOST},
        {&bare, "localhost:123456", NULL, HTTP_FOREIGN_HOST},
        {&bare, "127.0.0.2", NULL, HTTP_FOREIGN_HOST},
        {&bare, "::1", NULL, HTTP_FOREIGN_HOST},
        {&bare, "[::1", NULL, HTTP_FOREIGN_HOST},
        {&bare, "[::1]evil", NULL, HTTP_FOREIGN_HOST},
        {&bare, "[::1]evil:80", NULL, HTTP_FOREIGN_HOST},
        {&bare, "localhost@evil.example", NULL, HTTP_FOREIGN_HOST},
        {&bare, "vault.example.org", NULL, HTTP_FOREIGN_HOST},
        {&strict, "vault.example.org", NULL, HTTP_WELCOME},
        {&strict, "Vault.Example.ORG:443", NULL, HTTP_WELCOME},
        {&strict, "[2001:db8::1]:8080", NULL, HTTP_WELCOME},
        {&strict, "vault.example.org.evil.example", NULL, HTTP_FOREIGN_HOST},
        {&any, "anything.example", NULL, HTTP_WELCOME},
        {&any, "", NULL, HTTP_WELCOME},

        {&bare, "localhost", "http://localhost:5173", HTTP_WELCOME},
        {&bare, "localhost", "https://127.0.0.1", HTTP_WELCOME},
        {&bare, "localhost", "http://[::1]:80", HTTP_WELCOME},
        {&bare, "localhost", "null", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "https://claude.ai", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "http://localhost.evil.example", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "http://localhost/path", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "http://evil.example/localhost", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "ftp://localhost", HTTP_FOREIGN_ORIGIN},
        {&bare, "localhost", "localhost", HTTP_FOREIGN_ORIGIN},
        {&strict, "localhost", "https://claude.ai", HTTP_WELCOME},
        {&strict, "localhost", "https://claude.ai:8443", HTTP_FOREIGN_ORIGIN},
        {&strict, "localhost", "http://claude.ai", HTTP_FOREIGN_ORIGIN},
        {&strict, "localhost", "https://claude.ai.evil.example", HTTP_FOREIGN_ORIGIN},
        {&strict, "localhost", "vscode-webview://abc", HTTP_WELCOME},
        {&strict, "vault.example.org", "https://vault.example.org", HTTP_WELCOME},
        {&strict, "evil.example", "https://claude.ai", HTTP_FOREIGN_HOST},
        /* A rebound name must not become its own origin. */
        {&any, "evil.example", "http://evil.example", HTTP_FOREIGN_ORIGIN},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header headers[2];
        struct http_request r = {.method = HTTP_GET, .headers = headers};
        if (cases[i].host != NULL)
            headers[r.n_headers++] =
                (struct http_header){STR("Host"), str_c(cases[i].host)};
        if (cases[i].origin != NULL)
            headers[r.n_headers++] =
                (struct http_header){STR("Origin"), str_c(cases[i].origin)};
        char row[128];
        snprintf(row, sizeof(row), "%zu: %s %s", i, cases[i].host, cases[i].origin);
        CHECK_INT(row, http_guard_check(cases[i].guard, &r), cases[i].want);
    }
}

static void test_two_origins(void **state)
{
    (void)state;
    struct http_header headers[] = {
        {STR("host"), STR("localhost")},
        {STR("origin"), STR("http://localhost")},
        {STR("Origin"), STR("http://evil.example")},
    };
    struct http_request r = {.headers = headers, .n_headers = COUNT_OF(headers)};
    assert_int_equal(http_guard_check(&bare, &r), HTTP_FOREIGN_ORIGIN);
}

static void test_SEC_49_same_origin(void **state)
{
    (void)state;
    static const struct {
        const char *origin, *site; /* NULL: absent */
        bool want;
    } cases[] = {
        {NULL, NULL, true}, /* not a browser, or an old one: the ticket decides */
        {"http://localhost:8090", NULL, true},
        {"HTTP://LOCALHOST:8090", "same-origin", true},
        {NULL, "same-origin", true},
        {"http://localhost:8091", NULL, false},
        {"http://localhost", NULL, false},
        {"https://localhost:8090", NULL, false},
        {"http://127.0.0.1:8090", NULL, false},
        {"null", NULL, false},
        {"", NULL, false},
        {"http://localhost:8090", "same-site", false},
        {NULL, "cross-site", false},
        {NULL, "none", false},
        {NULL, "", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct http_header headers[2];
        struct http_request r = {.headers = headers};
        if (cases[i].origin != NULL)
            headers[r.n_headers++] =
                (struct http_header){STR("Origin"), str_c(cases[i].origin)};
        if (cases[i].site != NULL)
            headers[r.n_headers++] =
                (struct http_header){STR("Sec-Fetch-Site"), str_c(cases[i].site)};
        if (http_is_same_origin(&r, STR("http://localhost:8090")) != cases[i].want)
            fail_msg("row %zu", i);
    }
    struct http_header twice[] = {{STR("Origin"), STR("http://localhost:8090")},
                                  {STR("Origin"), STR("http://localhost:8090")}};
    assert_false(
        http_is_same_origin(&(struct http_request){.headers = twice, .n_headers = 2},
                            STR("http://localhost:8090")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_68_verdicts),
        cmocka_unit_test(test_SEC_49_same_origin),
        cmocka_unit_test(test_two_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
