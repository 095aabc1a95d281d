/*
 * Expressions of DQL: operators, from the weakest to the strongest, and what follows a
 * field. All operators are left-associative; `and` and `or` are equally strong, as in
 * Dataview.
 */
#include "base/near.h"
#include "base/utf8.h"
#include "vault/dql/dql_parser.h"
#include "vault/eval/expr.h"

struct expr *dql_with(struct dql_parser *p, struct expr *x, struct expr *kid)
{
    return x != NULL && kid != NULL && expr_add(&p->make, x, kid) ? x : NULL;
}

/* --- what follows an atom --- */

/* file.x is known before there are rows, so a wrong name is an error. */
static bool dql_is_file_field(struct dql_parser *p, str name)
{
    struct near_search s;
    near_search(&s, name, name.n / 3 + 1);
    for (const struct file_field *f = dialect_dql.file_fields; f->name != NULL; f++) {
        if (str_eq(name, str_c(f->name)))
            return true;
        (void)near_offer(&s, str_c(f->name));
    }
    return err_named(p->make.err, E_INVALID_QUERY,
                     "%s: 'file." STR_FMT "' at byte %zu is not supported%s" STR_FMT "%s",
                     p->make.what, STR_ARG(utf8_cut(name, 60)), p->at,
                     s.best.n > 0 ? "; did you mean 'file." : "", STR_ARG(s.best),
                     s.best.n > 0 ? "'?" : "");
}

/* Whether members of it are properties of notes: this, row, and the rows of a group. */
static bool dql_has_properties(const struct dql_parser *p, const struct expr *of)
{
    return of->kind == EXPR_THIS || of->kind == EXPR_NOTE ||
           (p->grouped && of->kind == EXPR_NAME && str_eq_nocase(of->text, STR("rows")));
}

/* this["odd name"]: if the key is a text. */
static void dql_use_key(struct dql_parser *p, const struct expr *of,
                        const struct expr *key)
{
    size_t at = p->at;
    str name;
    if (!dql_has_properties(p, of) || key->kind != EXPR_LITERAL ||
        key->value.type != VALUE_TEXT || p->make.text.p[key->at] != '"')
        return;
    p->at = key->at;
    if (dql_quoted(p, &name))
        dql_use(p, USE_PROPERTY, key->at, p->at, name);
    p->at = at;
}

static struct expr *dql_member(struct dql_parser *p, struct expr *of, size_t at)
{
    str name = dql_word(p);
    if (name.n == 0) {
        (void)dql_fail(p, "the name of a field");
        return NULL;
    }
    if (of->kind == EXPR_FILE && !dql_is_file_field(p, name))
        return NULL;
    if (dql_has_properties(p, of) && !str_eq_nocase(name, STR("file")))
        dql_use(p, USE_PROPERTY, p->at, p->at + name.n, name);
    p->at += name.n;
    struct expr *x = expr_new(&p->make, EXPR_MEMBER, at);
    if (x != NULL)
        x->text = name;
    return dql_with(p, x, of);
}

static struct expr *dql_index(struct dql_parser *p, struct expr *of, size_t at)
{
    if (!expr_deeper(&p->make))
        return NULL;
    struct expr *key = dql_expr(p);
    p->make.depth--;
    if (key == NULL)
        return NULL;
    dql_use_key(p, of, key);
    if (!dql_take_sign(p, "]")) {
        (void)dql_fail(p, "]");
        return NULL;
    }
    return dql_with(p, dql_with(p, expr_new(&p->make, EXPR_INDEX, at), of), key);
}

/* row.x and row["odd name"] are fields like any other. */
static struct expr *dql_of_row(struct dql_parser *p, struct expr *x)
{
    bool of_row = x != NULL && x->n > 0 && x->kids[0]->kind == EXPR_NOTE;
    if (of_row && x->kind == EXPR_MEMBER)
        return dql_named(p, x->text, x->at);
    if (of_row && x->kind == EXPR_INDEX && x->kids[1]->kind == EXPR_LITERAL &&
        x->kids[1]->value.type == VALUE_TEXT)
        return dql_named(p, x->kids[1]->value.text, x->at);
    return x;
}

