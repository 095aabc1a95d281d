#include "base/clock.h"
#include "vault/text/moment_parts.h"

const struct moment_weeks moment_locale = {0, 1}, moment_iso = {1, 4};

int64_t moment_days(int year, int month, int day)
{
    return clock_days(year, month, day);
}

void moment_of_days(int64_t days, struct moment *out)
{
    struct clock_date date;
    clock_from_days(days, &date);
    out->year = (int)date.year;
    out->month = date.month;
    out->day = date.day;
}

int moment_month_days(int year, int month)
{
    static const char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

int moment_iso_weekday(int64_t days)
{
    return (clock_weekday(days) + 6) % 7;
}

int moment_weekday(const struct moment *m)
{
    return clock_weekday(moment_days(m->year, m->month, m->day));
}

static int64_t within(int64_t n, int64_t low, int64_t high)
{
    return n < low ? low : n > high ? high : n;
}

struct moment moment_plus(const struct moment *m, int64_t months, int64_t days)
{
    enum { MONTHS_MAX = 12 * (MOMENT_YEAR_MAX + 1), DAYS_MAX = 366 * MONTHS_MAX / 12 };
    int64_t month =
        m->year * 12LL + m->month - 1 + within(months, -MONTHS_MAX, MONTHS_MAX);
    month = within(month, 0, MONTHS_MAX - 1);
    int y = (int)(month / 12), in_year = (int)(month % 12) + 1;
    int64_t day =
        moment_days(y, in_year, (int)within(m->day, 1, moment_month_days(y, in_year)));
    struct moment sum = *m;
    day = within(day + within(days, -DAYS_MAX, DAYS_MAX), moment_days(0, 1, 1),
                 moment_days(MOMENT_YEAR_MAX, 12, 31));
    moment_of_days(day, &sum);
    return sum;
}

int moment_week_offset(int year, const struct moment_weeks *weeks)
{
    int64_t january = moment_days(year, 1, weeks->january);
    return weeks->january - 1 - (7 + clock_weekday(january) - weeks->first_day) % 7;
}

static int weeks_in(int year, const struct moment_weeks *weeks)
{
    int64_t days = moment_days(year + 1, 1, 1) - moment_days(year, 1, 1);
    return ((int)days - moment_week_offset(year, weeks) +
            moment_week_offset(year + 1, weeks)) /
           7;
}

static int yearday(const struct moment *m)
{
    return (int)(moment_days(m->year, m->month, m->day) - moment_days(m->year, 1, 1)) + 1;
}

/* The week that contains m, and the year to which that week belongs. */
static int week(const struct moment *m, const struct moment_weeks *weeks, int *year)
{
    int days = yearday(m) - 1 - moment_week_offset(m->year, weeks);
    *year = m->year;
    if (days < 0) {
        *year = m->year - 1;
        return weeks_in(*year, weeks);
    }
    int number = days / 7 + 1;
    if (number <= weeks_in(m->year, weeks))
        return number;
    *year = m->year + 1;
    return 1;
}

static int week_number(const struct moment *m, enum moment_unit unit)
{
    bool iso = unit >= UNIT_ISOWEEK;
    int year, number = week(m, iso ? &moment_iso : &moment_locale, &year);
    if (unit == UNIT_WEEK || unit == UNIT_ISOWEEK)
        return number;
    return unit == UNIT_WEEKYEAR || unit == UNIT_ISOYEAR ? year : year % 100;
}

static int clock_number(const struct moment *m, enum moment_unit unit)
{
    switch (unit) {
    case UNIT_HOUR:
        return m->hour;
    case UNIT_HOUR12:
        return m->hour % 12 == 0 ? 12 : m->hour % 12;
    case UNIT_HOUR24:
        return m->hour == 0 ? 24 : m->hour;
    case UNIT_MINUTE:
        return m->minute;
    case UNIT_SECOND:
        return m->second;
    default:
        return m->hour >= 12;
    }
}

int moment_number(const struct moment *m, enum moment_unit unit)
{
    int day = clock_weekday(moment_days(m->year, m->month, m->day));
    switch (unit) {
    case UNIT_YEAR:
        return m->year;
    case UNIT_YEAR2:
        return m->year % 100;
    case UNIT_QUARTER:
        return (m->month + 2) / 3;
    case UNIT_MONTH:
        return m->month;
    case UNIT_DAY:
        return m->day;
    case UNIT_YEARDAY:
        return yearday(m);
    case UNIT_WEEKDAY:
        return day;
    case UNIT_ISODAY:
        return day == 0 ? 7 : day;
    default:
        return unit < UNIT_HOUR ? week_number(m, unit) : clock_number(m, unit);
    }
}

str moment_name(enum moment_unit unit, int number)
{
    static const char *const months[] = {
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December",
    };
    static const char *const days[] = {
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    };
    if (unit == UNIT_MONTH)
        return str_c(months[number - 1]);
    if (unit == UNIT_WEEKDAY)
        return str_c(days[number]);
    return number == 0 ? STR("AM") : STR("PM");
}
