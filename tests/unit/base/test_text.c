#include "base/text.h"

#include "check.h"

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool (*is)(int c);
        const char *members;
    } cases[] = {
        {"digit", is_digit, "0123456789"},
        {"letter", is_letter, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"},
        {"alnum", is_alnum,
         "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"},
        {"hex", is_hex, "0123456789abcdef"},
        {"blank", is_blank, " \t"},
        {"break", is_break, "\r\n"},
        {"white", is_white, " \t\r\n"},
        {"space", is_space, " \t\r\n\v\f"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int c = -128; c < 0x11000; c++) {
            bool member = c > 0 && c < 128 && strchr(cases[i].members, c) != NULL;
            if (cases[i].is(c) != member)
                fail_msg("%s: %d", cases[i].name, c);
        }
    for (int c = -128; c < 128; c++) {
        int lower = c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
        CHECK_INT("lower", to_lower((char)c), lower);
    }
}

static void test_skip(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t digits, blanks, spaces;
    } cases[] = {
        {"", 0, 0, 0},         {"12a", 2, 0, 0},
        {" \t\n\v1", 0, 2, 4}, {"\u00A0\u202F\u3000 x", 0, 0, 9},
        {"\xC2", 0, 0, 0}, /* an incomplete space */
        {"777", 3, 0, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = str_c(cases[i].text);
        CHECK_INT(cases[i].text, text_skip_digits(text, 0), cases[i].digits);
        CHECK_INT(cases[i].text, text_skip_blanks(text, 0), cases[i].blanks);
        CHECK_INT(cases[i].text, text_skip_spaces(text, 0), cases[i].spaces);
        CHECK_INT("at the end", text_skip_spaces(text, text.n), text.n);
    }
    CHECK("printable", text_is_printable(STR("Zoë ~")));
    CHECK("not", !text_is_printable(STR("a\tb")) && !text_is_printable(STR("\x7f")) &&
                     !text_is_printable(STR("\0")));
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at, start, end, next;
    } cases[] = {
        {"", 0, 0, 0, 0},         {"ab", 1, 0, 2, 2},     {"a\nb\n", 0, 0, 1, 2},
        {"a\nb\n", 1, 0, 1, 2},   {"a\nb\n", 2, 2, 3, 4}, {"a\nb\n", 4, 4, 4, 4},
        {"a\r\nb", 0, 0, 2, 3},   {"\n\n", 1, 1, 1, 2},   {"a\rb\n", 0, 0, 1, 2},
        {"a\rb\n", 2, 2, 3, 4},   {"a\r\nb", 2, 0, 2, 3}, {"\r\r\n\r", 1, 1, 2, 3},
        {"\r\r\n\r", 4, 4, 4, 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = str_c(cases[i].text);
        CHECK_INT(cases[i].text, text_line_start(text, cases[i].at), cases[i].start);
        CHECK_INT(cases[i].text, text_line_end(text, cases[i].at), cases[i].end);
        CHECK_INT(cases[i].text, text_next_line(text, cases[i].at), cases[i].next);
        CHECK_INT(cases[i].text, text_begins_line(text, cases[i].at),
                  cases[i].at == cases[i].start);
    }
}

static void test_count(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *text;
        size_t feeds, lines;
        const char *ending;
    } cases[] = {
        {"", 0, 0, "\n"},        {"a", 0, 1, "\n"},          {"a\n", 1, 1, "\n"},
        {"\n", 1, 1, "\n"},      {"a\r\nb\n", 2, 2, "\r\n"}, {"a\nb\r\n", 2, 2, "\n"},
        {"a\rb", 1, 2, "\n"},    {"a\r", 1, 1, "\n"},        {"\r\r\n\r", 3, 3, "\r\n"},
        {"\n\n\nx", 3, 4, "\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = str_c(cases[i].text);
        CHECK_INT(cases[i].text, text_count_ends(text, 0, text.n), cases[i].feeds);
        CHECK_INT(cases[i].text, text_count_lines(text), cases[i].lines);
        CHECK_INT(cases[i].text, text_has_break(text), cases[i].feeds > 0);
        CHECK_STR(cases[i].text, text_line_ending(text), cases[i].ending);
    }
    char *many = arena_alloc(a, 10000);
    memset(many, '\n', 10000);
    for (size_t n = 0; n < 10000; n = n * 2 + 7)
        CHECK_INT("many", text_count_ends((str){many, 10000}, 0, n), n);
}

static void test_breaks(void **state)
{
    (void)state;
    str text = STR("a\nb\r\nc\rd");
    static const size_t at[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    static const size_t breaks[] = {1, 1, 3, 3, 4, 6, 6, 8, 8};
    static const uint32_t lines[] = {1, 1, 2, 2, 2, 3, 3, 4, 4};
    static const size_t sizes[] = {1, 1, 1, 2, 1, 1, 1, 1, 0};
    for (size_t i = 0; i < COUNT_OF(at); i++) {
        CHECK_INT("next break", text_find_break(text, at[i]), breaks[i]);
        CHECK_INT("number", text_line_number(text, at[i]), lines[i]);
        CHECK_INT("size", text_break(text, at[i]).n, sizes[i]);
    }
    CHECK_STR("dropped", text_drop_return(STR("a\r")), "a");
    CHECK_STR("none", text_drop_return(STR("a\r ")), "a\r ");
    CHECK_STR("empty", text_drop_return(STR("")), "");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes), cmocka_unit_test(test_skip),
        cmocka_unit_test(test_lines),   ARENA_TEST(test_count),
        cmocka_unit_test(test_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
