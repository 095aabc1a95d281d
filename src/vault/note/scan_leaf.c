/*
 * Leaves: what opens them, which lines they take, what happens when they close. A
 * paragraph is scanned when it closes, because a code span may continue over its lines.
 */
#include "base/text.h"
#include "vault/note/note_table.h"
#include "vault/note/scan.h"

static void open_leaf(struct scan *s, const struct line *l, enum leaf_kind kind)
{
    scan_make_room(s);
    s->leaf = (struct leaf){
        .kind = kind,
        .start = l->at,
        .end = l->end,
        .line_start = l->start,
        .line = l->number,
        .last_start = l->start,
        .last_line = l->number,
        .last_text = l->at,
        .outside_end = s->last_end,
        .outside_line = s->last_line,
        .after_blank = s->blank,
    };
}

static void open_region(struct scan *s, const struct line *l, enum leaf_kind kind,
                        enum note_region_kind region)
{
    uint32_t start = l->text;
    open_leaf(s, l, kind);
    s->leaf.region = scan_add_region(s, region, start, l->end);
}

static void extend(struct scan *s, const struct line *l)
{
    struct leaf *f = &s->leaf;
    f->before_last = f->end;
    f->end = l->end;
    f->last_start = l->start;
    f->last_line = l->number;
    f->last_text = l->at;
}

/* --- closing --- */

static void close_region(struct scan *s, bool named, enum note_block_type type)
{
    const struct leaf *f = &s->leaf;
    s->note->regions[f->region].span.end = f->end;
    if (s->depth > 0)
        return;
    s->previous = (struct previous){
        .any = named,
        .type = type,
        .body = {f->line_start, f->end},
        .line_start = f->line,
        .line_end = f->last_line,
    };
}

static void close_paragraph(struct scan *s, bool at_blank)
{
    const struct leaf *f = &s->leaf;
    scan_block_id(s, at_blank);
    scan_inline(s, f->start, f->end, f->line, false);
    if (s->depth == 0)
        s->previous.any = false;
}

void scan_leaf_close(struct scan *s, bool at_blank)
{
    switch (s->leaf.kind) {
    case LEAF_NONE:
        return;
    case LEAF_PARAGRAPH:
        close_paragraph(s, at_blank);
        break;
    case LEAF_TABLE:
        close_region(s, true, NOTE_TABLE);
        break;
    case LEAF_FENCE:
    case LEAF_INDENTED:
        close_region(s, true, NOTE_CODE);
        break;
    case LEAF_HTML:
        close_region(s, false, NOTE_CODE);
        break;
    case LEAF_MATH:
        close_region(s, true, NOTE_MATH);
        break;
    }
    s->leaf.kind = LEAF_NONE;
}

/* --- headings and rules --- */

static void add_heading(struct scan *s, unsigned level, struct span title, uint32_t start,
                        uint32_t line)
{
    if (s->depth == 0) {
        *SCAN_ADD(s, headings) = (struct note_heading){
            .title = title,
            .section = {start, s->n},
            .line = line,
            .level = (uint8_t)level,
        };
        s->previous.any = false;
    }
    scan_inline(s, title.start, title.end, line, false);
}

/* # title; closing #s after a space are dropped. */
static bool open_heading(struct scan *s, struct line *l)
{
    uint32_t at = l->text, end = at;
    while (end < l->end && s->p[end] == '#')
        end++;
    uint32_t level = end - at;
    if (level > 6 || (end < l->end && !is_blank(s->p[end])))
        return false;
    struct span title = scan_trim(s, end, l->end);
    uint32_t cut = title.end;
    while (cut > title.start && s->p[cut - 1] == '#')
        cut--;
    if (cut == title.start || is_blank(s->p[cut - 1]))
        title = scan_trim(s, title.start, cut);
    scan_make_room(s);
    add_heading(s, level, title, l->start, l->number);
    return true;
}

/* The paragraph becomes a heading if the line is === or ---. */
static bool close_setext(struct scan *s, struct line *l)
{
    const struct leaf *f = &s->leaf;
    if (f->kind != LEAF_PARAGRAPH || s->matched < s->depth)
        return false;
    char c = s->p[l->text];
    uint32_t at = l->text;
    while (at < l->end && s->p[at] == c)
        at++;
    if (scan_trim(s, at, l->end).start < l->end)
        return false;
    s->leaf.kind = LEAF_NONE;
    add_heading(s, c == '=' ? 1 : 2, scan_trim(s, f->start, f->end), f->line_start,
                f->line);
    return true;
}

