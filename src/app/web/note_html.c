/*
 * The blocks of a note. A container (a quote, an item of a list) is a list of lines without
 * its own markers, which are parts of the note's text, so whatever is in it can be looked up
 * there by its place.
 */
#include "app/web/note_html.h"

#include "base/array.h"
#include "base/chars.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "oauth/html.h"
#include "vault/index/file.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/note.h"
#include "vault/note/note_table.h"
#include "vault/text/media.h"

enum {
    DEPTH_BLOCKS = 34, /* elements; deeper containers are text */
    TAB_COLUMNS = 4,
    LANGUAGE_MAX = 32, /* bytes that are shown of the name of a language */
};

struct note_lines {
    const str *items;
    size_t n;
};

static void put_blocks(struct note_writer *w, struct note_lines in, bool tight);

bool note_html_has_room(struct note_writer *w, size_t depth)
{
    return w->h->depth < depth && w->h->out.n < NOTE_HTML_MAX;
}

str note_html_heading_id(struct arena *a, size_t number)
{
    return arena_printf(a, "h-%zu", number);
}

str note_html_address(const struct note_html *to, str path)
{
    bool page = file_kind_of(path) == FILE_NOTE;
    return arena_printf(to->a, STR_FMT "%s" STR_FMT STR_FMT, STR_ARG(to->site->base),
                        page ? NOTE_PATH : FILE_PATH,
                        STR_ARG(encode_percent(to->a, path)), STR_ARG(to->query));
}

/* --- lines --- */

static str drop_blanks(str line)
{
    size_t n = 0;
    while (n < line.n && is_blank(line.p[n]))
        n++;
    return str_skip(line, n);
}

static bool is_blank_line(str line)
{
    return str_trim_line(line).n == 0;
}

/* How far the text of a line is indented, in columns. */
static size_t columns_of(str line)
{
    size_t columns = 0;
    for (size_t i = 0; i < line.n && is_blank(line.p[i]); i++)
        columns += line.p[i] == '\t' ? TAB_COLUMNS - columns % TAB_COLUMNS : 1;
    return columns;
}

/* The line without so many columns of its indentation. */
static str drop_columns(str line, size_t columns)
{
    size_t i = 0, at = 0;
    for (; i < line.n && at < columns && is_blank(line.p[i]); i++)
        at += line.p[i] == '\t' ? TAB_COLUMNS - at % TAB_COLUMNS : 1;
    return str_skip(line, i);
}

static size_t heading_level(str line)
{
    size_t n = 0;
    while (n < line.n && line.p[n] == '#')
        n++;
    return n >= 1 && n <= 6 && (n == line.n || is_blank(line.p[n])) ? n : 0;
}

static bool is_note_rule(str line)
{
    size_t n = 0;
    char c = line.n > 0 ? line.p[0] : '\0';
    if (c != '-' && c != '*' && c != '_')
        return false;
    for (size_t i = 0; i < line.n; i++) {
        if (line.p[i] != c && !is_blank(line.p[i]))
            return false;
        n += line.p[i] == c;
    }
    return n >= 3;
}

/* 1 or 2: the line makes the text above it a heading. */
static size_t setext_level(str line)
{
    str t = str_trim(line);
    char c = t.n > 0 ? t.p[0] : '\0';
    for (size_t i = 0; i < t.n; i++)
        if (t.p[i] != c)
            return 0;
    return c == '=' ? 1 : c == '-' ? 2 : 0;
}

struct item_marker {
    char kind;      /* - + * . ) or 0: it is not an item */
    size_t content; /* columns before its text */
    int64_t number; /* of . and ) */
    str text;
};

