#include "vault/forms/code_block.h"

#include "base/sbuf.h"
#include "base/text.h"

/* The word after the fence. */
static str block_language(str block)
{
    str line = str_slice(block, 0, text_find_break(block, 0));
    size_t at = 0;
    while (at < line.n && line.p[at] == block.p[0])
        at++;
    line = str_trim(str_skip(line, at));
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
        str text = span_of(n->text, r->span);
        if (r->kind != NOTE_FENCED_CODE || !str_eq(block_language(text), language))
            continue;
        *block = r->span;
        return true;
    }
    return false;
}

/* A line without at most n marks before its text. */
static str without_marks(str line, size_t n)
{
    size_t at = 0;
    while (at < line.n && at < n && (is_blank(line.p[at]) || line.p[at] == '>'))
        at++;
    return str_skip(line, at);
}

static bool closes_block(str line, str fence)
{
    line = str_trim_line(line);
    for (size_t i = 0; i < line.n; i++)
        if (line.p[i] != fence.p[0])
            return false;
    return line.n >= fence.n;
}

str code_block_text(struct arena *a, const struct note *n, struct span block)
{
    str text = n->text;
    size_t start = block.start, marks, at = text_next_line(text, block.start), end = at;
    while (start > 0 && !is_break(text.p[start - 1]))
        start--;
    marks = block.start - start;
    str fence = str_slice(text, block.start, block.start);
    while (block.start + fence.n < block.end &&
           text.p[block.start + fence.n] == fence.p[0])
        fence.n++;
    struct sbuf b = SBUF_ON(a);
    for (; at < block.end; at = end) {
        end = text_next_line(text, at);
        str line = without_marks(str_slice(text, at, end), marks);
        if (end >= block.end && closes_block(line, fence))
            break;
        sbuf_add(&b, line);
    }
    return sbuf_str(&b);
}
