#include "base/clock.h"

#include <stdio.h>

enum { DAY = 24 * 60 * 60 };

/* Years 0000 to 9999: other years do not fit an ISO 8601 date of 20 bytes. */
static const int64_t ISO_FIRST = -62167219200, ISO_LAST = 253402300799;

uint64_t clock_ms(void)
{
    return clock_ns() / 1000000u;
}

int64_t clock_now(void)
{
    return clock_wall_ns() / 1000000000;
}

/* --- the calendar --- */

/* n / by, rounded down. */
static int64_t floor_div(int64_t n, int64_t by)
{
    return n / by - (n % by < 0);
}

/*
 * Howard Hinnant's algorithm: years begin in March, so that a leap day is the last day.
 */
int64_t clock_days(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = floor_div(y, 400), of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

void clock_from_days(int64_t days, struct clock_date *out)
{
    days += 719468;
    int64_t era = floor_div(days, 146097), of_era = days - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t month = (5 * of_year + 2) / 153;
    out->day = (int)(of_year - (153 * month + 2) / 5 + 1);
    out->month = (int)(month < 10 ? month + 3 : month - 9);
    out->year = y + era * 400 + (out->month <= 2);
}

int clock_weekday(int64_t days)
{
    return (int)(((days + 4) % 7 + 7) % 7); /* 1970 began on a Thursday */
}

struct clock_date clock_utc(int64_t seconds)
{
    int64_t days = floor_div(seconds, DAY);
    int of_day = (int)(seconds - days * DAY);
    struct clock_date date = {
        .hour = of_day / 3600, .minute = of_day / 60 % 60, .second = of_day % 60};
    clock_from_days(days, &date);
    return date;
}

struct clock_date clock_local(int64_t seconds)
{
    return clock_utc(seconds + clock_utc_offset(seconds));
}

int64_t clock_from_utc(const struct clock_date *d)
{
    return clock_days(d->year, d->month, d->day) * DAY + d->hour * 3600 + d->minute * 60 +
           d->second;
}

/* The offset before and after the time tells whether it lies at a change of the clocks. */
int64_t clock_from_local(const struct clock_date *d)
{
    int64_t utc = clock_from_utc(d);
    int before = clock_utc_offset(utc - DAY), after = clock_utc_offset(utc + DAY);
    int64_t late = utc - after;
    return clock_utc_offset(late) == after ? late : utc - before;
}

str clock_iso(int64_t seconds, char *out)
{
    if (seconds < ISO_FIRST)
        seconds = ISO_FIRST;
    if (seconds > ISO_LAST)
        seconds = ISO_LAST;
    struct clock_date d = clock_utc(seconds);
    int n = snprintf(out, CLOCK_ISO_SIZE, "%04d-%02d-%02dT%02d:%02d:%02dZ", (int)d.year,
                     d.month, d.day, d.hour, d.minute, d.second);
    return (str){out, (size_t)n};
}

static bool clock_read_number(str text, size_t at, size_t n, int *out)
{
    int64_t number;
    for (size_t i = at; i < at + n; i++)
        if (text.p[i] < '0' || text.p[i] > '9')
            return false;
    bool ok = str_to_int(str_slice(text, at, at + n), &number);
    *out = ok ? (int)number : 0;
    return ok;
}

bool clock_read_iso(str text, int64_t *seconds)
{
    struct clock_date d = {0};
    int year;
    bool form = text.n >= sizeof("2026-11-15T09:30:00Z") - 1 && text.p[4] == '-' &&
                text.p[7] == '-' && text.p[10] == 'T' && text.p[13] == ':' &&
                text.p[16] == ':' && text.p[text.n - 1] == 'Z' &&
                (text.p[19] == 'Z' || text.p[19] == '.');
    if (!form || !clock_read_number(text, 0, 4, &year) ||
        !clock_read_number(text, 5, 2, &d.month) ||
        !clock_read_number(text, 8, 2, &d.day) ||
        !clock_read_number(text, 11, 2, &d.hour) ||
        !clock_read_number(text, 14, 2, &d.minute) ||
        !clock_read_number(text, 17, 2, &d.second))
        return false;
    d.year = year;
    *seconds = clock_from_utc(&d);
    return true;
}
