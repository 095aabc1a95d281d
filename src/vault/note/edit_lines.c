#include "base/text.h"
#include "vault/note/edit_parts.h"

enum {
    TAB_COLUMNS = 4,
    WALK_LINES_MAX = 1000, /* searched backwards for the item that a line belongs to */
};

/* --- where lines begin and end --- */

size_t edit_next_line(str text, size_t at)
{
    at = text_find_break(text, at);
    return at + text_break(text, at).n;
}

size_t edit_line_start(str text, size_t at)
{
    if (at > 0 && at < text.n && text.p[at] == '\n' && text.p[at - 1] == '\r')
        at--;
    while (at > 0 && !is_break(text.p[at - 1]))
        at--;
    return at;
}

size_t edit_line_before(str text, size_t at)
{
    if (text.p[at - 1] == '\n' && at > 1 && text.p[at - 2] == '\r')
        return edit_line_start(text, at - 2);
    return edit_line_start(text, at - 1);
}

bool edit_is_blank_line(str text, size_t at)
{
    return str_trim(str_slice(text, at, text_find_break(text, at))).n == 0;
}

size_t edit_skip_blank_up(str text, size_t at, size_t floor)
{
    while (at > floor) {
        size_t before = edit_line_before(text, at);
        if (before < floor || !edit_is_blank_line(text, before))
            break;
        at = before;
    }
    return at;
}

size_t edit_skip_blank_down(str text, size_t at, size_t ceiling)
{
    while (at < ceiling && edit_is_blank_line(text, at))
        at = edit_next_line(text, at);
    return at < ceiling ? at : ceiling;
}

/* --- counting and converting --- */

uint32_t edit_count_lines(str text)
{
    if (text.n == 0)
        return 0;
    return text_line_number(text, text.n) - (is_break(text.p[text.n - 1]) ? 1 : 0);
}

str edit_eol(str text)
{
    size_t feeds = 0, pairs = 0, returns = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '\n')
            feeds++;
        else if (text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n')
            pairs++;
        else if (text.p[i] == '\r')
            returns++;
    }
    feeds -= pairs;
    if (returns > feeds && returns > pairs)
        return STR("\r");
    return pairs > feeds ? STR("\r\n") : STR("\n");
}

str edit_with_eol(struct arena *a, str text, str eol)
{
    struct sbuf b = SBUF_ON(a);
    size_t done = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] != '\n')
            continue;
        size_t end = i > done && text.p[i - 1] == '\r' ? i - 1 : i;
        if (str_eq(str_slice(text, end, i + 1), eol))
            continue;
        sbuf_add(&b, str_slice(text, done, end));
        sbuf_add(&b, eol);
        done = i + 1;
    }
    if (done == 0)
        return text;
    sbuf_add(&b, str_skip(text, done));
    return sbuf_str(&b);
}

str edit_with_breaks_of(struct arena *a, str text, str like)
{
    return edit_with_eol(a, text, edit_eol(like));
}

static bool is_pair(str text, size_t cr)
{
    return text.p[cr] == '\r' && cr + 1 < text.n && text.p[cr + 1] == '\n';
}

size_t edit_carry_back(struct edit_carry *c, size_t copy)
{
    for (; c->copy < copy; c->copy++)
        c->real += is_pair(c->text, c->real) ? 2 : 1;
    return c->real;
}

str edit_trim_blank_lines(str text)
{
    size_t start = edit_skip_blank_down(text, 0, text.n), end = text.n;
    if (end > start && is_break(text.p[end - 1])) {
        end = edit_skip_blank_up(text, end, start);
        end = text_find_break(text, edit_line_before(text, end));
    } else if (end > start && edit_is_blank_line(text, edit_line_start(text, end))) {
        end = edit_skip_blank_up(text, edit_line_start(text, end), start);
        end = text_find_break(text, edit_line_before(text, end));
    }
    return str_slice(text, start, end);
}

/* --- what a line is --- */

/* The length of the list marker at the start of line with the space after it, or 0. */
static size_t marker_of(str line, bool *ordered)
{
    size_t i = 0;
    *ordered = false;
    while (i < line.n && i < 9 && is_digit(line.p[i]))
        i++;
    if (i > 0) {
        *ordered = true;
        if (i == line.n || (line.p[i] != '.' && line.p[i] != ')'))
            return 0;
    } else if (line.n == 0 || strchr("-*+", line.p[0]) == NULL || line.p[0] == '\0') {
        return 0;
    }
    i++;
    return i == line.n ? i : is_blank(line.p[i]) ? i + 1 : 0;
}

