/*
 * The block structure, line by line, as in the appendix of the CommonMark specification:
 * find out which of the open containers the line continues, then open new ones; the rest
 * belongs to a leaf. Only a paragraph may continue without the markers of its containers
 * (a "lazy" line).
 */
#include "base/text.h"
#include "vault/note/scan.h"

/* Whether a line that begins with c can be anything but text. */
static bool may_open_block(char c)
{
    static const bool table[256] = {
        [' '] = true, ['\t'] = true,        ['>'] = true, ['#'] = true, ['`'] = true,
        ['~'] = true, ['<'] = true,         ['='] = true, ['-'] = true, ['_'] = true,
        ['*'] = true, ['+'] = true,         ['$'] = true, ['['] = true, ['|'] = true,
        [':'] = true, ['0' ... '9'] = true,
    };
    return table[(unsigned char)c];
}

/* --- the cursor in a line --- */

uint32_t scan_text(const struct scan *s, struct line *l)
{
    if (l->text < l->at)
        l->text = l->at;
    while (l->text < l->end && is_blank(s->p[l->text]))
        l->text++;
    return l->text;
}

static uint32_t width_of(char c, uint32_t column)
{
    return c == '\t' ? 4 - column % 4 : 1;
}

uint32_t scan_indent(const struct scan *s, const struct line *l)
{
    uint32_t columns = l->blanks, column = l->column;
    for (uint32_t at = l->at; columns < 4 && at < l->end && is_blank(s->p[at]); at++) {
        uint32_t width = width_of(s->p[at], column);
        columns += width;
        column += width;
    }
    return columns < 4 ? columns : 4;
}

/*
 * Consume that many columns of white space. False, and nothing is consumed, if there are
 * fewer.
 */
static bool eat(const struct scan *s, struct line *l, uint32_t columns)
{
    uint32_t at = l->at, column = l->column, blanks = l->blanks;
    while (blanks < columns) {
        if (at == l->end || !is_blank(s->p[at]))
            return false;
        uint32_t width = width_of(s->p[at++], column);
        blanks += width;
        column += width;
    }
    l->at = at;
    l->column = column;
    l->blanks = blanks - columns;
    return true;
}

/* Move the cursor to a byte after the indentation. */
static void go_to(struct line *l, uint32_t at)
{
    l->column += at - l->at; /* only used to measure tabs */
    l->at = at;
    l->blanks = 0;
}

/* Consume the indentation (fewer than four columns) and the n bytes after it. */
static void eat_marker(const struct scan *s, struct line *l, uint32_t n)
{
    (void)eat(s, l, scan_indent(s, l));
    go_to(l, l->at + n);
}

/* --- containers --- */

static bool eat_quote(const struct scan *s, struct line *l)
{
    uint32_t text = scan_text(s, l);
    if (text == l->end || s->p[text] != '>' || scan_indent(s, l) > 3)
        return false;
    eat_marker(s, l, 1);
    (void)eat(s, l, 1);
    return true;
}

static bool continues(const struct scan *s, struct line *l, const struct container *c)
{
    if (c->kind == QUOTE)
        return eat_quote(s, l);
    if (scan_text(s, l) == l->end)
        return !c->empty;
    return eat(s, l, c->indent);
}

static uint32_t scan_block_match(const struct scan *s, struct line *l)
{
    uint32_t i = 0;
    if (scan_text(s, l) == l->end && s->depth > 0) {
        /*
         * A blank line continues all items, except inside quotes and for an item without
         * text.
         */
        i = s->plain;
        return i == s->depth && s->containers[i - 1].empty ? i - 1 : i;
    }
    while (i < s->depth && continues(s, l, &s->containers[i]))
        i++;
    return i;
}

static enum note_block_type scan_block_type_of(const struct container *c)
{
    if (c->kind == ITEM)
        return NOTE_LIST;
    return c->callout ? NOTE_CALLOUT : NOTE_QUOTE;
}

/* The last line with text was the last one of the container. */
static void end_entry(struct scan *s, const struct container *c)
{
    struct note *n = s->note;
    if (c->kind == FOOTNOTE)
        n->footnotes[c->entry].whole.end = s->last_end;
    for (uint32_t i = c->entry; c->kind == ITEM && i > 0 && i <= n->n_blocks; i++)
        if (n->blocks[i - 1].body.start == c->start)
            n->blocks[i - 1].whole_end = s->last_end;
}

static void pop(struct scan *s)
{
    const struct container *c = &s->containers[--s->depth];
    end_entry(s, c);
    if (s->plain > s->depth)
        s->plain = s->depth;
    if (s->depth > 0)
        return;
    s->previous = (struct previous){
        .any = c->kind != FOOTNOTE,
        .type = scan_block_type_of(c),
        .marker = c->marker,
        .body = {c->list_start, s->last_end},
        .line_start = c->list_line,
        .line_end = s->last_line,
    };
}

