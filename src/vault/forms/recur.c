/*
 * The grammar is that of rrule's text parser, which the plugin uses: of all words that
 * the text begins with, the longest is taken, so that "everyday" is "every day" and "th"
 * is Thursday, but "the" is not.
 */
#include "vault/forms/recur.h"

#include "base/text.h"

enum recur_token {
    RECUR_END, /* also: a text that is no word of a rule */
    RECUR_NUMBER,
    RECUR_NTH, /* 2nd, second */
    RECUR_LAST,
    RECUR_EVERY,
    RECUR_UNIT,
    RECUR_WEEKDAYS, /* "weekday": Monday to Friday */
    RECUR_WEEKDAY,
    RECUR_MONTH_NAME,
    RECUR_ON,
    RECUR_THE,
    RECUR_COMMA,
    RECUR_LIMIT,
};

static const struct recur_word {
    const char *text;
    enum recur_token token;
    int value;
} words[] = {
    {"every", RECUR_EVERY, 0},
    {"day", RECUR_UNIT, RECUR_DAY},
    {"days", RECUR_UNIT, RECUR_DAY},
    {"week", RECUR_UNIT, RECUR_WEEK},
    {"weeks", RECUR_UNIT, RECUR_WEEK},
    {"month", RECUR_UNIT, RECUR_MONTH},
    {"months", RECUR_UNIT, RECUR_MONTH},
    {"year", RECUR_UNIT, RECUR_YEAR},
    {"years", RECUR_UNIT, RECUR_YEAR},
    {"weekday", RECUR_WEEKDAYS, 0},
    {"weekdays", RECUR_WEEKDAYS, 0},
    {"on", RECUR_ON, 0},
    {"in", RECUR_ON, 0},
    {"the", RECUR_THE, 0},
    {"first", RECUR_NTH, 1},
    {"second", RECUR_NTH, 2},
    {"third", RECUR_NTH, 3},
    {"last", RECUR_LAST, 0},
    {"hour", RECUR_LIMIT, 0},
    {"hours", RECUR_LIMIT, 0},
    {"minute", RECUR_LIMIT, 0},
    {"minutes", RECUR_LIMIT, 0},
    {"at", RECUR_LIMIT, 0},
    {"for", RECUR_LIMIT, 0},
    {"until", RECUR_LIMIT, 0},
    {"til", RECUR_LIMIT, 0},
    {"mo", RECUR_WEEKDAY, 0},
    {"mon", RECUR_WEEKDAY, 0},
    {"monday", RECUR_WEEKDAY, 0},
    {"tu", RECUR_WEEKDAY, 1},
    {"tue", RECUR_WEEKDAY, 1},
    {"tues", RECUR_WEEKDAY, 1},
    {"tuesday", RECUR_WEEKDAY, 1},
    {"we", RECUR_WEEKDAY, 2},
    {"wed", RECUR_WEEKDAY, 2},
    {"wedn", RECUR_WEEKDAY, 2},
    {"wednesday", RECUR_WEEKDAY, 2},
    {"th", RECUR_WEEKDAY, 3},
    {"thu", RECUR_WEEKDAY, 3},
    {"thur", RECUR_WEEKDAY, 3},
    {"thursday", RECUR_WEEKDAY, 3},
    {"fr", RECUR_WEEKDAY, 4},
    {"fri", RECUR_WEEKDAY, 4},
    {"friday", RECUR_WEEKDAY, 4},
    {"sa", RECUR_WEEKDAY, 5},
    {"sat", RECUR_WEEKDAY, 5},
    {"saturday", RECUR_WEEKDAY, 5},
    {"su", RECUR_WEEKDAY, 6},
    {"sun", RECUR_WEEKDAY, 6},
    {"sunday", RECUR_WEEKDAY, 6},
    {"jan", RECUR_MONTH_NAME, 1},
    {"january", RECUR_MONTH_NAME, 1},
    {"feb", RECUR_MONTH_NAME, 2},
    {"february", RECUR_MONTH_NAME, 2},
    {"mar", RECUR_MONTH_NAME, 3},
    {"march", RECUR_MONTH_NAME, 3},
    {"apr", RECUR_MONTH_NAME, 4},
    {"april", RECUR_MONTH_NAME, 4},
    {"may", RECUR_MONTH_NAME, 5},
    {"jun", RECUR_MONTH_NAME, 6},
    {"june", RECUR_MONTH_NAME, 6},
    {"jul", RECUR_MONTH_NAME, 7},
    {"july", RECUR_MONTH_NAME, 7},
    {"aug", RECUR_MONTH_NAME, 8},
    {"august", RECUR_MONTH_NAME, 8},
    {"sep", RECUR_MONTH_NAME, 9},
    {"sept", RECUR_MONTH_NAME, 9},
    {"september", RECUR_MONTH_NAME, 9},
    {"oct", RECUR_MONTH_NAME, 10},
    {"october", RECUR_MONTH_NAME, 10},
    {"nov", RECUR_MONTH_NAME, 11},
    {"november", RECUR_MONTH_NAME, 11},
    {"dec", RECUR_MONTH_NAME, 12},
    {"december", RECUR_MONTH_NAME, 12},
    {",", RECUR_COMMA, 0},
    {"and", RECUR_COMMA, 0},
    {"or", RECUR_COMMA, 0},
};

