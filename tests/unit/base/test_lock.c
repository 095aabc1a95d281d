#include "base/lock.h"
#include "base/parallel.h"
#include "base/pool.h"
#include "check.h"
#include "ends.h"

static struct lock writer, state_lock;
static struct lock_shared shared;

static void make(void)
{
    lock_init(&writer, LOCK_WRITER);
    lock_shared_init(&shared, LOCK_INDEX);
    lock_init(&state_lock, LOCK_STATE);
}

static void in_order(void *arg)
{
    (void)arg;
    lock_take(&writer);
    lock_shared_write(&shared);
    lock_shared_drop(&shared);
    lock_shared_read(&shared);
    lock_take(&state_lock);
    lock_drop(&state_lock);
    lock_shared_drop(&shared);
    lock_drop(&writer);
    lock_check(LOCK_TURN);
}

static void read_twice(void *arg)
{
    (void)arg;
    lock_shared_read(&shared);
    lock_shared_read(&shared);
}

static void write_while_reading(void *arg)
{
    (void)arg;
    lock_shared_read(&shared);
    lock_take(&writer);
}

static void check_while_reading(void *arg)
{
    (void)arg;
    lock_shared_read(&shared);
    lock_check(LOCK_WRITER);
}

static void wait_while_reading(void *arg)
{
    (void)arg;
    lock_shared_read(&shared);
    lock_check_slow();
}

static void wait_with_slow_lock(void *arg)
{
    (void)arg;
    lock_take(&writer);
    lock_check_slow();
    lock_drop(&writer);
}

static void wait_on_loop(void *arg)
{
    (void)arg;
    lock_never_wait();
    lock_check_slow();
}

static void lock_on_loop(void *arg)
{
    (void)arg;
    lock_never_wait();
    lock_take(&writer);
}

static void wait_after_loop(void *arg)
{
    (void)arg;
    lock_never_wait();
    lock_shared_read(&shared);
    lock_shared_drop(&shared);
    lock_may_wait();
    lock_take(&writer);
    lock_check_slow();
}

/* Whatever is brief, wherever it is. */
static void wait_with(void *rank)
{
    struct lock l;
    lock_init(&l, *(const enum lock_rank *)rank);
    lock_take(&l);
    lock_check_slow();
}

static void drop_twice(void *arg)
{
    (void)arg;
    lock_take(&writer);
    lock_drop(&writer);
    lock_leave(LOCK_WRITER);
}

static void test_order(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*steps)(void *arg);
        bool bug;
    } cases[] = {
        {"locks in their order", in_order, false},
        {"the same lock twice", read_twice, true},
        {"a lower lock after a higher one", write_while_reading, true},
        {"a lower lock that may be needed", check_while_reading, true},
        {"a lock that is not held", drop_twice, true},
        {"something slow with a brief lock", wait_while_reading, true},
        {"something slow with a slow lock", wait_with_slow_lock, false},
        {"something slow on an event loop", wait_on_loop, VAULTD_SANITIZED},
        {"a slow lock on an event loop", lock_on_loop, VAULTD_SANITIZED},
        {"a brief lock on it, and slow ones afterwards", wait_after_loop, false},
    };
    make();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK(cases[i].name, ends_with_bug(cases[i].steps, NULL) == cases[i].bug);
}

static void test_brief(void **state)
{
    (void)state;
    for (enum lock_rank r = 0; r < LOCK_RANKS; r++)
        CHECK_INT("nothing waits with it", ends_with_bug(wait_with, &r), r >= LOCK_BRIEF);
}

static void look(void *arg, size_t i, size_t worker)
{
    uint64_t *seen = arg;
    (void)worker;
    seen[i] = lock_held();
}

static void check_free(void *arg, size_t i, size_t worker)
{
    uint64_t *seen = arg;
    (void)worker;
    seen[i] = lock_held() == 0;
}

/* A helper that took a lock which its caller holds would wait for a writer, the writer for
 * the caller, and the caller for its helper. */
static void test_helpers(void **state)
{
    (void)state;
    enum { ITEMS = 64 };
    uint64_t seen[ITEMS], is_free[ITEMS];
    struct pool *pool = pool_create(2, 16);
    make();
    lock_shared_read(&shared);
    parallel_each(pool, ITEMS, look, seen);
    lock_shared_drop(&shared);
    parallel_each(pool, ITEMS, check_free, is_free);
    for (size_t i = 0; i < ITEMS; i++) {
        CHECK_INT("a helper holds what its caller does", seen[i],
                  UINT64_C(1) << LOCK_INDEX);
        CHECK("and nothing later", is_free[i]);
    }
    pool_free(pool);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_brief),
        cmocka_unit_test(test_helpers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
