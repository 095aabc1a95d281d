#include "app/answers/tabled.h"

#include "app/answers/answer.h"
#include "app/answers/model_text.h"
#include "app/answers/queried.h"
#include "app/answers/tabled_parts.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "vault/ask/base_find.h"
#include "vault/eval/base.h"
#include "vault/eval/value.h"
#include "vault/eval/value_date.h"
#include "vault/forms/base_file.h"
#include "vault/note/obsidian.h"
#include "vault/vault.h"

/* --- finding --- */

/* With groups, all rows are there, because a page may begin in any of them. */
static void tabled_page(struct tabled *t, size_t limit)
{
    const struct plan_result *f = &t->table.found;
    size_t skip = f->n_groups == 0 ? 0 : t->offset < f->n ? t->offset : f->n;
    t->rows = f->n > 0 ? f->rows + skip : NULL;
    t->n = f->n - skip;
    if (t->n > limit)
        t->n = limit;
}

static str tabled_type_of(const void *settings, str name)
{
    return obsidian_property_type(settings, name);
}

bool tabled_find(struct vault *v, const struct index *x, struct arena *a,
                 const struct base_request *request, size_t offset, size_t limit,
                 const struct stop *stop, struct tabled *out, struct err *err)
{
    int64_t now = clock_now();
    if (limit == 0 || limit > PLAN_ROWS_MAX)
        limit = PLAN_ROWS_MAX;
    *out = (struct tabled){.arena = a, .offset = offset};
    if (!base_find(x, a, request, &out->base, err))
        return false;
    const struct base_query q = {
        .index = x,
        .base = &out->base.base,
        .view = out->base.view,
        .property_type = tabled_type_of,
        .type_arg = vault_obsidian(v),
        .this_file = out->base.this_file,
        .utc_offset = clock_utc_offset(now),
        .now = date_of_clock(now, clock_utc_offset(now)),
        .stop = stop,
        .offset = offset,
        .limit = limit,
    };
    struct err why;
    if (!base_run(a, &q, &out->table, &why)) {
        str path = out->base.file != NULL ? out->base.file->path : STR("base");
        return err_caused(err, &why, E_INVALID_QUERY, STR_FMT ": %s",
                          STR_ARG(utf8_cut(path, 80)), why.msg);
    }
    tabled_page(out, limit);
    return true;
}

/* --- parts --- */

const struct plan_group *tabled_group_at(const struct tabled *t, size_t i)
{
    const struct plan_result *f = &t->table.found;
    size_t row = t->offset + i, low = 0, high = f->n_groups;
    while (low + 1 < high) {
        size_t middle = (low + high) / 2;
        if (f->groups[middle].first <= row)
            low = middle;
        else
            high = middle;
    }
    return f->n_groups > 0 && (i == 0 || f->groups[low].first == row) ? &f->groups[low]
                                                                      : NULL;
}

str tabled_cell(struct arena *a, const struct value *v)
{
    struct sbuf text = SBUF_ON(a), line = SBUF_ON(a);
    struct model_text s = {.out = &line, .max = SIZE_MAX};
    if (v->type == VALUE_ERROR)
        sbuf_add(&text, STR("error: "));
    value_print(&text, v);
    mt_line(&s, sbuf_str(&text));
    return sbuf_str(&line);
}

bool tabled_in_path(const struct tabled *t, size_t k)
{
    static const char *const fields[] = {"name", "path", "file", NULL};
    str name;
    if (base_property(t->table.columns[k].id, &name) != BASE_FILE)
        return false;
    for (const char *const *f = fields; *f != NULL; f++)
        if (str_eq(name, str_c(*f)))
            return true;
    return false;
}

/* --- JSON --- */

