/*
 * moment - dates written by the formats of Moment.js, which name daily notes and stand in
 * templates: "YYYY-MM-DD", "gggg-[W]ww", "dddd, MMMM Do".
 *
 * Names are English, weeks those of its English locale (from Sunday, the one with January
 * 1 being the first) or, for the capital letters, of ISO 8601. All of Moment's own tokens
 * are known, [text] is literal, and a backslash makes the token behind it literal. Only
 * moment_local() looks at the machine: at its time zone.
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum { MOMENT_YEAR_MAX = 9999 };

/* A local date and time; from January 1 of the year 0. */
struct moment {
    int year;
    int month, day; /* from 1 */
    int hour, minute, second, ms;
    int offset; /* minutes east of UTC */
};

/* Milliseconds since 1970 in the machine's time zone; years beyond are cut to 0 or 9999.
 */
struct moment moment_local(int64_t ms);

/* The same moment some days later, or earlier; the clock stays. */
struct moment moment_plus_days(struct moment m, int days);

str moment_format(struct arena *a, const struct moment *m, str format);

/*
 * The date that format writes as text: of a week, month, quarter or year its first day.
 * False when text is not exactly what format would write for it, when format has no year
 * in it, or has tokens from which no date can be had (X, x, Z, z, N). What format does
 * not say is 0, the offset as well.
 */
bool moment_parse(struct arena *a, str format, str text, struct moment *out);