struct recur_parser {
    str rest;
    enum recur_token token;
    int value;
};

/* --- words --- */

/* 24, 24th or 24. at the start of the text; returns its length. */
static size_t take_number(str text, enum recur_token *token, int *value)
{
    static const char *const endings[] = {".", "th", "nd", "rd", "st"};
    size_t n = text_skip_digits(text, 0);
    int64_t number;
    if (n == 0 || text.p[0] == '0' || !str_to_int(str_slice(text, 0, n), &number) ||
        number > RECUR_EVERY_MAX)
        return 0;
    *value = (int)number;
    *token = RECUR_NUMBER;
    for (size_t i = 0; i < COUNT_OF(endings); i++) {
        str ending = str_c(endings[i]);
        if (str_eq_nocase(str_slice(text, n, n + ending.n), ending)) {
            *token = RECUR_NTH;
            return n + ending.n;
        }
    }
    return n;
}

static size_t recur_take_word(str text, enum recur_token *token, int *value)
{
    size_t longest = 0;
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        str word = str_c(words[i].text);
        if (word.p[0] != to_lower(text.p[0]) || word.n <= longest ||
            !str_eq_nocase(str_slice(text, 0, word.n), word))
            continue;
        longest = word.n;
        *token = words[i].token;
        *value = words[i].value;
    }
    return longest;
}

static void recur_advance(struct recur_parser *p)
{
    str rest = str_trim_line(p->rest);
    size_t n = 0;
    p->token = RECUR_END;
    if (rest.n > 0)
        n = is_digit(rest.p[0]) ? take_number(rest, &p->token, &p->value)
                                : recur_take_word(rest, &p->token, &p->value);
    p->rest = n > 0 ? str_skip(rest, n) : STR("");
}

static bool recur_accept(struct recur_parser *p, enum recur_token token)
{
    if (p->token != token)
        return false;
    recur_advance(p);
    return true;
}

/* Any number of commas and "and". */
static bool accept_comma(struct recur_parser *p)
{
    bool any = false;
    while (recur_accept(p, RECUR_COMMA))
        any = true;
    return any;
}

/* --- rules --- */

static void add_day(struct recur *r, int n)
{
    enum { LAST_OF_MONTH = 31 };
    r->names_day = true;
    if (n > 0 && n <= LAST_OF_MONTH)
        r->days |= (uint32_t)1 << n;
    else if (n < 0 && n >= -LAST_OF_MONTH)
        r->last |= (uint32_t)1 << -n;
}

static bool add_nth(struct recur *r, int n, int weekday)
{
    if (r->n_nth == RECUR_NTH_MAX)
        return false;
    r->nth[r->n_nth].n = n;
    r->nth[r->n_nth++].weekday = weekday;
    return true;
}

/* "last", "2nd", "2nd last" */
static int take_nth(struct recur_parser *p)
{
    int n = p->value;
    if (recur_accept(p, RECUR_LAST))
        return -1;
    if (!recur_accept(p, RECUR_NTH))
        return 0;
    return recur_accept(p, RECUR_LAST) ? -n : n;
}