static void close_to(struct scan *s, uint32_t depth, bool at_blank)
{
    scan_leaf_close(s, at_blank);
    while (s->depth > depth)
        pop(s);
}

void scan_make_room(struct scan *s)
{
    close_to(s, s->matched, false);
}

static struct container *push(struct scan *s, const struct line *l,
                              enum container_kind kind)
{
    scan_make_room(s);
    bool plain = s->plain == s->depth && kind != QUOTE;
    struct container *c = &s->containers[s->depth++];
    *c = (struct container){.kind = kind,
                            .start = l->start,
                            .line = l->number,
                            .list_start = l->start,
                            .list_line = l->number};
    s->matched = s->depth;
    if (plain)
        s->plain = s->depth;
    return c;
}

/* [!type|metadata]± title, at the start of a quote. Leaves the cursor at the title. */
static bool open_callout(struct scan *s, struct line *l)
{
    uint32_t at = scan_text(s, l);
    if (l->end - at < 4 || s->p[at] != '[' || s->p[at + 1] != '!')
        return false;
    uint32_t close = at + 2;
    while (close < l->end && s->p[close] != ']' && s->p[close] != '[')
        close++;
    if (close == l->end || s->p[close] != ']')
        return false;
    const char *pipe = memchr(s->p + at, '|', close - at);
    uint32_t type_end = pipe != NULL ? (uint32_t)(pipe - s->p) : close;
    struct span type = scan_trim(s, at + 2, type_end);
    if (type.start == type.end)
        return false;
    uint32_t title = close + 1;
    bool folds = title < l->end && (s->p[title] == '+' || s->p[title] == '-');
    *SCAN_ADD(s, callouts) = (struct note_callout){
        .type = type,
        .title = scan_trim(s, title + folds, l->end),
        .line = l->number,
        .fold = folds ? s->p[title] : '\0',
    };
    go_to(l, title + folds);
    return true;
}

/* [c] and a space at the start of an item. Leaves the cursor after the space. */
static bool open_task(struct scan *s, struct line *l, uint32_t marker)
{
    uint32_t at = scan_text(s, l), close = at + 2;
    if (l->end - at < 4 || s->p[at] != '[' || s->p[at + 1] == ']')
        return false;
    while (close < l->end && (s->p[close] & 0xC0) == 0x80 && close < at + 5)
        close++; /* the rest of a multi-byte character */
    if (l->end - close < 2 || s->p[close] != ']' || !is_blank(s->p[close + 1]))
        return false;
    uint32_t indent = 0;
    while (marker - indent > l->start && is_blank(s->p[marker - indent - 1]) &&
           indent < UINT16_MAX)
        indent++;
    *SCAN_ADD(s, tasks) = (struct note_task){
        .text = {close + 2, l->end},
        .mark = {at + 1, close},
        .line = l->number,
        .indent = (uint16_t)indent,
        .done = s->p[at + 1] != ' ' || close > at + 2,
    };
    go_to(l, close + 2);
    return true;
}

/*
 * The length of the marker at at, "-" or "12."; 0 if there is none. *one: the number is
 * 1.
 */
static uint32_t marker_length(const struct scan *s, const struct line *l, uint32_t at,
                              bool *one)
{
    uint32_t end = at;
    while (end < l->end && end < at + 9 && is_digit(s->p[end]))
        end++;
    char c = end < l->end ? s->p[end] : '\0';
    bool bullet = end == at && (c == '-' || c == '+' || c == '*');
    bool number = end > at && (c == '.' || c == ')');
    if ((!bullet && !number) || (end + 1 < l->end && !is_blank(s->p[end + 1])))
        return 0;
    *one = bullet || (end == at + 1 && s->p[at] == '1');
    return end + 1 - at;
}

/* Move to the text of an item; returns the columns from the marker to the text. */
static uint32_t eat_padding(const struct scan *s, struct line *l)
{
    struct line four = *l;
    bool code = eat(s, &four, 5); /* the item begins with indented code */
    if (scan_text(s, l) == l->end || code) {
        (void)eat(s, l, 1);
        return 1;
    }
    uint32_t columns = 0;
    while (columns < 4 && eat(s, l, 1))
        columns++;
    return columns;
}

