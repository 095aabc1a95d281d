/*
 * Resolves references when all definitions are known. Labels are compared case-folded and
 * with collapsed white space, through a hash table; the first definition of a label
 * counts.
 */
#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "base/utf8.h"
#include "vault/note/scan.h"

struct reference_table {
    struct map labels;
    const struct note_link **links; /* by number of the label */
    size_t n;
};

str note_label_key(struct arena *a, str label)
{
    str folded = utf8_fold(a, label);
    char *out = arena_alloc(a, folded.n);
    size_t n = 0;
    for (size_t i = 0; i < folded.n; i++) {
        char c = folded.p[i];
        bool space = is_blank(c) || is_break(c);
        if (!space)
            out[n++] = c;
        else if (n > 0 && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    return (str){out, n};
}

static str normal(struct scan *s, struct span label)
{
    return note_label_key(s->scratch, span_of(s->note->text, label));
}

static struct reference_table definitions(struct scan *s)
{
    struct reference_table t = {.labels.arena = s->scratch};
    for (uint32_t i = 0; i < s->note->n_links; i++) {
        const struct note_link *link = &s->note->links[i];
        if (link->kind == NOTE_DEFINITION &&
            map_add_new(&t.labels, normal(s, link->display)))
            *ARRAY_ADD(s->scratch, t.links, t.n) = link;
    }
    return t;
}

/*
 * Keep the references that have a definition, as links in the order of their starts. They
 * arrive in the order in which they close, so a nested one comes before the outer one;
 * the outer one is then not a link, unless it is an image.
 */
static uint32_t scan_reference_resolve(struct scan *s, struct note_link *out)
{
    struct reference_table t = definitions(s);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_references; i++) {
        const struct reference *ref = &s->references[i];
        uint32_t label = map_find(&t.labels, normal(s, ref->label));
        const struct note_link *last = n > 0 ? &out[n - 1] : NULL;
        if (label == MAP_NONE || (last != NULL && ref->whole.start < last->whole.end &&
                                  (!ref->image || ref->whole.start > last->whole.start)))
            continue;
        struct note_link link = *t.links[label];
        link.kind = NOTE_REFERENCE;
        link.embed = ref->image;
        link.whole = ref->whole;
        link.display = ref->display;
        link.line = ref->line;
        uint32_t at = n++;
        for (; at > 0 && out[at - 1].whole.start > link.whole.start; at--)
            out[at] = out[at - 1];
        out[at] = link;
    }
    return n;
}

/* Tags in the label of a link or in the text of an image do not count. */
static void drop_label_tags(struct note *note, const struct note_link *refs, uint32_t n)
{
    uint32_t kept = 0, r = 0;
    for (uint32_t i = 0; i < note->n_tags; i++) {
        uint32_t at = note->tags[i].name.start;
        while (r < n && refs[r].whole.end <= at)
            r++;
        if (r == n || at < (refs[r].embed ? refs[r].whole.start : refs[r].display.end))
            note->tags[kept++] = note->tags[i];
    }
    note->n_tags = kept;
}

static void scan_reference_merge(struct scan *s, const struct note_link *refs, uint32_t n)
{
    struct note *note = s->note;
    uint32_t i = note->n_links, total = i + n;
    struct note_link *all = arena_alloc(s->arena, total * sizeof(*all));
    for (uint32_t at = total; at > 0;) {
        bool ref =
            i == 0 || (n > 0 && refs[n - 1].whole.start > note->links[i - 1].whole.start);
        all[--at] = ref ? refs[--n] : note->links[--i];
    }
    note->links = all;
    note->n_links = total;
}

void scan_references(struct scan *s)
{
    if (s->definitions == 0 || s->n_references == 0)
        return;
    struct note_link *refs = arena_alloc(s->scratch, s->n_references * sizeof(*refs));
    uint32_t n = scan_reference_resolve(s, refs);
    if (n == 0)
        return;
    drop_label_tags(s->note, refs, n);
    scan_reference_merge(s, refs, n);
}
