#include "app/doctor/checkup_parts.h"

#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"

static void test_watches(void **state)
{
    assert_int_equal(checkup_judge_watches(100, 8192), FINDING_GOOD);
    assert_int_equal(checkup_judge_watches(4096, 8192), FINDING_GOOD);
    assert_int_equal(checkup_judge_watches(4097, 8192), FINDING_WARN);
    assert_int_equal(checkup_judge_watches(100000, 8192), FINDING_WARN);
}

/* The name of this program as /proc has it: at most 15 characters. */
static str own_name(struct arena *a)
{
    char name[16];
    assert_int_equal(prctl(PR_GET_NAME, name), 0);
    return arena_str(a, str_c(name));
}

static void test_listener(void **state)
{
    struct arena *a = *state;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(at);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
    str owner = checkup_listener(a, ntohs(at.sin_port));
    str want =
        arena_printf(a, STR_FMT ", process %d", STR_ARG(own_name(a)), (int)getpid());
    CHECK_STR("our name and number", owner, want);
    close(fd);
    CHECK_STR("no listener", checkup_listener(a, ntohs(at.sin_port)), "");
}

static void test_proc(void **state)
{
    struct arena *a = *state;
    CHECK_STR("file without a size", str_trim_line(checkup_read(a, "/proc/self/comm")),
              own_name(a));
    CHECK_STR("none", checkup_read(a, "/proc/nothing"), "");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watches),
        ARENA_TEST(test_listener),
        ARENA_TEST(test_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
