#include "base/os/interrupt.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* The signal that ends a process that does this; 0: none. */
static int ended_by(void (*body)(void))
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

static void is_left_alone(void)
{
    atomic_bool *came = interrupt_begin();
    if (atomic_load(came))
        _exit(1);
    interrupt_end();
}

static void is_interrupted(void)
{
    atomic_bool *came = interrupt_begin();
    raise(SIGTERM);
    if (!atomic_load(came))
        _exit(1);
    interrupt_end();
    _exit(2); /* not reached */
}

static void is_interrupted_twice(void)
{
    (void)interrupt_begin();
    raise(SIGINT);
    raise(SIGINT);
    _exit(2); /* not reached */
}

static void ignores_it(void)
{
    signal(SIGHUP, SIG_IGN);
    atomic_bool *came = interrupt_begin();
    raise(SIGHUP);
    if (atomic_load(came))
        _exit(1);
    interrupt_end();
}

static void test_interrupt(void **state)
{
    CHECK_INT("no signal", ended_by(is_left_alone), 0);
    CHECK_INT("it takes effect at the end", ended_by(is_interrupted), SIGTERM);
    CHECK_INT("a second one at once", ended_by(is_interrupted_twice), SIGINT);
    CHECK_INT("one that is ignored stays so", ended_by(ignores_it), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_interrupt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
