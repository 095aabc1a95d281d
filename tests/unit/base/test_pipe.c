#include "base/os/file.h"
#include "base/os/pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static void test_bytes(void **state)
{
    int ends[2];
    char bytes[16];
    size_t n;
    assert_true(pipe_open(ends));
    CHECK("not inherited", (fcntl(ends[0], F_GETFD) & FD_CLOEXEC) != 0 &&
                               (fcntl(ends[1], F_GETFD) & FD_CLOEXEC) != 0);
    assert_true(pipe_write(ends[1], STR("hello"), &n));
    CHECK_INT("written", n, 5);
    assert_true(file_read(ends[0], bytes, sizeof(bytes), &n));
    CHECK_STR("read", ((str){bytes, n}), "hello");
    pipe_never_wait(ends[0]);
    assert_false(file_read(ends[0], bytes, sizeof(bytes), &n));
    CHECK_INT("nothing there", errno, EAGAIN);
    pipe_close(&ends[1]);
    CHECK_INT("closed", ends[1], -1);
    assert_true(file_read(ends[0], bytes, sizeof(bytes), &n));
    CHECK_INT("the end", n, 0);
    pipe_close(&ends[0]);
    pipe_close(&ends[0]);
}

static volatile sig_atomic_t signals;

static void on_signal(int number)
{
    signals++;
}

/* A reader that is gone is an error, and no signal is left for later. */
static void test_nobody_reads(void **state)
{
    int ends[2];
    size_t n;
    signal(SIGPIPE, on_signal);
    assert_true(pipe_open(ends));
    pipe_close(&ends[0]);
    assert_false(pipe_write(ends[1], STR("hello"), &n));
    CHECK_INT("error", errno, EPIPE);
    CHECK_INT("signals", signals, 0);
    assert_int_equal(write(ends[1], "x", 1), -1);
    CHECK_INT("the usual way", signals, 1);
    signal(SIGPIPE, SIG_DFL);
    pipe_close(&ends[1]);
}

/* Neither a pipe nor a socket makes it wait, although neither was told not to. */
static void test_offer(void **state)
{
    static char much[4 << 20];
    int pipes[2], sockets[2], file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    size_t n;
    assert_true(pipe_open(pipes));
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    const struct {
        const char *name;
        int fd;
        enum pipe_kind kind;
        bool whole;
    } rows[] = {{"pipe", pipes[1], PIPE_PLAIN, false},
                {"socket", sockets[1], PIPE_SOCKET, false},
                {"file", file, PIPE_OTHER, true}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK_INT(rows[i].name, pipe_kind(rows[i].fd), rows[i].kind);
        CHECK(rows[i].name,
              pipe_offer(rows[i].fd, rows[i].kind, (str){much, sizeof(much)}, &n));
        CHECK(rows[i].name, n > 0 && (n == sizeof(much)) == rows[i].whole);
    }
    pipe_close(&sockets[0]);
    assert_false(pipe_offer(sockets[1], PIPE_SOCKET, STR("x"), &n));
    CHECK_INT("gone", errno, EPIPE);
    int *all[] = {&pipes[0], &pipes[1], &sockets[1], &file};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        pipe_close(all[i]);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_offer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
