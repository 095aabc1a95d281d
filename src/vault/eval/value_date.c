#include "vault/eval/value_date.h"

#include "base/near.h"
#include "base/text.h"
#include "vault/text/moment.h"

#include <stdio.h>

enum { DAY = 86400, HOUR = 3600, MINUTE = 60 };

static const int64_t FIRST = -62167219200, LAST = 253402300799; /* years 0000 to 9999 */

/* --- calendar --- */

static int64_t floor_days(int64_t seconds)
{
    return (seconds - FIRST) / DAY + FIRST / DAY; /* seconds is never before FIRST */
}

static int64_t within(int64_t seconds)
{
    return seconds < FIRST ? FIRST : seconds > LAST ? LAST : seconds;
}

/* --- reading --- */

/* Exactly n digits at i. */
static bool digits(str s, size_t i, size_t n, int64_t *out)
{
    if (i > s.n || s.n - i < n)
        return false;
    *out = 0;
    for (size_t k = i; k < i + n; k++) {
        if (!is_digit(s.p[k]))
            return false;
        *out = *out * 10 + (s.p[k] - '0');
    }
    return true;
}

static bool is_at(str s, size_t i, char c)
{
    return i < s.n && s.p[i] == c;
}

static bool read_day(str s, int64_t *year, int64_t *month, int64_t *day)
{
    return digits(s, 0, 4, year) && is_at(s, 4, '-') && digits(s, 5, 2, month) &&
           is_at(s, 7, '-') && digits(s, 8, 2, day);
}

bool date_looks_like(str s)
{
    int64_t year, month, day;
    return read_day(s, &year, &month, &day);
}

/* "Z", "+02:00" or "+0200" at i: its length, and the offset from UTC. */
static size_t read_zone(str s, size_t i, int64_t *offset)
{
    int64_t hours, minutes;
    if (is_at(s, i, 'Z') || is_at(s, i, 'z')) {
        *offset = 0;
        return 1;
    }
    if ((!is_at(s, i, '+') && !is_at(s, i, '-')) || !digits(s, i + 1, 2, &hours))
        return 0;
    size_t colon = is_at(s, i + 3, ':');
    if (!digits(s, i + 3 + colon, 2, &minutes) || hours > 23 || minutes > 59)
        return 0;
    *offset = (hours * HOUR + minutes * MINUTE) * (s.p[i] == '-' ? -1 : 1);
    return 5 + colon;
}

/* Digits of a second after its point; returns where they end. */
static size_t read_fraction(str s, size_t at, int32_t *ms)
{
    for (int32_t unit = 100; at < s.n && is_digit(s.p[at]); at++, unit /= 10)
        *ms += (s.p[at] - '0') * unit;
    return at;
}

/* "T10:00", "T10:00:30", "T10:00:30.5" and a zone at i: its length, or 0. */
static size_t read_time(str s, size_t i, int utc_offset, int64_t *seconds, int32_t *ms)
{
    size_t at = i + 6;
    int64_t hour, minute, second = 0, offset = utc_offset;
    if ((!is_at(s, i, 'T') && !is_at(s, i, 't') && !is_at(s, i, ' ')) ||
        !digits(s, i + 1, 2, &hour) || !is_at(s, i + 3, ':') ||
        !digits(s, i + 4, 2, &minute) || hour > 23 || minute > 59)
        return 0;
    if (is_at(s, at, ':') && digits(s, at + 1, 2, &second)) {
        if (second > 59)
            return 0;
        at += 3;
        if (is_at(s, at, '.'))
            at = read_fraction(s, at + 1, ms);
    }
    at += read_zone(s, at, &offset);
    *seconds = hour * HOUR + minute * MINUTE + second - offset + utc_offset;
    return at - i;
}

