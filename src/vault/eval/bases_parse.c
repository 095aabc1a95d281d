/*
 * The grammar, by descent:
 *
 *     or      = and { "||" and }            and   = equal { "&&" equal }
 *     equal   = rel { ("=="|"!=") rel }     rel   = sum { ("<"|">"|"<="|">=") sum }
 *     sum     = prod { ("+"|"-") prod }     prod  = unary { ("*"|"/"|"%") unary }
 *     unary   = ("!"|"-") unary | postfix
 *     postfix = primary { "." name [ "(" args ")" ] | "[" or "]" }
 *     primary = number | string | regexp | name [ "(" args ")" ] | "(" or ")"
 *             | "[" args "]" | "{" [ key ":" or { "," key ":" or } ] "}"
 */
#include "vault/eval/bases_parse.h"

#include "base/array.h"
#include "base/near.h"
#include "base/utf8.h"
#include "vault/eval/bases_lex.h"
#include "vault/eval/dialect.h"
#include "vault/eval/eval_file.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/function.h"
#include "vault/eval/value.h"
#include "vault/text/regex.h"

enum { LEVELS = 6, SHOWN_MAX = 60 };

struct bases_parser {
    struct expr_maker m;
    const struct bases_scope *scope;
    struct bases_token t;             /* the next one */
    struct field_list own, *fields;   /* properties */
    const char *bound[EXPR_VARS_MAX]; /* names of variables, the innermost last */
    uint32_t n_bound, most_bound;
    size_t failed_at; /* of a name that is unknown; or STR_NONE */
};

static bool parse_level(struct bases_parser *p, int level, struct expr **out);

/* --- tokens --- */

static bool bases_next(struct bases_parser *p)
{
    return bases_lex(&p->m, &p->t);
}

static bool is_sign(const struct bases_parser *p, const char *sign)
{
    return p->t.kind == BASES_SIGN && str_eq(p->t.text, str_c(sign));
}

static bool expect(struct bases_parser *p, const char *sign, const char *expected)
{
    return is_sign(p, sign) ? bases_next(p) : expr_fail(&p->m, p->t.at, expected);
}

/* --- names --- */

static bool keep(struct expr *made, struct expr **out)
{
    *out = made;
    return made != NULL;
}

static bool make_property(struct bases_parser *p, str name, size_t at, struct expr **out)
{
    if (!keep(expr_new(&p->m, EXPR_FIELD, at), out))
        return false;
    (*out)->field = field_property(p->fields, name);
    return true;
}

static bool no_formula(struct bases_parser *p, str name, size_t at)
{
    struct near_search s;
    str shown = utf8_cut(name, SHOWN_MAX);
    p->failed_at = at;
    near_search(&s, name, name.n / 3 + 1);
    for (size_t i = 0; i < p->scope->n_formulas; i++)
        (void)near_offer(&s, p->scope->formulas[i]);
    if (s.best.n == 0)
        return err_named(p->m.err, E_INVALID_QUERY,
                         "%s: there is no formula '" STR_FMT "' (byte %zu)", p->m.what,
                         STR_ARG(shown), at);
    return err_named(p->m.err, E_INVALID_QUERY,
                     "%s: there is no formula '" STR_FMT
                     "' (byte %zu); did you mean '" STR_FMT "'?",
                     p->m.what, STR_ARG(shown), at, STR_ARG(s.best));
}

static bool make_formula(struct bases_parser *p, str name, size_t at, struct expr **out)
{
    if (p->scope->summary)
        return keep(expr_literal(&p->m, value_null(), at), out);
    for (size_t i = 0; i < p->scope->n_formulas; i++) {
        if (!str_eq(p->scope->formulas[i], name))
            continue;
        if (!keep(expr_new(&p->m, EXPR_FORMULA, at), out))
            return false;
        (*out)->number = (uint32_t)i;
        return true;
    }
    return no_formula(p, name, at);
}

static bool make_variable(struct bases_parser *p, str name, size_t at, bool *is_one,
                          struct expr **out)
{
    for (uint32_t i = p->n_bound; i-- > 0;) {
        if (!str_eq(name, str_c(p->bound[i])))
            continue;
        *is_one = true;
        if (!keep(expr_new(&p->m, EXPR_VAR, at), out))
            return false;
        (*out)->number = i;
        return true;
    }
    *is_one = false;
    return true;
}

