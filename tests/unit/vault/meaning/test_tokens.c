/* tests/vectors/meaning/tokens.json: the words that its texts can contain, with the numbers
 * of all-MiniLM-L6-v2, and the tokens that the tokenizers of the model's authors give. */
#include <math.h>

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
                               .rows = 30522,
                               .flags = TOKENS_BERT,
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
    v.rows = n;
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
        tokens_split(&v, json_get_str(t, STR("text")), TOKENS_MAX, &tokens);
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
        tokens_split(&v, str_c(cases[i].text), TOKENS_MAX, &t);
        CHECK_STR(cases[i].text, shown(a, &t), cases[i].ids);
    }
}

static void test_full(void **state)
{
    struct arena *a = *state;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    struct sbuf text = SBUF_ON(a);
    struct tokens t;
    for (int i = 0; i < 2000; i++)
        sbuf_add(&text, STR("aa "));
    tokens_split(&v, sbuf_str(&text), TOKENS_MAX, &t);
    assert_int_equal(t.n, TOKENS_MAX);
    assert_int_equal(t.ids[TOKENS_MAX - 1], v.last);
    assert_int_equal(t.ids[TOKENS_MAX - 2], 4);
    assert_true(t.bytes < 800);
    tokens_split(&v, sbuf_str(&text), 8, &t);
    assert_int_equal(t.n, 8);
    assert_int_equal(t.ids[7], v.last);
}

static void test_letters(void **state)
{
    struct arena *a = *state;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    struct tokens t;
    tokens_split(&v, STR("aa, 2026: ab! д漢"), TOKENS_MAX, &t);
    assert_int_equal(t.letters, 6); /* not the digits */
    assert_int_equal(t.pieces, 5);
    assert_int_equal(t.foreign, 2);
}

/* A cased model, whose letters keep their case and their marks. */
static void test_cased(void **state)
{
    struct arena *a = *state;
    struct vocabulary v = small(a, words, COUNT_OF(words));
    struct tokens t;
    tokens_split(&v, STR("A \u00E9 \u6F22"), TOKENS_MAX, &t);
    CHECK_STR("lower case, no marks", shown(a, &t), "1,3,0,8,2");
    v.flags = TOKENS_CLEAN;
    tokens_split(&v, STR("A a\u6F22 \u00E9"), TOKENS_MAX, &t);
    CHECK_STR("as they are", shown(a, &t), "1,0,0,7,2");
    assert_int_equal(t.unknown, 2);
}

/* --- Unigram --- */

static const float scores[] = {-1, -2, -2.5f, -4, -4, -3, -9};
static const char *const pieces[] = {"\u2581a", "\u2581", "ab",    "a",
                                     "b",       "abc",    "\u6F22"};

static struct vocabulary unigram(struct arena *a)
{
    struct word *list = ARENA_ARRAY(a, struct word, COUNT_OF(pieces));
    float *sorted = ARENA_ARRAY(a, float, COUNT_OF(pieces));
    for (uint32_t i = 0; i < COUNT_OF(pieces); i++)
        list[i] = (struct word){str_c(pieces[i]), 10 + i};
    struct vocabulary v = vocabulary_of(a, list, COUNT_OF(pieces));
    for (uint32_t i = 0; i < v.n; i++)
        sorted[i] = scores[v.ids[i] - 10];
    v.scores = sorted;
    v.rows = 20;
    v.unknown = 3;
    v.first = 0;
    v.last = 2;
    v.lowest = -19;
    v.kind = TOKENS_UNIGRAM;
    v.flags = 0;
    return v;
}

static void test_unigram(void **state)
{
    static const struct {
        const char *text, *ids;
    } cases[] = {
        {"", "0,2"},
        {"   ", "0,2"},
        {"a", "0,10,2"},
        {"aab", "0,10,12,2"}, /* _a ab: -3.5; _a a b: -9 */
        {"abc", "0,11,15,2"}, /* _ abc: -5, with c unknown otherwise */
        {"  a   b ", "0,10,11,14,2"},
        {"zyx", "0,11,3,2"}, /* neighbours that are unknown are one token */
        {"zaz zz", "0,11,3,13,3,11,3,2"},
        {"\u6F22\u6F22", "0,11,16,16,2"},
        {"a\nb", "0,10,3,14,2"}, /* no space without TOKENS_SPACES */
        {"<s>", "0,11,3,2"},
        {"\u2581a", "0,10,2"},
        {"a\xff\xfe"
         "b",
         "0,10,3,14,2"},
    };
    struct arena *a = *state;
    struct vocabulary v = unigram(a);
    assert_true(vocabulary_is_sound(&v));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct tokens t;
        tokens_split(&v, str_c(cases[i].text), TOKENS_MAX, &t);
        CHECK_STR(cases[i].text, shown(a, &t), cases[i].ids);
        CHECK_INT(cases[i].text, t.bytes, strlen(cases[i].text));
    }
    v.flags = TOKENS_SPACES;
    struct tokens t;
    tokens_split(&v, STR("a\nb\u3000a"), TOKENS_MAX, &t);
    CHECK_STR("all spaces", shown(a, &t), "0,10,11,14,10,2");
    CHECK("a word", vocabulary_has_word(&v, STR("a")));
    CHECK("a part", !vocabulary_has_word(&v, STR("abc")));
    v.lowest = NAN;
    assert_false(vocabulary_is_sound(&v));
}

/* A word without spaces that is longer than what is looked at together. */
static void test_long_run(void **state)
{
    struct arena *a = *state;
    struct vocabulary v = unigram(a);
    struct sbuf text = SBUF_ON(a);
    struct tokens t;
    for (int i = 0; i < 3 * TOKENS_RUN_MAX; i++)
        sbuf_char(&text, 'z');
    sbuf_add(&text, STR(" a"));
    tokens_split(&v, sbuf_str(&text), TOKENS_MAX, &t);
    CHECK_STR("cut in four", shown(a, &t), "0,11,3,3,3,3,10,2");
    assert_int_equal(t.bytes, text.n);
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
    ids[2] = v.rows;
    assert_false(vocabulary_is_sound(&v));
    ids[2] = 0;
    v.last = v.rows;
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
        ARENA_TEST(test_recorded), ARENA_TEST(test_small),    ARENA_TEST(test_full),
        ARENA_TEST(test_letters),  ARENA_TEST(test_damaged),  ARENA_TEST(test_cased),
        ARENA_TEST(test_unigram),  ARENA_TEST(test_long_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
