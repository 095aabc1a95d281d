#include "check.h"
#include "pdf/pdf.h"

static void test_clean(void **state)
{
    static const struct {
        const char *row, *printed, *want;
    } rows[] = {
        {"nothing", "", ""},
        {"one page", "a\n\f", "\f\na\n"},
        {"an empty page", "a\n\f\fc\n\f", "\f\na\n\f\n\f\nc\n"},
        {"no line feed at the end", "a\fb", "\f\na\n\f\nb\n"},
        {"empty lines", "\n\na\n\n\n\nb\n\n\f", "\f\na\n\nb\n"},
        {"spaces at the end", "a  \t\r\n  b\n\f", "\f\na\n  b\n"},
        {"control characters", "a\x01\x1b[0mb\x7f\xc2\x85\tc\n\f", "\f\na[0mb\tc\n"},
        {"invalid bytes",
         "a\xff"
         "b\n\f",
         "\f\na\xef\xbf\xbd"
         "b\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str text;
        CHECK(rows[i].row, !pdf_clean(*state, str_c(rows[i].printed), 1000, &text));
        CHECK_STR(rows[i].row, text, rows[i].want);
    }
}

static void test_cut(void **state)
{
    str text;
    assert_true(pdf_clean(*state, STR("one\ntwo\nthree\n\ffour\n\f"), 12, &text));
    CHECK_STR("at a line", text, "\f\none\ntwo\n");
    assert_true(pdf_clean(*state, STR("a very long line"), 10, &text));
    CHECK_STR("in a line", text, "\f\n");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_clean),
        ARENA_TEST(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
