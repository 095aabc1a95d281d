/*
 * Brackets: wikilinks, footnotes, Markdown links, definitions.
 *
 * A wikilink contains no brackets and is on one line, so its end is found from its
 * opener. Other brackets wait on a stack for their partner; only the newest SCAN_BRACKETS
 * are kept. As in CommonMark, a link contains no other link; an image may.
 */
#include "base/text.h"
#include "vault/note/scan.h"

enum { PARENS_MAX = 8, LABEL_MAX = 999 };

/* Insert a link in the order of starts: a link that contains others comes before them. */
static void scan_link_add_link(struct scan *s, struct note_link link)
{
    struct note_link *to = SCAN_ADD(s, links);
    for (; to > s->note->links && to[-1].whole.start > link.whole.start; to--)
        *to = to[-1];
    *to = link;
}

/* Whether an unescaped ! is before at. */
static bool is_embed(const struct scan *s, uint32_t at)
{
    return at > s->run.start && s->p[at - 1] == '!' && s->run.node_end != at;
}

/* The next bracket at or after at, or end. */
static uint32_t next_bracket(const struct scan *s, uint32_t at, uint32_t end)
{
    while ((at = scan_next(s->marks, at, end)) < end && s->p[at] != '[' &&
           s->p[at] != ']')
        at++;
    return at;
}

/* --- wikilinks --- */

uint32_t scan_wikilink_end(const struct scan *s, uint32_t at)
{
    uint32_t end = s->run.end;
    if (at + 1 >= end || s->p[at + 1] != '[')
        return 0;
    uint32_t close = next_bracket(s, at + 2, end);
    if (close + 1 >= end || s->p[close] != ']' || s->p[close + 1] != ']' ||
        scan_next(s->lines, at, close) < close)
        return 0;
    struct span inside = scan_trim(s, at + 2, close);
    return inside.start < inside.end && s->p[inside.start] != '|' ? close + 2 : 0;
}

/* path#subpath in [start, end). */
static void scan_link_split(const struct scan *s, uint32_t start, uint32_t end,
                            struct note_link *out)
{
    const char *hash = memchr(s->p + start, '#', end - start);
    uint32_t at = hash != NULL ? (uint32_t)(hash - s->p) : end;
    out->path = scan_trim(s, start, at);
    out->subpath = scan_trim(s, at, end);
}

static void scan_link_add_wikilink(struct scan *s, uint32_t at, uint32_t end)
{
    bool embed = is_embed(s, at);
    struct note_link link = {
        .kind = NOTE_WIKILINK,
        .embed = embed,
        .whole = {at - embed, end},
        .display = {end - 2, end - 2},
        .line = scan_line_at(s, at),
    };
    uint32_t inside = at + 2, to = end - 2;
    const char *pipe = memchr(s->p + inside, '|', to - inside);
    if (pipe != NULL) {
        uint32_t bar = (uint32_t)(pipe - s->p);
        link.display.start = bar + 1;
        to = bar - (bar > inside && pipe[-1] == '\\'); /* tables need "\|" */
    }
    scan_link_split(s, inside, to, &link);
    scan_link_add_link(s, link);
}

/* --- open brackets --- */

/* [^id] */
static uint32_t footnote(struct scan *s, uint32_t at)
{
    uint32_t close = next_bracket(s, at + 2, s->run.end);
    if (close == s->run.end || close == at + 2 || s->p[close] != ']')
        return 0;
    for (uint32_t i = at + 2; i < close; i++)
        if (is_white(s->p[i]))
            return 0;
    *SCAN_ADD(s, footnotes) = (struct note_footnote){
        .id = {at + 2, close},
        .whole = {at, close + 1},
        .line = scan_line_at(s, at),
    };
    return close + 1;
}

static void push(struct scan *s, uint32_t at)
{
    struct run *r = &s->run;
    s->brackets[r->top++ % SCAN_BRACKETS] = (struct bracket){
        .at = at,
        .line = scan_line_at(s, at),
        .tags = s->note->n_tags,
        .image = is_embed(s, at),
    };
    if (r->top - r->bottom > SCAN_BRACKETS)
        r->bottom++;
}

uint32_t scan_open_bracket(struct scan *s, uint32_t at)
{
    struct run *r = &s->run;
    r->last_bracket = at;
    uint32_t end = scan_wikilink_end(s, at);
    if (end != 0) {
        scan_link_add_wikilink(s, at, end);
        r->dead = r->top;
    } else if (at + 1 < r->end && s->p[at + 1] == '^') {
        end = footnote(s, at);
    }
    if (end == 0) {
        push(s, at);
        return at + 1;
    }
    scan_node(s, at, end);
    return end;
}

/* --- destinations --- */

/*
 * Read <destination>, without the angles into *out; returns the position after it, or 0.
 */
static uint32_t angle_destination(const struct scan *s, uint32_t at, uint32_t end,
                                  struct span *out)
{
    uint32_t from = ++at;
    for (; at < end && s->p[at] != '>'; at++) {
        if (s->p[at] == '<' || is_break(s->p[at]))
            return 0;
        if (s->p[at] == '\\' && at + 1 < end && is_punct(s->p[at + 1]))
            at++;
    }
    if (at >= end)
        return 0;
    *out = scan_trim(s, from, at);
    return at + 1;
}

/*
 * Read a destination without spaces and with balanced parentheses; returns the position
 * after it.
 */
static uint32_t plain_destination(const struct scan *s, uint32_t at, uint32_t end,
                                  struct span *out)
{
    uint32_t from = at, open = 0;
    for (; at < end && (unsigned char)s->p[at] > ' '; at++) {
        if (s->p[at] == '\\' && at + 1 < end && is_punct(s->p[at + 1]))
            at++;
        else if (s->p[at] == '(' && ++open > PARENS_MAX)
            return 0;
        else if (s->p[at] == ')') {
            if (open == 0)
                break;
            open--;
        }
    }
    *out = (struct span){from, at};
    return open == 0 ? at : 0;
}

