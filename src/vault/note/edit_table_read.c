/*
 * Tables as the scanner finds them, cut into rows and cells, and how wide they are.
 */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"
#include "vault/note/edit_table.h"
#include "vault/note/note_table.h"

static struct table_row row_of(struct arena *a, str text, struct span s)
{
    size_t start = edit_line_start(text, s.start), end = text_find_break(text, s.end);
    struct table_row r = {.lead = str_slice(text, start, s.start),
                          .eol = text_break(text, end),
                          .opens = text.p[s.start] == '|'};
    str cell, row = span_of(text, s);
    size_t at = 0;
    while (r.n <= TABLE_COLUMNS_MAX && note_next_cell(row, &at, &cell))
        *ARRAY_ADD(a, r.cells, r.n) = cell;
    r.closes = r.n > 0 && at <= row.n;
    r.rest = str_slice(text, r.closes ? s.start + at : s.end, end);
    return r;
}

str table_cell(const struct table_row *r, size_t i)
{
    return i < r->n ? str_trim(r->cells[i]) : (str){0};
}

static size_t columns_of(str s)
{
    size_t columns = 0, n;
    for (size_t i = 0; i < s.n; i += n)
        columns += utf8_columns(utf8_decode(str_skip(s, i), &n));
    return columns;
}

bool table_has_width(const struct table_row *r, size_t i)
{
    return i + 1 < r->n || r->closes;
}

/* Without a first pipe, the first column begins with the line. */
static size_t lead_width(const struct table_row *r, size_t column)
{
    return column == 0 && !r->opens ? columns_of(r->lead) : 0;
}

static size_t width_of(const struct table_row *r, size_t column)
{
    return lead_width(r, column) + columns_of(r->cells[column]);
}

size_t table_needed(const struct table *t, const struct table_row *r, size_t column,
                    str text)
{
    return lead_width(r, column) + columns_of(text) + t->columns[column].left +
           t->columns[column].right;
}

static bool is_filled(const struct table *t, const struct table_row *r, size_t i)
{
    size_t used = table_needed(t, r, i, str_trim(r->cells[i]));
    if (r == &t->rows[TABLE_DELIMITERS])
        return used > table_needed(t, r, i, STR("---")) && used == t->columns[i].width;
    return width_of(r, i) > used;
}

/* A column has a space on one side if every text in it has. */
static void measure_edges(struct table *t, const struct table_row *r)
{
    for (size_t i = 0; i < r->n && i < t->rows[TABLE_HEADER].n; i++) {
        str cell = r->cells[i];
        if (str_trim(cell).n == 0)
            continue;
        t->columns[i].left &= is_blank(cell.p[0]);
        t->columns[i].right &= is_blank(cell.p[cell.n - 1]);
    }
}

static void measure(struct table *t)
{
    bool filled = false;
    const struct table_row *header = &t->rows[TABLE_HEADER];
    t->aligned = true;
    for (size_t i = 0; i < header->n; i++)
        t->columns[i] = (struct table_column){width_of(header, i), 1, 1};
    for (size_t k = 0; k < t->n; k++)
        if (k != TABLE_DELIMITERS)
            measure_edges(t, &t->rows[k]);
    for (size_t k = 0; k < t->n; k++) {
        const struct table_row *r = &t->rows[k];
        t->aligned &= r->n == header->n;
        for (size_t i = 0; i < r->n && t->aligned; i++) {
            if (!table_has_width(r, i))
                continue;
            t->aligned = width_of(r, i) == t->columns[i].width;
            filled |= is_filled(t, r, i);
        }
    }
    t->aligned &= filled;
}

static struct table table_of(struct arena *a, str text, const struct span *rows, size_t n)
{
    struct table t = {.start = edit_line_start(text, rows[0].start),
                      .end = edit_next_line(text, rows[n - 1].end),
                      .rows = ARENA_ARRAY(a, struct table_row, n + 1), /* one to add */
                      .n = n};
    for (size_t k = 0; k < n; k++)
        t.rows[k] = row_of(a, text, rows[k]);
    t.columns = ARENA_ARRAY(a, struct table_column, t.rows[TABLE_HEADER].n);
    measure(&t);
    return t;
}

struct tables tables_of(struct arena *a, str text, struct edit_range in)
{
    struct tables all = {0};
    struct note note;
    struct note_rows rows = {0};
    note_scan_rows(a, text, &note, &rows);
    for (uint32_t i = 0, at = 0, n; i < note.n_regions; i++) {
        const struct note_region *r = &note.regions[i];
        if (r->kind != NOTE_TABLE_REGION)
            continue;
        while (at < rows.n && rows.items[at].start < r->span.start)
            at++;
        for (n = 0; at + n < rows.n && rows.items[at + n].start < r->span.end;)
            n++;
        if (r->span.start < in.start || r->span.start >= in.end || n < TABLE_FIRST)
            continue;
        struct table t = table_of(a, text, rows.items + at, n);
        if (t.rows[TABLE_HEADER].n > 0) /* a single pipe is none */
            *ARRAY_ADD(a, all.items, all.n) = t;
    }
    return all;
}

str table_line(struct arena *a, const struct table_row *r)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, r->lead);
    if (r->opens)
        sbuf_char(&b, '|');
    for (size_t i = 0; i < r->n; i++) {
        if (i > 0)
            sbuf_char(&b, '|');
        sbuf_add(&b, r->cells[i]);
    }
    if (r->closes)
        sbuf_char(&b, '|');
    sbuf_add(&b, r->rest);
    return sbuf_str(&b);
}
