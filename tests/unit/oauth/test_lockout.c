/* When a password may be tried: SEC-52, with a simulated clock. */
#include "check.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "oauth/lockout.h"
#include "oauth/sql.h"
#include "replica/sql.h"
#include "state/store.h"

enum { S = 1000 };

static const uint64_t start = 9000000000ULL; /* a multiple of all windows */

/* An attempt that ends so; false: it was not allowed. */
static bool ends(struct lockout *l, str user, str peer, uint64_t now,
                 enum lockout_end how, unsigned *wait)
{
    struct lockout_try t = {.user = user, .peer = peer};
    bool may = lockout_begin(l, &t, now, wait);
    if (may)
        lockout_end(l, &t, now, how);
    return may;
}

static bool fails(struct lockout *l, str user, str peer, uint64_t now)
{
    unsigned wait;
    return ends(l, user, peer, now, LOCKOUT_FAILED, &wait);
}

/* In a browser that is known. */
static bool known_fails(struct lockout *l, str user, str device, uint64_t now)
{
    struct lockout_try t = {.user = user, .peer = STR("192.0.2.1"), .device = device};
    unsigned wait;
    bool may = lockout_begin(l, &t, now, &wait);
    if (may)
        lockout_end(l, &t, now, LOCKOUT_FAILED);
    return may;
}

/* A name in a network is locked out there, even with the right password, which is not
 * checked, and not elsewhere. */
static void test_SEC_52_user(void **state)
{
    struct lockout *l = lockout_create();
    unsigned wait = 0;
    for (unsigned i = 0; i < LOCKOUT_USER_FAILURES; i++)
        assert_true(fails(l, STR("anna"), STR("192.0.2.1"), start + i * S));
    assert_false(
        ends(l, STR("anna"), STR("192.0.2.1"), start + 5 * S, LOCKOUT_SIGNED_IN, &wait));
    assert_in_range(wait, 1, LOCKOUT_FIRST_S);
    assert_true(fails(l, STR("bob"), STR("192.0.2.1"), start + 5 * S));
    assert_true(fails(l, STR("anna"), STR("198.51.100.7"), start + 5 * S));
    /* then one attempt at a time, after longer and longer waits */
    uint64_t now = start + 4 * S;
    for (unsigned expected = LOCKOUT_FIRST_S, i = 0; i < 8; i++) {
        now += expected * S;
        assert_false(fails(l, STR("anna"), STR("192.0.2.1"), now - 1));
        assert_true(fails(l, STR("anna"), STR("192.0.2.1"), now));
        assert_false(fails(l, STR("anna"), STR("192.0.2.1"), now + 1));
        expected = expected * 2 < LOCKOUT_LONGEST_S ? expected * 2 : LOCKOUT_LONGEST_S;
    }
    lockout_free(l);
}

/* A browser in which the user has signed in before counts for itself. */
static void test_SEC_52_device(void **state)
{
    struct lockout *l = lockout_create();
    char peer[24];
    for (unsigned i = 0; i < 250; i++) {
        snprintf(peer, sizeof(peer), "10.%u.0.1", i);
        fails(l, STR("anna"), str_c(peer), start);
        fails(l, STR("anna"), STR("192.0.2.1"), start);
    }
    assert_false(fails(l, STR("anna"), STR("192.0.2.1"), start));
    for (unsigned i = 0; i < LOCKOUT_USER_FAILURES; i++)
        assert_true(known_fails(l, STR("anna"), STR("d1"), start));
    assert_false(known_fails(l, STR("anna"), STR("d1"), start));
    assert_true(known_fails(l, STR("anna"), STR("d2"), start));
    lockout_free(l);
}

/* Guesses at a name from everywhere: bounded, and a new site gets its turn. */
static void test_SEC_52_name(void **state)
{
    struct lockout *l = lockout_create();
    char peer[24];
    unsigned begun = 0, wait;
    for (unsigned i = 0; i < 70; i++) {
        snprintf(peer, sizeof(peer), "10.%u.0.1", i);
        begun += fails(l, STR("anna"), str_c(peer), start);
    }
    assert_int_equal(begun, LOCKOUT_NAME_FAILURES + 1); /* one from the reserve */
    uint64_t now = start + 2 * LOCKOUT_NAME_RESERVE_S * S;
    assert_false(fails(l, STR("anna"), STR("10.7.0.9"), now)); /* a site that failed */
    assert_true(fails(l, STR("bob"), STR("10.7.0.9"), now));
    assert_true(ends(l, STR("anna"), STR("192.0.2.1"), now, LOCKOUT_SIGNED_IN, &wait));
    lockout_free(l);
}

