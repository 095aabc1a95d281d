#include "base/clock.h"

#include <time.h>

#include "check.h"

static void test_iso(void **state)
{
    (void)state;
    static const struct {
        const char *want;
        int64_t seconds;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},          {"1969-12-31T23:59:59Z", -1},
        {"2000-02-29T12:00:00Z", 951825600},  {"2026-11-15T09:30:00Z", 1794735000},
        {"2038-01-19T03:14:08Z", 2147483648}, {"9999-12-31T23:59:59Z", 253402300799},
        {"9999-12-31T23:59:59Z", INT64_MAX},  {"0000-01-01T00:00:00Z", INT64_MIN},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char out[CLOCK_ISO_SIZE];
        CHECK_STR(cases[i].want, clock_iso(cases[i].seconds, out), cases[i].want);
    }
}

static void test_monotonic(void **state)
{
    (void)state;
    uint64_t before = clock_ns(), before_ms = clock_ms();
    for (int i = 0; i < 10000; i++) {
        uint64_t now = clock_ns();
        assert_true(now >= before);
        before = now;
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    CHECK("ms go on", clock_ms() - before_ms >= 19);
    CHECK("the same clock", clock_ns() / 1000000 - clock_ms() < 2);
}

static void test_now(void **state)
{
    (void)state;
    int64_t now = clock_now();
    CHECK("as time(2)", llabs(now - (int64_t)time(NULL)) <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iso),
        cmocka_unit_test(test_monotonic),
        cmocka_unit_test(test_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
