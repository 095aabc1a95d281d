#include "vault/text/moment_parts.h"

#include "base/clock.h"
#include "base/sbuf.h"

/*
 * The longest name that matches is the token; Moment's own regular expression has the
 * same effect.
 */
static const struct moment_token tokens[] = {
    {"Y", UNIT_YEAR, FORM_NUMBER, 4},
    {"YY", UNIT_YEAR2, FORM_NUMBER, 2},
    {"YYYY", UNIT_YEAR, FORM_NUMBER, 4},
    {"YYYYY", UNIT_YEAR, FORM_NUMBER, 5},
    {"YYYYYY", UNIT_YEAR, FORM_SIGNED, 6},
    {"y", UNIT_YEAR, FORM_NUMBER, 1},
    {"yo", UNIT_YEAR, FORM_ORDINAL, 0},
    {"yy", UNIT_YEAR, FORM_NUMBER, 2},
    {"yyy", UNIT_YEAR, FORM_NUMBER, 3},
    {"yyyy", UNIT_YEAR, FORM_NUMBER, 4},
    {"Q", UNIT_QUARTER, FORM_NUMBER, 1},
    {"Qo", UNIT_QUARTER, FORM_ORDINAL, 0},
    {"M", UNIT_MONTH, FORM_NUMBER, 1},
    {"Mo", UNIT_MONTH, FORM_ORDINAL, 0},
    {"MM", UNIT_MONTH, FORM_NUMBER, 2},
    {"MMM", UNIT_MONTH, FORM_NAME, 3},
    {"MMMM", UNIT_MONTH, FORM_NAME, 0},
    {"D", UNIT_DAY, FORM_NUMBER, 1},
    {"Do", UNIT_DAY, FORM_ORDINAL, 0},
    {"DD", UNIT_DAY, FORM_NUMBER, 2},
    {"DDD", UNIT_YEARDAY, FORM_NUMBER, 1},
    {"DDDo", UNIT_YEARDAY, FORM_ORDINAL, 0},
    {"DDDD", UNIT_YEARDAY, FORM_NUMBER, 3},
    {"d", UNIT_WEEKDAY, FORM_NUMBER, 1},
    {"do", UNIT_WEEKDAY, FORM_ORDINAL, 0},
    {"dd", UNIT_WEEKDAY, FORM_NAME, 2},
    {"ddd", UNIT_WEEKDAY, FORM_NAME, 3},
    {"dddd", UNIT_WEEKDAY, FORM_NAME, 0},
    {"e", UNIT_WEEKDAY, FORM_NUMBER, 1},
    {"E", UNIT_ISODAY, FORM_NUMBER, 1},
    {"w", UNIT_WEEK, FORM_NUMBER, 1},
    {"wo", UNIT_WEEK, FORM_ORDINAL, 0},
    {"ww", UNIT_WEEK, FORM_NUMBER, 2},
    {"gg", UNIT_WEEKYEAR2, FORM_NUMBER, 2},
    {"gggg", UNIT_WEEKYEAR, FORM_NUMBER, 4},
    {"ggggg", UNIT_WEEKYEAR, FORM_NUMBER, 5},
    {"W", UNIT_ISOWEEK, FORM_NUMBER, 1},
    {"Wo", UNIT_ISOWEEK, FORM_ORDINAL, 0},
    {"WW", UNIT_ISOWEEK, FORM_NUMBER, 2},
    {"GG", UNIT_ISOYEAR2, FORM_NUMBER, 2},
    {"GGGG", UNIT_ISOYEAR, FORM_NUMBER, 4},
    {"GGGGG", UNIT_ISOYEAR, FORM_NUMBER, 5},
    {"H", UNIT_HOUR, FORM_NUMBER, 1},
    {"HH", UNIT_HOUR, FORM_NUMBER, 2},
    {"h", UNIT_HOUR12, FORM_NUMBER, 1},
    {"hh", UNIT_HOUR12, FORM_NUMBER, 2},
    {"k", UNIT_HOUR24, FORM_NUMBER, 1},
    {"kk", UNIT_HOUR24, FORM_NUMBER, 2},
    {"m", UNIT_MINUTE, FORM_NUMBER, 1},
    {"mm", UNIT_MINUTE, FORM_NUMBER, 2},
    {"s", UNIT_SECOND, FORM_NUMBER, 1},
    {"ss", UNIT_SECOND, FORM_NUMBER, 2},
    {"S", UNIT_FRACTION, FORM_NUMBER, 1},
    {"SS", UNIT_FRACTION, FORM_NUMBER, 2},
    {"SSS", UNIT_FRACTION, FORM_NUMBER, 3},
    {"SSSS", UNIT_FRACTION, FORM_NUMBER, 4},
    {"SSSSS", UNIT_FRACTION, FORM_NUMBER, 5},
    {"SSSSSS", UNIT_FRACTION, FORM_NUMBER, 6},
    {"SSSSSSS", UNIT_FRACTION, FORM_NUMBER, 7},
    {"SSSSSSSS", UNIT_FRACTION, FORM_NUMBER, 8},
    {"SSSSSSSSS", UNIT_FRACTION, FORM_NUMBER, 9},
    {"a", UNIT_MERIDIEM, FORM_LOWER, 0},
    {"A", UNIT_MERIDIEM, FORM_NAME, 0},
    {"Z", UNIT_OFFSET, FORM_COLON, 0},
    {"ZZ", UNIT_OFFSET, FORM_NUMBER, 0},
    {"z", UNIT_ZONE, FORM_NAME, 0},
    {"zz", UNIT_ZONE, FORM_NAME, 0},
    {"N", UNIT_ERA, FORM_NAME, 2},
    {"NN", UNIT_ERA, FORM_NAME, 2},
    {"NNN", UNIT_ERA, FORM_NAME, 2},
    {"NNNN", UNIT_ERA, FORM_NAME, 0},
    {"NNNNN", UNIT_ERA, FORM_NAME, 2},
    {"X", UNIT_UNIX, FORM_NUMBER, 1},
    {"x", UNIT_UNIX_MS, FORM_NUMBER, 1},
};

