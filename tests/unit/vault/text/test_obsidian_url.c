#include "vault/text/obsidian_url.h"

#include "check.h"

static void test_url(void **state)
{
    static const struct {
        const char *vault, *path, *want;
    } cases[] = {
        {"notes", "Home.md", "obsidian://open?vault=notes&file=Home.md"},
        {"My notes", "Projects/Plan B.md",
         "obsidian://open?vault=My%20notes&file=Projects/Plan%20B.md"},
        {"a&file=x", "Q&A; 1+1=2.md",
         "obsidian://open?vault=a%26file%3Dx&file=Q%26A%3B%201%2B1%3D2.md"},
        {"Größe", "50% #1?.md",
         "obsidian://open?vault=Gr%C3%B6%C3%9Fe&file=50%25%20%231%3F.md"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].path,
                  obsidian_url(*state, str_c(cases[i].vault), str_c(cases[i].path)),
                  cases[i].want);
}

static void test_pattern(void **state)
{
    CHECK_STR("pattern", obsidian_url_pattern(*state, STR("My notes")),
              "obsidian://open?vault=My%20notes&file={path}");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_url), ARENA_TEST(test_pattern)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
