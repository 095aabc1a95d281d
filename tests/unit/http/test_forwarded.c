#include "http/forwarded.h"

#include "check.h"

static const struct {
    const char *name, *peer, *xff, *forwarded, *want;
} rows[] = {
    {"no header", "127.0.0.1", NULL, NULL, "127.0.0.1"},
    {"one proxy", "127.0.0.1", "198.51.100.7", NULL, "198.51.100.7"},
    {"two proxies", "127.0.0.1", "198.51.100.7, 10.1.2.3", NULL, "198.51.100.7"},
    {"a lie in front", "127.0.0.1", "1.1.1.1, 198.51.100.7", NULL, "198.51.100.7"},
    {"a stranger's word", "198.51.100.9", "1.1.1.1", NULL, "198.51.100.9"},
    {"a stranger's Forwarded", "198.51.100.9", NULL, "for=1.1.1.1", "198.51.100.9"},
    {"only proxies", "127.0.0.1", "10.0.0.1, 10.0.0.2", NULL, "10.0.0.1"},
    {"garbage", "127.0.0.1", "1.1.1.1, what", NULL, "127.0.0.1"},
    {"garbage further left", "127.0.0.1", "what, 198.51.100.7", NULL, "198.51.100.7"},
    {"with a port", "127.0.0.1", "198.51.100.7:4711", NULL, "198.51.100.7"},
    {"IPv6", "::1", "2001:db8::7", NULL, "2001:db8::7"},
    {"IPv6 with a port", "::1", "[2001:db8::7]:443", NULL, "2001:db8::7"},
    {"mapped proxy", "::ffff:127.0.0.1", "198.51.100.7", NULL, "198.51.100.7"},
    {"Forwarded", "127.0.0.1", NULL, "for=198.51.100.7;proto=https;by=10.0.0.1",
     "198.51.100.7"},
    {"Forwarded, quoted", "127.0.0.1", NULL, "For=\"[2001:db8::7]:80\"", "2001:db8::7"},
    {"Forwarded, two", "127.0.0.1", NULL, "for=1.1.1.1, for=198.51.100.7",
     "198.51.100.7"},
    {"Forwarded, hidden", "127.0.0.1", NULL, "for=_secret", "127.0.0.1"},
    {"both: the common one", "127.0.0.1", "198.51.100.7", "for=1.1.1.1", "198.51.100.7"},
    {"unix", "unix", "198.51.100.7", NULL, "198.51.100.7"},
    {"empty", "127.0.0.1", "", NULL, "127.0.0.1"},
};

static const str trusted[] = {STR("127.0.0.1"), STR("::1"), STR("10.0.0.0/8"),
                              STR("unix")};

static void test_SEC_10_peer(void **state)
{
    struct arena a = {0};
    struct http_proxies p;
    struct err err;
    assert_true(http_proxies_parse(&a, trusted, 4, &p, &err));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct http_header headers[2];
        struct http_request r = {.headers = headers};
        if (rows[i].xff != NULL)
            headers[r.n_headers++] =
                (struct http_header){STR("X-Forwarded-For"), str_c(rows[i].xff)};
        if (rows[i].forwarded != NULL)
            headers[r.n_headers++] =
                (struct http_header){STR("Forwarded"), str_c(rows[i].forwarded)};
        CHECK_STR(rows[i].name, http_forwarded_peer(&p, &a, &r, str_c(rows[i].peer)),
                  rows[i].want);
    }
    arena_release(&a);
}

/* Several fields form one list. */
static void test_joined(void **state)
{
    struct arena a = {0};
    struct http_proxies p;
    struct err err;
    assert_true(http_proxies_parse(&a, trusted, 4, &p, &err));
    struct http_header headers[] = {
        {STR("x-forwarded-for"), STR("1.1.1.1, 198.51.100.7")},
        {STR("host"), STR("x")},
        {STR("X-Forwarded-For"), STR("10.9.9.9")},
    };
    struct http_request r = {.headers = headers, .n_headers = 3};
    CHECK_STR("joined", http_forwarded_peer(&p, &a, &r, STR("10.0.0.1")), "198.51.100.7");
    arena_release(&a);
}

static void test_SEC_10_no_trusted_proxy(void **state)
{
    struct arena a = {0};
    struct http_proxies none = {0};
    struct http_header h = {STR("x-forwarded-for"), STR("1.1.1.1")};
    struct http_request r = {.headers = &h, .n_headers = 1};
    CHECK_STR("none", http_forwarded_peer(&none, &a, &r, STR("127.0.0.1")), "127.0.0.1");
    CHECK_STR("none", http_forwarded_peer(&none, &a, &r, STR("unix")), "unix");
    arena_release(&a);
}

static void test_networks(void **state)
{
    static const struct {
        const char *net, *peer;
        bool in;
    } nets[] = {
        {"10.0.0.0/8", "10.255.0.1", true},      {"10.0.0.0/8", "11.0.0.1", false},
        {"192.168.4.0/22", "192.168.7.9", true}, {"192.168.4.0/22", "192.168.8.1", false},
        {"0.0.0.0/0", "203.0.113.1", true},      {"0.0.0.0/0", "::1", false},
        {"fd00::/8", "fd12::1", true},           {"fd00::/8", "fe80::1", false},
        {"::/0", "2001:db8::1", true},           {"10.1.2.3", "10.1.2.3", true},
        {"10.1.2.3", "10.1.2.4", false},         {"10.1.2.3", "unix", false},
    };
    struct arena a = {0};
    for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
        struct http_proxies p;
        struct err err;
        str word = str_c(nets[i].net);
        CHECK(nets[i].net, http_proxies_parse(&a, &word, 1, &p, &err));
        CHECK_INT(nets[i].peer, http_proxies_trust(&p, str_c(nets[i].peer)), nets[i].in);
    }
    static const char *const bad[] = {"",           "10.0.0.0/33", "10.0.0/8",  "host",
                                      "::1/129",    "10.0.0.1/-1", "10.0.0.1/", "/8",
                                      "10.0.0.1/x", "10.0.0.1/8/8"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct http_proxies p;
        struct err err;
        str word = str_c(bad[i]);
        CHECK(bad[i], !http_proxies_parse(&a, &word, 1, &p, &err));
    }
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_10_peer),
        cmocka_unit_test(test_joined),
        cmocka_unit_test(test_SEC_10_no_trusted_proxy),
        cmocka_unit_test(test_networks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
