#include "vault/meaning/dot.h"

#include "check.h"

enum { ROWS = 7, LONGEST = 128 };

/* The fastest way gives the same as the plain one, also for the largest numbers. */
static void test_same(void **state)
{
    (void)state;
    static _Alignas(DOT_ALIGN) int8_t query[LONGEST], rows[ROWS * LONGEST];
    uint32_t seed = 1;
    for (size_t length = DOT_ALIGN; length <= LONGEST; length += DOT_ALIGN)
        for (int round = 0; round < 50; round++) {
            for (size_t i = 0; i < ROWS * length; i++) {
                seed = seed * 1664525 + 1013904223;
                rows[i] = round == 0 ? INT8_MIN : (int8_t)(seed >> 24);
                query[i % length] = round == 0 ? INT8_MIN : (int8_t)(seed >> 16);
            }
            int32_t fast[ROWS], plain[ROWS];
            dot_best()(query, rows, length, ROWS, fast);
            dot_portable(query, rows, length, ROWS, plain);
            assert_memory_equal(fast, plain, sizeof(fast));
        }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
