#include "vault/eval/value_duration.h"

#include <math.h>

#include "base/text.h"

enum { NUMBER_MAX = 64 };

static const double DAY_S = 86400, DAY_MS = 86400000, MONTH_DAYS = 146097 / 4800.0;

/* --- units --- */

/* The names of each unit in the order of enum duration_units. */
static const struct {
    struct duration length;
    const char *names[3];
} units[] = {
    {{12, 0, 0}, {"y year years", "y yr yrs year years", "y yr year years"}},
    {{1, 0, 0}, {"M month months", "mo month months", "m mo month months"}},
    {{0, 7, 0}, {"w week weeks", "w wk wks week weeks", "w week weeks"}},
    {{0, 1, 0}, {"d day days", "d day days", "d day days"}},
    {{0, 0, 3600000}, {"h hour hours", "h hr hrs hour hours", "h hour hours"}},
    {{0, 0, 60000},
     {"m minute minutes", "m min mins minute minutes", "min minute minutes"}},
    {{0, 0, 1000},
     {"s second seconds", "s sec secs second seconds", "s sec second seconds"}},
    {{0, 0, 1}, {"ms", "ms", ""}},
};

bool duration_unit(str name, enum duration_units language, struct duration *out)
{
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        str names = str_c(units[i].names[language]), known;
        while (name.n > 0 && str_next(&names, ' ', &known)) {
            if (language == DURATION_BASES ? !str_eq(name, known)
                                           : !str_eq_nocase(name, known))
                continue;
            *out = units[i].length;
            return true;
        }
    }
    return false;
}

/* --- reading --- */

/* Digits with a decimal point at *at, without sign and exponent. */
static bool read_amount(str s, size_t *at, double *out)
{
    char copy[NUMBER_MAX];
    size_t end = text_skip_digits(s, *at);
    if (end + 1 < s.n && s.p[end] == '.' && is_digit(s.p[end + 1]))
        end = text_skip_digits(s, end + 1);
    str digits = str_slice(s, *at, end);
    if (digits.n == 0 || digits.n >= sizeof(copy) || !is_digit(digits.p[0]))
        return false;
    memcpy(copy, digits.p, digits.n);
    copy[digits.n] = '\0';
    *out = strtod(copy, NULL);
    *at = end;
    return true;
}

static bool read_sign(str s, size_t *at)
{
    bool minus = *at < s.n && s.p[*at] == '-';
    *at += *at < s.n && (s.p[*at] == '-' || s.p[*at] == '+');
    return minus;
}

/* "1.5 hours" at *at. */
static bool read_piece(str s, size_t *at, enum duration_units language,
                       struct duration *out)
{
    double amount;
    bool minus = read_sign(s, at);
    if (!read_amount(s, at, &amount))
        return false;
    size_t start = text_skip_spaces(s, *at), end = start;
    while (end < s.n && is_letter(s.p[end]))
        end++;
    struct duration unit;
    if (!duration_unit(str_slice(s, start, end), language, &unit))
        return false;
    *at = end;
    *out = duration_plus(*out, duration_times(unit, minus ? -amount : amount));
    return true;
}

/* P1Y2M3DT4H5M6S: M is a month before the T and a minute after it. */
static bool read_iso(str s, struct duration *out)
{
    bool time = false, any = false, minus;
    size_t at = 0;
    struct duration sum = {0};
    minus = read_sign(s, &at);
    if (at >= s.n || s.p[at] != 'P')
        return false;
    for (at++; at < s.n; any = true) {
        double amount;
        struct duration unit;
        if (!time && s.p[at] == 'T') {
            time = true;
            at++;
        }
        if (!read_amount(s, &at, &amount) || at >= s.n)
            return false;
        char name = s.p[at++], lower = to_lower(name);
        if (str_find_char(time ? STR("HMS") : STR("YMWD"), name) == STR_NONE)
            return false;
        bool month = name == 'M' && !time;
        (void)duration_unit(month ? STR("M") : (str){&lower, 1}, DURATION_BASES, &unit);
        sum = duration_plus(sum, duration_times(unit, amount));
    }
    if (any)
        *out = duration_times(sum, minus ? -1 : 1);
    return any;
}

bool duration_parse(str s, enum duration_units language, struct duration *out)
{
    struct duration sum = {0};
    s = str_trim_line(s);
    if (read_iso(s, out))
        return true;
    size_t at = 0;
    while (at < s.n) {
        if (!read_piece(s, &at, language, &sum))
            return false;
        at = text_skip_spaces(s, at);
        if (at < s.n && s.p[at] == ',' && text_skip_spaces(s, at + 1) < s.n)
            at = text_skip_spaces(s, at + 1);
    }
    if (s.n > 0)
        *out = sum;
    return s.n > 0;
}

/* --- arithmetic --- */

struct duration duration_times(struct duration d, double factor)
{
    return (struct duration){d.months * factor, d.days * factor, d.ms * factor};
}

struct duration duration_plus(struct duration a, struct duration b)
{
    return (struct duration){a.months + b.months, a.days + b.days, a.ms + b.ms};
}

double duration_ms(struct duration d)
{
    return (d.months * MONTH_DAYS + d.days) * DAY_MS + d.ms;
}

struct duration duration_between(struct date later, struct date earlier)
{
    double seconds = (double)(later.seconds - earlier.seconds);
    if (!later.timed && !earlier.timed)
        return (struct duration){.days = seconds / DAY_S};
    return (struct duration){.ms = seconds * 1000 + (later.ms - earlier.ms)};
}

/* A whole number that fits; further away than all dates makes no difference. */
static int64_t whole(double d, double most)
{
    if (isnan(d))
        return 0;
    return (int64_t)(d > most ? most : d < -most ? -most : round(d));
}

struct date duration_move(struct date d, struct duration by)
{
    static const double YEARS_MAX = 20000;
    int64_t ms =
        whole(by.days * DAY_MS + by.ms, YEARS_MAX * 366 * DAY_MS) + (d.timed ? d.ms : 0);
    int64_t seconds = ms >= 0 ? ms / 1000 : -((999 - ms) / 1000);
    d.timed = d.timed || fabs(by.ms) > 0;
    d = date_shift(d, whole(by.months, YEARS_MAX * 12), seconds);
    if (d.timed)
        d.ms = (int32_t)(ms - seconds * 1000);
    return d;
}

/* --- words --- */

str duration_words(struct arena *a, double ms)
{
    static const struct {
        const char *one, *many;
        double length, below; /* below so many, this is the unit */
    } steps[] = {
        {"a few seconds", "a few seconds", 1000, 45},
        {"a minute", "minutes", 60000, 45},
        {"an hour", "hours", 3600000, 22},
        {"a day", "days", 86400000, 26},
        {"a month", "months", 86400000 * (146097 / 4800.0), 11},
        {"a year", "years", 86400000 * (146097 / 400.0), INFINITY},
    };
    ms = isnan(ms) ? 0 : fabs(ms);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        double n = round(ms / steps[i].length);
        if (n >= steps[i].below && i + 1 < COUNT_OF(steps))
            continue;
        return i == 0 || n <= 1 ? str_c(steps[i].one)
                                : arena_printf(a, "%.0f %s", n, steps[i].many);
    }
    return (str){0};
}

str duration_relative(struct arena *a, double ms)
{
    str words = duration_words(a, ms);
    return ms > 0 ? arena_printf(a, "in " STR_FMT, STR_ARG(words))
                  : arena_printf(a, STR_FMT " ago", STR_ARG(words));
}
