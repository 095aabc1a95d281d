#include "base/sbuf.h"
#include "check.h"
#include "vault/ask/search.h"
#include "vault/index/words.h"
#include "vault/meaning/meaning_fill.h"
#include "word_embedder.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static struct index *make_vault(void)
{
    struct index *x = index_create();
    put(x, "Beds.md", "This is the compost of the old garden.\n");
    put(x, "Beete.md", "Der Haufen ist nicht so warm, und die Pflaumen sind es auch.\n");
    put(x, "Дача.md", "Это моя книга, и она не новая.\n");
    put(x, "Said.md", "---\nlang: de\n---\nPflaumen\n");
    put(x, "Secret.md", "We are composting with the neighbours.\n");
    return x;
}

static str search(struct arena *a, const struct index *x, enum search_mode mode,
                  const char *query)
{
    struct search s = {.mode = mode, .query = str_c(query), .limit = 9, .corrects = true};
    struct search_result r = {0};
    struct err err = {0};
    if (!search_run(x, a, &s, &r, &err))
        fail_msg("%s: %s", query, err.msg);
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, r.corrected);
    for (size_t i = 0; i < r.n + r.n_near; i++) {
        const struct search_hit *hit = i < r.n ? &r.hits[i] : &r.near[i - r.n];
        sbuf_printf(&b, "%s" STR_FMT ": " STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(hit->file->path), STR_ARG(str_trim_line(hit->snippet)));
    }
    return sbuf_str(&b);
}

/* What has exactly the text comes first, and forms are in bold; other modes are exact. */
static void test_forms(void **state)
{
    static const struct {
        enum search_mode mode;
        const char *query, *want;
    } cases[] = {
        {SEARCH_WORDS, "книги", "Дача.md: Это моя **книга**, и она не новая."},
        {SEARCH_AUTO, "composting",
         "Secret.md: We are **composting** with the neighbours., "
         "Beds.md: This is the **compost** of the old garden."},
        {SEARCH_TEXT, "composting",
         "Secret.md: We are **composting** with the neighbours."},
        {SEARCH_WORDS, "\"gardens\"", ""},
        {SEARCH_NAMES, "bed", "Beds.md: **Bed**s.md"},
    };
    struct index *x = make_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].query, search(*state, x, cases[i].mode, cases[i].query),
                  cases[i].want);
    str found = search(*state, x, SEARCH_WORDS, "pflaume");
    CHECK("by property", str_find(found, STR("Said.md")) != STR_NONE);
    index_free(x);
}

static bool shows(const void *arg, const struct file *f)
{
    return !str_eq(f->path, STR("Secret.md"));
}

/* A word that only a hidden note has is neither a form nor a correction, and its language
 * is not counted. */
static void test_view(void **state)
{
    struct index *x = make_vault(), *view = index_view(x, shows, NULL);
    struct words_language all[LANGUAGES];
    CHECK_STR("all", search(*state, x, SEARCH_WORDS, "neighbour"),
              "Secret.md: We are composting with the **neighbours**.");
    CHECK_STR("view", search(*state, view, SEARCH_WORDS, "neighbour"), "");
    assert_int_equal(words_languages(x->words, all), 3);
    assert_int_equal(all[0].documents, 2);
    assert_int_equal(words_languages(view->words, all), 3);
    for (size_t i = 0; i < 3; i++)
        if (all[i].language == LANGUAGE_ENGLISH)
            assert_int_equal(all[i].documents, 1);
    index_free(view);
    index_free(x);
}

/* --- with vectors --- */

static bool reads_english(void *arg, str text)
{
    return str_find(text, STR("Haufen")) == STR_NONE;
}

static void fill(struct meaning *m, const struct index *x)
{
    struct arena a = {0};
    struct meaning_batch b = {0};
    struct err err;
    const struct file *f;
    meaning_begin(m, true);
    for (file_id id = 0; id < x->n; id++)
        if ((f = index_file(x, id)) != NULL && meaning_place(m, f))
            assert_true(meaning_collect(m, &a, f, &b));
    assert_true(meaning_embed(m, &a, &b, 0, &err));
    for (file_id id = 0; id < x->n; id++)
        if ((f = index_file(x, id)) != NULL)
            meaning_place(m, f);
    arena_release(&a);
}

/* A question whose words are in notes that the model cannot read is in their language. */
static void test_foreign(void **state)
{
    struct word_embedder embedder;
    word_embedder_init(&embedder, "words");
    embedder.embedder.reads = reads_english;
    struct meaning *m = meaning_open(&embedder.embedder, NULL, NULL);
    struct index *x = make_vault();
    fill(m, x);
    for (int i = 0; i < 2; i++) {
        struct search s = {.mode = SEARCH_AUTO,
                           .query = i == 0 ? STR("warmer Haufen") : STR("warm compost"),
                           .limit = 9,
                           .meaning = m};
        struct search_plan *p = search_read(*state, &s);
        struct search_result r;
        struct meaning_query question;
        struct err err = {0};
        assert_true(search_find(x, p, &err));
        meaning_ask(m, *state, STR("compost"), 0, &question); /* it leads astray */
        assert_true(question.numbers > 0);
        assert_true(search_rank(x, p, &question, &r, &err));
        CHECK_STR("first", r.hits[0].file->path, i == 0 ? "Beete.md" : "Beds.md");
        CHECK("why", (r.no_meaning.n > 0) == (i == 0));
        CHECK_INT("mode", r.mode, i == 0 ? SEARCH_WORDS : SEARCH_MEANING);
    }
    index_free(x);
    meaning_close(m);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_forms),
        ARENA_TEST(test_view),
        ARENA_TEST(test_foreign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
