#include "vault/text/stem.h"

#include "check.h"

static void test_stems(void **state)
{
    static const struct {
        enum language language;
        const char *word, *other;
    } cases[] = {
        {LANGUAGE_ENGLISH, "composting", "compost"},
        {LANGUAGE_GERMAN, "pflaumen", "pflaume"},
        {LANGUAGE_RUSSIAN, "книги", "книга"},
        {LANGUAGE_FRENCH, "continuer", "continue"},
        {LANGUAGE_ARABIC, "الكتاب", "كتاب"},
        {LANGUAGE_TURKISH, "kitaplar", "kitap"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct stemmer *s = stemmer_create(cases[i].language);
        char stem[64];
        str one = stemmer_stem(s, str_c(cases[i].word));
        memcpy(stem, one.p, one.n);
        one.p = stem;
        CHECK(cases[i].word, str_eq(one, stemmer_stem(s, str_c(cases[i].other))));
        stemmer_free(s);
    }
}

/* libstemmer has all algorithms that are named. */
static void test_all(void **state)
{
    (void)state;
    for (unsigned l = 0; l < LANGUAGES; l++) {
        struct stemmer *s = stemmer_create(l);
        CHECK(language_name(l), (s != NULL) == stem_has(l));
        stemmer_free(s);
    }
    stemmer_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stems),
                                       cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
