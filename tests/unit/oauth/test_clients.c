#include "base/json.h"
#include "oauth/parts.h"
#include "oauth_place.h"

#define PEER STR("2001:db8:1:2::1")
#define HEAD "{\"redirect_uris\":[\"https://a.example/cb\"]"

static const struct json *do_register(struct oauth_place *p, const char *body)
{
    str answer, code;
    struct err err = {0};
    const struct json *j;
    if (!clients_register(p->oauth, &p->arena, PEER, str_c(body), &answer, &code, &err))
        fail_msg("%s: %.*s %s", body, STR_ARG(code), err.msg);
    assert_true(json_parse(&p->arena, answer, &j, &err));
    return j;
}

static str member(const struct json *j, const char *name)
{
    str out = {0};
    json_str(json_get(j, str_c(name)), &out);
    return out;
}

/* The example of contract 001: the five fields are returned, and an id. */
static void test_contract(void **state)
{
    struct oauth_place *p = *state;
    const struct json *j = do_register(
        p, "{\"client_name\":\"Claude\",\"redirect_uris\":[\"https://claude.ai/oauth/"
           "callback\"]"
           ",\"grant_types\":[\"authorization_code\"],\"response_types\":[\"code\"],"
           "\"token_endpoint_auth_method\":\"none\",\"client_id\":\"mine\","
           "\"client_secret\":\"mine\",\"logo_uri\":\"https://x\"}");
    CHECK_STR("name", member(j, "client_name"), "Claude");
    CHECK_STR("method", member(j, "token_endpoint_auth_method"), "none");
    CHECK_STR("grants", json_get(j, STR("grant_types"))->raw, "[\"authorization_code\"]");
    CHECK_STR("responses", json_get(j, STR("response_types"))->raw, "[\"code\"]");
    CHECK_STR("uris", json_get(j, STR("redirect_uris"))->raw,
              "[\"https://claude.ai/oauth/callback\"]");
    assert_int_equal(member(j, "client_id").n, 36);
    assert_int_equal(j->n, 7); /* with client_id_issued_at, and nothing else */

    struct oauth_client c =
        place_client(p, arena_str(&p->arena, member(j, "client_id")).p);
    assert_int_equal(c.kind, CLIENT_REGISTERED);
    assert_int_equal(c.auth, CLIENT_PUBLIC);
    assert_int_equal(c.grants, GRANT_CODE);
    CHECK_STR("uri", c.redirect_uris[0], "https://claude.ai/oauth/callback");
}

static void test_SEC_20_answers(void **state)
{
    struct oauth_place *p = *state;
    const struct json *j = do_register(p, HEAD "}");
    assert_null(json_get(j, STR("client_name")));
    assert_null(json_get(j, STR("client_secret")));
    CHECK_STR("grants", json_get(j, STR("grant_types"))->raw,
              "[\"authorization_code\",\"refresh_token\"]");

    j = do_register(p, HEAD
                    ",\"grant_types\":[\"implicit\",\"client_credentials\","
                    "\"authorization_code\",5],\"response_types\":[\"token\",\"code\"]}");
    CHECK_STR("dropped", json_get(j, STR("grant_types"))->raw,
              "[\"authorization_code\"]");

    j = do_register(p, HEAD ",\"token_endpoint_auth_method\":\"client_secret_post\"}");
    str secret = member(j, "client_secret");
    assert_true(secret.n >= 64);
    struct oauth_client c =
        place_client(p, arena_str(&p->arena, member(j, "client_id")).p);
    assert_int_equal(c.auth, CLIENT_SECRET_POST);
    uint8_t hash[HASH_SIZE];
    hash_sha256(secret, hash);
    assert_memory_equal(hash, c.secret_hash, HASH_SIZE);
}

