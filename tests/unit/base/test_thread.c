#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/os/thread.h"
#include "check.h"
#include "until.h"

struct seen {
    sigset_t mask;
    char name[16];
    uintptr_t self;
    bool alone;
};

static void *look(void *arg)
{
    struct seen *seen = arg;
    pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
    prctl(PR_GET_NAME, seen->name);
    seen->self = thread_self();
    seen->alone = thread_is_alone();
    return NULL;
}

static void test_start(void **state)
{
    (void)state;
    sigset_t before, after;
    struct seen seen;
    struct thread thread;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    CHECK("started", thread_start(&thread, "vault-looks", look, &seen));
    thread_join(&thread);
    CHECK("not alone while it runs", !seen.alone && thread_is_alone());
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    if (!VAULTD_PORTABLE)
        CHECK_STR("its name", str_c(seen.name), "vault-looks");
    CHECK("it blocks SIGTERM", sigismember(&seen.mask, SIGTERM) == 1);
    CHECK("and SIGHUP", sigismember(&seen.mask, SIGHUP) == 1);
    CHECK("the caller does not",
          sigismember(&after, SIGTERM) == sigismember(&before, SIGTERM));
    CHECK("it is another one", seen.self != 0 && seen.self != thread_self());
}

static void test_deadline(void **state)
{
    (void)state;
    struct mutex lock;
    struct cond changed;
    mutex_init(&lock);
    cond_init(&changed);
    mutex_lock(&lock);
    uint64_t deadline = clock_ns() + 1000000;
    while (cond_wait_until(&changed, &lock, deadline))
        ;
    CHECK("the deadline has passed", clock_ns() >= deadline);
    CHECK("a past one is over at once", !cond_wait_until(&changed, &lock, 0));
    mutex_unlock(&lock);
    cond_destroy(&changed);
    mutex_destroy(&lock);
}

struct nested {
    struct mutex lock;
    atomic_bool entered;
};

static void *enter(void *arg)
{
    struct nested *n = arg;
    mutex_lock(&n->lock);
    atomic_store(&n->entered, true);
    mutex_unlock(&n->lock);
    return NULL;
}

/* It belongs to its thread until it was unlocked as often as it was locked. */
static void test_nested(void **state)
{
    (void)state;
    struct nested n = {0};
    struct thread other;
    mutex_init_nested(&n.lock);
    mutex_lock(&n.lock);
    mutex_lock(&n.lock);
    CHECK("started", thread_start(&other, "other", enter, &n));
    mutex_unlock(&n.lock);
    CHECK("still ours", !atomic_load(&n.entered));
    mutex_unlock(&n.lock);
    thread_join(&other);
    CHECK("theirs", atomic_load(&n.entered));
    mutex_destroy(&n.lock);
}

/* Two readers of whom one is always there, until a writer was. */
struct crowd {
    struct rwlock lock;
    atomic_int inside;
    atomic_bool over, starved;
    uint64_t until; /* clock_ms() */
};

static void *come_and_go(void *arg)
{
    struct crowd *c = arg;
    while (!c->over) {
        rwlock_read(&c->lock);
        c->inside++;
        for (int i = 0; i < 20 && c->inside < 2 && !c->over; i++)
            thread_pause(500); /* a writer that waits keeps the other one out */
        c->inside--;
        rwlock_unlock(&c->lock);
        if (clock_ms() > c->until)
            c->starved = c->over = true;
    }
    return NULL;
}

static void test_writers_first(void **state)
{
    (void)state;
    struct crowd c = {.until = clock_ms() + UNTIL_MS};
    struct thread readers[2];
    rwlock_init(&c.lock);
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        CHECK("started", thread_start(&readers[i], "reader", come_and_go, &c));
    while (c.inside < 2)
        thread_pause(100);
    for (int i = 0; i < 20; i++) {
        rwlock_write(&c.lock);
        CHECK_INT("alone", c.inside, 0);
        rwlock_unlock(&c.lock);
    }
    c.over = true;
    for (size_t i = 0; i < COUNT_OF(readers); i++)
        thread_join(&readers[i]);
    CHECK("not kept out by readers", !c.starved);
    rwlock_destroy(&c.lock);
}

static int runs;

static void run_once(void)
{
    runs++;
}

static void test_once(void **state)
{
    (void)state;
    static struct once once = ONCE_INIT;
    once_run(&once, run_once);
    once_run(&once, run_once);
    CHECK_INT("one run", runs, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_start),  cmocka_unit_test(test_deadline),
        cmocka_unit_test(test_nested), cmocka_unit_test(test_writers_first),
        cmocka_unit_test(test_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
