/* Indexes that were saved and loaded answer like fresh ones. */
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

/* Save, load and change, again and again. */
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
    }
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

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_save_and_load),
        ARENA_TEST(test_two_of_an_image),
        ARENA_TEST(test_empty_image),
        ARENA_TEST(test_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
