/*
 * Rows of Markdown tables. A table is cut into lines and cells, one row is changed, and
 * the lines are written again: other rows byte for byte as they were, unless the table is
 * aligned and a column became wider. "Aligned" means that every column has one width and
 * the author cared about it: some cell is filled up with spaces, or a delimiter is longer
 * than it needs to be.
 */
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"

enum {
    COLUMNS_MAX = 200,
    NAMED_MAX = 10,  /* rows, columns or tables that a message names */
    NAME_SHOWN = 40, /* bytes of each */
};

/* A line of a table: what precedes the first cell, the cells with their spaces, and what
 * follows the last one. */
struct row {
    str lead, tail;
    str *cells;
    size_t n;
};

struct table {
    size_t start, end; /* of its lines in the text, without the last line break */
    struct row *rows;  /* the header, the delimiters, then the others */
    size_t n;
    bool aligned;
    size_t width[COLUMNS_MAX];
    size_t left[COLUMNS_MAX], right[COLUMNS_MAX]; /* spaces around each text, 0 or 1 */
};

enum { HEADER, DELIMITERS, FIRST };

static bool is_cell_end(str line, size_t at)
{
    size_t slashes = 0;
    while (slashes < at && line.p[at - slashes - 1] == '\\')
        slashes++;
    return line.p[at] == '|' && slashes % 2 == 0;
}

/* The bytes before the first cell: indentation, quote marks, the first pipe. */
static size_t lead_size(str line)
{
    size_t at = 0;
    while (at < line.n && (is_blank(line.p[at]) || line.p[at] == '>'))
        at++;
    if (at < line.n && line.p[at] == '|')
        return at + 1;
    while (at > 0 && line.p[at - 1] == ' ') /* these are part of the cell */
        at--;
    return at;
}

static struct row row_of(struct arena *a, str line)
{
    size_t at = lead_size(line), cell = at;
    struct row r = {.lead = str_slice(line, 0, at)};
    for (; at < line.n && r.n < COLUMNS_MAX; at++) {
        if (!is_cell_end(line, at))
            continue;
        *ARRAY_ADD(a, r.cells, r.n) = str_slice(line, cell, at);
        cell = at + 1;
    }
    if (str_trim(str_skip(line, cell)).n > 0 && r.n < COLUMNS_MAX) { /* no last pipe */
        *ARRAY_ADD(a, r.cells, r.n) = str_skip(line, cell);
        cell = line.n;
    } else if (cell > 0 && r.n > 0) {
        cell--;
    }
    r.tail = str_skip(line, cell);
    return r;
}

static size_t columns_of(str s)
{
    size_t columns = 0, n;
    for (size_t i = 0; i < s.n; i += n)
        columns += utf8_columns(utf8_decode(str_skip(s, i), &n));
    return columns;
}

/* The last cell of a row without a last pipe has no width. */
static bool has_width(const struct row *r, size_t i)
{
    return i + 1 < r->n || r->tail.n > 0;
}

/* The columns that text needs in a cell. */
static size_t needed(const struct table *t, size_t column, str text)
{
    return columns_of(text) + t->left[column] + t->right[column];
}

static bool is_filled(const struct table *t, const struct row *r, size_t i)
{
    size_t used = needed(t, i, str_trim(r->cells[i]));
    if (r == &t->rows[DELIMITERS])
        return used > needed(t, i, STR("---")) && used == t->width[i];
    return columns_of(r->cells[i]) > used;
}

/* A column has a space on one side if every text in it has. */
static void measure_edges(struct table *t, size_t column)
{
    t->left[column] = t->right[column] = 1;
    for (size_t k = 0; k < t->n; k++) {
        const struct row *r = &t->rows[k];
        if (k == DELIMITERS || column >= r->n || str_trim(r->cells[column]).n == 0)
            continue;
        str cell = r->cells[column];
        t->left[column] &= is_blank(cell.p[0]);
        t->right[column] &= is_blank(cell.p[cell.n - 1]);
    }
}

static void measure(struct table *t)
{
    bool filled = false;
    const struct row *header = &t->rows[HEADER];
    t->aligned = true;
    for (size_t i = 0; i < header->n; i++) {
        t->width[i] = columns_of(header->cells[i]);
        measure_edges(t, i);
    }
    for (size_t k = 0; k < t->n; k++) {
        const struct row *r = &t->rows[k];
        t->aligned &= r->n == header->n;
        for (size_t i = 0; i < r->n && t->aligned; i++) {
            if (!has_width(r, i))
                continue;
            t->aligned = columns_of(r->cells[i]) == t->width[i];
            filled |= is_filled(t, r, i);
        }
    }
    t->aligned &= filled;
}

