#include "base/sbuf.h"
#include "check.h"
#include "vault/ask/search.h"
#include "vault/meaning/meaning_fill.h"
#include "word_embedder.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static struct index *make_garden(void)
{
    struct index *x = index_create();
    put(x, "Beds.md", "The compost heap is behind the potting shed.\n");
    put(x, "Heap.md", "A heap of stones. A heap, no earth, and definitely heavy.\n");
    put(x, "Kitchen.md",
        "---\ntags: [gardening]\n---\nScraps go to the compost; e-mail.\n");
    put(x, "Дача.md", "Привет с дачи, ёлка уже большая.\n");
    put(x, "World.md", "the world of 2024, and were there was none\n");
    put(x, "Secret.md", "mycelium\n");
    return x;
}

static str search(struct arena *a, const struct index *x, const struct search *s)
{
    struct search_result r = {0};
    struct err err = {0};
    if (!search_run(x, a, s, &r, &err))
        fail_msg(STR_FMT ": %s", STR_ARG(s->query), err.msg);
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, r.corrected);
    for (size_t i = 0; i < r.n; i++)
        sbuf_printf(&b, "%s" STR_FMT, i > 0 ? " " : " | ", STR_ARG(r.hits[i].file->path));
    return sbuf_str(&b);
}

static void test_modes(void **state)
{
    static const struct {
        const char *query, *want;
        enum search_mode mode;
    } cases[] = {
        {"compst", "compost (for compst) | Beds.md Kitchen.md", SEARCH_AUTO},
        {"compst", "compost (for compst) | Beds.md Kitchen.md", SEARCH_TEXT},
        {"compst", "compost (for compst) | Beds.md Kitchen.md", SEARCH_WORDS},
        {"COMPST haep", "compost (for COMPST), heap (for haep) | Beds.md", SEARCH_TEXT},
        {"haep compst",
         "heap (for haep), compost (for compst) | Beds.md Heap.md Kitchen.md",
         SEARCH_AUTO},
        {"kichen", "kitchen (for kichen) | Kitchen.md", SEARCH_NAMES},
        {"tag:#gardning", "gardening (for gardning) | Kitchen.md", SEARCH_AUTO},
        {"tag:#gardning", "gardening (for gardning) | Kitchen.md", SEARCH_QUERY},
        {"compst", "", SEARCH_REGEX},
        {"\"compst\"", "", SEARCH_WORDS}, /* a phrase */
        {"compo*", " | Beds.md Kitchen.md", SEARCH_WORDS},
        {"comqs*", "", SEARCH_WORDS},
        {"compost -haep", " | Beds.md Kitchen.md", SEARCH_WORDS},
        {"compo", " | Beds.md Kitchen.md", SEARCH_TEXT}, /* a part of a word is found */
        {"definatly", "definitely (for definatly) | Heap.md", SEARCH_WORDS},
        {"hexp", "heap (for hexp) | Heap.md Beds.md", SEARCH_WORDS},
        {"hexp hxxp", "heap (for hexp) | Heap.md Beds.md", SEARCH_WORDS},
        {"qompost", "", SEARCH_WORDS}, /* another first letter */
        {"ocmpost", "compost (for ocmpost) | Beds.md Kitchen.md", SEARCH_WORDS},
        {"hea", "", SEARCH_WORDS},   /* too short */
        {"would", "", SEARCH_WORDS}, /* no mistake for "world" */
        {"where", "", SEARCH_WORDS},
        {"2023", "", SEARCH_WORDS},
        {"e-mial", "mail (for mial) | Kitchen.md", SEARCH_WORDS},
        {"ghbdtn", "привет (for ghbdtn) | Дача.md", SEARCH_AUTO},
        {"`krf", "", SEARCH_WORDS}, /* no key of the table */
        {"ljv lfxf", "дача (for lfxf) | Дача.md", SEARCH_WORDS},
        {"сщьзщые", "compost (for сщьзщые) | Beds.md Kitchen.md", SEARCH_WORDS},
        {"превет", "привет (for превет) | Дача.md", SEARCH_AUTO},
    };
    struct index *x = make_garden();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct search s = {.mode = cases[i].mode,
                           .query = str_c(cases[i].query),
                           .limit = 9,
                           .corrects = true};
        CHECK_STR(cases[i].query, search(*state, x, &s), cases[i].want);
    }
    struct search s = {.query = STR("compst"), .limit = 9};
    CHECK_STR("only on request", search(*state, x, &s), "");
    index_free(x);
}