/* A site with many networks is one. */
static void test_SEC_52_site(void **state)
{
    struct lockout *l = lockout_create();
    char name[16], peer[48];
    unsigned begun = 0;
    for (unsigned i = 0; i < 90; i++) {
        snprintf(name, sizeof(name), "user %u", i);
        snprintf(peer, sizeof(peer), "2001:db8:1:%x::1", i);
        begun += fails(l, str_c(name), str_c(peer), start);
    }
    assert_int_equal(begun, LOCKOUT_SITE_FAILURES);
    lockout_free(l);
}

static void test_SEC_52_success_clears(void **state)
{
    struct lockout *l = lockout_create();
    unsigned wait;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < LOCKOUT_USER_FAILURES - 1 && round < 4; i++)
            assert_true(fails(l, STR("anna"), STR("192.0.2.1"), start));
        assert_true(
            ends(l, STR("anna"), STR("192.0.2.1"), start, LOCKOUT_SIGNED_IN, &wait));
    }
    for (unsigned i = 0; i < 50; i++)
        assert_true(
            ends(l, STR("anna"), STR("192.0.2.1"), start, LOCKOUT_NOT_TRIED, &wait));
    lockout_free(l);
}

/* Parallel attempts gain nothing: each counts when it starts. */
static void test_parallel(void **state)
{
    struct lockout *l = lockout_create();
    unsigned wait, begun = 0;
    for (unsigned i = 0; i < 50; i++)
        begun += lockout_begin(
            l, &(struct lockout_try){.user = STR("anna"), .peer = STR("192.0.2.1")},
            start, &wait);
    assert_int_equal(begun, LOCKOUT_USER_FAILURES);
    lockout_free(l);
}

static void test_SEC_52_address(void **state)
{
    static const struct {
        const char *first, *other;
        bool same;
    } rows[] = {
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
        {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
        {"unix", "unix", true},
        {"::1", "127.0.0.1", false},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
    };
    char name[16];
    for (size_t r = 0; r < COUNT_OF(rows); r++) {
        struct lockout *l = lockout_create();
        for (unsigned i = 0; i < LOCKOUT_PEER_FAILURES; i++) {
            snprintf(name, sizeof(name), "user %u", i);
            assert_true(fails(l, str_c(name), str_c(rows[r].first), start));
        }
        CHECK_INT(rows[r].other, fails(l, STR("anna"), str_c(rows[r].other), start),
                  !rows[r].same);
        lockout_free(l);
    }
}

/* Many names from many sites: a site that has not failed has the reserve, and a known
 * browser is not concerned. */
static void test_SEC_52_all(void **state)
{
    struct lockout *l = lockout_create();
    char name[16], peer[24];
    unsigned begun = 0;
    for (unsigned i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "user %u", i);
        snprintf(peer, sizeof(peer), "10.0.%u.%u", i % 50, i / 50);
        begun += fails(l, str_c(name), str_c(peer), start);
    }
    assert_int_equal(begun, LOCKOUT_ALL_PER_MINUTE);
    for (unsigned i = 0; i < 40; i++) {
        snprintf(name, sizeof(name), "other %u", i);
        snprintf(peer, sizeof(peer), "10.1.%u.1", i);
        begun += fails(l, str_c(name), str_c(peer), start);
    }
    assert_int_equal(begun, LOCKOUT_ALL_PER_MINUTE + LOCKOUT_ALL_RESERVE);
    assert_true(known_fails(l, STR("anna"), STR("d1"), start));
    assert_true(fails(l, STR("anna"), STR("192.0.2.1"), start + 120 * S));
    lockout_free(l);
}

/* Servers that share a database allow together what one of them allows alone. */
struct pair {
    struct store *store;
    struct lockout *one, *two;
};

static int pair_setup(void **state)
{
    struct pair *p = mem_zero(sizeof(*p));
    struct err err;
    assert_true(store_open(NULL, &p->store, &err));
    p->one = lockout_create();
    p->two = lockout_create();
    lockout_share(p->one, p->store);
    lockout_share(p->two, p->store);
    *state = p;
    return 0;
}

static int pair_teardown(void **state)
{
    struct pair *p = *state;
    lockout_free(p->one);
    lockout_free(p->two);
    store_close(p->store);
    free(p);
    return 0;
}

