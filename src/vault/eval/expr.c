#include "vault/eval/expr.h"

#include "base/array.h"
#include "base/utf8.h"
#include "vault/text/regex.h"

void expr_release(struct expr_owner *o)
{
    for (size_t i = 0; i < o->n_regexes; i++)
        regex_free(o->regexes[i]);
    o->n_regexes = 0;
}

bool expr_own(struct expr_owner *o, struct regex *r, struct err *err)
{
    if (o->n_regexes == EXPR_REGEX_MAX) {
        regex_free(r);
        return err_set(err, ERR_LIMIT, "more than %d regular expressions",
                       EXPR_REGEX_MAX);
    }
    o->regexes[o->n_regexes++] = r;
    return true;
}

enum expr_op expr_mirrored(enum expr_op op)
{
    switch (op) {
    case EXPR_LESS:
        return EXPR_GREATER;
    case EXPR_LESS_EQUAL:
        return EXPR_GREATER_EQUAL;
    case EXPR_GREATER:
        return EXPR_LESS;
    case EXPR_GREATER_EQUAL:
        return EXPR_LESS_EQUAL;
    default:
        return op;
    }
}

bool expr_has(const struct expr *x, enum expr_kind kind)
{
    bool found = x->kind == kind;
    for (size_t i = 0; i < x->n && !found; i++)
        found = expr_has(x->kids[i], kind);
    return found;
}

/* --- making --- */

struct expr *expr_new(struct expr_maker *m, enum expr_kind kind, size_t at)
{
    unsigned most = m->nodes_max > 0 ? m->nodes_max : EXPR_NODES_MAX;
    if (++m->nodes > most) {
        err_set(m->err, ERR_LIMIT, "%s: more than %u parts", m->what, most);
        return NULL;
    }
    struct expr *x = ARENA_NEW(m->arena, struct expr);
    x->kind = kind;
    x->at = (uint32_t)at;
    x->height = 1;
    return x;
}

struct expr *expr_literal(struct expr_maker *m, struct value v, size_t at)
{
    struct expr *x = expr_new(m, EXPR_LITERAL, at);
    if (x != NULL)
        x->value = v;
    return x;
}

bool expr_add(struct expr_maker *m, struct expr *x, struct expr *kid)
{
    if (kid->height >= EXPR_HEIGHT_MAX)
        return err_set(m->err, ERR_LIMIT,
                       "%s: more than %d operators in a row, as in a + b + c", m->what,
                       EXPR_HEIGHT_MAX);
    if (kid->height >= x->height)
        x->height = (uint16_t)(kid->height + 1);
    *ARRAY_ADD(m->arena, x->kids, x->n) = kid;
    return true;
}

struct expr *expr_unary(struct expr_maker *m, enum expr_op op, struct expr *kid,
                        size_t at)
{
    struct expr *x = expr_new(m, EXPR_UNARY, at);
    if (x == NULL || !expr_add(m, x, kid))
        return NULL;
    x->op = op;
    return x;
}

struct expr *expr_binary(struct expr_maker *m, enum expr_op op, struct expr *left,
                         struct expr *right, size_t at)
{
    struct expr *x = expr_new(m, EXPR_BINARY, at);
    if (x == NULL || !expr_add(m, x, left) || !expr_add(m, x, right))
        return NULL;
    x->op = op;
    return x;
}

bool expr_deeper(struct expr_maker *m)
{
    return ++m->depth <= EXPR_DEPTH_MAX ||
           err_set(m->err, ERR_LIMIT, "%s: nested deeper than %d levels", m->what,
                   EXPR_DEPTH_MAX);
}

bool expr_fail(const struct expr_maker *m, size_t at, const char *expected)
{
    enum { SHOWN_MAX = 24 };
    str rest = str_trim_line(str_skip(m->text, at));
    size_t space = str_find_char(rest, ' ');
    rest = utf8_cut(rest, space < SHOWN_MAX ? space : SHOWN_MAX);
    if (rest.n == 0)
        return err_named(m->err, E_INVALID_QUERY,
                         "%s: expected %s at byte %zu, found the end", m->what, expected,
                         at);
    return err_named(m->err, E_INVALID_QUERY,
                     "%s: expected %s at byte %zu, found '" STR_FMT "'", m->what,
                     expected, at, STR_ARG(rest));
}