static const struct {
    const char *name, *format;
} long_tokens[] = {
    {"LTS", "h:mm:ss A"},
    {"LT", "h:mm A"},
    {"LLLL", "dddd, MMMM D, YYYY h:mm A"},
    {"LLL", "MMMM D, YYYY h:mm A"},
    {"LL", "MMMM D, YYYY"},
    {"L", "MM/DD/YYYY"},
    {"llll", "ddd, MMM D, YYYY h:mm A"},
    {"lll", "MMM D, YYYY h:mm A"},
    {"ll", "MMM D, YYYY"},
    {"l", "M/D/YYYY"},
};

/* --- tokens --- */

/*
 * The length of "[text]" at the start: up to the last ']' before another '['. 0 if there
 * is none.
 */
static size_t bracket_length(str s)
{
    if (!str_starts(s, STR("[")))
        return 0;
    size_t next = str_find_char(str_skip(s, 1), '[');
    size_t close = str_find_last(str_slice(s, 0, next == STR_NONE ? s.n : next + 1), ']');
    return close == STR_NONE ? 0 : close + 1;
}

static size_t long_token(str s, const char **format)
{
    for (size_t i = 0; i < COUNT_OF(long_tokens); i++)
        if (str_starts(s, str_c(long_tokens[i].name))) {
            *format = long_tokens[i].format;
            return strlen(long_tokens[i].name);
        }
    return 0;
}

str moment_expand(struct arena *a, str format)
{
    struct sbuf out = SBUF_ON(a);
    const char *long_format;
    while (format.n > 0) {
        bool escaped = format.p[0] == '\\';
        size_t n = bracket_length(format),
               name = long_token(str_skip(format, escaped), &long_format);
        if (n == 0 && name > 0 && !escaped) {
            sbuf_add(&out, str_c(long_format));
            n = name;
        } else {
            if (n == 0)
                n = name > 0 ? name + 1 : 1;
            sbuf_add(&out, str_slice(format, 0, n));
        }
        format = str_skip(format, n);
    }
    return sbuf_str(&out);
}

static const struct moment_token *find_token(str s)
{
    const struct moment_token *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < COUNT_OF(tokens); i++) {
        size_t n = strlen(tokens[i].name);
        if (n > most && str_starts(s, str_c(tokens[i].name))) {
            best = &tokens[i];
            most = n;
        }
    }
    return best;
}

/*
 * The length of the token that a backslash makes literal. Only here does it matter that
 * "Hmm" is one token, not H and mm.
 */
static size_t escaped_length(str s)
{
    static const char *const joined[] = {"Hmmss", "hmmss", "Hmm", "hmm"};
    for (size_t i = 0; i < COUNT_OF(joined); i++)
        if (str_starts(s, str_c(joined[i])))
            return strlen(joined[i]);
    const struct moment_token *token = find_token(s);
    return token != NULL ? strlen(token->name) : s.n > 0 ? 1 : 0;
}

