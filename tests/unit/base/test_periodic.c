#include "base/periodic.h"

#include "check.h"

struct calls {
    struct lock lock;
    struct cond changed;
    int n;
};

static void count_call(void *arg)
{
    struct calls *c = arg;
    lock_take(&c->lock);
    c->n++;
    cond_wake_all(&c->changed);
    lock_drop(&c->lock);
}

static void wait_for(struct calls *c, int n)
{
    lock_take(&c->lock);
    while (c->n < n)
        lock_wait(&c->lock, &c->changed);
    lock_drop(&c->lock);
}

static void open_calls(struct calls *c)
{
    *c = (struct calls){0};
    lock_init(&c->lock, LOCK_LEAF);
    cond_init(&c->changed);
}

static void close_calls(struct calls *c)
{
    cond_destroy(&c->changed);
    lock_release(&c->lock);
}

static void test_repeats(void **state)
{
    struct periodic p;
    struct calls c;
    struct err err = {0};
    open_calls(&c);
    periodic_init(&p);
    CHECK("not yet", !periodic_is_started(&p));
    assert_true(periodic_start(&p, "test", 1, count_call, &c, &err));
    CHECK("started", periodic_is_started(&p));
    wait_for(&c, 5);
    periodic_release(&p);
    close_calls(&c);
}

/* It runs at once, a second start changes nothing, and the end does not wait for the
 * interval. */
static void test_end(void **state)
{
    enum { HOUR_MS = 3600 * 1000 };
    struct periodic p;
    struct calls c;
    struct err err = {0};
    open_calls(&c);
    periodic_init(&p);
    assert_true(periodic_start(&p, "test", HOUR_MS, count_call, &c, &err));
    assert_true(periodic_start(&p, "test", 1, NULL, NULL, &err));
    wait_for(&c, 1);
    periodic_release(&p);
    CHECK_INT("calls", c.n, 1);
    close_calls(&c);
}

static void test_never_started(void **state)
{
    struct periodic p;
    periodic_init(&p);
    CHECK("not started", !periodic_is_started(&p));
    periodic_release(&p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_never_started),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
