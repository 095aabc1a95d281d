/*
 * The grammar, by descent:
 *
 *     or    = and {OR and}           and  = not {AND not}
 *     not   = NOT not | "(" or ")" | call | left [tail]
 *     tail  = sign right | [NOT] word-operator right | [NOT] IN list | EXISTS | IS ...
 *     left  = field | value, moved by durations; right is the same, but a word is text
 */
#include "base/utf8.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/select_parser.h"
#include "vault/eval/value_date.h"
#include "vault/text/regex.h"

static bool parse_or(struct select_parser *p, struct expr **out);

/* --- nodes --- */

static bool negate(struct select_parser *p, struct expr **x)
{
    *x = expr_unary(&p->m, EXPR_NOT, *x, (*x)->at);
    return *x != NULL;
}

static bool is_alone(enum expr_op op)
{
    return op == EXPR_TRUE || op == EXPR_EXISTS || op == EXPR_EMPTY;
}

/* An operator with its left side; binary ones get right sides later. */
static bool leaf(struct select_parser *p, enum expr_op op,
                 const struct select_operand *left, struct expr **out)
{
    if (++p->terms > SELECT_TERMS_MAX)
        return err_set(p->m.err, ERR_LIMIT, "where: more than %d comparisons",
                       SELECT_TERMS_MAX);
    *out = expr_new(&p->m, is_alone(op) ? EXPR_UNARY : EXPR_BINARY, left->expr->at);
    if (*out == NULL)
        return false;
    (*out)->op = op;
    return expr_add(&p->m, *out, left->expr);
}

/* The field goes to the left: 5 < rating becomes rating > 5. */
static void turn_round(struct expr *x)
{
    bool turns = x->op >= EXPR_EQUAL && x->op <= EXPR_GREATER_EQUAL;
    if (!turns || x->n != 2 || x->kids[0]->kind != EXPR_LITERAL ||
        x->kids[1]->kind == EXPR_LITERAL)
        return;
    struct expr *left = x->kids[0];
    x->kids[0] = x->kids[1];
    x->kids[1] = left;
    x->op = expr_mirrored(x->op);
}

static bool add_regex(struct select_parser *p, struct expr *x, str pattern, size_t at)
{
    struct regex *regex;
    struct err why = {0};
    if (!regex_compile(pattern, 0, &regex, &why))
        return err_caused(p->m.err, &why, E_INVALID_QUERY,
                          "where: the regular expression at byte %zu: %s", at, why.msg);
    if (!expr_own(&p->query->owner, regex, p->m.err))
        return false;
    struct value v = {
        .type = VALUE_REGEXP, .regexp = regex, .text = pattern, .target = NO_FILE};
    struct expr *right = expr_literal(&p->m, v, at);
    return right != NULL && expr_add(&p->m, x, right);
}

/* --- operators --- */

static const struct {
    const char *name;
    enum expr_op op;
    bool negated;
} operators[] = {
    {"=", EXPR_EQUAL},
    {"==", EXPR_EQUAL},
    {"!=", EXPR_EQUAL, true},
    {"<>", EXPR_EQUAL, true},
    {"<", EXPR_LESS},
    {"<=", EXPR_LESS_EQUAL},
    {">", EXPR_GREATER},
    {">=", EXPR_GREATER_EQUAL},
    {"contains", EXPR_CONTAINS},
    {"includes", EXPR_CONTAINS},
    {"startswith", EXPR_STARTS},
    {"endswith", EXPR_ENDS},
    {"matches", EXPR_MATCHES},
    {"exists", EXPR_EXISTS},
    {"empty", EXPR_EMPTY},
    {"isempty", EXPR_EMPTY},
    {"hastag", EXPR_EQUAL},
    {"haslink", EXPR_EQUAL},
    {"hasproperty", EXPR_EXISTS},
    {"infolder", EXPR_BELOW},
};

static bool find_operator(str name, enum expr_op *op, bool *negated)
{
    for (size_t i = 0; i < COUNT_OF(operators); i++) {
        if (!str_eq_nocase(name, str_c(operators[i].name)))
            continue;
        *op = operators[i].op;
        *negated = operators[i].negated;
        return true;
    }
    return false;
}