enum { MONDAY_TO_FRIDAY = 0x1f };

/* One of a list of days, weekdays and months. *more: there may be another. */
static bool take_part(struct recur_parser *p, struct recur *r, bool *more)
{
    int nth = take_nth(p), value = p->value;
    *more = true;
    if (nth != 0 && recur_accept(p, RECUR_WEEKDAY))
        return add_nth(r, nth, value);
    if (nth != 0) {
        add_day(r, nth);
        if (p->token == RECUR_UNIT && p->value == RECUR_DAY)
            recur_advance(p);
    } else if (recur_accept(p, RECUR_WEEKDAY)) {
        r->weekdays |= (uint8_t)(1 << value);
    } else if (recur_accept(p, RECUR_WEEKDAYS)) {
        r->weekdays |= MONDAY_TO_FRIDAY;
    } else if (recur_accept(p, RECUR_MONTH_NAME)) {
        r->months |= (uint16_t)(1 << value);
    } else {
        r->limited = r->limited || p->token == RECUR_UNIT; /* "on week 5" */
        *more = false;
    }
    return true;
}

/* "on Monday, Friday", "on the 1st and the last", "in January on the 2nd Wednesday" */
static bool take_on(struct recur_parser *p, struct recur *r)
{
    bool more = true;
    bool on = recur_accept(p, RECUR_ON), the = recur_accept(p, RECUR_THE);
    if (!on && !the)
        return true;
    while (more) {
        if (!take_part(p, r, &more))
            return false;
        bool comma = accept_comma(p);
        on = recur_accept(p, RECUR_ON);
        the = recur_accept(p, RECUR_THE);
        more = more && (comma || on || the);
    }
    return true;
}

/* "Tuesday, Friday" or "January and July" after "every" */
static bool take_names(struct recur_parser *p, struct recur *r)
{
    enum recur_token kind = p->token;
    r->unit = kind == RECUR_WEEKDAY ? RECUR_WEEK : RECUR_YEAR;
    do {
        if (p->token != kind)
            return false;
        if (kind == RECUR_WEEKDAY)
            r->weekdays |= (uint8_t)(1 << p->value);
        else
            r->months |= (uint16_t)(1 << p->value);
        recur_advance(p);
    } while (accept_comma(p));
    return take_on(p, r);
}

/* What follows "every 3". */
static bool take_unit(struct recur_parser *p, struct recur *r)
{
    r->unit = (enum recur_unit)p->value;
    switch (p->token) {
    case RECUR_UNIT:
        recur_advance(p);
        return r->unit == RECUR_DAY || take_on(p, r);
    case RECUR_WEEKDAYS:
        recur_advance(p);
        r->unit = RECUR_WEEK;
        r->weekdays = MONDAY_TO_FRIDAY;
        return true;
    case RECUR_WEEKDAY:
    case RECUR_MONTH_NAME:
        return take_names(p, r);
    case RECUR_LIMIT: /* every 2 hours */
        return true;
    default:
        return false;
    }
}

/* Weekly rules have no second Wednesday, only Wednesdays. */
static void flatten_weekly(struct recur *r)
{
    for (size_t i = 0; r->unit == RECUR_WEEK && i < r->n_nth; i++)
        r->weekdays |= (uint8_t)(1 << r->nth[i].weekday);
    if (r->unit == RECUR_WEEK)
        r->n_nth = 0;
}

bool recur_parse(str text, struct recur *out)
{
    static const str when_done = STR(" when done");
    text = str_trim_line(text);
    size_t n = text.n > when_done.n ? text.n - when_done.n : text.n;
    struct recur r = {.every = 1,
                      .when_done =
                          n < text.n && str_eq_nocase(str_skip(text, n), when_done)};
    struct recur_parser p = {.rest = r.when_done ? str_slice(text, 0, n) : text};
    recur_advance(&p);
    if (!recur_accept(&p, RECUR_EVERY))
        return false;
    int every = p.value;
    if (recur_accept(&p, RECUR_NUMBER))
        r.every = every;
    if (!take_unit(&p, &r))
        return false;
    r.limited = r.limited || p.token == RECUR_LIMIT;
    flatten_weekly(&r);
    *out = r;
    return true;
}
