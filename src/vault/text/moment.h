/*
 * moment - dates in the formats of Moment.js, which are used for the names of daily notes
 * and in templates: "YYYY-MM-DD", "gggg-[W]ww", "dddd, MMMM Do".
 *
 * Names are English. Weeks are those of Moment's English locale (from Sunday; the first
 * one contains January 1) or, for the tokens in capital letters, of ISO 8601. All of
 * Moment's own tokens are known, [text] is literal, and a backslash makes the token after
 * it literal. Only moment_local() depends on the machine, on its time zone.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum { MOMENT_YEAR_MAX = 9999 };

/* A local date and time; the earliest is January 1 of the year 0. */
struct moment {
    int year;
    int month, day; /* from 1 */
    int hour, minute, second, ms;
    int offset; /* minutes east of UTC */
};

/*
 * From milliseconds since 1970, in the machine's time zone. Years outside the range
 * become 0 or 9999.
 */
struct moment moment_local(int64_t ms);

str moment_format(struct arena *a, const struct moment *m, str format);

/*
 * The same time of day so many months and days later, or earlier. In a month that lacks
 * the day, its last day. Years outside the range become 0 or 9999.
 */
struct moment moment_plus(const struct moment *m, int64_t months, int64_t days);

/* The number of days of a month. */
int moment_month_days(int year, int month);

/* Days since 1970-01-01, and back; the time of day of *out stays as it is. */
int64_t moment_days(int year, int month, int day);
void moment_of_days(int64_t days, struct moment *out);

/* 0: Sunday, as in Moment's English locale. */
int moment_weekday(const struct moment *m);

/* The same for a day since 1970-01-01; 0: Monday. */
int moment_iso_weekday(int64_t days);

/*
 * The date that format writes as text; for a week, month, quarter or year its first day.
 * False if text is not exactly what format would write for that date, or if format has no
 * year or has tokens that are not parsed (X, x, Z, z, N). Fields that format does not
 * contain, and the offset, are 0.
 */
bool moment_parse(struct arena *a, str format, str text, struct moment *out);
