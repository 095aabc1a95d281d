#include <errno.h>
#include <stdatomic.h>

#include "base/timed_lock.h"
#include "check.h"

static bool is_asked(void *arg)
{
    return atomic_fetch_add((atomic_int *)arg, 1) > 0;
}

static void *take_and_drop(void *arg)
{
    struct timed_lock *l = arg;
    CHECK("taken after it was dropped", timed_lock_take(l, NULL));
    timed_lock_drop(l);
    return NULL;
}

static void *give_up(void *arg)
{
    atomic_int asked = 0;
    struct stop soon = stop_within(NULL, 10), ask = {is_asked, &asked, 0};
    CHECK("not taken in time", !timed_lock_take(arg, &soon));
    CHECK("not taken when asked to stop", !timed_lock_take(arg, &ask));
    CHECK("asked", atomic_load(&asked) > 0);
    CHECK_INT("nothing is held", lock_held(), 0);
    return NULL;
}

static void test_timed(void **state)
{
    (void)state;
    struct timed_lock l;
    pthread_t other;
    timed_lock_init(&l, LOCK_TURN);
    CHECK("free", timed_lock_take(&l, NULL));
    assert_int_equal(pthread_create(&other, NULL, give_up, &l), 0);
    pthread_join(other, NULL);
    assert_int_equal(pthread_create(&other, NULL, take_and_drop, &l), 0);
    timed_lock_drop(&l);
    pthread_join(other, NULL);
    CHECK("free again", timed_lock_take(&l, NULL));
    timed_lock_drop(&l);
    timed_lock_release(&l);
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
    CHECK("free", timed_lock_poll(attempt, &free_at_once, NULL));
    CHECK("free later", timed_lock_poll(attempt, &later, NULL));
    CHECK("the time has passed", !timed_lock_poll(attempt, &never, &passed));
    CHECK("no such locks", !timed_lock_poll(attempt, &broken, NULL));
    CHECK_INT("tried once", free_at_once.made, 1);
    CHECK_INT("tried until it was free", later.made, 4);
    CHECK_INT("tried once without waiting", never.made, 1);
    CHECK_INT("not tried again", broken.made, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_timed),
        cmocka_unit_test(test_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
