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
    uint64_t first = clock_ms(), ns = clock_ns(), last = clock_ms();
    CHECK("the same clock", first <= ns / 1000000 && ns / 1000000 <= last);
}

static void test_now(void **state)
{
    (void)state;
    int64_t before = (int64_t)time(NULL), now = clock_now(), after = (int64_t)time(NULL);
    CHECK("as time(2), whose clock may lag by a tick", before <= now && now <= after + 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iso),
        cmocka_unit_test(test_monotonic),
        cmocka_unit_test(test_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
