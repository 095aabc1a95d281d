#include "base/utf8.h"

#include <stdio.h>

#include "check.h"

static void test_valid(void **state)
{
    (void)state;
    static const struct {
        str s;
        size_t prefix;  /* how much of it is valid */
        size_t n;       /* length of the character or invalid piece after that */
        uint32_t value; /* and its value */
    } cases[] = {
        {STR("a\0b\x80"), 3, 1, 0xFFFD},
        {STR("\x7F\xC3\xA9\xFF"), 3, 1, 0xFFFD},
        {STR("\xC2"), 0, 1, 0xFFFD},
        {STR("\xC0\x80"), 0, 1, 0xFFFD},                    /* overlong */
        {STR("\xC1\xBF"), 0, 1, 0xFFFD},                    /* overlong */
        {STR("\xE0\x9F\xBF"), 0, 1, 0xFFFD},                /* overlong */
        {STR("\xF0\x8F\xBF\xBF"), 0, 1, 0xFFFD},            /* overlong */
        {STR("\xED\xA0\x80"), 0, 1, 0xFFFD},                /* surrogate */
        {STR("\xF4\x90\x80\x80"), 0, 1, 0xFFFD},            /* above U+10FFFF */
        {STR("\xF5\x80\x80\x80"), 0, 1, 0xFFFD},            /* above U+10FFFF */
        {STR("\xE2\x82"), 0, 2, 0xFFFD},                    /* cut */
        {STR("\xE2\x82z"), 0, 2, 0xFFFD},                   /* cut */
        {STR("\xF0\x9F\x8C"), 0, 3, 0xFFFD},                /* cut */
        {STR("\xF0\x9F\x8C\xC3\xA9"), 0, 3, 0xFFFD},        /* cut */
        {STR("\xF0\x9Fz"), 0, 2, 0xFFFD},                   /* cut */
        {STR("0123456789abcdef0123\xE9 x"), 20, 1, 0xFFFD}, /* Latin-1 */
        {STR("\xC3\xA9\xC3\xA9 0123456789abcdef\xBF"), 21, 1, 0xFFFD},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char row[32];
        size_t n = 0;
        snprintf(row, sizeof(row), "row %zu", i);
        CHECK_INT(row, utf8_valid_prefix(cases[i].s), cases[i].prefix);
        CHECK(row, !utf8_valid(cases[i].s));
        CHECK_INT(row, utf8_decode(str_skip(cases[i].s, cases[i].prefix), &n),
                  cases[i].value);
        CHECK_INT(row, n, cases[i].n);
    }
    assert_true(utf8_valid((str){0}));
    assert_true(utf8_valid(STR("\0")));
}

static void test_every_character(void **state)
{
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        char bytes[4];
        size_t n, length = utf8_encode(c, bytes);
        if (!utf8_valid((str){bytes, length}) ||
            utf8_decode((str){bytes, length}, &n) != c || n != length)
            fail_msg("U+%04X", c);
        if (length > 1 && utf8_valid((str){bytes, length - 1}))
            fail_msg("U+%04X cut", c);
    }
}

/* An invalid byte at every place of every length: no step may skip it. */
static void test_steps(void **state)
{
    (void)state;
    char text[80];
    for (size_t n = 1; n <= sizeof(text); n++) {
        memset(text, 'x', n);
        assert_true(utf8_valid((str){text, n}));
        for (size_t at = 0; at < n; at++) {
            text[at] = '\x80';
            assert_int_equal(utf8_valid_prefix((str){text, n}), at);
            text[at] = 'x';
        }
    }
}

static void test_repair(void **state)
{
    str whole = STR("caf\xC3\xA9");
    CHECK("itself", utf8_repair(*state, whole).p == whole.p);
    CHECK_STR("bytes", utf8_repair(*state, STR("a\xFF\xFE b\xC3")),
              "a\uFFFD\uFFFD b\uFFFD");
}

static void test_nfc(void **state)
{
    static const struct {
        const char *s, *want;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"caf\u00E9", "caf\u00E9"},
        {"cafe\u0301", "caf\u00E9"},
        {"e\u0301\u0323", "\u1EB9\u0301"}, /* marks are reordered */
        {"\u212B", "\u00C5"},              /* Angstrom */
        {"\u2126", "\u03A9"},              /* Ohm */
        {"\u0438\u0306", "\u0439"},        /* Cyrillic short i */
        {"\u1100\u1161\u11A8", "\uAC01"},  /* Hangul */
        {"\uAC00\u11A8", "\uAC01"},
        {"\u0958", "\u0915\u093C"},         /* never composed */
        {"\uFB01 \u00BD", "\uFB01 \u00BD"}, /* a ligature is not an accent */
        {"\u3042\u3099", "\u3042\u3099"},
        {"\u304B\u3099", "\u304C"},
        {"\U0001F468\u200D\U0001F33E", "\U0001F468\u200D\U0001F33E"},
        {"\u1F82\u1F82\u0390\u0390",
         "\u1F82\u1F82\u0390\u0390"},   /* decompose into many */
        {"e\u0301\xFF", "e\u0301\xFF"}, /* not UTF-8 */
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str s = str_c(cases[i].s), got = utf8_nfc(*state, s);
        CHECK_STR(cases[i].s, got, cases[i].want);
        if (strcmp(cases[i].s, cases[i].want) == 0)
            CHECK(cases[i].s, got.p == s.p);
    }
}