static bool open_item(struct scan *s, struct line *l, bool *task)
{
    bool one = false;
    uint32_t at = scan_text(s, l), length = marker_length(s, l, at, &one);
    if (length == 0)
        return false;
    bool interrupts = s->leaf.kind == LEAF_PARAGRAPH && s->matched == s->depth;
    if (interrupts && (!one || scan_trim(s, at + length, l->end).start == l->end))
        return false;
    char marker = s->p[at + length - 1];
    uint32_t indent = scan_indent(s, l);
    struct container *c = push(s, l, ITEM);
    c->marker = marker;
    if (s->depth == 1 && s->previous.any && s->previous.type == NOTE_LIST &&
        s->previous.marker == marker) {
        c->list_start = s->previous.body.start;
        c->list_line = s->previous.line_start;
    }
    eat_marker(s, l, length);
    c->indent = indent + length + eat_padding(s, l);
    c->empty = scan_text(s, l) == l->end;
    *task = open_task(s, l, at);
    return true;
}

/* [^id]: before the text of a footnote. */
static bool open_footnote(struct scan *s, struct line *l)
{
    uint32_t at = scan_text(s, l), end = at + 2;
    if (l->end - at < 5 || s->p[at] != '[' || s->p[at + 1] != '^')
        return false;
    while (end < l->end && s->p[end] != ']' && s->p[end] != '[' && !is_blank(s->p[end]))
        end++;
    if (end == at + 2 || l->end - end < 2 || s->p[end] != ']' || s->p[end + 1] != ':')
        return false;
    struct container *c = push(s, l, FOOTNOTE);
    c->indent = 4;
    c->entry = s->note->n_footnotes;
    *SCAN_ADD(s, footnotes) = (struct note_footnote){
        .id = {at + 2, end},
        .whole = {at, l->end},
        .line = l->number,
        .definition = true,
    };
    go_to(l, end + 2);
    return true;
}

/* Open a container at the cursor. *text: only text can follow. */
static bool open_container(struct scan *s, struct line *l, bool *text)
{
    if (s->matched == SCAN_DEPTH)
        return false;
    char c = s->p[scan_text(s, l)];
    if (c == '[')
        return open_footnote(s, l);
    if (c != '>')
        return may_open_block(c) && open_item(s, l, text);
    struct container *quote = push(s, l, QUOTE);
    (void)eat_quote(s, l);
    quote->callout = open_callout(s, l);
    *text = quote->callout;
    return true;
}

/* --- lines --- */

static void blank_line(struct scan *s)
{
    bool code = s->leaf.kind == LEAF_INDENTED && s->matched == s->depth;
    if (!code)
        close_to(s, s->matched, true);
}

/* Handle the rest of the line after the containers that it continues. */
static void open_blocks(struct scan *s, struct line *l)
{
    bool text = false;
    while (!text) {
        if (scan_text(s, l) == l->end)
            return;
        if (scan_indent(s, l) == 4) {
            scan_leaf_indented(s, l);
            return;
        }
        if (scan_leaf_opens(s, l))
            return;
        if (!open_container(s, l, &text))
            break;
    }
    scan_leaf_text(s, l);
}

/*
 * A fast path for most lines of most notes: text or blank lines outside all containers.
 */
static bool simple_line(struct scan *s, struct line *l)
{
    if (s->depth > 0 || s->leaf.kind > LEAF_PARAGRAPH)
        return false;
    s->matched = 0;
    if (l->start == l->end)
        scan_leaf_close(s, true);
    else if (may_open_block(s->p[l->start]))
        return false;
    else
        scan_leaf_text(s, l);
    return true;
}

static void scan_line(struct scan *s, struct line *l)
{
    s->matched = scan_block_match(s, l);
    bool blank = scan_text(s, l) == l->end;
    if (s->matched == s->depth) {
        if (scan_leaf_takes(s, l))
            return;
        if (s->depth > 0 && !blank)
            s->containers[s->depth - 1].empty = false;
    } else if (s->leaf.kind != LEAF_PARAGRAPH) {
        close_to(s, s->matched, blank);
    }
    if (blank)
        blank_line(s);
    else
        open_blocks(s, l);
}

void scan_blocks(struct scan *s, uint32_t at, uint32_t line)
{
    for (; at < s->n; line++) {
        uint32_t next = scan_next(s->lines, at, s->n), end = next;
        if (end < s->n) {
            next++;
            if (end > at && s->p[end] == '\n' && s->p[end - 1] == '\r')
                end--;
        }
        struct line l = {.number = line, .start = at, .end = end, .at = at};
        bool blank = scan_text(s, &l) == end;
        if (!simple_line(s, &l))
            scan_line(s, &l);
        s->blank = blank;
        if (!blank) {
            s->last_end = end;
            s->last_line = line;
        }
        at = next;
    }
    s->note->lines = line - 1;
    close_to(s, 0, true);
}
