#include "check.h"

#include "http/address.h"

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum net_kind kind; /* NET_OTHER: refused */
        const char *host;
        int port;
        bool local;
    } cases[] = {
        {"127.0.0.1:8080", NET_IP4, "127.0.0.1", 8080, true},
        {"localhost:0", NET_IP4, "127.0.0.1", 0, true},
        {"LocalHost:1", NET_IP4, "127.0.0.1", 1, true},
        {"0.0.0.0:65535", NET_IP4, "0.0.0.0", 65535, false},
        {"192.0.2.1:80", NET_IP4, "192.0.2.1", 80, false},
        {":80", NET_IP6, "::", 80, false},
        {"[::1]:80", NET_IP6, "::1", 80, true},
        {"[2001:db8::1]:443", NET_IP6, "2001:db8::1", 443, false},
        {"unix:/run/vaultd.sock", NET_UNIX, "unix", 0, true},
        {"", NET_OTHER, NULL, 0, false},
        {"127.0.0.1", NET_OTHER, NULL, 0, false},
        {"127.0.0.1:", NET_OTHER, NULL, 0, false},
        {"127.0.0.1:x", NET_OTHER, NULL, 0, false},
        {"127.0.0.1:-1", NET_OTHER, NULL, 0, false},
        {"127.0.0.1:65536", NET_OTHER, NULL, 0, false},
        {"127.0.0.1:000000080", NET_OTHER, NULL, 0, false},
        {"127.1:80", NET_OTHER, NULL, 0, false},
        {"example.com:80", NET_OTHER, NULL, 0, false},
        {"::1:80", NET_OTHER, NULL, 0, false},
        {"[::1]", NET_OTHER, NULL, 0, false},
        {"[]:80", NET_OTHER, NULL, 0, false},
        {"[127.0.0.1]:80", NET_OTHER, NULL, 0, false},
        {"[::1%lo]:80", NET_OTHER, NULL, 0, false},
        {"unix:", NET_OTHER, NULL, 0, false},
        {"unix:/0123456789012345678901234567890123456789012345678901234567890123456789"
         "0123456789012345678901234567890123456789",
         NET_OTHER, NULL, 0, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].text;
        struct net_address a;
        struct err err = {0};
        bool ok = http_address_parse(str_c(row), &a, &err);
        CHECK_INT(row, ok, cases[i].kind != NET_OTHER);
        if (!ok) {
            CHECK_INT(row, err.code, ERR_INVALID);
            continue;
        }
        char text[NET_TEXT_SIZE];
        CHECK_INT(row, a.kind, cases[i].kind);
        CHECK_INT(row, net_is_local(&a), cases[i].local);
        CHECK_STR(row, net_print(&a, text), cases[i].host);
        CHECK_INT(row, a.port, cases[i].port);
    }
}

static void test_networks(void **state)
{
    static const struct {
        const char *address, *network;
    } cases[] = {
        {"192.0.2.7", "192.0.2.7"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"},
        {"2001:db8:1:2::", "2001:db8:1:2::/64"},
        {"fe80::1", "fe80::/64"},
        {"::ffff:192.0.2.7", "::ffff:192.0.2.7"},
        {"unix", "unix"},
        {"", ""},
        {"2001:db8:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24",
         "2001:db8:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24"},
    };
    char room[NET_TEXT_SIZE];
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].address, http_address_network(str_c(cases[i].address), room),
                  cases[i].network);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_parse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
