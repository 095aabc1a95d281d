#include "vault/forms/queries.h"

#include "check.h"

static void test_has(void **state)
{
    static const struct {
        const char *text;
        bool want;
    } cases[] = {
        {"```dataview\nLIST\n```\n", true},
        {"> ~~~dataviewjs\n> dv.list()\n> ~~~\n", true},
        {"```base\nviews: []\n```\n", true},
        {"a `= this.file.name` b", true},
        {"a ``  $= dv.current() `` b", true},
        {"```c\nx\n```\n`=x` and `dataview`\n```\ndataview\n```\n", false},
        {"a [[b]] = c", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n;
        note_scan(*state, str_c(cases[i].text), &n);
        CHECK_INT(cases[i].text, queries_has(&n), cases[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_has)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