bool moment_next(str *format, const struct moment_token **token, str *literal)
{
    str s = *format;
    size_t bracket = bracket_length(s), n = 1;
    *token = NULL;
    if (s.n == 0)
        return false;
    if (bracket > 0) {
        n = bracket;
        *literal = str_slice(s, 1, bracket - 1);
    } else if (s.p[0] == '\\') {
        n = 1 + escaped_length(str_skip(s, 1));
        *literal = str_slice(s, 1, n);
        if (str_eq(*literal, STR("\\")))
            *literal = STR("");
    } else if ((*token = find_token(s)) != NULL) {
        n = strlen((*token)->name);
    } else {
        *literal = str_slice(s, 0, 1);
    }
    *format = str_skip(s, n);
    return true;
}

/* --- writing --- */

static void add_ordinal(struct sbuf *out, int number)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    int last = number % 10;
    bool teen = number % 100 / 10 == 1;
    sbuf_printf(out, "%d%s", number, ends[teen || last > 3 ? 0 : last]);
}

static void moment_add_name(struct sbuf *out, const struct moment_token *t, str name)
{
    name = t->width > 0 ? str_slice(name, 0, (size_t)t->width) : name;
    for (size_t i = 0; i < name.n; i++)
        sbuf_char(out, t->form == FORM_LOWER ? (char)(name.p[i] | 0x20) : name.p[i]);
}

static void add_fraction(struct sbuf *out, int ms, int digits)
{
    for (int i = 0; i < digits; i++, ms = ms % 100 * 10)
        sbuf_char(out, (char)('0' + ms / 100));
}

static int64_t unix_time(const struct moment *m)
{
    return moment_days(m->year, m->month, m->day) * 86400 + m->hour * 3600 +
           (m->minute - m->offset) * 60 + m->second;
}

static void add_offset(struct sbuf *out, const struct moment_token *t, int offset)
{
    int minutes = offset < 0 ? -offset : offset;
    sbuf_printf(out, "%c%02d%s%02d", offset < 0 ? '-' : '+', minutes / 60,
                t->form == FORM_COLON ? ":" : "", minutes % 60);
}

/* For units without a number. */
static void add_other(struct sbuf *out, const struct moment_token *t,
                      const struct moment *m)
{
    switch (t->unit) {
    case UNIT_FRACTION:
        add_fraction(out, m->ms, t->width);
        break;
    case UNIT_OFFSET:
        add_offset(out, t, m->offset);
        break;
    case UNIT_UNIX:
        sbuf_printf(out, "%lld", (long long)unix_time(m));
        break;
    case UNIT_UNIX_MS:
        sbuf_printf(out, "%lld", (long long)unix_time(m) * 1000 + m->ms);
        break;
    case UNIT_ERA:
        sbuf_add(out, t->width > 0 ? STR("AD") : STR("Anno Domini"));
        break;
    default: /* the name of the time zone is not known */
        break;
    }
}

static void moment_add_token(struct sbuf *out, const struct moment_token *t,
                             const struct moment *m)
{
    if (t->unit >= UNITS_WITH_NUMBER) {
        add_other(out, t, m);
        return;
    }
    int number = moment_number(m, t->unit);
    switch (t->form) {
    case FORM_ORDINAL:
        add_ordinal(out, number);
        break;
    case FORM_NAME:
    case FORM_LOWER:
        moment_add_name(out, t, moment_name(t->unit, number));
        break;
    default:
        sbuf_printf(out, "%s%0*d", t->form == FORM_SIGNED ? "+" : "", t->width, number);
    }
}

str moment_format(struct arena *a, const struct moment *m, str format)
{
    struct sbuf out = SBUF_ON(a);
    const struct moment_token *token;
    str rest = moment_expand(a, format), literal;
    while (moment_next(&rest, &token, &literal)) {
        if (token != NULL)
            moment_add_token(&out, token, m);
        else
            sbuf_add(&out, literal);
    }
    return sbuf_str(&out);
}

/* --- where moments come from --- */

static void keep_in_range(struct moment *m)
{
    if (m->year < 0)
        *m = (struct moment){.month = 1, .day = 1, .offset = m->offset};
    if (m->year > MOMENT_YEAR_MAX)
        *m = (struct moment){MOMENT_YEAR_MAX, 12, 31, 23, 59, 59, 999, m->offset};
}

struct moment moment_local(int64_t ms)
{
    int64_t seconds = ms / 1000 - (ms % 1000 < 0);
    struct clock_date d = clock_local(seconds);
    struct moment m = {
        .year = (int)d.year,
        .month = d.month,
        .day = d.day,
        .hour = d.hour,
        .minute = d.minute,
        .second = d.second,
        .ms = (int)((ms % 1000 + 1000) % 1000),
        .offset = clock_utc_offset(seconds) / 60,
    };
    keep_in_range(&m);
    return m;
}
