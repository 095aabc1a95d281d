#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "check.h"

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

static void count(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

/* A gate holds workers until it is opened. */
struct gate {
    atomic_int waiting;
    atomic_bool open;
};

static void pass(void *arg)
{
    struct gate *g = arg;
    atomic_fetch_add(&g->waiting, 1);
    while (!atomic_load(&g->open))
        sleep_ms(1);
}

static void fill_workers(struct pool *p, struct gate *g, int n)
{
    for (int i = 0; i < n; i++)
        assert_true(pool_try(p, pass, g));
    while (atomic_load(&g->waiting) < n)
        sleep_ms(1);
}

struct producer {
    struct pool *pool;
    atomic_int *done;
};

static void *produce(void *arg)
{
    struct producer *from = arg;
    for (int i = 0; i < 10000; i++)
        pool_submit(from->pool, count, from->done);
    return NULL;
}

static void test_many(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct pool *p = pool_create(4, 64);
    struct producer from = {p, &done};
    pthread_t threads[8];
    for (size_t i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, produce, &from);
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    pool_free(p);
    CHECK_INT("each job ran once", atomic_load(&done), 80000);
}

static void test_free_waits(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        atomic_int done = 0;
        struct pool *p = pool_create(3, 1000);
        for (int i = 0; i < 1000; i++)
            assert_true(pool_try(p, count, &done));
        pool_free(p);
        CHECK_INT("queued jobs ran", atomic_load(&done), 1000);
    }
    pool_free(pool_create(0, 0));
    pool_free(NULL);
}

static void test_full(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct gate g = {0};
    struct pool *p = pool_create(2, 3);
    fill_workers(p, &g, 2);
    for (int i = 0; i < 3; i++)
        CHECK("room", pool_try(p, count, &done));
    CHECK("full", !pool_try(p, count, &done));
    CHECK_INT("none ran", atomic_load(&done), 0);
    atomic_store(&g.open, true);
    pool_submit(p, count, &done);
    pool_free(p);
    CHECK_INT("all", atomic_load(&done), 4);
}

static void *open_soon(void *arg)
{
    sleep_ms(30);
    atomic_store(&((struct gate *)arg)->open, true);
    return NULL;
}

static void test_submit_waits(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct gate g = {0};
    struct pool *p = pool_create(1, 1);
    fill_workers(p, &g, 1);
    assert_true(pool_try(p, count, &done));
    pthread_t opener;
    uint64_t start = clock_ms();
    pthread_create(&opener, NULL, open_soon, &g);
    pool_submit(p, count, &done);
    CHECK("waited for room", clock_ms() - start >= 29);
    pthread_join(opener, NULL);
    pool_free(p);
    CHECK_INT("both ran", atomic_load(&done), 2);
}

static void test_threads_run_together(void **state)
{
    (void)state;
    struct gate g = {0};
    struct pool *p = pool_create(8, 8);
    fill_workers(p, &g, 8); /* would hang if two jobs shared a worker */
    atomic_store(&g.open, true);
    pool_free(p);
}

struct order {
    pthread_mutex_t lock;
    int seen[64];
    int n;
};

struct mark {
    struct order *order;
    int id;
    uint64_t due; /* not before */
    bool early;
};

static void note(void *arg)
{
    struct mark *m = arg;
    pthread_mutex_lock(&m->order->lock);
    m->early = clock_ms() < m->due;
    m->order->seen[m->order->n++] = m->id;
    pthread_mutex_unlock(&m->order->lock);
}

static void test_later_order(void **state)
{
    (void)state;
    static const unsigned delays[] = {60, 20, 100, 20, 0, 80, 40, 20};
    static const int want[] = {4, 1, 3, 7, 6, 0, 5, 2};
    struct order order = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct mark marks[COUNT_OF(delays)];
    struct pool *p = pool_create(1, 1); /* one worker, so the order is visible */
    for (size_t i = 0; i < COUNT_OF(delays); i++) {
        marks[i] = (struct mark){&order, (int)i, clock_ms() + delays[i], false};
        pool_later(p, delays[i], note, &marks[i]);
    }
    sleep_ms(300);
    pool_free(p);
    assert_int_equal(order.n, COUNT_OF(delays));
    for (size_t i = 0; i < COUNT_OF(delays); i++) {
        CHECK_INT("order", order.seen[i], want[i]);
        CHECK("not early", !marks[i].early);
    }
}

