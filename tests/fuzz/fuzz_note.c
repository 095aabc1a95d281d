/*
 * For any text, spans are inside it and in order, sections nest, line numbers are right,
 * and lookups find what was scanned.
 */
#include "base/err.h"
#include "vault/note/note.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NEED(condition)                                                                  \
    do {                                                                                 \
        if (!(condition))                                                                \
            BUG("violated: %s", #condition);                                             \
    } while (0)

static bool within(struct span inner, struct span outer)
{
    return outer.start <= inner.start && inner.start <= inner.end &&
           inner.end <= outer.end;
}

static void check_headings(const struct note *n, struct span all)
{
    for (uint32_t i = 0; i < n->n_headings; i++) {
        const struct note_heading *h = &n->headings[i], *next = h + 1;
        NEED(within(h->section, all) && within(h->title, h->section));
        NEED(h->level >= 1 && h->level <= 6);
        NEED(h->line == note_line_of(n, h->section.start));
        if (i + 1 == n->n_headings)
            NEED(h->section.end == n->text.n);
        else
            NEED(next->level > h->level ? within(next->section, h->section)
                                        : h->section.end == next->section.start);
    }
}

static void check_links(const struct note *n, struct span all)
{
    for (uint32_t i = 0; i < n->n_links; i++) {
        const struct note_link *l = &n->links[i];
        NEED(within(l->whole, all) && within(l->display, l->whole));
        struct span home = l->kind == NOTE_REFERENCE ? all : l->whole;
        NEED(within(l->path, home) && within(l->subpath, home));
        NEED(i == 0 || l[-1].whole.start < l->whole.start);
        NEED(l->line == note_line_of(n, l->whole.start));
        NEED(n->text.p[l->whole.start] == (l->embed ? '!' : '['));
        NEED(l->subpath.start == l->subpath.end || n->text.p[l->subpath.start] == '#');
    }
}

static void check_blocks(const struct note *n, struct span all)
{
    for (uint32_t i = 0; i < n->n_blocks; i++) {
        const struct note_block *b = &n->blocks[i];
        NEED(within(b->id, all) && within(b->body, all) && b->id.start < b->id.end);
        NEED(n->text.p[b->id.start - 1] == '^' && b->line_start <= b->line_end);
        NEED(b->line_start == note_line_of(n, b->body.start));
        NEED(b->line_end == note_line_of(n, b->body.end));
        NEED(i == 0 || b[-1].id.start < b->id.start);
        NEED(note_find_block(n, span_of(n->text, b->id)) != NULL);
    }
}

static void check_rest(const struct note *n, struct span all)
{
    for (uint32_t i = 0; i < n->n_tags; i++) {
        struct span name = n->tags[i].name;
        NEED(within(name, all) && name.start < name.end);
        NEED(n->text.p[name.start - 1] == '#');
        NEED(i == 0 || n->tags[i - 1].name.end < name.start);
        NEED(n->tags[i].line == note_line_of(n, name.start));
    }
    for (uint32_t i = 0; i < n->n_tasks; i++) {
        const struct note_task *t = &n->tasks[i];
        NEED(within(t->text, all) && within(t->mark, all));
        NEED(t->line == note_line_of(n, t->text.end));
    }
    for (uint32_t i = 0; i < n->n_callouts; i++)
        NEED(n->callouts[i].line == note_line_of(n, n->callouts[i].type.start) &&
             within(n->callouts[i].title, all));
    for (uint32_t i = 0; i < n->n_footnotes; i++)
        NEED(n->footnotes[i].line == note_line_of(n, n->footnotes[i].id.start) &&
             (i == 0 || n->footnotes[i - 1].id.end < n->footnotes[i].id.start));
    for (uint32_t i = 0; i < n->n_regions; i++) {
        struct span r = n->regions[i].span;
        NEED(within(r, all) && r.start < r.end);
        NEED(i == 0 || n->regions[i - 1].span.start <= r.start);
    }
}

/* A hash of everything found. */
static uint64_t digest(const struct note *n)
{
    uint64_t h = n->lines;
    for (uint32_t i = 0; i < n->n_links; i++)
        h = h * 31 + n->links[i].path.start + n->links[i].whole.end;
    for (uint32_t i = 0; i < n->n_tags; i++)
        h = h * 31 + n->tags[i].name.end;
    for (uint32_t i = 0; i < n->n_regions; i++)
        h = h * 31 + n->regions[i].span.end + n->regions[i].kind;
    return h * 31 + n->n_headings + n->n_blocks + n->n_tasks + n->n_footnotes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena a = {0};
    struct note note, again;
    note_scan(&a, (str){(const char *)data, size}, &note);
    struct span all = {note.bom, (uint32_t)size};
    NEED(within(note.frontmatter, (struct span){0, (uint32_t)size}));
    NEED(note.body >= note.frontmatter.end && note.body <= size);
    check_headings(&note, all);
    check_links(&note, all);
    check_blocks(&note, all);
    check_rest(&note, all);
    bool open = size > note.bom && data[size - 1] != '\n' && data[size - 1] != '\r';
    NEED(note.lines == note_line_of(&note, (uint32_t)size) - 1 + open);
    (void)note_find_heading(&note, (str){(const char *)data, size < 64 ? size : 64});
    note_scan(&a, note.text, &again);
    NEED(digest(&note) == digest(&again));
    arena_release(&a);
    return 0;
}
