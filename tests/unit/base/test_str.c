#include "base/str.h"

#include "check.h"

static void test_compare(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        str a, b;
        int order; /* of bytes */
        bool nocase;
    } cases[] = {
        {"both empty", {NULL, 0}, STR(""), 0, true},
        {"prefix first", STR("ab"), STR("abc"), -1, false},
        {"longer last", STR("abc"), STR("ab"), 1, false},
        {"bytes, not letters", STR("B"), STR("a"), -1, false},
        {"high bytes last", STR("z"), STR("é"), -1, false},
        {"NUL is a byte", STR("a\0b"), STR("a\0c"), -1, false},
        {"case", STR("README.md"), STR("readme.MD"), -1, true},
        {"only ASCII folds", STR("É"), STR("é"), -1, false},
        {"@ is not `", STR("@"), STR("`"), -1, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int order = str_cmp(cases[i].a, cases[i].b);
        CHECK_INT(cases[i].name, (order > 0) - (order < 0), cases[i].order);
        CHECK_INT(cases[i].name, str_eq(cases[i].a, cases[i].b), cases[i].order == 0);
        CHECK_INT(cases[i].name, str_eq_nocase(cases[i].a, cases[i].b), cases[i].nocase);
    }
}

static void test_find(void **state)
{
    (void)state;
    static const struct {
        const char *text, *needle;
        size_t at;
    } cases[] = {
        {"hello", "", 0},    {"", "", 0},        {"hello", "l", 2},
        {"hello", "lo", 3},  {"aaab", "aab", 1}, {"hello", "hello!", STR_NONE},
        {"", "a", STR_NONE},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].text, str_find(str_c(cases[i].text), str_c(cases[i].needle)),
                  cases[i].at);
    CHECK_INT("first /", str_find_char(STR("a/b/c"), '/'), 1);
    CHECK_INT("last /", str_find_last(STR("a/b/c"), '/'), 3);
    CHECK_INT("no /", str_find_char(STR("abc"), '/'), STR_NONE);
    CHECK_INT("NULL", str_find_last((str){0}, '/'), STR_NONE);
    CHECK_INT("NUL", str_find_char(STR("a\0b"), '\0'), 1);
}

static void test_slices(void **state)
{
    (void)state;
    str s = STR("abcdef");
    CHECK_STR("middle", str_slice(s, 1, 3), "bc");
    CHECK_STR("end is cut", str_slice(s, 4, 99), "ef");
    CHECK_STR("start is cut", str_slice(s, 99, 3), "");
    CHECK_STR("to the end", str_skip(s, 4), "ef");
    CHECK_STR("past the end", str_skip(s, 7), "");
    CHECK_STR("of nothing", str_slice((str){0}, 0, 5), "");
    CHECK("starts", str_starts(s, STR("abc")) && str_starts(s, STR("")));
    CHECK("does not start", !str_starts(s, STR("abcdefg")) && !str_starts(s, STR("b")));
    CHECK("ends", str_ends(s, STR("def")) && str_ends(s, STR("")));
    CHECK("does not end", !str_ends(s, STR("xabcdef")) && !str_ends(s, STR("e")));
}

static void test_trim(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        str text;
        const char *spaces, *line;
    } cases[] = {
        {"nothing", STR(""), "", ""},
        {"only spaces", STR(" \t "), "", ""},
        {"both ends", STR(" a b\t"), "a b", "a b"},
        {"line end", STR("a \r\n"), "a \r\n", "a"},
        {"NULL", {NULL, 0}, "", ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK_STR(cases[i].name, str_trim(cases[i].text), cases[i].spaces);
        CHECK_STR(cases[i].name, str_trim_line(cases[i].text), cases[i].line);
    }
    CHECK_INT("NUL is not a space", str_trim(STR(" \0 ")).n, 1);
}

static void test_next(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *parts[5];
    } cases[] = {
        {"", {""}},        {"a", {"a"}},    {"a,b", {"a", "b"}},
        {"a,", {"a", ""}}, {",", {"", ""}}, {"a,,b", {"a", "", "b"}},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str rest = str_c(cases[i].text), part;
        size_t n = 0;
        for (; str_next(&rest, ',', &part); n++) {
            CHECK(cases[i].text, cases[i].parts[n] != NULL);
            CHECK_STR(cases[i].text, part, cases[i].parts[n]);
        }
        CHECK(cases[i].text, cases[i].parts[n] == NULL);
    }
    str none = {0}, part;
    CHECK("NULL has no part", !str_next(&none, ',', &part));
}

static void test_to_int(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"-42", true, -42},
        {"9223372036854775807", true, INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"9223372036854775808", false, 0},
        {"-9223372036854775809", false, 0},
        {"99999999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"1e3", false, 0},
        {"0x10", false, 0},
        {"--1", false, 0},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        int64_t value = 0;
        CHECK_INT(cases[i].text, str_to_int(str_c(cases[i].text), &value), cases[i].ok);
        CHECK_INT(cases[i].text, value, cases[i].value);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compare), cmocka_unit_test(test_find),
        cmocka_unit_test(test_slices),  cmocka_unit_test(test_trim),
        cmocka_unit_test(test_next),    cmocka_unit_test(test_to_int),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