static struct item_marker marker_of(str line)
{
    struct item_marker none = {0}, m = {0};
    str t = drop_blanks(line), rest;
    size_t n = 0;
    while (n < t.n && n < 9 && is_digit(t.p[n]))
        n++;
    bool ordered = n > 0 && n < t.n && (t.p[n] == '.' || t.p[n] == ')');
    if (!ordered && (t.n == 0 || strchr("-+*", t.p[0]) == NULL || t.p[0] == '\0'))
        return none;
    m.kind = ordered ? t.p[n] : t.p[0];
    if (ordered && !str_to_int(str_slice(t, 0, n), &m.number))
        return none;
    rest = str_skip(t, ordered ? n + 1 : 1);
    if (rest.n > 0 && !is_blank(rest.p[0]))
        return none;
    size_t spaces = columns_of(rest), wide = spaces == 0 || spaces > 4 ? 1 : spaces;
    m.content = columns_of(line) + (ordered ? n + 1 : 1) + wide;
    m.text = drop_columns(rest, wide);
    return m;
}

/* --- what the scanner found at the beginning of a line --- */

/* A region of lines that begins there. */
static const struct note_region *region_of(const struct note_writer *w, str line)
{
    uint32_t from = note_at(w, line), text = note_at(w, drop_blanks(line));
    const struct note_region *r = note_inline_region(w, from);
    if (r == NULL)
        return NULL;
    for (const struct note_region *end = w->note->regions + w->note->n_regions;
         r < end && r->span.start <= text; r++)
        if (r->kind != NOTE_INLINE_CODE && r->kind != NOTE_INLINE_MATH)
            return r;
    return NULL;
}

static const struct note_footnote *definition_of(const struct note_writer *w, str line)
{
    uint32_t at = note_at(w, drop_blanks(line));
    for (uint32_t i = 0; i < w->note->n_footnotes && i < NOTE_HTML_FOOTNOTES; i++)
        if (w->note->footnotes[i].definition && w->note->footnotes[i].whole.start == at)
            return &w->note->footnotes[i];
    return NULL;
}

static bool is_reference(const struct note_writer *w, str line)
{
    const struct note_link *l = note_inline_link(w, note_at(w, drop_blanks(line)));
    return l != NULL && l->kind == NOTE_DEFINITION;
}

/* Whether a line is not a part of the paragraph before it. */
static bool begins_block(const struct note_writer *w, str line)
{
    str t = drop_blanks(line);
    struct item_marker m = marker_of(line);
    bool item = m.kind != 0 && m.text.n > 0 && m.number <= 1;
    return t.n == 0 || t.p[0] == '>' || heading_level(t) > 0 || is_note_rule(t) || item ||
           region_of(w, line) != NULL ||
           (t.p[0] == '[' && definition_of(w, line) != NULL);
}

/* How many lines begin before the end of a span. */
static size_t lines_before(const struct note_writer *w, struct note_lines in,
                           uint32_t end)
{
    size_t n = 1;
    while (n < in.n && note_at(w, in.items[n]) < end)
        n++;
    return n;
}

/* --- leaves --- */

static void put_code(struct note_writer *w, struct note_lines in, const char *css,
                     str language)
{
    html_open(
        w->h, "pre", {"class", str_c(css)}, {"tabindex", STR("0")},
        {language.n > 0 ? "data-language" : NULL, str_slice(language, 0, LANGUAGE_MAX)});
    for (size_t i = 0; i < in.n; i++) {
        note_inline_text(w, in.items[i]);
        html_raw(w->h, STR("\n"));
    }
    html_end(w->h);
}

/* The $$ around math are not shown. */
static void put_math(struct note_writer *w, struct note_lines in)
{
    str *inside = ARENA_ARRAY(w->a, str, in.n);
    size_t n = 0;
    for (size_t i = 0; i < in.n; i++) {
        str line = in.items[i], t = str_trim(line);
        bool fence = (i == 0 && str_starts(t, STR("$$"))) ||
                     (i + 1 == in.n && str_ends(t, STR("$$")));
        if (i == 0 && str_starts(t, STR("$$")))
            t = str_skip(t, 2);
        if (i + 1 == in.n && str_ends(t, STR("$$")))
            t = str_slice(t, 0, t.n - 2);
        if (!fence || str_trim(t).n > 0)
            inside[n++] = fence ? t : line;
    }
    put_code(w, (struct note_lines){inside, n}, "code math", STR("math"));
}

