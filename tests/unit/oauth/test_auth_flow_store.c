/* Transactions in a database: the same as in memory, and found by another process. */
#include "check.h"

#include "base/encode.h"
#include "oauth/sql.h"

#include "oauth/auth_flow.h"
#include "oauth/proof/seal.h"
#include "oauth/upstream.h"
#include "state/store.h"

static const int64_t now = 1000000;

struct place {
    struct arena arena;
    struct store *store;
    struct auth_flows *here, *there;
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    assert_true(store_open(NULL, &p->store, &err));
    p->here = auth_flows_create(p->store);
    p->there = auth_flows_create(p->store);
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    auth_flows_free(p->here);
    auth_flows_free(p->there);
    store_close(p->store);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static struct auth_flow *take(struct auth_flows *t, enum auth_flow_key kind, str key,
                              const char *cookie, enum auth_flow_stage stage)
{
    return auth_flows_take(t, kind, key, str_c(cookie), stage, now);
}

static bool takes(struct auth_flows *t, enum auth_flow_key kind, str key,
                  const char *cookie, enum auth_flow_stage stage)
{
    struct auth_flow *x = take(t, kind, key, cookie, stage);
    auth_flow_free(x);
    return x != NULL;
}

static void test_SEC_49_once_and_whole(void **state)
{
    struct place *p = *state;
    struct auth_flow *x = auth_flow_new(STR("cookie"), STR("peer"), now);
    str folder = STR("Work");
    str ticket = arena_str(&p->arena, x->ticket),
        handle = arena_str(&p->arena, x->handle);
    x->client_id = STR("client");
    x->state = STR("a \"state\" & more");
    x->scopes = OAUTH_MAY_WRITE;
    struct rights_place place = {folder, RIGHTS_WRITE};
    struct oauth_rights rights = {.scopes = 1, .places = &place, .n_places = 1};
    x->rights = rights_copy(&x->arena, &rights);
    x->upstream = &upstreams[0];
    x->sign_in = (struct provider_sign_in){STR("s"), STR("v"), STR("n")};
    x->stage = AUTH_FLOW_AWAY;
    auth_flows_put(p->here, x);
    assert_int_equal(auth_flows_count(p->there), 1);

    assert_false(takes(p->there, BY_STATE, STR("s"), "other", AUTH_FLOW_AWAY));
    assert_false(takes(p->there, BY_STATE, STR("s"), "cookie", AUTH_FLOW_LOGIN));
    assert_false(takes(p->there, BY_STATE, STR(""), "cookie", AUTH_FLOW_AWAY));
    assert_false(takes(p->there, BY_TICKET, handle, "cookie", AUTH_FLOW_AWAY));
    x = take(p->there, BY_STATE, STR("s"), "cookie", AUTH_FLOW_AWAY);
    assert_non_null(x);
    assert_true(str_eq(x->ticket, ticket) && str_eq(x->handle, handle));
    assert_true(str_eq(x->client_id, STR("client")));
    assert_true(str_eq(x->state, STR("a \"state\" & more")));
    assert_true(x->challenge.p == NULL && x->place == NULL);
    assert_true(x->scopes == OAUTH_MAY_WRITE && x->created == now);
    assert_true(x->rights.n_places == 1 && str_eq(x->rights.places[0].folder, folder));
    assert_true(x->upstream == &upstreams[0] && str_eq(x->sign_in.verifier, STR("v")));
    assert_false(takes(p->here, BY_STATE, STR("s"), "cookie", AUTH_FLOW_AWAY));

    x->place = "/account";
    x->stage = AUTH_FLOW_LOGIN;
    auth_flows_put(p->there, x);
    x = take(p->here, BY_HANDLE, handle, "cookie", AUTH_FLOW_LOGIN);
    assert_non_null(x);
    assert_string_equal(x->place, "/account");
    auth_flow_free(x);
}

static void test_SEC_50_expires_and_moves(void **state)
{
    struct place *p = *state;
    struct auth_flow *x =
        auth_flow_new(STR("cookie"), STR("peer"), now - AUTH_FLOW_TTL_S);
    str handle = arena_str(&p->arena, x->handle);
    auth_flows_put(p->here, x);
    assert_false(takes(p->here, BY_HANDLE, handle, "cookie", AUTH_FLOW_LOGIN));
    assert_false(auth_flows_know(p->here, STR("cookie"), now));

    x = auth_flow_new(STR("cookie"), STR("peer"), now);
    handle = arena_str(&p->arena, x->handle);
    auth_flows_put(p->here, x);
    assert_true(auth_flows_know(p->there, STR("cookie"), now));
    auth_flows_move(p->there, STR("cookie"), STR("next"));
    assert_false(auth_flows_know(p->here, STR("cookie"), now));
    assert_true(takes(p->here, BY_HANDLE, handle, "next", AUTH_FLOW_LOGIN));
}

/* Who reads the database learns neither tickets nor verifiers. */
static void test_SEC_49_sealed(void **state)
{
    static const char *const hidden[] = {"verifier-1", "state-1", "nonce-1", "anna",
                                         "client-1"};
    struct place *p = *state;
    struct auth_flow *x = auth_flow_new(STR("cookie"), STR("peer"), now);
    struct store_value *v;
    struct err err;
    size_t n;
    str ticket = arena_str(&p->arena, x->ticket);
    x->user = STR("anna");
    x->client_id = STR("client-1");
    x->sign_in =
        (struct provider_sign_in){STR("state-1"), STR("verifier-1"), STR("nonce-1")};
    struct store_value browser =
        STORE_B(arena_str(&p->arena, (str){(char *)x->browser, HASH_SIZE}).p, HASH_SIZE);
    auth_flows_put(p->here, x);
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
    assert_true(takes(p->there, BY_TICKET, ticket, "cookie", AUTH_FLOW_LOGIN));
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
