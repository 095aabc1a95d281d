/* The next date of a rule: the first day that fits, period by period. */
#include "vault/forms/recur.h"
#include "vault/text/moment.h"

struct recur_month {
    int year, month, length; /* in days */
    int64_t first;           /* its first day, since 1970 */
};

static struct recur_month month_of(int64_t number)
{
    struct recur_month m = {.year = (int)(number / 12), .month = (int)(number % 12) + 1};
    m.first = moment_days(m.year, m.month, 1);
    m.length = moment_month_days(m.year, m.month);
    return m;
}

/* Whether the day, at from 0 in a month or year of that length, is the nth weekday. */
static bool is_nth(int n, int at, int length)
{
    return n > 0 ? at / 7 + 1 == n : (length - 1 - at) / 7 + 1 == -n;
}

static bool fits_nth(const struct recur *r, const struct recur_month *m, int64_t day)
{
    int at = (int)(day - m->first), length = m->length;
    if (r->unit == RECUR_YEAR && r->months == 0) {
        int64_t new_year = moment_days(m->year, 1, 1);
        at = (int)(day - new_year);
        length = (int)(moment_days(m->year + 1, 1, 1) - new_year);
    }
    for (size_t i = 0; i < r->n_nth; i++)
        if (r->nth[i].weekday == moment_iso_weekday(day) &&
            is_nth(r->nth[i].n, at, length))
            return true;
    return r->n_nth == 0;
}

/* Everything that a rule names must fit. */
static bool fits(const struct recur *r, const struct recur_month *m, int64_t day)
{
    int from_start = (int)(day - m->first) + 1, from_end = m->length + 1 - from_start;
    if (r->months != 0 && !(r->months >> m->month & 1))
        return false;
    if (r->weekdays != 0 && !(r->weekdays >> moment_iso_weekday(day) & 1))
        return false;
    if (r->names_day && !(r->days >> from_start & 1) && !(r->last >> from_end & 1))
        return false;
    return fits_nth(r, m, day);
}

/* The first day from `from` on that fits, in the months first to last. */
static bool search_months(const struct recur *r, int64_t first, int64_t last,
                          int64_t from, int64_t *out)
{
    for (int64_t number = first; number <= last; number++) {
        struct recur_month m = month_of(number);
        int64_t day = from > m.first ? from : m.first;
        if (r->months != 0 && !(r->months >> m.month & 1))
            continue;
        for (; day < m.first + m.length; day++)
            if (fits(r, &m, day)) {
                *out = day;
                return true;
            }
    }
    return false;
}

static bool search_week(const struct recur *r, int64_t monday, int64_t from, int64_t *out)
{
    for (int64_t day = from > monday ? from : monday; day < monday + 7; day++) {
        struct moment date = {0};
        moment_of_days(day, &date);
        struct recur_month m = month_of(date.year * 12LL + date.month - 1);
        if (fits(r, &m, day)) {
            *out = day;
            return true;
        }
    }
    return false;
}

static bool names_nothing(const struct recur *r)
{
    return r->weekdays == 0 && r->n_nth == 0 && !r->names_day;
}

/* A rule that names no day means that of its beginning. */
static struct recur with_defaults(const struct recur *r, int64_t from,
                                  const struct moment *date)
{
    struct recur full = *r;
    if (!names_nothing(r) || r->unit == RECUR_DAY)
        return full;
    if (r->unit == RECUR_WEEK) {
        full.weekdays = (uint8_t)(1 << moment_iso_weekday(from));
        return full;
    }
    full.names_day = true;
    full.days = (uint32_t)1 << date->day;
    if (r->unit == RECUR_YEAR && r->months == 0)
        full.months = (uint16_t)(1 << date->month);
    return full;
}

/* The first day that fits in the periods that are every, 2 * every ... later. */
static bool search(const struct recur *rule, int64_t from, int64_t *out)
{
    /* 400 years, in which the calendar has every shape it can have */
    static const int tries[] = {
        [RECUR_WEEK] = RECUR_TRIES_MAX, [RECUR_MONTH] = 4800, [RECUR_YEAR] = 400};
    enum { MONTHS_MAX = 12 * (MOMENT_YEAR_MAX + 1) };
    struct moment date = {0};
    moment_of_days(from, &date);
    struct recur r = with_defaults(rule, from, &date);
    for (int64_t i = 0; i <= tries[r.unit]; i++) {
        int64_t steps = i * r.every, monday = from - moment_iso_weekday(from) + steps * 7;
        bool years = r.unit == RECUR_YEAR;
        int64_t first =
            years ? (date.year + steps) * 12 : date.year * 12LL + date.month - 1 + steps;
        if (r.unit == RECUR_WEEK ? monday > moment_days(MOMENT_YEAR_MAX, 12, 20)
                                 : first >= MONTHS_MAX)
            return false;
        if (r.unit == RECUR_WEEK
                ? search_week(&r, monday, from + 1, out)
                : search_months(&r, first, years ? first + 11 : first, from + 1, out))
            return true;
    }
    return false;
}

/* How many months or years, in units of the rule, b is after a. */
static int64_t periods_between(const struct recur *r, int64_t a, int64_t b)
{
    struct moment x = {0}, y = {0};
    moment_of_days(a, &x);
    moment_of_days(b, &y);
    int64_t years = y.year - x.year;
    return r->unit == RECUR_YEAR ? years : years * 12 + y.month - x.month;
}

bool recur_next(const struct recur *r, int64_t from, int64_t *out)
{
    bool slides = names_nothing(r) && r->months == 0 &&
                  (r->unit == RECUR_MONTH || r->unit == RECUR_YEAR);
    if (r->limited || (r->names_day && (r->days | r->last) == 0))
        return false;
    if (r->unit == RECUR_DAY) {
        *out = from + r->every;
        return *out <= moment_days(MOMENT_YEAR_MAX, 12, 31);
    }
    /* The day does not exist in the next period: count from the day before. */
    while (search(r, from, out)) {
        if (!slides || periods_between(r, from, *out) <= r->every)
            return true;
        from--;
    }
    return false;
}
