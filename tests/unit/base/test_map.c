#include "base/map.h"

#include "check.h"

enum { MANY = 5000 };

static str key_of(struct arena *a, unsigned i)
{
    return arena_printf(a, "key %u", i * i);
}

static void check_many(struct map *m, struct arena *a)
{
    CHECK_INT("nothing in it", map_find(m, STR("key 0")), MAP_NONE);
    for (unsigned round = 0; round < 2; round++)
        for (unsigned i = 0; i < MANY; i++)
            CHECK_INT("numbers in order", map_add(m, key_of(a, i)), i);
    CHECK_INT("each once", m->n, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        CHECK_INT("found", map_find(m, key_of(a, i)), i);
        CHECK("its key", str_eq(m->keys[i], key_of(a, i)));
    }
    CHECK_INT("another one", map_find(m, STR("key 2")), MAP_NONE);
}

static void test_arena(void **state)
{
    struct map m = {.arena = *state};
    check_many(&m, *state);
}

static void test_heap(void **state)
{
    struct map m = {0};
    check_many(&m, *state);
    map_clear(&m);
    check_many(&m, *state);
    map_release(&m);
    map_reserve(&m.index, NULL, MANY);
    check_many(&m, *state);
    map_release(&m);
}

static void test_new(void **state)
{
    static const struct {
        const char *key;
        bool is_new;
    } cases[] = {{"a", true}, {"", true}, {"b", true}, {"a", false}, {"", false}};
    struct map m = {.arena = *state};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].key, map_add_new(&m, str_c(cases[i].key)), cases[i].is_new);
    CHECK("a NUL is a byte like others", map_add_new(&m, (str){"a\0", 2}));
}

/* Several numbers with the same hash come in the order of insertion. */
static void test_index(void **state)
{
    (void)state;
    struct map_index x = {0};
    size_t at = 0;
    CHECK_INT("empty", map_next(&x, 7, &at), MAP_NONE);
    for (uint32_t i = 0; i < MANY; i++)
        map_put(&x, NULL, i % 1000, i);
    for (uint32_t hash = 0; hash < 1000; hash++) {
        at = 0;
        for (uint32_t i = hash; i < MANY; i += 1000)
            CHECK_INT("in order", map_next(&x, hash, &at), i);
        CHECK_INT("no more", map_next(&x, hash, &at), MAP_NONE);
    }
    at = 0;
    CHECK_INT("another hash", map_next(&x, 1000, &at), MAP_NONE);
    free(x.slots);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_arena),
        ARENA_TEST(test_heap),
        ARENA_TEST(test_new),
        cmocka_unit_test(test_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
