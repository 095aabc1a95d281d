/* A table in plain text. */
#include "app/answers/model_text.h"
#include "app/answers/queried.h"
#include "app/answers/tabled_parts.h"
#include "vault/forms/base_file.h"

/* "impact Sum 8, effort Average (none)" */
static void tabled_text_summaries(struct model_text *s, const struct tabled *t,
                                  const struct value *values)
{
    const struct base_members *all = &t->base.view->summaries;
    for (size_t i = 0; values != NULL && i < all->n; i++) {
        str value = tabled_cell(t->arena, &values[i]);
        sbuf_printf(s->out, "%s" STR_FMT " " STR_FMT " " STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(base_display_name(&t->base.base, all->items[i].name)),
                    STR_ARG(all->items[i].value.text),
                    STR_ARG(value.n > 0 ? value : STR("(none)")));
    }
}

void tabled_text_group(struct model_text *s, const struct tabled *t, size_t i)
{
    const struct plan_group *g = tabled_group_at(t, i);
    if (g == NULL)
        return;
    str key = tabled_cell(t->arena, &g->key);
    sbuf_printf(s->out, "# " STR_FMT " (%zu)%s", STR_ARG(key.n > 0 ? key : STR("None")),
                g->n, g->summaries != NULL && t->base.view->summaries.n > 0 ? ": " : "");
    tabled_text_summaries(s, t, g->summaries);
    sbuf_char(s->out, '\n');
}

static void tabled_text_row(struct model_text *s, const void *result, size_t i)
{
    const struct tabled *t = result;
    tabled_text_group(s, t, i);
    mt_line(s, t->rows[i].row.file->path);
    for (size_t k = 0; k < t->table.n_columns; k++)
        if (!tabled_in_path(t, k))
            sbuf_printf(s->out, " | " STR_FMT,
                        STR_ARG(tabled_cell(t->arena, &t->rows[i].cells[k])));
    sbuf_char(s->out, '\n');
}

/* Which view of which base, the other views, and how many rows there are. */
static void tabled_text_title(struct model_text *s, const struct tabled *t)
{
    const struct base *b = &t->base.base;
    size_t total = t->table.found.total;
    if (t->base.file != NULL)
        sbuf_printf(s->out, STR_FMT, STR_ARG(t->base.file->path));
    if (t->base.bases > 1)
        sbuf_printf(s->out, ", base %zu of %zu", t->base.number, t->base.bases);
    sbuf_printf(s->out, "%sview ", t->base.file != NULL ? ", " : "");
    mt_line(s, t->base.view->name);
    for (size_t i = 0, n = 0; i < b->n_views; i++) {
        if (&b->views[i] == t->base.view)
            continue;
        sbuf_add(s->out, n++ == 0 ? STR(" (others: ") : STR(", "));
        mt_line(s, b->views[i].name);
    }
    sbuf_add(s->out, b->n_views > 1 ? STR("): ") : STR(": "));
    if (t->table.shown < total)
        sbuf_printf(s->out, "%zu of ", t->table.shown);
    queried_count(s, t->table.found.limit, total, "file", "files");
    sbuf_char(s->out, '\n');
}

static void tabled_text_columns(struct model_text *s, const struct tabled *t)
{
    size_t shown = 0;
    for (size_t k = 0; k < t->table.n_columns && t->n > 0; k++) {
        if (tabled_in_path(t, k))
            continue;
        sbuf_add(s->out, shown++ == 0 ? STR("path | ") : STR(" | "));
        mt_line(s, t->table.columns[k].name);
    }
    if (shown > 0)
        sbuf_char(s->out, '\n');
}

void tabled_text_problems(struct model_text *s, const struct tabled *t)
{
    const struct plan_result *f = &t->table.found;
    if (f->errors > 0)
        mt_note(s, arena_printf(t->arena,
                                "a filter could not be evaluated for %zu of the files, "
                                "which are left out: " STR_FMT,
                                f->errors, STR_ARG(f->first_error)));
    for (size_t i = 0; i < t->table.n_warnings; i++)
        mt_note(s, t->table.warnings[i]);
    queried_limit_text(s, f->limit);
}

void tabled_text_totals(struct model_text *s, const struct tabled *t)
{
    if (t->base.view->summaries.n == 0)
        return;
    sbuf_add(s->out, STR("= "));
    tabled_text_summaries(s, t, t->table.found.summaries);
    sbuf_char(s->out, '\n');
}

void tabled_text(struct model_text *s, const void *result)
{
    const struct tabled *t = result;
    tabled_text_title(s, t);
    tabled_text_columns(s, t);
    size_t shown = mt_items(s, t, t->n, tabled_text_row);
    tabled_text_totals(s, t);
    mt_next(s, t->offset + shown, t->table.shown);
    tabled_text_problems(s, t);
}
