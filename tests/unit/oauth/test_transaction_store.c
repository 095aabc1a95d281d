/* Transactions in a database: the same as in memory, and found by another process. */
#include "check.h"

#include "base/encode.h"
#include "oauth/sql.h"

#include "oauth/proof/seal.h"
#include "oauth/transaction.h"
#include "oauth/upstream.h"
#include "state/store.h"

static const int64_t now = 1000000;

struct place {
    struct arena arena;
    struct store *store;
    struct transactions *here, *there;
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    assert_true(store_open(NULL, &p->store, &err));
    p->here = transactions_create(p->store);
    p->there = transactions_create(p->store);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    transactions_free(p->here);
    transactions_free(p->there);
    store_close(p->store);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static struct transaction *take(struct transactions *t, enum transaction_key kind,
                                str key, const char *cookie, enum transaction_stage stage)
{
    return transactions_take(t, kind, key, str_c(cookie), stage, now);
}

static bool takes(struct transactions *t, enum transaction_key kind, str key,
                  const char *cookie, enum transaction_stage stage)
{
    struct transaction *x = take(t, kind, key, cookie, stage);
    transaction_free(x);
    return x != NULL;
}

static void test_SEC_49_once_and_whole(void **state)
{
    struct place *p = *state;
    struct transaction *x = transaction_new(STR("cookie"), STR("peer"), now);
    str folder = STR("Work");
    str ticket = arena_str(&p->arena, x->ticket),
        handle = arena_str(&p->arena, x->handle);
    x->client_id = STR("client");
    x->state = STR("a \"state\" & more");
    x->scopes = 3;
    x->rights = (struct oauth_rights){.scopes = 1, .folders = &folder, .n_folders = 1};
    x->upstream = &upstreams[0];
    x->trip = (struct provider_trip){STR("s"), STR("v"), STR("n")};
    x->stage = TRANSACTION_AWAY;
    transactions_put(p->here, x);
    assert_int_equal(transactions_count(p->there), 1);

    assert_false(takes(p->there, BY_STATE, STR("s"), "other", TRANSACTION_AWAY));
    assert_false(takes(p->there, BY_STATE, STR("s"), "cookie", TRANSACTION_LOGIN));
    assert_false(takes(p->there, BY_STATE, STR(""), "cookie", TRANSACTION_AWAY));
    assert_false(takes(p->there, BY_TICKET, handle, "cookie", TRANSACTION_AWAY));
    x = take(p->there, BY_STATE, STR("s"), "cookie", TRANSACTION_AWAY);
    assert_non_null(x);
    assert_true(str_eq(x->ticket, ticket) && str_eq(x->handle, handle));
    assert_true(str_eq(x->client_id, STR("client")));
    assert_true(str_eq(x->state, STR("a \"state\" & more")));
    assert_true(x->challenge.p == NULL && x->place == NULL);
    assert_true(x->scopes == 3 && x->created == now);
    assert_true(x->rights.n_folders == 1 && str_eq(x->rights.folders[0], folder));
    assert_true(x->upstream == &upstreams[0] && str_eq(x->trip.verifier, STR("v")));
    assert_false(takes(p->here, BY_STATE, STR("s"), "cookie", TRANSACTION_AWAY));

    x->place = "/account";
    x->stage = TRANSACTION_LOGIN;
    transactions_put(p->there, x);
    x = take(p->here, BY_HANDLE, handle, "cookie", TRANSACTION_LOGIN);
    assert_non_null(x);
    assert_string_equal(x->place, "/account");
    transaction_free(x);
}

static void test_SEC_50_expires_and_moves(void **state)
{
    struct place *p = *state;
    struct transaction *x =
        transaction_new(STR("cookie"), STR("peer"), now - TRANSACTION_TTL_S);
    str handle = arena_str(&p->arena, x->handle);
    transactions_put(p->here, x);
    assert_false(takes(p->here, BY_HANDLE, handle, "cookie", TRANSACTION_LOGIN));
    assert_false(transactions_know(p->here, STR("cookie"), now));

    x = transaction_new(STR("cookie"), STR("peer"), now);
    handle = arena_str(&p->arena, x->handle);
    transactions_put(p->here, x);
    assert_true(transactions_know(p->there, STR("cookie"), now));
    transactions_move(p->there, STR("cookie"), STR("next"));
    assert_false(transactions_know(p->here, STR("cookie"), now));
    assert_true(takes(p->here, BY_HANDLE, handle, "next", TRANSACTION_LOGIN));
}

/* Who reads the database learns neither tickets nor verifiers. */
static void test_SEC_49_sealed(void **state)
{
    static const char *const hidden[] = {"verifier-1", "state-1", "nonce-1", "anna",
                                         "client-1"};
    struct place *p = *state;
    struct transaction *x = transaction_new(STR("cookie"), STR("peer"), now);
    struct store_value *v;
    struct err err;
    size_t n;
    str ticket = arena_str(&p->arena, x->ticket);
    x->user = STR("anna");
    x->client_id = STR("client-1");
    x->trip = (struct provider_trip){STR("state-1"), STR("verifier-1"), STR("nonce-1")};
    struct store_value browser =
        STORE_B(arena_str(&p->arena, (str){(char *)x->browser, HASH_SIZE}).p, HASH_SIZE);
    transactions_put(p->here, x);
    assert_true(
        store_list(p->store, &p->arena, SQL_VISIT_OF, &browser, 1, &v, 2, &n, &err));
    assert_int_equal(n, 1);
    str raw;
    assert_true(decode_base64url(&p->arena, v[1].s, &raw));
    for (size_t i = 0; i < COUNT_OF(hidden); i++) {
        CHECK(hidden[i], str_find(v[1].s, str_c(hidden[i])) == STR_NONE);
        CHECK(hidden[i], str_find(raw, str_c(hidden[i])) == STR_NONE);
    }
    assert_true(str_find(raw, ticket) == STR_NONE);
    assert_true(takes(p->there, BY_TICKET, ticket, "cookie", TRANSACTION_LOGIN));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_SEC_49_once_and_whole, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_50_expires_and_moves, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_49_sealed, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
