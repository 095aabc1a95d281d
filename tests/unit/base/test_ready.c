#include "base/os/ready.h"

#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/os/pipe.h"
#include "base/os/thread.h"
#include "check.h"

static void test_wait(void **state)
{
    int ends[2];
    assert_true(pipe_open(ends));
    struct ready list[] = {{.fd = -1}, {.fd = ends[0]}, {.fd = ends[1], .write = true}};
    assert_true(ready_wait(list, 3, READY_EVER));
    CHECK("nothing is never ready", !list[0].is);
    CHECK("nothing to read", !list[1].is && !ready_to_read(ends[0]));
    CHECK("room to write", list[2].is && ready_to_write(ends[1]));
    assert_int_equal(write(ends[1], "x", 1), 1);
    assert_true(ready_wait(list, 2, READY_EVER));
    CHECK("something to read", list[1].is && ready_to_read(ends[0]));
    pipe_close(&ends[1]);
    char byte;
    assert_int_equal(read(ends[0], &byte, 1), 1);
    CHECK("the end can be read, too", ready_to_read(ends[0]));
    pipe_close(&ends[0]);
}

static void on_alarm(int number)
{
}

/* Signals do not shorten the time. */
static void test_time(void **state)
{
    struct sigaction act = {.sa_handler = on_alarm};
    sigaction(SIGALRM, &act, NULL);
    ualarm(5000, 5000);
    uint64_t before = clock_ms();
    ready_pause(60);
    ualarm(0, 0);
    CHECK("the whole time", clock_ms() - before >= 60);
    assert_false(ready_wait(&(struct ready){.fd = -1}, 1, 1));
}

static void *ring(void *arg)
{
    bell_ring(arg);
    return NULL;
}

static void test_bell(void **state)
{
    struct bell b;
    struct thread t;
    assert_true(bell_open(&b));
    CHECK("silent at first", !ready_to_read(b.fd));
    assert_true(thread_start(&t, "ring", ring, &b));
    assert_true(ready_wait(&(struct ready){.fd = b.fd}, 1, READY_EVER));
    thread_join(&t);
    CHECK("it stays rung", ready_to_read(b.fd));
    bell_clear(&b);
    CHECK("until it is cleared", !ready_to_read(b.fd));
    bell_clear(&b); /* does not wait */
    for (int i = 0; i < 100000; i++)
        bell_ring(&b); /* nor does this */
    CHECK("often is once", ready_to_read(b.fd));
    bell_clear(&b);
    CHECK("cleared at once", !ready_to_read(b.fd));
    bell_close(&b);
    CHECK_INT("closed", b.fd, -1);
    bell_close(&b);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wait),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_bell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
