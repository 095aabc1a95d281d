#include "fetch/url.h"

#include "check.h"

static void test_parts(void **state)
{
    static const struct {
        const char *url, *host, *name, *rest;
        int port; /* 0: refused */
        bool loopback;
    } rows[] = {
        {"https://api.example/v1", "api.example", "api.example", "/v1", 443, false},
        {"http://localhost", "localhost", "localhost", "", 80, true},
        {"http://LOCALHOST:11434/v1", "LOCALHOST", "LOCALHOST", "/v1", 11434, true},
        {"http://127.0.0.2:8080?x", "127.0.0.2", "127.0.0.2", "?x", 8080, true},
        {"http://[::1]:1/", "[::1]", "::1", "/", 1, true},
        {"http://[fd00::7]/v1", "[fd00::7]", "fd00::7", "/v1", 80, false},
        {"http://127.example.org:65535", "127.example.org", "127.example.org", "", 65535,
         false},
        {"http://host:", "host", "host", "", 80, false},
        {"ftp://host/", "", "", "", 0, false},
        {"http:///v1", "", "", "", 0, false},
        {"http://", "", "", "", 0, false},
        {"http://:80/", "", "", "", 0, false},
        {"http://host:0", "", "", "", 0, false},
        {"http://host:65536", "", "", "", 0, false},
        {"http://host:8o", "", "", "", 0, false},
        {"http://[::1", "", "", "", 0, false},
        {"http://[::1]x:80/", "", "", "", 0, false},
        {"http://localhost:x@evil.example/", "", "", "", 0, false},
        {"http://localhost@evil.example/", "", "", "", 0, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct url u = {0};
        struct err err = {0};
        CHECK_INT(rows[i].url, url_split(str_c(rows[i].url), &u, &err),
                  rows[i].port != 0);
        if (rows[i].port == 0) {
            CHECK_INT(rows[i].url, err.code, ERR_INVALID);
            continue;
        }
        CHECK_STR(rows[i].url, u.host, rows[i].host);
        CHECK_STR(rows[i].url, u.name, rows[i].name);
        CHECK_STR(rows[i].url, u.rest, rows[i].rest);
        CHECK_INT(rows[i].url, u.port, rows[i].port);
        CHECK_INT(rows[i].url, u.https, rows[i].url[4] == 's');
        CHECK_INT(rows[i].url, url_is_loopback(&u), rows[i].loopback);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
