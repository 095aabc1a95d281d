#include "base/encode.h"

#include "base/os/rand.h"
#include "check.h"

typedef bool decoder(struct arena *a, str text, str *out);
typedef str encoder(struct arena *a, str bytes);

/* RFC 4648 §10, and bytes that differ in the two alphabets. */
static void test_vectors(void **state)
{
    struct arena *a = *state;
    static const struct {
        str bytes;
        const char *base64, *base64url, *hex;
    } cases[] = {
        {STR(""), "", "", ""},
        {STR("f"), "Zg==", "Zg", "66"},
        {STR("fo"), "Zm8=", "Zm8", "666f"},
        {STR("foo"), "Zm9v", "Zm9v", "666f6f"},
        {STR("foob"), "Zm9vYg==", "Zm9vYg", "666f6f62"},
        {STR("fooba"), "Zm9vYmE=", "Zm9vYmE", "666f6f6261"},
        {STR("foobar"), "Zm9vYmFy", "Zm9vYmFy", "666f6f626172"},
        {STR("\xFB\xFF\xBE"), "+/++", "-_--", "fbffbe"},
        {STR("\0\0"), "AAA=", "AAA", "0000"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].hex;
        str back;
        CHECK_STR(row, encode_hex(a, cases[i].bytes), cases[i].hex);
        CHECK_STR(row, encode_base64(a, cases[i].bytes), cases[i].base64);
        CHECK_STR(row, encode_base64url(a, cases[i].bytes), cases[i].base64url);
        CHECK(row, decode_hex(a, str_c(cases[i].hex), &back));
        CHECK(row, str_eq(back, cases[i].bytes));
        CHECK(row, decode_base64(a, str_c(cases[i].base64), &back));
        CHECK(row, str_eq(back, cases[i].bytes));
        CHECK(row, decode_base64url(a, str_c(cases[i].base64url), &back));
        CHECK(row, str_eq(back, cases[i].bytes));
    }
}

static void test_refused(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name;
        decoder *decode;
        str text;
    } cases[] = {
        {"hex: odd", decode_hex, STR("abc")},
        {"hex: upper case", decode_hex, STR("AB")},
        {"hex: letter", decode_hex, STR("0g")},
        {"hex: NUL", decode_hex, STR("0\0")},
        {"64: no padding", decode_base64, STR("Zg")},
        {"64: half padding", decode_base64, STR("Zg=")},
        {"64: too much padding", decode_base64, STR("Z===")},
        {"64: only padding", decode_base64, STR("====")},
        {"64: padding inside", decode_base64, STR("Zg==Zg==")},
        {"64: stray bits in two", decode_base64, STR("Zh==")},
        {"64: stray bits in three", decode_base64, STR("Zm9=")},
        {"64: newline", decode_base64, STR("Zm9v\nZm9")},
        {"64: url digits", decode_base64, STR("-_--")},
        {"64: NUL", decode_base64, STR("Zm9\0")},
        {"url: padding", decode_base64url, STR("Zg==")},
        {"url: one digit", decode_base64url, STR("Z")},
        {"url: five digits", decode_base64url, STR("Zm9vZ")},
        {"url: stray bits", decode_base64url, STR("Zh")},
        {"url: other digits", decode_base64url, STR("+/++")},
        {"url: space", decode_base64url, STR("Zm9v ")},
        {"percent: cut", decode_percent, STR("a%")},
        {"percent: cut after one", decode_percent, STR("a%4")},
        {"percent: no digits", decode_percent, STR("%zz")},
        {"percent: sign", decode_percent, STR("%+1")},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str out = STR("untouched");
        CHECK(cases[i].name, !cases[i].decode(a, cases[i].text, &out));
        CHECK_STR(cases[i].name, out, "untouched");
    }
}

static void test_percent(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *text;
        str bytes;
    } cases[] = {
        {"", STR("")},           {"plain", STR("plain")}, {"a%20b+c", STR("a b+c")},
        {"%C3%a9", STR("é")},    {"%2525", STR("%25")},   {"%00", STR("\0")},
        {"100%25", STR("100%")},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str out;
        CHECK(cases[i].text, decode_percent(a, str_c(cases[i].text), &out));
        CHECK(cases[i].text, str_eq(out, cases[i].bytes));
    }
}

static void test_percent_encoded(void **state)
{
    struct arena *a = *state;
    static const struct {
        str path;
        const char *want;
    } cases[] = {
        {STR(""), ""},
        {STR("a/b-c_d.e~f!$&'()*+,;=:@"), "a/b-c_d.e~f!$&'()*+,;=:@"},
        {STR("a b"), "a%20b"},
        {STR("é"), "%C3%A9"},
        {STR("100%"), "100%25"},
        {STR("#?[]\"<>\\^`{|}"), "%23%3F%5B%5D%22%3C%3E%5C%5E%60%7B%7C%7D"},
        {STR("\0\x7f\xff"), "%00%7F%FF"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str back, text = encode_percent(a, cases[i].path);
        CHECK_STR(cases[i].want, text, cases[i].want);
        CHECK(cases[i].want, decode_percent(a, text, &back));
        CHECK(cases[i].want, str_eq(back, cases[i].path));
    }
}

/* Every length, so every remainder occurs; each value has exactly one encoding. */
static void test_there_and_back(void **state)
{
    struct arena *a = *state;
    static const struct {
        const char *name;
        encoder *encode;
        decoder *decode;
    } cases[] = {
        {"hex", encode_hex, decode_hex},
        {"base64", encode_base64, decode_base64},
        {"base64url", encode_base64url, decode_base64url},
    };

    char bytes[300];
    rand_bytes(bytes, sizeof(bytes));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (size_t n = 0; n <= sizeof(bytes); n++) {
            str in = {bytes, n}, back;
            str text = cases[i].encode(a, in);
            CHECK(cases[i].name, cases[i].decode(a, text, &back) && str_eq(in, back));
            CHECK(cases[i].name, str_eq(cases[i].encode(a, back), text));
            arena_reset(a);
        }
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_vectors),        ARENA_TEST(test_refused),
        ARENA_TEST(test_percent),        ARENA_TEST(test_percent_encoded),
        ARENA_TEST(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
