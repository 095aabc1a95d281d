#include "check.h"
#include "vault/eval/value_duration.h"

static void test_parse(void **state)
{
    static const struct {
        const char *text;
        enum duration_units units;
        double months, days, ms;
    } cases[] = {
        {"1d", DURATION_BASES, 0, 1, 0},
        {"1 day", DURATION_BASES, 0, 1, 0},
        {"2w", DURATION_BASES, 0, 14, 0},
        {"1M", DURATION_BASES, 1, 0, 0},
        {"1m", DURATION_BASES, 0, 0, 60000},
        {"1m", DURATION_DQL, 0, 0, 60000},
        {"1mo", DURATION_DQL, 1, 0, 0},
        {"1m", DURATION_QUERY, 1, 0, 0},
        {"1y 2M", DURATION_BASES, 14, 0, 0},
        {"1d, 12h", DURATION_BASES, 0, 1, 43200000},
        {"-1.5 hours", DURATION_BASES, 0, 0, -5400000},
        {"9 years, 8 months", DURATION_DQL, 116, 0, 0},
        {"6hr 4min", DURATION_DQL, 0, 0, 21840000},
        {"P1Y2M3DT4H5M6S", DURATION_BASES, 14, 3, 14706000},
        {"5 ms", DURATION_BASES, 0, 0, 5},
    };
    static const char *const wrong[] = {"",    "d",     "1", "1 fortnight", "1D",
                                        "1d,", "1 d x", "P", "PT",          "P1H"};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct duration d = {0};
        CHECK(cases[i].text, duration_parse(str_c(cases[i].text), cases[i].units, &d));
        CHECK(cases[i].text, d.months == cases[i].months && d.days == cases[i].days &&
                                 d.ms == cases[i].ms);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        struct duration d;
        CHECK(wrong[i], !duration_parse(str_c(wrong[i]), DURATION_BASES, &d));
    }
}

static void test_words(void **state)
{
    static const struct {
        double seconds;
        const char *words;
    } cases[] = {
        {0, "a few seconds"},    {44, "a few seconds"},   {45, "a minute"},
        {89, "a minute"},        {90, "2 minutes"},       {44 * 60, "44 minutes"},
        {45 * 60, "an hour"},    {21 * 3600, "21 hours"}, {22 * 3600, "a day"},
        {36 * 3600, "2 days"},   {25 * 86400, "25 days"}, {26 * 86400, "a month"},
        {320 * 86400, "a year"}, {-86400, "a day"},       {1e12, "31689 years"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].words, duration_words(a, cases[i].seconds * 1000),
                  cases[i].words);
    CHECK_STR("later", duration_relative(a, 86400000), "in a day");
    CHECK_STR("earlier", duration_relative(a, -86400000), "a day ago");
}

static str moved(struct arena *a, const char *date, struct duration by)
{
    struct date d;
    char text[DATE_TEXT_SIZE];
    CHECK(date, date_parse(str_c(date), 0, &d) > 0);
    return arena_str(a, date_text(duration_move(d, by), text));
}

static void test_move(void **state)
{
    struct arena *a = *state;
    struct duration month = {.months = 1}, day = {.days = 1}, hours = {.ms = 86400000};
    CHECK_STR("month", moved(a, "2024-01-31", month), "2024-02-29");
    CHECK_STR("day", moved(a, "2024-02-29", day), "2024-03-01");
    CHECK_STR("24h", moved(a, "2024-02-29", hours), "2024-03-01T00:00:00");
    CHECK_STR("back", moved(a, "2024-03-01T00:00:00", duration_times(hours, -0.5)),
              "2024-02-29T12:00:00");
    CHECK_STR("far", moved(a, "2024-03-01", duration_times(month, 1e300)), "9999-12-31");
    CHECK_STR("nan", moved(a, "2024-03-01", duration_times(month, 0.0 / 0.0)),
              "2024-03-01");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parse),
        ARENA_TEST(test_words),
        ARENA_TEST(test_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
