#include "vault/eval/base.h"

#include "base/array.h"
#include "base/utf8.h"
#include "vault/eval/bases_parse.h"
#include "vault/eval/dialect.h"
#include "vault/eval/eval.h"
#include "vault/eval/expr.h"
#include "vault/eval/field.h"
#include "vault/eval/plan.h"
#include "vault/eval/unknown_fields.h"
#include "vault/eval/value.h"
#include "vault/forms/base_file.h"
#include "vault/index/file.h"

enum {
    BASE_NAME_SHOWN = 60,
    BASE_NODES_MAX = 1 << 20, /* more than the filters of a base can have */
};

/* A base whose expressions are parsed. */
struct base_code {
    struct arena *arena;
    const struct base *base;
    struct expr_owner owner;
    struct bases_scope scope;
    struct field_list fields; /* properties that the view itself names */
    struct eval_formula *formulas;
    struct expr **folded;    /* the same expressions, which are folded before they run */
    struct expr **summaries; /* as in base */
    struct expr *filter;     /* of the base and the view that is run; or NULL */
    struct expr_maker maker; /* for nodes that join expressions */
    str *warnings;           /* about what the view names */
    size_t n_warnings;
    struct err *err;
};

/* --- parsing --- */

static str base_what(struct base_code *c, const char *kind, str name)
{
    name = utf8_cut(name, BASE_NAME_SHOWN);
    return arena_printf(c->arena, "%s%s" STR_FMT, kind, name.n > 0 ? " " : "",
                        STR_ARG(name));
}

/* Parse one text of the base; an empty formula is null. */
static bool base_parse_text(struct base_code *c, const struct base_text *text, str what,
                            bool summary, struct expr **out)
{
    struct bases_scope scope = c->scope;
    struct err why;
    size_t at = 0;
    scope.summary = summary;
    if (str_trim_line(text->text).n == 0) {
        *out = expr_literal(&c->maker, value_null(), 0);
        return *out != NULL;
    }
    return bases_parse_at(c->arena, &c->owner, what.p, text->text, &scope, out, &at,
                          &why) ||
           base_fail_at(c->base, text, at, why.code, why.msg, c->err);
}

static bool base_parse_members(struct base_code *c)
{
    const struct base *b = c->base;
    str *names = ARENA_ARRAY(c->arena, str, b->formulas.n);
    for (size_t i = 0; i < b->formulas.n; i++)
        names[i] = b->formulas.items[i].name;
    c->scope.formulas = names;
    c->scope.n_formulas = b->formulas.n;
    c->formulas = ARENA_ARRAY(c->arena, struct eval_formula, b->formulas.n);
    c->folded = ARENA_ARRAY(c->arena, struct expr *, b->formulas.n);
    c->summaries = ARENA_ARRAY(c->arena, struct expr *, b->summaries.n);
    for (size_t i = 0; i < b->formulas.n; i++) {
        if (!base_parse_text(c, &b->formulas.items[i].value,
                             base_what(c, "formula", names[i]), false, &c->folded[i]))
            return false;
        c->formulas[i] = (struct eval_formula){names[i], c->folded[i]};
    }
    for (size_t i = 0; i < b->summaries.n; i++)
        if (!base_parse_text(c, &b->summaries.items[i].value,
                             base_what(c, "summary", b->summaries.items[i].name), true,
                             &c->summaries[i]))
            return false;
    return true;
}

/* A filter as one expression. */
static bool base_parse_filter(struct base_code *c, const struct base_filter *f, str view,
                              struct expr **out)
{
    if (f->kind == BASE_FILTER)
        return base_parse_text(
            c, &f->expression,
            base_what(c, view.n > 0 ? "filter of view" : "filter", view), false, out);
    struct expr *group =
        expr_new(&c->maker, f->kind == BASE_AND ? EXPR_ALL : EXPR_ANY, 0);
    if (group != NULL)
        group->apart = true;
    for (const struct base_filter *k = f->child; k != NULL && group != NULL;
         k = k->next) {
        struct expr *kid;
        if (!base_parse_filter(c, k, view, &kid) || !expr_add(&c->maker, group, kid))
            return false;
    }
    *out = group == NULL || f->kind != BASE_NOT
               ? group
               : expr_unary(&c->maker, EXPR_NOT, group, 0);
    return *out != NULL;
}

