/* Atoms of DQL: literals, names, calls, lambdas, lists and objects. */
#include "base/array.h"
#include "base/text.h"
#include "vault/dql/dql_functions.h"
#include "vault/dql/dql_parser.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/function.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/eval/value_duration.h"
#include "vault/eval/value_inline.h"
#include "vault/text/regex.h"

static struct expr *dql_failed(struct dql_parser *p, const char *expected)
{
    (void)dql_fail(p, expected);
    return NULL;
}

/* --- names --- */

static bool dql_is_given(const struct dql_parser *p, str name)
{
    for (size_t i = 0; i < p->n_names; i++)
        if (str_eq(p->names[i], name))
            return true;
    return false;
}

/* Fields of tasks are those of rows. */
struct expr *dql_named(struct dql_parser *p, str name, size_t at)
{
    bool given = p->grouped || p->fields.of_tasks || dql_is_given(p, name);
    bool file = !given && str_eq_nocase(name, STR("file"));
    struct expr *x = expr_new(&p->make,
                              given  ? EXPR_NAME
                              : file ? EXPR_FILE
                                     : EXPR_FIELD,
                              at);
    if (x == NULL)
        return NULL;
    x->text = name;
    bool of_task =
        p->fields.of_tasks && !dql_task_has(name) && !str_eq_nocase(name, STR("file"));
    if (x->kind == EXPR_FIELD)
        x->field = field_property(&p->fields, name);
    else if (of_task && !p->grouped && !dql_is_given(p, name))
        (void)field_property(&p->fields, name); /* so that it can be unknown */
    return x;
}

static struct expr *dql_variable(struct dql_parser *p, str name, size_t at)
{
    for (uint32_t i = p->n_vars; i-- > 0;) {
        if (!str_eq(p->vars[i], name))
            continue;
        struct expr *x = expr_new(&p->make, EXPR_VAR, at);
        if (x != NULL)
            x->number = i;
        return x;
    }
    if (str_eq_nocase(name, STR("this")))
        return expr_new(&p->make, EXPR_THIS, at);
    if (str_eq_nocase(name, STR("row")) && !p->grouped)
        return expr_new(&p->make, EXPR_NOTE, at);
    if (!p->grouped && !dql_is_given(p, name) && !str_eq_nocase(name, STR("file")) &&
        (!p->fields.of_tasks || !dql_is_task_field(name)))
        dql_use(p, USE_PROPERTY, at, at + name.n, name);
    return dql_named(p, name, at);
}

/* --- calls --- */

bool dql_arguments(struct dql_parser *p, struct expr *call)
{
    if (dql_take_sign(p, ")"))
        return true;
    do {
        if (dql_with(p, call, dql_expr(p)) == NULL)
            return false;
    } while (dql_take_sign(p, ","));
    return dql_take_sign(p, ")") || dql_fail(p, ", or )");
}

static bool dql_unknown_function(struct dql_parser *p, str name, size_t at)
{
    const char *near = function_nearest(&dialect_dql, name, 0);
    return err_named(p->make.err, E_INVALID_QUERY,
                     "%s: the function '" STR_FMT "' at byte %zu is not supported%s%s%s",
                     p->make.what, STR_ARG(name), at,
                     near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                     near != NULL ? "'?" : "");
}

static bool dql_check_count(struct dql_parser *p, const struct expr *call)
{
    const struct function *f = call->function;
    size_t own = (f->flags & FUNCTION_PLAIN) != 0 && f->on != 0;
    if (call->n >= f->min + own && call->n <= f->max + own)
        return true;
    return err_named(p->make.err, E_INVALID_QUERY,
                     "%s: %s() at byte %u takes %zu to %zu arguments, found %u",
                     p->make.what, f->name, call->at, f->min + own, f->max + own,
                     call->n);
}

/* A regular expression that is written as text is compiled once. */
static bool dql_compile(struct dql_parser *p, struct expr *pattern, bool whole)
{
    struct regex *regex;
    struct err why = {0};
    if (pattern->kind != EXPR_LITERAL || pattern->value.type != VALUE_TEXT)
        return true;
    str text = pattern->value.text;
    if (whole)
        text = arena_printf(p->make.arena, "^(?:" STR_FMT ")$", STR_ARG(text));
    if (!regex_compile(text, REGEX_JAVASCRIPT, &regex, &why))
        return err_caused(p->make.err, &why, E_INVALID_QUERY,
                          "%s: the regular expression at byte %u: %s", p->make.what,
                          pattern->at, why.msg);
    pattern->value = (struct value){.type = VALUE_REGEXP,
                                    .regexp = regex,
                                    .is_global = true,
                                    .text = pattern->value.text,
                                    .target = NO_FILE};
    return expr_own(p->make.owner, regex, p->make.err);
}

