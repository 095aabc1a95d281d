/*
 * The operands of an operator: fields and values, optionally moved by durations.
 *
 * The same word may mean a field or a text: in `status = active`, status is a field and
 * active a text, as in Dataview without its quotes. So the side decides: a word on the
 * left is a field, a word on the right is text unless its prefix or backticks say that it
 * is a field. If the left side is a constant (5 < rating), select_parse.c reads the right
 * side as if it were a left one. Constants are folded and resolved here, once, so that
 * matching a row only compares.
 */
#include "base/utf8.h"
#include "vault/eval/select_parser.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/index/names.h"

/* --- tokens --- */

bool select_fail_next(struct select_parser *p, const char *expected)
{
    return select_fail(SELECT_WHERE, p->text, p->token.at, expected, p->err);
}

bool select_next(struct select_parser *p)
{
    return select_lex(p->plan, SELECT_WHERE, p->text, p->token.end, &p->token, p->err);
}

bool select_is_sign(const struct select_parser *p, const char *sign)
{
    return p->token.kind == SELECT_SIGN && str_eq(p->token.text, str_c(sign));
}

bool select_is_word(const struct select_parser *p, const char *word)
{
    return p->token.kind == SELECT_WORD && str_eq_nocase(p->token.text, str_c(word));
}

bool select_expect(struct select_parser *p, const char *sign, const char *expected)
{
    return select_is_sign(p, sign) ? select_next(p) : select_fail_next(p, expected);
}

/* A bracket directly after the word makes it a call. */
bool select_is_call(const struct select_parser *p)
{
    return p->token.kind == SELECT_WORD && p->token.end < p->text.n &&
           p->text.p[p->token.end] == '(';
}

bool select_open(struct select_parser *p)
{
    return select_next(p) && select_expect(p, "(", "'('");
}

bool select_deeper(struct select_parser *p)
{
    return ++p->depth <= SELECT_DEPTH_MAX ||
           err_set(p->err, ERR_LIMIT, "where: nested deeper than %d levels",
                   SELECT_DEPTH_MAX);
}

/* --- values --- */

static struct select_operand constant(struct value v)
{
    return (struct select_operand){.value = v};
}

/* A text that names a file also gets a target, so that it can equal a link. */
struct select_operand select_constant_text(struct select_parser *p, str text)
{
    struct value_reader *r = &p->plan->reader;
    struct value v = value_of_text(r, text);
    if (v.type == VALUE_TEXT) {
        struct names_answer answer = {.file = NO_FILE};
        names_resolve(r->names, NULL, text, r->source, r->source_id, &answer);
        v.target = answer.file;
    }
    v.text = utf8_fold(r->arena, v.text);
    v.path = utf8_fold(r->arena, v.path);
    return constant(v);
}

static struct select_operand constant_date(struct date d)
{
    return constant((struct value){.type = VALUE_DATE, .date = d, .target = NO_FILE});
}

/* true, null, today, … */
static bool named_constant(struct select_parser *p, str word, struct select_operand *out)
{
    enum { DAY = 86400 };
    struct date today = date_day(p->plan->now);
    static const struct {
        const char *name;
        enum value_type type;
        int number;
    } names[] = {
        {"true", VALUE_BOOL, 1},     {"false", VALUE_BOOL, 0},
        {"null", VALUE_NULL, 0},     {"today", VALUE_DATE, 0},
        {"tomorrow", VALUE_DATE, 1}, {"yesterday", VALUE_DATE, -1},
    };
    if (str_eq_nocase(word, STR("now"))) {
        *out = constant_date(p->plan->now);
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!str_eq_nocase(word, str_c(names[i].name)))
            continue;
        *out = constant_date(date_shift(today, 0, (int64_t)names[i].number * DAY));
        out->value.type = names[i].type;
        out->value.flag = names[i].number == 1;
        return true;
    }
    return false;
}

/* today(), now(), date(x): the token is the name. */
static bool parse_value_call(struct select_parser *p, struct select_operand *out)
{
    str name = p->token.text;
    struct select_operand named;
    bool is_named = named_constant(p, name, &named);
    if (!is_named && !str_eq_nocase(name, STR("date")))
        return select_fail_next(p, "a value (functions are date, today and now)");
    if (!select_deeper(p) || !select_open(p))
        return false;
    size_t at = p->token.at;
    if (is_named)
        *out = named;
    else if (!select_parse_operand(p, false, out))
        return false;
    if (!is_named && out->field == NULL && out->value.type != VALUE_DATE)
        return select_fail(SELECT_WHERE, p->text, at, "a date such as 2026-11-16",
                           p->err);
    p->depth--;
    return select_expect(p, ")", "')'");
}