/* Three or more of * - _ with only white space between them. */
static bool open_rule(struct scan *s, struct line *l)
{
    if (l->text < l->no_break)
        return false;
    char c = s->p[l->text];
    uint32_t n = 0, at = l->text;
    for (; at < l->end && (s->p[at] == c || is_blank(s->p[at])); at++)
        n += s->p[at] == c;
    if (at < l->end || n < 3) {
        l->no_break = at;
        return false;
    }
    scan_make_room(s);
    if (s->depth == 0)
        s->previous.any = false;
    return true;
}

/* --- code, math, HTML --- */

static uint32_t run_length(const struct scan *s, uint32_t at, uint32_t end)
{
    uint32_t to = at;
    while (to < end && s->p[to] == s->p[at])
        to++;
    return to - at;
}

static bool open_fence(struct scan *s, struct line *l)
{
    uint32_t length = run_length(s, l->text, l->end), info = l->text + length;
    char c = s->p[l->text];
    if (length < 3 || (c == '`' && memchr(s->p + info, '`', l->end - info) != NULL))
        return false;
    open_region(s, l, LEAF_FENCE, NOTE_FENCED_CODE);
    s->leaf.fence = length;
    s->leaf.fence_char = c;
    return true;
}

static bool closes_fence(const struct scan *s, struct line *l)
{
    uint32_t at = scan_text(s, l);
    if (at == l->end || s->p[at] != s->leaf.fence_char || scan_indent(s, l) == 4)
        return false;
    uint32_t length = run_length(s, at, l->end);
    return length >= s->leaf.fence && scan_trim(s, at + length, l->end).start == l->end;
}

/* $$ that is not closed on its line, but on a later one. */
static bool open_math(struct scan *s, struct line *l)
{
    uint32_t at = l->text, close;
    if (s->no_math || l->end - at < 2 || s->p[at + 1] != '$' ||
        scan_find(s, at + 2, l->end, "$$", &close))
        return false;
    if (!scan_find(s, l->end, s->n, "$$", &close)) {
        s->no_math = true;
        return false;
    }
    open_region(s, l, LEAF_MATH, NOTE_BLOCK_MATH);
    return true;
}

static bool open_html(struct scan *s, struct line *l)
{
    bool interrupts = s->leaf.kind == LEAF_PARAGRAPH;
    enum html_end how = scan_html_block(s, l->text, l->end, interrupts);
    if (how == HTML_NONE)
        return false;
    bool comment = how == HTML_COMMENT_END;
    uint32_t text = l->text;
    open_region(s, l, LEAF_HTML, comment ? NOTE_HTML_COMMENT : NOTE_HTML_BLOCK);
    s->leaf.html = how;
    if (scan_html_ends(s, how, text + (comment ? 2 : 0), l->end))
        scan_leaf_close(s, false);
    return true;
}

/* --- tables --- */

/*
 * The number of columns of a delimiter row such as |-|:-:|, which must have a pipe; 0 if
 * it is not one.
 */
static uint32_t delimiter_cells(const struct scan *s, uint32_t at, uint32_t end)
{
    uint32_t cells = 0;
    bool pipe = s->p[at] == '|';
    for (at += pipe; at < end;) {
        at = scan_trim(s, at, end).start;
        if (at == end && cells > 0)
            break; /* after the last pipe */
        at += at < end && s->p[at] == ':';
        uint32_t dashes = at < end && s->p[at] == '-' ? run_length(s, at, end) : 0;
        at += dashes;
        at += at < end && s->p[at] == ':';
        at = scan_trim(s, at, end).start;
        if (dashes == 0 || (at < end && s->p[at] != '|'))
            return 0;
        pipe |= at < end;
        at += at < end;
        cells++;
    }
    return pipe ? cells : 0;
}

