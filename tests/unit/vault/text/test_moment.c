#include "vault/text/moment.h"

#include <stdio.h>
#include <time.h>

#include "check.h"
#include "vault/text/moment_parts.h"

/* "2024-02-29T13:05:09.078+05:30"; everything after the day is optional. */
static struct moment at(const char *iso)
{
    struct moment m = {0};
    int hours = 0, minutes = 0;
    char sign = '+';
    if (sscanf(iso, "%d-%d-%dT%d:%d:%d.%d%c%d:%d", &m.year, &m.month, &m.day, &m.hour,
               &m.minute, &m.second, &m.ms, &sign, &hours, &minutes) < 3)
        fail_msg("%s is not a date", iso);
    m.offset = (hours * 60 + minutes) * (sign == '-' ? -1 : 1);
    return m;
}

struct row {
    const char *date, *format, *want;
};

static void check_rows(struct arena *a, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct moment m = at(rows[i].date);
        str row = arena_printf(a, "%s as %s", rows[i].date, rows[i].format);
        CHECK_STR(row.p, moment_format(a, &m, str_c(rows[i].format)), rows[i].want);
    }
}

static void test_tokens(void **state)
{
    static const struct row rows[] = {
        {"2024-02-09", "YYYY YY Y YYYYY YYYYYY", "2024 24 2024 02024 +002024"},
        {"0987-02-09", "YYYY YY y yyyy", "0987 87 987 0987"},
        {"2024-02-09", "Q Qo M Mo MM MMM MMMM", "1 1st 2 2nd 02 Feb February"},
        {"2024-12-09", "Q M MM MMM MMMM", "4 12 12 Dec December"},
        {"2024-02-09", "D Do DD DDD DDDo DDDD", "9 9th 09 40 40th 040"},
        {"2024-12-31", "DDD DDDD", "366 366"},
        {"2023-12-31", "DDD DDDo", "365 365th"},
        {"1900-12-31", "DDD", "365"},
        {"2000-12-31", "DDD", "366"},
        {"2024-02-09", "d do dd ddd dddd e E", "5 5th Fr Fri Friday 5 5"},
        {"2024-02-11", "d do dd ddd dddd e E", "0 0th Su Sun Sunday 0 7"},
        {"2024-02-09T13:05:09.078", "H HH h hh k kk m mm s ss",
         "13 13 1 01 13 13 5 05 9 09"},
        {"2024-02-09T13:05:09.078", "S SS SSS SSSS SSSSSSSSS", "0 07 078 0780 078000000"},
        {"2024-02-09T13:05:09.078", "Hmm hmmss a A", "1305 10509 pm PM"},
        {"2024-02-09T00:00:00", "H h hh k kk a A", "0 12 12 24 24 am AM"},
        {"2024-02-09T11:59:00", "h:mm A", "11:59 AM"},
        {"2024-02-09T12:00:00", "H h k a", "12 12 12 pm"},
        {"2024-02-09T23:00:00", "h k", "11 23"},
        {"2024-02-09T13:05:09.078+05:30", "Z ZZ X x",
         "+05:30 +0530 1707464109 1707464109078"},
        {"2024-02-09T13:05:09.078-09:30", "Z ZZ", "-09:30 -0930"},
        {"1969-12-31T23:59:59.500", "X x Z", "-1 -500 +00:00"},
        {"2024-02-09T13:05:09.0", "L|LL|LT|LTS",
         "02/09/2024|February 9, 2024|1:05 PM|1:05:09 PM"},
        {"2024-02-09T13:05:09.0", "LLL", "February 9, 2024 1:05 PM"},
        {"2024-02-09T13:05:09.0", "LLLL", "Friday, February 9, 2024 1:05 PM"},
        {"2024-02-09T13:05:09.0", "l|ll|llll",
         "2/9/2024|Feb 9, 2024|Fri, Feb 9, 2024 1:05 PM"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_weeks(void **state)
{
    static const struct row rows[] = {
        /* ISO: weeks begin on Monday, the first has a Thursday */
        {"2020-12-31", "GGGG-[W]WW-E", "2020-W53-4"},
        {"2021-01-03", "GGGG-[W]WW-E", "2020-W53-7"},
        {"2021-01-04", "GGGG-[W]WW-E", "2021-W01-1"},
        {"2022-01-01", "GGGG-[W]WW", "2021-W52"},
        {"2024-12-29", "GGGG-[W]WW", "2024-W52"},
        {"2024-12-30", "GGGG-[W]W GG Wo", "2025-W1 25 1st"},
        {"2026-12-31", "GGGG-[W]WW", "2026-W53"},
        {"2027-01-03", "GGGG-[W]WW", "2026-W53"},
        {"2016-01-01", "GGGG-[W]WW", "2015-W53"},
        /* English: weeks begin on Sunday, the first has January 1 */
        {"2020-12-26", "gggg-[W]ww", "2020-W52"},
        {"2020-12-27", "gggg-[W]ww-e", "2021-W01-0"},
        {"2021-01-02", "gggg-[W]ww", "2021-W01"},
        {"2021-01-03", "gggg-[W]w gg wo", "2021-W2 21 2nd"},
        {"2022-12-31", "gggg-[W]ww", "2022-W53"},
        {"2023-01-01", "gggg-[W]ww", "2023-W01"},
        {"2024-12-28", "gggg-[W]ww", "2024-W52"},
        {"2024-12-29", "gggg-[W]ww", "2025-W01"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_ordinals(void **state)
{
    static const struct row rows[] = {
        {"2024-01-01", "Do", "1st"},         {"2024-01-02", "Do", "2nd"},
        {"2024-01-03", "Do", "3rd"},         {"2024-01-04", "Do", "4th"},
        {"2024-01-10", "Do", "10th"},        {"2024-01-11", "Do", "11th"},
        {"2024-01-12", "Do", "12th"},        {"2024-01-13", "Do", "13th"},
        {"2024-01-21", "Do", "21st"},        {"2024-01-22", "Do", "22nd"},
        {"2024-01-23", "Do", "23rd"},        {"2024-01-31", "Do", "31st"},
        {"2023-04-21", "DDDo", "111th"},     {"2023-04-11", "DDDo", "101st"},
        {"2024-11-02", "Mo Qo", "11th 4th"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_literals(void **state)
{
    static const struct row rows[] = {
        {"2024-02-09", "", ""},
        {"2024-02-09", "YYYY/MM/YYYY-MM-DD", "2024/02/2024-02-09"},
        {"2024-02-09", "[Day] DD [of] MMMM", "Day 09 of February"},
        {"2024-02-09", "[]YYYY", "2024"},
        {"2024-02-09", "[[YYYY]]", "[YYYY]"},
        {"2024-02-09", "[a]b]DD", "a]b09"},
        {"2024-02-09", "[YYYY", "[2024"},
        {"2024-02-09", "YYYY]", "2024]"},
        {"2024-02-09", "\\D\\a\\y D", "Day 9"},
        {"2024-02-09", "\\YYYY \\MM\\D", "YYYY MMD"},
        {"2024-02-09", "\\LT \\-D", "LT -9"},
        {"2024-02-09T13:05:00", "\\Hmm Hmm", "Hmm 1305"},
        {"2024-02-09", "D\\", "9"},
        {"2024-02-09", "YYYY年MM月DD日", "2024年02月09日"},
        {"2024-02-09", "TJRUP jf", "TJRUP jf"},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_parse(void **state)
{
    static const struct {
        const char *format, *text, *date; /* NULL: not a date in that format */
    } cases[] = {
        {"YYYY-MM-DD", "2024-02-29", "2024-02-29"},
        {"YYYY-MM-DD", "2023-02-29", NULL},
        {"YYYY-MM-DD", "2024-13-01", NULL},
        {"YYYY-MM-DD", "2024-00-01", NULL},
        {"YYYY-MM-DD", "2024-02-2", NULL},
        {"YYYY-MM-DD", "2024-02-29 x", NULL},
        {"YYYY-MM-DD", "Ideas", NULL},
        {"YYYY-MM-DD", "", NULL},
        {"YYYYMMDD", "20240229", "2024-02-29"},
        {"YYMMDD", "240229", "2024-02-29"},
        {"YY-M-D", "99-2-9", "1999-02-09"},
        {"D.M.YYYY", "9.12.2024", "2024-12-09"},
        {"D.M.YYYY", "09.12.2024", NULL},
        {"YYYY/MM/YYYY-MM-DD", "2024/02/2024-02-09", "2024-02-09"},
        {"YYYY/MM/YYYY-MM-DD", "2023/02/2024-02-09", NULL},
        {"YYYY-MM-DD dddd", "2024-02-09 Friday", "2024-02-09"},
        {"YYYY-MM-DD dddd", "2024-02-09 Monday", NULL},
        {"dddd, MMMM Do YYYY", "Friday, February 9th 2024", "2024-02-09"},
        {"ddd MMM D YYYY", "Thu May 2 2024", "2024-05-02"},
        {"[Daily] YYYY.DDDD", "Daily 2024.366", "2024-12-31"},
        {"gggg-[W]ww", "2024-W01", "2023-12-31"},
        {"gggg-[W]ww", "2024-W53", NULL},
        {"GGGG-[W]WW", "2024-W01", "2024-01-01"},
        {"GGGG-[W]WW", "2020-W53", "2020-12-28"},
        {"GGGG-[W]WW-E", "2020-W53-7", "2021-01-03"},
        {"GGGG-[W]WW", "2024-W00", NULL},
        {"YYYY-MM", "2024-05", "2024-05-01"},
        {"YYYY-[Q]Q", "2024-Q3", "2024-07-01"},
        {"YYYY-[Q]Q", "2024-Q5", NULL},
        {"YYYY", "2024", "2024-01-01"},
        {"YYYYMMDDHHmm", "202402091305", "2024-02-09T13:05:00"},
        {"YYYY-MM-DD hh.mm A", "2024-02-09 12.05 AM", "2024-02-09T00:05:00"},
        {"YYYY-MM-DD HH.mm", "2024-02-09 24.05", NULL},
        {"MM-DD", "02-09", NULL},
        {"[note]", "note", NULL},
        {"", "", NULL},
        {"YYYY X", "2024 1707464109", NULL},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct moment got = {0};
        const char *date = cases[i].date;
        str row = arena_printf(a, "%s of %s", cases[i].format, cases[i].text);
        bool ok = moment_parse(a, str_c(cases[i].format), str_c(cases[i].text), &got);
        CHECK_INT(row.p, ok, date != NULL);
        if (date == NULL)
            continue;
        struct moment want = at(date);
        CHECK(row.p, memcmp(&got, &want, sizeof(got)) == 0);
    }
}

/* Every day of eighty years, formatted and parsed. */
static void test_calendar(void **state)
{
    struct arena *a = *state;
    static const char *const formats[] = {"YYYY-MM-DD", "YYYY-DDDD", "GGGG-[W]WW-E",
                                          "gggg-[W]ww-e"};
    struct moment m = at("1959-12-31");
    for (int day = 0; day < 30000; day++) {
        moment_of_days(moment_days(m.year, m.month, m.day) + 1, &m);
        for (size_t i = 0; i < COUNT_OF(formats); i++) {
            struct moment back = {0};
            str text = moment_format(a, &m, str_c(formats[i]));
            CHECK(text.p, moment_parse(a, str_c(formats[i]), text, &back));
            CHECK(text.p, memcmp(&m, &back, sizeof(m)) == 0);
        }
        arena_reset(a);
    }
    CHECK_STR("last", moment_format(a, &m, STR("YYYY-MM-DD")), "2042-02-18");
}

static void test_local(void **state)
{
    struct arena *a = *state;
    setenv("TZ", "XST-5:30", 1);
    tzset();
    struct moment m = moment_local(1707464109078);
    CHECK_STR("there", moment_format(a, &m, STR("YYYY-MM-DD[T]HH:mm:ss.SSSZ x")),
              "2024-02-09T13:05:09.078+05:30 1707464109078");
    m = moment_local(-1);
    CHECK_STR("before 1970", moment_format(a, &m, STR("YYYY HH:mm:ss.SSS x")),
              "1970 05:29:59.999 -1");
    m = moment_local(INT64_MAX);
    CHECK_INT("far", m.year, MOMENT_YEAR_MAX);
    m = moment_local(INT64_MIN);
    CHECK_INT("long ago", m.year, 0);
    unsetenv("TZ");
    tzset();
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_tokens),   ARENA_TEST(test_weeks), ARENA_TEST(test_ordinals),
        ARENA_TEST(test_literals), ARENA_TEST(test_parse), ARENA_TEST(test_calendar),
        ARENA_TEST(test_local),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
