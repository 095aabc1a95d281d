#include "vault/index/order.h"

#include "check.h"

enum { NUMBERS = 50, STEPS = 3000 };

/* By rank, then by number; rank 0: not there. */
struct ranks {
    unsigned of[NUMBERS];
};

static bool has(const void *of, uint32_t number)
{
    return ((const struct ranks *)of)->of[number] > 0;
}

static int compare(const void *of, uint32_t a, uint32_t b)
{
    const unsigned *ranks = ((const struct ranks *)of)->of;
    return ranks[a] != ranks[b] ? (ranks[a] > ranks[b]) - (ranks[a] < ranks[b])
                                : (a > b) - (a < b);
}

static const struct order_by by_rank = {has, compare};

static void check_order(struct order *o, const struct ranks *r)
{
    const uint32_t *items;
    size_t n = order_items(o, NUMBERS, &items), there = 0;
    for (uint32_t i = 0; i < NUMBERS; i++)
        there += has(r, i);
    CHECK_INT("all of them", n, there);
    for (size_t i = 0; i < n; i++) {
        CHECK("is there", has(r, items[i]));
        CHECK("in order", i == 0 || compare(r, items[i - 1], items[i]) < 0);
    }
}

static unsigned roll(unsigned *random, unsigned n)
{
    *random = *random * 1103515245 + 12345;
    return (*random >> 16) % n;
}

static void test_random(void **state)
{
    (void)state;
    struct ranks r = {{0}};
    struct order *o = order_create(&by_rank, &r);
    unsigned random = 1;
    for (int step = 0; step < STEPS; step++) {
        uint32_t i = roll(&random, NUMBERS);
        if (has(&r, i))
            order_remove(o, i);
        r.of[i] = roll(&random, 10);
        if (has(&r, i))
            order_add(o, i);
        if (roll(&random, 100) == 0)
            order_forget(o);
        if (roll(&random, 5) == 0)
            check_order(o, &r);
    }
    order_free(o);
}

static void test_places(void **state)
{
    (void)state;
    struct ranks r = {{3, 1, 2}};
    const uint32_t *items;
    struct order *o = order_create(&by_rank, &r);
    CHECK("not made yet", order_add(o, 0) == ORDER_NONE);
    CHECK_INT("three", order_items(o, NUMBERS, &items), 3);
    CHECK_INT("in the middle", order_remove(o, 2), 1);
    CHECK("only once", order_remove(o, 2) == ORDER_NONE);
    r.of[2] = 5;
    CHECK_INT("at the end", order_add(o, 2), 2);
    r.of[9] = 1;
    CHECK_INT("equal ranks", order_add(o, 9), 1);
    check_order(o, &r);
    CHECK("memory", order_memory(o) > 0);
    order_free(o);
    order_free(NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