struct expr *dql_field(struct dql_parser *p)
{
    (void)dql_look(p);
    size_t at = p->at;
    struct expr *x = dql_atom(p);
    while (x != NULL) {
        char c = p->at < p->make.text.n ? p->make.text.p[p->at] : '\0';
        if (c != '.' && c != '[')
            break;
        p->at++;
        x = c == '.' ? dql_member(p, x, at) : dql_index(p, x, at);
        x = dql_of_row(p, x);
    }
    return x;
}

/* --- operators --- */

struct dql_operator {
    const char *sign; /* longer ones before those they begin with */
    enum expr_op op;
};

static const struct dql_operator products[] = {
    {"*", EXPR_MULTIPLY}, {"/", EXPR_DIVIDE}, {"%", EXPR_MODULO}, {NULL, 0}};
static const struct dql_operator sums[] = {
    {"+", EXPR_ADD}, {"-", EXPR_SUBTRACT}, {NULL, 0}};
static const struct dql_operator comparisons[] = {{"!=", EXPR_NOT_EQUAL},
                                                  {"<=", EXPR_LESS_EQUAL},
                                                  {">=", EXPR_GREATER_EQUAL},
                                                  {"=", EXPR_EQUAL},
                                                  {"<", EXPR_LESS},
                                                  {">", EXPR_GREATER},
                                                  {NULL, 0}};
static const struct dql_operator *const levels[] = {comparisons, sums, products};

static const struct dql_operator *dql_operator_of(struct dql_parser *p, size_t level)
{
    for (const struct dql_operator *o = levels[level]; o->sign != NULL; o++)
        if (dql_take_sign(p, o->sign))
            return o;
    return NULL;
}

/* Operands of this level, which are made of those of the next. */
static struct expr *dql_operands(struct dql_parser *p, size_t level)
{
    if (level == COUNT_OF(levels))
        return dql_field(p);
    (void)dql_look(p);
    size_t at = p->at;
    struct expr *x = dql_operands(p, level + 1);
    while (x != NULL) {
        const struct dql_operator *o = dql_operator_of(p, level);
        if (o == NULL)
            break;
        struct expr *right = dql_operands(p, level + 1);
        x = right != NULL ? expr_binary(&p->make, o->op, x, right, at) : NULL;
    }
    return x;
}

static bool dql_takes_boolean(struct dql_parser *p, enum expr_kind *kind)
{
    *kind = EXPR_ALL;
    if (dql_take_word(p, "and") || dql_take_sign(p, "&&") || dql_take_sign(p, "&"))
        return true;
    *kind = EXPR_ANY;
    return dql_take_word(p, "or") || dql_take_sign(p, "||") || dql_take_sign(p, "|");
}

/* a and b and c is one node with three kids. */
static struct expr *dql_join(struct dql_parser *p, enum expr_kind kind, struct expr *left,
                             struct expr *right, size_t at)
{
    if (left != NULL && left->kind != kind)
        left = dql_with(p, expr_new(&p->make, kind, at), left);
    return dql_with(p, left, right);
}

struct expr *dql_chain(struct dql_parser *p, struct expr *(*operand)(struct dql_parser *))
{
    enum expr_kind kind;
    (void)dql_look(p);
    size_t at = p->at;
    struct expr *x = operand(p);
    while (x != NULL && dql_takes_boolean(p, &kind))
        x = dql_join(p, kind, x, operand(p), at);
    return x;
}

static struct expr *dql_comparison(struct dql_parser *p)
{
    return dql_operands(p, 0);
}

struct expr *dql_expr(struct dql_parser *p)
{
    return dql_chain(p, dql_comparison);
}
