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
#include <math.h>

#include "base/utf8.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/select_parser.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"
#include "vault/index/names.h"

/* --- tokens --- */

bool select_fail_next(struct select_parser *p, const char *expected)
{
    return expr_fail(&p->m, p->token.at, expected);
}

bool select_next(struct select_parser *p)
{
    return select_lex(&p->m, p->query->reader.utc_offset, p->token.end, &p->token);
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
    return p->token.kind == SELECT_WORD && p->token.end < p->m.text.n &&
           p->m.text.p[p->token.end] == '(';
}

bool select_open(struct select_parser *p)
{
    return select_next(p) && select_expect(p, "(", "'('");
}

/* --- values --- */

static bool constant(struct select_parser *p, struct value v, size_t at,
                     struct select_operand *out)
{
    *out = (struct select_operand){.expr = expr_literal(&p->m, v, at)};
    return out->expr != NULL;
}

bool field_operand(struct select_parser *p, const struct field *field, size_t at,
                   struct select_operand *out)
{
    *out = (struct select_operand){.expr = expr_new(&p->m, EXPR_FIELD, at),
                                   .is_field = true};
    if (out->expr != NULL)
        out->expr->field = field;
    return out->expr != NULL;
}

/* A text that names a file also gets a target, so that it can equal a link. */
bool select_constant_text(struct select_parser *p, str text, size_t at,
                          struct select_operand *out)
{
    struct value_reader *r = &p->query->reader;
    struct value v = value_of_text(r, text);
    if (v.type == VALUE_TEXT) {
        struct names_answer answer = {.file = NO_FILE};
        names_resolve(r->names, NULL, text, r->source, r->source_id, &answer);
        v.target = answer.file;
    }
    v.text = utf8_fold(r->arena, v.text);
    v.path = utf8_fold(r->arena, v.path);
    return constant(p, v, at, out);
}

/* true, null, today, … */
static bool named_constant(const struct select_parser *p, str word, struct value *out)
{
    enum { DAY = 86400 };
    struct date today = date_day(p->query->now);
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
        *out = value_date(p->query->now);
        return true;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (!str_eq_nocase(word, str_c(names[i].name)))
            continue;
        *out = value_date(date_shift(today, 0, (int64_t)names[i].number * DAY));
        out->type = names[i].type;
        out->truth = names[i].number == 1;
        return true;
    }
    return false;
}

