#include "vault/text/language.h"

#include "check.h"
#include "vault/text/language_words.h"

static void test_common(void **state)
{
    static const struct {
        const char *word;
        bool common;
    } cases[] = {
        {"the", true},   {"i", false},       {"why", true}, {"где", true},
        {"fur", true},   {"compost", false}, {"th", false}, {"he w", false},
        {"under", true}, {"unde", false},    {"", false},   {"των", false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK(cases[i].word,
              language_has_common(str_c(cases[i].word)) == cases[i].common);
}

static void test_guess(void **state)
{
    static const struct {
        const char *text;
        enum language language;
    } cases[] = {
        {"The heap is warm, and it was not there when we came.", LANGUAGE_ENGLISH},
        {"Der Haufen ist warm und nicht mehr so nass.", LANGUAGE_GERMAN},
        {"Le tas est chaud, et il ne sent pas comme la terre.", LANGUAGE_FRENCH},
        {"Это моя книга, и она не новая.", LANGUAGE_RUSSIAN},
        {"Це моя книга, і вона не нова, її немає.", LANGUAGE_UKRAINIAN},
        {"هذا كتاب في البيت", LANGUAGE_ARABIC},
        {"این کتاب برای خانه است که می‌گویند",
         LANGUAGE_PERSIAN},
        {"这是我的书", LANGUAGE_CHINESE},
        {"これは私の本です", LANGUAGE_JAPANESE},
        {"이것은 내 책이다", LANGUAGE_KOREAN},
        {"Tomatoes, beans, leek", LANGUAGE_UNKNOWN}, /* no frequent words */
        {"a de la in", LANGUAGE_UNKNOWN},            /* of several languages */
        {"", LANGUAGE_UNKNOWN},
        {"\xFF\xC3", LANGUAGE_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text,
                  str_c(language_name(language_guess(str_c(cases[i].text)))),
                  language_name(cases[i].language));
}

static void test_names(void **state)
{
    static const struct {
        const char *name;
        enum language language;
    } cases[] = {
        {"de", LANGUAGE_GERMAN},        {"de-AT", LANGUAGE_GERMAN},
        {"pt_BR", LANGUAGE_PORTUGUESE}, {"German", LANGUAGE_GERMAN},
        {"nb", LANGUAGE_NORWEGIAN},     {"", LANGUAGE_UNKNOWN},
        {"xx", LANGUAGE_UNKNOWN},       {"unknown", LANGUAGE_UNKNOWN},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].name, language_of(str_c(cases[i].name)), cases[i].language);
}

/* Words are found by halving. */
static void test_sorted(void **state)
{
    (void)state;
    for (size_t i = 1; i < language_n_words; i++)
        CHECK(language_words[i].word.p,
              str_cmp(language_words[i - 1].word, language_words[i].word) < 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common), cmocka_unit_test(test_guess),
        cmocka_unit_test(test_names), cmocka_unit_test(test_sorted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
