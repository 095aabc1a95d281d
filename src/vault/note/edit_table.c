/*
 * Rows of Markdown tables. The scanner finds the rows and cells of a table, one row is
 * changed, and the lines are written again: other rows byte for byte as they were, unless
 * the table is aligned and a column became wider. "Aligned" means that every column has
 * one width and the author cared about it: some cell is filled up with spaces, or a
 * delimiter is longer than it needs to be.
 *
 * edit_table_read.c reads tables. The new text is scanned, too: if its table is not the one
 * that was meant, the edit is refused (edit_table_check.c).
 */
#include "vault/note/edit_table.h"
#include "base/array.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/edit_parts.h"

enum {
    NAMED_MAX = 10,  /* rows, columns or tables that a message names */
    NAME_SHOWN = 40, /* bytes of each */
};

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

/* A backslash before each pipe that has none, and after one at the end of the text, which
 * would make the next pipe a part of the cell. */
str table_written(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    bool escaped = false; /* the next character is */
    text = str_trim(text);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '|' && !escaped)
            sbuf_char(&b, '\\');
        sbuf_char(&b, text.p[i]);
        escaped = text.p[i] == '\\' && !escaped;
    }
    if (escaped)
        sbuf_char(&b, '\\');
    return sbuf_str(&b);
}

static str name_of(struct arena *a, str text, bool fold)
{
    str name = table_written(a, text);
    return fold ? utf8_fold(a, name) : name;
}

/* How many of the names are that one; *at is the last of them. Case counts if it helps. */
static size_t find_name(struct arena *a, const str *names, size_t n, str name, size_t *at)
{
    size_t found = 0;
    for (int fold = 0; fold < 2 && found == 0; fold++) {
        str want = name_of(a, name, fold);
        for (size_t i = 0; i < n; i++) {
            if (!str_eq(name_of(a, names[i], fold), want))
                continue;
            *at = i;
            found++;
        }
    }
    return found;
}

static size_t find_column(struct arena *a, const struct table *t, str name, size_t *at)
{
    const struct table_row *r = &t->rows[TABLE_HEADER];
    return find_name(a, r->cells, r->n, name, at);
}

static size_t find_row(struct arena *a, const struct table *t, str key, size_t *at)
{
    str *names = ARENA_ARRAY(a, str, t->n);
    for (size_t k = TABLE_FIRST; k < t->n; k++)
        names[k] = table_cell(&t->rows[k], 0);
    size_t found = find_name(a, names + TABLE_FIRST, t->n - TABLE_FIRST, key, at);
    *at += TABLE_FIRST;
    return found;
}

/* --- which table --- */

static bool has_columns(struct arena *a, const struct table *t, const struct edit_row *e)
{
    size_t at;
    for (size_t i = 0; i < e->n; i++)
        if (find_column(a, t, e->cells[i].column, &at) == 0)
            return false;
    return true;
}

static bool has_row(struct arena *a, const struct table *t, const struct edit_row *e)
{
    size_t at = 0;
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
    struct tables all = tables_of(j->arena, j->text, in);
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
    str s = table_cell(&t->rows[TABLE_DELIMITERS], column);
    return s.n > 0 && s.p[right ? s.n - 1 : 0] == ':';
}

/* text in a cell of that width, at the side where the column is aligned. */
static str edit_table_padded(struct arena *a, const struct table *t,
                             const struct table_row *r, size_t column, str text,
                             size_t width)
{
    size_t used = table_needed(t, r, column, text);
    size_t free = width > used ? width - used : 0, left = 0;
    if (has_colon(t, column, true))
        left = has_colon(t, column, false) ? free / 2 : free;
    return arena_printf(a, STR_FMT STR_FMT STR_FMT,
                        STR_ARG(spaces(a, t->columns[column].left + left)), STR_ARG(text),
                        STR_ARG(spaces(a, t->columns[column].right + free - left)));
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
        struct table_row *r = &t->rows[k];
        if (column >= r->n || !table_has_width(r, column))
            continue;
        str *cell = &r->cells[column];
        *cell = k == TABLE_DELIMITERS
                    ? stretched(a, *cell, width - t->columns[column].width)
                    : edit_table_padded(a, t, r, column, str_trim(*cell), width);
    }
    t->columns[column].width = width;
}

static bool set_cell(struct edit_job *j, struct table *t, struct table_row *r,
                     size_t column, str text)
{
    r->closes |= column + 1 == r->n && text.n == 0;
    size_t need = table_needed(t, r, column, text);
    bool sized = t->aligned && table_has_width(r, column);
    if (sized && need > t->columns[column].width) {
        t->added += (need - t->columns[column].width) * t->n;
        if (t->added > EDIT_TEXT_MAX)
            return err_set(j->err, ERR_LIMIT, "the note would have more than %d bytes",
                           EDIT_TEXT_MAX);
        widen_column(j->arena, t, column, need);
    }
    r->cells[column] = edit_table_padded(j->arena, t, r, column, text,
                                         sized ? t->columns[column].width : 0);
    return true;
}

