#include "oauth/sql.h"
#include "replica/leader.h"

#include "oauth/parts.h"
#include "oauth_place.h"

static void test_one_at_a_time(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p), *t = place_open_kept(p);
    uint64_t first = 0, again = 0, second = 0, other;
    assert_true(leader_take(s, STR("webhooks"), &first));
    assert_true(leader_take(s, STR("webhooks"), &again));
    assert_int_equal(first, again);
    assert_true(leader_holds(s, STR("webhooks"), first));
    assert_false(leader_take(t, STR("webhooks"), &second));
    assert_false(leader_holds(t, STR("webhooks"), first));
    assert_true(leader_take(t, STR("pruning"), &other)); /* another one */
    leader_leave(s, STR("webhooks"));
    assert_false(leader_holds(s, STR("webhooks"), first));
    assert_true(leader_take(t, STR("webhooks"), &second));
    assert_true(second > first);
    store_close(t); /* as if it had died */
    UNTIL(leader_take(s, STR("webhooks"), &again));
    assert_true(again > second);
    leader_leave(s, STR("never taken"));
    store_close(s);
}

/* A process that lost the connection does not lead, even if no other does. */
static void test_lost(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p);
    uint64_t first, second = 0;
    assert_true(leader_take(s, STR("d"), &first));
    postgres_do("kill");
    assert_false(leader_holds(s, STR("d"), first));
    assert_false(leader_take(s, STR("d"), &second));
    postgres_do("again");
    UNTIL(leader_take(s, STR("d"), &second));
    assert_true(second > first);
    assert_false(leader_holds(s, STR("d"), first));
    assert_true(leader_holds(s, STR("d"), second));
    store_close(s);
}

static bool has_old_code(struct oauth_place *p)
{
    struct store_value v[9];
    struct err err;
    return store_get(p->oauth->store, &p->arena, SQL_CODE_GET,
                     STORE_ARGS(STORE_B("old", 3)), v, COUNT_OF(v), &err);
}

/* Of two servers, one removes what has expired; if it dies, the other one does. */
static void test_one_sweeps(void **state)
{
    struct oauth_place *p = *state;
    struct store *other = place_open_kept(p);
    uint64_t fence;
    place_sql(p, "INSERT INTO codes VALUES('old', '', '', '', '', '', 0, '', 1, '')");
    assert_true(leader_take(other, STR("sign-ins"), &fence));
    grants_sweep(p->oauth);
    assert_true(has_old_code(p));
    store_close(other);
    for (int i = 0; has_old_code(p) && i < 30000; i++) {
        atomic_store(&p->oauth->swept, 0);
        grants_sweep(p->oauth);
        usleep(10000);
    }
    assert_false(has_old_code(p));
}

static void test_alone(void **state)
{
    struct store *s;
    struct err err;
    uint64_t fence;
    assert_true(store_open(NULL, &s, &err));
    assert_true(leader_take(s, STR("d"), &fence));
    assert_true(leader_holds(s, STR("d"), fence));
    leader_leave(s, STR("d"));
    store_close(s);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        PLACE_TEST(test_one_at_a_time),
        PLACE_TEST(test_lost),
        PLACE_TEST(test_one_sweeps),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