/* ```language, and the fence that ends it, are not shown. */
static void put_fence(struct note_writer *w, struct note_lines in)
{
    str first = drop_blanks(in.items[0]);
    size_t n = 0, indent = columns_of(in.items[0]);
    char c = first.n > 0 ? first.p[0] : '\0';
    while (n < first.n && first.p[n] == c)
        n++;
    str language = str_trim(str_skip(first, n)), last = str_trim(in.items[in.n - 1]);
    size_t space = str_find_char(language, ' ');
    bool closed = in.n > 1 && last.n >= n;
    for (size_t i = 0; closed && i < last.n; i++)
        closed = last.p[i] == c;
    str *inside = ARENA_ARRAY(w->a, str, in.n);
    size_t count = in.n - 1 - closed;
    for (size_t i = 0; i < count; i++)
        inside[i] = drop_columns(in.items[i + 1], indent);
    put_code(w, (struct note_lines){inside, count}, "code",
             space == STR_NONE ? language : str_slice(language, 0, space));
}

static void put_cell(struct note_writer *w, const char *element, str rule, str cell)
{
    str side = str_trim(rule), text = str_trim(cell);
    bool left = str_starts(side, STR(":")), right = str_ends(side, STR(":"));
    html_open(w->h, element,
              {right ? "class" : NULL, left ? STR("middle") : STR("right")});
    note_inline_put(w, &text, 1);
    html_end(w->h);
}

static void put_note_row(struct note_writer *w, const char *element, str rules, str row)
{
    size_t at = 0, rule_at = 0;
    str cell, rule;
    html_open(w->h, "tr");
    while (note_next_cell(row, &at, &cell)) {
        if (!note_next_cell(rules, &rule_at, &rule))
            break; /* more cells than the header has */
        put_cell(w, element, rule, cell);
    }
    html_end(w->h);
}

static str table_row(str line)
{
    str row = str_trim(line);
    bool closed = str_ends(row, STR("|")) && !str_ends(row, STR("\\|"));
    return closed ? str_slice(row, 0, row.n - 1) : row;
}

static void put_note_table(struct note_writer *w, struct note_lines in)
{
    str rules = in.n > 1 ? table_row(in.items[1]) : STR("");
    html_open(w->h, "div", {"class", STR("table")}, {"tabindex", STR("0")},
              {"role", STR("group")}, {"aria-label", STR("Table")});
    html_open(w->h, "table");
    html_open(w->h, "thead");
    put_note_row(w, "th", rules, table_row(in.items[0]));
    html_end(w->h);
    html_open(w->h, "tbody");
    for (size_t i = 2; i < in.n && w->h->out.n < NOTE_HTML_MAX; i++)
        put_note_row(w, "td", rules, table_row(in.items[i]));
    html_end(w->h);
    html_end(w->h);
    html_end(w->h);
}

static size_t put_region(struct note_writer *w, struct note_lines in,
                         const struct note_region *r)
{
    size_t n = lines_before(w, in, r->span.end);
    struct note_lines part = {in.items, n};
    switch (r->kind) {
    case NOTE_FENCED_CODE:
        put_fence(w, part);
        break;
    case NOTE_INDENTED_CODE:
        put_code(w, part, "code", STR(""));
        break;
    case NOTE_BLOCK_MATH:
        put_math(w, part);
        break;
    case NOTE_HTML_BLOCK:
        put_code(w, part, "code html", STR("html"));
        break;
    case NOTE_TABLE_REGION:
        put_note_table(w, part);
        break;
    default: { /* a comment; the rest of its last line is not one */
        str last = in.items[n - 1];
        size_t end = r->span.end - note_at(w, last);
        str rest = str_skip(last, end < last.n ? end : last.n);
        if (!is_blank_line(rest))
            put_blocks(w, (struct note_lines){&rest, 1}, false);
        break;
    }
    }
    return n;
}

/* The outline knows a heading by its place. */
static size_t heading_number(const struct note_writer *w, str title)
{
    size_t low = 0, high = w->note->n_headings;
    uint32_t at = note_at(w, title);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->note->headings[middle].title.start < at)
            low = middle + 1;
        else
            high = middle;
    }
    bool is = low < w->note->n_headings && w->note->headings[low].title.start == at;
    return is ? low : SIZE_MAX;
}

