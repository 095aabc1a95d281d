#include "base/os/self.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/os/file.h"
#include "base/os/pipe.h"
#include "base/os/ready.h"
#include "check.h"

static void test_this(void **state)
{
    CHECK_INT("pid", self_pid(), getpid());
    bool found = false;
    for (const char *const *e = self_environment(); *e != NULL; e++)
        found |= str_starts(str_c(*e), STR("PATH="));
    CHECK("PATH", found);
    int fd = dup(STDERR_FILENO);
    CHECK_INT("inherited", fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    self_adopt(fd, 1);
    CHECK_INT("ours", fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    close(fd);
    self_init_if_first(); /* it is not */
}

/* A child reports the end of its parent, which lives until our end of a pipe is closed. */
static int grandchild(int report)
{
    struct parent parent;
    parent_watch(&parent);
    if (parent_has_ended(&parent) || write(report, "a", 1) != 1)
        return 1;
    for (int i = 0; i < 6000 && !parent_has_ended(&parent); i++) {
        struct ready list[] = {{.fd = parent.fd}};
        (void)ready_wait(list, 1, 10);
    }
    bool ended = parent_has_ended(&parent);
    parent_forget(&parent);
    return write(report, ended ? "b" : "c", 1) == 1 ? 0 : 1;
}

static void test_parent(void **state)
{
    int report[2], status;
    char said;
    size_t n;
    assert_true(pipe_open(report));
    pid_t child = fork();
    if (child == 0) {
        if (fork() == 0)
            _exit(grandchild(report[1]));
        for (;;)
            pause();
    }
    pipe_close(&report[1]);
    assert_true(file_read(report[0], &said, 1, &n) && n == 1 && said == 'a');
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(file_read(report[0], &said, 1, &n) && n == 1);
    CHECK_INT("its end", said, 'b');
    pipe_close(&report[0]);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this),
        cmocka_unit_test(test_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
