/* Dates, durations and numbers. */
#include <math.h>
#include <stdio.h>

#include "base/utf8.h"
#include "vault/eval/eval.h"
#include "vault/eval/function_table.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"
#include "vault/text/moment.h"

static struct value not_parsed(struct eval *e, const struct value *v, const char *as)
{
    str text = utf8_cut(value_text_of(&e->reader, v), 60);
    return eval_error(e, "Unable to parse \"" STR_FMT "\" as a %s", STR_ARG(text), as);
}

struct value function_date(struct eval *e, const struct call *c)
{
    const struct value *v = &c->args[0];
    struct date date;
    if (v->type == VALUE_DATE || v->type == VALUE_NULL)
        return *v;
    str text = str_trim_line(v->type == VALUE_LINK ? value_link_text(v) : v->text);
    bool spelt = v->type == VALUE_TEXT || v->type == VALUE_LINK;
    size_t n = spelt ? date_parse(text, e->reader.utc_offset, &date) : 0;
    if ((n > 0 && n == text.n) || (spelt && date_parse_digits(text, &date)))
        return value_date(date);
    return not_parsed(e, v, "date");
}

struct value function_duration(struct eval *e, const struct call *c)
{
    const struct value *v = &c->args[0];
    struct duration d;
    if (v->type == VALUE_DURATION || v->type == VALUE_NULL)
        return *v;
    if (v->type == VALUE_TEXT && duration_parse(v->text, e->dialect->units, &d))
        return value_duration(d);
    return not_parsed(e, v, "duration");
}

struct value function_now(struct eval *e, const struct call *c)
{
    return value_date(e->now);
}

struct value function_today(struct eval *e, const struct call *c)
{
    return value_date(date_day(e->now));
}

struct value function_day(struct eval *e, const struct call *c)
{
    return value_date(date_day(c->self.date));
}

struct value function_time(struct eval *e, const struct call *c)
{
    struct date_parts p = date_split(c->self.date);
    return value_text(
        arena_printf(e->reader.arena, "%02d:%02d:%02d", p.hour, p.minute, p.second));
}

struct value function_format(struct eval *e, const struct call *c)
{
    struct date_parts p = date_split(c->self.date);
    struct moment m = {.year = p.year,
                       .month = p.month,
                       .day = p.day,
                       .hour = p.hour,
                       .minute = p.minute,
                       .second = p.second,
                       .ms = p.ms,
                       .offset = e->reader.utc_offset / 60};
    return eval_text(e, moment_format(e->reader.arena, &m, c->args[0].text));
}

struct value function_relative(struct eval *e, const struct call *c)
{
    struct duration d = duration_between(c->self.date, e->now);
    struct value v = value_text(duration_relative(e->reader.arena, duration_ms(d)));
    v.describes_date = true;
    v.date = c->self.date;
    return v;
}

/* --- numbers --- */

struct value function_abs(struct eval *e, const struct call *c)
{
    return value_number(fabs(c->self.real));
}

struct value function_ceil(struct eval *e, const struct call *c)
{
    return value_number(ceil(c->self.real));
}

struct value function_floor(struct eval *e, const struct call *c)
{
    return value_number(floor(c->self.real));
}

/* As Math.round(): halves go up. */
struct value function_round(struct eval *e, const struct call *c)
{
    double digits = c->n > 0 && c->args[0].type == VALUE_NUMBER ? c->args[0].real : 0;
    double scale = pow(10, trunc(digits)), x = c->self.real;
    double rounded = floor(x * scale + 0.5) / scale;
    return value_number(isfinite(rounded) ? rounded : x);
}

/* Add one to the last digit. */
static void count_up(char *digits, size_t n)
{
    while (n-- > 0) {
        if (digits[n] == '.')
            continue;
        if (digits[n]++ != '9')
            return;
        digits[n] = '0';
    }
}

/* The exact decimal value, cut after so many digits; a half goes away from zero. */
static str fixed(struct arena *a, double x, size_t digits)
{
    enum { EXACT = 1100, SIZE = EXACT + 40 };
    char *text = arena_alloc(a, SIZE);
    text[0] = '0'; /* for a carry */
    size_t n = (size_t)snprintf(text + 1, SIZE - 1, "%.*f", EXACT, fabs(x)) + 1;
    size_t point = n - EXACT - 1, end = digits > 0 ? point + 1 + digits : point;
    if (text[digits > 0 ? end : point + 1] >= '5')
        count_up(text, end);
    bool carried = text[0] != '0';
    str number = str_slice((str){text, n}, carried ? 0 : 1, end);
    bool zero = true;
    for (size_t i = 0; i < number.n; i++)
        zero = zero && (number.p[i] == '0' || number.p[i] == '.');
    return x < 0 && !zero ? arena_printf(a, "-" STR_FMT, STR_ARG(number)) : number;
}

struct value function_to_fixed(struct eval *e, const struct call *c)
{
    double digits = c->n > 0 && c->args[0].type == VALUE_NUMBER ? c->args[0].real : 0;
    double x = c->self.real;
    if (!(digits >= 0 && digits <= 100))
        return eval_error(e, "toFixed() needs a number of digits from 0 to 100");
    if (!isfinite(x) || fabs(x) >= 1e21)
        return value_text(value_number_text(e->reader.arena, x));
    return value_text(fixed(e->reader.arena, x, (size_t)digits));
}