/* Formulas and summaries of the base, which filters may use. */
static bool base_code_open(struct base_code *c, struct arena *a, const struct base *b,
                           bool strict, struct err *err)
{
    *c = (struct base_code){.arena = a, .base = b, .fields = {.arena = a}, .err = err};
    c->scope.strict = strict;
    c->maker = (struct expr_maker){.arena = a,
                                   .owner = &c->owner,
                                   .what = "filters",
                                   .nodes_max = BASE_NODES_MAX,
                                   .err = err};
    return base_parse_members(c);
}

static bool base_parse_all(struct base_code *c)
{
    const struct base *b = c->base;
    struct expr *ignored;
    if (b->filter != NULL && !base_parse_filter(c, b->filter, STR(""), &ignored))
        return false;
    for (size_t i = 0; i < b->n_views; i++)
        if (b->views[i].filter != NULL &&
            !base_parse_filter(c, b->views[i].filter, b->views[i].name, &ignored))
            return false;
    return true;
}

/* --- checking --- */

static bool base_check_id(struct base_code *c, const char *kind, str view,
                          const struct base_text *id)
{
    struct expr *ignored;
    struct err why;
    if (id->text.n == 0 || bases_property(c->arena, base_what(c, kind, view).p, id->text,
                                          &c->scope, &ignored, &why))
        return true;
    return base_fail_at(c->base, id, 0, why.code, why.msg, c->err);
}

/* The summary of that name that the base has: its number, or STR_NONE. */
static size_t base_own_summary(const struct base *b, str name)
{
    for (size_t i = 0; i < b->summaries.n; i++)
        if (str_eq(b->summaries.items[i].name, name))
            return i;
    return STR_NONE;
}

#define BASE_NO_SUMMARY                                                                  \
    "no summary '" STR_FMT "': use one of the base, or Average, Sum, Min, Max, Range, "  \
    "Median, Stddev, Earliest, Latest, Checked, Unchecked, Empty, Filled, Unique"

static bool base_check_summary(struct base_code *c, const struct base_member *m)
{
    enum plan_summary_kind kind;
    str name = m->value.text;
    if (base_own_summary(c->base, name) != STR_NONE || plan_summary_named(name, &kind))
        return true;
    str why =
        arena_printf(c->arena, BASE_NO_SUMMARY, STR_ARG(utf8_cut(name, BASE_NAME_SHOWN)));
    return base_fail_at(c->base, &m->value, 0, ERR_INVALID, why.p, c->err);
}

static bool base_check_view(struct base_code *c, const struct base_view *v)
{
    for (size_t i = 0; i < v->n_columns; i++)
        if (!base_check_id(c, "order of view", v->name, &v->columns[i]))
            return false;
    for (size_t i = 0; i < v->n_order; i++)
        if (!base_check_id(c, "sort of view", v->name, &v->order[i].property))
            return false;
    for (size_t i = 0; i < v->summaries.n; i++) {
        const struct base_member *m = &v->summaries.items[i];
        struct base_text id = {m->name, m->value.raw};
        if (!base_check_id(c, "summaries of view", v->name, &id) ||
            !base_check_summary(c, m))
            return false;
    }
    return base_check_id(c, "groupBy of view", v->name, &v->group.property);
}

bool base_check(struct arena *a, const struct base *b, struct err *err)
{
    struct base_code c;
    bool ok = base_code_open(&c, a, b, true, err) && base_parse_all(&c);
    for (size_t i = 0; ok && i < b->n_views; i++)
        ok = base_check_view(&c, &b->views[i]);
    expr_release(&c.owner);
    return ok;
}

/* --- the plan of a view --- */

/* Once, however often it is used. */
static void base_warn(struct base_code *c, str warning)
{
    for (size_t i = 0; i < c->n_warnings; i++)
        if (str_eq(c->warnings[i], warning))
            return;
    *ARRAY_ADD(c->arena, c->warnings, c->n_warnings) = warning;
}

