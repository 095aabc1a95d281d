#include "vault/text/language.h"

#include "check.h"

static void test_common(void **state)
{
    static const struct {
        const char *word;
        bool common;
    } cases[] = {
        {"the", true},   {"i", false},       {"why", true}, {"где", true},
        {"fur", true},   {"compost", false}, {"th", false}, {"he w", false},
        {"under", true}, {"unde", false},    {"", false},   {"των", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK(cases[i].word,
              language_has_common(str_c(cases[i].word)) == cases[i].common);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_common)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
