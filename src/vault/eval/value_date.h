/*
 * value_date - dates and times as properties and queries write them.
 *
 * A moment is in seconds since 1970-01-01T00:00 local time. A time without a zone is
 * taken as it is, so daylight saving is not an issue. A time with a zone ("Z", "+02:00")
 * is converted to local time with the UTC offset that the caller gives. Years 0000 to
 * 9999.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

struct date {
    int64_t seconds;
    int32_t ms; /* of the second */
    bool timed; /* else a whole day; seconds is its beginning */
};

/* A date in the calendar; month and day from 1. */
struct date_parts {
    int year, month, day, hour, minute, second, ms;
};
struct date_parts date_split(struct date d);

enum { DATE_TEXT_SIZE = 24 };

/*
 * The date at the start of s: 2026-11-16, 2026-11-16T10:00, 2026-11-16 10:00:30.5Z.
 * Returns its length, or 0 if there is none (2026-02-30 is not a date).
 */
size_t date_parse(str s, int utc_offset, struct date *out);

/* The same for the whole of s: 20261116 or 202611161000. */
bool date_parse_digits(str s, struct date *out);

/* A moment of the system's clock, seconds since 1970 UTC. */
struct date date_of_clock(int64_t seconds, int utc_offset);

/* Whether s begins like a date, real or not: 2026-99-99. */
bool date_looks_like(str s);

/*
 * Adds months first, then seconds. The 31st of a shorter month becomes its last day; a
 * result outside of the years above becomes the first or last moment. A day that is moved
 * by whole days remains a day.
 */
struct date date_shift(struct date d, int64_t months, int64_t seconds);

/* "2026-11-16" or "2026-11-16T10:00:00" into out, DATE_TEXT_SIZE bytes. */
str date_text(struct date d, char *out);

/* By day if one of them has no time: -1, 0, 1. */
int date_compare(struct date a, struct date b);

/* A total order: a day comes before all of its times. */
int date_order(struct date a, struct date b);

/* The day of a moment. */
struct date date_day(struct date d);

/* The word for a day (today, tomorrow, yesterday) that another one is probably meant to
 * be; NULL if it is one of them, or not similar. */
const char *date_word_near(str word);