static bool dql_compile_patterns(struct dql_parser *p, struct expr *call)
{
    static const struct {
        const char *function;
        unsigned argument;
        bool whole; /* it must match the whole text */
    } patterns[] = {{"regextest", 0, false},
                    {"regexmatch", 0, true},
                    {"regexreplace", 1, false},
                    {"split", 1, false}};
    for (size_t i = 0; i < COUNT_OF(patterns); i++)
        if (strcmp(call->function->name, patterns[i].function) == 0)
            return dql_compile(p, call->kids[patterns[i].argument], patterns[i].whole);
    return true;
}

static struct expr *dql_call(struct dql_parser *p, str name, size_t at)
{
    struct expr *call = expr_new(&p->make, EXPR_CALL, at);
    if (call == NULL)
        return NULL;
    call->text = name;
    call->function = function_find(&dialect_dql, name, false);
    if (call->function == NULL) {
        (void)dql_unknown_function(p, name, at);
        return NULL;
    }
    if (!expr_deeper(&p->make))
        return NULL;
    bool ok = dql_arguments(p, call);
    p->make.depth--;
    ok = ok && dql_check_count(p, call) && dql_compile_patterns(p, call);
    return ok ? call : NULL;
}

/* --- date(...) and dur(...) --- */

/* What is between the brackets, if it has no quotes or brackets itself. */
static str dql_inside(const struct dql_parser *p)
{
    str rest = str_skip(p->make.text, p->at);
    size_t n = str_find_char(rest, ')');
    str inside = str_trim_line(str_slice(rest, 0, n != STR_NONE ? n : 0));
    return inside;
}

static struct expr *dql_literal_inside(struct dql_parser *p, struct value v, size_t at)
{
    p->at += str_find_char(str_skip(p->make.text, p->at), ')') + 1;
    return expr_literal(&p->make, v, at);
}

/* date(today), date(2026-11-16): literals; anything else is a call. */
static struct expr *dql_date_or_call(struct dql_parser *p, str name, size_t at)
{
    struct date d;
    str inside = dql_inside(p);
    const char *meant = date_word_near(inside);
    if (meant != NULL) {
        (void)err_named(p->make.err, E_INVALID_QUERY,
                        "%s: '" STR_FMT "' at byte %zu is not a date; did you mean '%s'?",
                        p->make.what, STR_ARG(inside), p->at, meant);
        return NULL;
    }
    if (inside.n == 0 || !dql_date(inside, p->now, p->reader->utc_offset, &d))
        return dql_call(p, name, at);
    return dql_literal_inside(p, value_date(d), at);
}

static struct expr *dql_duration_or_call(struct dql_parser *p, str name, size_t at)
{
    struct duration d;
    if (!duration_parse(dql_inside(p), DURATION_DQL, &d))
        return dql_call(p, name, at);
    return dql_literal_inside(p, value_duration(d), at);
}

static struct expr *dql_word_atom(struct dql_parser *p)
{
    size_t at = p->at;
    str word = dql_word(p);
    if (dql_is_keyword(word))
        return dql_failed(p, "a field or value");
    p->at += word.n;
    if (p->at < p->make.text.n && p->make.text.p[p->at] == '(') {
        p->at++;
        if (str_eq_nocase(word, STR("date")))
            return dql_date_or_call(p, word, at);
        if (str_eq_nocase(word, STR("dur")))
            return dql_duration_or_call(p, word, at);
        return dql_call(p, word, at);
    }
    if (str_eq_nocase(word, STR("true")) || str_eq_nocase(word, STR("false")))
        return expr_literal(&p->make, value_bool(to_lower(word.p[0]) == 't'), at);
    if (str_eq_nocase(word, STR("null")))
        return expr_literal(&p->make, value_null(), at);
    return dql_variable(p, word, at);
}

/* --- other literals --- */

static struct expr *dql_number(struct dql_parser *p)
{
    enum { DIGITS_MAX = 60 };
    size_t at = p->at, end = at + (p->make.text.p[at] == '-');
    end = text_skip_digits(p->make.text, end);
    bool real = end + 1 < p->make.text.n && p->make.text.p[end] == '.' &&
                is_digit(p->make.text.p[end + 1]);
    if (real)
        end = text_skip_digits(p->make.text, end + 1);
    if (end - at > DIGITS_MAX)
        return dql_failed(p, "a shorter number");
    struct value v = value_of_number(str_slice(p->make.text, at, end));
    p->at = end;
    return expr_literal(&p->make, v, at);
}

static struct expr *dql_text(struct dql_parser *p)
{
    size_t at = p->at;
    str text;
    return dql_quoted(p, &text) ? expr_literal(&p->make, value_text(text), at) : NULL;
}