/* A word after < or > that can only be meant as a date. */
static bool is_misspelt_date(const struct expr *x, const struct select_token *t)
{
    return x->op >= EXPR_LESS && x->op <= EXPR_GREATER_EQUAL && t->kind == SELECT_WORD &&
           date_word_near(t->text) != NULL;
}

static bool refuse_date(struct select_parser *p, const struct select_token *t)
{
    return err_named(p->m.err, E_INVALID_QUERY,
                     "where: '" STR_FMT "' at byte %zu is not a date; did you mean '%s'?",
                     STR_ARG(t->text), t->at, date_word_near(t->text));
}

/* One right operand of x, prepared for its operator. */
static bool parse_right(struct select_parser *p, struct expr *x)
{
    struct select_token t = p->token;
    struct select_operand right;
    if (x->op == EXPR_MATCHES) {
        if (t.kind != SELECT_QUOTED && t.kind != SELECT_WORD)
            return select_fail_next(p, "a regular expression in quotes");
        return add_regex(p, x, t.text, t.at) && select_next(p);
    }
    bool needs_field = x->kids[0]->kind == EXPR_LITERAL; /* 10 > count */
    if (!needs_field && is_misspelt_date(x, &t))
        return refuse_date(p, &t);
    if (!select_parse_operand(p, needs_field, &right))
        return false;
    if (x->op == EXPR_BELOW && !right.is_field) {
        str *folder = &right.expr->value.text;
        while (str_ends(*folder, STR("/")))
            folder->n--;
    }
    return expr_add(&p->m, x, right.expr);
}

static bool parse_list(struct select_parser *p, const char *close, struct expr *n)
{
    do {
        if (!select_next(p) || !parse_right(p, n))
            return false;
    } while (select_is_sign(p, ","));
    return select_expect(p, close, "',' or the closing bracket of the list");
}

/* a in (x, y); "x" in field. */
static bool parse_in(struct select_parser *p, const struct select_operand *left,
                     struct expr **out)
{
    if (!select_next(p))
        return false;
    bool round_list = select_is_sign(p, "("), list = round_list || select_is_sign(p, "[");
    if (list)
        return leaf(p, EXPR_EQUAL, left, out) &&
               parse_list(p, round_list ? ")" : "]", *out);
    struct select_operand of, item = *left;
    size_t at = p->token.at;
    if (!select_parse_operand(p, true, &of))
        return false;
    if (!of.is_field)
        return expr_fail(&p->m, at, "a list (a, b) or a field");
    if (item.quoted.n > 0) {
        field_drop(&p->query->fields, item.expr->field);
        if (!select_constant_text(p, item.quoted, item.expr->at, &item))
            return false;
    }
    return leaf(p, EXPR_EQUAL, &of, out) && expr_add(&p->m, *out, item.expr);
}

/* IS [NOT] EMPTY, NULL or MISSING; a value otherwise: status is active. */
static bool parse_is(struct select_parser *p, const struct select_operand *left,
                     struct expr **out)
{
    if (!select_next(p))
        return false;
    bool negated = select_is_word(p, "not");
    if (negated && !select_next(p))
        return false;
    if (select_is_word(p, "empty")) {
        if (!leaf(p, EXPR_EMPTY, left, out) || !select_next(p))
            return false;
    } else if (select_is_word(p, "missing")) {
        if (!leaf(p, EXPR_EXISTS, left, out) || !select_next(p))
            return false;
        negated = !negated;
    } else if (!leaf(p, EXPR_EQUAL, left, out) || !parse_right(p, *out)) {
        return false;
    }
    return !negated || negate(p, out);
}

static bool parse_compare(struct select_parser *p, enum expr_op op,
                          const struct select_operand *left, struct expr **out)
{
    if (!select_next(p) || !leaf(p, op, left, out))
        return false;
    if (op == EXPR_EXISTS)
        return true;
    if (!parse_right(p, *out))
        return false;
    turn_round(*out);
    return true;
}