static void put_heading(struct note_writer *w, size_t level, const str *lines, size_t n)
{
    static const char *const elements[] = {"h2", "h3", "h4", "h5", "h6", "h6"};
    str first = str_trim(lines[0]);
    size_t number = heading_number(w, first);
    bool has_id = number != SIZE_MAX && w->level == 0;
    html_open(w->h, elements[level - 1],
              {has_id ? "id" : NULL, note_html_heading_id(w->a, number)});
    note_inline_put(w, lines, n);
    html_end(w->h);
}

static str heading_text(str line, size_t level)
{
    str t = str_trim(str_skip(line, level));
    size_t n = t.n;
    while (n > 0 && t.p[n - 1] == '#')
        n--;
    return n == 0 || is_blank(t.p[n - 1]) ? str_trim(str_slice(t, 0, n)) : t;
}

/* Links lead to a block by its id. */
static str block_id(struct note_writer *w, str line)
{
    str t = str_trim_line(line);
    size_t hat = str_find_last(t, '^');
    if (hat == STR_NONE || w->level > 0 || (hat > 0 && !is_blank(t.p[hat - 1])))
        return STR("");
    const struct note_block *b = note_find_block(w->note, str_skip(t, hat));
    return b == NULL
               ? STR("")
               : arena_printf(w->a, "b-" STR_FMT, STR_ARG(span_of(w->note->text, b->id)));
}

static size_t put_paragraph(struct note_writer *w, struct note_lines in, bool tight)
{
    size_t n = 1, level = 0;
    while (n < in.n && level == 0 && !is_blank_line(in.items[n])) {
        level = setext_level(in.items[n]);
        if (level == 0 && begins_block(w, in.items[n]))
            break;
        n += level == 0;
    }
    if (level > 0) {
        put_heading(w, level, in.items, n);
        return n + 1;
    }
    str id = block_id(w, in.items[n - 1]);
    bool bare = tight && id.n == 0;
    if (!bare) /* an embed may be in it, which is not allowed in <p> */
        html_open(w->h, "div", {"class", STR("p")}, {"dir", STR("auto")},
                  {id.n > 0 ? "id" : NULL, id});
    note_inline_put(w, in.items, n);
    if (!bare)
        html_end(w->h);
    else if (n < in.n)
        html_raw(w->h, STR("\n"));
    return n;
}

/* --- containers --- */

static const struct {
    const char *type, *css;
} callouts[] = {
    {"tip", "good"},      {"hint", "good"},    {"important", "good"},
    {"success", "good"},  {"check", "good"},   {"done", "good"},
    {"warning", "warn"},  {"caution", "warn"}, {"attention", "warn"},
    {"question", "warn"}, {"help", "warn"},    {"faq", "warn"},
    {"failure", "bad"},   {"fail", "bad"},     {"missing", "bad"},
    {"danger", "bad"},    {"error", "bad"},    {"bug", "bad"},
    {"quote", "calm"},    {"cite", "calm"},
};

static const char *callout_class(str type)
{
    for (size_t i = 0; i < COUNT_OF(callouts); i++)
        if (str_eq_nocase(type, str_c(callouts[i].type)))
            return callouts[i].css;
    return "info";
}

/* [!type]- Title; false if it is a quote. */
static bool read_callout(str line, str *type, char *fold, str *title)
{
    str t = str_trim(line);
    size_t end = str_find_char(t, ']');
    if (!str_starts(t, STR("[!")) || end == STR_NONE)
        return false;
    *type = str_trim(str_slice(t, 2, end));
    t = str_skip(t, end + 1);
    *fold = t.n > 0 && (t.p[0] == '+' || t.p[0] == '-') ? t.p[0] : '\0';
    *title = str_trim(str_skip(t, *fold != '\0'));
    return type->n > 0;
}

