#include "vault/text/encoding.h"

#include "base/sbuf.h"
#include "check.h"

static void test_encodings(void **state)
{
    static const struct {
        const char *name;
        str bytes;
        enum encoding want;
        const char *text;
    } cases[] = {
        {"empty", STR(""), ENCODING_UTF8, ""},
        {"ASCII", STR("plain"), ENCODING_UTF8, "plain"},
        {"UTF-8",
         STR("Gr\xC3\xB6\xC3\x9F"
             "e"),
         ENCODING_UTF8, "Größe"},
        {"Latin-1",
         STR("Gr\xF6\xDF"
             "e"),
         ENCODING_WINDOWS, "Größe"},
        {"Windows", STR("\x93quoted\x94 \x80"), ENCODING_WINDOWS, "“quoted” €"},
        {"damaged",
         STR("Gr\xC3\xB6\xC3\x9F"
             "e \xFF"),
         ENCODING_DAMAGED, "Größe \xEF\xBF\xBD"},
        {"LE", STR("\xFF\xFEH\0\xF6\0"), ENCODING_UTF16LE, "Hö"},
        {"BE", STR("\xFE\xFF\0H\0\xF6"), ENCODING_UTF16BE, "Hö"},
        {"LE without a mark", STR("H\0e\0l\0l\0o\0"), ENCODING_UTF16LE_BARE, "Hello"},
        {"BE without a mark", STR("\0H\0e\0l\0l\0o"), ENCODING_UTF16BE_BARE, "Hello"},
        {"a pair", STR("\xFF\xFE\x3D\xD8\x00\xDE"), ENCODING_UTF16LE, "😀"},
        {"half a pair", STR("\xFF\xFE\x3D\xD8x\0"), ENCODING_UTF16LE, "\xEF\xBF\xBDx"},
        {"an odd byte", STR("\xFF\xFEx\0y"), ENCODING_UTF16LE, "x\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum encoding e = encoding_of(cases[i].bytes);
        CHECK_INT(cases[i].name, e, cases[i].want);
        CHECK_STR(cases[i].name, encoding_convert(*state, cases[i].bytes, e),
                  cases[i].text);
    }
}

static void test_not_text(void **state)
{
    str bytes = STR("\0\0\0\1\0\0\0\2binary\0");
    CHECK_INT("binary", encoding_of(bytes), ENCODING_NONE);
    CHECK_INT("short", encoding_of(STR("\0\1\2")), ENCODING_NONE);
    CHECK("as it is", str_eq(encoding_convert(*state, bytes, ENCODING_NONE), bytes));
}

/* Every character comes back, and nothing is written that would be read as another text. */
static void test_written(void **state)
{
    struct sbuf all = SBUF_ON(*state);
    str bytes, missing;
    for (int c = 1; c < 256; c++)
        sbuf_char(&all, (char)c);
    str text = encoding_convert(*state, sbuf_str(&all), ENCODING_WINDOWS);
    CHECK("all of them",
          encoding_write(*state, text, ENCODING_WINDOWS, &bytes, &missing) &&
              str_eq(bytes, sbuf_str(&all)));
    static const struct {
        const char *text;
        enum encoding e;
        bool ok;
        const char *missing;
    } rows[] = {
        {"Größe", ENCODING_WINDOWS, true, ""},
        {"a→b", ENCODING_WINDOWS, false, "→"},
        {"\u00A0\u0153\u20AC", ENCODING_WINDOWS, true, ""},
        {"\xC2\x80", ENCODING_WINDOWS, false, "\xC2\x80"},
        {"\u00C3\u00A9", ENCODING_WINDOWS, false, ""},
        {"plain", ENCODING_WINDOWS, true, ""},
        {"x😀→", ENCODING_UTF16LE, true, ""},
        {"x😀→", ENCODING_UTF16BE, true, ""},
        {"", ENCODING_UTF16BE, true, ""},
        {"Hello", ENCODING_UTF16LE_BARE, true, ""},
        {"日本語日本語", ENCODING_UTF16LE_BARE, false, ""},
        {"a→b", ENCODING_UTF8, true, ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        bool ok =
            encoding_write(*state, str_c(rows[i].text), rows[i].e, &bytes, &missing);
        CHECK_INT(rows[i].text, ok, rows[i].ok);
        CHECK_STR(rows[i].text, missing, rows[i].missing);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_encodings),
        ARENA_TEST(test_not_text),
        ARENA_TEST(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
