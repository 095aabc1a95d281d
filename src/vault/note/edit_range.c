/* Lines by number: replacing them, and which of them an edit has changed. */
#include "base/text.h"
#include "vault/note/edit_parts.h"

bool edit_find_lines(str text, uint32_t first, uint32_t last, struct edit_range *out,
                     struct err *err)
{
    uint32_t lines = edit_count_lines(text);
    if (first < 1 || first > last || last > lines)
        return err_named(err, E_LINE_OUT_OF_RANGE,
                         "lines %u-%u are not between 1 and %u: the note has %u line%s",
                         first, last, lines, lines, lines == 1 ? "" : "s");
    *out = (struct edit_range){0};
    for (uint32_t i = 1; i < first; i++)
        out->start = edit_next_line(text, out->start);
    out->end = out->start;
    for (uint32_t i = first; i <= last; i++)
        out->end = edit_next_line(text, out->end);
    return true;
}

bool edit_read_lines(str text, struct edit_lines *out, struct err *err)
{
    int64_t first, last;
    size_t dash = str_find_char(text, '-');
    str end = dash != STR_NONE ? str_skip(text, dash + 1) : text;
    if (!str_to_int(str_trim(str_slice(text, 0, dash)), &first) ||
        !str_to_int(str_trim(end), &last) || first < 1 || last < first ||
        last > INT32_MAX)
        return err_named(err, E_INVALID_RANGE,
                         "lines are a range such as 12-15, counted from 1");
    out->first = (uint32_t)first;
    out->last = (uint32_t)last;
    return true;
}

bool edit_lines(struct arena *a, str text, const struct edit_lines *e,
                struct edit_result *out, struct err *err)
{
    struct edit_job j = {.arena = a, .text = text, .out = out, .err = err};
    struct edit_range r;
    if (!edit_start(&j, e->content) || !edit_find_lines(text, e->first, e->last, &r, err))
        return false;
    out->target = arena_printf(a, "lines %u-%u", e->first, e->last);
    if (r.start < j.note.bom)
        r.start = j.note.bom;
    if (e->content.n == 0 && r.end == text.n && r.start > j.note.bom &&
        !is_break(text.p[text.n - 1]))
        r.start = text_find_break(text, edit_line_before(text, r.start));
    if (e->content.n > 0 ? !edit_put_lines(&j, r.start, r.end, e->content)
                         : !edit_splice(&j, r.start, r.end, (str){0}, (str){0}, (str){0}))
        return false;
    edit_warn_rest(&j);
    return true;
}

/* The number of lines that a and b both begin with. */
static uint32_t lines_in_common(str a, str b, size_t *bytes)
{
    uint32_t n = 0;
    size_t at = 0;
    while (at < a.n && at < b.n) {
        size_t end = edit_next_line(a, at);
        if (!str_eq(str_slice(a, at, end), str_slice(b, at, edit_next_line(b, at))))
            break;
        at = end;
        n++;
    }
    *bytes = at;
    return n;
}

/* The number of lines that a and b both end with. */
static uint32_t last_lines_in_common(str a, str b)
{
    uint32_t n = 0;
    while (a.n > 0 && b.n > 0) {
        size_t x = edit_line_before(a, a.n), y = edit_line_before(b, b.n);
        if (!str_eq(str_skip(a, x), str_skip(b, y)))
            break;
        a.n = x;
        b.n = y;
        n++;
    }
    return n;
}

bool edit_narrow(str was, str is, uint32_t *first, uint32_t *last)
{
    size_t same;
    uint32_t above = lines_in_common(was, is, &same), lines = edit_count_lines(is);
    uint32_t below = last_lines_in_common(str_skip(was, same), str_skip(is, same));
    uint32_t start = above + 1, end = lines - below;
    if (str_eq(was, is)) {
        *first = *last = 0;
        return false;
    }
    if (end < start) { /* only removed */
        *first = *last = start <= lines ? start : lines;
        return false;
    }
    bool apart = *first == 0 || *last < start || *first > end;
    *first = apart || *first < start ? start : *first;
    *last = apart || *last > end ? end : *last;
    return true;
}
