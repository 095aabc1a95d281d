/* A thread that has work now and then. */
#include "vault/worker.h"

#include "base/clock.h"
#include "check.h"

static const uint64_t LATE_NS = 60000000000; /* only turns a hang into a failure */

struct job {
    struct worker worker;
    atomic_bool stop;
    atomic_int done;
    bool begun, go_on; /* with the worker's lock */
};

static void *work(void *arg)
{
    struct job *j = arg;
    while (worker_sleep(&j->worker, UINT64_MAX, true)) {
        worker_begin(&j->worker);
        worker_set(&j->worker, &j->begun);
        (void)worker_wait(&j->worker, &j->go_on, clock_ns() + LATE_NS);
        atomic_fetch_add(&j->done, 1);
        worker_is_over(&j->worker, true);
    }
    worker_end(&j->worker);
    return NULL;
}

static bool is_over(struct job *j)
{
    return worker_wait(&j->worker, &j->worker.over, clock_ns() + LATE_NS);
}

static void test_work(void **state)
{
    struct job j = {0};
    worker_init(&j.worker, &j.stop, true);
    worker_start(&j.worker, "job", work, &j);
    CHECK("nothing to do", worker_get(&j.worker, &j.worker.over));
    worker_wake(&j.worker, clock_ns());
    CHECK("begins", worker_wait(&j.worker, &j.begun, clock_ns() + LATE_NS));
    CHECK("at work", !worker_get(&j.worker, &j.worker.over));
    worker_wake(&j.worker, clock_ns()); /* while it works: it begins again */
    worker_set(&j.worker, &j.go_on);
    CHECK("over", is_over(&j));
    CHECK_INT("twice", atomic_load(&j.done), 2);
    worker_wake(&j.worker, clock_ns() + LATE_NS);
    CHECK("not due yet", !worker_is_due(&j.worker));
    worker_wake(&j.worker, clock_ns()); /* the earlier time counts */
    CHECK("over", is_over(&j));
    CHECK_INT("again", atomic_load(&j.done), 3);
    atomic_store(&j.stop, true);
    worker_stop(&j.worker);
    worker_wake(&j.worker, clock_ns());
    CHECK("ended", worker_get(&j.worker, &j.worker.over) && !worker_is_due(&j.worker));
    worker_release(&j.worker);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
