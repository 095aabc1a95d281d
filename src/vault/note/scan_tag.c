/*
 * Tags: their characters, and what may be before them.
 *
 * A # is a tag only after white space, at the start of a text, or directly after other
 * inline markup such as a link or another tag. After emphasis markers or a bracket it
 * depends: in **#tag** the ** has a partner and the tag counts, in 2**#tag it has none
 * and the tag does not. That is known only when the paragraph has been read, so these
 * tags are added together with a doubt, which scan_settle_doubts() decides. Tags directly
 * after a doubtful tag share its doubt.
 */
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/scan.h"

static bool is_wide_space(uint32_t c)
{
    return c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

/* The length of the tag character at at; 0 if it is not one. */
static uint32_t tag_char(const struct scan *s, uint32_t at)
{
    char c = s->p[at];
    if (is_alnum(c) || c == '_' || c == '-' || c == '/')
        return 1;
    if ((unsigned char)c < 0x80)
        return 0;
    size_t n;
    uint32_t wide = utf8_decode((str){s->p + at, s->run.end - at}, &n);
    bool ends = is_wide_space(wide) || (wide >= 0x2000 && wide <= 0x206F) ||
                (wide >= 0x2E00 && wide <= 0x2E7F) || wide == 0xFFFD;
    return ends ? 0 : (uint32_t)n;
}

/* Whether only > and white space are between the start of the line and at. */
static bool after_quote_markers(const struct scan *s, uint32_t at)
{
    while (at > 0 && (s->p[at - 1] == '>' || is_blank(s->p[at - 1])))
        at--;
    return at == 0 || is_break(s->p[at - 1]);
}

static bool after_wide_space(const struct scan *s, uint32_t at)
{
    uint32_t from = at;
    while (from > s->run.start && at - from < 3 && (s->p[from - 1] & 0xC0) == 0x80)
        from--;
    if (from == s->run.start)
        return false;
    size_t n;
    return is_wide_space(utf8_decode((str){s->p + from - 1, at - from + 1}, &n));
}

enum before { BAD, GOOD, DOUBTFUL };

static enum before scan_tag_before(const struct scan *s, uint32_t at)
{
    const struct run *r = &s->run;
    if (at == r->start)
        return GOOD;
    if (at == r->doubt_end)
        return DOUBTFUL;
    if (at == r->node_end)
        return GOOD;
    unsigned char c = (unsigned char)s->p[at - 1];
    switch (c) {
    case ' ':
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
        return GOOD;
    case '*':
    case '_':
    case '=':
    case '~':
    case '[':
        return DOUBTFUL;
    case '|':
        return r->table ? GOOD : BAD;
    case '>':
        return after_quote_markers(s, at) ? GOOD : BAD;
    default:
        return c >= 0x80 && after_wide_space(s, at) ? GOOD : BAD;
    }
}

static void add_doubt(struct scan *s, uint32_t at, uint32_t end)
{
    bool chained = at == s->run.doubt_end;
    uint32_t after = chained ? s->doubts[s->n_doubts - 1].at : at;
    *SCAN_NOTE(s, doubts) = (struct doubt){.tag = s->note->n_tags, .at = after};
    s->run.doubt_end = end;
}

uint32_t scan_tag(struct scan *s, uint32_t at)
{
    enum before what = scan_tag_before(s, at);
    if (what == BAD)
        return at + 1;
    uint32_t end = at + 1, length;
    bool digits = true;
    while (end < s->run.end && (length = tag_char(s, end)) > 0) {
        digits &= is_digit(s->p[end]) || s->p[end] == '/';
        end += length;
    }
    struct span name = {at + 1, end};
    while (name.end > name.start && s->p[name.end - 1] == '/')
        name.end--; /* trailing slashes are not part of the name */
    bool slash = memchr(s->p + at, '/', name.end - at) != NULL;
    if (name.end == name.start || (digits && !slash))
        return end;
    s->run.tail |= s->p[name.end - 1] == '_';
    if (what == DOUBTFUL)
        add_doubt(s, at, end);
    else
        s->run.node_end = end;
    *SCAN_ADD(s, tags) = (struct note_tag){.name = name, .line = scan_line_at(s, at)};
    return end;
}

void scan_drop_tags(struct scan *s, uint32_t n)
{
    s->note->n_tags = n;
    while (s->n_doubts > 0 && s->doubts[s->n_doubts - 1].tag >= n)
        s->n_doubts--;
}
