#include "vault/meaning/paragraphs.h"

#include "base/text.h"
#include "vault/index/file.h"

struct paragraphs paragraphs_of(const struct file *f)
{
    uint32_t end = (uint32_t)(f->searched < f->text.n ? f->searched : f->text.n);
    uint32_t body = f->note.body < end ? f->note.body : end;
    return (struct paragraphs){.note = &f->note,
                               .at = body,
                               .end = end,
                               .line = text_line_number(f->text, body)};
}

/* The end of the line at at, without its break, and the start of the next one. */
static uint32_t line_end(const struct paragraphs *p, uint32_t at, uint32_t *next)
{
    str text = str_slice(p->note->text, 0, p->end);
    size_t end = text_find_break(text, at);
    *next = (uint32_t)(end + text_break(text, end).n);
    return (uint32_t)end;
}

static bool is_empty_line(str line)
{
    return str_trim(line).n == 0;
}

/* Whether a heading is written with number signs, and not underlined. */
static bool is_atx(str text, uint32_t at)
{
    size_t i = text_skip_blanks(text, at), first = i;
    while (i < text.n && text.p[i] == '#')
        i++;
    return i > first && (i == text.n || is_white(text.p[i]));
}

static void skip_line(struct paragraphs *p)
{
    uint32_t next;
    (void)line_end(p, p->at, &next);
    p->at = next;
    p->line++;
}

static const struct note_heading *next_heading(const struct paragraphs *p)
{
    return p->heading < p->note->n_headings ? &p->note->headings[p->heading] : NULL;
}

/* An underlined heading may have several lines: what is underlined ends with a line of
 * = or -. */
static void skip_heading(struct paragraphs *p, const struct note_heading *h)
{
    bool atx = is_atx(p->note->text, p->at);
    while (p->at < p->end && p->at < h->title.end)
        skip_line(p);
    if (p->at == h->section.start) /* an empty title */
        skip_line(p);
    if (!atx && p->at < p->end)
        skip_line(p);
    p->heading++;
}

static bool at_heading(const struct paragraphs *p)
{
    const struct note_heading *h = next_heading(p);
    return h != NULL && p->at >= h->section.start;
}

bool paragraphs_next(struct paragraphs *p, struct paragraph *out)
{
    uint32_t start = 0, end = 0, line = 0;
    bool any = false;
    while (p->at < p->end && !at_heading(p)) {
        uint32_t next, stop = line_end(p, p->at, &next);
        if (is_empty_line(str_slice(p->note->text, p->at, stop))) {
            skip_line(p);
            if (any)
                break;
            continue;
        }
        start = any ? start : p->at;
        line = any ? line : p->line;
        any = true;
        end = stop;
        skip_line(p);
    }
    *out = (struct paragraph){{start, end}, line, p->heading};
    if (!any && p->at < p->end) {
        *out = (struct paragraph){.line = p->line, .headings = p->heading + 1};
        skip_heading(p, next_heading(p));
        any = true;
    }
    return any;
}