static void test_SEC_52_together(void **state)
{
    const struct pair *p = *state;
    char name[16], peer[24];
    unsigned wait, begun = 0;
    for (unsigned i = 0; i < 2 * LOCKOUT_USER_FAILURES; i++)
        begun +=
            fails(i % 2 == 0 ? p->one : p->two, STR("anna"), STR("192.0.2.1"), start);
    assert_int_equal(begun, LOCKOUT_USER_FAILURES);
    for (unsigned i = 0; i < 2 * LOCKOUT_PEER_FAILURES; i++) {
        snprintf(name, sizeof(name), "user %u", i);
        begun +=
            fails(i % 2 == 0 ? p->one : p->two, str_c(name), STR("192.0.2.1"), start);
    }
    assert_int_equal(begun, LOCKOUT_PEER_FAILURES);
    assert_false(
        ends(p->two, STR("bob"), STR("192.0.2.1"), start, LOCKOUT_FAILED, &wait));
    assert_in_range(wait, 1, 2 * LOCKOUT_WINDOW_S);
    for (unsigned i = 0; i < 2 * LOCKOUT_ALL_PER_MINUTE; i++) {
        snprintf(name, sizeof(name), "other %u", i);
        snprintf(peer, sizeof(peer), "10.0.0.%u", i);
        begun += fails(i % 2 == 0 ? p->one : p->two, str_c(name), str_c(peer), start);
    }
    /* the addresses above are one site, which has its own limit */
    assert_in_range(begun, LOCKOUT_PEER_FAILURES + LOCKOUT_SITE_FAILURES,
                    LOCKOUT_PEER_FAILURES + LOCKOUT_SITE_FAILURES + 1);
    for (unsigned i = 0; i < 2 * LOCKOUT_ALL_PER_MINUTE; i++) {
        snprintf(name, sizeof(name), "more %u", i);
        snprintf(peer, sizeof(peer), "10.1.%u.1", i);
        begun += fails(i % 2 == 0 ? p->one : p->two, str_c(name), str_c(peer), start);
    }
    assert_in_range(begun, LOCKOUT_ALL_PER_MINUTE + LOCKOUT_ALL_RESERVE,
                    LOCKOUT_ALL_PER_MINUTE + LOCKOUT_ALL_RESERVE + 2);
}

/* What is counted for a browser is shared, too. */
static void test_SEC_52_device_together(void **state)
{
    const struct pair *p = *state;
    unsigned begun = 0;
    for (unsigned i = 0; i < 2 * LOCKOUT_USER_FAILURES; i++)
        begun += known_fails(i % 2 == 0 ? p->one : p->two, STR("anna"), STR("d1"), start);
    assert_int_equal(begun, LOCKOUT_USER_FAILURES);
}

static void test_SEC_52_success_clears_together(void **state)
{
    const struct pair *p = *state;
    unsigned wait;
    for (unsigned i = 0; i < 50; i++) {
        struct lockout *l = i % 2 == 0 ? p->one : p->two;
        assert_true(ends(l, STR("anna"), STR("192.0.2.1"), start,
                         i % 3 == 0 ? LOCKOUT_NOT_TRIED : LOCKOUT_SIGNED_IN, &wait));
    }
}

/* A server whose clock was years ahead has caused no lockout of years. */
static void test_wrong_clock(void **state)
{
    const struct pair *p = *state;
    const int64_t later = clock_now() + 10 * 365 * 86400LL;
    uint8_t anna[HASH_SIZE], all[HASH_SIZE];
    struct err err;
    hash_sha256(STR("192.0.2.1\nanna"), anna);
    hash_sha256(STR("sign-ins\n"), all);
    assert_true(
        store_run(p->store, SQL_LOCKOUT_PUT,
                  STORE_ARGS(STORE_B(anna, HASH_SIZE), STORE_N(LOCKOUT_USER_FAILURES),
                             STORE_N(later), STORE_N(later + LOCKOUT_FIRST_S)),
                  NULL, &err));
    assert_true(store_run(p->store, SQL_TALLY_PUT,
                          STORE_ARGS(STORE_B(all, HASH_SIZE), STORE_N(later / 60),
                                     STORE_N(LOCKOUT_ALL_PER_MINUTE), STORE_N(0),
                                     STORE_N(later + 120)),
                          NULL, &err));
    assert_true(fails(p->one, STR("anna"), STR("192.0.2.1"), start));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_52_user),
        cmocka_unit_test(test_SEC_52_device),
        cmocka_unit_test(test_SEC_52_name),
        cmocka_unit_test(test_SEC_52_site),
        cmocka_unit_test(test_SEC_52_success_clears),
        cmocka_unit_test(test_parallel),
        cmocka_unit_test(test_SEC_52_address),
        cmocka_unit_test_setup_teardown(test_SEC_52_device_together, pair_setup,
                                        pair_teardown),
        cmocka_unit_test(test_SEC_52_all),
        cmocka_unit_test_setup_teardown(test_SEC_52_together, pair_setup, pair_teardown),
        cmocka_unit_test_setup_teardown(test_SEC_52_success_clears_together, pair_setup,
                                        pair_teardown),
        cmocka_unit_test_setup_teardown(test_wrong_clock, pair_setup, pair_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
