/*
 * Lines, and which of them belong together. note_scan() finds code, math, HTML, tables
 * and headings; items, quotes and paragraphs are recognized by the start of a line.
 */
#include "base/map.h"
#include "base/text.h"
#include "vault/note/merge_parts.h"
#include "vault/text/diff_core.h"

static uint32_t merge_lines_count_lines(str text, size_t at)
{
    uint32_t n = 0;
    for (; at < text.n; n++) {
        at = text_find_break(text, at);
        at += text_break(text, at).n;
    }
    return n;
}

static uint16_t indent_of(str line)
{
    uint16_t n = 0;
    while (n < line.n && n < UINT16_MAX && is_blank(line.p[n]))
        n++;
    return n;
}

static struct merge_line *cut_lines(struct merge *m, str text, uint32_t from, uint32_t *n)
{
    *n = merge_lines_count_lines(text, from);
    struct merge_line *lines = ARENA_ARRAY(m->scratch, struct merge_line, *n);
    size_t at = from;
    for (uint32_t i = 0; i < *n; i++) {
        size_t end = text_find_break(text, at), last = end;
        while (last > at && is_blank(text.p[last - 1]))
            last--;
        lines[i] = (struct merge_line){
            .text = str_slice(text, at, last),
            .blanks = str_slice(text, last, end),
            .eol = text_break(text, end),
            .at = (uint32_t)at,
            .indent = indent_of(str_slice(text, at, last)),
        };
        at = end + lines[i].eol.n;
    }
    return lines;
}

/* --- what a line is --- */

/*
 * The length of the item marker at the start of line, without indentation; 0 if there is
 * none.
 */
static size_t item_marker(str line)
{
    size_t n = 0;
    if (line.n > 0 && (line.p[0] == '-' || line.p[0] == '+' || line.p[0] == '*'))
        n = 1;
    while (n == 0 || (n < line.n && is_digit(line.p[n - 1]) && n < 10)) {
        if (n >= line.n)
            return 0;
        if (n > 0 && (line.p[n] == '.' || line.p[n] == ')')) {
            n++;
            break;
        }
        if (!is_digit(line.p[n]))
            return 0;
        n++;
    }
    return n == line.n || is_blank(line.p[n]) ? n : 0;
}

size_t merge_marks(str line)
{
    size_t at = indent_of(line);
    while (at < line.n && line.p[at] == '>')
        at += 1 + indent_of(str_skip(line, at + 1));
    size_t marker = item_marker(str_skip(line, at));
    while (marker == 0 && at < line.n && line.p[at] == '#')
        at++;
    at += marker;
    at += indent_of(str_skip(line, at));
    str rest = str_skip(line, at);
    if (marker > 0 && rest.n >= 3 && rest.p[0] == '[' && rest.p[1] != '[') {
        size_t close = str_find_char(str_slice(rest, 0, 6), ']');
        if (close != STR_NONE && close > 1 &&
            (close + 1 == rest.n || is_blank(rest.p[close + 1])))
            at += close + 1 + indent_of(str_skip(rest, close + 1));
    }
    return at;
}

/* A rule "* * *" looks like an item, but is not one. */
static enum merge_line_kind merge_lines_kind_of(const struct merge_line *line)
{
    str text = str_skip(line->text, line->indent);
    if (text.n == 0)
        return LINE_BLANK;
    if (text.p[0] == '>')
        return LINE_FIXED;
    return item_marker(text) > 0 ? LINE_ITEM : LINE_TEXT;
}

/* --- what the scan knows --- */

/* Advance from line i to the line that contains byte at. */
static uint32_t merge_lines_line_at(const struct merge_lines *l, uint32_t i, uint32_t at)
{
    while (i + 1 < l->n && l->items[i + 1].at <= at)
        i++;
    return i;
}

static bool is_block(const struct note_region *r, str text)
{
    if (r->kind == NOTE_HTML_COMMENT || r->kind == NOTE_COMMENT)
        return text_has_break(span_of(text, r->span));
    return r->kind != NOTE_INLINE_CODE && r->kind != NOTE_INLINE_MATH;
}

/*
 * Every region is a unit; 0 means none. In a table every row is a unit, and the delimiter
 * row belongs to the header.
 */
