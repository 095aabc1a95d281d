#include "base/os/bytes.h"
#include "check.h"

static void test_find(void **state)
{
    (void)state;
    static const struct {
        const char *text, *what;
        int want; /* -1: none */
    } cases[] = {
        {"", "", 0},    {"", "a", -1},    {"a", "", 0},         {"a", "ab", -1},
        {"ab", "b", 1}, {"aab", "ab", 1}, {"abcabd", "abd", 3}, {"abab", "abc", -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *text = cases[i].text, *what = cases[i].what;
        const char *at = bytes_find(text, strlen(text), what, strlen(what));
        int found = at != NULL ? (int)(at - text) : -1;
        if (found != cases[i].want)
            fail_msg("case %zu: %d instead of %d", i, found, cases[i].want);
    }
    assert_null(bytes_find(NULL, 0, "a", 1));
}

static void test_find_last(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t n;
        int want; /* -1: none */
    } cases[] = {
        {"", 0, -1},       {NULL, 0, -1},     {"a", 1, -1},    {"\n", 1, 0},
        {"a\nb\nc", 5, 3}, {"a\nb\nc", 3, 1}, {"\nabc", 4, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *at = bytes_find_last(cases[i].text, '\n', cases[i].n);
        int found = at != NULL ? (int)(at - cases[i].text) : -1;
        if (found != cases[i].want)
            fail_msg("case %zu: %d instead of %d", i, found, cases[i].want);
    }
}

static void test_wipe(void **state)
{
    (void)state;
    char secret[] = "secret!";
    bytes_wipe(secret, 6);
    assert_memory_equal(secret, "\0\0\0\0\0\0!", sizeof(secret));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_find_last),
        cmocka_unit_test(test_wipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
