/*
 * value_duration - lengths of time, as "1d", "2 weeks 3 hours" or a difference of dates.
 *
 * Months, days and milliseconds are kept apart until a date is moved, because months have
 * different lengths. As a length, a month counts 146097/4800 days.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include "vault/eval/value_date.h"

struct duration {
    double months, days, ms;
};

/* What units mean where languages differ. */
enum duration_units {
    DURATION_BASES, /* M is a month, m a minute */
    DURATION_DQL,   /* m is a minute, mo a month; case is ignored */
    DURATION_QUERY, /* m is a month, min a minute; case is ignored */
};

/*
 * The whole of s: "1d", "1y 2M", "1d, 12h", "-1.5 hours", "P1DT12H". False if it is not
 * a duration.
 */
bool duration_parse(str s, enum duration_units units, struct duration *out);

/* The length of one unit; false if it is not known. */
bool duration_unit(str name, enum duration_units units, struct duration *out);

struct duration duration_times(struct duration d, double factor);
struct duration duration_plus(struct duration a, struct duration b);
double duration_ms(struct duration d);

/* later - earlier: days if neither has a time, else milliseconds. */
struct duration duration_between(struct date later, struct date earlier);

/* The date moved: by months (rounded, cut to the end of a shorter month), then days, then
 * the rest. A day without a time stays one unless ms is not 0. */
struct date duration_move(struct date d, struct duration by);

/* In words, as Moment.js: "a day", "3 hours". The sign is ignored. */
str duration_words(struct arena *a, double ms);

/* "in 3 hours" or "a day ago"; ms is positive for later. */
str duration_relative(struct arena *a, double ms);