static bool is_field_word(str word)
{
    static const str prefixes[] = {STR("file."), STR("task."), STR("note.")};
    for (size_t i = 0; i < COUNT_OF(prefixes); i++)
        if (str_eq_nocase(str_slice(word, 0, prefixes[i].n), prefixes[i]))
            return true;
    return str_find_char(word, '`') != STR_NONE;
}

static bool parse_word(struct select_parser *p, bool left, struct select_operand *out)
{
    str word = p->token.text;
    if (select_is_call(p))
        return parse_value_call(p, out);
    if (!named_constant(p, word, out)) {
        if (!left && !is_field_word(word))
            *out = select_constant_text(p, word);
        else if (!select_field_make(p->plan, SELECT_WHERE, word, p->token.at, &out->field,
                                    p->err))
            return false;
    }
    return select_next(p);
}

static bool parse_number(struct select_parser *p, bool minus, struct select_operand *out)
{
    const struct select_token *t = &p->token;
    int sign = minus ? -1 : 1;
    *out = constant((struct value){.type = VALUE_NUMBER,
                                   .flag = t->kind == SELECT_INTEGER,
                                   .number = sign * t->number,
                                   .target = NO_FILE});
    out->value.real = sign * t->real;
    out->value.text =
        minus ? arena_printf(p->plan->arena, "-" STR_FMT, STR_ARG(t->text)) : t->text;
    return select_next(p);
}

static bool parse_primary(struct select_parser *p, bool left, struct select_operand *out)
{
    const struct select_token t = p->token;
    *out = (struct select_operand){0};
    switch (t.kind) {
    case SELECT_WORD:
        return parse_word(p, left, out);
    case SELECT_QUOTED:
        if (left && t.text.n > 0) {
            out->field = select_field_property(p->plan, t.text);
            out->quoted = t.text;
        } else {
            *out = select_constant_text(p, t.text);
        }
        return select_next(p);
    case SELECT_INTEGER:
    case SELECT_REAL:
        return parse_number(p, false, out);
    case SELECT_DATE:
        *out = constant_date(t.date);
        out->value.text = utf8_fold(p->plan->arena, t.text);
        return select_next(p);
    case SELECT_LINK:
        *out = select_constant_text(p, t.text);
        return select_next(p);
    case SELECT_TAG:
        *out = constant((struct value){.type = VALUE_TAG, .target = NO_FILE});
        out->value.text = utf8_fold(p->plan->arena, t.text);
        return select_next(p);
    case SELECT_SIGN:
        if (select_is_sign(p, "-")) {
            if (!select_next(p))
                return false;
            if (p->token.kind == SELECT_INTEGER || p->token.kind == SELECT_REAL)
                return parse_number(p, true, out);
        }
        break;
    default:
        break;
    }
    return select_fail_next(p, left ? "a field such as status or file.name" : "a value");
}

/* 7d, "7 days" or dur(7 days), after + or -. */
static bool parse_duration(struct select_parser *p, struct select_token *out)
{
    bool call =
        select_is_call(p) && (select_is_word(p, "dur") || select_is_word(p, "duration"));
    if (call && !select_open(p))
        return false;
    *out = p->token;
    if (out->kind == SELECT_QUOTED) {
        struct err ignored;
        str text = out->text;
        if (!select_lex(p->plan, SELECT_WHERE, text, 0, out, &ignored) ||
            out->end != text.n)
            out->kind = SELECT_END;
    }
    if (out->kind != SELECT_DURATION)
        return select_fail_next(p, "a duration such as 7d, 2w, 3m or 1y");
    return select_next(p) && (!call || select_expect(p, ")", "')'"));
}

bool select_parse_operand(struct select_parser *p, bool left, struct select_operand *out)
{
    size_t at = p->token.at;
    if (!parse_primary(p, left, out))
        return false;
    int64_t months = 0, seconds = 0;
    while (select_is_sign(p, "+") || select_is_sign(p, "-")) {
        int sign = select_is_sign(p, "-") ? -1 : 1;
        struct select_token moved;
        if (!select_next(p) || !parse_duration(p, &moved))
            return false;
        months += sign * moved.months;
        seconds += sign * moved.seconds;
    }
    if (out->field != NULL) { /* its value is known only when a row is matched */
        out->months = months;
        out->seconds = seconds;
    } else if (out->value.type == VALUE_DATE && (months != 0 || seconds != 0)) {
        out->value.date = date_shift(out->value.date, months, seconds);
        out->value.text = (str){0};
    } else if (months != 0 || seconds != 0) {
        return select_fail(SELECT_WHERE, p->text, at, "a date before + or -", p->err);
    }
    return true;
}
