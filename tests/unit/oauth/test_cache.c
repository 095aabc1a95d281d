#include "check.h"

#include "oauth/cache.h"

static void name_hash(uint8_t out[HASH_SIZE], int number)
{
    hash_sha256((str){(const char *)&number, sizeof(number)}, out);
}

static void test_entries(void **state)
{
    static const struct rights_place places[] = {{{"Work", 4}, RIGHTS_WRITE},
                                                 {{"Home", 4}, RIGHTS_READ}};
    static const str tools[] = {{"vault_read", 10}};
    struct cache *c = mem_zero(sizeof(*c));
    struct oauth_grant g = {.id = 7,
                            .user = STR("alice"),
                            .client_id = STR("app"),
                            .rights = {.scopes = OAUTH_READ,
                                       .places = places,
                                       .n_places = 2,
                                       .only_tools = true,
                                       .tools = tools,
                                       .n_tools = 1},
                            .expires = 100};
    struct oauth_grant got;
    struct cache_seen seen;
    uint8_t hash[HASH_SIZE];
    cache_init(c);
    name_hash(hash, 1);
    assert_false(cache_find(c, *state, hash, 5, 10, &got, &seen));
    assert_false(seen.before);
    cache_put(c, hash, 5, 10, &g);
    assert_true(cache_find(c, *state, hash, 5, 10, &got, &seen));
    CHECK_STR("user", got.user, "alice");
    CHECK_STR("client", got.client_id, "app");
    CHECK_STR("folder", got.rights.places[1].folder, "Home");
    assert_int_equal(got.rights.places[1].level, RIGHTS_READ);
    CHECK_STR("tool", got.rights.tools[0], "vault_read");
    assert_true(got.user.p != g.user.p);
    assert_false(seen.touch);
    assert_false(cache_find(c, *state, hash, 6, 10, &got, &seen)); /* something revoked */
    assert_true(seen.before);
    assert_false(cache_find(c, *state, hash, 5, 100, &got, &seen)); /* expired */
    g.expires = 0;
    cache_put(c, hash, 6, 10, &g);
    assert_true(cache_find(c, *state, hash, 6, 10 + CACHE_TOUCH_S, &got, &seen));
    assert_true(seen.touch);
    assert_true(cache_find(c, *state, hash, 6, 11 + CACHE_TOUCH_S, &got, &seen));
    assert_false(seen.touch);
    cache_release(c);
    free(c);
}

static void test_bounds(void **state)
{
    struct cache *c = mem_zero(sizeof(*c));
    struct oauth_grant g = {.user = STR("alice")}, got;
    struct cache_seen seen;
    uint8_t hash[HASH_SIZE];
    int found = 0;
    cache_init(c);
    for (int i = 0; i < 20000; i++) {
        name_hash(hash, i);
        cache_put(c, hash, 1, 1, &g);
        assert_true(cache_find(c, *state, hash, 1, 1, &got, &seen));
    }
    for (int i = 0; i < 20000; i++) {
        name_hash(hash, i);
        found += cache_find(c, *state, hash, 1, 1, &got, &seen);
    }
    assert_int_equal(found, CACHE_SETS * CACHE_WAYS);
    char *large = arena_zero(*state, CACHE_ENTRY_MAX);
    g.client_name = (str){large, CACHE_ENTRY_MAX};
    name_hash(hash, -1);
    cache_put(c, hash, 1, 1, &g);
    assert_false(cache_find(c, *state, hash, 1, 1, &got, &seen));
    cache_release(c);
    free(c);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_entries),
        ARENA_TEST(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