/* The expression for a property id; if there is no such property, one that is an error. */
static struct expr *base_property_expr(struct base_code *c, str id)
{
    struct expr *out;
    struct err why;
    if (bases_property(c->arena, "property", id, &c->scope, &out, &why))
        return out;
    base_warn(c, arena_str(c->arena, str_c(why.msg)));
    return expr_literal(&c->maker, value_error(c->arena, "%s", why.msg), 0);
}

/* Both filters as one expression. */
static bool base_join_filters(struct base_code *c, const struct base_view *v)
{
    struct expr *all = NULL, *view = NULL;
    c->scope.fields = &c->fields;
    if ((c->base->filter != NULL &&
         !base_parse_filter(c, c->base->filter, STR(""), &all)) ||
        (v->filter != NULL && !base_parse_filter(c, v->filter, v->name, &view)))
        return false;
    c->filter = all != NULL ? all : view;
    if (all == NULL || view == NULL)
        return true;
    c->filter = expr_new(&c->maker, EXPR_ALL, 0);
    return c->filter != NULL && expr_add(&c->maker, c->filter, all) &&
           expr_add(&c->maker, c->filter, view);
}

static struct plan_key *base_sort_keys(struct base_code *c, const struct base_query *q)
{
    const struct base_view *v = q->view;
    struct plan_key *keys = ARENA_ARRAY(c->arena, struct plan_key, v->n_order);
    for (size_t i = 0; i < v->n_order; i++) {
        str name;
        bool note = base_property(v->order[i].property.text, &name) == BASE_NOTE;
        keys[i] = (struct plan_key){
            .expr = base_property_expr(c, v->order[i].property.text),
            .descending = v->order[i].descending,
            .checkbox = note && q->property_type != NULL &&
                        str_eq(q->property_type(q->type_arg, name), STR("checkbox")),
        };
    }
    return keys;
}

/* Filter, sort, limit, group; returns how many steps. */
static size_t base_steps(struct base_code *c, const struct base_query *q,
                         struct plan_step *steps)
{
    const struct base_view *v = q->view;
    size_t n = 0;
    if (c->filter != NULL)
        steps[n++] = (struct plan_step){.op = PLAN_FILTER, .expr = c->filter};
    if (v->n_order > 0)
        steps[n++] = (struct plan_step){
            .op = PLAN_SORT, .keys = base_sort_keys(c, q), .n = v->n_order};
    if (v->limit > 0)
        steps[n++] = (struct plan_step){.op = PLAN_LIMIT, .n = v->limit};
    if (v->group.property.text.n > 0)
        steps[n++] =
            (struct plan_step){.op = PLAN_GROUP,
                               .expr = base_property_expr(c, v->group.property.text),
                               .descending = v->group.descending};
    return n;
}

/* The base's own summaries come before those of the same name that Obsidian has. */
static struct plan_summary base_summary(struct base_code *c, const struct base_member *m)
{
    const struct base *b = c->base;
    str name = m->value.text;
    struct plan_summary s = {.of = base_property_expr(c, m->name), .kind = PLAN_CUSTOM};
    size_t own = base_own_summary(b, name);
    if (own != STR_NONE)
        s.expr = c->summaries[own];
    else if (!plan_summary_named(name, &s.kind))
        s.expr = expr_literal(&c->maker,
                              value_error(c->arena, BASE_NO_SUMMARY,
                                          STR_ARG(utf8_cut(name, BASE_NAME_SHOWN))),
                              0);
    return s;
}

static void base_columns(struct base_code *c, const struct base_view *v,
                         struct plan *plan, struct base_table *out)
{
    const struct expr **columns =
        ARENA_ARRAY(c->arena, const struct expr *, v->n_columns);
    struct plan_summary *summaries =
        ARENA_ARRAY(c->arena, struct plan_summary, v->summaries.n);
    out->columns = ARENA_ARRAY(c->arena, struct base_column, v->n_columns);
    out->n_columns = plan->n_columns = v->n_columns;
    plan->n_summaries = v->summaries.n;
    for (size_t i = 0; i < v->n_columns; i++) {
        str id = v->columns[i].text;
        columns[i] = base_property_expr(c, id);
        out->columns[i] = (struct base_column){id, base_display_name(c->base, id)};
    }
    for (size_t i = 0; i < v->summaries.n; i++)
        summaries[i] = base_summary(c, &v->summaries.items[i]);
    plan->columns = columns;
    plan->summaries = summaries;
}