/* What follows left, without NOT. */
static bool parse_tail(struct select_parser *p, const struct select_operand *left,
                       struct expr **out)
{
    enum expr_op op;
    bool negated;
    if (select_is_word(p, "in"))
        return parse_in(p, left, out);
    if (select_is_word(p, "is"))
        return parse_is(p, left, out);
    bool is_operator = p->token.kind == SELECT_SIGN || p->token.kind == SELECT_WORD;
    if (!is_operator || !find_operator(p->token.text, &op, &negated) ||
        op == EXPR_BELOW || op == EXPR_EMPTY)
        return select_fail_next(p,
                                "an operator such as = or contains, AND, OR, or the end");
    if (!parse_compare(p, op, left, out))
        return false;
    return !negated || negate(p, out);
}

/* The comparison ends here. */
static bool select_parse_is_over(const struct select_parser *p)
{
    return p->token.kind == SELECT_END || select_is_sign(p, ")") ||
           select_is_sign(p, "&&") || select_is_sign(p, "||") ||
           select_is_word(p, "and") || select_is_word(p, "or");
}

static bool parse_comparison(struct select_parser *p, struct expr **out)
{
    struct select_operand left;
    if (!select_parse_operand(p, true, &left))
        return false;
    if (select_parse_is_over(p))
        return leaf(p, EXPR_TRUE, &left, out);
    bool negated = select_is_word(p, "not") || select_is_sign(p, "!");
    if (negated && !select_next(p))
        return false;
    if (!parse_tail(p, &left, out))
        return false;
    return !negated || negate(p, out);
}

/* --- calls --- */

/* The remaining arguments, if the operator takes any. */
static bool parse_arguments(struct select_parser *p, struct expr *x)
{
    if (is_alone(x->op))
        return select_expect(p, ")", "')'");
    while (parse_right(p, x)) {
        if (!select_is_sign(p, ","))
            return select_expect(p, ")", "',' or ')'");
        if (x->op == EXPR_MATCHES)
            return select_fail_next(p, "')'");
        if (!select_next(p))
            return false;
    }
    return false;
}

/* contains(field, x), exists(field): the token is the one after the bracket. */
static bool parse_function(struct select_parser *p, enum expr_op op, struct expr **out)
{
    struct select_operand left;
    if (!select_parse_operand(p, true, &left) || !leaf(p, op, &left, out))
        return false;
    return (is_alone(op) || select_expect(p, ",", "','")) && parse_arguments(p, *out);
}

static const char *field_of_method(str method)
{
    if (str_eq_nocase(method, STR("hastag")))
        return "file.tags";
    if (str_eq_nocase(method, STR("haslink")))
        return "file.links";
    return str_eq_nocase(method, STR("infolder")) ? "file.folder" : NULL;
}

/* file.hasTag("a"), title.contains("x"): the token is the one after the bracket. */
static bool parse_method(struct select_parser *p, str object, str method, size_t at,
                         enum expr_op op, struct expr **out)
{
    struct select_operand left;
    const struct field *field;
    const char *of_file = field_of_method(method);
    if (str_eq_nocase(method, STR("hasproperty"))) {
        if (p->token.kind != SELECT_QUOTED && p->token.kind != SELECT_WORD)
            return select_fail_next(p, "the name of a property");
        field = field_property(&p->query->fields, p->token.text);
        return field_operand(p, field, at, &left) && select_next(p) &&
               leaf(p, op, &left, out) && parse_arguments(p, *out);
    }
    str name = of_file != NULL ? str_c(of_file) : object;
    return field_make(&p->query->fields, SELECT_WHERE, name, at, &field, p->m.err) &&
           field_operand(p, field, at, &left) && leaf(p, op, &left, out) &&
           parse_arguments(p, *out);
}

/* A call that is true or false; *is_one is false if it is something else. */
static bool parse_call(struct select_parser *p, bool *is_one, struct expr **out)
{
    str word = p->token.text;
    size_t at = p->token.at, dot = str_find_last(word, '.');
    str method = dot == STR_NONE ? word : str_skip(word, dot + 1);
    enum expr_op op;
    bool negated;
    *is_one = select_is_call(p) && find_operator(method, &op, &negated);
    if (!*is_one)
        return true;
    if (!select_open(p))
        return false;
    if (dot == STR_NONE && field_of_method(method) == NULL &&
        !str_eq_nocase(method, STR("hasproperty")))
        return parse_function(p, op, out);
    return parse_method(p, str_slice(word, 0, dot), method, at, op, out);
}