/* note, file, this: those of the row; a summary has none. */
static bool make_name(struct bases_parser *p, str name, size_t at, struct expr **out)
{
    static const struct {
        const char *name;
        enum expr_kind kind;
    } rows[] = {{"note", EXPR_NOTE}, {"file", EXPR_FILE}, {"this", EXPR_THIS}};
    if (p->scope->summary && str_eq(name, STR("values")))
        return keep(expr_new(&p->m, EXPR_VALUES, at), out);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        if (!str_eq(name, str_c(rows[i].name)))
            continue;
        bool none = p->scope->summary && rows[i].kind != EXPR_THIS;
        return keep(none ? expr_literal(&p->m, value_null(), at)
                         : expr_new(&p->m, rows[i].kind, at),
                    out);
    }
    return make_property(p, name, at, out);
}

/* --- calls --- */

static void bind(struct bases_parser *p, const char *name)
{
    p->bound[p->n_bound++] = name;
    p->most_bound = p->n_bound > p->most_bound ? p->n_bound : p->most_bound;
}

/* An argument that is evaluated for each item of a list. */
static bool parse_lambda(struct bases_parser *p, bool reduces, struct expr **out)
{
    struct expr *x = expr_new(&p->m, EXPR_LAMBDA, p->t.at), *body;
    if (x == NULL)
        return false;
    x->number = p->n_bound;
    x->n_vars = reduces ? 3 : 2;
    if (p->n_bound + x->n_vars > EXPR_VARS_MAX)
        return err_set(p->m.err, ERR_LIMIT,
                       "%s: more than %d names in filter, map and reduce inside each "
                       "other",
                       p->m.what, EXPR_VARS_MAX);
    bind(p, "value");
    bind(p, "index");
    if (reduces)
        bind(p, "acc");
    bool ok = parse_level(p, 0, &body) && expr_add(&p->m, x, body);
    p->n_bound = x->number;
    *out = x;
    return ok;
}

static bool takes_lambda(const struct expr *call)
{
    return call->kind == EXPR_METHOD && call->n == 1 &&
           (str_eq(call->text, STR("filter")) || str_eq(call->text, STR("map")) ||
            str_eq(call->text, STR("reduce")));
}

/* Up to the closing sign; the opening one was taken. */
static bool parse_args(struct bases_parser *p, struct expr *to, const char *close,
                       const char *expected)
{
    if (is_sign(p, close))
        return bases_next(p);
    for (;;) {
        struct expr *arg;
        bool ok = takes_lambda(to)
                      ? parse_lambda(p, str_eq(to->text, STR("reduce")), &arg)
                      : parse_level(p, 0, &arg);
        if (!ok || !expr_add(&p->m, to, arg))
            return false;
        if (!is_sign(p, ","))
            return expect(p, close, expected);
        if (!bases_next(p))
            return false;
    }
}

/* Functions of newer versions of Obsidian may be read, but are not written. */
static bool no_function(struct bases_parser *p, str name, bool method, size_t at)
{
    const char *nearest = function_nearest(&dialect_bases, name, method ? ON_ANY : 0);
    p->failed_at = at;
    return err_named(p->m.err, E_INVALID_QUERY,
                     "%s: there is no function '" STR_FMT "' (byte %zu)%s%s%s", p->m.what,
                     STR_ARG(utf8_cut(name, SHOWN_MAX)), at,
                     nearest != NULL ? "; did you mean '" : "",
                     nearest != NULL ? nearest : "", nearest != NULL ? "'?" : "");
}

/* The token is the opening bracket. */
static bool parse_call(struct bases_parser *p, struct expr *self, str name, size_t at,
                       struct expr **out)
{
    struct expr *x = expr_new(&p->m, self != NULL ? EXPR_METHOD : EXPR_CALL, at);
    if (x == NULL || (self != NULL && !expr_add(&p->m, x, self)))
        return false;
    x->text = name;
    x->function = function_find(&dialect_bases, name, self != NULL);
    if (x->function == NULL && p->scope->strict)
        return no_function(p, name, self != NULL, at);
    *out = x;
    if (!expr_deeper(&p->m) || !bases_next(p) ||
        !parse_args(p, x, ")", "',' or ')' after an argument"))
        return false;
    p->m.depth--;
    return true;
}

/* --- primary --- */

