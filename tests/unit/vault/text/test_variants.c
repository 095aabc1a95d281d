#include "vault/text/variants.h"

#include "base/utf8.h"
#include "check.h"

static void test_variants(void **state)
{
    static const struct {
        const char *letter, *variant;
    } cases[] = {
        {"a", "a"},   {"أ", "ا"},   {"إ", "ا"}, {"آ", "ا"},   {"ى", "ي"},   {"ی", "ي"},
        {"ک", "ك"},   {"ة", "ه"},   {"ם", "מ"}, {"ץ", "צ"},   {"ש", "ש"},   {"क़", "क"},
        {"ँ", "ं"},     {"٣", "3"},   {"۹", "9"}, {"०", "0"},   {"見", "见"}, {"见", "见"},
        {"種", "种"}, {"日", "日"}, {"я", "я"}, {"が", "が"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        size_t n;
        char bytes[4];
        uint32_t c = variant_of(utf8_decode(str_c(cases[i].letter), &n));
        str got = {bytes, utf8_encode(c, bytes)};
        CHECK_STR(cases[i].letter, got, cases[i].variant);
    }
}

/* A second time changes nothing, so words that are folded stay as they are. */
static void test_once(void **state)
{
    (void)state;
    for (uint32_t c = 0; c < 0x10000; c++)
        if (variant_of(variant_of(c)) != variant_of(c))
            fail_msg("U+%04X", c);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants),
                                       cmocka_unit_test(test_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
