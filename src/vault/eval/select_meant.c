/* What people mean by comparing fields of tasks: a status by any of its names, and a
 * priority by its importance. */
#include "vault/eval/expr.h"
#include "vault/eval/select_parser.h"
#include "vault/eval/task_field.h"
#include "vault/eval/value.h"
#include "vault/forms/task.h"

/* task.status = todo: by the name, type or symbol of the status. */
static void mean_status(struct select_query *q, struct expr *left)
{
    struct field *f = ARENA_NEW(q->arena, struct field);
    *f = *left->field;
    f->kind = FIELD_TASK_STATUSES;
    f->tasks = &q->fields.tasks;
    left->field = f;
}

static struct expr *priority_literal(struct select_query *q, const struct expr *at,
                                     const char *name)
{
    struct expr *x = ARENA_NEW(q->arena, struct expr);
    *x = *at;
    x->value = value_text(str_c(name));
    return x;
}

static bool is_more_important(enum expr_op op, int priority, int than)
{
    switch (op) {
    case EXPR_GREATER:
        return priority < than;
    case EXPR_GREATER_EQUAL:
        return priority <= than;
    case EXPR_LESS:
        return priority > than;
    default:
        return priority >= than;
    }
}

/* A priority; *is_one is false if it is something else, which a property of the note may
 * equal but task.priority cannot. */
static bool read_priority(const struct expr *x, size_t i, enum task_priority *out,
                          bool *is_one, struct err *err)
{
    const struct expr *right = x->kids[i];
    struct err why;
    bool text = right->kind == EXPR_LITERAL && right->value.type == VALUE_TEXT;
    *is_one = text && task_priority_parse(right->value.text, out, &why);
    if (*is_one || !text || x->kids[0]->field->n_path > 0)
        return true;
    return err_named(err, E_INVALID_QUERY, SELECT_WHERE ": at byte %u: %s", right->at,
                     why.msg);
}

static bool check_priorities(const struct expr *x, struct err *err)
{
    enum task_priority ignored;
    bool is_one;
    for (size_t i = 1; i < x->n; i++)
        if (!read_priority(x, i, &ignored, &is_one, err))
            return false;
    return true;
}

/* task.priority >= high: one of high and highest, which come first in their order. */
static bool mean_priority(struct select_query *q, struct expr *x, struct err *err)
{
    struct expr *left = x->kids[0], *right = x->kids[1];
    enum task_priority than;
    bool is_one;
    if (!read_priority(x, 1, &than, &is_one, err))
        return false;
    if (!is_one)
        return true;
    x->kids = ARENA_ARRAY(q->arena, struct expr *, 2 + TASK_LOWEST);
    x->kids[0] = left;
    x->n = 1;
    for (int i = TASK_HIGHEST; i <= TASK_LOWEST; i++)
        if (is_more_important(x->op, i, than))
            x->kids[x->n++] = priority_literal(q, right, task_priorities[i]);
    x->op = EXPR_EQUAL;
    return true;
}

bool select_mean(struct select_query *q, struct expr *x, struct err *err)
{
    for (size_t i = 0; i < x->n; i++)
        if (!select_mean(q, x->kids[i], err))
            return false;
    if (x->kind != EXPR_BINARY || x->kids[0]->kind != EXPR_FIELD)
        return true;
    const struct field *f = x->kids[0]->field;
    if (x->op == EXPR_EQUAL && f->kind == FIELD_TASK_STATUS)
        mean_status(q, x->kids[0]);
    bool ordered = x->op >= EXPR_LESS && x->op <= EXPR_GREATER_EQUAL && x->n == 2;
    if (f->kind != FIELD_TASK_FIELD || !task_field_is_priority(f->task))
        return true;
    if (ordered)
        return mean_priority(q, x, err);
    return x->op != EXPR_EQUAL || check_priorities(x, err);
}