static bool parse_object(struct bases_parser *p, struct expr *x)
{
    str *keys = NULL;
    size_t n = 0;
    if (is_sign(p, "}"))
        return bases_next(p);
    for (;;) {
        struct expr *item;
        if (p->t.kind != BASES_STRING && p->t.kind != BASES_NAME)
            return expr_fail(&p->m, p->t.at, "a name or a text as a key");
        *ARRAY_ADD(p->m.arena, keys, n) = p->t.text;
        x->keys = keys;
        if (!bases_next(p) || !expect(p, ":", "':' after a key") ||
            !parse_level(p, 0, &item) || !expr_add(&p->m, x, item))
            return false;
        if (!is_sign(p, ","))
            return expect(p, "}", "',' or '}' after a value");
        if (!bases_next(p))
            return false;
    }
}

static bool parse_bracket(struct bases_parser *p, struct expr **out)
{
    char open = p->t.text.p[0];
    size_t at = p->t.at;
    if (!expr_deeper(&p->m) || !bases_next(p))
        return false;
    bool ok;
    if (open == '(')
        ok = parse_level(p, 0, out) && expect(p, ")", "an operator or ')'");
    else if (open == '[')
        ok = keep(expr_new(&p->m, EXPR_LIST, at), out) &&
             parse_args(p, *out, "]", "',' or ']' after an item");
    else
        ok = keep(expr_new(&p->m, EXPR_OBJECT, at), out) && parse_object(p, *out);
    p->m.depth--;
    return ok;
}

static bool parse_regexp(struct bases_parser *p, struct expr **out)
{
    static const struct {
        char name;
        unsigned flag;
    } flags[] = {{'i', REGEX_NOCASE}, {'m', REGEX_MULTILINE}, {'s', REGEX_DOTALL}};
    const struct bases_token t = p->t;
    unsigned chosen = REGEX_JAVASCRIPT;
    struct regex *regex;
    struct err why = {0};
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (str_find_char(t.flags, flags[i].name) != STR_NONE)
            chosen |= flags[i].flag;
    if (!regex_compile(t.text, chosen, &regex, &why))
        return err_caused(p->m.err, &why, E_INVALID_QUERY,
                          "%s: the regular expression at byte %zu: %s", p->m.what, t.at,
                          why.msg);
    if (!expr_own(p->m.owner, regex, p->m.err))
        return false;
    struct value v = {.type = VALUE_REGEXP,
                      .regexp = regex,
                      .is_global = str_find_char(t.flags, 'g') != STR_NONE,
                      .text = str_slice(p->m.text, t.at, t.end),
                      .target = NO_FILE};
    return keep(expr_literal(&p->m, v, t.at), out) && bases_next(p);
}

static bool bases_parse_parse_word(struct bases_parser *p, struct expr **out)
{
    str name = p->t.text;
    size_t at = p->t.at;
    bool is_one;
    if (!bases_next(p))
        return false;
    if (is_sign(p, "("))
        return parse_call(p, NULL, name, at, out);
    if (str_eq(name, STR("true")) || str_eq(name, STR("false")))
        return keep(expr_literal(&p->m, value_bool(name.n == 4), at), out);
    if (str_eq(name, STR("null")))
        return keep(expr_literal(&p->m, value_null(), at), out);
    if (!make_variable(p, name, at, &is_one, out))
        return false;
    return is_one || make_name(p, name, at, out);
}

static bool parse_primary(struct bases_parser *p, struct expr **out)
{
    switch (p->t.kind) {
    case BASES_NUMBER:
        return keep(expr_literal(&p->m, value_number(p->t.number), p->t.at), out) &&
               bases_next(p);
    case BASES_STRING:
        return keep(expr_literal(&p->m, value_text(p->t.text), p->t.at), out) &&
               bases_next(p);
    case BASES_REGEXP:
        return parse_regexp(p, out);
    case BASES_NAME:
        return bases_parse_parse_word(p, out);
    default:
        break;
    }
    if (is_sign(p, "(") || is_sign(p, "[") || is_sign(p, "{"))
        return parse_bracket(p, out);
    return expr_fail(&p->m, p->t.at, "a value, a property or a function");
}

/* --- members --- */

/* The name `formula` can only be followed by the name of one. */
static bool is_formula_name(const struct bases_parser *p, const struct expr *x)
{
    return x->kind == EXPR_FIELD && str_eq(x->field->name, STR("formula")) &&
           str_eq(str_slice(p->m.text, x->at, x->at + 7), STR("formula"));
}

