/*
 * The notes that can match a filter, judged by the values of their properties: perhaps
 * too many, never too few. Every row is checked afterwards (select_match.c), so what is
 * not understood here only costs time.
 */
#include <math.h>

#include "base/array.h"
#include "base/utf8.h"
#include "vault/eval/select_node.h"
#include "vault/index/ids.h"
#include "vault/index/index.h"
#include "vault/index/values.h"

static const struct select_notes all_notes = {.all = true};

static struct select_notes some(struct ids ids)
{
    return (struct select_notes){.ids = ids.at, .n = ids.n};
}

/* --- several sets --- */

static int select_narrow_by_id(const void *a, const void *b)
{
    file_id x = *(const file_id *)a, y = *(const file_id *)b;
    return (x > y) - (x < y);
}

static struct select_notes either(struct arena *a, struct select_notes x,
                                  struct select_notes y)
{
    if (x.all || y.all)
        return all_notes;
    if (x.n == 0 || y.n == 0)
        return x.n == 0 ? y : x;
    size_t all = x.n + y.n, n = 0;
    file_id *ids = ARENA_ARRAY(a, file_id, all);
    memcpy(ids, x.ids, x.n * sizeof(*ids));
    memcpy(ids + x.n, y.ids, y.n * sizeof(*ids));
    qsort(ids, all, sizeof(*ids), select_narrow_by_id);
    for (size_t i = 0; i < all; i++)
        if (n == 0 || ids[i] != ids[n - 1])
            ids[n++] = ids[i];
    return (struct select_notes){.ids = ids, .n = n};
}

/* One of the two is enough: a match must be in both. */
static struct select_notes smaller(struct select_notes x, struct select_notes y)
{
    return x.all || (!y.all && y.n < x.n) ? y : x;
}

/* --- one property --- */

/* A dotted name is a member of a map, or has a dot. */
struct select_notes select_having(const struct select_plan *p,
                                  const struct select_field *f)
{
    const struct values *v = index_values(p->index);
    struct select_notes found = some(values_having(v, f->path[0]));
    if (f->n_path > 1)
        found =
            either(p->arena, found, some(values_having(v, utf8_fold(p->arena, f->name))));
    return found;
}

/* Notes whose property may equal a constant. */
static struct select_notes equal_to(const struct select_plan *p,
                                    const struct select_field *f,
                                    const struct value *want)
{
    const struct values *v = index_values(p->index);
    str name = f->path[0], text = want->type == VALUE_LINK ? want->path : want->text;
    if (want->type == VALUE_NULL)
        return all_notes;
    struct ids same = {0};
    if (want->type == VALUE_NUMBER && !isnan(want->real))
        same = values_with_number(v, name, want->real);
    else if (want->type == VALUE_BOOL)
        same = values_with_text(v, name, want->flag ? STR("true") : STR("false"));
    else if (want->type == VALUE_LINK ||
             (want->type == VALUE_TEXT && values_is_plain(text)))
        same = values_with_text(v, name, utf8_fold(p->arena, text));
    else if (want->type != VALUE_DATE)
        return select_having(p, f);
    return either(p->arena, some(same), some(values_with_other(v, name)));
}

static struct select_notes narrow_equal(const struct select_plan *p,
                                        const struct select_node *n)
{
    struct select_notes found = {0};
    bool nested = n->left.field->n_path > 1;
    for (size_t i = 0; i < n->n_rights && !found.all; i++) {
        const struct select_operand *right = &n->rights[i];
        if (right->field != NULL)
            return all_notes; /* it may be missing, too */
        struct select_notes more = nested && right->value.type != VALUE_NULL
                                       ? select_having(p, n->left.field)
                                       : equal_to(p, n->left.field, &right->value);
        found = either(p->arena, found, more);
    }
    return found;
}

/* --- tasks that are due --- */

struct due_days {
    int32_t first, last;
};

