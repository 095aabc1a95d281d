#include "app/web/systemd.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* --- sockets that were passed --- */

static void set(const char *name, const char *value)
{
    if (value != NULL)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void test_listen_fds(void **state)
{
    char own[24], other[24], spaced[24];
    snprintf(own, sizeof(own), "%d", (int)getpid());
    snprintf(other, sizeof(other), "%d", (int)getppid());
    snprintf(spaced, sizeof(spaced), "%d ", (int)getpid());
    const struct {
        const char *name, *pid, *fds;
        int n;
    } cases[] = {
        {"neither", NULL, NULL, 0},
        {"no count", own, NULL, 0},
        {"no process", NULL, "1", 0},
        {"another process", other, "1", 0},
        {"no number", "me", "1", 0},
        {"empty", "", "1", 0},
        {"with a space", spaced, "1", 0},
        {"empty count", own, "", 0},
        {"none", own, "0", 0},
        {"negative", own, "-1", 0},
        {"not a number", own, "x", 0},
        {"half a number", own, "1x", 0},
        {"absurd", own, "65", 0},
        {"overflow", own, "99999999999999999999", 0},
        {"one", own, "1", 1},
        {"three", own, "3", 3},
        {"many", own, "64", 64},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set("LISTEN_PID", cases[i].pid);
        set("LISTEN_FDS", cases[i].fds);
        CHECK_INT(cases[i].name, systemd_listen_fds(), cases[i].n);
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
}

/* In a child, whose descriptors are ours to arrange: 0 if what was passed is closed on
 * exec, and nothing else is touched. */
static int pass_two(void)
{
    char own[24];
    int fd = open("/dev/null", O_RDONLY);
    for (int i = SYSTEMD_FIRST_FD; i < SYSTEMD_FIRST_FD + 3; i++)
        if (fd != i && dup2(fd, i) != i)
            return 1;
    for (int i = SYSTEMD_FIRST_FD; i < SYSTEMD_FIRST_FD + 3; i++)
        if (fcntl(i, F_SETFD, 0) != 0)
            return 2;
    snprintf(own, sizeof(own), "%d", (int)getpid());
    setenv("LISTEN_PID", own, 1);
    setenv("LISTEN_FDS", "2", 1);
    if (systemd_listen_fds() != 2)
        return 3;
    if ((fcntl(3, F_GETFD) & FD_CLOEXEC) == 0 || (fcntl(4, F_GETFD) & FD_CLOEXEC) == 0)
        return 4;
    return (fcntl(5, F_GETFD) & FD_CLOEXEC) != 0 ? 5 : 0;
}

static void test_close_on_exec(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0)
        _exit(pass_two());
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK("exited", WIFEXITED(status));
    CHECK_INT("which step failed", WEXITSTATUS(status), 0);
}

/* --- readiness --- */

/* A datagram socket at a path, or at "@name". */
static int open_socket(const char *address)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    memcpy(at.sun_path, address, strlen(address));
    if (address[0] == '@')
        at.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(address));
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    return fd;
}

static str receive(struct arena *a, int fd)
{
    char text[256];
    ssize_t n = recv(fd, text, sizeof(text), 0);
    return n >= 0 ? arena_str(a, (str){text, (size_t)n}) : STR("(nothing)");
}

static void test_notify(void **state)
{
    char folder[] = "/tmp/vaultd-test-systemd-XXXXXX";
    assert_non_null(mkdtemp(folder));
    str path = arena_printf(*state, "%s/notify", folder);
    str abstract = arena_printf(*state, "@%s", folder);
    const char *const addresses[] = {path.p, abstract.p};
    for (size_t i = 0; i < COUNT_OF(addresses); i++) {
        int fd = open_socket(addresses[i]);
        set("NOTIFY_SOCKET", addresses[i]);
        systemd_notify(STR("READY=1"));
        CHECK_STR(addresses[i], receive(*state, fd), "READY=1");
        systemd_notify(STR("STOPPING=1\nSTATUS=bye"));
        CHECK_STR(addresses[i], receive(*state, fd), "STOPPING=1\nSTATUS=bye");
        CHECK_STR(addresses[i], receive(*state, fd), "(nothing)");
        close(fd);
    }
    assert_int_equal(unlink(path.p), 0);
    assert_int_equal(rmdir(folder), 0);
    unsetenv("NOTIFY_SOCKET");
}