static void test_fold(void **state)
{
    static const struct {
        const char *s, *want;
    } cases[] = {
        {"", ""},
        {"plain text 1.md", "plain text 1.md"},
        {"Plain TEXT_[Z]@`{.MD", "plain text_[z]@`{.md"},
        {"\u00C9T\u00C9", "\u00E9t\u00E9"},
        {"E\u0301TE\u0301", "\u00E9t\u00E9"},
        {"a\u00A0b\u202Fc", "a b c"},
        {"\u039F\u0394\u039F\u03A3", "\u03BF\u03B4\u03BF\u03C3"}, /* odos */
        {"\u03BF\u03B4\u03BF\u03C2", "\u03BF\u03B4\u03BF\u03C3"},
        {"Stra\u00DFe", "stra\u00DFe"},
        {"STRA\u1E9EE", "stra\u00DFe"},
        {"\u041C\u041E\u0421\u041A\u0412\u0410", "\u043C\u043E\u0441\u043A\u0432\u0430"},
        {"\u212A", "k"},      /* Kelvin */
        {"\u023A", "\u2C65"}, /* longer than before */
        {"H\u0331", "\u1E96"},
        {"\u1E96", "\u1E96"},
        {"\U00010400", "\U00010428"},
        {"\u65E5\u672C", "\u65E5\u672C"},
        {"A\xFF\xC9", "a\xFF\xC9"}, /* not UTF-8 */
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str s = str_c(cases[i].s), got = utf8_fold(*state, s);
        CHECK_STR(cases[i].s, got, cases[i].want);
        if (strcmp(cases[i].s, cases[i].want) == 0)
            CHECK(cases[i].s, got.p == s.p);
    }
}

/* Alone and between letters: folded or normalised text stays so. */
static void test_forms_are_stable(void **state)
{
    for (uint32_t c = 1; c < 0x20000; c++) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        char bytes[4];
        size_t n = utf8_encode(c, bytes);
        str s = arena_printf(*state, "%.*sA%.*sh\u0331", (int)n, bytes, (int)n, bytes);
        str normal = utf8_nfc(*state, s), folded = utf8_fold(*state, s);
        if (!str_eq(utf8_nfc(*state, normal), normal) ||
            !str_eq(utf8_fold(*state, folded), folded) ||
            !str_eq(utf8_nfc(*state, folded), folded) ||
            !str_eq(utf8_fold(*state, normal), folded))
            fail_msg("U+%04X", c);
        arena_reset(*state);
    }
}

static void test_fold_char(void **state)
{
    (void)state;
    static const struct {
        uint32_t c, want;
    } cases[] = {
        {'A', 'a'},         {'z', 'z'},       {'[', '['},           {'0', '0'},
        {0xC9, 'e'},        {0xE9, 'e'},      {0xFC, 'u'},          {0xD8, 'o'},
        {0x141, 'l'},       {0x1EA4, 'a'},    {0x212A, 'k'},        {0x131, 'i'},
        {0x386, 0x3B1},     {0x3C2, 0x3C3},   {0x1F82, 0x3B1}, /* Greek */
        {0x416, 0x436},     {0x401, 0x435},   {0x451, 0x435},  /* yo as ye */
        {0x419, 0x439}, /* short i keeps its mark */
        {0xFF21, 'a'},      {0xFF11, '1'},    {0xFF76, 0x30AB}, /* widths */
        {0xDF, 0xDF},       {0xE6, 0xE6},     {0xFB01, 0xFB01}, /* would be two */
        {0x4E00, 0x4E00},   {0xAC00, 0xAC00}, {0x304C, 0x304C}, /* ga is not ka */
        {0xA640, 0xA641},   {0xA722, 0xA723},                   /* rare capitals */
        {0x1F600, 0x1F600}, {0xFFFD, 0xFFFD}, {0x10FFFF, 0x10FFFF},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char row[16];
        snprintf(row, sizeof(row), "U+%04X", cases[i].c);
        CHECK_INT(row, utf8_fold_char(cases[i].c), cases[i].want);
    }
    for (uint32_t c = 0; c <= 0x10FFFF; c++)
        if (utf8_fold_char(utf8_fold_char(c)) != utf8_fold_char(c))
            fail_msg("U+%04X is not stable", c);
}