static void table_of(struct arena *a, str text, struct span s, struct table *out)
{
    *out = (struct table){.start = edit_line_start(text, s.start)};
    size_t end = edit_line_start(text, s.end) == s.end && s.end > out->start
                     ? edit_line_before(text, s.end)
                     : s.end;
    for (size_t at = out->start, stop; at <= end && at < text.n;
         at = edit_next_line(text, stop)) {
        stop = text_find_break(text, at);
        *ARRAY_ADD(a, out->rows, out->n) = row_of(a, str_slice(text, at, stop));
        out->end = stop;
    }
    if (out->n > DELIMITERS)
        measure(out);
}

/* --- names --- */

/* A cell as people name it: without spaces around it and backslashes before pipes. */
static str cell_text(struct arena *a, str cell)
{
    struct sbuf b = SBUF_ON(a);
    cell = str_trim(cell);
    for (size_t i = 0; i < cell.n; i++)
        if (cell.p[i] != '\\' || i + 1 == cell.n || cell.p[i + 1] != '|')
            sbuf_char(&b, cell.p[i]);
    return sbuf_str(&b);
}

/* The text of a new cell: with a backslash before each pipe. */
static str cell_written(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    text = str_trim(text);
    for (size_t i = 0; i < text.n; i++) {
        if (is_cell_end(text, i))
            sbuf_char(&b, '\\');
        sbuf_char(&b, text.p[i]);
    }
    return sbuf_str(&b);
}

static bool is_named(struct arena *a, str cell, str name, bool fold)
{
    str have = cell_text(a, cell), want = cell_text(a, name);
    return fold ? str_eq(utf8_fold(a, have), utf8_fold(a, want)) : str_eq(have, want);
}

/* The column of that name; the number of columns if there is none. */
static size_t find_column(struct arena *a, const struct table *t, str name)
{
    const struct row *r = &t->rows[HEADER];
    for (int fold = 0; fold < 2; fold++)
        for (size_t i = 0; i < r->n; i++)
            if (is_named(a, r->cells[i], name, fold))
                return i;
    return r->n;
}

/* How many rows begin with key; *at is the last of them. */
static size_t find_row(struct arena *a, const struct table *t, str key, size_t *at)
{
    size_t found = 0;
    for (int fold = 0; fold < 2 && found == 0; fold++)
        for (size_t k = FIRST; k < t->n; k++) {
            if (t->rows[k].n == 0 || !is_named(a, t->rows[k].cells[0], key, fold))
                continue;
            *at = k;
            found++;
        }
    return found;
}

/* --- which table --- */

struct tables {
    struct table *items;
    size_t n;
};

static struct tables all_tables(struct edit_job *j, struct edit_range in)
{
    struct tables all = {0};
    for (uint32_t i = 0; i < j->note.n_regions; i++) {
        const struct note_region *r = &j->note.regions[i];
        struct table t;
        if (r->kind != NOTE_TABLE_REGION || r->span.start < in.start ||
            r->span.start >= in.end)
            continue;
        table_of(j->arena, j->text, r->span, &t);
        if (t.n > DELIMITERS)
            *ARRAY_ADD(j->arena, all.items, all.n) = t;
    }
    return all;
}

static bool has_columns(struct arena *a, const struct table *t, const struct edit_row *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (find_column(a, t, e->cells[i].column) == t->rows[HEADER].n)
            return false;
    return true;
}

static bool has_row(struct arena *a, const struct table *t, const struct edit_row *e)
{
    size_t at;
    return find_row(a, t, e->key, &at) > 0;
}

/* Keep the tables for which test holds, unless it holds for none. */
static void prefer_tables(struct arena *a, struct tables *all, const struct edit_row *e,
                          bool (*test)(struct arena *a, const struct table *t,
                                       const struct edit_row *e))
{
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++)
        if (test(a, &all->items[i], e))
            all->items[kept++] = all->items[i];
    if (kept > 0)
        all->n = kept;
}

static bool refuse_tables(struct edit_job *j, const struct tables *all, str section)
{
    struct sbuf b = SBUF_ON(j->arena);
    if (all->n == 0)
        return err_named(j->err, E_TEXT_NOT_FOUND, "there is no table in the %s",
                         section.n > 0 ? "section" : "note");
    for (size_t i = 0; i < all->n && i < NAMED_MAX; i++)
        sbuf_printf(&b, "%s%u", i > 0 ? ", " : "",
                    text_line_number(j->text, all->items[i].start));
    return err_named(j->err, E_TEXT_NOT_UNIQUE,
                     "there are %zu tables (lines " STR_FMT "%s): say which with section",
                     all->n, STR_ARG(sbuf_str(&b)), all->n > NAMED_MAX ? ", ..." : "");
}

