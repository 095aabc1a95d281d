/* Transactions: bound to a browser, single use, limited in number, valid for ten
 * minutes. */
#include "check.h"

#include "oauth/proof/secret.h"
#include "oauth/transaction.h"

static const int64_t now = 1000000;

static struct transaction *add(struct transactions *t, const char *cookie,
                               const char *peer, int64_t when)
{
    struct transaction *x = transaction_new(str_c(cookie), str_c(peer), when);
    transactions_put(t, x);
    return x;
}

static bool takes(struct transactions *t, enum transaction_key kind, str key,
                  const char *cookie, enum transaction_stage stage, int64_t when)
{
    struct transaction *x = transactions_take(t, kind, key, str_c(cookie), stage, when);
    transaction_free(x);
    return x != NULL;
}

static void test_SEC_49_once(void **state)
{
    struct transactions *t = transactions_create(NULL);
    struct transaction *x = add(t, "cookie", "p", now);
    str ticket = arena_str(*state, x->ticket), handle = arena_str(*state, x->handle);
    assert_true(secret_is(ticket, STR("")));
    assert_false(str_eq(ticket, handle));
    assert_false(takes(t, BY_TICKET, ticket, "other", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_TICKET, ticket, "", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_TICKET, handle, "cookie", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_HANDLE, ticket, "cookie", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_STATE, STR(""), "cookie", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_TICKET, STR(""), "cookie", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_TICKET, ticket, "cookie", TRANSACTION_CONSENT, now));
    assert_true(takes(t, BY_TICKET, ticket, "cookie", TRANSACTION_LOGIN, now));
    assert_false(takes(t, BY_TICKET, ticket, "cookie", TRANSACTION_LOGIN, now));
    assert_int_equal(transactions_count(t), 0);
    transactions_free(t);
}

static void test_renewed(void **state)
{
    struct transactions *t = transactions_create(NULL);
    struct transaction *x = add(t, "cookie", "p", now);
    str before = arena_str(*state, x->ticket);
    x = transactions_take(t, BY_HANDLE, x->handle, STR("cookie"), TRANSACTION_LOGIN, now);
    transaction_renew(x);
    transactions_put(t, x);
    assert_false(takes(t, BY_TICKET, before, "cookie", TRANSACTION_LOGIN, now));
    assert_true(takes(t, BY_TICKET, x->ticket, "cookie", TRANSACTION_LOGIN, now));
    transactions_free(t);
}

/* S4-33: ten minutes. */
static void test_SEC_50_expires(void **state)
{
    struct transactions *t = transactions_create(NULL);
    str ticket = arena_str(*state, add(t, "cookie", "p", now)->ticket);
    assert_int_equal(TRANSACTION_TTL_S, 600);
    assert_true(transactions_know(t, STR("cookie"), now + TRANSACTION_TTL_S - 1));
    assert_false(transactions_know(t, STR("cookie"), now + TRANSACTION_TTL_S));
    assert_false(transactions_know(t, STR("other"), now));
    assert_false(takes(t, BY_TICKET, ticket, "cookie", TRANSACTION_LOGIN,
                       now + TRANSACTION_TTL_S));
    assert_int_equal(transactions_count(t), 0);
    transactions_free(t);
}

static void test_cookie_changes(void **state)
{
    struct transactions *t = transactions_create(NULL);
    str mine = arena_str(*state, add(t, "old", "p", now)->ticket);
    str other = arena_str(*state, add(t, "foreign", "p", now)->ticket);
    transactions_move(t, STR("old"), STR("new"));
    assert_false(takes(t, BY_TICKET, mine, "old", TRANSACTION_LOGIN, now));
    assert_true(takes(t, BY_TICKET, mine, "new", TRANSACTION_LOGIN, now));
    assert_true(takes(t, BY_TICKET, other, "foreign", TRANSACTION_LOGIN, now));
    transactions_free(t);
}

/* An address with very many transactions pushes out its own, not those of others. */
static void test_bounded(void **state)
{
    struct transactions *t = transactions_create(NULL);
    str ticket = arena_str(*state, add(t, "honest", "192.0.2.1", now)->ticket);
    for (unsigned i = 0; i < 2 * TRANSACTIONS_MAX; i++)
        add(t, "flood", "198.51.100.1", now + 1);
    assert_int_equal(transactions_count(t), TRANSACTIONS_MAX);
    assert_true(takes(t, BY_TICKET, ticket, "honest", TRANSACTION_LOGIN, now + 2));
    /* expired ones make room first */
    add(t, "late", "192.0.2.1", now + 1 + TRANSACTION_TTL_S);
    add(t, "late", "192.0.2.1", now + 1 + TRANSACTION_TTL_S);
    assert_true(transactions_count(t) <= 2);
    transactions_free(t);
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