static void test_classes(void **state)
{
    (void)state;
    static const struct {
        uint32_t c;
        bool word, cjk;
    } cases[] = {
        {'a', true, false},     {'Z', true, false},     {'7', true, false},
        {'_', false, false},    {'-', false, false},    {' ', false, false},
        {0, false, false},      {'\n', false, false},   {0xE9, true, false},
        {0x301, true, false},   {0x416, true, false},   {0x5D0, true, false},
        {0x663, true, false},   {0xBD, true, false},    {0xA0, false, false},
        {0x2019, false, false}, {0x20AC, false, false}, {0x1F600, false, false},
        {0x4E00, true, true},   {0x3042, true, true},   {0x30FC, true, true},
        {0x3099, true, true},   {0xAC00, true, true},   {0x1100, true, true},
        {0xE01, true, true},    {0xE31, true, true},    {0xE50, true, false},
        {0x1780, true, true},   {0xFF76, true, true},   {0x20000, true, true},
        {0x3001, false, false}, {0x3002, false, false}, {0xFF01, false, false},
        {0x30FB, false, false}, {0xFFFD, false, false}, {0x10FFFF, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char row[16];
        snprintf(row, sizeof(row), "U+%04X", cases[i].c);
        CHECK_INT(row, utf8_is_word(cases[i].c), cases[i].word);
        CHECK_INT(row, utf8_is_cjk(cases[i].c), cases[i].cjk);
    }
}

static void test_case(void **state)
{
    CHECK_INT("lower", utf8_lower_char(0xC4), 0xE4);
    CHECK_INT("title", utf8_title_char('z'), 'Z');
    CHECK_INT("no case", utf8_title_char('1'), '1');
    CHECK_INT("two letters in one", utf8_title_char(0x1C6), 0x1C5);
}

static void test_kinds(void **state)
{
    static const struct {
        uint32_t c;
        enum utf8_kind kind;
    } cases[] = {
        {'a', UTF8_OTHER},       {'+', UTF8_OTHER},          {0x1F600, UTF8_OTHER},
        {0x903, UTF8_OTHER},     {0x378, UTF8_OTHER},        {0, UTF8_UNSEEN},
        {'\n', UTF8_UNSEEN},     {0x200B, UTF8_UNSEEN},      {0xE000, UTF8_UNSEEN},
        {' ', UTF8_SPACE},       {0xA0, UTF8_SPACE},         {0x2028, UTF8_SPACE},
        {0x301, UTF8_MARK},      {0x5B7, UTF8_MARK},         {'!', UTF8_PUNCTUATION},
        {'_', UTF8_PUNCTUATION}, {0x2019, UTF8_PUNCTUATION}, {0x3002, UTF8_PUNCTUATION},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char row[16];
        snprintf(row, sizeof(row), "U+%04X", cases[i].c);
        CHECK_INT(row, utf8_kind(cases[i].c), cases[i].kind);
    }
}

static void test_parts(void **state)
{
    static const struct {
        uint32_t c, parts[UTF8_PARTS_MAX];
    } cases[] = {
        {'a', {'a'}},
        {0xE9, {'e', 0x301}},
        {0x1EC7, {'e', 0x323, 0x302}},
        {0x1F82, {0x3B1, 0x313, 0x300, 0x345}},
        {0xD55C, {0x1112, 0x1161, 0x11AB}},
        {0xFB01, {0xFB01}}, /* a ligature is only similar */
        {0x4E00, {0x4E00}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t parts[UTF8_PARTS_MAX] = {0};
        char row[16];
        snprintf(row, sizeof(row), "U+%04X", cases[i].c);
        size_t n = utf8_parts(cases[i].c, parts);
        CHECK(row, n == UTF8_PARTS_MAX || parts[n] == 0);
        CHECK(row, memcmp(parts, cases[i].parts, sizeof(parts)) == 0);
    }
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        uint32_t parts[UTF8_PARTS_MAX];
        CHECK_INT("any", utf8_parts(c, parts) >= 1, true);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_parts),
        ARENA_TEST(test_valid),
        ARENA_TEST(test_every_character),
        ARENA_TEST(test_steps),
        ARENA_TEST(test_nfc),
        ARENA_TEST(test_repair),
        ARENA_TEST(test_fold),
        ARENA_TEST(test_forms_are_stable),
        ARENA_TEST(test_fold_char),
        ARENA_TEST(test_classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
