#include "edited.h"
#include "vault/note/edit.h"

/* The only text that differs in quotes, spaces or normal form is taken, and named. */
static void test_tolerant(void **state)
{
    static const struct {
        const char *text, *old, *now, *want; /* NULL: refused */
        unsigned first;
    } cases[] = {
        {"He said \xE2\x80\x9Chi\xE2\x80\x9D now", "said \"hi\" now", "said \"hi\" then",
         "He said \xE2\x80\x9Chi\xE2\x80\x9D then", 1},
        {"it\xE2\x80\x99s 5\xC2\xA0km", "it's 5 km", "it's 6 km",
         "it\xE2\x80\x99s 6\xC2\xA0km", 1},
        {"\u201Ca\u201D and \u201Cb\u201D!", "\"a\" and \"b\"", "\"b\" and \"a\"",
         "\u201Cb\u201D and \u201Ca\u201D!", 1},
        {"\u201Ca\u201D b", "\"a\" b", "\"a\" b\"", "\"a\" b\"", 1},
        {"\u201Ca\u201D b", "\"a\" b", "\"a\" \"b\"", "\u201Ca\u201D \"b\"", 1},
        {"say 'a'",
         "say \xE2\x80\x98"
         "a\xE2\x80\x99",
         "told", "told", 1},
        {"x\ncafe\xCC\x81 au lait", "caf\xC3\xA9 au lait", "caf\xC3\xA9 noir",
         "x\ncafe\xCC\x81 noir", 2},
        {"caf\xC3\xA9", "cafe\xCC\x81", "tea", "tea", 1},
        {"\xED\x95\x9C", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "x", "x", 1},
        {"a line  \nnext line", "a line\nnext line", "a line\nother line",
         "a line  \nother line", 2},
        {"a\nb\nc\n", "a  \nb", "x\nb", "x\nb\nc\n", 1},
        {"one\r\ntwo \r\n", "one\ntwo\n", "one\n2\n", "one\r\n2\r\n", 2},
        {"foo\nbar\n", "foo \n", "x\n", "x\nbar\n", 1},
        {"foo\n", "foo  ", "x", "x\n", 1},
        {"foo bar\n", "foo  ", "x", NULL, 0},
        {"\"a\" \xE2\x80\x9C"
         "a\xE2\x80\x9D",
         "\"a\"", "x",
         "x \xE2\x80\x9C"
         "a\xE2\x80\x9D",
         1},
        {"\xE2\x80\x9C"
         "a\xE2\x80\x9D\nb\n\xE2\x80\x9E"
         "a\xE2\x80\x9C",
         "\"a\"", "x", NULL, 0},
        {"cafe au lait", "caf\xC3\xA9 au lait", "x", NULL, 0},
        {"A", "a", "x", NULL, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].text).p;
        struct edit_swap swap = {.old_text = str_c(cases[i].old),
                                 .new_text = str_c(cases[i].now),
                                 .tolerant = true};
        struct edit_result r;
        struct err err = {0};
        str text = str_c(cases[i].text);
        bool ok = edit_replace(*state, text, &swap, 1, &r, &err);
        if (ok != (cases[i].want != NULL))
            fail_msg("%s: %s", row, ok ? "not refused" : err.msg);
        if (!ok)
            continue;
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_INT(row, r.line_first, cases[i].first);
        CHECK_INT(row, r.n_warnings, str_find(text, swap.old_text) == STR_NONE);
        check_untouched(row, text, &r);
    }
    struct edit_swap swap = {
        .old_text = STR("\"a\""), .new_text = STR("x"), .tolerant = true};
    struct edit_result r;
    struct err err = {0};
    check_err(
        "several",
        edit_replace(*state,
                     STR("\xE2\x80\x9C"
                         "a\xE2\x80\x9D\nb\n\xE2\x80\x9E"
                         "a\xE2\x80\x9C"),
                     &swap, 1, &r, &err),
        &err, "TEXT_NOT_UNIQUE",
        "not found exactly; with other quotes or spaces it appears 2 times in file, "
        "must be unique (lines 1, 3)");
}

/* Only one section is searched, and it moves with the swaps. */
static void test_replace_in_section(void **state)
{
    str text = STR("# A\n\nx y\n\n# B\n\nx y\n\n## C\n\nz\n\n# D\n\nx\n");
    struct edit_swap swaps[] = {
        {.old_text = STR("x"), .new_text = STR("longer than x"), .section = STR("B")},
        {.old_text = STR("z"), .new_text = STR("x"), .section = STR("B")},
        {.old_text = STR("\nx\n"), .new_text = STR("\nw\n"), .section = STR("B")},
    };
    struct edit_result r;
    struct err err = {0};
    if (!edit_replace(*state, text, swaps, COUNT_OF(swaps), &r, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("in order", r.text,
              "# A\n\nx y\n\n# B\n\nlonger than x y\n\n## C\n\nw\n\n# D\n\nx\n");
    CHECK("lines", r.line_first == 7 && r.line_last == 11);
    check_untouched("in order", text, &r);
    swaps[0].old_text = STR("# D");
    check_err("outside", edit_replace(*state, text, swaps, 1, &r, &err), &err,
              "TEXT_NOT_FOUND",
              "not found in section \"B\"; it occurs in line 13, outside of it");
    swaps[0].old_text = STR("y");
    swaps[0].section = STR("E");
    check_err("heading", edit_replace(*state, text, swaps, 1, &r, &err), &err,
              "HEADING_NOT_FOUND", "Heading \"E\" not found");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_tolerant),
                                       ARENA_TEST(test_replace_in_section)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
