#include "vault/dql/dql.h"
#include "vault/eval/eval.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/plan.h"
#include "vault/eval/unknown_fields.h"
#include "vault/eval/value.h"

static struct value_reader dql_reader(const struct dql_request *w, struct arena *a)
{
    return (struct value_reader){
        .arena = a,
        .names = w->index->names,
        .source = w->this_file != NULL ? w->this_file->path : (str){0},
        .source_id = w->this_file != NULL ? w->this_file->id : NO_FILE,
        .utc_offset = w->utc_offset,
        .dialect = &dialect_dql,
    };
}

/* Trees are shared by nothing else before they run. */
static void dql_fold(struct eval *e, const struct plan *p)
{
    for (size_t i = 0; i < p->n_steps; i++) {
        const struct plan_step *s = &p->steps[i];
        if (s->expr != NULL)
            eval_fold(e, (struct expr *)s->expr);
        for (size_t k = 0; s->op == PLAN_SORT && k < s->n; k++)
            eval_fold(e, (struct expr *)s->keys[k].expr);
    }
    for (size_t i = 0; i < p->n_columns; i++)
        eval_fold(e, (struct expr *)p->columns[i]);
}

/* A query that fails for every row is a mistake in the query. */
static bool dql_has_sense(const struct plan_result *found, struct err *err)
{
    return found->errors == 0 || found->left > 0 ||
           err_named(err, E_INVALID_QUERY, "query: no row could be evaluated: " STR_FMT,
                     STR_ARG(found->first_error));
}

bool dql_run(struct arena *a, const struct dql_request *w, struct dql *query,
             struct plan_result *found, struct err *err)
{
    struct expr_owner owner = {0};
    struct value_reader reader = dql_reader(w, a);
    struct eval e = {
        .dialect = &dialect_dql,
        .index = w->index,
        .now = w->now,
        .stop = w->stop,
        .reader = reader,
        .this_file = value_null(),
    };
    if (w->this_file != NULL) {
        e.this_file = value_file(w->this_file->id, w->this_file->path);
        e.this_file.is_this = true;
    }
    bool ok = dql_parse(a, &owner, &reader, w->now, w->text, query, err);
    if (ok) {
        query->plan.offset = w->offset;
        query->plan.limit = w->limit;
        query->plan.explain = true;
        eval_open(&e, a);
        dql_fold(&e, &query->plan);
        plan_run(&e, &query->plan, a, found);
        eval_release(&e);
        ok = dql_has_sense(found, err);
        if (ok && found->limit == NULL)
            query->n_unknown =
                unknown_fields_find(w->index, query->fields, w->stop, &query->unknown);
    }
    expr_release(&owner);
    return ok;
}

const struct value *dql_row_name(const struct row *row, str name)
{
    for (const struct row_name *n = row->names; n != NULL; n = n->next)
        if (str_eq(n->name, name))
            return &n->value;
    return NULL;
}
