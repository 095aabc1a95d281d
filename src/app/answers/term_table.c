#include "app/answers/term_table.h"

#include "base/utf8.h"

enum {
    GAP = 2,
    COLUMN_LEAST = 5,    /* columns that are not made narrower */
    COLUMN_IN_PIPE = 60, /* what is wider sticks out */
};

void term_table_widen(const struct term *t, size_t *width, str cell)
{
    size_t wanted = term_width(cell), most = t->width > 0 ? t->width : COLUMN_IN_PIPE;
    if (t->width > 0 && wanted > most)
        wanted = most;
    if (wanted <= most && wanted > *width)
        *width = wanted;
}

void term_table_fit(const struct term *t, size_t *widths, size_t n)
{
    size_t used = 0, widest = 0;
    for (size_t i = 0; i < n; i++)
        used += widths[i] + (i > 0 ? GAP : 0);
    for (; t->width > 0 && n > 0 && used > t->width; used--) {
        for (size_t i = 0; i < n; i++)
            widest = widths[i] > widths[widest] ? i : widest;
        if (widths[widest] <= COLUMN_LEAST)
            return;
        widths[widest]--;
    }
}

bool term_table_has_cell(const str *cells, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cells[i].n > 0)
            return true;
    return false;
}

static str cut_cell(const struct term *t, str cell, size_t width)
{
    size_t used = 0, end = 0;
    if (t->width == 0 || term_width(cell) <= width)
        return cell;
    for (size_t n; end < cell.n; end += n) {
        used += utf8_columns(utf8_decode(str_skip(cell, end), &n));
        if (used + 1 > width)
            break;
    }
    return arena_printf(t->out.arena, STR_FMT "…", STR_ARG(str_slice(cell, 0, end)));
}

void term_table_rest(struct term *t, const str *cells, const size_t *widths, size_t n,
                     enum term_style style)
{
    while (n > 0 && cells[n - 1].n == 0)
        n--;
    for (size_t i = 0; i < n; i++) {
        term_put(t, TERM_PLAIN, STR("  "));
        term_left(t, style, cut_cell(t, cells[i], widths[i]), i + 1 < n ? widths[i] : 0);
    }
    term_put(t, TERM_PLAIN, STR("\n"));
}

void term_table_line(struct term *t, const str *cells, const size_t *widths, size_t n,
                     enum term_style first, enum term_style others)
{
    bool more = term_table_has_cell(cells + 1, n - 1);
    term_left(t, first, cut_cell(t, cells[0], widths[0]), more ? widths[0] : 0);
    term_table_rest(t, cells + 1, widths + 1, n - 1, others);
}