/* Whether a row with that first cell may sum up those above it. */
static bool is_sum(struct arena *a, str cell)
{
    static const str words[] = {STR("sum"), STR("total"), STR("totals")};
    str first = cell_text(a, cell);
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_eq_nocase(first, words[i]))
            return true;
    return str_starts(first, STR("**")) && str_ends(first, STR("**")) && first.n > 4;
}

/* Where a row is added: at the end, or above the only row that looks like a sum. */
static size_t place_for(struct arena *a, const struct table *t, str key)
{
    size_t last = t->n - 1, sums = 0;
    for (size_t k = TABLE_FIRST; k < t->n; k++)
        sums += is_sum(a, table_cell(&t->rows[k], 0));
    bool sum = sums == 1 && last > TABLE_FIRST && !is_sum(a, key) &&
               is_sum(a, table_cell(&t->rows[last], 0));
    return sum ? last : t->n;
}

static void add_row(struct arena *a, struct table *t, size_t at)
{
    struct table_row *above = &t->rows[at - 1], *header = &t->rows[TABLE_HEADER];
    const struct table_row *like =
        at > TABLE_FIRST && above->n == header->n ? above : header;
    struct table_row made = {.lead = above->lead,
                             .eol = above->eol,
                             .opens = like->opens,
                             .closes = like->closes,
                             .cells = ARENA_ARRAY(a, str, header->n),
                             .n = header->n};
    if (above->eol.n == 0) /* the last line of the note */
        above->eol = header->eol;
    for (size_t i = 0; i < made.n; i++)
        made.cells[i] = edit_table_padded(a, t, &made, i, (str){0},
                                          t->aligned ? t->columns[i].width : 0);
    memmove(&t->rows[at + 1], &t->rows[at], (t->n - at) * sizeof(*t->rows));
    t->rows[at] = made;
    t->n++;
}

static void remove_row(struct table *t, size_t at)
{
    t->n--;
    if (t->rows[at].eol.n == 0) /* the last line of the note */
        t->rows[at - 1].eol = (str){0};
    memmove(&t->rows[at], &t->rows[at + 1], (t->n - at) * sizeof(*t->rows));
}

/* A row may have fewer cells than the header. */
static void complete_row(struct arena *a, const struct table *t, struct table_row *r)
{
    if (r->n >= t->rows[TABLE_HEADER].n)
        return;
    r->closes |= r->opens;
    while (r->n < t->rows[TABLE_HEADER].n) {
        str cell = edit_table_padded(a, t, r, r->n, (str){0}, 0);
        *ARRAY_ADD(a, r->cells, r->n) = cell;
    }
}

/* With a pipe at both ends, nothing in a cell is read as a block or as no cell. */
static void add_outer_pipes(struct arena *a, struct table_row *r)
{
    r->opens = r->closes = true;
    for (size_t i = 0; i < r->n; i++)
        r->cells[i] = arena_printf(a, " " STR_FMT " ", STR_ARG(str_trim(r->cells[i])));
}

static bool refuse_column(struct edit_job *j, const struct table *t, str name)
{
    struct sbuf b = SBUF_ON(j->arena);
    const struct table_row *r = &t->rows[TABLE_HEADER];
    for (size_t i = 0; i < r->n && i < NAMED_MAX; i++)
        sbuf_printf(&b, "%s\"" STR_FMT "\"", i > 0 ? ", " : "",
                    STR_ARG(utf8_cut(cell_text(j->arena, r->cells[i]), NAME_SHOWN)));
    return err_named(j->err, E_INVALID_ARGUMENT,
                     "the table has no column \"" STR_FMT "\"; it has " STR_FMT,
                     STR_ARG(utf8_cut(name, NAME_SHOWN)), STR_ARG(sbuf_str(&b)));
}

static bool check_cell(struct edit_job *j, str text)
{
    return text_find_break(text, 0) == text.n ||
           err_named(j->err, E_INVALID_ARGUMENT,
                     "a cell is one line: write <br> for a line break");
}

/* Find the column of each cell. */
static bool find_columns(struct edit_job *j, const struct table *t,
                         const struct edit_row *e, size_t *columns)
{
    bool set[TABLE_COLUMNS_MAX + 1] = {false};
    for (size_t i = 0; i < e->n; i++) {
        str name = e->cells[i].column, shown = utf8_cut(name, NAME_SHOWN);
        size_t found = find_column(j->arena, t, name, &columns[i]);
        if (found == 0)
            return refuse_column(j, t, name);
        if (found > 1)
            return err_named(j->err, E_TEXT_NOT_UNIQUE,
                             "%zu columns of the table at line %u are named \"" STR_FMT
                             "\": give the row's lines instead",
                             found, text_line_number(j->text, t->start), STR_ARG(shown));
        if (set[columns[i]])
            return err_named(j->err, E_INVALID_ARGUMENT,
                             "\"" STR_FMT "\" is a column that cells has already",
                             STR_ARG(shown));
        set[columns[i]] = true;
    }
    return true;
}

