/* Lines, blocks, sections and tasks of a file. */
#include "base/text.h"
#include "vault/ask/query_node.h"

static bool query_pieces_give(struct query_piece *out, uint32_t start, uint32_t end)
{
    out->span = out->below = (struct span){start, end};
    return true;
}

static bool query_pieces_next_line(str text, struct query_pieces *it,
                                   struct query_piece *out)
{
    if (it->at >= it->within.end)
        return false;
    uint32_t start = it->at, end = (uint32_t)text_line_end(text, start);
    end = end < it->within.end ? end : it->within.end;
    it->at = end + 1;
    if (end > start && text.p[end - 1] == '\r')
        end--;
    return query_pieces_give(out, start, end);
}

/* From a heading of any level to the next; also the text before the first heading. */
static bool next_section(const struct note *note, struct query_pieces *it,
                         struct query_piece *out)
{
    uint32_t n = note != NULL ? note->n_headings : 0;
    if (!it->started) { /* the text before the first heading */
        it->started = true;
        while (it->index < n &&
               note->headings[it->index].section.start < it->within.start)
            it->index++;
        uint32_t end =
            it->index < n ? note->headings[it->index].section.start : UINT32_MAX;
        end = end < it->within.end ? end : it->within.end;
        if (end > it->within.start)
            return query_pieces_give(out, it->within.start, end);
    }
    if (it->index >= n || note->headings[it->index].section.start >= it->within.end)
        return false;
    const struct note_heading *h = &note->headings[it->index++];
    uint32_t end = it->index < n ? note->headings[it->index].section.start : UINT32_MAX;
    end = end < h->section.end ? end : h->section.end;
    query_pieces_give(out, h->section.start, end);
    out->below = h->section;
    return true;
}

static bool next_task(const struct query_file *file, struct query_pieces *it,
                      struct query_piece *out)
{
    uint32_t n = file->note != NULL ? file->note->n_tasks : 0;
    while (it->index < n) {
        const struct note_task *t = &file->note->tasks[it->index++];
        if (t->text.start < it->within.start || t->text.end > it->within.end ||
            (it->op == QUERY_TASK_TODO && t->done) ||
            (it->op == QUERY_TASK_DONE && !t->done))
            continue;
        return query_pieces_give(out, t->text.start, t->text.end);
    }
    return false;
}

/* What decides whether a line ends the block before it. */
struct query_pieces_line {
    bool blank, heading, item, quote;
};

static bool query_pieces_is_item(str line)
{
    size_t i = 0;
    while (i < line.n && is_digit(line.p[i]))
        i++;
    char c = i < line.n ? line.p[i] : '\0';
    bool marker = i > 0 ? c == '.' || c == ')' : c == '-' || c == '*' || c == '+';
    return marker && (i + 1 == line.n || is_blank(line.p[i + 1]));
}

/* Whether a heading begins on the line at start; advances it. */
static bool query_pieces_is_heading(const struct note *note, struct query_pieces *it,
                                    uint32_t start)
{
    uint32_t n = note != NULL ? note->n_headings : 0;
    while (it->index < n && note->headings[it->index].section.start < start)
        it->index++;
    return it->index < n && note->headings[it->index].section.start == start;
}

/* The end of the code, math, HTML, table or frontmatter around the byte at; 0 if none. */
static uint32_t whole_end(const struct note *note, uint32_t at)
{
    if (note == NULL)
        return 0;
    if (at < note->body)
        return note->body;
    uint32_t low = 0, high = note->n_regions; /* low: how many start at or before at */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (note->regions[middle].span.start <= at)
            low = middle + 1;
        else
            high = middle;
    }
    /* Regions nest, but blocks do not contain blocks: the nearest one before decides. */
    for (uint32_t back = 0; low > 0 && back < 8; low--, back++) {
        const struct note_region *r = &note->regions[low - 1];
        bool block = r->kind == NOTE_FENCED_CODE || r->kind == NOTE_BLOCK_MATH ||
                     r->kind == NOTE_HTML_BLOCK || r->kind == NOTE_TABLE_REGION;
        if (block)
            return at < r->span.end ? r->span.end : 0;
    }
    return 0;
}

static struct query_pieces_line query_pieces_look_at(const struct query_file *file,
                                                     struct query_pieces *it,
                                                     struct span s)
{
    str text = str_trim_line(span_of(file->text, s));
    return (struct query_pieces_line){
        .blank = text.n == 0,
        .heading = query_pieces_is_heading(file->note, it, s.start),
        .item = query_pieces_is_item(text),
        .quote = text.n > 0 && text.p[0] == '>',
    };
}

/* Whether the heading that began with first ends with this line, such as === below it. */
static bool ends_heading(str first, str line)
{
    return str_trim(first).p[0] == '#' || line.p[0] == '=' || line.p[0] == '-';
}

/*
 * A paragraph, list item, quote, table, heading, or piece of code: up to a blank line, a
 * heading, the next item, or where a quote begins.
 */
static bool next_block(const struct query_file *file, struct query_pieces *it,
                       struct query_piece *out)
{
    struct query_piece line;
    struct query_pieces_line first = {.blank = true};
    struct span block = {0};
    uint32_t sealed = 0; /* the block cannot end before this offset */
    for (uint32_t mark = it->at; query_pieces_next_line(file->text, it, &line);
         mark = it->at) {
        struct query_pieces_line now = query_pieces_look_at(file, it, line.span);
        bool ends = now.blank || now.heading || now.item || (now.quote && !first.quote);
        if (!first.blank && ends && line.span.start >= sealed) {
            it->at = mark;
            break;
        }
        if (first.blank && now.blank)
            continue;
        if (first.blank) {
            first = now;
            block.start = line.span.start;
        }
        block.end = line.span.end;
        uint32_t whole = whole_end(file->note, line.span.start);
        sealed = whole > sealed ? whole : sealed;
        if (first.heading &&
            ends_heading(span_of(file->text, block), span_of(file->text, line.span)))
            break;
    }
    return !first.blank && query_pieces_give(out, block.start, block.end);
}

bool query_next_piece(const struct query_file *file, struct query_pieces *it,
                      struct query_piece *out)
{
    if (it->at < it->within.start)
        it->at = it->within.start;
    switch (it->op) {
    case QUERY_LINE:
        return query_pieces_next_line(file->text, it, out);
    case QUERY_BLOCK:
        return next_block(file, it, out);
    case QUERY_SECTION:
        return next_section(file->note, it, out);
    default:
        return next_task(file, it, out);
    }
}
