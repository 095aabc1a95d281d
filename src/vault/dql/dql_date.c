/* Dates as DQL names them: date(today), date(sow), date(2026-11-16). */
#include "vault/dql/dql_parser.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_inline.h"
#include "vault/text/moment.h"

enum { DAY = 86400, WEEK = 7 };

/* The Monday of a day's week. */
static struct date start_of_week(struct date day)
{
    int64_t days = day.seconds / DAY - (day.seconds % DAY < 0);
    return date_shift(day, 0, -moment_iso_weekday(days) * DAY);
}

/* The first day of a day's month or year. */
static struct date start_of(struct date day, bool year)
{
    struct date_parts p = date_split(day);
    int64_t days = moment_days(p.year, year ? 1 : p.month, 1);
    return (struct date){.seconds = days * DAY};
}

/* The last moment before a day. */
static struct date end_before(struct date day)
{
    day = date_shift(day, 0, -1);
    day.ms = 999;
    return day;
}

static bool named_day(str word, struct date today, struct date *out)
{
    static const struct {
        const char *name;
        int days;
    } days[] = {{"today", 0}, {"tomorrow", 1}, {"yesterday", -1}};
    for (size_t i = 0; i < COUNT_OF(days); i++) {
        if (!str_eq_nocase(word, str_c(days[i].name)))
            continue;
        *out = date_shift(today, 0, days[i].days * DAY);
        return true;
    }
    return false;
}

/* sow, eow, som, eom, soy, eoy, also as start-of-week and so on. */
static bool named_end(str word, struct date today, struct date *out)
{
    static const struct {
        const char *name, *words;
    } ends[] = {{"sow", "start-of-week"},  {"eow", "end-of-week"},
                {"som", "start-of-month"}, {"eom", "end-of-month"},
                {"soy", "start-of-year"},  {"eoy", "end-of-year"}};
    size_t i = 0;
    while (i < COUNT_OF(ends) && !str_eq_nocase(word, str_c(ends[i].name)) &&
           !str_eq_nocase(word, str_c(ends[i].words)))
        i++;
    if (i == COUNT_OF(ends))
        return false;
    bool week = i < 2, year = i >= 4;
    struct date start = week ? start_of_week(today) : start_of(today, year);
    struct date next =
        week ? date_shift(start, 0, WEEK * DAY) : date_shift(start, year ? 12 : 1, 0);
    *out = i % 2 == 0 ? start : end_before(next);
    return true;
}

bool dql_date(str word, struct date now, int utc_offset, struct date *out)
{
    if (str_eq_nocase(word, STR("now"))) {
        *out = now;
        return true;
    }
    struct date today = date_day(now);
    return named_day(word, today, out) || named_end(word, today, out) ||
           value_iso_date(word, utc_offset, out);
}