static void mark_region(struct merge_lines *l, uint32_t first,
                        const struct note_region *r, uint32_t unit)
{
    bool table = r->kind == NOTE_TABLE_REGION;
    for (uint32_t i = first; i < l->n && l->items[i].at < r->span.end; i++) {
        l->items[i].kind = table ? LINE_ROW : LINE_FIXED;
        l->items[i].unit = table && i > first + 1 ? 0 : unit;
    }
}

static void mark_regions(struct merge_lines *l, const struct note *note, uint32_t *units)
{
    uint32_t i = 0, done = 0;
    for (uint32_t r = 0; r < note->n_regions; r++) {
        const struct note_region *region = &note->regions[r];
        if (l->n == 0 || region->span.start < done || !is_block(region, note->text))
            continue;
        i = merge_lines_line_at(l, i, region->span.start);
        mark_region(l, i, region, ++*units);
        done = region->span.end;
    }
}

/* The underline of a setext heading belongs to the heading. */
static void mark_headings(struct merge_lines *l, const struct note *note, uint32_t *units)
{
    uint32_t i = 0;
    for (uint32_t h = 0; h < note->n_headings && l->n > 0; h++) {
        i = merge_lines_line_at(l, i, note->headings[h].title.start);
        uint32_t end = merge_lines_line_at(l, i, note->headings[h].title.end);
        str text = str_skip(l->items[i].text, l->items[i].indent);
        end += !str_starts(text, STR("#")) && end + 1 < l->n;
        ++*units;
        for (uint32_t k = i; k <= end; k++) {
            l->items[k].kind = LINE_HEADING;
            l->items[k].unit = *units;
        }
    }
}

/* Lines that are not in any region or heading. */
static void mark_rest(struct merge_lines *l, uint32_t *units)
{
    for (uint32_t i = 0; i < l->n; i++) {
        struct merge_line *line = &l->items[i], *before = i > 0 ? line - 1 : NULL;
        if (line->unit != 0)
            continue;
        if (line->kind != LINE_ROW)
            line->kind = merge_lines_kind_of(line);
        bool goes_on = before != NULL &&
                       ((line->kind == LINE_TEXT && before->kind == LINE_TEXT) ||
                        (line->kind == LINE_TEXT && before->kind >= LINE_ITEM &&
                         before->kind <= LINE_MORE) ||
                        (line->kind == LINE_FIXED && before->kind == LINE_FIXED &&
                         str_starts(str_skip(before->text, before->indent), STR(">"))));
        if (goes_on && line->kind == LINE_TEXT && before->kind != LINE_TEXT)
            line->kind = LINE_MORE;
        line->unit = goes_on ? before->unit : ++*units;
    }
}

/* Whether code or a comment at the end of the text is not closed. */
static bool is_open(const struct merge_lines *l, const struct note *note)
{
    const struct merge_line *last = l->n > 0 ? &l->items[l->n - 1] : NULL;
    if (last == NULL || last->kind != LINE_FIXED || note->n_regions == 0)
        return false;
    bool single = l->n == 1 || l->items[l->n - 2].unit != last->unit;
    str text = str_skip(last->text, last->indent);
    bool closes = str_starts(text, STR("```")) || str_starts(text, STR("~~~")) ||
                  str_ends(text, STR("$$")) || str_ends(text, STR("%%")) ||
                  str_ends(text, STR("-->"));
    return !str_starts(text, STR(">")) && (single || !closes);
}

struct merge_lines merge_cut(struct merge *m, const struct note *note)
{
    struct merge_lines l = {0};
    uint32_t units = 0;
    l.items = cut_lines(m, note->text, note->body, &l.n);
    mark_regions(&l, note, &units);
    mark_headings(&l, note, &units);
    mark_rest(&l, &units);
    l.open = is_open(&l, note);
    return l;
}

void merge_name_lines(struct merge *m, struct merge_lines *const rows[3])
{
    struct map names = {.arena = m->scratch};
    map_reserve(&names.index, m->scratch, (size_t)rows[0]->n + rows[1]->n + rows[2]->n);
    for (int r = 0; r < 3; r++)
        for (uint32_t i = 0; i < rows[r]->n; i++)
            rows[r]->items[i].name = map_add(&names, rows[r]->items[i].text);
    m->n_names = names.n;
}
