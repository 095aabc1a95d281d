#include "vault/index/title_bigrams.h"

#include "check.h"
#include "vault/index/derived.h"
#include "vault/index/index.h"

static uint32_t roll(uint32_t *seed, uint32_t n)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % n;
}

static void put(struct index *x, str path)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, path, &info, STR("")), false);
    arena_release(&scratch);
}

static void test_sets(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        unsigned common;
    } cases[] = {
        {"ab", "ab", 2}, {"ab", "AB", 2},       {"ab", "\u00e0b", 2},
        {"ab", "cd", 0}, {"a b", "a - b", 3},   {"a b", "b a", 2},
        {"", "", 0},     {"ab cd", "cd ab", 4}, {"heating", "heatnig", 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct title_bigrams_set a = title_bigrams_of(str_c(cases[i].a)),
                                 b = title_bigrams_of(str_c(cases[i].b));
        CHECK_INT(cases[i].b, title_bigrams_common(&a, &b), cases[i].common);
    }
}

static str some_title(struct arena *a, uint32_t *seed)
{
    static const char *const words[] = {"Boiler", "plan", "heating", "\u0416\u0443\u043a",
                                        "of",     "2024", "the",     "garden"};
    return arena_printf(a, "%s %s %u", words[roll(seed, COUNT_OF(words))],
                        words[roll(seed, COUNT_OF(words))], roll(seed, 300));
}

static void compare(struct arena *a, const struct index *x, str text, unsigned least)
{
    struct title_bigrams_set set = title_bigrams_of(text);
    file_id *ids;
    size_t n = title_bigrams_sharing(index_title_bigrams(x), a, &set, least, &ids),
           at = 0;
    for (file_id id = 0; id < x->n; id++) {
        const struct file *f = x->files[id];
        if (f == NULL || f->kind != FILE_NOTE)
            continue;
        struct title_bigrams_set title = title_bigrams_of(file_title(f->path));
        if (title_bigrams_common(&set, &title) < least)
            continue;
        CHECK(f->path.p, at < n && ids[at] == id);
        at++;
    }
    CHECK_INT("no other", n, at);
}

/* After many changes, the answers are those of reading all titles. */
static void test_many_changes(void **state)
{
    enum { STEPS = 3000, OFTEN = 60 };
    static const char *const kinds[] = {"md", "md", "md", "png"};
    struct arena *a = *state;
    struct index *x = index_create();
    uint32_t seed = 3;
    for (int i = 0; i < STEPS; i++) {
        put(x, arena_printf(a, STR_FMT ".%s", STR_ARG(some_title(a, &seed)),
                            kinds[roll(&seed, COUNT_OF(kinds))]));
        const struct file *old = index_file(x, (file_id)roll(&seed, (uint32_t)x->n));
        if (old != NULL && roll(&seed, 3) == 0)
            index_remove(x, arena_str(a, old->path));
        if (i % OFTEN == 0)
            compare(a, x, some_title(a, &seed), 1 + roll(&seed, 16));
    }
    CHECK("memory", title_bigrams_kind.memory(index_title_bigrams(x)) > 10000);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        ARENA_TEST(test_many_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
