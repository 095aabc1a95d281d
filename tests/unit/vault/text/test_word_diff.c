#include "vault/text/word_diff.h"

#include "base/sbuf.h"
#include "check.h"

/* "one [-two-]{+2+} three", as git shows it. */
static str print(struct arena *a, const char *before, const char *after)
{
    struct sbuf out = SBUF_ON(a);
    struct word_part *parts;
    size_t n = word_diff(a, str_c(before), str_c(after), &parts);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out,
                    parts[i].kind == WORD_SAME   ? STR_FMT
                    : parts[i].kind == WORD_GONE ? "[-" STR_FMT "-]"
                                                 : "{+" STR_FMT "+}",
                    STR_ARG(parts[i].text));
    return sbuf_str(&out);
}

static void test_words(void **state)
{
    static const struct {
        const char *before, *after, *shown;
    } cases[] = {
        {"one two three", "one 2 three", "one [-two-]{+2+} three"},
        {"a b", "a b", "a b"},
        {"call on Monday\n", "call on Tuesday\n", "call on [-Monday-]{+Tuesday+}\n"},
        {"viel größer als er", "viel größere als er",
         "viel [-größer-]{+größere+} als er"},
        {"日本語", "日本人", "日本[-語-]{+人+}"},
        {"one two", "one new two", "one {+new +}two"},
        {"", "new", "{+new+}"},
        {"gone", "", "[-gone-]"},
        {"alpha beta", "omega", "[-alpha beta-]{+omega+}"},
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].before, print(*state, cases[i].before, cases[i].after),
                  cases[i].shown);
}

static void check_lossless(struct arena *a, str before, str after)
{
    struct word_part *parts;
    struct sbuf x = SBUF_ON(a), y = SBUF_ON(a);
    size_t n = word_diff(a, before, after, &parts);
    for (size_t i = 0; i < n; i++) {
        if (parts[i].kind != WORD_NEW)
            sbuf_add(&x, parts[i].text);
        if (parts[i].kind != WORD_GONE)
            sbuf_add(&y, parts[i].text);
    }
    CHECK("before", str_eq(sbuf_str(&x), before));
    CHECK("after", str_eq(sbuf_str(&y), after));
}

/* Nothing is lost: of bytes that are no characters, of texts that are too long, at random. */
static void test_lossless(void **state)
{
    enum { TEXTS = 300, WORDS = 30 };
    uint32_t seed = 3;
    check_lossless(*state, (str){"\xff\xfe one\0two", 10}, STR("one"));
    check_lossless(*state,
                   (str){arena_zero(*state, WORD_DIFF_MAX + 1), WORD_DIFF_MAX + 1},
                   STR("one"));
    for (int t = 0; t < TEXTS; t++) {
        struct sbuf x = SBUF_ON(*state), y = SBUF_ON(*state);
        for (int i = 0; i < WORDS; i++) {
            seed = seed * 1664525U + 1013904223U;
            unsigned r = seed >> 20;
            if (r % 4 != 0)
                sbuf_printf(&x, "w%u ", r % 6);
            if (r % 5 != 0)
                sbuf_printf(&y, "w%u ", r % 3 == 0 ? r % 6 : r % 7);
        }
        check_lossless(*state, sbuf_str(&x), sbuf_str(&y));
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_words),
        ARENA_TEST(test_lossless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