/* note.x, formula.x, or a member of any other value. */
static bool make_member(struct bases_parser *p, struct expr *of, str name,
                        struct expr **out)
{
    size_t at = of->at;
    if (of->kind == EXPR_NOTE)
        return make_property(p, name, at, out);
    if (is_formula_name(p, of))
        return make_formula(p, name, at, out);
    struct expr *x = expr_new(&p->m, EXPR_MEMBER, at);
    if (x == NULL || !expr_add(&p->m, x, of))
        return false;
    x->text = name;
    *out = x;
    return true;
}

static bool parse_dot(struct bases_parser *p, struct expr **out)
{
    if (!bases_next(p))
        return false;
    if (p->t.kind != BASES_NAME)
        return expr_fail(&p->m, p->t.at, "a name after the dot");
    str name = p->t.text;
    size_t at = p->t.at;
    if (!bases_next(p))
        return false;
    if (is_sign(p, "("))
        return parse_call(p, *out, name, at, out);
    return make_member(p, *out, name, out);
}

static bool parse_index(struct bases_parser *p, struct expr **out)
{
    struct expr *of = *out, *key;
    if (!expr_deeper(&p->m) || !bases_next(p) || !parse_level(p, 0, &key))
        return false;
    p->m.depth--;
    bool named = key->kind == EXPR_LITERAL && key->value.type == VALUE_TEXT;
    if (named && (of->kind == EXPR_NOTE || is_formula_name(p, of)))
        return make_member(p, of, key->value.text, out) && expect(p, "]", "']'");
    struct expr *x = expr_new(&p->m, EXPR_INDEX, of->at);
    if (x == NULL || !expr_add(&p->m, x, of) || !expr_add(&p->m, x, key))
        return false;
    *out = x;
    return expect(p, "]", "an operator or ']'");
}

static bool parse_postfix(struct bases_parser *p, struct expr **out)
{
    if (!parse_primary(p, out))
        return false;
    for (;;) {
        bool ok = is_sign(p, ".")   ? parse_dot(p, out)
                  : is_sign(p, "[") ? parse_index(p, out)
                                    : true;
        if (!ok)
            return false;
        if (!is_sign(p, ".") && !is_sign(p, "["))
            return true;
    }
}

/* --- operators --- */

static bool parse_unary(struct bases_parser *p, struct expr **out)
{
    size_t at = p->t.at;
    struct expr *of;
    if (!is_sign(p, "!") && !is_sign(p, "-"))
        return parse_postfix(p, out);
    enum expr_op op = is_sign(p, "!") ? EXPR_NOT : EXPR_MINUS;
    if (!expr_deeper(&p->m) || !bases_next(p) || !parse_unary(p, &of))
        return false;
    p->m.depth--;
    return keep(expr_unary(&p->m, op, of, at), out);
}

/* From the weakest to the strongest; && and || join any number of kids. */
static const struct {
    const char *sign;
    int level;
    enum expr_op op;
} operators[] = {
    {"||", 0, EXPR_NOT},        {"&&", 1, EXPR_NOT},           {"==", 2, EXPR_EQUAL},
    {"!=", 2, EXPR_NOT_EQUAL},  {"<", 3, EXPR_LESS},           {">", 3, EXPR_GREATER},
    {"<=", 3, EXPR_LESS_EQUAL}, {">=", 3, EXPR_GREATER_EQUAL}, {"+", 4, EXPR_ADD},
    {"-", 4, EXPR_SUBTRACT},    {"*", 5, EXPR_MULTIPLY},       {"/", 5, EXPR_DIVIDE},
    {"%", 5, EXPR_MODULO},
};

static bool find_operator(const struct bases_parser *p, int level, enum expr_op *op)
{
    for (size_t i = 0; i < COUNT_OF(operators); i++) {
        if (operators[i].level != level || !is_sign(p, operators[i].sign))
            continue;
        *op = operators[i].op;
        return true;
    }
    return false;
}

static bool bases_parse_join(struct bases_parser *p, enum expr_kind kind,
                             struct expr **left, struct expr *right)
{
    struct expr *x = *left;
    if (x->kind != kind || x->at != UINT32_MAX) {
        x = expr_new(&p->m, kind, UINT32_MAX); /* more can be added to it */
        if (x == NULL || !expr_add(&p->m, x, *left))
            return false;
        *left = x;
    }
    return expr_add(&p->m, x, right);
}

