#include "fetch/resolve.h"

#include <pthread.h>
#include <time.h>

#include "check.h"

/* A name server that does not answer until the test lets it. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static bool silent(const char *host, bool numeric, struct net_address *out, size_t max,
                   size_t *n)
{
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return false;
}

static bool local(const char *host, bool numeric, struct net_address *out, size_t max,
                  size_t *n)
{
    return net_look_up("192.0.2.7", numeric, out, max, n);
}

/* Abandoned look-ups end a moment after they may. */
static void wait_for_a_turn(void)
{
    struct resolved r;
    struct err err = {0};
    while (!resolve_host(STR("host.example"), 60000, false, local, &r, &err)) {
        assert_int_equal(err.code, ERR_BUSY);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void test_addresses(void **state)
{
    static const struct {
        const char *host;
        enum net_kind kind;
    } rows[] = {{"127.0.0.1", NET_IP4}, {"::1", NET_IP6}, {"2130706433", NET_IP4}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct resolved r;
        struct err err = {0};
        CHECK(rows[i].host,
              resolve_host(str_c(rows[i].host), 1000, false, silent, &r, &err));
        CHECK_INT(rows[i].host, r.n, 1);
        CHECK(rows[i].host, r.numeric);
        CHECK_INT(rows[i].host, r.addresses[0].kind, rows[i].kind);
    }
}

static void test_names(void **state)
{
    struct resolved r;
    struct err err = {0};
    assert_true(resolve_host(STR("host.example"), 60000, false, local, &r, &err));
    assert_int_equal(r.n, 1);
    assert_false(r.numeric);
    assert_false(resolve_host(STR("host.example"), 60000, false, silent, &r, &err));
    assert_string_equal(err.msg, "host.example has no address");
}

static void test_deadline(void **state)
{
    struct resolved r;
    struct err err = {0};
    pthread_mutex_lock(&gate);
    for (size_t i = 0; i < RESOLVE_AT_ONCE; i++) {
        bool stranger = i < RESOLVE_STRANGERS;
        assert_false(resolve_host(STR("host.example"), 1, stranger, silent, &r, &err));
        assert_int_equal(err.name, E_FETCH_TIMEOUT);
        if (i == RESOLVE_STRANGERS) { /* the rest is for others */
            assert_false(
                resolve_host(STR("host.example"), 60000, true, silent, &r, &err));
            assert_int_equal(err.code, ERR_BUSY);
        }
    }
    assert_false(resolve_host(STR("host.example"), 60000, false, silent, &r, &err));
    assert_int_equal(err.code, ERR_BUSY);
    assert_true(resolve_host(STR("192.0.2.1"), 60000, false, silent, &r, &err));
    pthread_mutex_unlock(&gate);
    wait_for_a_turn();
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_names),
        {"SEC-25: a silent name server costs no more than the deadline, and few threads",
         test_deadline, NULL, NULL, NULL},
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