size_t date_parse(str s, int utc_offset, struct date *out)
{
    int64_t year, month, day, seconds = 0;
    if (!read_day(s, &year, &month, &day) || month < 1 || month > 12 || day < 1 ||
        day > moment_month_days((int)year, (int)month))
        return 0;
    int32_t ms = 0;
    size_t time = read_time(s, 10, utc_offset, &seconds, &ms);
    int64_t days = moment_days((int)year, (int)month, (int)day);
    out->seconds = within(days * DAY + seconds);
    out->ms = time > 0 ? ms : 0;
    out->timed = time > 0;
    return 10 + time;
}

bool date_parse_digits(str s, struct date *out)
{
    char text[] = "0000-00-00T00:00";
    static const char places[] = {0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15};
    if ((s.n != 8 && s.n != 12) || text_skip_digits(s, 0) != s.n)
        return false;
    for (size_t i = 0; i < s.n; i++)
        text[(int)places[i]] = s.p[i];
    size_t n = s.n == 8 ? 10 : 16;
    return date_parse((str){text, n}, 0, out) == n;
}

struct date date_of_clock(int64_t seconds, int utc_offset)
{
    return (struct date){.seconds = within(within(seconds) + utc_offset), .timed = true};
}

/* --- arithmetic --- */

struct date date_shift(struct date d, int64_t months, int64_t seconds)
{
    int64_t first = floor_days(d.seconds);
    struct moment m;
    moment_of_days(first, &m);
    int64_t moved = m.year * 12 + m.month - 1 + months;
    if (moved < 0)
        return (struct date){.seconds = FIRST, .timed = d.timed};
    if (moved >= 10000 * 12)
        return (struct date){.seconds = LAST - (d.timed ? 0 : DAY - 1), .timed = d.timed};
    int year = (int)(moved / 12), month = (int)(moved % 12) + 1;
    int most = moment_month_days(year, month);
    int64_t then = moment_days(year, month, m.day < most ? m.day : most) * DAY +
                   (d.seconds - first * DAY);
    d.timed = d.timed || seconds % DAY != 0;
    d.seconds = within(then + seconds);
    return d.timed ? d : date_day(d);
}

struct date date_day(struct date d)
{
    return (struct date){.seconds = floor_days(d.seconds) * DAY};
}

struct date_parts date_split(struct date d)
{
    int64_t days = floor_days(d.seconds), time = d.seconds - days * DAY;
    struct moment m;
    moment_of_days(days, &m);
    return (struct date_parts){.year = m.year,
                               .month = m.month,
                               .day = m.day,
                               .hour = (int)(time / HOUR),
                               .minute = (int)(time / MINUTE % 60),
                               .second = (int)(time % 60),
                               .ms = d.ms};
}

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int moment_order(struct date a, struct date b)
{
    int by_second = order(a.seconds, b.seconds);
    return by_second != 0 ? by_second : order(a.ms, b.ms);
}

int date_compare(struct date a, struct date b)
{
    if (a.timed && b.timed)
        return moment_order(a, b);
    return order(floor_days(a.seconds), floor_days(b.seconds));
}

int date_order(struct date a, struct date b)
{
    int by_time = moment_order(a, b);
    return by_time != 0 ? by_time : a.timed - b.timed;
}

str date_text(struct date d, char *out)
{
    struct date_parts p = date_split(d);
    int n = snprintf(out, DATE_TEXT_SIZE, "%04d-%02d-%02d", p.year, p.month, p.day);
    if (d.timed)
        n += snprintf(out + n, (size_t)(DATE_TEXT_SIZE - n), "T%02d:%02d:%02d", p.hour,
                      p.minute, p.second);
    return (str){out, (size_t)n};
}

/* --- words --- */

const char *date_word_near(str word)
{
    static const char *const days[] = {"today", "tomorrow", "yesterday"};
    const char *nearest = NULL;
    for (size_t i = 0; i < COUNT_OF(days); i++) {
        str day = str_c(days[i]);
        struct near_search s;
        if (str_eq_nocase(word, day))
            return NULL;
        near_search(&s, day, day.n / 4);
        if (near_offer(&s, word))
            nearest = days[i];
    }
    return nearest;
}