static struct expr *dql_link_literal(struct dql_parser *p)
{
    size_t at = p->at;
    str target, display;
    if (!dql_link(p, &target, &display))
        return NULL;
    if (target.n == 0)
        return expr_new(&p->make, EXPR_THIS, at);
    return expr_literal(&p->make, value_link(p->reader, target, display), at);
}

static struct expr *dql_tag_literal(struct dql_parser *p)
{
    size_t at = p->at;
    str tag;
    if (!dql_tag(p, &tag))
        return NULL;
    tag = str_slice(p->make.text, at, p->at); /* tags are texts with '#' */
    return expr_literal(&p->make, value_text(tag), at);
}

/* --- brackets --- */

static struct expr *dql_list(struct dql_parser *p)
{
    struct expr *x = expr_new(&p->make, EXPR_LIST, p->at++);
    if (x == NULL || dql_take_sign(p, "]"))
        return x;
    do {
        if (dql_with(p, x, dql_expr(p)) == NULL)
            return NULL;
    } while (dql_take_sign(p, ","));
    return dql_take_sign(p, "]") ? x : dql_failed(p, ", or ]");
}

static bool dql_key(struct dql_parser *p, str *out)
{
    if (dql_look(p) == '"')
        return dql_quoted(p, out);
    *out = dql_word(p);
    p->at += out->n;
    return out->n > 0 || dql_fail(p, "a name");
}

static struct expr *dql_object(struct dql_parser *p)
{
    struct expr *x = expr_new(&p->make, EXPR_OBJECT, p->at++);
    str *keys = NULL;
    size_t n = 0;
    if (x == NULL || dql_take_sign(p, "}"))
        return x;
    do {
        str key;
        if (!dql_key(p, &key))
            return NULL;
        if (!dql_take_sign(p, ":"))
            return dql_failed(p, ":");
        if (dql_with(p, x, dql_expr(p)) == NULL)
            return NULL;
        *ARRAY_ADD(p->make.arena, keys, n) = key;
        x->keys = keys;
    } while (dql_take_sign(p, ","));
    return dql_take_sign(p, "}") ? x : dql_failed(p, ", or }");
}

/* Bind the names of "(a, b) =>"; false, and nothing is taken, if that is not next. */
static bool dql_take_names(struct dql_parser *p)
{
    size_t at = p->at;
    uint32_t first = p->n_vars;
    p->at++;
    for (str name; (name = dql_word(p)).n > 0 && p->n_vars < EXPR_VARS_MAX;) {
        p->vars[p->n_vars++] = name;
        p->at += name.n;
        if (!dql_take_sign(p, ","))
            break;
    }
    if (dql_take_sign(p, ")") && dql_take_sign(p, "=>"))
        return true;
    p->at = at;
    p->n_vars = first;
    return false;
}

static struct expr *dql_lambda(struct dql_parser *p, uint32_t first, size_t at)
{
    struct expr *x = expr_new(&p->make, EXPR_LAMBDA, at);
    struct expr *body = x != NULL ? dql_expr(p) : NULL;
    if (body == NULL)
        return NULL;
    x->number = first;
    x->n_vars = (uint16_t)(p->n_vars - first);
    p->n_vars = first;
    return dql_with(p, x, body);
}

static struct expr *dql_group(struct dql_parser *p)
{
    size_t at = p->at;
    uint32_t first = p->n_vars;
    if (dql_take_names(p))
        return dql_lambda(p, first, at);
    p->at++;
    struct expr *x = dql_expr(p);
    if (x == NULL || dql_take_sign(p, ")"))
        return x;
    return dql_failed(p, ")");
}

static struct expr *dql_not(struct dql_parser *p)
{
    size_t at = p->at++;
    struct expr *kid = dql_field(p);
    return kid != NULL ? expr_unary(&p->make, EXPR_NOT, kid, at) : NULL;
}

static struct expr *dql_nested(struct dql_parser *p,
                               struct expr *(*read)(struct dql_parser *))
{
    if (!expr_deeper(&p->make))
        return NULL;
    struct expr *x = read(p);
    p->make.depth--;
    return x;
}

/* --- all of them --- */

struct expr *dql_atom(struct dql_parser *p)
{
    char c = dql_look(p);
    str rest = str_skip(p->make.text, p->at);
    if (str_starts(rest, STR("[[")) || str_starts(rest, STR("![[")))
        return dql_link_literal(p);
    if (is_digit(c) || (c == '-' && rest.n > 1 && is_digit(rest.p[1])))
        return dql_number(p);
    switch (c) {
    case '"':
        return dql_text(p);
    case '#':
        return dql_tag_literal(p);
    case '[':
        return dql_nested(p, dql_list);
    case '{':
        return dql_nested(p, dql_object);
    case '(':
        return dql_nested(p, dql_group);
    case '!':
        return dql_nested(p, dql_not);
    default:
        return dql_word(p).n > 0 ? dql_word_atom(p) : dql_failed(p, "a field or value");
    }
}
