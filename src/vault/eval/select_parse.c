/*
 * The grammar, by descent:
 *
 *     or    = and {OR and}           and  = not {AND not}
 *     not   = NOT not | "(" or ")" | call | left [tail]
 *     tail  = sign right | [NOT] word-operator right | [NOT] IN list | EXISTS | IS ...
 *     left  = field | value, moved by durations; right is the same, but a word is text
 */
#include "base/array.h"
#include "base/utf8.h"
#include "vault/eval/select_parser.h"
#include "vault/text/regex.h"

static bool parse_or(struct select_parser *p, struct select_node **out);

/* --- nodes --- */

static struct select_node *select_parse_make(struct select_parser *p, enum select_op op)
{
    struct select_node *n = ARENA_NEW(p->plan->arena, struct select_node);
    n->op = op;
    return n;
}

static struct select_node *negate(struct select_parser *p, struct select_node *child)
{
    struct select_node *n = select_parse_make(p, SELECT_NOT);
    n->child = child;
    return n;
}

static bool leaf(struct select_parser *p, enum select_op op,
                 const struct select_operand *left, struct select_node **out)
{
    if (++p->terms > SELECT_TERMS_MAX)
        return err_set(p->err, ERR_LIMIT, "where: more than %d comparisons",
                       SELECT_TERMS_MAX);
    *out = select_parse_make(p, op);
    (*out)->left = *left;
    return true;
}

static void add_right(struct select_parser *p, struct select_node *n,
                      const struct select_operand *right)
{
    *ARRAY_ADD(p->plan->arena, n->rights, n->n_rights) = *right;
}

static enum select_op mirrored(enum select_op op)
{
    switch (op) {
    case SELECT_LESS:
        return SELECT_GREATER;
    case SELECT_LESS_EQUAL:
        return SELECT_GREATER_EQUAL;
    case SELECT_GREATER:
        return SELECT_LESS;
    case SELECT_GREATER_EQUAL:
        return SELECT_LESS_EQUAL;
    default:
        return op;
    }
}

/* The field goes to the left: 5 < rating becomes rating > 5. */
static void turn_round(struct select_node *n)
{
    bool turns = n->op >= SELECT_EQUAL && n->op <= SELECT_GREATER_EQUAL;
    if (!turns || n->n_rights != 1 || n->left.field != NULL || n->rights[0].field == NULL)
        return;
    struct select_operand left = n->left;
    n->left = n->rights[0];
    n->rights[0] = left;
    n->op = mirrored(n->op);
}

static bool compile_regex(struct select_parser *p, struct select_node *n, str pattern,
                          size_t at)
{
    struct select_plan *plan = p->plan;
    struct err why = {0};
    if (!regex_compile(pattern, 0, &n->regex, &why))
        return err_caused(p->err, &why, E_INVALID_QUERY,
                          "where: the regular expression at byte %zu: %s", at, why.msg);
    plan->regexes[plan->n_regexes++] = n->regex; /* at most one per term, so it fits */
    return true;
}

/* --- operators --- */

static const struct {
    const char *name;
    enum select_op op;
    bool negated;
} operators[] = {
    {"=", SELECT_EQUAL},
    {"==", SELECT_EQUAL},
    {"!=", SELECT_EQUAL, true},
    {"<>", SELECT_EQUAL, true},
    {"<", SELECT_LESS},
    {"<=", SELECT_LESS_EQUAL},
    {">", SELECT_GREATER},
    {">=", SELECT_GREATER_EQUAL},
    {"contains", SELECT_CONTAINS},
    {"includes", SELECT_CONTAINS},
    {"startswith", SELECT_STARTS},
    {"endswith", SELECT_ENDS},
    {"matches", SELECT_MATCHES},
    {"exists", SELECT_EXISTS},
    {"empty", SELECT_EMPTY},
    {"isempty", SELECT_EMPTY},
    {"hastag", SELECT_EQUAL},
    {"haslink", SELECT_EQUAL},
    {"hasproperty", SELECT_EXISTS},
    {"infolder", SELECT_BELOW},
};

static bool find_operator(str name, enum select_op *op, bool *negated)
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

/* One right operand of n, prepared for its operator. */
static bool parse_right(struct select_parser *p, struct select_node *n)
{
    struct select_token t = p->token;
    struct select_operand right;
    if (n->op == SELECT_MATCHES) {
        if (t.kind != SELECT_QUOTED && t.kind != SELECT_WORD)
            return select_fail_next(p, "a regular expression in quotes");
        return compile_regex(p, n, t.text, t.at) && select_next(p);
    }
    bool needs_field = n->left.field == NULL; /* 10 > count */
    if (!select_parse_operand(p, needs_field, &right))
        return false;
    if (n->op == SELECT_BELOW) {
        str folder = right.value.text;
        while (str_ends(folder, STR("/")))
            folder.n--;
        right.value.text = folder;
    }
    add_right(p, n, &right);
    return true;
}

