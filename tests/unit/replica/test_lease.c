/* Which processes are alive; time passes by changing when they said so. */
#include "replica/lease.h"
#include "state/vault_table_sql.h"

#include "base/clock.h"
#include "oauth_place.h"
#include "state/pg_thread.h"

/* As if the database had answered for that much longer. */
static void put_back(struct store *s, uint64_t ms)
{
    atomic_fetch_sub(&postgres_of(s)->steady, ms);
}

static void test_gone(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p), *t = place_open_kept(p);
    str other = arena_str(&p->arena, lease_own(t));
    assert_int_equal(other.n, PG_THREAD_ID - 1);
    assert_false(str_eq(lease_own(s), other));
    assert_false(lease_is_gone(s, STR("nobody"))); /* it does not know yet */
    put_back(s, LEASE_MS);
    assert_true(lease_is_gone(s, STR("nobody")));
    assert_false(lease_is_gone(s, other));
    assert_false(lease_is_gone(s, lease_own(s)));
    store_close(t); /* as if it had died */
    assert_false(lease_is_gone(s, other));
    place_sql(p, "UPDATE leases SET seen = seen - 2000"); /* as if a beat were late */
    assert_false(lease_is_gone(s, lease_own(s)));
    place_sql(p, "UPDATE leases SET seen = seen - 9000");
    assert_true(lease_is_gone(s, other));
    UNTIL(!lease_is_gone(s, lease_own(s))); /* it says again that it is alive */
    store_close(s);
}

/* After an outage no process is gone until all have had time for a heartbeat. */
static void test_outage(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p);
    put_back(s, LEASE_MS);
    assert_true(lease_is_gone(s, STR("nobody")));
    postgres_do("kill");
    UNTIL(store_away_ms(s) > 0);
    assert_false(lease_is_gone(s, STR("nobody")));
    postgres_do("again");
    UNTIL(store_away_ms(s) == 0);
    assert_false(lease_is_gone(s, STR("nobody")));
    put_back(s, LEASE_MS);
    assert_true(lease_is_gone(s, STR("nobody")));
    store_close(s);
}

static bool is_steady(struct store *s)
{
    return atomic_load(&postgres_of(s)->steady) != 0;
}

/* A database that can only be read is not away. */
static void test_refused(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p);
    struct store_value v[1];
    struct err err;
    assert_true(is_steady(s));
    place_sql(p, "ALTER TABLE leases RENAME TO others");
    UNTIL(!is_steady(s) && store_away_ms(s) == 0);
    UNTIL(store_peek(s, &p->arena, SQL_VAULT_COUNT, STORE_NO_ARGS, v, COUNT_OF(v), &err));
    place_sql(p, "ALTER TABLE others RENAME TO leases");
    UNTIL(is_steady(s));
    store_close(s);
}

/* A second machine that does not confirm commits does not make us look dead. */
static void test_standby(void **state)
{
    struct oauth_place *p = *state;
    struct store *s = place_open_kept(p);
    put_back(s, LEASE_MS);
    place_sql(p, "UPDATE leases SET seen = 0");
    place_sql(p, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    place_sql(p, "SELECT pg_reload_conf()");
    UNTIL(!lease_is_gone(s, lease_own(s)) && store_away_ms(s) == 0);
    place_sql(p, "ALTER SYSTEM RESET synchronous_standby_names");
    place_sql(p, "SELECT pg_reload_conf()");
    store_close(s);
}

static void test_alone(void **state)
{
    struct store *s;
    struct err err;
    assert_true(store_open(NULL, &s, &err));
    assert_int_equal(lease_own(s).n, 0);
    assert_false(lease_is_gone(s, STR("nobody")));
    store_close(s);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone), PLACE_TEST(test_gone),    PLACE_TEST(test_outage),
        PLACE_TEST(test_refused),     PLACE_TEST(test_standby),
    };
    return place_run_postgres(tests, COUNT_OF(tests));
}
