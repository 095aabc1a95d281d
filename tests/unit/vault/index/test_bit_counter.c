#include "vault/index/bit_counter.h"

#include "check.h"

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed ^ *seed >> 29;
}

static bool has(const uint64_t *row, size_t column)
{
    return (row[column / 64] >> column % 64 & 1) != 0;
}

/* As counting one by one, for few and for many rows. */
static void test_counts(void **state)
{
    (void)state;
    enum { ROWS_MAX = 120, ROUNDS = 60 };
    static uint64_t bits[ROWS_MAX][BIT_COUNTER_WORDS];
    struct bit_counter_row rows[ROWS_MAX];
    uint64_t seed = 7, out[BIT_COUNTER_WORDS];
    for (int round = 0; round < ROUNDS; round++) {
        size_t n = next_random(&seed) % (ROWS_MAX + 1);
        unsigned least = 1 + (unsigned)(next_random(&seed) % (n + 3));
        for (size_t i = 0; i < n; i++) {
            rows[i] = (struct bit_counter_row){bits[i], round % 3 == 0 ? UINT64_MAX : 0};
            for (size_t k = 0; k < BIT_COUNTER_WORDS; k++)
                bits[i][k] = next_random(&seed);
        }
        bit_counter_least(rows, n, least, out);
        for (size_t column = 0; column < BIT_COUNTER_COLUMNS; column++) {
            size_t count = 0;
            for (size_t i = 0; i < n; i++)
                count += has(bits[i], column) != (rows[i].flip != 0);
            CHECK_INT("reached", has(out, column), count >= least);
        }
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
