#include "app/doctor/checkup_parts.h"

#include <netinet/in.h>
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
    CHECK("our name and number",
          str_starts(owner, STR("test_app_checku")) &&
              str_ends(owner, arena_printf(a, ", process %d", (int)getpid())));
    close(fd);
    CHECK_STR("no listener", checkup_listener(a, ntohs(at.sin_port)), "");
}

static void test_proc(void **state)
{
    struct arena *a = *state;
    CHECK_STR("file without a size", str_trim_line(checkup_read(a, "/proc/self/comm")),
              "test_app_checku");
    CHECK_STR("none", checkup_read(a, "/proc/nothing"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watches),
        ARENA_TEST(test_listener),
        ARENA_TEST(test_proc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