static void test_SEC_21_refused(void **state)
{
    struct oauth_place *p = *state;
    static const struct {
        const char *body, *code;
    } cases[] = {
        {"", "invalid_client_metadata"},
        {"[]", "invalid_client_metadata"},
        {"{", "invalid_client_metadata"},
        {HEAD ",\"redirect_uris\":[]}", "invalid_client_metadata"}, /* twice */
        {"{}", "invalid_redirect_uri"},
        {"{\"redirect_uris\":[]}", "invalid_redirect_uri"},
        {"{\"redirect_uris\":\"https://a.example/cb\"}", "invalid_redirect_uri"},
        {"{\"redirect_uris\":[5]}", "invalid_redirect_uri"},
        {"{\"redirect_uris\":[\"https://a.example/cb\",\"http://a.example/cb\"]}",
         "invalid_redirect_uri"},
        {"{\"redirect_uris\":[\"https://x/1\",\"https://x/2\",\"https://x/3\",\"https://"
         "x/"
         "4\",\"https://x/5\",\"https://x/6\",\"https://x/7\",\"https://x/8\",\"https://"
         "x/"
         "9\",\"https://x/10\",\"https://x/11\"]}",
         "invalid_redirect_uri"},
        {HEAD ",\"token_endpoint_auth_method\":\"private_key_jwt\"}",
         "invalid_client_metadata"},
        {HEAD ",\"token_endpoint_auth_method\":null}", "invalid_client_metadata"},
        {HEAD ",\"grant_types\":[\"client_credentials\"]}", "invalid_client_metadata"},
        {HEAD ",\"grant_types\":\"authorization_code\"}", "invalid_client_metadata"},
        {HEAD ",\"response_types\":[\"token\"]}", "invalid_client_metadata"},
        {HEAD ",\"client_name\":5}", "invalid_client_metadata"},
        {HEAD ",\"x\":[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}", "invalid_client_metadata"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str answer, code = {0};
        struct err err = {0};
        CHECK(cases[i].body,
              !clients_register(p->oauth, &p->arena, PEER, str_c(cases[i].body), &answer,
                                &code, &err));
        CHECK_STR(cases[i].body, code, cases[i].code);
        CHECK_INT(cases[i].body, err.code, ERR_INVALID);
    }
}

static void test_SEC_22_same_body(void **state)
{
    struct oauth_place *p = *state;
    str a = member(do_register(p, HEAD "}"), "client_id");
    str b = member(do_register(p, HEAD "}"), "client_id");
    str c = member(do_register(p, HEAD " }"), "client_id");
    assert_true(str_eq(a, b));
    assert_false(str_eq(a, c));
    const char *secret = HEAD ",\"token_endpoint_auth_method\":\"client_secret_basic\"}";
    a = member(do_register(p, secret), "client_id");
    b = member(do_register(p, secret), "client_id");
    assert_false(str_eq(a, b));
}

static str number_body(struct oauth_place *p, int i)
{
    return arena_printf(&p->arena, "{\"redirect_uris\":[\"https://a.example/%d\"]}", i);
}

/* A stranger who registers as often as possible only uses up the share of its network. */
static void test_SEC_22_crowd(void **state)
{
    struct oauth_place *p = *state;
    str answer, code;
    struct err err = {0};
    for (int i = 0; i < 30; i++)
        do_register(p, number_body(p, i).p);
    static const struct {
        const char *peer;
        bool may;
    } rows[] = {{"2001:db8:1:2::1", false},
                {"2001:db8:1:2:aaaa:bbbb:cccc:dddd", false},
                {"2001:db8:1:3::1", true},
                {"192.0.2.7", true}};
    for (int i = 0; i < (int)COUNT_OF(rows); i++) {
        CHECK_INT(rows[i].peer,
                  clients_register(p->oauth, &p->arena, str_c(rows[i].peer),
                                   number_body(p, 90 + i), &answer, &code, &err),
                  rows[i].may);
        CHECK_INT(rows[i].peer, err.code, rows[i].may ? ERR_NONE : ERR_LIMIT);
        err = (struct err){0};
    }
    do_register(p, number_body(p, 7).p); /* a known client does not count */
}

/* Servers that share a database allow together what one allows; with a file, each does. */
static void test_SEC_22_two_servers(void **state)
{
    struct oauth_place *p = *state;
    struct oauth *other;
    str answer, code;
    struct err err = {0};
    int registered = 0;
    assert_true(oauth_create(&p->config, &other, &err));
    for (int i = 0; i < 100; i++)
        registered += clients_register(i % 2 == 0 ? p->oauth : other, &p->arena, PEER,
                                       number_body(p, i), &answer, &code, &err);
    assert_int_equal(registered, p->name[0] != '\0' ? 30 : 60);
    oauth_free(other);
}

static void test_SEC_22_unused_expire(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_client c;
    struct err err;
    str idle = member(do_register(p, number_body(p, 1).p), "client_id");
    str used = member(do_register(p, number_body(p, 2).p), "client_id");
    str live = member(do_register(p, number_body(p, 3).p), "client_id");
    struct oauth_code order = place_order();
    struct oauth_answer answer;
    str code;
    order.client_id = live;
    assert_true(grants_issue_code(p->oauth, &p->arena, &order, &code, &err));
    assert_null(place_redeem(p, arena_str(&p->arena, live).p, code, &answer));
    char *sql = sqlite3_mprintf("UPDATE clients SET seen = seen - 86401;"
                                "UPDATE clients SET used = 1 WHERE id = '%.*s';"
                                "UPDATE clients SET used = 0 WHERE id = '%.*s'",
                                STR_ARG(used), STR_ARG(live));
    place_sql(p, sql);
    sqlite3_free(sql);
    str fresh = member(do_register(p, number_body(p, 4).p), "client_id");
    assert_false(clients_find(p->oauth, &p->arena, idle, &c, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_true(clients_find(p->oauth, &p->arena, used, &c, &err));
    assert_true(clients_find(p->oauth, &p->arena, live, &c, &err));
    assert_true(clients_find(p->oauth, &p->arena, fresh, &c, &err));
}

static void test_SEC_22_full(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_client c;
    struct err err;
    place_sql(p,
              "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
              "10000) INSERT INTO clients SELECT 'c' || i, '', 0, 3, NULL, "
              "'https://x/', CAST('' AS BLOB), 1, 2000000000 + i, 1 FROM n");
    do_register(p, number_body(p, 1).p);
    assert_false(clients_find(p->oauth, &p->arena, STR("c1"), &c, &err)); /* the oldest */
    assert_true(clients_find(p->oauth, &p->arena, STR("c2"), &c, &err));
    place_sql(p, arena_printf(&p->arena,
                              "UPDATE clients SET used = 0, seen = %" PRId64
                              " WHERE id = 'c9000'",
                              clock_now() - 60)
                     .p);
    do_register(p, number_body(p, 2).p); /* unused ones go first */
    assert_false(clients_find(p->oauth, &p->arena, STR("c9000"), &c, &err));
    assert_true(clients_find(p->oauth, &p->arena, STR("c2"), &c, &err));
}

static void test_SEC_44_names(void **state)
{
    static const struct {
        const char *name, *clean;
    } cases[] = {
        {"Claude Code (x)", "Claude Code (x)"},
        {"", ""},
        {"  a\tb\nc ", "abc"},
        {"a\xe2\x80\xae-b", "a-b"},             /* U+202E right-to-left override */
        {"a\xe2\x80\x8b\xef\xbb\xbf-b", "a-b"}, /* zero width */
        {"\xc3\xa4\xe4\xb8\xad", "\xc3\xa4\xe4\xb8\xad"},
        {"\xc2\x85\xf3\xa0\x81\x81", ""},
        {"1234567890123456789012345678901234567890123456789012345678901234567890123456789"
         "0abc",
         "1234567890123456789012345678901234567890123456789012345678901234567890123456789"
         "0"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].name, clients_clean_name(*state, str_c(cases[i].name)),
                  cases[i].clean);
}

static void test_redirect_choice(void **state)
{
    static const str uris[] = {{"https://a.example/cb", 20},
                               {"http://localhost/callback", 25}};
    struct oauth_client one = {.redirect_uris = uris, .n_redirect_uris = 1};
    struct oauth_client two = {.redirect_uris = uris, .n_redirect_uris = 2};
    str out = {0};
    assert_true(clients_redirect(&one, (str){0}, &out));
    CHECK_STR("the only one", out, "https://a.example/cb");
    assert_false(clients_redirect(&two, (str){0}, &out));
    assert_false(clients_redirect(&one, STR(""), &out));
    assert_true(clients_redirect(&two, STR("http://localhost:4711/callback"), &out));
    CHECK_STR("with its port", out, "http://localhost:4711/callback");
    assert_false(clients_redirect(&two, STR("https://a.example:1/cb"), &out));
}

static void test_find(void **state)
{
    struct oauth_place *p = *state;
    struct oauth_client c;
    struct err err;
    static const char *const unknown[] = {"", "nobody", "https://evil.example",
                                          "http://localhost/client", "' OR 1=1 --"};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        CHECK(unknown[i],
              !clients_find(p->oauth, &p->arena, str_c(unknown[i]), &c, &err));
        CHECK_INT(unknown[i], err.code, ERR_NOT_FOUND);
    }
    c = place_client(p, "https://claude.ai/oauth/claude-code-client-metadata");
    assert_int_equal(c.kind, CLIENT_DOCUMENT);
    str out;
    assert_true(clients_redirect(&c, STR("http://localhost:51234/callback"), &out));
    c = place_client(p, "robot");
    assert_int_equal(c.kind, CLIENT_CONFIGURED);
}

/* Each reload frees the list that it replaces. */
static void test_reloads_keep_one_list(void **state)
{
    enum { RELOADS = 50 };
    struct oauth_place *p = *state;
    struct oauth *o = p->oauth;
    struct err err = {0};
    size_t before = arena_size(&o->arena), list = arena_size(&o->configured.arena);
    for (int i = 0; i < RELOADS; i++)
        assert_true(oauth_set_clients(o, place_clients, COUNT_OF(place_clients), &err));
    assert_int_equal(arena_size(&o->arena), before);
    assert_int_equal(arena_size(&o->configured.arena), list);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_contract),
        PLACE_TEST(test_SEC_20_answers),
        PLACE_TEST(test_SEC_21_refused),
        PLACE_TEST(test_SEC_22_same_body),
        {"SEC-22: a network cannot use up the registrations of others", test_SEC_22_crowd,
         place_setup, place_teardown, NULL},
        PLACE_TEST(test_SEC_22_two_servers),
        PLACE_TEST(test_SEC_22_unused_expire),
        PLACE_TEST(test_SEC_22_full),
        ARENA_TEST(test_SEC_44_names),
        cmocka_unit_test(test_redirect_choice),
        PLACE_TEST(test_find),
        PLACE_TEST(test_reloads_keep_one_list),
    };
    return place_run(argc, tests, COUNT_OF(tests), 0);
}
