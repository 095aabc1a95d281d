/*
 * Scan a changed table again and compare it with what was meant. Knows nothing of how it
 * was changed.
 */
#include "vault/note/edit_table.h"

static const struct table *table_at(const struct tables *all, size_t start)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->items[i].start == start)
            return &all->items[i];
    return NULL;
}

/* A line break is lost or added only where the note ends. */
static bool is_same_break(const struct table_row *was, const struct table_row *is)
{
    return was->eol.n == 0 || is->eol.n == 0 || str_eq(was->eol, is->eol);
}

static bool is_same_delimiter(str was, str is)
{
    return was.n > 0 && is.n > 0 && was.p[0] == is.p[0] &&
           was.p[was.n - 1] == is.p[is.n - 1];
}

static bool is_same_row(struct arena *a, const struct table_row *was,
                        const struct table_row *is, bool aligned, bool delimiters)
{
    if (!is_same_break(was, is) || was->n != is->n)
        return false;
    if (!aligned)
        return str_eq(table_line(a, was), table_line(a, is));
    for (size_t i = 0; i < was->n; i++) {
        str old = table_cell(was, i), now = table_cell(is, i);
        if (delimiters ? !is_same_delimiter(old, now) : !str_eq(old, now))
            return false;
    }
    return true;
}

/* The cells that the row must have; *n: how many. */
static str *wanted_cells(struct arena *a, const struct table *was,
                         const struct edit_row *e, const struct table_change *c,
                         size_t *n)
{
    const struct table_row *old = c->added ? NULL : &was->rows[c->at];
    *n = was->rows[TABLE_HEADER].n;
    if (old != NULL && old->n > *n)
        *n = old->n;
    str *cells = ARENA_ARRAY(a, str, *n);
    for (size_t i = 0; i < *n; i++)
        cells[i] = old != NULL ? table_cell(old, i) : (str){0};
    if (old == NULL)
        cells[0] = table_written(a, e->key);
    for (size_t i = 0; i < e->n; i++)
        cells[c->columns[i]] = table_written(a, e->cells[i].text);
    return cells;
}

static bool has_wanted_cells(struct arena *a, const struct table *was,
                             const struct table_row *is, const struct edit_row *e,
                             const struct table_change *c)
{
    size_t n;
    str *cells = wanted_cells(a, was, e, c, &n);
    for (size_t i = 0; i < n; i++)
        if (!str_eq(table_cell(is, i), cells[i]))
            return false;
    return is->n <= n && (c->added || is_same_break(&was->rows[c->at], is));
}

bool table_is_as_meant(const struct edit_job *j, const struct edit_row *e,
                       const struct table_change *c)
{
    struct arena *a = j->arena;
    struct tables before = tables_of(a, j->text, (struct edit_range){0, j->text.n});
    struct tables after =
        tables_of(a, j->out->text, (struct edit_range){0, j->out->text.n});
    const struct table *was = table_at(&before, c->start),
                       *is = table_at(&after, c->start);
    if (is == NULL || before.n != after.n || is->n + c->removed != was->n + c->added)
        return false;
    for (size_t k = 0; k < is->n; k++) {
        size_t old = k + (c->removed && k >= c->at) - (c->added && k > c->at);
        bool same = k == c->at && !c->removed
                        ? has_wanted_cells(a, was, &is->rows[k], e, c)
                        : is_same_row(a, &was->rows[old], &is->rows[k], was->aligned,
                                      k == TABLE_DELIMITERS);
        if (!same)
            return false;
    }
    return true;
}
