/* A table on a terminal. */
#include "app/answers/model_text.h"
#include "app/answers/tabled_parts.h"
#include "app/answers/term.h"
#include "app/answers/term_table.h"

struct tabled_sheet {
    size_t n;       /* columns, the path first */
    str *names;     /* of columns */
    str *cells;     /* n of the first row, n of the second, ... */
    size_t *widths; /* of columns */
};

static struct tabled_sheet tabled_sheet_of(const struct term *out, const struct tabled *t)
{
    struct arena *a = out->out.arena;
    size_t most = t->table.n_columns + 1;
    struct tabled_sheet s = {.n = 1,
                             .names = ARENA_ARRAY(a, str, most),
                             .cells = ARENA_ARRAY(a, str, size_mul(t->n, most)),
                             .widths = ARENA_ARRAY(a, size_t, most)};
    s.names[0] = STR("path");
    for (size_t k = 0; k < t->table.n_columns; k++)
        if (!tabled_in_path(t, k))
            s.names[s.n++] = t->table.columns[k].name;
    for (size_t i = 0; i < t->n; i++) {
        str *cell = &s.cells[i * s.n];
        *cell++ = t->rows[i].row.file->path;
        for (size_t k = 0; k < t->table.n_columns; k++)
            if (!tabled_in_path(t, k))
                *cell++ = tabled_cell(a, &t->rows[i].cells[k]);
    }
    for (size_t i = 0; i < s.n; i++)
        term_table_widen(out, &s.widths[i], s.names[i]);
    for (size_t i = 0; i < t->n * s.n; i++)
        term_table_widen(out, &s.widths[i % s.n], s.cells[i]);
    term_table_fit(out, s.widths, s.n);
    return s;
}

/* What the plain text says at that place. */
static void tabled_term_said(struct term *t, enum term_style style,
                             const struct sbuf *said)
{
    if (said->n > 0)
        term_put(t, style, sbuf_str(said));
}

static void tabled_term_rows(struct term *t, const struct tabled *r)
{
    struct arena *a = t->out.arena;
    struct tabled_sheet sheet = tabled_sheet_of(t, r);
    if (t->width > 0 && r->n > 0)
        term_table_line(t, sheet.names, sheet.widths, sheet.n, TERM_FAINT, TERM_FAINT);
    for (size_t i = 0; i < r->n; i++) {
        struct sbuf group = SBUF_ON(a);
        struct model_text s = {.out = &group, .max = SIZE_MAX};
        tabled_text_group(&s, r, i);
        tabled_term_said(t, TERM_STRONG, &group);
        term_table_line(t, &sheet.cells[i * sheet.n], sheet.widths, sheet.n, TERM_PATH,
                        TERM_PLAIN);
    }
}

void tabled_term(struct term *t, const void *result)
{
    const struct tabled *r = result;
    tabled_term_rows(t, r);
    struct sbuf totals = SBUF_ON(t->out.arena), problems = SBUF_ON(t->out.arena);
    tabled_text_totals(&(struct model_text){.out = &totals, .max = SIZE_MAX}, r);
    tabled_text_problems(&(struct model_text){.out = &problems, .max = SIZE_MAX}, r);
    tabled_term_said(t, TERM_STRONG, &totals);
    if (r->offset + r->n < r->table.shown)
        term_printf(term_remarks(t), TERM_FAINT,
                    "%zu of %zu; continue with --offset %zu\n", r->n, r->table.shown,
                    r->offset + r->n);
    term_text(t->notes, sbuf_str(&problems));
}
