/*
 * Block ids: " ^id" at the end of a paragraph or item names that
 * paragraph or item; alone in a paragraph, or directly below a quote, it names the whole
 * block above.
 */
#include "base/text.h"
#include "vault/note/scan.h"

static bool is_id_char(char c)
{
    return is_letter(c) || is_digit(c) || c == '-';
}

/* The id at the end of the text [start, end), without ^; empty if there is none. */
static struct span id_at_end(const struct scan *s, uint32_t start, uint32_t end)
{
    struct span id = scan_trim(s, start, end);
    id.start = id.end;
    while (id.start > start && is_id_char(s->p[id.start - 1]))
        id.start--;
    bool caret = id.start > start && s->p[id.start - 1] == '^';
    bool apart = caret && (id.start - 1 == start || is_blank(s->p[id.start - 2]));
    return apart ? id : (struct span){0};
}

static void add_block(struct scan *s, struct span id, enum note_block_type type,
                      struct span body, uint32_t line_start, uint32_t line_end)
{
    *SCAN_ADD(s, blocks) = (struct note_block){
        .id = id,
        .body = body,
        .whole_end = body.end,
        .line_start = line_start,
        .line_end = line_end,
        .type = type,
    };
}

/* The id is alone and begins the paragraph: it names the block above. */
static void name_previous(struct scan *s, struct span id)
{
    const struct previous *b = &s->previous;
    bool glued = b->type == NOTE_QUOTE || b->type == NOTE_CALLOUT;
    if (b->any && (s->leaf.after_blank || glued))
        add_block(s, id, b->type, b->body, b->line_start, b->line_end);
}

/* The id is alone below the last line of a quote, as a lazy line of the quote. */
static void name_quote(struct scan *s, struct span id)
{
    const struct container *c = &s->containers[0];
    const struct leaf *f = &s->leaf;
    if (c->kind == QUOTE && f->lazy)
        add_block(s, id, c->callout ? NOTE_CALLOUT : NOTE_QUOTE,
                  (struct span){c->start, f->before_last}, c->line, f->last_line - 1);
}

static void name_item(struct scan *s, struct span id, bool alone)
{
    struct container *c = &s->containers[s->depth - 1];
    const struct leaf *f = &s->leaf;
    struct span body = {c->start, f->end};
    uint32_t line = f->last_line;
    if (c->entry == 0)
        c->entry = s->note->n_blocks + 1;
    if (alone && f->last_line > f->line) {
        body.end = f->before_last;
        line--;
    } else if (alone && f->line > c->line) {
        body.end = f->outside_end;
        line = f->outside_line;
    }
    add_block(s, id, NOTE_LIST_ITEM, body, c->line, line);
}

static void name_paragraph(struct scan *s, struct span id, bool alone)
{
    const struct leaf *f = &s->leaf;
    struct span body = {f->line_start, alone ? f->before_last : f->end};
    add_block(s, id, NOTE_PARAGRAPH, body, f->line, f->last_line - alone);
}

void scan_block_id(struct scan *s, bool at_blank)
{
    const struct leaf *f = &s->leaf;
    struct span id = id_at_end(s, f->last_text, f->end);
    if (id.start == id.end)
        return;
    bool alone = id.start - 1 == f->last_text, first = f->last_line == f->line;
    if (s->plain < s->depth) {
        if (alone && !first && at_blank)
            name_quote(s, id);
    } else if (s->depth > 0 && s->containers[s->depth - 1].kind == ITEM) {
        name_item(s, id, alone);
    } else if (!alone || !first) {
        name_paragraph(s, id, alone);
    } else if (s->depth == 0 && at_blank) {
        name_previous(s, id);
    }
}
