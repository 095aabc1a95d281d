/*
 * moment_parts - Moment's tokens and the calendar they need, for moment.c and
 * moment_parse.c.
 */
#pragma once

#include "vault/text/moment.h"

enum moment_unit {
    UNIT_YEAR,
    UNIT_YEAR2, /* its last two digits */
    UNIT_QUARTER,
    UNIT_MONTH,
    UNIT_DAY,
    UNIT_YEARDAY, /* from 1 */
    UNIT_WEEKDAY, /* Sunday is 0 */
    UNIT_ISODAY,  /* Monday is 1 */
    UNIT_WEEK,
    UNIT_WEEKYEAR,
    UNIT_WEEKYEAR2,
    UNIT_ISOWEEK,
    UNIT_ISOYEAR,
    UNIT_ISOYEAR2,
    UNIT_HOUR,
    UNIT_HOUR12,
    UNIT_HOUR24, /* 1 to 24 */
    UNIT_MINUTE,
    UNIT_SECOND,
    UNIT_MERIDIEM, /* 0 or 1 */
    UNITS_WITH_NUMBER,
    UNIT_FRACTION = UNITS_WITH_NUMBER,
    UNIT_OFFSET,
    UNIT_UNIX,
    UNIT_UNIX_MS,
    UNIT_ZONE,
    UNIT_ERA
};

enum moment_form {
    FORM_NUMBER, /* of at least width digits */
    FORM_SIGNED, /* the same, with + or - */
    FORM_ORDINAL,
    FORM_NAME,  /* cut to width characters; 0: the whole name */
    FORM_LOWER, /* the same, in lower case */
    FORM_COLON  /* +05:30 */
};

struct moment_token {
    const char *name;
    enum moment_unit unit;
    enum moment_form form;
    int width;
};

/* Replace the tokens that are short for a format (LT, LLLL) by that format. */
str moment_expand(struct arena *a, str format);

/*
 * Take the next piece of an expanded format: a token, or NULL and literal text in
 * *literal. False at the end.
 */
bool moment_next(str *format, const struct moment_token **token, str *literal);

/*
 * The first day of a week (0: Sunday), and the day of January that is always in week 1.
 */
struct moment_weeks {
    int first_day, january;
};
extern const struct moment_weeks moment_locale, moment_iso;

/*
 * The number of days before the first week of a year; negative if it begins in December.
 */
int moment_week_offset(int year, const struct moment_weeks *weeks);

int moment_number(const struct moment *m, enum moment_unit unit);

/* "January", "Sunday" or "AM"; number as from moment_number(). */
str moment_name(enum moment_unit unit, int number);