static bool parse_level(struct bases_parser *p, int level, struct expr **out)
{
    if (level == LEVELS)
        return parse_unary(p, out);
    size_t at = p->t.at;
    if (!parse_level(p, level + 1, out))
        return false;
    enum expr_op op;
    while (find_operator(p, level, &op)) {
        struct expr *right;
        if (!bases_next(p) || !parse_level(p, level + 1, &right))
            return false;
        bool ok = level < 2
                      ? bases_parse_join(p, level == 0 ? EXPR_ANY : EXPR_ALL, out, right)
                      : keep(expr_binary(&p->m, op, *out, right, at), out);
        if (!ok)
            return false;
    }
    if ((*out)->at == UINT32_MAX)
        (*out)->at = (uint32_t)at;
    return true;
}

/* --- whole texts --- */

static struct bases_parser parser_of(struct arena *a, struct expr_owner *owner,
                                     const char *what, str text,
                                     const struct bases_scope *scope, struct err *err)
{
    return (struct bases_parser){
        .m = {.arena = a, .owner = owner, .what = what, .text = text, .err = err},
        .scope = scope,
        .own = {.arena = a},
        .failed_at = STR_NONE};
}

static bool bases_parse_check_text(const char *what, str text, struct err *err)
{
    if (text.n > EXPR_TEXT_MAX)
        return err_set(err, ERR_LIMIT, "%s: longer than %d bytes", what, EXPR_TEXT_MAX);
    return utf8_valid(text) ||
           err_named(err, E_INVALID_QUERY, "%s: not valid UTF-8", what);
}

static bool parse_whole(struct bases_parser *p, struct expr **out)
{
    struct expr *x;
    if (!bases_parse_check_text(p->m.what, p->m.text, p->m.err) || !bases_next(p) ||
        !parse_level(p, 0, &x))
        return false;
    if (p->t.kind != BASES_END)
        return expr_fail(&p->m, p->t.at, "an operator or the end");
    if (x->kind != EXPR_LAMBDA)
        x->n_vars = (uint16_t)p->most_bound;
    *out = x;
    return true;
}

bool bases_parse_at(struct arena *a, struct expr_owner *owner, const char *what, str text,
                    const struct bases_scope *scope, struct expr **out, size_t *at,
                    struct err *err)
{
    struct bases_parser p = parser_of(a, owner, what, text, scope, err);
    p.fields = scope->fields != NULL ? scope->fields : &p.own;
    bool ok = parse_whole(&p, out);
    *at = p.failed_at != STR_NONE ? p.failed_at : p.t.at;
    return ok;
}

bool bases_parse(struct arena *a, struct expr_owner *owner, const char *what, str text,
                 const struct bases_scope *scope, struct expr **out, struct err *err)
{
    size_t at;
    return bases_parse_at(a, owner, what, text, scope, out, &at, err);
}

/* --- columns --- */

static bool file_field_exists(str name)
{
    for (const struct file_field *f = eval_file_fields; f->name != NULL; f++)
        if (str_eq(name, str_c(f->name)))
            return true;
    return false;
}

static bool no_file_field(const char *what, str id, struct err *err)
{
    struct near_search s;
    str name = str_skip(id, 5);
    near_search(&s, name, name.n / 3 + 1);
    for (const struct file_field *f = eval_file_fields; f->name != NULL; f++)
        (void)near_offer(&s, str_c(f->name));
    return err_named(err, E_INVALID_QUERY,
                     "%s: unknown field '" STR_FMT "'; did you mean 'file." STR_FMT "'?",
                     what, STR_ARG(utf8_cut(id, SHOWN_MAX)),
                     STR_ARG(s.best.n > 0 ? s.best : STR("name")));
}

static bool file_column(struct bases_parser *p, str id, struct expr **out)
{
    str name = str_skip(id, 5);
    struct expr *file;
    if (!file_field_exists(name))
        return no_file_field(p->m.what, id, p->m.err);
    return keep(expr_new(&p->m, EXPR_FILE, 0), &file) && make_member(p, file, name, out);
}

bool bases_property(struct arena *a, const char *what, str id,
                    const struct bases_scope *scope, struct expr **out, struct err *err)
{
    struct bases_parser p = parser_of(a, NULL, what, id, scope, err);
    p.fields = scope->fields != NULL ? scope->fields : &p.own;
    if (!bases_parse_check_text(what, id, err))
        return false;
    if (str_starts(id, STR("file.")))
        return file_column(&p, id, out);
    if (str_starts(id, STR("formula.")))
        return make_formula(&p, str_skip(id, 8), 0, out);
    if (str_starts(id, STR("note.")))
        id = str_skip(id, 5);
    if (!keep(expr_new(&p.m, EXPR_FIELD, 0), out))
        return false;
    (*out)->field = field_dotted(p.fields, id);
    return true;
}
