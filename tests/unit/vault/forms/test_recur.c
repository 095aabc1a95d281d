#include "vault/forms/recur.h"

#include "check.h"
#include "vault/forms/task.h"

static int64_t day_of(const char *text)
{
    int32_t day;
    assert_true(task_date_parse(str_c(text), &day));
    return day;
}

static void test_next(void **state)
{
    static const struct {
        const char *rule, *from, *want; /* NULL: there is none */
    } cases[] = {
        {"every day", "2024-02-28", "2024-02-29"},
        {"everyday", "2024-02-28", "2024-02-29"},
        {"EVERY 10 DAYS", "2024-12-31", "2025-01-10"},
        {"every day on Monday", "2024-02-28", "2024-02-29"},
        {"every 1 week", "2024-02-28", "2024-03-06"},
        {"every 2 weeks on mon, fri", "2024-03-01", "2024-03-11"},
        {"every 2 weeks on tues and Thursday", "2024-02-27", "2024-02-29"},
        {"every weekday", "2024-03-01", "2024-03-04"},
        {"every 2 weekdays", "2024-03-01", "2024-03-11"},
        {"every Tuesday, Friday", "2024-02-27", "2024-03-01"},
        {"every week on weekdays", "2024-03-01", "2024-03-04"},
        {"every week on the 2nd Wednesday", "2024-02-28", "2024-03-06"},
        {"every week in January", "2024-02-28", "2025-01-01"},
        {"every month", "2024-01-31", "2024-02-29"},
        {"every month", "2024-02-29", "2024-03-29"},
        {"every month on the 1st and 24th", "2024-01-05", "2024-01-24"},
        {"every month on the last", "2024-01-31", "2024-02-29"},
        {"every month on the 2nd last", "2024-01-31", "2024-02-28"},
        {"every month on the last Friday", "2024-01-31", "2024-02-23"},
        {"every month on the first day", "2024-01-05", "2024-02-01"},
        {"every 3 months on the 31st", "2024-03-31", "2024-12-31"},
        {"every year", "2024-02-29", "2025-02-28"},
        {"every 4 years", "2096-02-29", "2100-02-28"},
        {"every year on February the 29th", "2024-02-29", "2028-02-29"},
        {"every year on the 1st Monday", "2024-01-01", "2025-01-06"},
        {"every year on the last Sunday", "2024-01-01", "2024-12-29"},
        {"every January on the 1st Monday", "2024-01-01", "2025-01-06"},
        {"every jan and july", "2024-01-15", "2024-07-15"},
        {"every month on the 13th on Friday", "2024-01-01", "2024-09-13"},
        {"every month on the 2nd Wednesday of it", "2024-01-01", "2024-01-10"},
        {"every month on the 40th", "2024-01-01", NULL},
        {"every year on February the 30th", "2024-01-01", NULL},
        {"every 99999 years", "2024-01-01", NULL},
        {"every month", "9999-12-31", NULL},
        {"every week", "9999-12-31", NULL},
        {"every day", "9999-12-31", NULL},
        {"every day for 3 times", "2024-01-01", NULL},
        {"every day until 2025", "2024-01-01", NULL},
        {"every 3 hours", "2024-01-01", NULL},
        {"every week on Monday at 9", "2024-01-01", NULL},
        {"every year on week 5", "2024-01-01", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recur r;
        int64_t next;
        CHECK(cases[i].rule, recur_parse(str_c(cases[i].rule), &r));
        bool found = recur_next(&r, day_of(cases[i].from), &next);
        CHECK_INT(cases[i].rule, found, cases[i].want != NULL);
        if (found)
            CHECK_STR(cases[i].rule, task_date_text(*state, (int32_t)next),
                      cases[i].want);
    }
}

static void test_not_rules(void **state)
{
    static const char *const cases[] = {
        "",
        "day",
        "every",
        "every 3",
        "each day",
        "nonsense",
        "every 0 days",
        "every second",
        "every Monday,",
        "every January, Monday",
        "when done",
        "every when done",
        "every 999999999999 days",
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct recur r;
        CHECK(cases[i], !recur_parse(str_c(cases[i]), &r));
    }
}

static void test_when_done(void **state)
{
    struct recur r;
    (void)state;
    assert_true(recur_parse(STR("every week When Done"), &r));
    assert_true(r.when_done);
    assert_true(recur_parse(STR("every week"), &r));
    assert_false(r.when_done);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_next),
        ARENA_TEST(test_not_rules),
        ARENA_TEST(test_when_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