/* The position after "title", 'title' or (title); 0 if it is not closed. */
static uint32_t title_end(const struct scan *s, uint32_t at, uint32_t end)
{
    char open = s->p[at], close = open == '(' ? ')' : open;
    if (open != '"' && open != '\'' && open != '(')
        return 0;
    for (at++; at < end && s->p[at] != close; at++) {
        if (s->p[at] == '\\')
            at++;
        else if (s->p[at] == '(' && open == '(')
            return 0;
    }
    return at < end ? at + 1 : 0;
}

static uint32_t scan_link_skip_spaces(const struct scan *s, uint32_t at, uint32_t end)
{
    while (at < end && is_white(s->p[at]))
        at++;
    return at;
}

/*
 * Read a destination and an optional title. Returns the position after them and the
 * spaces after them, or 0; fills in path, subpath, external and angle.
 */
static uint32_t destination(const struct scan *s, uint32_t at, uint32_t end,
                            struct note_link *out)
{
    struct span d;
    out->angle = at < end && s->p[at] == '<';
    at = out->angle ? angle_destination(s, at, end, &d)
                    : plain_destination(s, at, end, &d);
    if (at == 0)
        return 0;
    uint32_t title = scan_link_skip_spaces(s, at, end);
    if (title > at && title < end && s->p[title] != ')') {
        title = title_end(s, title, end);
        if (title == 0)
            return 0;
    }
    str text = {s->p + d.start, d.end - d.start};
    out->external = str_find_char(text, ':') != STR_NONE &&
                    !str_starts(text, STR("./")) && !str_starts(text, STR("../"));
    scan_link_split(s, d.start, d.end, out);
    if (out->external) {
        out->path = d;
        out->subpath = (struct span){d.end, d.end};
    }
    return scan_link_skip_spaces(s, title, end);
}

/* --- closing brackets --- */

/* Read the (destination) at at, after the text of b; false if there is none. */
static bool inline_link(struct scan *s, const struct bracket *b, uint32_t at,
                        uint32_t *end)
{
    struct note_link link = {
        .kind = NOTE_MARKDOWN_LINK,
        .embed = b->image,
        .display = {b->at + 1, at - 1},
        .line = b->line,
    };
    uint32_t from = scan_link_skip_spaces(s, at + 1, s->run.end);
    uint32_t to = destination(s, from, s->run.end, &link);
    if (to == 0 || to == s->run.end || s->p[to] != ')')
        return false;
    *end = to + 1;
    link.whole = (struct span){b->at - b->image, *end};
    if (link.path.end > link.path.start || link.subpath.end > link.subpath.start)
        scan_link_add_link(s, link);
    return true;
}

/* [text][label], [label][] or [label]: a link if there is a definition anywhere. */
static void scan_link_add_reference(struct scan *s, const struct bracket *b,
                                    uint32_t close, bool bare)
{
    struct reference ref = {
        .whole = {b->at - b->image, close + 1},
        .display = {b->at + 1, close},
        .line = b->line,
        .image = b->image,
    };
    uint32_t open = close + 1, end = s->run.end;
    ref.label = ref.display;
    if (open < end && s->p[open] == '[') {
        uint32_t label_end = next_bracket(s, open + 1, end);
        if (label_end < end && s->p[label_end] == ']') {
            ref.whole.end = label_end + 1;
            if (label_end > open + 1) {
                ref.label = (struct span){open + 1, label_end};
                bare = true;
            }
        }
    }
    uint32_t length = ref.label.end - ref.label.start;
    if (bare && length > 0 && length <= LABEL_MAX)
        *SCAN_NOTE(s, references) = ref;
}

uint32_t scan_close_bracket(struct scan *s, uint32_t at)
{
    struct run *r = &s->run;
    if (r->top == r->bottom)
        return at + 1;
    const struct bracket *b = &s->brackets[--r->top % SCAN_BRACKETS];
    bool bare = r->last_bracket == b->at, alive = b->image || r->top >= r->dead;
    uint32_t end = at + 1;
    r->last_bracket = at;
    if (r->dead > r->top)
        r->dead = r->top;
    bool note = b->at > r->start && s->p[b->at - 1] == '^';
    if (alive && end < r->end && s->p[end] == '(' && inline_link(s, b, end, &end)) {
        if (b->image)
            scan_drop_tags(s, b->tags);
        else
            r->dead = r->top;
    } else if (alive && !note) {
        scan_link_add_reference(s, b, at, bare);
    }
    if (end > at + 1)
        scan_node(s, at + 1, end);
    r->node_end = end;
    return end;
}

/* --- definitions --- */

bool scan_definition(struct scan *s, const struct line *l, uint32_t at)
{
    if (at >= l->end || s->p[at] != '[')
        return false;
    uint32_t close = next_bracket(s, at + 1, l->end);
    struct note_link link = {
        .kind = NOTE_DEFINITION,
        .whole = {at, l->end},
        .display = {at + 1, close},
        .line = l->number,
    };
    if (l->end - close < 2 || s->p[close] != ']' || s->p[close + 1] != ':' ||
        close == at + 1 || close - at > LABEL_MAX)
        return false;
    uint32_t from = scan_trim(s, close + 2, l->end).start;
    if (from == l->end || destination(s, from, l->end, &link) != l->end)
        return false;
    link.whole.end = scan_trim(s, at, l->end).end;
    scan_link_add_link(s, link);
    s->definitions++;
    return true;
}
