#include "base/os/sort.h"

#include <stdlib.h>

#include "check.h"

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

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sort_with)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
