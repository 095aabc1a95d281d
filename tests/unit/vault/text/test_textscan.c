#include "vault/text/textscan.h"

#include "base/sbuf.h"
#include "check.h"

static void test_occurrences(void **state)
{
    static const struct {
        const char *needle, *text, *found; /* start-end */
    } cases[] = {
        {"foo", "foo Foo\nfOO", "0-3 4-7 8-11 "},
        {"FOO", "a foo", "2-5 "},
        {"aa", "aaaaa", "0-2 2-4 "},
        {"x", "", ""},
        {"x", "X", "0-1 "},
        {"heating controller", "the\nHeating Controller, heating controllers",
         "4-22 24-42 "},
        {"a\nb", "A\nB a\nb", "0-3 4-7 "},
        {"task", "TASK ta\u017Fk tas\u212A", "0-4 5-10 11-17 "},
        {"sks", "SKS \u017F\u212As", "0-3 4-10 "},
        {"kiss", "\u212Ai\u017F\u017F", "0-8 "},
        {"straße", "STRAßE\nStraße STRASSE", "0-7 8-15 "},
        {"привет", "Привет, ПРИВЕТ\n\nпривет", "0-12 14-26 28-40 "},
        {"ΣΊΣΥΦΟΣ", "σίσυφος", "0-14 "},
        {"日本", "日本語\n日本", "0-6 10-16 "},
        {"é\nü", "É\nÜ", "0-5 "},
        {"é", "\xff\xc3\xa9\xc3", "1-3 "},
        {"a.c", "abc A.C", "4-7 "},
        {"*(", "*(", "0-2 "},
        {"é(", "É(", "0-3 "},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        struct textscan *t;
        struct sbuf b = SBUF_ON(*state);
        if (!textscan_create(str_c(cases[i].needle), &t, &err))
            fail_msg("%s: %s", cases[i].needle, err.msg);
        str text = str_c(cases[i].text);
        for (size_t start, end = 0; textscan_find(t, text, end, &start, &end);)
            sbuf_printf(&b, "%zu-%zu ", start, end);
        CHECK_STR(cases[i].needle, sbuf_str(&b), cases[i].found);
        CHECK(cases[i].needle, textscan_in(t, text) == (cases[i].found[0] != '\0'));
        textscan_free(t);
    }
}

/* Every position in texts of every length, compared with a plain loop. */
static void test_places(void **state)
{
    static const char *const needles[] = {"q", "qz", "q.z", "skqzk",
                                          "qqqqqqqqqqqqqqqqqq"};
    for (size_t i = 0; i < COUNT_OF(needles); i++) {
        struct err err = {0};
        struct textscan *t;
        str needle = str_c(needles[i]);
        assert_true(textscan_create(needle, &t, &err));
        for (size_t n = needle.n; n < 70; n++) {
            for (size_t at = 0; at + needle.n <= n; at++) {
                char *text = mem_alloc(n); /* so that ASan sees reads past the end */
                memset(text, ' ', n);
                memcpy(text + at, needle.p, needle.n);
                size_t start, end;
                CHECK(needles[i], textscan_find(t, (str){text, n}, 0, &start, &end));
                CHECK_INT(needles[i], start, at);
                CHECK(needles[i], !textscan_find(t, (str){text, n}, end, &start, &end));
                free(text);
            }
        }
        textscan_free(t);
    }
}

static void test_refused(void **state)
{
    struct err err = {0};
    struct textscan *t;
    static char big[TEXTSCAN_NEEDLE_MAX + 1];
    memset(big, 'a', sizeof(big));
    assert_false(textscan_create((str){0}, &t, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_false(textscan_create(STR("\xff"), &t, &err));
    assert_int_equal(err.code, ERR_INVALID);
    assert_false(textscan_create((str){big, sizeof(big)}, &t, &err));
    assert_int_equal(err.code, ERR_LIMIT);
}

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN
#define ROW "ä€😀"

static void test_snippets(void **state)
{
    static const struct {
        const char *text;
        size_t start, end;
        const char *snippet;
    } cases[] = {
        {"abc", 1, 2, "a**b**c"},
        {"abc", 0, 3, "**abc**"},
        {"one\ntwo\r\nthree", 4, 7, "one **two** three"},
        {FIFTY "x" FIFTY, 50, 51, FIFTY "**x**" FIFTY},
        {"-" FIFTY "x" FIFTY "-", 51, 52, "..." FIFTY "**x**" FIFTY "..."},
        {ROW "x" ROW, 9, 10, ROW "**x**" ROW},
        {"ööööööööööööööööööööööööööööööööööööööööööööööööööööx", 104, 105,
         "...öööööööööööööööööööööööööööööööööööööööööööööööööö**x**"},
        {"\xff\xc3x\x80\xe2\x84", 2, 3, "\uFFFD\uFFFD**x**\uFFFD\uFFFD"},
        {"a\u2028b\rc", 0, 1, "**a** b c"},
        {"abc", 7, 9, "abc"},
        {"abc", 0, 0, "abc"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(
            cases[i].text,
            textscan_snippet(*state, str_c(cases[i].text), cases[i].start, cases[i].end),
            cases[i].snippet);
    str text = STR(FIFTY FIFTY FIFTY FIFTY FIFTY);
    str snippet = textscan_snippet(*state, text, 0, text.n);
    assert_int_equal(snippet.n, TEXTSCAN_MATCH_MAX + 4 + 3);
}

static void test_snippet_marks(void **state)
{
    static const struct textscan_mark marks[] = {{0, 1}, {60, 61}, {64, 67}, {112, 114}};
    str text = STR("a" ROW FIFTY "x...yyy" FIFTY "z");
    CHECK_STR("around the second", textscan_snippet_marks(*state, text, marks, 4, 1),
              "..." FIFTY "**x**...**yyy**" TEN TEN TEN TEN "0123...");
    CHECK_STR("around the first", textscan_snippet_marks(*state, text, marks, 4, 0),
              "**a**" ROW TEN TEN TEN TEN "0123456...");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_occurrences),   ARENA_TEST(test_places),
        ARENA_TEST(test_refused),       ARENA_TEST(test_snippets),
        ARENA_TEST(test_snippet_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