/* today(), now(), date(x): the token is the name. */
static bool parse_value_call(struct select_parser *p, struct select_operand *out)
{
    str name = p->token.text;
    struct value named;
    bool is_named = named_constant(p, name, &named);
    if (!is_named && !str_eq_nocase(name, STR("date")))
        return select_fail_next(p, "a value (functions are date, today and now)");
    if (!expr_deeper(&p->m) || !select_open(p))
        return false;
    size_t at = p->token.at;
    if (is_named ? !constant(p, named, at, out) : !select_parse_operand(p, false, out))
        return false;
    if (!is_named && !out->is_field && out->expr->value.type != VALUE_DATE)
        return expr_fail(&p->m, at, "a date such as 2026-11-16");
    p->m.depth--;
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

static bool select_operand_parse_word(struct select_parser *p, bool left,
                                      struct select_operand *out)
{
    str word = p->token.text;
    size_t at = p->token.at;
    struct value named;
    const struct field *field;
    bool ok;
    if (select_is_call(p))
        return parse_value_call(p, out);
    if (named_constant(p, word, &named))
        ok = constant(p, named, at, out);
    else if (!left && !is_field_word(word))
        ok = select_constant_text(p, word, at, out);
    else
        ok = field_make(&p->query->fields, SELECT_WHERE, word, at, &field, p->m.err) &&
             field_operand(p, field, at, out);
    return ok && select_next(p);
}

static bool parse_number(struct select_parser *p, bool minus, struct select_operand *out)
{
    const struct select_token *t = &p->token;
    int sign = minus ? -1 : 1;
    struct value v = {.type = VALUE_NUMBER,
                      .is_integer = t->kind == SELECT_INTEGER,
                      .number = sign * t->number,
                      .target = NO_FILE};
    v.real = sign * t->real;
    v.text = minus ? arena_printf(p->m.arena, "-" STR_FMT, STR_ARG(t->text)) : t->text;
    return constant(p, v, t->at, out) && select_next(p);
}

/* On the left, quoted text is the name of a property. */
static bool parse_quoted(struct select_parser *p, bool left, struct select_operand *out)
{
    const struct select_token t = p->token;
    if (!left || t.text.n == 0)
        return select_constant_text(p, t.text, t.at, out) && select_next(p);
    const struct field *field = field_property(&p->query->fields, t.text);
    if (!field_operand(p, field, t.at, out))
        return false;
    out->quoted = t.text;
    return select_next(p);
}

/* A date or a tag, whose text is folded. */
static bool parse_folded(struct select_parser *p, struct value v,
                         struct select_operand *out)
{
    v.text = utf8_fold(p->m.arena, p->token.text);
    return constant(p, v, p->token.at, out) && select_next(p);
}

static bool parse_primary(struct select_parser *p, bool left, struct select_operand *out)
{
    const struct select_token t = p->token;
    switch (t.kind) {
    case SELECT_WORD:
        return select_operand_parse_word(p, left, out);
    case SELECT_QUOTED:
        return parse_quoted(p, left, out);
    case SELECT_INTEGER:
    case SELECT_REAL:
        return parse_number(p, false, out);
    case SELECT_DATE:
        return parse_folded(p, value_date(t.date), out);
    case SELECT_LINK:
        return select_constant_text(p, t.text, t.at, out) && select_next(p);
    case SELECT_TAG:
        return parse_folded(p, value_tag(t.text), out);
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
static bool parse_duration(struct select_parser *p, struct duration *out)
{
    bool call =
        select_is_call(p) && (select_is_word(p, "dur") || select_is_word(p, "duration"));
    if (call && !select_open(p))
        return false;
    struct select_token t = p->token;
    if (t.kind == SELECT_QUOTED) {
        struct err ignored;
        struct expr_maker inner = {.arena = p->m.arena, .text = t.text, .err = &ignored};
        if (!select_lex(&inner, 0, 0, &t) || t.end != inner.text.n)
            t.kind = SELECT_END;
    }
    if (t.kind != SELECT_DURATION)
        return select_fail_next(p, "a duration such as 7d, 2w, 3m or 1y");
    *out = t.duration;
    return select_next(p) && (!call || select_expect(p, ")", "')'"));
}

/* Whole days as such, so that a day that is moved by 24h remains a day. */
static struct duration in_days(struct duration d)
{
    static const double DAY_MS = 86400000;
    double ms = d.days * DAY_MS + d.ms, days = trunc(ms / DAY_MS);
    return (struct duration){d.months, days, ms - days * DAY_MS};
}

/* A constant is moved now, a field when a row is matched. */
static bool move(struct select_parser *p, struct duration by, size_t at,
                 struct select_operand *out)
{
    struct value *v = &out->expr->value;
    by = in_days(by);
    if (!out->is_field && v->type != VALUE_DATE)
        return expr_fail(&p->m, at, "a date before + or -");
    if (!out->is_field) {
        v->date = duration_move(v->date, by);
        v->text = (str){0};
        return true;
    }
    struct expr *duration = expr_literal(&p->m, value_duration(by), at);
    out->expr =
        duration != NULL ? expr_binary(&p->m, EXPR_ADD, out->expr, duration, at) : NULL;
    return out->expr != NULL;
}

bool select_parse_operand(struct select_parser *p, bool left, struct select_operand *out)
{
    size_t at = p->token.at;
    struct duration sum = {0};
    if (!parse_primary(p, left, out))
        return false;
    while (select_is_sign(p, "+") || select_is_sign(p, "-")) {
        int sign = select_is_sign(p, "-") ? -1 : 1;
        struct duration by;
        if (!select_next(p) || !parse_duration(p, &by))
            return false;
        sum = duration_plus(sum, duration_times(by, sign));
    }
    bool moved = sum.months != 0 || sum.days != 0 || sum.ms != 0;
    return !moved || move(p, sum, at, out);
}
