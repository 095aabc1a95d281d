/* Transactions: bound to a browser, single use, limited in number, valid for ten
 * minutes. */
#include "check.h"

#include "oauth/auth_flow.h"
#include "oauth/proof/secret.h"

static const int64_t now = 1000000;

static struct auth_flow *add(struct auth_flows *t, const char *cookie, const char *peer,
                             int64_t when)
{
    struct auth_flow *x = auth_flow_new(str_c(cookie), str_c(peer), when);
    auth_flows_put(t, x);
    return x;
}

static bool takes(struct auth_flows *t, enum auth_flow_key kind, str key,
                  const char *cookie, enum auth_flow_stage stage, int64_t when)
{
    struct auth_flow *x = auth_flows_take(t, kind, key, str_c(cookie), stage, when);
    auth_flow_free(x);
    return x != NULL;
}

static void test_SEC_49_once(void **state)
{
    struct auth_flows *t = auth_flows_create(NULL);
    struct auth_flow *x = add(t, "cookie", "p", now);
    str ticket = arena_str(*state, x->ticket), handle = arena_str(*state, x->handle);
    assert_true(secret_is(ticket, STR("")));
    assert_false(str_eq(ticket, handle));
    assert_false(takes(t, BY_TICKET, ticket, "other", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_TICKET, ticket, "", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_TICKET, handle, "cookie", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_HANDLE, ticket, "cookie", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_STATE, STR(""), "cookie", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_TICKET, STR(""), "cookie", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_TICKET, ticket, "cookie", AUTH_FLOW_CONSENT, now));
    assert_true(takes(t, BY_TICKET, ticket, "cookie", AUTH_FLOW_LOGIN, now));
    assert_false(takes(t, BY_TICKET, ticket, "cookie", AUTH_FLOW_LOGIN, now));
    assert_int_equal(auth_flows_count(t), 0);
    auth_flows_free(t);
}

static void test_renewed(void **state)
{
    struct auth_flows *t = auth_flows_create(NULL);
    struct auth_flow *x = add(t, "cookie", "p", now);
    str before = arena_str(*state, x->ticket);
    x = auth_flows_take(t, BY_HANDLE, x->handle, STR("cookie"), AUTH_FLOW_LOGIN, now);
    auth_flow_renew(x);
    auth_flows_put(t, x);
    assert_false(takes(t, BY_TICKET, before, "cookie", AUTH_FLOW_LOGIN, now));
    assert_true(takes(t, BY_TICKET, x->ticket, "cookie", AUTH_FLOW_LOGIN, now));
    auth_flows_free(t);
}

/* S4-33: ten minutes. */
static void test_SEC_50_expires(void **state)
{
    struct auth_flows *t = auth_flows_create(NULL);
    str ticket = arena_str(*state, add(t, "cookie", "p", now)->ticket);
    assert_int_equal(AUTH_FLOW_TTL_S, 600);
    assert_true(auth_flows_know(t, STR("cookie"), now + AUTH_FLOW_TTL_S - 1));
    assert_false(auth_flows_know(t, STR("cookie"), now + AUTH_FLOW_TTL_S));
    assert_false(auth_flows_know(t, STR("other"), now));
    assert_false(
        takes(t, BY_TICKET, ticket, "cookie", AUTH_FLOW_LOGIN, now + AUTH_FLOW_TTL_S));
    assert_int_equal(auth_flows_count(t), 0);
    auth_flows_free(t);
}

static void test_cookie_changes(void **state)
{
    struct auth_flows *t = auth_flows_create(NULL);
    str mine = arena_str(*state, add(t, "old", "p", now)->ticket);
    str other = arena_str(*state, add(t, "foreign", "p", now)->ticket);
    auth_flows_move(t, STR("old"), STR("new"));
    assert_false(takes(t, BY_TICKET, mine, "old", AUTH_FLOW_LOGIN, now));
    assert_true(takes(t, BY_TICKET, mine, "new", AUTH_FLOW_LOGIN, now));
    assert_true(takes(t, BY_TICKET, other, "foreign", AUTH_FLOW_LOGIN, now));
    auth_flows_free(t);
}

/* An address with very many transactions pushes out its own, not those of others. */
static void test_bounded(void **state)
{
    struct auth_flows *t = auth_flows_create(NULL);
    str ticket = arena_str(*state, add(t, "honest", "192.0.2.1", now)->ticket);
    for (unsigned i = 0; i < 2 * AUTH_FLOWS_MAX; i++)
        add(t, "flood", "198.51.100.1", now + 1);
    assert_int_equal(auth_flows_count(t), AUTH_FLOWS_MAX);
    assert_true(takes(t, BY_TICKET, ticket, "honest", AUTH_FLOW_LOGIN, now + 2));
    /* expired ones make room first */
    add(t, "late", "192.0.2.1", now + 1 + AUTH_FLOW_TTL_S);
    add(t, "late", "192.0.2.1", now + 1 + AUTH_FLOW_TTL_S);
    assert_true(auth_flows_count(t) <= 2);
    auth_flows_free(t);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_49_once),    ARENA_TEST(test_renewed),
        ARENA_TEST(test_SEC_50_expires), ARENA_TEST(test_cookie_changes),
        ARENA_TEST(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
