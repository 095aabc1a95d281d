#include "base/os/signal.h"

#include <signal.h>
#include <unistd.h>

#include "base/os/pipe.h"
#include "base/os/ready.h"
#include "check.h"

static enum signal_request next(struct signal_queue *q)
{
    assert_true(ready_wait(&(struct ready){.fd = signal_queue_fd(q)}, 1, 60000));
    return signal_queue_take(q);
}

static void test_queue(void **state)
{
    static const struct {
        int number;
        enum signal_request request;
    } rows[] = {{SIGTERM, SIGNAL_STOP}, {SIGHUP, SIGNAL_RELOAD}, {SIGINT, SIGNAL_STOP}};
    signal_ignore_reload();
    assert_int_equal(kill(getpid(), SIGHUP), 0); /* without effect */
    struct signal_queue *q = signal_queue_open();
    assert_non_null(q);
    CHECK_INT("nothing at first", signal_queue_take(q), SIGNAL_NONE);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(kill(getpid(), rows[i].number), 0);
        CHECK_INT("request", next(q), rows[i].request);
        CHECK_INT("once", signal_queue_take(q), SIGNAL_NONE);
    }
    signal_queue_close(q);
    assert_int_equal(kill(getpid(), SIGTERM), 0); /* it stays without effect */
}

/* A handler that a library installs takes nothing away. */
static volatile sig_atomic_t handled;

static void on_signal(int number)
{
    handled++;
}

static void test_handlers(void **state)
{
    struct signal_queue *q = signal_queue_open();
    assert_non_null(q);
    while (signal_queue_take(q) != SIGNAL_NONE)
        continue; /* of the test before */
    signal(SIGTERM, on_signal);
    assert_int_equal(kill(getpid(), SIGTERM), 0);
    CHECK_INT("request", next(q), SIGNAL_STOP);
    CHECK_INT("handled", handled, 0);
    signal_queue_close(q);
}

static void test_pipes(void **state)
{
    int ends[2];
    signal_ignore_pipes();
    assert_true(pipe_open(ends));
    pipe_close(&ends[0]);
    assert_int_equal(write(ends[1], "x", 1), -1);
    pipe_close(&ends[1]);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queue),
        cmocka_unit_test(test_handlers),
        cmocka_unit_test(test_pipes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
