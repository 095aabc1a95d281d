#include "base/sort.h"

#include <stdlib.h>

#include "check.h"
#include "rounds.h"

static int by_distance(const void *a, const void *b, void *arg)
{
    int from = *(const int *)arg;
    return abs(*(const int *)a - from) - abs(*(const int *)b - from);
}

static void test_sort_with(void **state)
{
    (void)state;
    int numbers[] = {1, 20, 9, 14, 12}, from = 12;
    static const int want[] = {12, 14, 9, 20, 1};
    sort_with(numbers, COUNT_OF(numbers), sizeof(*numbers), by_distance, &from);
    assert_memory_equal(numbers, want, sizeof(want));
}

/* Equal keys keep the order of their places, whatever the size of an item is. */
static int by_key(const void *a, const void *b)
{
    uint16_t x, y;
    memcpy(&x, a, sizeof(x));
    memcpy(&y, b, sizeof(y));
    return (x > y) - (x < y);
}

static void check_sorted(const char *items, size_t n, size_t size)
{
    for (size_t i = 1; i < n; i++) {
        uint16_t one[2], next[2];
        memcpy(one, items + (i - 1) * size, sizeof(one));
        memcpy(next, items + i * size, sizeof(next));
        if (one[0] > next[0] || (one[0] == next[0] && one[1] >= next[1]))
            fail_msg("size %zu: item %zu of %zu", size, i, n);
        for (size_t at = sizeof(next); at < size; at++)
            assert_int_equal((uint8_t)items[i * size + at], (uint8_t)(next[1] + at));
    }
}

static void test_stable(void **state)
{
    (void)state;
    enum { ITEMS_MAX = 700, SIZE_MAX_TRIED = 72 };
    static const size_t sizes[] = {4, 8, 12, 16, 24, 32, SIZE_MAX_TRIED};
    static char items[ITEMS_MAX * SIZE_MAX_TRIED];
    uint32_t seed = 1;
    for (int round = 0; round < rounds(400); round++) {
        size_t size = sizes[(size_t)round % COUNT_OF(sizes)];
        seed = seed * 1664525 + 1013904223;
        size_t n = seed >> 8 & 1 ? (seed >> 16) % 10 : (seed >> 16) % ITEMS_MAX;
        uint32_t keys = 1 + (seed >> 4) % 40;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            uint16_t head[2] = {(uint16_t)((seed >> 16) % keys), (uint16_t)i};
            memcpy(items + i * size, head, sizeof(head));
            for (size_t at = sizeof(head); at < size; at++)
                items[i * size + at] = (char)(i + at);
        }
        sort_items(items, n, size, by_key);
        check_sorted(items, n, size);
    }
    sort_items(NULL, 0, 8, by_key);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort_with),
        cmocka_unit_test(test_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