static void put_callout_title(struct note_writer *w, const char *element, str type,
                              str title)
{
    html_open(w->h, element, {"class", STR("callout-title")});
    if (title.n > 0)
        note_inline_put(w, &title, 1);
    else
        note_inline_text(
            w, arena_printf(w->a, "%c" STR_FMT,
                            type.p[0] -
                                (type.p[0] >= 'a' && type.p[0] <= 'z' ? 'a' - 'A' : 0),
                            STR_ARG(str_skip(type, 1))));
    html_end(w->h);
}

static void put_callout(struct note_writer *w, struct note_lines in, str type, char fold,
                        str title)
{
    str css = arena_printf(w->a, "callout %s", callout_class(type));
    html_open(w->h, fold != '\0' ? "details" : "div", {"class", css},
              {fold == '+' ? "open" : NULL});
    put_callout_title(w, fold != '\0' ? "summary" : "div", type, title);
    put_blocks(w, (struct note_lines){in.items + 1, in.n - 1}, false);
    html_end(w->h);
}

static size_t put_quote(struct note_writer *w, struct note_lines in)
{
    str *inside = NULL, type, title;
    size_t n = 0;
    char fold;
    while (n < in.n) {
        str line = in.items[n], t = drop_blanks(line);
        if (t.n == 0 ||
            (t.p[0] != '>' && (is_blank_line(inside[n - 1]) || begins_block(w, line))))
            break;
        bool marked = t.p[0] == '>';
        *ARRAY_ADD(w->a, inside, n) =
            str_skip(t, marked ? 1 + (t.n > 1 && t.p[1] == ' ') : 0);
    }
    struct note_lines content = {inside, n};
    if (read_callout(inside[0], &type, &fold, &title)) {
        put_callout(w, content, type, fold, title);
    } else {
        html_open(w->h, "blockquote");
        put_blocks(w, content, false);
        html_end(w->h);
    }
    return n;
}

/* The lines of an item; its first has no marker. */
static struct note_lines take_item(const struct note_writer *w, struct note_lines in,
                                   const struct item_marker *m)
{
    size_t n = 0, blank = 0;
    str *out = NULL;
    *ARRAY_ADD(w->a, out, n) = m->text;
    while (n < in.n) {
        str line = in.items[n];
        bool deep = columns_of(line) >= m->content;
        if (is_blank_line(line)) {
            blank++;
            *ARRAY_ADD(w->a, out, n) = line;
            continue;
        }
        if (!deep && (blank > 0 || begins_block(w, line) || marker_of(line).kind != 0))
            break;
        *ARRAY_ADD(w->a, out, n) = deep ? drop_columns(line, m->content) : line;
        blank = 0;
    }
    return (struct note_lines){out, n - blank};
}

static const struct {
    char mark;
    const char *means;
} task_marks[] = {{'/', "half done"}, {'-', "cancelled"}, {'>', "moved"},
                  {'<', "planned"},   {'?', "question"},  {'!', "important"}};

/* A box with a mark that is neither open nor done. */
static void put_marked_box(struct note_writer *w, char mark)
{
    str label = arena_printf(w->a, "marked %c", mark);
    for (size_t i = 0; i < COUNT_OF(task_marks); i++)
        if (task_marks[i].mark == mark)
            label = str_c(task_marks[i].means);
    html_open(w->h, "span", {"class", STR("state-box")}, {"role", STR("img")},
              {"aria-label", label}, {"title", label});
    html_text(w->h, (str){&mark, 1});
    html_end(w->h);
}

/* "[x] text": a box that cannot be ticked here. */
static void put_box(struct note_writer *w, str *text)
{
    char mark = text->p[1];
    bool done = mark == 'x' || mark == 'X';
    if (mark != ' ' && !done)
        put_marked_box(w, mark);
    else
        html_void(w->h, "input", {"type", STR("checkbox")}, {"disabled"},
                  {done ? "checked" : NULL},
                  {"aria-label", done ? STR("done") : STR("open")});
    html_raw(w->h, STR(" "));
    *text = str_skip(*text, 3);
}

static bool is_task(str text)
{
    return text.n >= 3 && text.p[0] == '[' && text.p[2] == ']' && text.p[1] > 0x1f &&
           (text.n == 3 || is_blank(text.p[3]));
}

