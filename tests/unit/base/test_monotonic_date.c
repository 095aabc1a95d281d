#include "base/monotonic_date.h"

#include "check.h"

enum { DAY = CLOCK_DAY_S };
static const int64_t TODAY = 1794735000; /* 2026-11-15 */

/* A clock that goes on normally, in one process or in many, is always believed. */
static void test_normal(void **state)
{
    (void)state;
    struct monotonic_date w = {0};
    uint64_t boot = 5000;
    for (int64_t i = 0; i < 400; i++, boot += 1000ULL * DAY) {
        assert_int_equal(clock_believe(&w, TODAY + i * DAY, boot, 0), TODAY + i * DAY);
        assert_int_equal(w.doubted, 0);
    }
    /* idle for 20 days; the time has really passed */
    boot += 20 * 1000ULL * DAY;
    assert_int_equal(clock_believe(&w, TODAY + 419 * DAY, boot, 0), TODAY + 419 * DAY);
    /* each time a new process, up to a week later */
    for (int64_t i = 426; i < 800; i += 7) {
        w.passed_ms = 0;
        assert_int_equal(clock_believe(&w, TODAY + i * DAY, 77, 0), TODAY + i * DAY);
    }
}

static void test_jump(void **state)
{
    (void)state;
    struct monotonic_date w = {0};
    int64_t ahead = TODAY + 3650LL * DAY;
    assert_int_equal(clock_believe(&w, TODAY, 1000, 0), TODAY);
    assert_int_equal(clock_believe(&w, ahead, 2000, 0), TODAY + 1);
    assert_true(w.doubted > 0);
    assert_int_equal(clock_believe(&w, ahead + 3600, 3602000, 0), TODAY + 3601);
    /* set right again, and again wrong, and right */
    assert_int_equal(clock_believe(&w, TODAY + 3700, 3702000, 0), TODAY + 3700);
    assert_int_equal(w.doubted, 0);
    for (int64_t i = 0; i < 100; i++) {
        assert_int_equal(clock_believe(&w, ahead, 3702000, 0), TODAY + 3700);
        assert_int_equal(clock_believe(&w, TODAY, 3702000, 0), TODAY + 3700);
    }
    /* a clock that keeps jumping is not a clock that goes on */
    for (int64_t i = 1; i < 100; i++)
        assert_int_equal(clock_believe(&w, TODAY + i * 30 * DAY, 3702000, 0),
                         TODAY + 3700);
}

/* The server was off for long: the clock is right, and is believed after a week. */
static void test_settles(void **state)
{
    (void)state;
    struct monotonic_date w = {0};
    int64_t later = TODAY + 100LL * DAY;
    assert_int_equal(clock_believe(&w, TODAY, 1000, 0), TODAY);
    w.passed_ms = 0;
    for (int64_t i = 0; i < 7; i++) {
        uint64_t boot = 1000 + (uint64_t)i * DAY * 1000;
        assert_int_equal(clock_believe(&w, later + i * DAY, boot, 0), TODAY + i * DAY);
    }
    assert_int_equal(clock_believe(&w, later + 7 * DAY, 1000 + 7ULL * DAY * 1000, 0),
                     later + 7 * DAY);
    assert_int_equal(w.doubted, 0);
    /* the same if every look is by a new process: seven days, not seven looks */
    w = (struct monotonic_date){.believed = TODAY};
    for (int64_t i = 0; i < 700; i++) {
        w.passed_ms = 0;
        assert_int_equal(clock_believe(&w, later + i * DAY / 100, 5, 0), TODAY);
    }
    assert_int_equal(clock_believe(&w, later + 7 * DAY, 5, 0), later + 7 * DAY);
}

static void test_back(void **state)
{
    (void)state;
    struct monotonic_date w = {0};
    assert_int_equal(clock_believe(&w, TODAY, 1000, 0), TODAY);
    assert_int_equal(clock_believe(&w, 100, 2000, 0), TODAY);
    assert_int_equal(w.doubted, 0);
    assert_int_equal(clock_believe(&w, TODAY + 10, 12000, 0), TODAY + 10);
}

/* Without a date, records and files are one. */
static void test_newest(void **state)
{
    (void)state;
    struct monotonic_date w = {0};
    assert_int_equal(clock_believe(&w, TODAY + 1000LL * DAY, 1000, TODAY), TODAY);
    assert_true(w.doubted > 0);
    w = (struct monotonic_date){0};
    assert_int_equal(clock_believe(&w, TODAY, 1000, TODAY + 1000LL * DAY), TODAY);
    assert_int_equal(w.doubted, 0);
}

static void test_text(void **state)
{
    (void)state;
    char text[MONOTONIC_DATE_SIZE];
    struct monotonic_date w = {0}, back = {0};
    clock_believe(&w, TODAY, 1000, 0);
    assert_true(monotonic_date_is_news(&w));
    CHECK_STR("believed", monotonic_date_print(&w, text), "1794735000 0 0\n");
    assert_false(monotonic_date_is_news(&w));
    clock_believe(&w, TODAY + DAY - 1, 1000, 0);
    assert_false(monotonic_date_is_news(&w));
    clock_believe(&w, TODAY + DAY, 1000, 0);
    assert_true(monotonic_date_is_news(&w));
    (void)monotonic_date_print(&w, text);
    clock_believe(&w, TODAY + 100LL * DAY, 1000, 0);
    assert_true(monotonic_date_is_news(&w));
    monotonic_date_parse(&back, monotonic_date_print(&w, text));
    assert_false(monotonic_date_is_news(&back) || monotonic_date_is_news(&w));
    assert_int_equal(back.believed, w.believed);
    assert_int_equal(back.doubted, w.doubted);
    assert_int_equal(back.settled, w.settled);
    static const char *const bad[] = {"",      "1",      "1 2",     "0 0 0", "x 0 0",
                                      "1 2 x", "-1 0 0", "1 2 3 4", "1 -2 3"};
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct monotonic_date none = {0};
        monotonic_date_parse(&none, str_c(bad[i]));
        CHECK_INT(bad[i], none.believed, 0);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_normal),  cmocka_unit_test(test_jump),
        cmocka_unit_test(test_settles), cmocka_unit_test(test_back),
        cmocka_unit_test(test_newest),  cmocka_unit_test(test_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
