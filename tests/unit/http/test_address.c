#include "check.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include "http/address.h"

static void test_parse(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int family; /* 0: refused */
        const char *host;
        int port;
        bool local;
    } cases[] = {
        {"127.0.0.1:8080", AF_INET, "127.0.0.1", 8080, true},
        {"localhost:0", AF_INET, "127.0.0.1", 0, true},
        {"LocalHost:1", AF_INET, "127.0.0.1", 1, true},
        {"0.0.0.0:65535", AF_INET, "0.0.0.0", 65535, false},
        {"192.0.2.1:80", AF_INET, "192.0.2.1", 80, false},
        {":80", AF_INET6, "::", 80, false},
        {"[::1]:80", AF_INET6, "::1", 80, true},
        {"[2001:db8::1]:443", AF_INET6, "2001:db8::1", 443, false},
        {"unix:/run/vaultd.sock", AF_UNIX, "unix", 0, true},
        {"", 0, NULL, 0, false},
        {"127.0.0.1", 0, NULL, 0, false},
        {"127.0.0.1:", 0, NULL, 0, false},
        {"127.0.0.1:x", 0, NULL, 0, false},
        {"127.0.0.1:-1", 0, NULL, 0, false},
        {"127.0.0.1:65536", 0, NULL, 0, false},
        {"127.0.0.1:000000080", 0, NULL, 0, false},
        {"127.1:80", 0, NULL, 0, false},
        {"example.com:80", 0, NULL, 0, false},
        {"::1:80", 0, NULL, 0, false},
        {"[::1]", 0, NULL, 0, false},
        {"[]:80", 0, NULL, 0, false},
        {"[127.0.0.1]:80", 0, NULL, 0, false},
        {"[::1%lo]:80", 0, NULL, 0, false},
        {"unix:", 0, NULL, 0, false},
        {"unix:/0123456789012345678901234567890123456789012345678901234567890123456789"
         "0123456789012345678901234567890123456789",
         0, NULL, 0, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].text;
        struct http_address a;
        struct err err = {0};
        bool ok = http_address_parse(str_c(row), &a, &err);
        CHECK_INT(row, ok, cases[i].family != 0);
        if (!ok) {
            CHECK_INT(row, err.code, ERR_INVALID);
            continue;
        }
        char text[64];
        const struct sockaddr *sa = (const struct sockaddr *)&a.sa;
        CHECK_INT(row, sa->sa_family, cases[i].family);
        CHECK_INT(row, a.local, cases[i].local);
        CHECK_STR(row, http_address_print(sa, text, sizeof(text)), cases[i].host);
        if (sa->sa_family == AF_INET)
            CHECK_INT(row, ntohs(((const struct sockaddr_in *)sa)->sin_port),
                      cases[i].port);
        if (sa->sa_family == AF_INET6)
            CHECK_INT(row, ntohs(((const struct sockaddr_in6 *)sa)->sin6_port),
                      cases[i].port);
    }
}

static void test_peers(void **state)
{
    (void)state;
    static const struct {
        const char *address, *printed;
        bool local;
    } cases[] = {
        {"::1", "::1", true},
        {"::ffff:127.0.0.1", "127.0.0.1", true},
        {"::ffff:192.0.2.7", "192.0.2.7", false},
        {"fe80::1", "fe80::1", false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
        inet_pton(AF_INET6, cases[i].address, &in6.sin6_addr);
        const struct sockaddr *sa = (const struct sockaddr *)&in6;
        char text[64];
        CHECK_STR(cases[i].address, http_address_print(sa, text, sizeof(text)),
                  cases[i].printed);
        CHECK_INT(cases[i].address, http_address_is_local(sa), cases[i].local);
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
    char room[HTTP_PEER_SIZE];
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].address, http_address_network(str_c(cases[i].address), room),
                  cases[i].network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_networks),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
