#include "base/clock.h"

#include <time.h>

#include "check.h"
#include "rounds.h"

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

static void check_date(int64_t seconds, const struct tm *want, struct clock_date got)
{
    if (got.year != want->tm_year + 1900LL || got.month != want->tm_mon + 1 ||
        got.day != want->tm_mday || got.hour != want->tm_hour ||
        got.minute != want->tm_min || got.second != want->tm_sec)
        fail_msg("%lld: %lld-%02d-%02d %02d:%02d:%02d", (long long)seconds,
                 (long long)got.year, got.month, got.day, got.hour, got.minute,
                 got.second);
}

/* As the C library: to seconds and back, over all years that it knows. */
static void test_calendar(void **state)
{
    (void)state;
    static const int64_t SPANS[] = {100000, INT32_MAX, 400000000000, 60000000000000000};
    uint64_t seed = 1;
    for (int i = 0; i < rounds(20000); i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        int64_t span = SPANS[i % (int)COUNT_OF(SPANS)];
        int64_t seconds = (int64_t)(seed >> 1) % (2 * span) - span;
        time_t t = (time_t)seconds;
        struct tm want;
        assert_non_null(gmtime_r(&t, &want));
        struct clock_date got = clock_utc(seconds);
        check_date(seconds, &want, got);
        assert_true(clock_from_utc(&got) == seconds && timegm(&want) == t);
        assert_int_equal(clock_weekday(clock_days(got.year, got.month, got.day)),
                         want.tm_wday);
    }
}

/* The zones of both halves of the year, one without a change, and one that changes by half an
 * hour. */
static void test_local(void **state)
{
    (void)state;
    static const char *const zones[] = {"UTC", "CET-1CEST,M3.5.0,M10.5.0/3",
                                        "EST5EDT,M3.2.0,M11.1.0", "IST-5:30",
                                        "LHST-10:30LHDT-11,M10.1.0,M4.1.0"};
    for (size_t zone = 0; zone < COUNT_OF(zones); zone++) {
        setenv("TZ", zones[zone], 1);
        tzset();
        for (int64_t seconds = 1700000000; seconds < 1740000000; seconds += 12345) {
            time_t t = (time_t)seconds;
            struct tm want;
            assert_non_null(localtime_r(&t, &want));
            struct clock_date got = clock_local(seconds);
            check_date(seconds, &want, got);
            int64_t back = clock_from_local(&got);
            CHECK(zones[zone],
                  back == seconds || clock_utc_offset(back) != clock_utc_offset(seconds));
        }
    }
    unsetenv("TZ");
    tzset();
}

static void test_clock_change(void **state)
{
    (void)state;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    static const struct {
        struct clock_date date;
        int64_t want;
    } cases[] = {
        {{2026, 3, 29, 1, 59, 59}, 1774745999}, {{2026, 3, 29, 2, 30, 0}, 1774747800},
        {{2026, 3, 29, 3, 30, 0}, 1774747800},  {{2026, 10, 25, 2, 30, 0}, 1792891800},
        {{2026, 10, 25, 3, 0, 0}, 1792893600},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (clock_from_local(&cases[i].date) != cases[i].want)
            fail_msg("case %zu: %lld", i, (long long)clock_from_local(&cases[i].date));
    unsetenv("TZ");
    tzset();
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iso),   cmocka_unit_test(test_monotonic),
        cmocka_unit_test(test_now),   cmocka_unit_test(test_calendar),
        cmocka_unit_test(test_local), cmocka_unit_test(test_clock_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
