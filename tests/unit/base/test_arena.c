#include "base/arena.h"

#include "check.h"

static void test_sizes(void **state)
{
    struct arena *a = *state;
    static const size_t sizes[] = {0,    1,    15,      16,      17, 4095,
                                   4096, 4097, 1 << 20, 5 << 20, 1};
    unsigned char *got[COUNT_OF(sizes)];
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        got[i] = arena_alloc(a, sizes[i]);
        CHECK_INT("aligned", (uintptr_t)got[i] % _Alignof(max_align_t), 0);
        memset(got[i], (int)i + 1, sizes[i]);
    }
    /* Nothing was handed out twice. */
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t k = 0; k < sizes[i]; k++)
            assert_int_equal(got[i][k], i + 1);
}

static void test_zero(void **state)
{
    struct arena *a = *state;
    memset(arena_alloc(a, 3000), 0xAA, 3000);
    arena_reset(a);
    const unsigned char *p = arena_zero(a, 3000);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(p[i], 0);
    const int *numbers = ARENA_ARRAY(a, int, 10);
    CHECK_INT("array", numbers[9], 0);
}

static void test_reset(void **state)
{
    struct arena *a = *state;
    CHECK_INT("empty", arena_size(a), 0);
    arena_reset(a);
    arena_alloc(a, 10);
    for (int i = 0; i < 1000; i++)
        arena_alloc(a, 1000);
    CHECK("grew", arena_size(a) > 1000 * 1000);
    arena_reset(a);
    size_t kept = arena_size(a);
    CHECK("keeps something", kept > 0);
    CHECK("but little", kept <= (64 << 10) + 64);
    void *first = arena_alloc(a, 10);
    arena_reset(a);
    CHECK("and uses it again", arena_alloc(a, 10) == first);
    CHECK_INT("without growing", arena_size(a), kept);
    arena_alloc(a, 10 << 20);
    arena_reset(a);
    CHECK_INT("a giant is let go", arena_size(a), kept);
    arena_release(a);
    CHECK_INT("released", arena_size(a), 0);
    arena_alloc(a, 10);
}

static void test_grow(void **state)
{
    struct arena *a = *state;
    char *p = arena_grow(a, NULL, 0, 4);
    memcpy(p, "abcd", 4);
    char *same = arena_grow(a, p, 4, 2000);
    CHECK("in place while last", same == p);
    arena_alloc(a, 1);
    char *moved = arena_grow(a, same, 2000, 3000);
    CHECK("a copy when not last", moved != same && memcmp(moved, "abcd", 4) == 0);
    char *large = arena_grow(a, moved, 3000, 2 << 20);
    CHECK("a copy when the chunk is full", memcmp(large, "abcd", 4) == 0);
    memset(large, 1, 2 << 20);
}

static void test_text(void **state)
{
    struct arena *a = *state;
    str copy = arena_str(a, STR("a\0b"));
    CHECK_INT("NUL inside", copy.n, 3);
    CHECK_INT("NUL after", copy.p[3], 0);
    CHECK_STR("empty", arena_str(a, (str){0}), "");
    CHECK_STR("printf", arena_printf(a, "%d-%s", 7, "x"), "7-x");
    CHECK_STR("one", arena_count(a, 1, "note", "notes"), "1 note");
    CHECK_STR("none", arena_count(a, 0, "note", "notes"), "0 notes");
    str large = arena_printf(a, "%10000d", 1);
    CHECK_INT("long printf", large.n, 10000);
    char *heap = mem_str(STR("abc"));
    assert_string_equal(heap, "abc");
    free(heap);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_sizes), ARENA_TEST(test_zero), ARENA_TEST(test_reset),
        ARENA_TEST(test_grow),  ARENA_TEST(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