static void test_later_when_full(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct gate g = {0};
    struct pool *p = pool_create(1, 2);
    fill_workers(p, &g, 1);
    for (int i = 0; i < 1000; i++)
        pool_later(p, 1, count, &done);
    sleep_ms(20);
    CHECK("the due ones fill the queue", !pool_try(p, count, &done));
    atomic_store(&g.open, true);
    for (int i = 0; i < 500 && atomic_load(&done) < 1000; i++)
        sleep_ms(10);
    CHECK_INT("none is lost", atomic_load(&done), 1000);
    pool_later(p, 3600000, count, &done);
    pool_free(p); /* does not wait for an hour */
    CHECK_INT("what is not due is dropped", atomic_load(&done), 1000);
}

struct again {
    struct pool *pool;
    atomic_int left;
};

static void repeat(void *arg)
{
    struct again *more = arg;
    if (atomic_fetch_sub(&more->left, 1) > 1)
        assert_true(pool_try(more->pool, repeat, more));
}

/* Jobs may submit jobs, also while pool_free() waits. */
static void test_jobs_submit(void **state)
{
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct again more = {pool_create(2, 4), 100};
        assert_true(pool_try(more.pool, repeat, &more));
        pool_free(more.pool);
        CHECK_INT("all ran", atomic_load(&more.left), 0);
    }
}

static void read_mask(void *arg)
{
    pthread_sigmask(SIG_SETMASK, NULL, arg);
}

static void test_signals(void **state)
{
    (void)state;
    sigset_t before, after, worker, timer;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    struct pool *p = pool_create(1, 4);
    pool_submit(p, read_mask, &worker);
    pool_later(p, 0, read_mask, &timer);
    sleep_ms(50);
    pool_free(p);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK("worker blocks SIGTERM", sigismember(&worker, SIGTERM) == 1);
    CHECK("and SIGHUP", sigismember(&timer, SIGHUP) == 1);
    CHECK("the caller does not",
          sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM));
}

/* A job that waits for something else. */
static void wait_away(void *arg)
{
    struct gate *g = arg;
    if (!pool_leave())
        return;
    atomic_fetch_add(&g->waiting, 1);
    while (!atomic_load(&g->open))
        sleep_ms(1);
    pool_return();
}

static void test_leave(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct gate away = {0}, g = {0};
    struct pool *p = pool_create(2, 64);
    CHECK("no worker", pool_leave());
    pool_return();
    for (int i = 0; i < POOL_AWAY_MAX; i++)
        assert_true(pool_try(p, wait_away, &away));
    while (atomic_load(&away.waiting) < POOL_AWAY_MAX)
        sleep_ms(1);
    fill_workers(p, &g, 2); /* all workers are still there */
    atomic_store(&g.open, true);
    for (int i = 0; i < 20; i++) /* too many: they do not wait */
        assert_true(pool_try(p, wait_away, &away));
    assert_true(pool_try(p, count, &done));
    while (atomic_load(&done) == 0)
        sleep_ms(1);
    CHECK_INT("refused", atomic_load(&away.waiting), POOL_AWAY_MAX);
    atomic_store(&away.open, true);
    for (int i = 0; i < 40; i++)
        assert_true(pool_try(p, count, &done));
    pool_free(p);
    CHECK_INT("all ran", atomic_load(&done), 41);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_free_waits),
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_submit_waits),
        cmocka_unit_test(test_threads_run_together),
        cmocka_unit_test(test_leave),
        cmocka_unit_test(test_later_order),
        cmocka_unit_test(test_later_when_full),
        cmocka_unit_test(test_jobs_submit),
        cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
