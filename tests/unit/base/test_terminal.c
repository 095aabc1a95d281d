/* A process at a terminal of its own, in which the test types. */
#include "base/os/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/os/ready.h"
#include "check.h"

struct desk {
    int keys; /* our end of the terminal */
    pid_t child;
};

static struct desk sit_down(int (*body)(void))
{
    struct desk d = {.keys = posix_openpt(O_RDWR | O_NOCTTY)};
    struct winsize size = {.ws_col = 132, .ws_row = 40};
    assert_true(d.keys >= 0 && grantpt(d.keys) == 0 && unlockpt(d.keys) == 0);
    assert_int_equal(ioctl(d.keys, TIOCSWINSZ, &size), 0);
    const char *name = ptsname(d.keys);
    d.child = fork();
    if (d.child == 0) {
        setsid();
        int tty = open(name, O_RDWR);
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
            dup2(tty, fd);
        _exit(body());
    }
    return d;
}

/* What the terminal shows, until it shows this. */
static void await(const struct desk *d, const char *text, char seen[256])
{
    size_t n = strlen(seen);
    while (strstr(seen, text) == NULL) {
        assert_true(ready_wait(&(struct ready){.fd = d->keys}, 1, 60000));
        ssize_t got = read(d->keys, seen + n, 255 - n);
        assert_true(got > 0);
        n += (size_t)got;
        seen[n] = '\0';
    }
}

static void type(const struct desk *d, const char *text)
{
    assert_int_equal(write(d->keys, text, strlen(text)), (ssize_t)strlen(text));
}

static int get_up(const struct desk *d)
{
    int status;
    assert_int_equal(waitpid(d->child, &status, 0), d->child);
    close(d->keys);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int asks(void)
{
    char line[16];
    size_t n;
    bool ended;
    if (!terminal_is(STDIN_FILENO) || terminal_width(STDIN_FILENO) != 132)
        return 2;
    bool ok = terminal_read_secret(STR("Secret: "), line, sizeof(line), &n) &&
              str_eq((str){line, n}, STR("tulips"));
    fprintf(stderr, "Open: ");
    return ok && terminal_read_line(line, 4, &n, &ended) && !ended &&
                   str_eq((str){line, n}, STR("rose"))
               ? 0
               : 1;
}

static void test_lines(void **state)
{
    char seen[256] = "";
    struct desk d = sit_down(asks);
    await(&d, "Secret: ", seen);
    type(&d, "tulips\n");
    await(&d, "Open: ", seen);
    CHECK("not shown", strstr(seen, "tulips") == NULL);
    type(&d, "roses\n"); /* the rest is dropped */
    await(&d, "roses", seen);
    CHECK_INT("what was read", get_up(&d), 0);
}

static bool shows_keys(int fd)
{
    struct termios now;
    return tcgetattr(fd, &now) == 0 && (now.c_lflag & ECHO) != 0;
}

/* A signal while it is hidden: the terminal shows what is typed afterwards. */
static void test_signal(void **state)
{
    char seen[256] = "";
    struct desk d = sit_down(asks);
    await(&d, "Secret: ", seen);
    CHECK("hidden", !shows_keys(d.keys));
    assert_int_equal(kill(d.child, SIGTERM), 0);
    await(&d, "\n", seen);
    for (int i = 0; i < 6000 && !shows_keys(d.keys); i++)
        ready_pause(10);
    CHECK("shown again", shows_keys(d.keys));
    CHECK_INT("and it has its effect", get_up(&d), 128 + SIGTERM);
}

static void test_no_terminal(void **state)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK("not a terminal", !terminal_is(fd));
    CHECK("a usual width", terminal_width(fd) > 0);
    CHECK("a usual height", terminal_height(fd) > 0);
    close(fd);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_signal),
        cmocka_unit_test(test_no_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
