#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "base/clock.h"
#include "check.h"
#include "until.h"

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
    atomic_int waiting, refused;
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
        pool_submit_for(from->pool, 0, count, from->done);
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
    pool_submit_for(p, 0, count, &done);
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
    pool_submit_for(p, 0, count, &done);
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
    CHECK_INT("all are inside at once", atomic_load(&g.waiting), 8);
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
    uint64_t due, late; /* not before; what was due when it was asked for */
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

static size_t count_seen(struct order *order)
{
    pthread_mutex_lock(&order->lock);
    size_t n = (size_t)order->n;
    pthread_mutex_unlock(&order->lock);
    return n;
}

/* By the time when they are due, which depends on when the machine let us ask for them. */
static void test_later_order(void **state)
{
    (void)state;
    static const unsigned delays[] = {60, 20, 100, 20, 0, 80, 40, 20};
    struct order order = {.lock = PTHREAD_MUTEX_INITIALIZER};
    struct mark marks[COUNT_OF(delays)];
    struct pool *p = pool_create(1, 1); /* one worker, so the order is visible */
    for (size_t i = 0; i < COUNT_OF(delays); i++) {
        marks[i] = (struct mark){&order, (int)i, clock_ms() + delays[i], 0, false};
        pool_later(p, delays[i], note, &marks[i]);
        marks[i].late = clock_ms() + delays[i];
    }
    UNTIL(count_seen(&order) == COUNT_OF(delays));
    pool_free(p);
    for (size_t i = 0; i < COUNT_OF(delays); i++) {
        const struct mark *m = &marks[order.seen[i]];
        CHECK("not early", !m->early);
        for (size_t k = 0; k < i; k++) {
            const struct mark *before = &marks[order.seen[k]];
            CHECK("by time", m->late >= before->due);
            CHECK("as asked for",
                  delays[m->id] != delays[before->id] || m->id > before->id);
        }
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
    int all = 1000;
    while (pool_try(p, count, &done)) /* until the due ones fill the queue */
        all++;
    atomic_store(&g.open, true);
    UNTIL(atomic_load(&done) == all); /* none is lost */
    pool_later(p, 3600000, count, &done);
    pool_free(p); /* does not wait for an hour */
    CHECK_INT("what is not due is dropped", atomic_load(&done), all);
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

struct mask {
    sigset_t set;
    atomic_bool read;
};

static void read_mask(void *arg)
{
    struct mask *m = arg;
    pthread_sigmask(SIG_SETMASK, NULL, &m->set);
    atomic_store(&m->read, true);
}

static void test_signals(void **state)
{
    (void)state;
    sigset_t before, after;
    struct mask worker = {0}, timer = {0};
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    struct pool *p = pool_create(1, 4);
    pool_submit_for(p, 0, read_mask, &worker);
    pool_later(p, 0, read_mask, &timer);
    UNTIL(atomic_load(&worker.read) && atomic_load(&timer.read));
    pool_free(p);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    CHECK("worker blocks SIGTERM", sigismember(&worker.set, SIGTERM) == 1);
    CHECK("and SIGHUP", sigismember(&timer.set, SIGHUP) == 1);
    CHECK("the caller does not",
          sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM));
}

/* A job that waits for something else. */
static void wait_away(void *arg)
{
    struct gate *g = arg;
    if (!pool_leave()) {
        atomic_fetch_add(&g->refused, 1);
        return;
    }
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
    UNTIL(atomic_load(&done) == 1 && atomic_load(&away.refused) == 20);
    CHECK_INT("refused", atomic_load(&away.waiting), POOL_AWAY_MAX);
    atomic_store(&away.open, true);
    for (int i = 0; i < 40; i++)
        assert_true(pool_try(p, count, &done));
    pool_free(p);
    CHECK_INT("all ran", atomic_load(&done), 41);
}

/* --- callers --- */

struct crowd {
    struct pool *pool;
    atomic_int starts; /* of long jobs */
    atomic_int reads;
    atomic_int at_read; /* how many long jobs had started when the last read ran */
    atomic_bool over;
};

struct member {
    struct crowd *crowd;
    uint64_t caller;
};

/* Occupies its worker, then comes again, as a client does that has many such calls. */
static void long_job(void *arg)
{
    struct member *m = arg;
    uint64_t start = clock_ns();
    atomic_fetch_add(&m->crowd->starts, 1);
    while (clock_ns() - start < 2000000) {
    }
    if (!atomic_load(&m->crowd->over))
        assert_true(pool_try(m->crowd->pool, long_job, m));
}

static void read_job(void *arg)
{
    struct crowd *c = arg;
    atomic_store(&c->at_read, atomic_load(&c->starts));
    atomic_fetch_add(&c->reads, 1);
}

/* Jobs of 16 callers fill all workers and the queue; those of another one, which come one
 * after the other, hardly wait for them. In order of submission, each would wait for 128. */
static void test_fair(void **state)
{
    (void)state;
    enum { HOSTILE = 16, OUTSTANDING = 8, READS = 40 };
    struct crowd c = {.pool = pool_create(2, 1024)};
    struct member members[HOSTILE];
    for (int i = 0; i < HOSTILE; i++)
        members[i] = (struct member){&c, (uint64_t)i + 1};
    for (int k = 0; k < OUTSTANDING; k++)
        for (int i = 0; i < HOSTILE; i++)
            assert_true(pool_try_for(c.pool, (uint64_t)i + 1, long_job, &members[i]));
    while (atomic_load(&c.starts) < 2 * HOSTILE) /* each has used the workers */
        sleep_ms(1);
    int between = 0; /* a submission and its run; how late we are does not count */
    for (int i = 0; i < READS; i++) {
        assert_true(pool_try_for(c.pool, 1000, read_job, &c));
        int before = atomic_load(&c.starts);
        while (atomic_load(&c.reads) <= i)
            sleep_ms(0);
        int waited = atomic_load(&c.at_read) - before;
        between += waited > 0 ? waited : 0;
    }
    atomic_store(&c.over, true);
    pool_free(c.pool);
    CHECK("brief jobs do not wait for the queue", between < READS * HOSTILE);
}

/* As a brief job on a machine whose processors are busy. */
static void count_after_a_while(void *done)
{
    sleep_ms(POOL_LIGHT_MS + 1);
    atomic_fetch_add((atomic_int *)done, 1);
}

static void count_after_work(void *done)
{
    uint64_t end = clock_thread_ns() + (POOL_LIGHT_MS + 1) * UINT64_C(1000000);
    while (clock_thread_ns() < end)
        ;
    atomic_fetch_add((atomic_int *)done, 1);
}

/* While one caller occupies every worker, another one's job runs at once. */
static void test_spare_worker(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct gate g = {0}, other = {0};
    struct pool *p = pool_create(2, 64);
    for (int i = 0; i < 10; i++)
        assert_true(pool_try_for(p, 1, pass, &g));
    while (atomic_load(&g.waiting) < 2)
        sleep_ms(1);
    for (int i = 0; i < 10; i++) {
        assert_true(pool_try_for(p, 100 + (uint64_t)i, count, &done));
        while (atomic_load(&done) <= i)
            sleep_ms(1);
    }
    assert_true(pool_try_for(p, 3, pass, &other)); /* one more, not any number of them */
    while (atomic_load(&other.waiting) < 1)
        sleep_ms(1);
    assert_true(pool_try_for(p, 2, count, &done));
    sleep_ms(20);
    CHECK_INT("the next one waits", atomic_load(&done), 10);
    CHECK_INT("and those of the first", atomic_load(&g.waiting), 2);
    atomic_store(&other.open, true);
    while (atomic_load(&done) < 11)
        sleep_ms(1);
    atomic_store(&g.open, true);
    pool_free(p);
}

/* While others occupy all workers and the spare one, brief jobs of a caller that is known to
 * have such run, however many; those of one that had a long job wait. */
static void test_light_callers(void **state)
{
    (void)state;
    enum { READS = 300, READER = 100, HEAVY = 101 };
    atomic_int done = 0, late = 0;
    struct gate g = {0};
    struct pool *p = pool_create(2, 64);
    assert_true(pool_try_for(p, READER, count_after_a_while, &done));
    assert_true(pool_try_for(p, HEAVY, count_after_work, &late));
    UNTIL(atomic_load(&done) == 1 && atomic_load(&late) == 1);
    for (uint64_t caller = 1; caller <= 3; caller++) {
        assert_true(pool_try_for(p, caller, pass, &g));
        UNTIL(atomic_load(&g.waiting) == (int)caller);
    }
    assert_true(pool_try_for(p, HEAVY, count, &late));
    for (int i = 0; i < READS; i++) {
        assert_true(pool_try_for(p, READER, count, &done));
        UNTIL(atomic_load(&done) == 2 + i);
    }
    CHECK_INT("waits", atomic_load(&late), 1);
    atomic_store(&g.open, true);
    UNTIL(atomic_load(&late) == 2);
    pool_free(p);
}

static void test_share_of_queue(void **state)
{
    (void)state;
    atomic_int done = 0;
    struct gate g = {0};
    struct pool *p = pool_create(1, 64);
    fill_workers(p, &g, 1);
    assert_true(pool_try_for(p, 9, pass, &g)); /* the spare worker */
    while (atomic_load(&g.waiting) < 2)
        sleep_ms(1);
    for (int i = 0; i < 64 / POOL_SHARE; i++)
        assert_true(pool_try_for(p, 7, count, &done));
    CHECK("its share is full", !pool_try_for(p, 7, count, &done));
    CHECK("others have room", pool_try_for(p, 8, count, &done));
    atomic_store(&g.open, true);
    pool_free(p);
    CHECK_INT("all ran", atomic_load(&done), 64 / POOL_SHARE + 1);
}

/* More callers than are told apart: every job runs. */
static void test_many_callers(void **state)
{
    (void)state;
    enum { N = 3 * POOL_CALLERS_MAX };
    atomic_int done = 0;
    struct gate g = {0};
    struct pool *p = pool_create(2, N);
    fill_workers(p, &g, 2);
    for (uint64_t i = 1; i <= N; i++)
        assert_true(pool_try_for(p, i, count, &done));
    atomic_store(&g.open, true);
    pool_free(p);
    CHECK_INT("all ran", atomic_load(&done), N);
}

static void test_share_of_waiting(void **state)
{
    (void)state;
    struct gate away = {0};
    struct pool *p = pool_create(2, 64);
    for (int i = 0; i < POOL_AWAY_MAX; i++)
        assert_true(pool_try_for(p, 1, wait_away, &away));
    UNTIL(atomic_load(&away.waiting) == POOL_AWAY_SHARE);
    assert_true(pool_try_for(p, 2, wait_away, &away));
    UNTIL(atomic_load(&away.waiting) == POOL_AWAY_SHARE + 1);
    /* all of the first have asked: one that is late could use a place that is free again */
    UNTIL(atomic_load(&away.refused) == POOL_AWAY_MAX - POOL_AWAY_SHARE);
    atomic_store(&away.open, true);
    pool_free(p);
    CHECK_INT("half for one caller", atomic_load(&away.waiting), POOL_AWAY_SHARE + 1);
}

TEST_MAIN(argc, argv)
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
        cmocka_unit_test(test_fair),
        cmocka_unit_test(test_spare_worker),
        cmocka_unit_test(test_light_callers),
        cmocka_unit_test(test_share_of_queue),
        cmocka_unit_test(test_share_of_waiting),
        cmocka_unit_test(test_many_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