static bool find_table(struct edit_job *j, const struct edit_row *e, struct table **out)
{
    struct edit_range in = {0, j->text.n};
    if (e->section.n > 0 &&
        !edit_find_section(j->arena, j->text, e->section, &in, j->err))
        return false;
    struct tables all = all_tables(j, in);
    if (all.n > 1)
        prefer_tables(j->arena, &all, e, has_columns);
    if (all.n > 1)
        prefer_tables(j->arena, &all, e, has_row);
    if (all.n != 1)
        return refuse_tables(j, &all, e->section);
    *out = &all.items[0];
    return true;
}

/* --- changing a row --- */

static str spaces(struct arena *a, size_t n)
{
    return arena_printf(a, "%*s", (int)n, "");
}

/* Whether the delimiter of a column has a colon on that side. */
static bool has_colon(const struct table *t, size_t column, bool right)
{
    const struct row *r = &t->rows[DELIMITERS];
    str s = column < r->n ? str_trim(r->cells[column]) : (str){0};
    return s.n > 0 && s.p[right ? s.n - 1 : 0] == ':';
}

/* text in a cell of that many columns, at the side where the column is aligned. */
static str padded(struct arena *a, const struct table *t, size_t column, str text,
                  size_t width)
{
    size_t used = needed(t, column, text);
    size_t free = width > used ? width - used : 0, left = 0;
    if (has_colon(t, column, true))
        left = has_colon(t, column, false) ? free / 2 : free;
    return arena_printf(a, STR_FMT STR_FMT STR_FMT,
                        STR_ARG(spaces(a, t->left[column] + left)), STR_ARG(text),
                        STR_ARG(spaces(a, t->right[column] + free - left)));
}

/* A longer delimiter, with its colons. */
static str stretched(struct arena *a, str cell, size_t more)
{
    struct sbuf b = SBUF_ON(a);
    size_t at = str_find_char(cell, '-');
    sbuf_add(&b, str_slice(cell, 0, at));
    for (size_t i = 0; i < more; i++)
        sbuf_char(&b, '-');
    sbuf_add(&b, str_skip(cell, at));
    return sbuf_str(&b);
}

static void widen_column(struct arena *a, struct table *t, size_t column, size_t width)
{
    for (size_t k = 0; k < t->n; k++) {
        struct row *r = &t->rows[k];
        if (column >= r->n || !has_width(r, column))
            continue;
        str *cell = &r->cells[column];
        *cell = k == DELIMITERS ? stretched(a, *cell, width - t->width[column])
                                : padded(a, t, column, str_trim(*cell), width);
    }
    t->width[column] = width;
}

static void set_cell(struct arena *a, struct table *t, struct row *r, size_t column,
                     str text)
{
    size_t need = needed(t, column, text);
    bool sized = t->aligned && has_width(r, column);
    if (sized && need > t->width[column])
        widen_column(a, t, column, need);
    r->cells[column] = padded(a, t, column, text, sized ? t->width[column] : 0);
}

/* Whether a row sums up those above it: its first cell is bold, or says so. */
static bool is_sum(struct arena *a, const struct row *r)
{
    static const str words[] = {STR("sum"), STR("total"), STR("totals")};
    str first = r->n > 0 ? cell_text(a, r->cells[0]) : STR("");
    bool bold = str_starts(first, STR("**")) && str_ends(first, STR("**"));
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq_nocase(first, words[i]))
            return true;
    return bold && first.n > 4;
}

/* An empty row after the last one that is not a sum. */
static struct row *add_row(struct arena *a, struct table *t)
{
    const struct row *like = &t->rows[t->n > FIRST ? t->n - 1 : HEADER];
    struct row made = {like->lead, like->tail, ARENA_ARRAY(a, str, t->rows[HEADER].n),
                       t->rows[HEADER].n};
    for (size_t i = 0; i < made.n; i++)
        made.cells[i] = padded(a, t, i, (str){0}, t->aligned ? t->width[i] : 0);
    size_t at = t->n;
    while (at > FIRST + 1 && is_sum(a, &t->rows[at - 1]))
        at--;
    (void)ARRAY_ADD(a, t->rows, t->n);
    memmove(&t->rows[at + 1], &t->rows[at], (t->n - 1 - at) * sizeof(*t->rows));
    t->rows[at] = made;
    return &t->rows[at];
}

