#include "fetch/global.h"

#include "check.h"

static const struct {
    const char *address;
    bool global;
} rows[] = {
    {"8.8.8.8", true},
    {"1.1.1.1", true},
    {"0.0.0.0", false},
    {"10.1.2.3", false},
    {"100.64.0.1", false},
    {"100.128.0.1", true},
    {"127.0.0.1", false},
    {"127.255.255.254", false},
    {"169.254.169.254", false},
    {"172.15.255.255", true},
    {"172.16.0.1", false},
    {"172.31.255.255", false},
    {"172.32.0.0", true},
    {"192.0.0.8", false},
    {"192.0.2.1", false},
    {"192.168.1.1", false},
    {"198.17.255.255", true},
    {"198.18.0.1", false},
    {"198.19.255.255", false},
    {"198.51.100.7", false},
    {"203.0.113.9", false},
    {"223.255.255.255", true},
    {"224.0.0.1", false},
    {"240.0.0.1", false},
    {"255.255.255.255", false},
    {"2606:4700:4700::1111", true},
    {"2001:4860:4860::8888", true},
    {"2001:db8::1", false},
    {"2001::1", false},
    {"2001:1ff::1", false},
    {"2002:7f00:1::1", false},
    {"3fff::1", false},
    {"::", false},
    {"::1", false},
    {"::ffff:127.0.0.1", false},
    {"::ffff:10.0.0.1", false},
    {"::ffff:8.8.8.8", true},
    {"::127.0.0.1", false},
    {"64:ff9b::7f00:1", false},
    {"fc00::1", false},
    {"fd12:3456::1", false},
    {"fe80::1", false},
    {"ff02::1", false},
};

static bool judge(const char *address, bool (*is)(const struct net_address *a))
{
    struct net_address a;
    CHECK(address, net_read_ip(str_c(address), &a));
    return is(&a);
}

static void test_SEC_25_global(void **state)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_INT(rows[i].address, judge(rows[i].address, address_is_global),
                  rows[i].global);
    struct net_address other = {.kind = NET_UNIX};
    assert_false(address_is_global(&other));
}

/* Nothing that a router might carry to the internet. */
static void test_private(void **state)
{
    static const char *const yes[] = {
        "10.1.2.3",   "100.64.0.1",     "127.0.0.1",   "127.9.9.9", "169.254.1.1",
        "172.16.0.1", "172.31.255.255", "192.168.1.1", "::1",       "::ffff:10.0.0.1",
        "fc00::1",    "fd12:3456::1",   "fe80::1"};
    static const char *const no[] = {"0.0.0.0",
                                     "8.8.8.8",
                                     "100.128.0.1",
                                     "172.32.0.1",
                                     "192.0.2.1",
                                     "198.18.0.1",
                                     "224.0.0.1",
                                     "255.255.255.255",
                                     "::",
                                     "::2",
                                     "::ffff:8.8.8.8",
                                     "64:ff9b::808:808",
                                     "64:ff9b::7f00:1",
                                     "2001:db8::1",
                                     "2002:7f00:1::1",
                                     "2606:4700:4700::1111",
                                     "fe00::1",
                                     "ff02::1"};
    for (size_t i = 0; i < COUNT_OF(yes); i++)
        CHECK(yes[i], judge(yes[i], address_is_private));
    for (size_t i = 0; i < COUNT_OF(no); i++)
        CHECK(no[i], !judge(no[i], address_is_private));
    struct net_address other = {.kind = NET_UNIX};
    assert_false(address_is_private(&other));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_SEC_25_global),
                                       cmocka_unit_test(test_private)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