/* An unreachable or invalid address does nothing and breaks nothing. */
static void test_notify_nowhere(void **state)
{
    char long_path[200], longest[110];
    memset(long_path, 'x', sizeof(long_path));
    memset(longest, 'x', sizeof(longest));
    long_path[0] = longest[0] = '/';
    long_path[sizeof(long_path) - 1] = '\0';
    longest[sizeof(((struct sockaddr_un *)NULL)->sun_path)] = '\0'; /* no room for NUL */
    const char *const cases[] = {
        NULL,      "",        "/",         "@",       "relative", "x/y",
        "/none/x", "@nobody", "vsock:2:1", long_path, longest,
    };

    (void)state;
    int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set("NOTIFY_SOCKET", cases[i]);
        systemd_notify(STR("READY=1"));
    }
    int after = open("/dev/null", O_RDONLY | O_CLOEXEC);
    CHECK_INT("no descriptor is left open", after, before + 1);
    close(before);
    close(after);
    unsetenv("NOTIFY_SOCKET");
}

/* --- the watchdog --- */

static void test_watchdog_wanted(void **state)
{
    char own[24], other[24];
    snprintf(own, sizeof(own), "%d", (int)getpid());
    snprintf(other, sizeof(other), "%d", (int)getppid());
    const struct {
        const char *name, *pid, *usec;
        uint64_t every_ms;
    } cases[] = {
        {"not requested", NULL, NULL, 0},
        {"no time", own, NULL, 0},
        {"empty", own, "", 0},
        {"not a number", own, "soon", 0},
        {"zero", own, "0", 0},
        {"negative", own, "-5000000", 0},
        {"too short", own, "1999", 0},
        {"another process", other, "30000000", 0},
        {"no process", "me", "30000000", 0},
        {"half a minute", own, "30000000", 15000},
        {"any process", NULL, "30000000", 15000},
        {"the shortest", own, "2000", 1},
        {"for ever", own, "9223372036854775807", 4611686018427387},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        set("WATCHDOG_PID", cases[i].pid);
        set("WATCHDOG_USEC", cases[i].usec);
        CHECK_INT(cases[i].name, systemd_watchdog_open().every_ms, cases[i].every_ms);
    }
    unsetenv("WATCHDOG_PID");
    unsetenv("WATCHDOG_USEC");
}

static void test_watchdog_is_told(void **state)
{
    char heard[64];
    struct systemd_watchdog nobody = {0}, often = {.every_ms = 1},
                            once = {.every_ms = 3600000};

    (void)state;
    int fd = open_socket("@vaultd-test-watchdog");
    set("NOTIFY_SOCKET", "@vaultd-test-watchdog");
    systemd_watchdog_tick(&nobody);
    CHECK_INT("not requested", recv(fd, heard, sizeof(heard), MSG_DONTWAIT), -1);
    systemd_watchdog_tick(&once);
    systemd_watchdog_tick(&once);
    CHECK_INT("notified", recv(fd, heard, sizeof(heard), MSG_DONTWAIT), 10);
    assert_memory_equal(heard, "WATCHDOG=1", 10);
    CHECK_INT("only once", recv(fd, heard, sizeof(heard), MSG_DONTWAIT), -1);
    systemd_watchdog_tick(&often);
    usleep(5000);
    systemd_watchdog_tick(&often);
    CHECK_INT("notified", recv(fd, heard, sizeof(heard), MSG_DONTWAIT), 10);
    CHECK_INT("and again", recv(fd, heard, sizeof(heard), MSG_DONTWAIT), 10);
    close(fd);
    unsetenv("NOTIFY_SOCKET");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_listen_fds),
        cmocka_unit_test(test_close_on_exec),
        ARENA_TEST(test_notify),
        cmocka_unit_test(test_notify_nowhere),
        cmocka_unit_test(test_watchdog_wanted),
        cmocka_unit_test(test_watchdog_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
