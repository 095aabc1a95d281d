#include "base/parallel.h"

#include <stdatomic.h>
#include <time.h>

#include "check.h"

enum { WORKERS_MAX = 16 };

struct seen {
    atomic_int *times; /* of each item */
    atomic_int busy[WORKERS_MAX];
    size_t workers;
    atomic_int wrong;
};

static void sleep_us(long us)
{
    nanosleep(&(struct timespec){0, us * 1000}, NULL);
}

static void see(void *arg, size_t i, size_t worker)
{
    struct seen *s = arg;
    if (worker >= s->workers || atomic_fetch_add(&s->busy[worker], 1) != 0)
        atomic_fetch_add(&s->wrong, 1);
    atomic_fetch_add(&s->times[i], 1);
    if (i % 16 == 0)
        sleep_us(50); /* so that others get a turn */
    if (worker < s->workers)
        atomic_fetch_sub(&s->busy[worker], 1);
}

static void check_loop(struct arena *a, const char *row, struct pool *p, size_t n)
{
    struct seen s = {.times = ARENA_ARRAY(a, atomic_int, n),
                     .workers = parallel_workers(p)};
    CHECK(row, s.workers >= 1 && s.workers <= WORKERS_MAX);
    parallel_each(p, n, see, &s);
    for (size_t i = 0; i < n; i++)
        CHECK_INT(row, atomic_load(&s.times[i]), 1);
    CHECK_INT(row, atomic_load(&s.wrong), 0);
}

static void test_each_once(void **state)
{
    static const size_t counts[] = {0, 1, 2, 3, 5, 64, 1000, 20000};
    struct pool *pools[] = {NULL, pool_create(1, 1), pool_create(4, 64),
                            pool_create(8, 1), pool_create(3, 0)};
    for (size_t p = 0; p < COUNT_OF(pools); p++) {
        for (size_t i = 0; i < COUNT_OF(counts); i++)
            check_loop(*state, pools[p] != NULL ? "with a pool" : "alone", pools[p],
                       counts[i]);
        pool_free(pools[p]);
    }
}

struct gate {
    atomic_int waiting;
    atomic_bool open;
};

static void pass(void *arg)
{
    struct gate *g = arg;
    atomic_fetch_add(&g->waiting, 1);
    while (!atomic_load(&g->open))
        sleep_us(500);
}

/* Helpers that start too late find nothing to do, and the memory is still valid. */
static void test_busy_pool(void **state)
{
    struct gate g = {0};
    struct pool *p = pool_create(2, 8);
    for (int i = 0; i < 2; i++)
        assert_true(pool_try(p, pass, &g));
    while (atomic_load(&g.waiting) < 2)
        sleep_us(500);
    check_loop(*state, "no helpers", p, 100);
    check_loop(*state, "nor now", p, 100);
    check_loop(*state, "nor later, the queue being full", p, 100);
    check_loop(*state, "or more than full", p, 100);
    check_loop(*state, "or more than full", p, 100);
    atomic_store(&g.open, true);
    pool_free(p);
}

static void count_inner(void *arg, size_t i, size_t worker)
{
    (void)i;
    (void)worker;
    atomic_fetch_add((atomic_int *)arg, 1);
}

struct nested {
    struct pool *pool;
    struct gate start;
    atomic_int count;
};

static void loop_inside(void *arg, size_t i, size_t worker)
{
    (void)i;
    (void)worker;
    struct nested *n = arg;
    parallel_each(n->pool, 20, count_inner, &n->count);
}

static void job(void *arg)
{
    struct nested *n = arg;
    pass(&n->start);
    parallel_each(n->pool, 20, loop_inside, n);
}

/* The jobs start together: a loop of the first would fill the queue before the last. */
static void test_inside_of_jobs(void **state)
{
    (void)state;
    enum { JOBS = 8 };
    for (int round = 0; round < 20; round++) {
        struct nested n = {.pool = pool_create(2, JOBS)};
        for (int i = 0; i < JOBS; i++)
            assert_true(pool_try(n.pool, job, &n));
        atomic_store(&n.start.open, true);
        pool_free(n.pool);
        CHECK_INT("all ran", atomic_load(&n.count), JOBS * 20 * 20);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_each_once),
        ARENA_TEST(test_busy_pool),
        cmocka_unit_test(test_inside_of_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
