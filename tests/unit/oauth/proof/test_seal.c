#include "check.h"

#include "oauth/proof/seal.h"

static void test_round_trip(void **state)
{
    static const char *const texts[] = {"", "x", "a longer text, with \"quotes\""};
    uint8_t key[SEAL_KEY], other[SEAL_KEY];
    seal_key(STR("secret"), STR("one"), key);
    seal_key(STR("secret"), STR("two"), other);
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        str sealed = seal_close(*state, key, str_c(texts[i])), text = {0};
        CHECK_INT(texts[i], sealed.n, SEAL_NONCE + strlen(texts[i]) + SEAL_TAG);
        CHECK(texts[i], seal_open(*state, key, sealed, &text));
        CHECK_STR(texts[i], text, texts[i]);
        CHECK(texts[i], !seal_open(*state, other, sealed, &text));
        CHECK(texts[i], !str_eq(sealed, seal_close(*state, key, str_c(texts[i]))));
    }
}

/* No byte can be changed or removed. */
static void test_changed(void **state)
{
    uint8_t key[SEAL_KEY];
    seal_key(STR("secret"), STR("one"), key);
    str sealed = seal_close(*state, key, STR("text")), text;
    for (size_t i = 0; i < sealed.n; i++) {
        str copy = arena_str(*state, sealed);
        ((char *)copy.p)[i] ^= 1;
        assert_false(seal_open(*state, key, copy, &text));
        assert_false(seal_open(*state, key, str_slice(sealed, 0, i), &text));
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_round_trip),
        ARENA_TEST(test_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
