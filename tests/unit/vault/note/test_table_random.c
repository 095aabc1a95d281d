/*
 * Random rows of random tables, compared with a model that knows how the table was written:
 * what precedes each line, which texts the cells have, and each line break. It shares no
 * code with the editor: lines and cells of the result are cut here, too.
 */
#include "base/sbuf.h"
#include "check.h"
#include "rounds.h"
#include "vault/note/edit.h"

enum { TRIALS = 400, COLUMNS = 4, ROWS = 7, CELL_MAX = 8 };

static uint32_t seed;

static uint32_t next_random(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}

/* What precedes the first line of the table, and its other lines. */
struct place {
    const char *above, *first, *others;
};

static const struct place places[] = {
    {"", "", ""},
    {"Some text\n\n", "", ""},
    {"\xEF\xBB\xBF", "", ""},
    {"---\nkey: 1\n---\n", "  ", " "},
    {"", "> ", "> "},
    {"> [!note] Title\n", "> ", ">"},
    {"- item\n", "- ", "  "},
    {"", "1. [ ] ", "   "},
    {"> - item\n", "> - ", ">   "},
    {"", "- > ", "  > "},
    {"", "[^1]: ", "    "},
    {"- item\n\n", "\t", "\t"},
};

struct model_row {
    str cells[COLUMNS + 1]; /* what they mean */
    size_t n;
    str lead, line, eol; /* line: as written, with lead */
};

struct model {
    const struct place *place;
    struct model_row rows[ROWS + 3]; /* header, delimiters, others, one that is added */
    size_t n, columns;
    bool aligned, piped;
    str below;
};

static const char *const breaks[] = {"\n", "\r\n", "\r"};

/* --- making a table --- */

static str random_text(struct arena *a, bool plain)
{
    static const char *const odd[] = {"|",  "\\", "\\|", "\\\\", "*", "-",   "#",
                                      ">",  "`",  "$",   "%%",   "<", "```", "1. ",
                                      "- ", "~",  "=",   "[",    "]", "^",   "\xC3\xA9"};
    struct sbuf b = SBUF_ON(a);
    for (uint32_t n = next_random(CELL_MAX); n > 0; n--) {
        if (!plain && next_random(3) == 0)
            sbuf_add(&b, str_c(odd[next_random(COUNT_OF(odd))]));
        else
            sbuf_char(&b, "abc XY2"[next_random(7)]);
    }
    return str_trim(sbuf_str(&b));
}

/* What a cell means: without the backslashes before pipes and backslashes. */
static str meaning(struct arena *a, str raw)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < raw.n; i++) {
        bool pair = raw.p[i] == '\\' && i + 1 < raw.n &&
                    (raw.p[i + 1] == '\\' || raw.p[i + 1] == '|');
        i += pair;
        sbuf_char(&b, raw.p[i]);
    }
    return sbuf_str(&b);
}

static str escaped(struct arena *a, str text)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '|' || text.p[i] == '\\')
            sbuf_char(&b, '\\');
        sbuf_char(&b, text.p[i]);
    }
    return sbuf_str(&b);
}

static void write_row(struct arena *a, const struct model *m, struct model_row *r,
                      bool delimiters, const size_t *widths)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, r->lead);
    for (size_t i = 0; i < r->n; i++) {
        str text = delimiters ? r->cells[i] : escaped(a, r->cells[i]);
        size_t fill = widths != NULL ? widths[i] - text.n : 0;
        sbuf_add(&b, i > 0 || m->piped ? STR("|") : STR(""));
        sbuf_printf(&b, "%s" STR_FMT,
                    m->aligned || (m->piped && next_random(2)) ? " " : "", STR_ARG(text));
        for (; fill > 0; fill--)
            sbuf_char(&b, delimiters ? '-' : ' ');
        sbuf_add(&b, m->aligned || next_random(2) ? STR(" ") : STR(""));
    }
    sbuf_add(&b, m->piped ? STR("|") : STR(""));
    r->line = sbuf_str(&b);
}

/* The text of a first cell: unique, and sometimes as those of sums are. */
static str random_key(struct arena *a, const struct model *m, size_t k)
{
    if (!m->aligned && next_random(4) == 0)
        return arena_printf(a, "**k%zu**", k);
    str text = m->aligned ? STR("") : random_text(a, !m->piped);
    return arena_printf(a, "k%zu" STR_FMT, k, STR_ARG(text));
}