/* Three or more of one of * - _ =, and spaces: a rule or an underline, not an item. */
static bool is_rule(str line)
{
    size_t n = 0;
    for (size_t i = 0; i < line.n; i++) {
        if (!is_blank(line.p[i]) && line.p[i] != line.p[0])
            return false;
        n += line.p[i] == line.p[0];
    }
    return n >= 3 && strchr("-*_=", line.p[0]) != NULL;
}

static bool edit_lines_is_fence(str line)
{
    return str_starts(line, STR("```")) || str_starts(line, STR("~~~")) ||
           str_starts(line, STR("$$"));
}

static bool edit_lines_is_heading(str line)
{
    size_t level = 0;
    while (level < line.n && line.p[level] == '#')
        level++;
    return level >= 1 && level <= 6 && (level == line.n || is_blank(line.p[level]));
}

struct edit_line edit_classify(str text, size_t at)
{
    struct edit_line l = {.kind = LINE_TEXT};
    str whole = str_slice(text, at, text_find_break(text, at)), line = whole;
    for (; line.n > 0 && is_blank(line.p[0]); line = str_skip(line, 1))
        l.indent =
            line.p[0] == '\t' ? (l.indent / TAB_COLUMNS + 1) * TAB_COLUMNS : l.indent + 1;
    if (line.n == 0) {
        l.kind = LINE_BLANK;
    } else if (edit_lines_is_heading(line)) {
        l.kind = l.indent < TAB_COLUMNS ? LINE_HEADING : LINE_TEXT;
    } else if (line.p[0] == '>') {
        l.kind = LINE_QUOTE;
        l.callout = str_starts(str_trim(str_skip(line, 1)), STR("[!"));
    } else if (line.p[0] == '|') {
        l.kind = LINE_TABLE;
    } else if (!is_rule(line)) {
        l.marker = marker_of(line, &l.ordered);
        if (l.marker > 0) {
            l.kind = LINE_ITEM;
            l.marker += whole.n - line.n;
        }
    }
    l.border = l.kind == LINE_TEXT && (edit_lines_is_fence(line) || is_rule(line));
    return l;
}

/* --- blank lines --- */

/* Whether above ends in a list that this item continues. */
static bool list_goes_on(str above, const struct edit_line *item)
{
    size_t at = above.n;
    struct edit_line below = {.kind = LINE_BLANK};
    for (unsigned n = 0; at > 0 && n < WALK_LINES_MAX; n++) {
        at = edit_line_before(above, at);
        struct edit_line l = edit_classify(above, at);
        if (l.kind == LINE_BLANK) {
            if (below.indent < 2)
                return false;
            continue;
        }
        if (l.kind == LINE_ITEM && l.indent <= item->indent)
            return l.ordered == item->ordered || l.indent < item->indent;
        bool other = l.kind != LINE_TEXT && l.kind != LINE_ITEM;
        if (l.indent < 2 && (other || l.border))
            return false;
        below = l;
    }
    return false;
}

/* |---|:-:| */
static bool is_delimiter_row(str line)
{
    line = str_trim(line);
    if (line.n == 0 || memchr(line.p, '-', line.n) == NULL)
        return false;
    for (size_t i = 0; i < line.n; i++)
        if (strchr("|-: \t", line.p[i]) == NULL || line.p[i] == '\0')
            return false;
    return true;
}

static bool begins_table(str text)
{
    size_t second = edit_next_line(text, 0);
    return is_delimiter_row(str_slice(text, second, text_find_break(text, second)));
}

bool edit_needs_blank(str above, str below, bool tight_headings)
{
    if (above.n == 0 || below.n == 0)
        return false;
    size_t last = is_break(above.p[above.n - 1]) ? edit_line_before(above, above.n)
                                                 : edit_line_start(above, above.n);
    struct edit_line upper = edit_classify(above, last), lower = edit_classify(below, 0);
    if (upper.kind == LINE_BLANK || lower.kind == LINE_BLANK)
        return false;
    if (upper.kind == LINE_HEADING && lower.kind != LINE_HEADING)
        return !tight_headings;
    if (upper.kind == LINE_QUOTE && lower.kind == LINE_QUOTE)
        return lower.callout;
    if (upper.kind == LINE_TABLE && lower.kind == LINE_TABLE)
        return begins_table(below);
    return lower.kind != LINE_ITEM || !list_goes_on(above, &lower);
}