/* Filters apply; what passes none of them is no reason to keep a correction. */
static void test_filters(void **state)
{
    struct index *x = make_garden();
    struct search s = {.mode = SEARCH_TEXT,
                       .query = STR("compst"),
                       .limit = 9,
                       .corrects = true,
                       .tag = STR("gardening")};
    CHECK_STR("tag", search(*state, x, &s), "compost (for compst) | Kitchen.md");
    s.tag = STR("nothing");
    CHECK_STR("no such tag", search(*state, x, &s), "");
    index_free(x);
}

static bool shows(const void *arg, const struct file *f)
{
    return !str_eq(f->path, STR("Secret.md"));
}

/* Words of notes that a caller cannot see are not offered. */
static void test_view(void **state)
{
    struct index *x = make_garden(), *view = index_view(x, shows, NULL);
    struct search s = {
        .mode = SEARCH_AUTO, .query = STR("mycelum"), .limit = 9, .corrects = true};
    CHECK_STR("all", search(*state, x, &s), "mycelium (for mycelum) | Secret.md");
    CHECK_STR("view", search(*state, view, &s), "");
    index_free(view);
    index_free(x);
}

/* --- with vectors --- */

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

static bool knows_eartj(void *arg, str word)
{
    return str_eq(word, STR("eartj"));
}

/* A word that the model learnt is right, though no note has it. */
static void test_known_words(void **state)
{
    struct word_embedder embedder;
    word_embedder_init(&embedder, "words");
    struct meaning *m = meaning_open(&embedder.embedder, NULL, NULL);
    struct index *x = make_garden();
    struct search s = {.mode = SEARCH_WORDS,
                       .query = STR("eartj"),
                       .limit = 9,
                       .corrects = true,
                       .meaning = m};
    CHECK_STR("it cannot tell", search(*state, x, &s), "earth (for eartj) | Heap.md");
    embedder.embedder.knows = knows_eartj;
    CHECK_STR("learnt", search(*state, x, &s), "");
    index_free(x);
    meaning_close(m);
}

/* The question is embedded as it was corrected, and what the note with its words lacks in
 * meaning does not matter. */
static void test_with_vectors(void **state)
{
    struct word_embedder embedder;
    word_embedder_init(&embedder, "words");
    struct meaning *m = meaning_open(&embedder.embedder, NULL, NULL);
    struct index *x = make_garden();
    put(x, "Long.md",
        "one two three four five six seven eight nine compost ten heap x y\n");
    put(x, "Near.md", "heap earth heap earth heap earth\n");
    fill(m, x);
    struct search s = {.mode = SEARCH_AUTO,
                       .query = STR("haep compst"),
                       .limit = 9,
                       .corrects = true,
                       .meaning = m};
    struct search_plan *p = search_read(*state, &s);
    struct err err = {0};
    assert_true(search_find(x, p, &err));
    assert_true(search_needs_vector(p));
    CHECK_STR("embedded", search_question(p), "heap compost");
    CHECK_STR("asked", search_of(p)->query, "haep compst");
    struct meaning_query question;
    struct search_result r;
    meaning_ask(m, *state, STR("earth heap"), 0, &question); /* it leads astray */
    assert_true(search_rank(x, p, &question, &r, &err));
    CHECK_STR("corrected", r.corrected, "heap (for haep), compost (for compst)");
    CHECK_STR("first", r.hits[0].file->path, "Beds.md");
    CHECK_STR("second", r.hits[1].file->path, "Long.md");
    index_free(x);
    meaning_close(m);
}

/* A plan is for one version of the index after the other. */
static void test_again(void **state)
{
    struct index *x = make_garden();
    struct search s = {
        .mode = SEARCH_WORDS, .query = STR("compst"), .limit = 9, .corrects = true};
    struct search_plan *p = search_read(*state, &s);
    struct search_result r;
    struct err err = {0};
    assert_true(search_find(x, p, &err));
    put(x, "New.md", "compst\n");
    assert_true(search_find(x, p, &err) && search_rank(x, p, NULL, &r, &err));
    CHECK_STR("corrected", r.corrected, "");
    CHECK_STR("path", r.hits[0].file->path, "New.md");
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_modes),       ARENA_TEST(test_filters),
        ARENA_TEST(test_view),        ARENA_TEST(test_again),
        ARENA_TEST(test_known_words), ARENA_TEST(test_with_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
