/*
 * The text of one paragraph, heading or table row, from mark to mark. What begins first
 * wins: a code span that opens before a link hides it, and vice versa.
 */
#include "base/text.h"
#include "vault/note/scan.h"

void scan_node(struct scan *s, uint32_t start, uint32_t end)
{
    *SCAN_NOTE(s, nodes) = (struct span){start, end};
    s->run.node_end = end;
}

/* --- code --- */

/* The first run of backticks at or after at; false if there is none. */
static bool next_ticks(const struct scan *s, uint32_t at, struct span *out)
{
    do {
        at = scan_next(s->marks, at, s->run.end);
        if (at == s->run.end)
            return false;
    } while (s->p[at] != '`' && ++at);
    out->start = at;
    while (at < s->run.end && s->p[at] == '`')
        at++;
    out->end = at;
    return true;
}

/* After a search reached the end in vain, remember the last run of each length. */
static void note_ticks(struct scan *s, uint32_t at)
{
    struct span ticks;
    memset(s->last_tick, 0, sizeof(s->last_tick));
    for (; next_ticks(s, at, &ticks); at = ticks.end)
        if (ticks.end - ticks.start <= SCAN_TICKS)
            s->last_tick[ticks.end - ticks.start] = ticks.start;
    s->run.ticks_known = true;
}

/* Where the code that begins at at ends, or 0; *ticks: how long its opener is. */
static uint32_t scan_code(struct scan *s, uint32_t at, uint32_t *ticks)
{
    struct span open, close;
    (void)next_ticks(s, at, &open);
    *ticks = open.end - open.start;
    if (*ticks > SCAN_TICKS || (s->run.ticks_known && s->last_tick[*ticks] <= at))
        return 0;
    for (uint32_t from = open.end; next_ticks(s, from, &close); from = close.end)
        if (close.end - close.start == *ticks)
            return close.end;
    note_ticks(s, open.end);
    return 0;
}

static uint32_t code(struct scan *s, uint32_t at)
{
    uint32_t ticks, end = scan_code(s, at, &ticks);
    if (end == 0)
        return at + ticks;
    scan_add_region(s, NOTE_INLINE_CODE, at, end);
    scan_node(s, at, end);
    return end;
}

/* --- math --- */

static bool is_escaped(const struct scan *s, uint32_t at)
{
    uint32_t slashes = 0;
    while (at - slashes > s->run.start && s->p[at - slashes - 1] == '\\')
        slashes++;
    return slashes % 2 == 1;
}

static uint32_t scan_inline_line_end(struct scan *s, uint32_t at)
{
    struct run *r = &s->run;
    if (at >= r->line_end)
        r->line_end = scan_next(s->lines, at, r->end);
    return r->line_end;
}

static bool closes_math(const struct scan *s, uint32_t at)
{
    char before = s->p[at - 1], after = at + 1 < s->run.end ? s->p[at + 1] : '\n';
    return !is_blank(before) && !is_digit(after) && !is_escaped(s, at);
}

/* The position after the $ that closes the one at open, on the same line, or 0. */
static uint32_t math_end(struct scan *s, uint32_t open)
{
    uint32_t end = scan_inline_line_end(s, open), ticks, skip;
    for (uint32_t at = open + 1; (at = scan_next(s->marks, at, end)) < end;) {
        switch (s->p[at]) {
        case '$':
            if (at > open + 1 && closes_math(s, at))
                return at + 1;
            at++;
            break;
        case '`':
            skip = scan_code(s, at, &ticks);
            at = skip != 0 ? skip : at + ticks;
            break;
        case '[':
            skip = scan_wikilink_end(s, at);
            at = skip != 0 ? skip : at + 1;
            break;
        default:
            at++;
        }
    }
    s->run.no_math = end;
    return 0;
}

/* The position after the $$ that closes the one at open, or 0. */
static uint32_t display_end(struct scan *s, uint32_t open)
{
    uint32_t at = open + 2;
    while (!s->run.no_display && scan_find(s, at, s->run.end, "$$", &at)) {
        if (!is_escaped(s, at))
            return at + 2;
        at++;
    }
    s->run.no_display = true;
    return 0;
}

static uint32_t math(struct scan *s, uint32_t at)
{
    char next = at + 1 < s->run.end ? s->p[at + 1] : '\n';
    bool display = next == '$';
    uint32_t end = 0;
    if (display)
        end = display_end(s, at);
    else if (!is_blank(next) && !is_break(next) && at >= s->run.no_math)
        end = math_end(s, at);
    if (end == 0)
        return at + 1 + display;
    scan_add_region(s, NOTE_INLINE_MATH, at, end);
    scan_node(s, at, end);
    return end;
}

/* --- the rest --- */

static bool begins_line(const struct scan *s, uint32_t at)
{
    return at == s->run.start || is_break(s->p[at - 1]);
}

/* %% opens or closes a comment. Its contents are scanned as if it were not there. */
static uint32_t comment(struct scan *s, uint32_t at)
{
    if (at + 1 >= s->run.end || s->p[at + 1] != '%')
        return at + 1;
    if (s->comment != 0) {
        s->note->regions[s->comment - 1].span.end = at + 2;
        s->comment = 0;
    } else {
        s->comment = scan_add_region(s, NOTE_COMMENT, at, s->n) + 1;
        s->comment_wide = begins_line(s, at);
    }
    s->run.node_end = at + 2;
    return at + 2;
}

/*
 * A comment that did not begin a line must end in its paragraph; otherwise it is not a
 * comment.
 */
static void end_comment(struct scan *s)
{
    if (s->comment == 0 || s->comment_wide)
        return;
    struct span *span = &s->note->regions[s->comment - 1].span;
    span->end = span->start;
    s->dropped = true;
    s->comment = 0;
}

static uint32_t escape(struct scan *s, uint32_t at)
{
    if (at + 1 >= s->run.end || !is_punct(s->p[at + 1]))
        return at + 1;
    scan_node(s, at, at + 2);
    return at + 2;
}

static uint32_t html(struct scan *s, uint32_t at)
{
    uint32_t end = scan_html_inline(s, at);
    if (end == 0)
        return at + 1;
    scan_node(s, at, end);
    return end;
}

/* Handle the mark at at; returns where to continue. */
static uint32_t scan_inline_take(struct scan *s, uint32_t at)
{
    switch (s->p[at]) {
    case '`':
        return code(s, at);
    case '[':
        return scan_open_bracket(s, at);
    case ']':
        return scan_close_bracket(s, at);
    case '\\':
        return escape(s, at);
    case '#':
        return scan_tag(s, at);
    case '$':
        return math(s, at);
    case '%':
        return comment(s, at);
    default:
        return html(s, at);
    }
}

void scan_inline(struct scan *s, uint32_t start, uint32_t end, uint32_t line, bool table)
{
    uint32_t at = scan_next(s->marks, start, end);
    if (at == end)
        return;
    s->run = (struct run){
        .start = start, .end = end, .table = table, .first_tag = s->note->n_tags};
    s->run.node_end = s->run.doubt_end = s->run.last_bracket = UINT32_MAX;
    s->cursor = start;
    s->cursor_line = line;
    s->n_nodes = s->n_doubts = 0;
    do
        at = scan_next(s->marks, scan_inline_take(s, at), end);
    while (at < end);
    end_comment(s);
    if (s->n_doubts > 0 || s->run.tail)
        scan_settle_doubts(s);
}