static bool has_blank(struct note_lines in)
{
    for (size_t i = 0; i + 1 < in.n; i++)
        if (is_blank_line(in.items[i]))
            return true;
    return false;
}

static size_t put_item(struct note_writer *w, struct note_lines in,
                       const struct item_marker *m)
{
    struct note_lines inside = take_item(w, in, m);
    str first = inside.items[0];
    bool task = is_task(first);
    html_open(w->h, "li", {task ? "class" : NULL, STR("task")}, {"dir", STR("auto")});
    if (task) {
        put_box(w, &first);
        ((str *)inside.items)[0] = first;
    }
    put_blocks(w, inside, !has_blank(inside));
    html_end(w->h);
    return inside.n;
}

static size_t put_list(struct note_writer *w, struct note_lines in, struct item_marker m)
{
    bool ordered = m.kind == '.' || m.kind == ')';
    char kind = m.kind;
    size_t n = 0;
    html_open(w->h, ordered ? "ol" : "ul",
              {ordered && m.number != 1 ? "start" : NULL,
               arena_printf(w->a, "%lld", (long long)m.number)});
    while (n < in.n && m.kind == kind && w->h->out.n < NOTE_HTML_MAX) {
        n += put_item(w, (struct note_lines){in.items + n, in.n - n}, &m);
        size_t next = n;
        while (next < in.n && is_blank_line(in.items[next]))
            next++;
        if (next == in.n || is_note_rule(drop_blanks(in.items[next])))
            break;
        m = marker_of(in.items[next]);
        n = m.kind == kind ? next : n;
    }
    html_end(w->h);
    return n;
}

/* --- blocks --- */

/* Returns how many lines it took. */
static size_t put_block(struct note_writer *w, struct note_lines in, bool tight)
{
    str line = in.items[0], t = drop_blanks(line);
    const struct note_region *r = region_of(w, line);
    bool deep = !note_html_has_room(w, DEPTH_BLOCKS);
    size_t level = heading_level(t);
    struct item_marker m = marker_of(line);
    const struct note_footnote *d =
        t.n > 0 && t.p[0] == '[' ? definition_of(w, line) : NULL;
    if (t.n == 0)
        return 1;
    if (r != NULL)
        return put_region(w, in, r);
    if (d != NULL)
        return lines_before(w, in, d->whole.end);
    if (t.p[0] == '[' && is_reference(w, line))
        return 1;
    if (level > 0) {
        str title = heading_text(t, level);
        put_heading(w, level, &title, 1);
        return 1;
    }
    if (is_note_rule(t)) {
        html_void(w->h, "hr");
        return 1;
    }
    if (t.p[0] == '>' && !deep)
        return put_quote(w, in);
    if (m.kind != 0 && !deep)
        return put_list(w, in, m);
    return put_paragraph(w, in, tight);
}

static void put_blocks(struct note_writer *w, struct note_lines in, bool tight)
{
    for (size_t i = 0; i < in.n;) {
        if (w->h->out.n >= NOTE_HTML_MAX) {
            w->to->cut = true;
            return;
        }
        i += put_block(w, (struct note_lines){in.items + i, in.n - i}, tight);
    }
}

/* A part of the note's text. */
static void put_note_part(struct note_writer *w, str text)
{
    struct note_lines in = {0};
    str *items = NULL, line;
    while (str_next(&text, '\n', &line))
        *ARRAY_ADD(w->a, items, in.n) =
            str_slice(line, 0, line.n - str_ends(line, STR("\r")));
    in.items = items;
    put_blocks(w, in, false);
}

/* --- footnotes --- */

static str definition_text(const struct note_writer *w, const struct note_footnote *d)
{
    str whole = span_of(w->note->text, d->whole);
    size_t colon = str_find(whole, STR("]:"));
    return colon == STR_NONE ? STR("") : str_skip(whole, colon + 2);
}