static bool parse_list(struct select_parser *p, const char *close, struct select_node *n)
{
    do {
        if (!select_next(p) || !parse_right(p, n))
            return false;
    } while (select_is_sign(p, ","));
    return select_expect(p, close, "',' or the closing bracket of the list");
}

/* a in (x, y); "x" in field. */
static bool parse_in(struct select_parser *p, const struct select_operand *left,
                     struct select_node **out)
{
    if (!select_next(p) || !leaf(p, SELECT_EQUAL, left, out))
        return false;
    if (select_is_sign(p, "("))
        return parse_list(p, ")", *out);
    if (select_is_sign(p, "["))
        return parse_list(p, "]", *out);
    struct select_operand list;
    size_t at = p->token.at;
    if (!select_parse_operand(p, true, &list))
        return false;
    if (list.field == NULL)
        return select_fail(SELECT_WHERE, p->text, at, "a list (a, b) or a field", p->err);
    struct select_operand item = *left;
    if (item.quoted.n > 0) {
        select_field_drop(p->plan, item.field);
        item = select_constant_text(p, item.quoted);
    }
    (*out)->left = list;
    add_right(p, *out, &item);
    return true;
}

/* IS [NOT] EMPTY, NULL or MISSING; a value otherwise: status is active. */
static bool parse_is(struct select_parser *p, const struct select_operand *left,
                     struct select_node **out)
{
    if (!select_next(p))
        return false;
    bool negated = select_is_word(p, "not");
    if (negated && !select_next(p))
        return false;
    if (select_is_word(p, "empty")) {
        if (!leaf(p, SELECT_EMPTY, left, out) || !select_next(p))
            return false;
    } else if (select_is_word(p, "missing")) {
        if (!leaf(p, SELECT_EXISTS, left, out) || !select_next(p))
            return false;
        negated = !negated;
    } else if (!leaf(p, SELECT_EQUAL, left, out) || !parse_right(p, *out)) {
        return false;
    }
    if (negated)
        *out = negate(p, *out);
    return true;
}

static bool parse_compare(struct select_parser *p, enum select_op op,
                          const struct select_operand *left, struct select_node **out)
{
    if (!select_next(p) || !leaf(p, op, left, out))
        return false;
    if (op == SELECT_EXISTS)
        return true;
    if (!parse_right(p, *out))
        return false;
    turn_round(*out);
    return true;
}

/* What follows left, without NOT. */
static bool parse_tail(struct select_parser *p, const struct select_operand *left,
                       struct select_node **out)
{
    enum select_op op;
    bool negated;
    if (select_is_word(p, "in"))
        return parse_in(p, left, out);
    if (select_is_word(p, "is"))
        return parse_is(p, left, out);
    bool is_operator = p->token.kind == SELECT_SIGN || p->token.kind == SELECT_WORD;
    if (!is_operator || !find_operator(p->token.text, &op, &negated) ||
        op == SELECT_BELOW || op == SELECT_EMPTY)
        return select_fail_next(p,
                                "an operator such as = or contains, AND, OR, or the end");
    if (!parse_compare(p, op, left, out))
        return false;
    if (negated)
        *out = negate(p, *out);
    return true;
}

/* The comparison ends here. */
static bool is_over(const struct select_parser *p)
{
    return p->token.kind == SELECT_END || select_is_sign(p, ")") ||
           select_is_sign(p, "&&") || select_is_sign(p, "||") ||
           select_is_word(p, "and") || select_is_word(p, "or");
}

static bool parse_comparison(struct select_parser *p, struct select_node **out)
{
    struct select_operand left;
    if (!select_parse_operand(p, true, &left))
        return false;
    if (is_over(p))
        return leaf(p, SELECT_TRUE, &left, out);
    bool negated = select_is_word(p, "not") || select_is_sign(p, "!");
    if (negated && !select_next(p))
        return false;
    if (!parse_tail(p, &left, out))
        return false;
    if (negated)
        *out = negate(p, *out);
    return true;
}

/* --- calls --- */

/* The remaining arguments, if the operator takes any. */
static bool parse_arguments(struct select_parser *p, struct select_node *n)
{
    if (n->op == SELECT_EXISTS || n->op == SELECT_EMPTY)
        return select_expect(p, ")", "')'");
    while (parse_right(p, n)) {
        if (!select_is_sign(p, ","))
            return select_expect(p, ")", "',' or ')'");
        if (n->op == SELECT_MATCHES)
            return select_fail_next(p, "')'");
        if (!select_next(p))
            return false;
    }
    return false;
}

