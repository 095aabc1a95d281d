#include "vault/eval/value_date.h"

#include <time.h>

#include "check.h"

static str shown(struct arena *a, struct date d)
{
    char text[DATE_TEXT_SIZE];
    return arena_str(a, date_text(d, text));
}

static void test_parse(void **state)
{
    static const struct {
        const char *text, *shown;
        size_t n; /* bytes read; 0: not a date */
    } cases[] = {
        {"2026-11-16", "2026-11-16", 10},
        {"2026-11-16T10:00", "2026-11-16T10:00:00", 16},
        {"2026-11-16 10:00", "2026-11-16T10:00:00", 16},
        {"2026-11-16T10:00:59", "2026-11-16T10:00:59", 19},
        {"2026-11-16T10:00:59.123456", "2026-11-16T10:00:59", 26},
        {"2026-11-16T10:00Z", "2026-11-16T11:00:00", 17},
        {"2026-11-16T10:00:00+05:30", "2026-11-16T05:30:00", 25},
        {"2026-11-16T10:00:00-0800", "2026-11-16T19:00:00", 24},
        {"2026-12-31T23:30Z", "2027-01-01T00:30:00", 17},
        {"2026-11-16T25:00", "2026-11-16", 10},
        {"2026-11-16 and", "2026-11-16", 10},
        {"2024-02-29", "2024-02-29", 10},
        {"2000-02-29", "2000-02-29", 10},
        {"0000-01-01", "0000-01-01", 10},
        {"9999-12-31T23:59:59", "9999-12-31T23:59:59", 19},
        {"9999-12-31T23:59:59Z", "9999-12-31T23:59:59", 20},
        {"2023-02-29", "", 0},
        {"1900-02-29", "", 0},
        {"2026-00-10", "", 0},
        {"2026-13-10", "", 0},
        {"2026-04-31", "", 0},
        {"2026-4-3", "", 0},
        {"26-04-03", "", 0},
        {"2026-04", "", 0},
        {"", "", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct date d = {0};
        CHECK_INT(cases[i].text, date_parse(str_c(cases[i].text), 3600, &d), cases[i].n);
        if (cases[i].n > 0)
            CHECK_STR(cases[i].text, shown(*state, d), cases[i].shown);
    }
}

static void test_shift(void **state)
{
    static const struct {
        const char *from;
        int64_t months, seconds;
        const char *to;
    } cases[] = {
        {"2026-01-31", 1, 0, "2026-02-28"},
        {"2024-01-31", 1, 0, "2024-02-29"},
        {"2024-02-29", 12, 0, "2025-02-28"},
        {"2024-02-29", -48, 0, "2020-02-29"},
        {"2026-03-31", -1, 0, "2026-02-28"},
        {"2026-01-15", -1, 0, "2025-12-15"},
        {"2026-12-31", 0, 86400, "2027-01-01"},
        {"2026-01-31", 1, 86400, "2026-03-01"},
        {"2026-01-01", 0, -86400, "2025-12-31"},
        {"2026-01-01", 0, 3600, "2026-01-01T01:00:00"},
        {"2026-01-01T00:30", 0, -3600, "2025-12-31T23:30:00"},
        {"1969-12-31", 0, 86400, "1970-01-01"},
        {"1600-02-29", 0, 86400, "1600-03-01"},
        {"2026-01-01", 12 * 9000, 0, "9999-12-31"},
        {"2026-01-01", -12 * 9000, 0, "0000-01-01"},
        {"9999-12-31", 0, 86400 * 400LL, "9999-12-31"},
        {"0000-01-01", 0, -86400 * 400LL, "0000-01-01"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct date d;
        assert_true(date_parse(str_c(cases[i].from), 0, &d) > 0);
        d = date_shift(d, cases[i].months, cases[i].seconds);
        CHECK_STR(cases[i].from, shown(*state, d), cases[i].to);
    }
}

/* Every day of 800 years, against the C library. */
static void test_calendar(void **state)
{
    for (int64_t day = -146097; day < 146097; day++) {
        time_t t = (time_t)(day * 86400);
        struct tm tm;
        char want[DATE_TEXT_SIZE], got[DATE_TEXT_SIZE];
        gmtime_r(&t, &tm);
        (void)strftime(want, sizeof(want), "%Y-%m-%d", &tm);
        struct date d = date_day(date_of_clock(day * 86400 + 5, 0)), again;
        CHECK_STR(want, date_text(d, got), want);
        assert_true(date_parse(str_c(want), 0, &again) == 10);
        CHECK_INT(want, again.seconds, day * 86400);
    }
}

static void test_compare(void **state)
{
    static const struct {
        const char *a, *b;
        int compare, order;
    } cases[] = {
        {"2026-11-16", "2026-11-16", 0, 0},
        {"2026-11-16", "2026-11-17", -1, -1},
        {"2026-11-16", "2026-11-16T00:00", 0, -1},
        {"2026-11-16", "2026-11-16T23:59", 0, -1},
        {"2026-11-16T23:59", "2026-11-17", -1, -1},
        {"2026-11-16T10:00", "2026-11-16T10:01", -1, -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct date a, b;
        assert_true(date_parse(str_c(cases[i].a), 0, &a) > 0);
        assert_true(date_parse(str_c(cases[i].b), 0, &b) > 0);
        CHECK_INT(cases[i].a, date_compare(a, b), cases[i].compare);
        CHECK_INT(cases[i].a, date_compare(b, a), -cases[i].compare);
        CHECK_INT(cases[i].a, date_order(a, b), cases[i].order);
        CHECK_INT(cases[i].a, date_order(b, a), -cases[i].order);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parse),
        ARENA_TEST(test_shift),
        ARENA_TEST(test_calendar),
        ARENA_TEST(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
