/*
 * Each token consumes from the text what it would have written. Then the date is
 * computed, formatted again and compared with the text, so parsing may be lenient: the
 * comparison has the last word.
 */
#include "base/text.h"
#include "vault/text/moment_parts.h"

enum { ABSENT = -1 };

struct moment_parse_found {
    int numbers[UNITS_WITH_NUMBER]; /* or ABSENT */
    int ms;
};

/* Take as many digits as there are, between least and most. */
static bool take_digits(str *text, int least, int most, int *out)
{
    int n = 0, number = 0;
    while (n < most && (size_t)n < text->n && is_digit(text->p[n]))
        number = number * 10 + (text->p[n++] - '0');
    *text = str_skip(*text, (size_t)n);
    *out = number;
    return n >= least;
}

static int most_digits(enum moment_unit unit)
{
    switch (unit) {
    case UNIT_YEAR:
        return 4;
    case UNIT_YEARDAY:
        return 3;
    case UNIT_QUARTER:
    case UNIT_WEEKDAY:
    case UNIT_ISODAY:
        return 1;
    default:
        return 2;
    }
}

static bool moment_parse_take_name(str *text, const struct moment_token *t, int *out)
{
    int first = t->unit == UNIT_MONTH ? 1 : 0;
    int count = t->unit == UNIT_MONTH ? 12 : t->unit == UNIT_WEEKDAY ? 7 : 2;
    for (int i = first; i < first + count; i++) {
        str name = moment_name(t->unit, i);
        if (t->width > 0)
            name = str_slice(name, 0, (size_t)t->width);
        if (!str_eq_nocase(str_slice(*text, 0, name.n), name))
            continue;
        *text = str_skip(*text, name.n);
        *out = i;
        return true;
    }
    return false;
}

static bool take_token(str *text, const struct moment_token *t,
                       struct moment_parse_found *f)
{
    int number = 0;
    if (t->unit == UNIT_FRACTION) {
        if (!take_digits(text, t->width, t->width, &number))
            return false;
        for (int digits = t->width; digits != 3; digits += digits < 3 ? 1 : -1)
            number = digits < 3 ? number * 10 : number / 10;
        f->ms = number;
        return true;
    }
    if (t->unit >= UNITS_WITH_NUMBER)
        return false;
    bool named = t->form == FORM_NAME || t->form == FORM_LOWER;
    if (t->form == FORM_SIGNED)
        *text = str_skip(*text, 1);
    int most = t->width > 1 && !named ? t->width : most_digits(t->unit);
    bool ok = named ? moment_parse_take_name(text, t, &number)
                    : take_digits(text, t->width > 1 ? t->width : 1, most, &number);
    if (t->form == FORM_ORDINAL)
        *text = str_skip(*text, 2);
    f->numbers[t->unit] = number;
    return ok;
}

static bool take_all(str format, str text, struct moment_parse_found *f)
{
    const struct moment_token *token;
    str literal;
    for (int i = 0; i < UNITS_WITH_NUMBER; i++)
        f->numbers[i] = ABSENT;
    f->ms = 0;
    while (moment_next(&format, &token, &literal)) {
        if (token != NULL) {
            if (!take_token(&text, token, f))
                return false;
        } else {
            if (!str_starts(text, literal))
                return false;
            text = str_skip(text, literal.n);
        }
    }
    return text.n == 0;
}

/* The number found for a unit, or other if there is none. */
static int found_or(const struct moment_parse_found *f, enum moment_unit unit, int other)
{
    return f->numbers[unit] != ABSENT ? f->numbers[unit] : other;
}

/*
 * A year: the unit itself (four digits), or the unit after it (two digits), to which
 * Moment adds 1900 or 2000.
 */
static int found_year(const struct moment_parse_found *f, enum moment_unit unit)
{
    int two = f->numbers[unit + 1];
    if (f->numbers[unit] != ABSENT || two == ABSENT)
        return f->numbers[unit];
    return two > 68 ? 1900 + two : 2000 + two;
}

static int64_t week_start(int year, int week, const struct moment_weeks *weeks)
{
    return moment_days(year, 1, 1) + moment_week_offset(year, weeks) +
           (int64_t)7 * (week - 1);
}

/* Days since 1970; false if there is no year. */
static bool find_day(const struct moment_parse_found *f, int64_t *days)
{
    int year = found_year(f, UNIT_YEAR), iso_year = found_year(f, UNIT_ISOYEAR);
    int week_year = found_year(f, UNIT_WEEKYEAR);
    int day = found_or(f, UNIT_WEEKDAY, found_or(f, UNIT_ISODAY, ABSENT));
    int month = found_or(f, UNIT_MONTH, 3 * found_or(f, UNIT_QUARTER, 1) - 2);
    bool dated = f->numbers[UNIT_MONTH] != ABSENT || f->numbers[UNIT_DAY] != ABSENT ||
                 f->numbers[UNIT_YEARDAY] != ABSENT;
    if (f->numbers[UNIT_ISOWEEK] != ABSENT && !dated)
        *days = week_start(iso_year != ABSENT ? iso_year : year, f->numbers[UNIT_ISOWEEK],
                           &moment_iso) +
                (day == ABSENT ? 0 : (day + 6) % 7);
    else if (f->numbers[UNIT_WEEK] != ABSENT && !dated)
        *days = week_start(week_year != ABSENT ? week_year : year, f->numbers[UNIT_WEEK],
                           &moment_locale) +
                (day == ABSENT ? 0 : day % 7);
    else if (f->numbers[UNIT_YEARDAY] != ABSENT)
        *days = moment_days(year, 1, 1) + f->numbers[UNIT_YEARDAY] - 1;
    else
        *days = month >= 1 && month <= 12
                    ? moment_days(year, month, found_or(f, UNIT_DAY, 1))
                    : 0;
    return year != ABSENT || ((iso_year != ABSENT || week_year != ABSENT) && !dated);
}

static int find_hour(const struct moment_parse_found *f)
{
    int half = found_or(f, UNIT_MERIDIEM, 0) * 12;
    if (f->numbers[UNIT_HOUR12] != ABSENT)
        return f->numbers[UNIT_HOUR12] % 12 + half;
    return found_or(f, UNIT_HOUR, found_or(f, UNIT_HOUR24, half) % 24);
}

bool moment_parse(struct arena *a, str format, str text, struct moment *out)
{
    struct moment_parse_found f;
    struct moment m = {0};
    int64_t days;
    if (!take_all(moment_expand(a, format), text, &f) || !find_day(&f, &days))
        return false;
    moment_of_days(days, &m);
    m.hour = find_hour(&f);
    m.minute = found_or(&f, UNIT_MINUTE, 0);
    m.second = found_or(&f, UNIT_SECOND, 0);
    m.ms = f.ms;
    if (m.year < 0 || m.year > MOMENT_YEAR_MAX || m.hour > 23 || m.minute > 59 ||
        m.second > 59 || !str_eq(moment_format(a, &m, format), text))
        return false;
    *out = m;
    return true;
}