/* A row may have fewer cells than the header. */
static void complete_row(struct arena *a, const struct table *t, struct row *r)
{
    if (r->n >= t->rows[HEADER].n)
        return;
    if (r->tail.n == 0)
        r->tail = STR("|");
    while (r->n < t->rows[HEADER].n)
        *ARRAY_ADD(a, r->cells, r->n) = padded(a, t, r->n, (str){0}, 0);
}

static bool refuse_column(struct edit_job *j, const struct table *t, str name)
{
    struct sbuf b = SBUF_ON(j->arena);
    const struct row *r = &t->rows[HEADER];
    for (size_t i = 0; i < r->n && i < NAMED_MAX; i++)
        sbuf_printf(&b, "%s\"" STR_FMT "\"", i > 0 ? ", " : "",
                    STR_ARG(utf8_cut(cell_text(j->arena, r->cells[i]), NAME_SHOWN)));
    return err_named(j->err, E_INVALID_ARGUMENT,
                     "the table has no column \"" STR_FMT "\"; it has " STR_FMT,
                     STR_ARG(utf8_cut(name, NAME_SHOWN)), STR_ARG(sbuf_str(&b)));
}

static bool check_cells(struct edit_job *j, const struct table *t,
                        const struct edit_row *e)
{
    for (size_t i = 0; i < e->n; i++) {
        if (find_column(j->arena, t, e->cells[i].column) == t->rows[HEADER].n)
            return refuse_column(j, t, e->cells[i].column);
        if (str_find_char(e->cells[i].text, '\n') != STR_NONE)
            return err_named(j->err, E_INVALID_ARGUMENT,
                             "a cell is one line: write <br> for a line break");
    }
    return true;
}

static bool refuse_row(struct edit_job *j, const struct table *t, str key)
{
    struct sbuf b = SBUF_ON(j->arena);
    for (size_t k = FIRST; k < t->n && k < FIRST + NAMED_MAX; k++)
        sbuf_printf(&b, "%s\"" STR_FMT "\"", k > FIRST ? ", " : "",
                    STR_ARG(t->rows[k].n == 0
                                ? (str){0}
                                : utf8_cut(cell_text(j->arena, t->rows[k].cells[0]),
                                           NAME_SHOWN)));
    return err_named(
        j->err, E_TEXT_NOT_FOUND,
        "the table at line %u has no row \"" STR_FMT "\"; it has " STR_FMT "%s",
        text_line_number(j->text, t->start), STR_ARG(utf8_cut(key, NAME_SHOWN)),
        STR_ARG(sbuf_str(&b)), t->n > FIRST + NAMED_MAX ? ", ..." : "");
}

static bool write_table(struct edit_job *j, const struct table *t)
{
    struct sbuf b = SBUF_ON(j->arena);
    for (size_t k = 0; k < t->n; k++) {
        if (k > 0)
            sbuf_add(&b, j->eol);
        sbuf_add(&b, t->rows[k].lead);
        for (size_t i = 0; i < t->rows[k].n; i++) {
            if (i > 0)
                sbuf_char(&b, '|');
            sbuf_add(&b, t->rows[k].cells[i]);
        }
        sbuf_add(&b, t->rows[k].tail);
    }
    return edit_splice(j, t->start, t->end, (str){0}, sbuf_str(&b), (str){0});
}

static bool change_row(struct edit_job *j, struct table *t, const struct edit_row *e)
{
    struct arena *a = j->arena;
    size_t at = 0, found = find_row(a, t, e->key, &at);
    if (found > 1)
        return err_named(j->err, E_TEXT_NOT_UNIQUE,
                         "%zu rows of the table at line %u begin with \"" STR_FMT "\"",
                         found, text_line_number(j->text, t->start),
                         STR_ARG(utf8_cut(e->key, NAME_SHOWN)));
    if (e->n == 0) {
        if (found == 0)
            return refuse_row(j, t, e->key);
        memmove(&t->rows[at], &t->rows[at + 1], (t->n - at - 1) * sizeof(*t->rows));
        t->n--;
        return write_table(j, t);
    }
    struct row *r = found > 0 ? &t->rows[at] : add_row(a, t);
    complete_row(a, t, r);
    if (found == 0)
        set_cell(a, t, r, 0, cell_written(a, e->key));
    for (size_t i = 0; i < e->n; i++)
        set_cell(a, t, r, find_column(a, t, e->cells[i].column),
                 cell_written(a, e->cells[i].text));
    return write_table(j, t);
}

bool edit_row(struct arena *a, str text, const struct edit_row *e,
              struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    struct table *t;
    if (!edit_start(&j, e->key) || !find_table(&j, e, &t) || !check_cells(&j, t, e))
        return false;
    out->target =
        arena_printf(a, "the table at line %u", text_line_number(text, t->start));
    return change_row(&j, t, e);
}
