/* Indexes that were merged, saved and loaded answer like fresh ones. */
#include <stdio.h>

#include "words_library.h"

static const char *const queries[] = {
    "apple",          "pear -plum",     "sta*",
    "\"apple pear\"", "\u90FD",         "\u6771\u4EAC\u90FD",
    "e-mail cafe",    "c++ nowhere",    "-the",
    "email",          "\"star the\" a", "node.js"};

static void check_all(struct arena *a, struct library *l)
{
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        check_same(a, l, queries[i]);
}

/* n documents that are added and removed at random. */
static void shuffle(struct arena *a, struct library *l, uint32_t *seed, size_t n)
{
    for (size_t step = 0; step < n; step++) {
        uint32_t id = next_random(seed) % DOCS_MAX;
        if (next_random(seed) % 4 == 0) {
            words_remove(l->words, id);
            l->docs[id].id = UINT32_MAX;
        } else {
            const char *title = random_text(a, seed);
            put(l, id, title, random_text(a, seed));
        }
    }
}

static void write_image(void *arg, const void *bytes, size_t n)
{
    sbuf_add(arg, (str){bytes, n});
}

static str save(struct arena *a, const struct words *w)
{
    struct sbuf b = SBUF_ON(a);
    words_save(w, write_image, &b);
    return sbuf_str(&b);
}

static struct words *load(str image)
{
    struct words *w = NULL;
    struct err err = {0};
    if (!words_load(image, &w, &err))
        fail_msg("%s", err.msg);
    return w;
}

static void test_take(void **state)
{
    enum { PARTS = 4 };
    struct library l;
    struct words *parts[PARTS];
    uint32_t seed = 2463534242u;
    open_library(&l);
    for (size_t i = 0; i < PARTS; i++)
        parts[i] = words_create();
    struct words *whole = l.words;
    for (uint32_t id = 0; id < DOCS_MAX; id++) {
        l.words = parts[id % PARTS];
        for (int twice = 0; twice < 2; twice++) { /* some are dead */
            const char *title = random_text(*state, &seed);
            put(&l, id, title, random_text(*state, &seed));
        }
    }
    l.words = whole;
    for (size_t i = 0; i < PARTS; i++) {
        words_take(l.words, parts[i]);
        assert_int_equal(words_count(parts[i]), 0);
        words_add(parts[i], &l.docs[i]); /* it can be filled again */
        assert_int_equal(words_count(parts[i]), 1);
        words_free(parts[i]);
    }
    assert_int_equal(words_count(l.words), DOCS_MAX);
    check_all(*state, &l);
    shuffle(*state, &l, &seed, 1000);
    check_all(*state, &l);
    words_free(l.words);
}

/* Everything, nothing, nothing from an empty index. */
static void test_take_empty(void **state)
{
    struct library l;
    struct words *empty = words_create();
    open_library(&l);
    words_take(l.words, empty);
    assert_int_equal(words_count(l.words), 0);
    put(&l, 3, "title", "body");
    words_take(l.words, empty);
    check_same(*state, &l, "title");
    words_take(empty, l.words);
    assert_int_equal(words_count(l.words), 0);
    assert_int_equal(words_count(empty), 1);
    words_free(l.words);
    l.words = empty;
    check_same(*state, &l, "body");
    words_free(l.words);
}

/* Save, load and change, again and again; trim every third time. */
static void test_save_and_load(void **state)
{
    struct library l;
    uint32_t seed = 2463534242u;
    open_library(&l);
    for (int round = 0; round < 12; round++) {
        shuffle(*state, &l, &seed, round % 2 == 0 ? 40 : 500);
        str image = save(*state, l.words);
        words_free(l.words);
        l.words = load(image);
        check_all(*state, &l);
        assert_true(str_eq(save(*state, l.words), image));
        if (round % 3 == 0)
            words_trim(l.words);
        check_all(*state, &l);
    }
    words_free(l.words);
}

/* Two loaded indexes become one, and their images do not change. */
static void test_take_loaded(void **state)
{
    struct library l;
    struct words *halves[2];
    str images[2], kept[2];
    uint32_t seed = 521288629u;
    open_library(&l);
    struct words *unused = l.words;
    for (uint32_t half = 0; half < 2; half++) {
        l.words = words_create();
        for (uint32_t id = half; id < DOCS_MAX; id += 2) {
            const char *title = random_text(*state, &seed);
            put(&l, id, title, random_text(*state, &seed));
        }
        images[half] = save(*state, l.words);
        kept[half] = arena_str(*state, images[half]);
        words_free(l.words);
        halves[half] = load(images[half]);
    }
    words_free(unused);
    words_take(halves[0], halves[1]);
    words_free(halves[1]);
    l.words = halves[0];
    check_all(*state, &l);
    words_trim(l.words);
    check_all(*state, &l);
    for (size_t half = 0; half < 2; half++)
        assert_true(str_eq(images[half], kept[half]));
    words_free(l.words);
}

/* A loaded index has its own changes: another one of the same image does not see them. */
static void test_two_of_an_image(void **state)
{
    struct library one, two;
    uint32_t seed = 88675123u;
    open_library(&one);
    shuffle(*state, &one, &seed, 300);
    str image = save(*state, one.words);
    str kept = arena_str(*state, image);
    words_free(one.words);
    two = one;
    one.words = load(image);
    two.words = load(image);
    shuffle(*state, &one, &seed, 700);
    check_all(*state, &one);
    check_all(*state, &two);
    assert_memory_equal(image.p, kept.p, image.n);
    words_free(one.words);
    words_free(two.words);
}

static void test_empty_image(void **state)
{
    struct library l;
    open_library(&l);
    str image = save(*state, l.words);
    words_free(l.words);
    l.words = load(image);
    assert_int_equal(words_count(l.words), 0);
    CHECK_STR("nothing", found(*state, &l, "apple"), "");
    put(&l, 1, "", "apple");
    CHECK_STR("something", found(*state, &l, "apple"), "1");
    words_free(l.words);
}

/* A truncated image is refused; one with a changed byte is refused or safe to use. */
static void test_damaged(void **state)
{
    struct library l;
    uint32_t seed = 521288629u;
    open_library(&l);
    shuffle(*state, &l, &seed, 100);
    str image = save(*state, l.words);
    words_free(l.words);
    char *copy = mem_alloc(image.n);
    struct words *w = NULL;
    for (size_t n = 0; n < image.n; n++) {
        struct err err = {0};
        memcpy(copy, image.p, image.n);
        assert_false(words_load((str){copy, n}, &w, &err));
        assert_int_equal(err.code, ERR_INVALID);
        copy[n] = (char)next_random(&seed);
        if (!words_load((str){copy, image.n}, &w, &err))
            continue;
        l.words = w;
        search(*state, &l, queries[n % COUNT_OF(queries)]);
        words_free(w);
    }
    free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_take),
        ARENA_TEST(test_take_empty),
        ARENA_TEST(test_take_loaded),
        ARENA_TEST(test_save_and_load),
        ARENA_TEST(test_two_of_an_image),
        ARENA_TEST(test_empty_image),
        ARENA_TEST(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
