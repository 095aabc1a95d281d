#include "base/array.h"

#include "check.h"

static void test_full(void **state)
{
    (void)state;
    for (size_t n = 0, cap = 0; n < 5000; n++) {
        CHECK_INT("full when the room is used up", array_is_full(n), n == cap);
        if (n == cap)
            cap = array_more(cap);
    }
}

static void check_items(const char *row, const uint32_t *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CHECK_INT(row, items[i], i * 7);
}

static void test_arena(void **state)
{
    uint32_t *items = NULL, *others = NULL, n = 0;
    size_t n_others = 0;
    while (n < 5000) { /* two lists together, so that both have to move */
        uint32_t value = n * 7;
        *ARRAY_ADD(*state, items, n) = value;
        *ARRAY_ADD(*state, others, n_others) = value;
    }
    check_items("items", items, n);
    check_items("others", others, n_others);
}

static void test_heap(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t n = 0;
    for (size_t most = 1; most < 100; most += 3) { /* up and down again */
        while (n < most) {
            uint32_t value = (uint32_t)n * 7;
            *ARRAY_ADD(NULL, items, n) = value;
        }
        check_items("items", items, n);
        n = n / 2;
    }
    free(items);
}

static void test_cap(void **state)
{
    uint32_t *items = NULL, n = 0, cap = 0;
    while (n < 1000) {
        uint32_t value = n * 7;
        *ARRAY_ADD_CAP(*state, items, n, cap) = value;
    }
    check_items("items", items, n);
    CHECK_INT("room", cap, 1024);
    for (int i = 0; i < 1000; i++) { /* nothing moves while there is room */
        const uint32_t *before = items;
        n = 8;
        *ARRAY_ADD_CAP(*state, items, n, cap) = 56;
        CHECK("in place", items == before);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),
        ARENA_TEST(test_arena),
        cmocka_unit_test(test_heap),
        ARENA_TEST(test_cap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
