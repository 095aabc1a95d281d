#include <errno.h>
#include <stdatomic.h>

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
    };
    make();
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK(cases[i].name, ends_with_bug(cases[i].steps, NULL) == cases[i].bug);
}

static void look(void *arg, size_t i, size_t worker)
{
    unsigned *seen = arg;
    (void)worker;
    seen[i] = lock_held();
}

static void check_free(void *arg, size_t i, size_t worker)
{
    unsigned *seen = arg;
    (void)worker;
    seen[i] = lock_held() == 0;
}

/* A helper that took a lock which its caller holds would wait for a writer, the writer for
 * the caller, and the caller for its helper. */
static void test_helpers(void **state)
{
    (void)state;
    enum { ITEMS = 64 };
    unsigned seen[ITEMS], is_free[ITEMS];
    struct pool *pool = pool_create(2, 16);
    make();
    lock_shared_read(&shared);
    parallel_each(pool, ITEMS, look, seen);
    lock_shared_drop(&shared);
    parallel_each(pool, ITEMS, check_free, is_free);
    for (size_t i = 0; i < ITEMS; i++) {
        CHECK_INT("a helper holds what its caller does", seen[i], 1U << LOCK_INDEX);
        CHECK("and nothing later", is_free[i]);
    }
    pool_free(pool);
}

/* --- locks that are held for long --- */

static bool is_asked(void *arg)
{
    return atomic_fetch_add((atomic_int *)arg, 1) > 0;
}

static void *take_and_drop(void *arg)
{
    struct lock_timed *l = arg;
    CHECK("taken after it was dropped", lock_timed_take(l, NULL));
    lock_timed_drop(l);
    return NULL;
}

static void *give_up(void *arg)
{
    atomic_int asked = 0;
    struct stop soon = stop_within(NULL, 10), ask = {is_asked, &asked, 0};
    CHECK("not taken in time", !lock_timed_take(arg, &soon));
    CHECK("not taken when asked to stop", !lock_timed_take(arg, &ask));
    CHECK("asked", atomic_load(&asked) > 0);
    CHECK_INT("nothing is held", lock_held(), 0);
    return NULL;
}

static void test_timed(void **state)
{
    (void)state;
    struct lock_timed l;
    pthread_t other;
    lock_timed_init(&l, LOCK_TURN);
    CHECK("free", lock_timed_take(&l, NULL));
    assert_int_equal(pthread_create(&other, NULL, give_up, &l), 0);
    pthread_join(other, NULL);
    assert_int_equal(pthread_create(&other, NULL, take_and_drop, &l), 0);
    lock_timed_drop(&l);
    pthread_join(other, NULL);
    CHECK("free again", lock_timed_take(&l, NULL));
    lock_timed_drop(&l);
    lock_timed_release(&l);
}

struct tries {
    int left, error, made;
};

static bool attempt(void *arg)
{
    struct tries *t = arg;
    t->made++;
    errno = t->error;
    return t->left-- <= 0;
}

static void test_poll(void **state)
{
    (void)state;
    struct stop passed = {.until = 1};
    struct tries free_at_once = {0}, later = {3, EAGAIN}, never = {100, EAGAIN},
                 broken = {100, ENOLCK};
    CHECK("free", lock_poll(attempt, &free_at_once, NULL));
    CHECK("free later", lock_poll(attempt, &later, NULL));
    CHECK("the time has passed", !lock_poll(attempt, &never, &passed));
    CHECK("no such locks", !lock_poll(attempt, &broken, NULL));
    CHECK_INT("tried once", free_at_once.made, 1);
    CHECK_INT("tried until it was free", later.made, 4);
    CHECK_INT("tried once without waiting", never.made, 1);
    CHECK_INT("not tried again", broken.made, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_helpers),
        cmocka_unit_test(test_timed),
        cmocka_unit_test(test_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
