/* tests/vectors/meaning/tokens.json: the words that its texts can contain, with the numbers
 * of all-MiniLM-L6-v2, and the tokens that the tokenizers of the model's authors give. */
#include "base/sbuf.h"
#include "vault/meaning/tokens.h"
#include "vectors.h"

struct word {
    str text;
    uint32_t id;
};

static int compare_words(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    return str_cmp(x->text, y->text);
}

static struct vocabulary vocabulary_of(struct arena *a, struct word *words, uint32_t n)
{
    uint32_t *starts = ARENA_ARRAY(a, uint32_t, n + 1);
    uint32_t *ids = ARENA_ARRAY(a, uint32_t, n);
    struct sbuf text = SBUF_ON(a);
    qsort(words, n, sizeof(*words), compare_words);
    for (uint32_t i = 0; i < n; i++) {
        starts[i] = (uint32_t)text.n;
        ids[i] = words[i].id;
        sbuf_add(&text, words[i].text);
    }
    starts[n] = (uint32_t)text.n;
    return (struct vocabulary){.text = text.p,
                               .starts = starts,
                               .ids = ids,
                               .n = n,
                               .text_size = (uint32_t)text.n,
                               .unknown = 100,
                               .first = 101,
                               .last = 102};
}

static struct vocabulary recorded(struct arena *a, const struct json *words)
{
    struct word *list = ARENA_ARRAY(a, struct word, words->n);
    uint32_t n = 0;
    for (const struct json *w = words->child; w != NULL; w = w->next) {
        int64_t id = 0;
        json_int(w, &id);
        list[n++] = (struct word){w->key, (uint32_t)id};
    }
    return vocabulary_of(a, list, n);
}

/* A few words, numbered in their order. */
static struct vocabulary small(struct arena *a, const char *const *words, uint32_t n)
{
    struct word *list = ARENA_ARRAY(a, struct word, n);
    for (uint32_t i = 0; i < n; i++)
        list[i] = (struct word){str_c(words[i]), i};
    struct vocabulary v = vocabulary_of(a, list, n);
    v.unknown = 0;
    v.first = 1;
    v.last = 2;
    return v;
}

static str shown(struct arena *a, const struct tokens *t)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < t->n; i++)
        sbuf_printf(&out, "%s%u", i > 0 ? "," : "", t->ids[i]);
    return sbuf_str(&out);
}

static void test_recorded(void **state)
{
    struct arena *a = *state;
    const struct json *j = vectors_read(a, "meaning/tokens.json");
    struct vocabulary v = recorded(a, json_get(j, STR("words")));
    const struct json *texts = json_get(j, STR("texts"));
    CHECK("enough texts", texts->n >= 300);
    for (const struct json *t = texts->child; t != NULL; t = t->next) {
        struct tokens tokens;
        str want = json_get(t, STR("ids"))->raw;
        const char *row = arena_str(a, json_get(t, STR("text"))->raw).p;
        tokens_split(&v, json_get_str(t, STR("text")), &tokens);
        CHECK_STR(row, shown(a, &tokens), arena_str(a, str_slice(want, 1, want.n - 1)));
        CHECK_INT(row, tokens.bytes, json_get_str(t, STR("text")).n);
    }
}

static const char *const words[] = {"[UNK]", "[CLS]", "[SEP]", "a",  "##a",
                                    "ab",    "##c",   "é",     "漢", "!"};

static void test_small(void **state)
{
    static const struct {
        const char *text, *ids;
    } cases[] = {
        {"", "1,2"},
        {"a aa aaa", "1,3,3,4,3,4,4,2"},
        {"abc abca abd", "1,5,6,5,6,4,0,2"}, /* longest first; all of it or unknown */
        {"A! !a", "1,3,9,9,3,2"},
        {"a漢a", "1,3,8,3,2"},
        {"[CLS] [SEP]", "1,0,0,0,0,0,0,2"}, /* text, whatever it says */
        {"a\xff\xfe"
         "a\xc3",
         "1,3,4,2"}, /* invalid bytes are dropped */
    };
    struct arena *a = *state;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    assert_true(vocabulary_is_sound(&v));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct tokens t;
        tokens_split(&v, str_c(cases[i].text), &t);
        CHECK_STR(cases[i].text, shown(a, &t), cases[i].ids);
    }
}

static void test_full(void **state)
{
    struct arena *a = *state;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    struct sbuf text = SBUF_ON(a);
    struct tokens t;
    for (int i = 0; i < 1000; i++)
        sbuf_add(&text, STR("aa "));
    tokens_split(&v, sbuf_str(&text), &t);
    assert_int_equal(t.n, TOKENS_MAX);
    assert_int_equal(t.ids[TOKENS_MAX - 1], v.last);
    assert_int_equal(t.ids[TOKENS_MAX - 2], 4);
    assert_true(t.bytes < 400);
}

static void test_letters(void **state)
{
    struct arena *a = *state;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    struct tokens t;
    tokens_split(&v, STR("aa, 2026: ab! д漢"), &t);
    assert_int_equal(t.letters, 6); /* not the digits */
    assert_int_equal(t.pieces, 5);
    assert_int_equal(t.foreign, 2);
}

static void test_damaged(void **state)
{
    struct arena *a = *state;
    uint32_t *starts, *ids;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    starts = (uint32_t *)(uintptr_t)v.starts;
    ids = (uint32_t *)(uintptr_t)v.ids;
    assert_true(vocabulary_is_sound(&v));
    starts[3] += 100; /* out of the text, then back */
    assert_false(vocabulary_is_sound(&v));
    starts[3] -= 100;
    starts[0] = 1;
    assert_false(vocabulary_is_sound(&v));
    starts[0] = 0;
    ids[2] = v.n;
    assert_false(vocabulary_is_sound(&v));
    ids[2] = 0;
    v.last = v.n;
    assert_false(vocabulary_is_sound(&v));
    v.last = 2;
    v.text = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"; /* not in order */
    assert_false(vocabulary_is_sound(&v));
    v.n = 0;
    assert_false(vocabulary_is_sound(&v));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_recorded), ARENA_TEST(test_small),   ARENA_TEST(test_full),
        ARENA_TEST(test_letters),  ARENA_TEST(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
