#include "vault/ask/dql_find.h"

#include "check.h"

static void test_find(void **state)
{
    static const struct {
        const char *word, *want; /* the query, or a part of the message */
        bool ok;
    } cases[] = {
        {"LIST", "LIST", true},
        {"list from #a", "list from #a", true},
        {"Dash", "LIST\n", true},
        {"Dash.md", "LIST\n", true},
        {"Dash#Two", "TASK\n", true},
        {"Dash#2", "TASK\n", true},
        {"Dash#3", "no dataview code block", false},
        {"Dash#None", "no heading 'None'", false},
        {"Plain", "no dataview code block", false},
        {"Script", "only dataviewjs", false},
        {"Nothing", "Nothing", false},
        {"List of things", "LIMIT 1\n", true},
        {"FROM #a\nLIST", "FROM #a\nLIST", true},
        {"FROM \"a\"", "FROM \"a\"", true},
        {"```dataview\nLIST FROM #a\n```", "LIST FROM #a\n", true},
        {"```dataviewjs\ndv.list([1])\n```", "dataviewjs, which is JavaScript", false},
        {"dv.list([1])", "dataviewjs, which is JavaScript", false},
        {"xyzzy", "File not found: xyzzy; nor is it a query, which begins with LIST",
         false},
    };
    static const struct {
        const char *path, *text;
    } notes[] = {
        {"Dash.md",
         "# One\n\n```dataview\nLIST\n```\n\n# Two\n\n```dataview\nTASK\n```\n"},
        {"List of things.md", "```dataview\nLIMIT 1\n```\n"},
        {"Plain.md", "text\n"},
        {"Script.md", "```dataviewjs\nx\n```\n"},
    };
    struct index *x = index_create();
    struct arena *a = *state, scratch = {0};
    struct fs_info info = {0};
    for (size_t i = 0; i < COUNT_OF(notes); i++)
        index_put(x,
                  file_make(&scratch, str_c(notes[i].path), &info, str_c(notes[i].text)),
                  false);
    arena_release(&scratch);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct dql_found found;
        struct err err = {0};
        bool ok = dql_find(x, a, str_c(cases[i].word), &found, &err);
        CHECK_INT(cases[i].word, ok, cases[i].ok);
        if (ok)
            CHECK_STR(cases[i].word, found.text, cases[i].want);
        else
            CHECK(cases[i].word,
                  str_find(str_c(err.msg), str_c(cases[i].want)) != STR_NONE);
    }
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