/* contains(field, x), exists(field): the token is the one after the bracket. */
static bool parse_function(struct select_parser *p, enum select_op op,
                           struct select_node **out)
{
    struct select_operand left;
    if (!select_parse_operand(p, true, &left) || !leaf(p, op, &left, out))
        return false;
    bool alone = op == SELECT_EXISTS || op == SELECT_EMPTY;
    return (alone || select_expect(p, ",", "','")) && parse_arguments(p, *out);
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
                         enum select_op op, struct select_node **out)
{
    struct select_operand left = {0};
    const char *of_file = field_of_method(method);
    if (str_eq_nocase(method, STR("hasproperty"))) {
        if (p->token.kind != SELECT_QUOTED && p->token.kind != SELECT_WORD)
            return select_fail_next(p, "the name of a property");
        left.field = select_field_property(p->plan, p->token.text);
        return select_next(p) && leaf(p, op, &left, out) && parse_arguments(p, *out);
    }
    str name = of_file != NULL ? str_c(of_file) : object;
    return select_field_make(p->plan, SELECT_WHERE, name, at, &left.field, p->err) &&
           leaf(p, op, &left, out) && parse_arguments(p, *out);
}

/* A call that is true or false; *is_one is false if it is something else. */
static bool parse_call(struct select_parser *p, bool *is_one, struct select_node **out)
{
    str word = p->token.text;
    size_t at = p->token.at, dot = str_find_last(word, '.');
    str method = dot == STR_NONE ? word : str_skip(word, dot + 1);
    enum select_op op;
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

static bool parse_not(struct select_parser *p, struct select_node **out)
{
    bool is_one;
    if (select_is_word(p, "not") || select_is_sign(p, "!")) {
        if (!select_deeper(p) || !select_next(p) || !parse_not(p, out))
            return false;
        p->depth--;
        *out = negate(p, *out);
        return true;
    }
    if (select_is_sign(p, "(")) {
        if (!select_deeper(p) || !select_next(p) || !parse_or(p, out))
            return false;
        p->depth--;
        return select_expect(p, ")", "AND, OR or ')'");
    }
    if (!parse_call(p, &is_one, out))
        return false;
    return is_one || parse_comparison(p, out);
}

static bool parse_and(struct select_parser *p, struct select_node **out)
{
    struct select_node *list = select_parse_make(p, SELECT_AND), **last = &list->child;
    for (;;) {
        if (!parse_not(p, last))
            return false;
        last = &(*last)->next;
        if (!select_is_word(p, "and") && !select_is_sign(p, "&&"))
            break;
        if (!select_next(p))
            return false;
    }
    *out = list;
    return true;
}

static bool parse_or(struct select_parser *p, struct select_node **out)
{
    struct select_node *list = select_parse_make(p, SELECT_OR), **last = &list->child;
    for (;;) {
        if (!parse_and(p, last))
            return false;
        last = &(*last)->next;
        if (!select_is_word(p, "or") && !select_is_sign(p, "||"))
            break;
        if (!select_next(p))
            return false;
    }
    *out = list;
    return true;
}

/* --- whole texts --- */

static bool check_text(const char *what, str text, struct err *err)
{
    if (text.n > SELECT_WHERE_MAX)
        return err_set(err, ERR_LIMIT, "%s: longer than %d bytes", what,
                       SELECT_WHERE_MAX);
    return utf8_valid(text) ||
           err_named(err, E_INVALID_QUERY, "%s: not valid UTF-8", what);
}

bool select_parse_where(struct select_plan *plan, str text, struct err *err)
{
    struct select_parser p = {.plan = plan, .text = text, .err = err};
    if (!check_text(SELECT_WHERE, text, err) || !select_next(&p))
        return false;
    if (p.token.kind == SELECT_END)
        return true;
    if (!parse_or(&p, &plan->where))
        return false;
    return p.token.kind == SELECT_END ||
           select_fail_next(&p, "AND, OR or the end (text with spaces needs quotes)");
}

bool select_parse_field(struct select_plan *plan, const char *what, str text,
                        const struct select_field **out, struct err *err)
{
    struct select_token t;
    struct err ignored;
    text = str_trim_line(text);
    if (!check_text(what, text, err))
        return false;
    if (text.n == 0)
        return select_fail(what, text, 0, "the name of a field", err);
    bool one = select_lex(plan, what, text, 0, &t, &ignored) && t.end == text.n;
    if (one && t.kind == SELECT_WORD)
        return select_field_make(plan, what, text, 0, out, err);
    *out = select_field_property(plan, one && t.kind == SELECT_QUOTED ? t.text : text);
    return true;
}