/* --- running --- */

/* Names and values that no note has: perhaps typing errors. */
static void base_warn_unknown(struct base_code *c, const struct index *x,
                              const struct stop *stop, struct base_table *out)
{
    struct unknown_field *unknown;
    size_t n =
        out->found.limit == NULL ? unknown_fields_find(x, &c->fields, stop, &unknown) : 0;
    for (size_t i = 0; i < n; i++)
        base_warn(
            c, arena_printf(c->arena,
                            "no note has the property '" STR_FMT "'%s" STR_FMT "%s",
                            STR_ARG(utf8_cut(unknown[i].field, BASE_NAME_SHOWN)),
                            unknown[i].n > 0 ? "; did you mean '" : "",
                            STR_ARG(unknown[i].n > 0 ? unknown[i].nearest[0] : STR("")),
                            unknown[i].n > 0 ? "'?" : ""));
    if (out->found.missing.n > 0)
        base_warn(c, out->found.missing);
}

/* `this` in a base that is in no file. */
static void base_warn_this(struct base_code *c, const struct base_query *q)
{
    bool used = c->filter != NULL && expr_has(c->filter, EXPR_THIS);
    for (size_t i = 0; i < c->base->formulas.n; i++)
        used = used || expr_has(c->folded[i], EXPR_THIS);
    if (used && q->this_file == NULL)
        base_warn(c,
                  STR("the base uses `this`, which means nothing here because it is not "
                      "in a file: pass the path of a note as this"));
}

static void base_evaluate(const struct base_code *c, const struct base_query *q,
                          const struct plan *plan, struct base_table *out)
{
    const struct file *self = q->this_file;
    struct eval e = {
        .dialect = &dialect_bases,
        .index = q->index,
        .now = q->now,
        .formulas = c->formulas,
        .n_formulas = c->base->formulas.n,
        .stop = q->stop,
        .reader = {.utc_offset = q->utc_offset,
                   .property_type = q->property_type,
                   .type_arg = q->type_arg},
    };
    if (self != NULL) {
        e.this_file = value_file(self->id, self->path);
        e.this_file.is_this = true;
    }
    eval_open(&e, c->arena);
    if (c->filter != NULL)
        eval_fold(&e, c->filter);
    for (size_t i = 0; i < e.n_formulas; i++)
        eval_fold(&e, c->folded[i]);
    plan_run(&e, plan, c->arena, &out->found);
    eval_release(&e);
}

bool base_run(struct arena *a, const struct base_query *q, struct base_table *out,
              struct err *err)
{
    struct base_code c;
    struct plan_step steps[4];
    struct plan plan = {.from = PLAN_FILES, .steps = steps, .explain = true};
    *out = (struct base_table){.offset = q->offset};
    bool ok = base_code_open(&c, a, q->base, false, err) && base_parse_all(&c) &&
              base_join_filters(&c, q->view);
    if (ok) {
        bool groups = q->view->group.property.text.n > 0;
        for (size_t i = 0; i < q->base->n_warnings; i++)
            base_warn(&c, q->base->warnings[i]);
        plan.n_steps = base_steps(&c, q, steps);
        base_columns(&c, q->view, &plan, out);
        plan.offset = groups ? 0 : q->offset;
        plan.limit = groups ? 0 : q->limit;
        base_warn_this(&c, q);
        base_evaluate(&c, q, &plan, out);
        base_warn_unknown(&c, q->index, q->stop, out);
        out->warnings = c.warnings;
        out->n_warnings = c.n_warnings;
        size_t most = q->view->limit, total = out->found.total;
        out->shown = most > 0 && most < total ? most : total;
    }
    expr_release(&c.owner);
    return ok;
}