/* --- and, or, not --- */

static bool parse_not(struct select_parser *p, struct expr **out)
{
    bool is_one;
    if (select_is_word(p, "not") || select_is_sign(p, "!")) {
        if (!expr_deeper(&p->m) || !select_next(p) || !parse_not(p, out))
            return false;
        p->m.depth--;
        return negate(p, out);
    }
    if (select_is_sign(p, "(")) {
        if (!expr_deeper(&p->m) || !select_next(p) || !parse_or(p, out))
            return false;
        p->m.depth--;
        return select_expect(p, ")", "AND, OR or ')'");
    }
    if (!parse_call(p, &is_one, out))
        return false;
    return is_one || parse_comparison(p, out);
}

/* One or more of them, with words or signs between. */
static bool parse_joined(struct select_parser *p, enum expr_kind kind, struct expr **out)
{
    bool all = kind == EXPR_ALL;
    struct expr *list = expr_new(&p->m, kind, p->token.at), *kid;
    if (list == NULL)
        return false;
    for (;;) {
        if (!(all ? parse_not(p, &kid) : parse_joined(p, EXPR_ALL, &kid)) ||
            !expr_add(&p->m, list, kid))
            return false;
        if (!select_is_word(p, all ? "and" : "or") &&
            !select_is_sign(p, all ? "&&" : "||"))
            break;
        if (!select_next(p))
            return false;
    }
    *out = list->n == 1 ? kid : list;
    return true;
}

static bool parse_or(struct select_parser *p, struct expr **out)
{
    return parse_joined(p, EXPR_ANY, out);
}

/* --- whole texts --- */

static bool select_parse_check_text(const char *what, str text, struct err *err)
{
    if (text.n > SELECT_WHERE_MAX)
        return err_set(err, ERR_LIMIT, "%s: longer than %d bytes", what,
                       SELECT_WHERE_MAX);
    return utf8_valid(text) ||
           err_named(err, E_INVALID_QUERY, "%s: not valid UTF-8", what);
}

static struct select_parser parser_of(struct select_query *q, const char *what, str text,
                                      struct err *err)
{
    return (struct select_parser){
        .query = q,
        .m = {.arena = q->arena,
              .owner = &q->owner,
              .what = what,
              .text = text,
              .nodes_max = 2 * SELECT_WHERE_MAX, /* its length is the limit */
              .err = err}};
}

bool select_parse_where(struct select_query *q, str text, struct expr **out,
                        struct err *err)
{
    struct select_parser p = parser_of(q, SELECT_WHERE, text, err);
    *out = NULL;
    if (!select_parse_check_text(SELECT_WHERE, text, err) || !select_next(&p))
        return false;
    if (p.token.kind == SELECT_END)
        return true;
    if (!parse_or(&p, out))
        return false;
    if (p.token.kind != SELECT_END)
        return select_fail_next(&p, "AND, OR or the end (text with spaces needs quotes)");
    return select_mean(q, *out, err);
}

bool select_parse_field(struct select_query *q, const char *what, str text,
                        struct expr **out, struct err *err)
{
    text = str_trim_line(text);
    struct err ignored;
    struct select_parser p = parser_of(q, what, text, &ignored);
    const struct field *field;
    if (!select_parse_check_text(what, text, err))
        return false;
    bool one = text.n > 0 && select_next(&p) && p.token.end == text.n;
    p.m.err = err;
    if (text.n == 0)
        return expr_fail(&p.m, 0, "the name of a field");
    if (one && p.token.kind == SELECT_WORD) {
        if (!field_make(&q->fields, what, text, 0, &field, err))
            return false;
    } else {
        field = field_property(
            &q->fields, one && p.token.kind == SELECT_QUOTED ? p.token.text : text);
    }
    struct select_operand made;
    bool ok = field_operand(&p, field, 0, &made);
    *out = made.expr;
    return ok;
}
