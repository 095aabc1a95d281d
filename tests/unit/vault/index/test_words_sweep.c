/* Dead documents are removed from the lists gradually. */
#include <stdio.h>

#include "vault/index/words_index.h"

#include "words_library.h"

enum { WORDS_EACH = 600, ROUNDS = 16 };

/* A text with unique words, and some words that all texts have. */
static const char *own_text(struct arena *a, unsigned number)
{
    struct sbuf b = SBUF_ON(a);
    for (unsigned i = 0; i < WORDS_EACH; i++)
        sbuf_printf(&b, "w%ux%u ", number, i);
    sbuf_add(&b, STR("apple e-mail star stars the"));
    sbuf_char(&b, '\0');
    return b.p;
}

static uint32_t dead(const struct words *w)
{
    return w->n_slots - 1 - w->live;
}

/* Replace a document, which does a limited amount of work on the lists. */
static void change(struct arena *a, struct library *l, unsigned number)
{
    const struct words *w = l->words;
    uint32_t from = w->sweep.moved != NULL ? w->sweep.at : 0, n = w->n_terms;
    uint32_t *used = mem_alloc(n * sizeof(*used) + 1);
    for (uint32_t t = 0; t < n; t++)
        used[t] = w->terms[t].used;
    put(l, number % DOCS_MAX, "", own_text(a, number));

    size_t done = 0;
    uint32_t to = w->sweep.moved != NULL ? w->sweep.at : 0;
    for (uint32_t t = from; t + 1 < to; t++) /* the last list may be long */
        done += WORDS_SWEEP_TERM + used[t];
    free(used);
    assert_true(done <= WORDS_SWEEP_BYTES);
}

/* No change rewrites much, answers are right during a sweep, and memory is reused. */
static void test_bit_by_bit(void **state)
{
    static const char *const queries[] = {"apple", "star*", "-the", "e-mail", "w450x7"};
    struct library l;
    struct arena text = {0};
    open_library(&l);
    size_t begun = 0, between = 0, at_first = 0;
    for (unsigned i = 0; i < DOCS_MAX * ROUNDS; i++) {
        bool ran = l.words->sweep.moved != NULL;
        change(&text, &l, i);
        bool runs = l.words->sweep.moved != NULL;
        begun += runs && !ran;
        if (runs && ran && between++ % 8 == 3)
            check_same(*state, &l, queries[between / 8 % COUNT_OF(queries)]);
        if (i == DOCS_MAX * 8)
            at_first = words_memory(l.words);
    }
    assert_true(begun >= 2);
    assert_true(between >= 2 * begun);
    assert_true(dead(l.words) < DOCS_MAX * 8);
    assert_true(words_memory(l.words) < at_first * 2);
    for (size_t i = 0; i < COUNT_OF(queries); i++)
        check_same(*state, &l, queries[i]);
    words_free(l.words);
    arena_release(&text);
}

static void write_image(void *arg, const void *bytes, size_t n)
{
    sbuf_add(arg, (str){bytes, n});
}

/* Anything may happen to an index in the middle of a sweep. */
static void test_half_way(void **state)
{
    struct library l;
    struct arena text = {0};
    unsigned i = 0;
    open_library(&l);
    while (l.words->sweep.moved == NULL)
        change(&text, &l, i++);
    for (uint32_t id = 0; id < DOCS_MAX; id += 3) {
        words_remove(l.words, id);
        l.docs[id].id = UINT32_MAX;
    }
    assert_non_null(l.words->sweep.moved);
    check_same(*state, &l, "apple");
    check_same(*state, &l, "star*");
    struct sbuf image = SBUF_ON(*state);
    struct err err = {0};
    words_save(l.words, write_image, &image);
    words_free(l.words);
    if (!words_load(sbuf_str(&image), &l.words, &err))
        fail_msg("%s", err.msg);
    assert_null(l.words->sweep.moved);
    check_same(*state, &l, "star*");
    put(&l, 0, "", "apple anew");
    check_same(*state, &l, "apple");
    check_same(*state, &l, "anew");
    words_free(l.words);
    arena_release(&text);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_bit_by_bit),
        ARENA_TEST(test_half_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
