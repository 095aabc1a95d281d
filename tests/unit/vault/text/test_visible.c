#include "vault/text/visible.h"

#include "check.h"

static void test_visible(void **state)
{
    static const struct {
        const char *text, *shown; /* NULL: as it is */
    } cases[] = {
        {"", NULL},
        {"plain\ttext\r\n", NULL},
        {"Grüße, 日本語, שלום", NULL},
        {"👨\xe2\x80\x8d👩", NULL},
        {"❤\xef\xb8\x8f", NULL},
        {"a\xe2\x80\xae"
         "b",
         "a‹U+202E›b"},
        {"a\xe2\x80\x8b"
         "b",
         "a‹U+200B›b"},
        {"a\xe2\x80\x8d"
         "b",
         "a‹U+200D›b"},
        {"pass\xc2\xadword", "pass‹U+00AD›word"},
        {"\xf3\xa0\x81\x81", "‹U+E0041›"},
        {"a\rb", "a‹U+000D›b"},
        {"\x1b[2J", "‹U+001B›[2J"},
        {"\xc2\x9b", "‹U+009B›"},
        {"\xee\x80\x80", "‹U+E000›"},
        {"\xe3\x85\xa4", "‹U+3164›"},
        {"\xe2\xa0\x80", "‹U+2800›"},
        {"\xe1\x9e\xb4", "‹U+17B4›"},
        {"❤\xef\xb8\x8f\xe2\x80\x8d🔥", NULL},
        {"a—\xe2\x80\x8d", "a—‹U+200D›"},                         /* a dash needs none */
        {"日\xe2\x80\x8c\xe2\x80\x8d", "日\xe2\x80\x8c‹U+200D›"}, /* bits of a text */
        {"❤\xef\xb8\x8e\xef\xb8\x8f", "❤\xef\xb8\x8e‹U+FE0F›"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, visible_text(*state, str_c(cases[i].text)),
                  cases[i].shown != NULL ? cases[i].shown : cases[i].text);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_visible)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