/* The number of columns of any row. */
static uint32_t row_cells(const struct scan *s, uint32_t start, uint32_t end)
{
    struct span row = scan_trim(s, start, end);
    str cell, text = {s->p + row.start, row.end - row.start};
    uint32_t cells = 0;
    for (size_t at = 0; note_next_cell(text, &at, &cell);)
        cells++;
    return cells > 0 ? cells : 1;
}

static void add_row(struct scan *s, uint32_t start, uint32_t end)
{
    struct note_rows *rows = s->rows;
    if (rows != NULL)
        *ARRAY_ADD_CAP(s->arena, rows->items, rows->n, rows->cap) =
            scan_trim(s, start, end);
}

/* If this is a delimiter row, the last line of the paragraph is the header of a table. */
static bool open_table(struct scan *s, struct line *l)
{
    struct leaf *f = &s->leaf;
    if (f->kind != LEAF_PARAGRAPH || s->matched < s->depth || f->lazy ||
        f->last_text == f->end)
        return false;
    uint32_t cells = delimiter_cells(s, l->text, l->end);
    if (cells == 0 || cells != row_cells(s, f->last_text, f->end))
        return false;
    if (f->last_line > f->line)
        scan_inline(s, f->start, f->before_last, f->line, false);
    f->kind = LEAF_TABLE;
    f->start = f->last_text;
    f->line_start = f->last_start;
    f->line = f->last_line;
    f->region = scan_add_region(s, NOTE_TABLE_REGION, f->start, l->end);
    add_row(s, f->start, f->end);
    add_row(s, l->text, l->end);
    scan_inline(s, f->start, f->end, f->line, true);
    extend(s, l);
    return true;
}

/* --- called by scan_block.c --- */

bool scan_leaf_takes(struct scan *s, struct line *l)
{
    uint32_t found;
    bool ends = false, blank = scan_text(s, l) == l->end;
    switch (s->leaf.kind) {
    case LEAF_NONE:
    case LEAF_PARAGRAPH:
    case LEAF_TABLE:
        return false;
    case LEAF_INDENTED:
        if (!blank && scan_indent(s, l) < 4) {
            scan_leaf_close(s, false);
            return false;
        }
        if (!blank)
            extend(s, l);
        return true;
    case LEAF_FENCE:
        ends = closes_fence(s, l);
        break;
    case LEAF_MATH:
        ends = scan_find(s, l->at, l->end, "$$", &found);
        break;
    case LEAF_HTML:
        if (blank && s->leaf.html != HTML_COMMENT_END) {
            scan_leaf_close(s, true);
            return false;
        }
        ends = scan_html_ends(s, s->leaf.html, l->at, l->end);
        break;
    }
    extend(s, l);
    if (ends)
        scan_leaf_close(s, false);
    return true;
}

bool scan_leaf_opens(struct scan *s, struct line *l)
{
    switch (s->p[scan_text(s, l)]) {
    case '#':
        return open_heading(s, l);
    case '`':
    case '~':
        return open_fence(s, l);
    case '<':
        return open_html(s, l);
    case '$':
        return open_math(s, l);
    case '=':
        return close_setext(s, l);
    case '-':
        return close_setext(s, l) || open_rule(s, l) || open_table(s, l);
    case '*':
    case '_':
        return open_rule(s, l);
    case '|':
    case ':':
        return open_table(s, l);
    default:
        return false;
    }
}

void scan_leaf_indented(struct scan *s, struct line *l)
{
    if (s->leaf.kind == LEAF_PARAGRAPH || s->leaf.kind == LEAF_TABLE)
        scan_leaf_text(s, l);
    else
        open_region(s, l, LEAF_INDENTED, NOTE_INDENTED_CODE);
}

void scan_leaf_text(struct scan *s, struct line *l)
{
    l->at = scan_text(s, l);
    if (s->leaf.kind == LEAF_PARAGRAPH) {
        extend(s, l);
        s->leaf.lazy = s->matched < s->depth;
    } else if (s->leaf.kind == LEAF_TABLE && s->matched == s->depth) {
        extend(s, l);
        add_row(s, l->at, l->end);
        scan_inline(s, l->at, l->end, l->number, true);
    } else {
        scan_make_room(s);
        if (!scan_definition(s, l, l->at))
            open_leaf(s, l, LEAF_PARAGRAPH);
        else if (s->depth == 0)
            s->previous.any = false;
    }
}