static void fill_row(struct arena *a, const struct model *m, struct model_row *r,
                     size_t k)
{
    static const char *const delimiters[] = {"-", "--", ":-", "-:", ":-:"};
    r->n = m->columns;
    if (k >= 2 && m->piped && !m->aligned && next_random(4) == 0)
        r->n = 1 + next_random((uint32_t)m->columns + 1);
    for (size_t i = 0; i < r->n; i++) {
        if (k == 0)
            r->cells[i] = arena_printf(a, "C%zu%s", i, next_random(3) ? "" : "|x");
        else if (k == 1)
            r->cells[i] = m->aligned ? STR("-")
                          : i == 0   ? STR("-------------------") /* as no header is */
                                     : str_c(delimiters[next_random(5)]);
        else if (i == 0)
            r->cells[i] = random_key(a, m, k);
        else
            r->cells[i] = meaning(a, random_text(a, m->aligned));
    }
    if (k >= 2 && !m->piped && r->cells[r->n - 1].n == 0)
        r->cells[r->n - 1] = STR("z");
}

static void make_table(struct arena *a, struct model *m)
{
    size_t widths[COLUMNS + 1] = {0};
    *m = (struct model){.place = &places[next_random(COUNT_OF(places))],
                        .n = 2 + next_random(ROWS),
                        .columns = 1 + next_random(COLUMNS),
                        .aligned = next_random(4) == 0};
    m->piped = m->aligned || m->columns == 1 || next_random(3) > 0;
    bool mixed = next_random(2), open = next_random(4) == 0;
    const char *eol = breaks[next_random(3)];
    for (size_t k = 0; k < m->n; k++) {
        struct model_row *r = &m->rows[k];
        fill_row(a, m, r, k);
        r->lead = str_c(k == 0 ? m->place->first : m->place->others);
        r->eol = str_c(mixed ? breaks[next_random(3)] : eol);
        for (size_t i = 0; i < r->n; i++)
            widths[i] = widths[i] > escaped(a, r->cells[i]).n + 5
                            ? widths[i]
                            : escaped(a, r->cells[i]).n + 5;
    }
    for (size_t k = 0; k < m->n; k++)
        write_row(a, m, &m->rows[k], k == 1, m->aligned ? widths : NULL);
    m->below = open ? (str){0} : STR(" \nSome text\n");
    if (open)
        m->rows[m->n - 1].eol = (str){0};
}

static str text_of(struct arena *a, const struct model *m)
{
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, str_c(m->place->above));
    for (size_t k = 0; k < m->n; k++) {
        sbuf_add(&b, m->rows[k].line);
        sbuf_add(&b, m->rows[k].eol);
    }
    sbuf_add(&b, m->below);
    return sbuf_str(&b);
}

/* --- the same change, in the model --- */

static bool looks_like_sum(str cell)
{
    return cell.n > 4 && memcmp(cell.p, "**", 2) == 0 &&
           memcmp(cell.p + cell.n - 2, "**", 2) == 0;
}

static size_t place_of_new(const struct model *m, str key)
{
    size_t sums = 0;
    for (size_t k = 2; k < m->n; k++)
        sums += looks_like_sum(m->rows[k].cells[0]);
    bool above = m->n > 3 && sums == 1 && looks_like_sum(m->rows[m->n - 1].cells[0]) &&
                 !looks_like_sum(key);
    return above ? m->n - 1 : m->n;
}

static void insert_row(struct model *m, size_t at, str key)
{
    struct model_row made = {.cells = {key}, .n = 1, .eol = m->rows[at - 1].eol};
    if (made.eol.n == 0)
        m->rows[at - 1].eol = m->rows[0].eol;
    memmove(&m->rows[at + 1], &m->rows[at], (m->n++ - at) * sizeof(made));
    m->rows[at] = made;
}

static void drop_row(struct model *m, size_t at)
{
    if (m->rows[at].eol.n == 0)
        m->rows[at - 1].eol = (str){0};
    memmove(&m->rows[at], &m->rows[at + 1], (--m->n - at) * sizeof(m->rows[0]));
}

/* A request, made in the model, too; returns the row that differs, or m->n. */
static size_t change(struct arena *a, struct model *m, struct edit_row *e,
                     struct edit_cell *cells)
{
    bool add = m->n == 2 || next_random(3) == 0, drop = !add && next_random(3) == 0;
    size_t at = add ? m->n : 2 + next_random((uint32_t)m->n - 2);
    *e = (struct edit_row){.cells = cells};
    str odd = random_text(a, false), more = random_text(a, false);
    e->key = add ? arena_printf(a, STR_FMT "new" STR_FMT, STR_ARG(odd), STR_ARG(more))
                 : escaped(a, m->rows[at].cells[0]);
    if (drop) {
        drop_row(m, at);
        return m->n;
    }
    if (add) {
        at = place_of_new(m, meaning(a, e->key));
        insert_row(m, at, meaning(a, e->key));
    }
    struct model_row *r = &m->rows[at];
    for (size_t i = 0; i < m->columns; i++) {
        if (e->n > 0 ? next_random(2) : i + 1 < m->columns && next_random(2))
            continue;
        cells[e->n++] = (struct edit_cell){m->rows[0].cells[i], random_text(a, false)};
        while (r->n <= i)
            r->cells[r->n++] = (str){0};
        r->cells[i] = meaning(a, cells[e->n - 1].text);
    }
    return at;
}

