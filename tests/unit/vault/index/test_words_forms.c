#include "vault/index/words.h"

#include "words_library.h"

static void put_in(struct library *l, uint32_t id, enum language language,
                   const char *body)
{
    l->docs[id] = (struct words_doc){.id = id, .language = language};
    l->docs[id].fields[WORDS_BODY] = str_c(body);
    words_add(l->words, &l->docs[id]);
}

static void fill(struct library *l)
{
    open_library(l);
    put_in(l, 0, LANGUAGE_ENGLISH, "a heap of compost and gardens");
    put_in(l, 1, LANGUAGE_ENGLISH, "composting in a garden");
    put_in(l, 2, LANGUAGE_GERMAN, "die angst, gebaut mit einem bauer; composted");
    put_in(l, 3, LANGUAGE_RUSSIAN, "моя книга");
    put_in(l, 4, LANGUAGE_ARABIC, "في الكتاب");
    put_in(l, 5, LANGUAGE_UNKNOWN, "composted");
    put_in(l, 6, LANGUAGE_ENGLISH, "running to happiness");
}

/* The word itself comes first, and forms count only in the language that has them. */
static void test_forms(void **state)
{
    static const struct {
        const char *query, *found;
    } cases[] = {
        {"compost", "0 5 1"},    {"composting", "1 5 0"},
        {"composts", "5 1 0"},   {"\"composting\"", "1"},
        {"compost*", "5 1 0 2"}, {"garden -compost", "1"},
        {"книги", "3"},          {"книгами", "3"},
        {"كتاب", "4"},           {"كتب", ""},
        {"happy", "6"},          {"runs happy", "6"},
        {"bauern", "2"},         {"ran", ""},
        {"composer", ""},
    };
    struct library l;
    fill(&l);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].query, found(*state, &l, cases[i].query), cases[i].found);
    words_free(l.words);
}

/* A compound is found by each of its parts, if notes have the other one, too. */
static void test_compounds(void **state)
{
    static const struct {
        const char *query, *found;
    } cases[] = {
        {"hosen", "1 0"}, {"regen", "2 0"}, {"regenhosen", "0"}, {"wolle", "1"},
        {"schuh", ""},    {"arbeit", "4"},  {"zimmer", "4"},
    };
    struct library l;
    open_library(&l);
    put_in(&l, 0, LANGUAGE_GERMAN, "die regenhose ist nass");
    put_in(&l, 1, LANGUAGE_GERMAN, "eine hose aus wolle");
    put_in(&l, 2, LANGUAGE_GERMAN, "der regen ist da, handschuhe");
    put_in(&l, 3, LANGUAGE_ENGLISH, "the regenhose is there");
    put_in(&l, 4, LANGUAGE_GERMAN, "arbeitszimmern");
    put_in(&l, 5, LANGUAGE_ENGLISH, "arbeit zimmern, zimmer");
    words_remove(l.words, 5);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].query, found(*state, &l, cases[i].query), cases[i].found);
    words_free(l.words);
}

/* What is shown instead of the word. */
static void test_shown(void **state)
{
    struct library l;
    fill(&l);
    struct words_result r = search(*state, &l, "книги");
    assert_int_equal(r.n_forms, 1);
    CHECK_STR("word", r.forms[0].word, "книги");
    CHECK_STR("form", r.forms[0].form, "книга");
    CHECK("has", words_has_form(l.words, *state, STR("книги")));
    CHECK("has not", !words_has_form(l.words, *state, STR("дом")));
    words_free(l.words);
}

/* A language whose last document is gone has no forms. */
static void test_language_is_gone(void **state)
{
    struct library l;
    fill(&l);
    words_remove(l.words, 3);
    put_in(&l, 5, LANGUAGE_UNKNOWN, "книга");
    CHECK_STR("gone", found(*state, &l, "книги"), "");
    put_in(&l, 7, LANGUAGE_RUSSIAN, "слово");
    CHECK_STR("there", found(*state, &l, "книги"), "5");
    words_free(l.words);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_forms),
        ARENA_TEST(test_compounds),
        ARENA_TEST(test_shown),
        ARENA_TEST(test_language_is_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
