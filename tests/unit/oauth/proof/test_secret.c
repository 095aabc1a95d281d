#include "check.h"

#include "oauth/proof/secret.h"

static void test_SEC_12_new(void **state)
{
    str a = secret_new(*state, STR("")), b = secret_new(*state, STR("vk_"));
    assert_true(secret_is(a, STR("")));
    assert_true(secret_is(b, STR("vk_")));
    assert_false(secret_is(b, STR("")));
    assert_false(secret_is(a, STR("vk_")));
    assert_false(str_eq(a, str_skip(b, 3)));
    assert_false(secret_is(str_slice(a, 0, 63), STR("")));
    assert_false(secret_is(STR("ABCDEF"), STR("")));
}

static void test_matches(void **state)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(STR("abc"), hash);
    assert_true(secret_matches(STR("abc"), hash));
    assert_false(secret_matches(STR("abd"), hash));
    assert_false(secret_matches(STR(""), hash));
    assert_false(secret_matches((str){"abc\0", 4}, hash));
    CHECK_STR("tag", secret_tag(*state, STR("abc")), "ba7816bf");
}

static void test_uuid(void **state)
{
    str id = secret_uuid(*state), other = secret_uuid(*state);
    assert_int_equal(id.n, 36);
    assert_int_equal(id.p[14], '4');
    assert_non_null(strchr("89ab", id.p[19]));
    for (size_t i = 0; i < id.n; i++)
        assert_int_equal(id.p[i] == '-', i == 8 || i == 13 || i == 18 || i == 23);
    assert_false(str_eq(id, other));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_12_new),
        ARENA_TEST(test_matches),
        ARENA_TEST(test_uuid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
