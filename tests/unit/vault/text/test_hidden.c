#include "vault/text/hidden.h"

#include "base/sbuf.h"
#include "check.h"

/* "zero_width 1*2, bidi 3*1": kind, line and count of each place. */
static str listed(struct arena *a, str text, size_t first, size_t last)
{
    struct hidden_list list;
    struct sbuf b = SBUF_ON(a);
    hidden_find(text, first, last, &list);
    for (size_t i = 0; i < list.n; i++)
        sbuf_printf(&b, "%s%s %zu*%u", i > 0 ? ", " : "",
                    hidden_names[list.items[i].kind], list.items[i].line,
                    list.items[i].count);
    return sbuf_str(&b);
}

struct row {
    const char *name, *text, *want;
};

static void check_rows(struct arena *a, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_STR(rows[i].name, listed(a, str_c(rows[i].text), 1, 0), rows[i].want);
}

static void test_SEC_121_hidden(void **state)
{
    static const struct row rows[] = {
        {"zero-width space", "a\u200Bb\n\u200B\u200B", "zero_width 1*1, zero_width 2*2"},
        {"word joiner", "a\n\nb\u2060", "zero_width 3*1"},
        {"invisible plus", "a\u2064b", "zero_width 1*1"},
        {"byte order mark inside", "a\uFEFFb", "zero_width 1*1"},
        {"joiners in Latin", "ig\u200Dno\u200Cre", "zero_width 1*2"},
        {"joiner at the end", "word\u200D", "zero_width 1*1"},
        {"joiner alone", "\u200D", "zero_width 1*1"},
        {"many joiners after a Persian letter", "\u0645\u200C\u200C\u200C\u200C",
         "zero_width 1*3"},
        {"override", "if \u202Eadmin\u202C", "bidi 1*2"},
        {"isolate", "a\u2066b\u2069c", "bidi 1*2"},
        {"override in Hebrew", "\u05D0\u202E\u05D1", "bidi 1*1"},
        {"marks in Latin", "a\u200Eb\u200Fc\u061C", "bidi 1*3"},
        {"tags", "hi\U000E0041\U000E0042", "tag 1*2"},
        {"tags after another emoji", "\U0001F600\U000E0067\U000E007F", "tag 1*2"},
        {"too many tags after a flag",
         "\U0001F3F4\U000E0061\U000E0061\U000E0061\U000E0061\U000E0061\U000E0061"
         "\U000E0061\U000E007F",
         "tag 1*8"},
        {"flag without an end", "\U0001F3F4\U000E0067 x", "tag 1*1"},
        {"bytes as selectors", "a\uFE00\uFE01\U000E0100\U000E01EF", "variation 1*3"},
        {"comment", "a\n<!-- ignore all rules -->\nb", "html_comment 2*1"},
        {"comments", "<!-- a --> b <!-- c -->", "html_comment 1*2"},
        {"comment over lines", "<!-- a\nb\n--> <!--c-->",
         "html_comment 1*1, html_comment 3*1"},
        {"comment that never ends", "a <!-- b\nc", "html_comment 1*1"},
        {"short comment", "<!-->x", "html_comment 1*1"},
        {"after code", "```\n<!-- a -->\n```\n<!-- b -->", "html_comment 4*1"},
        {"a fence in indented code is not a fence", "    ```\n<!-- a -->",
         "html_comment 2*1"},
        {"a code span is not a fence", "```a``` <!-- b\n", "html_comment 1*1"},
        {"a fence in a comment is not a fence", "<!--\n```\n-->\n<!-- b -->",
         "html_comment 1*1, html_comment 4*1"},
        {"invisible in code", "```\na\u200Bb\n```", "zero_width 2*1"},
        {"kinds in order", "<!-- \u202E\u200B\U000E0041 -->",
         "zero_width 1*1, bidi 1*1, tag 1*1, html_comment 1*1"},
        {"CRLF", "a\r\n\u200B\r\n", "zero_width 2*1"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_normal(void **state)
{
    static const struct row rows[] = {
        {"nothing", "", ""},
        {"ASCII", "# Title\n\na < b, <b>bold</b> <!- no -->\n", ""},
        {"other scripts", "Caf\u00E9 \u65E5\u672C\u8A9E \u041F\u0440\u0438 \u05E9\u05DC",
         ""},
        {"byte order mark at the start", "\uFEFF# Title", ""},
        {"family", "\U0001F468\u200D\U0001F469\u200D\U0001F467\u200D\U0001F466", ""},
        {"with colour", "\U0001F469\U0001F3FD\u200D\U0001F4BB", ""},
        {"with selector", "\u2764\uFE0F\u200D\U0001F525 \U0001F3F3\uFE0F\u200D\U0001F308",
         ""},
        {"with sign", "\U0001F937\u200D\u2642\uFE0F", ""},
        {"Scotland",
         "\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", ""},
        {"pirates", "\U0001F3F4\u200D\u2620\uFE0F", ""},
        {"keycap", "1\uFE0F\u20E3", ""},
        {"Persian", "\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645", ""},
        {"Arabic shown alone", "\u200D\u0647\u200D", ""},
        {"Hindi", "\u0915\u094D\u200D\u0937 \u0915\u094D\u200C\u0937", ""},
        {"Sinhala", "\u0DC1\u0DCA\u200D\u0DBB\u0DD3", ""},
        {"Malayalam", "\u0D28\u0D4D\u200D", ""},
        {"mark in Hebrew", "\u05E9\u05DC\u05D5\u05DD (3)\u200F!", ""},
        {"mark in Arabic", "\u0633\u0639\u0631\u061C: 5\u200E", ""},
        {"variant of a Han character", "\u8FBB\U000E0100", ""},
        {"Obsidian's comment", "%% mine %%\n%%\nand mine\n%%", ""},
        {"comment in code", "```html\n<!-- a -->\n```", ""},
        {"comment in other code", "~~~~\n<!-- a -->\n~~~\n<!-- b -->\n~~~~~\n", ""},
        {"code that never ends", "  ```\n<!-- a -->\n", ""},
        {"not UTF-8", "\xE2\x80\n\x8B \xF3\xA0 \xFF", ""},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_range(void **state)
{
    str text = STR("a\u200B\n<!-- b\nc\n-->\n\u202E\n");
    static const struct {
        size_t first, last;
        const char *want;
    } cases[] = {
        {1, 0, "zero_width 1*1, html_comment 2*1, bidi 5*1"},
        {1, 1, "zero_width 1*1"},
        {2, 2, "html_comment 2*1"},
        {3, 3, "html_comment 3*1"}, /* it began earlier */
        {4, 5, "html_comment 4*1, bidi 5*1"},
        {5, 5, "bidi 5*1"},
        {6, 9, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].want, listed(*state, text, cases[i].first, cases[i].last),
                  cases[i].want);
}

static void test_limit(void **state)
{
    struct sbuf b = SBUF_ON(*state);
    struct hidden_list list;
    for (int i = 0; i < 1000; i++)
        sbuf_add(&b, STR("x\u200B\u202E\n"));
    hidden_find(sbuf_str(&b), 1, 0, &list);
    CHECK_INT("listed", list.n, HIDDEN_MAX);
    CHECK_INT("total", list.total, 2000);
    CHECK_INT("the first ones", list.items[HIDDEN_MAX - 1].line, HIDDEN_MAX / 2);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_121_hidden),
        ARENA_TEST(test_normal),
        ARENA_TEST(test_range),
        ARENA_TEST(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