/* --- comparing --- */

/* Cut the next line off; *eol is its line break. */
static str cut_line(str *text, str *eol)
{
    size_t n = 0, more = 0;
    while (n < text->n && text->p[n] != '\n' && text->p[n] != '\r')
        n++;
    if (n < text->n)
        more = text->p[n] == '\r' && n + 1 < text->n && text->p[n + 1] == '\n' ? 2 : 1;
    str line = {text->p, n};
    *eol = (str){text->p + n, more};
    *text = str_skip(*text, n + more);
    return line;
}

/* Cut the next cell off a row; false if there is none. */
static bool cut_cell(struct arena *a, str *row, str *cell)
{
    size_t n = 0;
    if (row->n == 0)
        return false;
    while (n < row->n && row->p[n] != '|')
        n += row->p[n] == '\\' && n + 1 < row->n ? 2 : 1;
    *cell = meaning(a, str_trim((str){row->p, n}));
    *row = str_skip(*row, n < row->n ? n + 1 : n);
    return true;
}

/* What is wrong with the cells of a line, or NULL. */
static const char *compare_cells(struct arena *a, str lead, const struct model_row *r,
                                 str line)
{
    str cell;
    if (!str_starts(line, lead))
        return "the line has not the markers of its list or quote";
    line = str_trim(str_skip(line, lead.n));
    if (line.n > 0 && line.p[0] == '|')
        line = str_skip(line, 1);
    size_t i = 0;
    for (; cut_cell(a, &line, &cell); i++)
        if (i >= r->n ? cell.n > 0 : !str_eq(cell, r->cells[i]))
            return "a cell differs";
    for (; i < r->n; i++)
        if (r->cells[i].n > 0)
            return "a cell is missing";
    return NULL;
}

/* Characters; none of the cells has wide ones. */
static size_t count_characters(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return n;
}

static const char *compare(struct arena *a, const struct model *m, size_t changed,
                           str text)
{
    str eol;
    size_t width = 0;
    if (!str_starts(text, str_c(m->place->above)))
        return "the text above has changed";
    text = str_skip(text, str_c(m->place->above).n);
    for (size_t k = 0; k < m->n; k++) {
        str line = cut_line(&text, &eol);
        str lead = str_c(k == 0 ? m->place->first : m->place->others);
        const char *wrong = NULL;
        if (k == changed || (m->aligned && k != 1))
            wrong = compare_cells(a, lead, &m->rows[k], line);
        else if (!m->aligned && !str_eq(line, m->rows[k].line))
            wrong = "another row has changed";
        if (!str_eq(eol, m->rows[k].eol))
            wrong = "a line break has changed";
        size_t here = count_characters(line) - lead.n;
        if (m->aligned && k > 0 && here != width)
            wrong = "the columns are not aligned";
        width = here;
        if (wrong != NULL)
            return wrong;
    }
    return str_eq(text, m->below) ? NULL : "the text below has changed";
}

/* A cell with half a comment hides the text below the table, or shows it again: only that
 * may be refused. */
static bool hides_rest(str was, const struct edit_row *e)
{
    bool hides =
        str_find(was, STR("%%")) != STR_NONE || str_find(e->key, STR("%%")) != STR_NONE;
    for (size_t i = 0; i < e->n; i++)
        hides = hides || str_find(e->cells[i].text, STR("%%")) != STR_NONE;
    return hides;
}

static void test_random_rows(void **state)
{
    (void)state;
    uint32_t refused = 0;
    for (uint32_t trial = 1; trial <= (uint32_t)rounds(TRIALS); trial++) {
        struct arena a = {0};
        struct model m;
        struct edit_row e;
        struct edit_cell cells[COLUMNS];
        struct edit_result r;
        struct err err = {0};
        seed = trial * 2654435761u;
        make_table(&a, &m);
        str was = text_of(&a, &m);
        size_t changed = change(&a, &m, &e, cells);
        bool ok = edit_row(&a, was, &e, &r, &err);
        const char *wrong = ok ? compare(&a, &m, changed, r.text) : err.msg;
        if (!ok && err.name == E_INVALID_CONTENT && hides_rest(was, &e)) {
            refused++;
            wrong = NULL;
        }
        if (wrong != NULL)
            fail_msg("trial %u: %s; row '" STR_FMT "' of\n" STR_FMT "\n->\n" STR_FMT,
                     trial, wrong, STR_ARG(e.key), STR_ARG(was),
                     STR_ARG(ok ? r.text : STR("")));
        arena_release(&a);
    }
    CHECK("few are refused", refused < (uint32_t)rounds(TRIALS) / 10);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