/* {id: {summary: value}} */
static void tabled_put_summaries(struct jsonw *w, const struct tabled *t,
                                 const struct value *values)
{
    const struct base_members *all = &t->base.view->summaries;
    if (all->n == 0 || values == NULL)
        return;
    jsonw_put_object(w, STR("summaries"));
    for (size_t i = 0; i < all->n; i++) {
        jsonw_put_object(w, all->items[i].name);
        jsonw_key(w, all->items[i].value.text);
        value_json(w, &values[i]);
        jsonw_end(w);
    }
    jsonw_end(w);
}

static void tabled_put_group(struct jsonw *w, const struct tabled *t, size_t i)
{
    const struct plan_group *g = tabled_group_at(t, i);
    if (g == NULL)
        return;
    jsonw_put_object(w, STR("group"));
    jsonw_key(w, STR("value"));
    value_json(w, &g->key);
    jsonw_put_int(w, STR("count"), (int64_t)g->n);
    tabled_put_summaries(w, t, g->summaries);
    jsonw_end(w);
}

static void tabled_put_row(struct answer_out *out, const void *result, size_t i)
{
    const struct tabled *t = result;
    jsonw_object(out->w);
    tabled_put_group(out->w, t, i);
    jsonw_put_str(out->w, STR("path"), t->rows[i].row.file->path);
    if (t->table.n_columns > 0)
        jsonw_put_object(out->w, STR("cells"));
    for (size_t k = 0; k < t->table.n_columns; k++) {
        jsonw_key(out->w, t->table.columns[k].id);
        value_json(out->w, &t->rows[i].cells[k]);
    }
    if (t->table.n_columns > 0)
        jsonw_end(out->w);
    jsonw_end(out->w);
}

static void tabled_put_head(struct answer_out *out, const struct tabled *t)
{
    const struct base *b = &t->base.base;
    if (t->base.file != NULL)
        jsonw_put_str(out->w, STR("path"), t->base.file->path);
    if (t->base.bases > 1)
        jsonw_put_int(out->w, STR("base"), (int64_t)t->base.number);
    jsonw_put_str(out->w, STR("view"), t->base.view->name);
    jsonw_put_str(out->w, STR("type"), t->base.view->type);
    jsonw_put_array(out->w, STR("views"));
    for (size_t i = 0; i < b->n_views; i++)
        jsonw_str(out->w, b->views[i].name);
    jsonw_end(out->w);
    jsonw_put_array(out->w, STR("columns"));
    for (size_t k = 0; k < t->table.n_columns; k++) {
        jsonw_object(out->w);
        jsonw_put_str(out->w, STR("id"), t->table.columns[k].id);
        jsonw_put_str(out->w, STR("name"), t->table.columns[k].name);
        jsonw_end(out->w);
    }
    jsonw_end(out->w);
}

static void tabled_put_problems(struct answer_out *out, const struct tabled *t)
{
    const struct plan_result *f = &t->table.found;
    if (f->errors > 0) {
        jsonw_put_object(out->w, STR("errors"));
        jsonw_put_int(out->w, STR("rows"), (int64_t)f->errors);
        jsonw_put_str(out->w, STR("first"), f->first_error);
        jsonw_end(out->w);
    }
    if (t->table.n_warnings > 0)
        jsonw_put_strs(out->w, STR("warnings"), t->table.warnings, t->table.n_warnings);
    queried_limit_json(out, f->limit);
}

static void tabled_json(struct answer_out *out, const void *result)
{
    const struct tabled *t = result;
    jsonw_object(out->w);
    tabled_put_head(out, t);
    jsonw_put_int(out->w, STR("total"), (int64_t)t->table.found.total);
    tabled_put_summaries(out->w, t, t->table.found.summaries);
    tabled_put_problems(out, t);
    size_t shown = answer_items(out, STR("rows"), t, t->n, tabled_put_row);
    answer_next(out, t->offset + shown, t->table.shown);
    jsonw_end(out->w);
}

const struct answer_shape tabled_shape = {"base", .json = tabled_json,
                                          .text = tabled_text, .term = tabled_term};