/* Those that are referred to; a definition may refer to another one. */
static void put_footnotes(struct note_writer *w)
{
    if (w->n_footnotes == 0)
        return;
    html_open(w->h, "section", {"class", STR("footnotes")},
              {"aria-label", STR("Footnotes")});
    html_open(w->h, "ol");
    for (size_t i = 0; i < w->n_footnotes; i++) {
        html_open(
            w->h, "li",
            {"id", arena_printf(w->a, STR_FMT "fn-%zu", STR_ARG(w->prefix), i + 1)});
        put_note_part(w, definition_text(w, &w->note->footnotes[w->footnotes[i]]));
        html_end(w->h);
    }
    html_end(w->h);
    html_end(w->h);
}

/* --- notes --- */

static struct note_writer writer_of(struct note_html *to, str path,
                                    const struct note *note)
{
    const struct file *f = index_find(to->x, path);
    return (struct note_writer){.to = to,
                                .h = to->h,
                                .a = to->a,
                                .path = path,
                                .id = f != NULL ? f->id : NO_FILE,
                                .note = note};
}

void note_html_put(struct note_html *to, str path, const struct note *note)
{
    struct note_writer w = writer_of(to, path, note);
    put_note_part(&w, str_skip(note->text, note->body));
    put_footnotes(&w);
}

/* --- embeds --- */

static str embedded_part(const struct note *n, str subpath)
{
    str text = n->text;
    if (subpath.n < 2)
        return str_skip(text, n->body);
    if (subpath.p[1] == '^') {
        const struct note_block *b = note_find_block(n, subpath);
        return b == NULL ? STR("") : str_slice(text, b->body.start, b->whole_end);
    }
    const struct note_heading *h = note_find_heading(n, subpath);
    return h == NULL ? STR("") : span_of(text, h->section);
}

static void embed_note(struct note_writer *w, const struct file *f, str subpath)
{
    struct note_writer inner = writer_of(w->to, f->path, &f->note);
    str part = embedded_part(&f->note, subpath);
    inner.level = w->level + 1;
    inner.prefix = arena_printf(w->a, "e%u-", ++w->to->embeds);
    html_open(w->h, "div", {"class", STR("embed")});
    html_open(w->h, "a", {"class", STR("embed-title")},
              {"href", note_html_address(w->to, f->path)});
    note_inline_text(w, file_title(f->path));
    html_end(w->h);
    if (part.n > 0)
        put_note_part(&inner, part);
    else
        html_line(w->h, "p", "soft", STR("There is no such part in it."));
    put_footnotes(&inner);
    html_end(w->h);
}

/* "300" or "300x200" after the bar is a size. */
static void embed_picture(struct note_writer *w, const struct file *f, str display)
{
    int64_t wide = 0, tall = 0;
    str rest = display, first = STR("");
    bool sized = str_next(&rest, 'x', &first) && str_to_int(first, &wide) && wide > 0 &&
                 wide <= 10000;
    bool both = sized && rest.p != NULL && str_to_int(rest, &tall) && tall > 0;
    html_void(w->h, "img", {"src", note_html_address(w->to, f->path)},
              {"alt", sized || display.n == 0 ? file_title(f->path) : display},
              {"loading", STR("lazy")}, {sized ? "width" : NULL, first},
              {both ? "height" : NULL, rest});
}

bool note_html_embed(struct note_writer *w, const struct note_link *l)
{
    struct names_answer answer;
    str text = w->note->text, path = span_of(text, l->path);
    if (l->external || w->h->out.n >= NOTE_HTML_MAX)
        return false;
    if (l->kind != NOTE_WIKILINK)
        path = file_decoded(w->a, path);
    names_resolve(w->to->x->names, NULL, path, w->path, w->id, &answer);
    const struct file *f =
        answer.file != NO_FILE ? index_file(w->to->x, answer.file) : NULL;
    if (f == NULL)
        return false;
    if (media_is(media_type(f->path), STR("image"))) {
        embed_picture(w, f, span_of(text, l->display));
        return true;
    }
    if (f->kind != FILE_NOTE || w->in_link || w->level >= NOTE_HTML_LEVELS ||
        w->to->embeds >= NOTE_HTML_EMBEDS || !note_html_has_room(w, DEPTH_BLOCKS - 8))
        return false;
    embed_note(w, f, span_of(text, l->subpath));
    return true;
}
