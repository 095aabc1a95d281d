#include "vault/forms/code_block.h"

#include "base/sbuf.h"
#include "base/text.h"
#include "vault/note/note.h"

/* --- finding --- */

/* The number of equal signs that a block begins with. */
static size_t fence_length(str block)
{
    size_t n = 0;
    while (n < block.n && block.p[n] == block.p[0])
        n++;
    return n;
}

str code_block_language(const struct note *n, struct span block)
{
    str text = span_of(n->text, block);
    str line = str_slice(text, 0, text_find_break(text, 0));
    line = str_trim(str_skip(line, fence_length(line)));
    size_t end = 0;
    while (end < line.n && !is_blank(line.p[end]))
        end++;
    return str_slice(line, 0, end);
}

bool code_block_next(const struct note *n, str language, uint32_t *region,
                     struct span *block)
{
    while (*region < n->n_regions) {
        const struct note_region *r = &n->regions[(*region)++];
        if (r->kind != NOTE_FENCED_CODE ||
            !str_eq(code_block_language(n, r->span), language))
            continue;
        *block = r->span;
        return true;
    }
    return false;
}

bool code_block_pasted(struct arena *a, str text, struct note *n, struct span *block)
{
    text = str_trim(text);
    if (!str_starts(text, STR("```")) && !str_starts(text, STR("~~~")))
        return false;
    note_scan(a, text, n);
    for (uint32_t i = 0; i < n->n_regions; i++)
        if (n->regions[i].kind == NOTE_FENCED_CODE) {
            *block = n->regions[i].span;
            return true;
        }
    return false;
}

/* --- what is in it --- */

size_t code_block_skip_marks(str text, size_t at, size_t end, str marks)
{
    for (size_t i = 0; i < marks.n; i++) {
        size_t next = text_skip_blanks(str_slice(text, 0, end), at);
        if (marks.p[i] == '>' && next < end && text.p[next] == '>')
            at = next + 1;
        else if (marks.p[i] != '>' && at < end && is_blank(text.p[at]))
            at++;
    }
    return at;
}

/* Whether a line is the fence that closes a block which begins with that one. */
static bool closes_block(str line, str fence)
{
    line = str_trim_line(line);
    return line.n >= fence.n && line.p[0] == fence.p[0] && fence_length(line) == line.n;
}

struct span code_block_lines(const struct note *n, struct span block, str *marks)
{
    str text = n->text, fence = span_of(text, block);
    fence.n = fence_length(fence);
    *marks = str_slice(text, text_line_start(text, block.start), block.start);
    struct span lines = {(uint32_t)text_next_line(text, block.start), block.end};
    size_t last = text_line_start(text, block.end);
    size_t start = code_block_skip_marks(text, last, block.end, *marks);
    if (last >= lines.start && closes_block(str_slice(text, start, block.end), fence))
        lines.end = (uint32_t)last;
    lines.start = lines.start < lines.end ? lines.start : lines.end;
    return lines;
}

str code_block_text(struct arena *a, const struct note *n, struct span block)
{
    str marks;
    struct span lines = code_block_lines(n, block, &marks);
    struct sbuf b = SBUF_ON(a);
    if (marks.n == 0)
        return span_of(n->text, lines);
    for (size_t at = lines.start, next; at < lines.end; at = next) {
        next = text_next_line(n->text, at);
        next = next < lines.end ? next : lines.end;
        sbuf_add(&b, str_slice(n->text, code_block_skip_marks(n->text, at, next, marks),
                               next));
    }
    return sbuf_str(&b);
}