static bool is_about_due(const struct select_node *n)
{
    const struct select_field *f = n->left.field;
    return f != NULL && f->kind == SELECT_TASK_FIELD && select_task_is_due(f->task) &&
           (n->left.months | n->left.seconds) == 0;
}

/* The days that a comparison of a due date with a constant leaves, or its existence; false
 * if it is neither. */
static bool days_of(const struct select_node *n, struct due_days *out)
{
    enum { DAY = 86400 };
    const struct select_operand *right = n->n_rights == 1 ? n->rights : NULL;
    bool compares = n->op >= SELECT_EQUAL && n->op <= SELECT_GREATER_EQUAL;
    *out = (struct due_days){INT32_MIN, INT32_MAX};
    if (!is_about_due(n) || (!compares && n->op != SELECT_EXISTS))
        return false;
    if (n->op == SELECT_EXISTS)
        return true;
    if (right == NULL || right->field != NULL || right->value.type != VALUE_DATE)
        return false;
    struct date date = date_shift(right->value.date, right->months, right->seconds);
    int32_t day = (int32_t)(date_day(date).seconds / DAY);
    bool before = n->op == SELECT_LESS || n->op == SELECT_LESS_EQUAL;
    bool after = n->op == SELECT_GREATER || n->op == SELECT_GREATER_EQUAL;
    *out = (struct due_days){before ? INT32_MIN : day, after ? INT32_MAX : day};
    return true;
}

/* A property may take the place of a due date. */
static struct select_notes narrow_due(const struct select_plan *p,
                                      const struct select_node *n)
{
    const struct select_field *f = n->left.field;
    struct due_days days;
    if (!days_of(n, &days))
        return all_notes;
    struct select_notes due = some(select_tasks_due(f->tasks, days.first, days.last));
    return f->n_path > 0 ? either(p->arena, due, select_having(p, f)) : due;
}

/* All conditions must hold: n is one of them, or has several below AND (or a single one
 * below OR, which is how the parser leaves it). */
static void bound_due(const struct select_node *n, struct due_days *days, bool *others)
{
    struct due_days more;
    if (n->op == SELECT_AND || (n->op == SELECT_OR && n->child->next == NULL))
        for (const struct select_node *c = n->child; c != NULL; c = c->next)
            bound_due(c, days, others);
    if (!days_of(n, &more))
        return;
    days->first = more.first > days->first ? more.first : days->first;
    days->last = more.last < days->last ? more.last : days->last;
    *others = false;
}

struct select_due select_find_due(const struct select_plan *p)
{
    struct due_days days = {INT32_MIN, INT32_MAX};
    struct select_due out = {.others = true};
    if (p->where != NULL)
        bound_due(p->where, &days, &out.others);
    out.n = tasks_by_due(index_tasks(p->index), days.first, days.last, &out.tasks);
    return out;
}

/* --- the whole filter --- */

static struct select_notes narrow_leaf(const struct select_plan *p,
                                       const struct select_node *n)
{
    if (n->left.field != NULL && n->left.field->kind == SELECT_TASK_FIELD)
        return narrow_due(p, n);
    if (n->left.field == NULL || n->left.field->kind != SELECT_PROPERTY ||
        n->op == SELECT_EMPTY)
        return all_notes;
    return n->op == SELECT_EQUAL ? narrow_equal(p, n) : select_having(p, n->left.field);
}

static struct select_notes narrow_node(const struct select_plan *p,
                                       const struct select_node *n)
{
    if (n->op == SELECT_NOT)
        return all_notes;
    if (n->op != SELECT_AND && n->op != SELECT_OR)
        return narrow_leaf(p, n);
    struct select_notes found =
        n->op == SELECT_AND ? all_notes : (struct select_notes){0};
    for (const struct select_node *c = n->child; c != NULL; c = c->next)
        found = n->op == SELECT_AND ? smaller(found, narrow_node(p, c))
                                    : either(p->arena, found, narrow_node(p, c));
    return found;
}

struct select_notes select_narrow(const struct select_plan *p)
{
    return p->where != NULL ? narrow_node(p, p->where) : all_notes;
}