static bool check_cells(struct edit_job *j, const struct table *t,
                        const struct edit_row *e)
{
    if (t->rows[TABLE_HEADER].n > TABLE_COLUMNS_MAX)
        return err_set(j->err, ERR_LIMIT, "the table has more than %d columns",
                       TABLE_COLUMNS_MAX);
    for (size_t i = 0; i < e->n; i++)
        if (!check_cell(j, e->cells[i].text))
            return false;
    return check_cell(j, e->key);
}

static bool refuse_row(struct edit_job *j, const struct table *t, str key)
{
    struct sbuf b = SBUF_ON(j->arena);
    for (size_t k = TABLE_FIRST; k < t->n && k < TABLE_FIRST + NAMED_MAX; k++)
        sbuf_printf(&b, "%s\"" STR_FMT "\"", k > TABLE_FIRST ? ", " : "",
                    STR_ARG(utf8_cut(cell_text(j->arena, table_cell(&t->rows[k], 0)),
                                     NAME_SHOWN)));
    return err_named(
        j->err, E_TEXT_NOT_FOUND,
        "the table at line %u has no row \"" STR_FMT "\"; it has " STR_FMT "%s",
        text_line_number(j->text, t->start), STR_ARG(utf8_cut(key, NAME_SHOWN)),
        STR_ARG(sbuf_str(&b)), t->n > TABLE_FIRST + NAMED_MAX ? ", ..." : "");
}

/* --- writing --- */

static bool write_table(struct edit_job *j, const struct table *t)
{
    struct sbuf b = SBUF_ON(j->arena);
    for (size_t k = 0; k < t->n; k++) {
        sbuf_add(&b, table_line(j->arena, &t->rows[k]));
        if (k + 1 < t->n)
            sbuf_add(&b, t->rows[k].eol);
    }
    return edit_splice(j, t->start, t->end, (str){0}, sbuf_str(&b),
                       t->rows[t->n - 1].eol);
}

/* Write the table, and look whether it is what was meant; if not, the changed row gets a
 * pipe at both ends. */
static bool write_checked(struct edit_job *j, struct table *t, const struct edit_row *e,
                          const struct table_change *c)
{
    if (!write_table(j, t))
        return false;
    if (table_is_as_meant(j, e, c))
        return true;
    if (!c->removed) {
        add_outer_pipes(j->arena, &t->rows[c->at]);
        if (!write_table(j, t))
            return false;
        if (table_is_as_meant(j, e, c))
            return true;
    }
    return err_named(j->err, E_INVALID_ARGUMENT,
                     "other cells of the table at line %u would change, too: replace the "
                     "lines of the row instead",
                     text_line_number(j->text, t->start));
}

static bool set_cells(struct edit_job *j, struct table *t, const struct edit_row *e,
                      const struct table_change *c)
{
    struct arena *a = j->arena;
    struct table_row *r = &t->rows[c->at];
    complete_row(a, t, r);
    if (c->added && !set_cell(j, t, r, 0, table_written(a, e->key)))
        return false;
    for (size_t i = 0; i < e->n; i++)
        if (!set_cell(j, t, r, c->columns[i], table_written(a, e->cells[i].text)))
            return false;
    return true;
}

static bool change_row(struct edit_job *j, struct table *t, const struct edit_row *e)
{
    struct arena *a = j->arena;
    struct table_change c = {.start = t->start, .columns = ARENA_ARRAY(a, size_t, e->n)};
    size_t found = find_row(a, t, e->key, &c.at);
    if (found > 1)
        return err_named(j->err, E_TEXT_NOT_UNIQUE,
                         "%zu rows of the table at line %u begin with \"" STR_FMT "\"",
                         found, text_line_number(j->text, t->start),
                         STR_ARG(utf8_cut(e->key, NAME_SHOWN)));
    c.removed = e->n == 0;
    c.added = found == 0;
    if (c.removed && c.added)
        return refuse_row(j, t, e->key);
    if (!find_columns(j, t, e, c.columns))
        return false;
    if (c.added) {
        c.at = place_for(a, t, e->key);
        add_row(a, t, c.at);
    }
    if (c.removed)
        remove_row(t, c.at);
    else if (!set_cells(j, t, e, &c))
        return false;
    return write_checked(j, t, e, &c);
}

bool edit_row(struct arena *a, str text, const struct edit_row *e,
              struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    struct table *t = NULL;
    if (!edit_start(&j, e->key) || !find_table(&j, e, &t) || !check_cells(&j, t, e))
        return false;
    out->target =
        arena_printf(a, "the table at line %u", text_line_number(text, t->start));
    j.raw = true; /* table_is_as_meant() knows better how the table itself is read */
    return change_row(&j, t, e) && edit_check_rest(&j);
}
