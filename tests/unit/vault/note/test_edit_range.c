#include "edited.h"
#include "vault/note/edit.h"

static void test_lines(void **state)
{
    static const struct {
        const char *text;
        uint32_t first, last;
        const char *content, *want; /* NULL: refused */
    } cases[] = {
        {"a\nb\nc\n", 2, 2, "x", "a\nx\nc\n"},
        {"a\nb\nc\n", 2, 3, "x\n", "a\nx\n"},
        {"a\nb\nc\n", 1, 2, "x\ny\nz\n", "x\ny\nz\nc\n"},
        {"a\nb\nc\n", 2, 2, "\n", "a\n\nc\n"},
        {"a\nb\nc\n", 2, 2, "", "a\nc\n"},
        {"a\nb", 2, 2, "", "a"},
        {"a\nb", 2, 2, "x\n", "a\nx"},
        {"a\r\nb\r\n", 1, 1, "x\ny", "x\r\ny\r\nb\r\n"},
        {"\xEF\xBB\xBF"
         "a\nb\n",
         1, 1, "x",
         "\xEF\xBB\xBF"
         "x\nb\n"},
        {"a\n", 1, 1, "", ""},
        {"a\nb\n", 2, 3, "x", NULL},
        {"a\nb\n", 0, 1, "x", NULL},
        {"a\nb\n", 2, 1, "x", NULL},
        {"", 1, 1, "x", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_lines e = {cases[i].first, cases[i].last, str_c(cases[i].content)};
        struct edit_result r;
        struct err err = {0};
        bool ok = edit_lines(*state, str_c(cases[i].text), &e, &r, &err);
        CHECK_INT(cases[i].text, ok, cases[i].want != NULL);
        if (!ok) {
            check_err(cases[i].text, ok, &err, "LINE_OUT_OF_RANGE", "the note has");
            continue;
        }
        CHECK_STR(cases[i].text, r.text, cases[i].want);
        check_untouched(cases[i].text, str_c(cases[i].text), &r);
    }
}

static void test_narrow(void **state)
{
    static const struct {
        const char *was, *is;
        uint32_t first, last, want_first, want_last;
        bool added;
    } cases[] = {
        {"a\nb\nc\nd\n", "a\nb\nX\nd\n", 1, 4, 3, 3, true},
        {"a\nb\nc\n", "a\nb\nb\nc\n", 2, 3, 3, 3, true},
        {"a\n", "a\n\nnew\n", 3, 3, 3, 3, true}, /* not the blank line that was added */
        {"a\nb\nc\n", "a\nc\n", 1, 2, 2, 2, false},
        {"a\nb\n", "a\n", 1, 1, 1, 1, false},
        {"a\n", "", 0, 0, 0, 0, false},
        {"a\nb\n", "a\nb\n", 1, 2, 0, 0, false},
        {"a\nb", "a\nc", 0, 0, 2, 2, true},
        {"", "a\nb\n", 1, 2, 1, 2, true},
        {"a\r\nb\r\n", "a\r\nX\r\n", 1, 2, 2, 2, true},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t first = cases[i].first, last = cases[i].last;
        bool added = edit_narrow(str_c(cases[i].was), str_c(cases[i].is), &first, &last);
        CHECK_INT(cases[i].is, added, cases[i].added);
        CHECK_INT(cases[i].is, first, cases[i].want_first);
        CHECK_INT(cases[i].is, last, cases[i].want_last);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_lines), ARENA_TEST(test_narrow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
