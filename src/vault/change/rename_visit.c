/*
 * All links of a file: in its body, where spans are offsets in the file; in properties,
 * where each is a YAML value; and in canvases, where a JSON string may contain several.
 */
#include "vault/change/rename_parts.h"
#include "vault/forms/canvas.h"
#include "vault/index/file.h"
#include "vault/index/names.h"
#include "vault/note/frontmatter.h"
#include "vault/note/note.h"

struct rename_visit_walk {
    struct rename_visit *visit;
    rename_site_fn *fn;
    void *arg;
};

/* The offset of a piece of the file's text. */
static size_t rename_visit_place_of(const struct rename_visit_walk *w, str piece)
{
    return (size_t)(piece.p - w->visit->file->text.p);
}

static void visit_link(struct rename_visit_walk *w, enum file_place place, str text,
                       const struct note_link *link, struct splices *splices)
{
    str path = span_of(text, link->path), subpath = span_of(text, link->subpath);
    bool markdown = link->kind != NOTE_WIKILINK;
    if (link->external || link->kind == NOTE_DEFINITION ||
        (!markdown && names_is_external(path)))
        return;
    struct rename_site site = {
        .place = place,
        .link = link,
        .text = text,
        .path = markdown ? file_decoded(w->visit->arena, path) : path,
        .subpath = markdown ? file_decoded(w->visit->arena, subpath) : subpath,
        .splices = splices,
    };
    if (w->visit->only == NULL || planner_may_mean(w->visit->only, site.path))
        w->visit->links += w->fn(w->arg, &site);
}

/* --- properties --- */

static void visit_property(struct rename_visit_walk *w, const struct prop *p)
{
    struct arena *a = w->visit->arena;
    const struct file *f = w->visit->file;
    struct splices splices = {.arena = a};
    struct note note;
    note_scan(a, p->text, &note);
    if (note.n_links == 0)
        return;
    size_t before = w->visit->links;
    visit_link(w, FILE_IN_PROPERTY, p->text, &note.links[0], &splices);
    if (splices.n == 0)
        return;
    rename_splice_sort(&splices);
    struct span raw = {f->note.frontmatter.start + p->start,
                       f->note.frontmatter.start + p->end};
    str text;
    if (quote_yaml(a, span_of(f->text, raw), p->text,
                   rename_splice_apply(&splices, p->text), &text))
        rename_splice_add(&w->visit->splices, raw.start, raw.end, text);
    else
        w->visit->links = before;
}

static void visit_properties(struct rename_visit_walk *w, const struct prop *p)
{
    for (const struct prop *c = p->child; c != NULL; c = c->next) {
        if (c->type == PROP_TEXT && frontmatter_is_link(c->text))
            visit_property(w, c);
        visit_properties(w, c);
    }
}

/* --- canvases --- */

static void replace_json(struct rename_visit_walk *w, str raw, struct splices *splices)
{
    if (splices->n == 0)
        return;
    rename_splice_sort(splices);
    size_t start = rename_visit_place_of(w, raw);
    rename_splice_add(&w->visit->splices, start, start + raw.n,
                      quote_json(w->visit->arena, raw, splices));
}

static void visit_card(struct rename_visit_walk *w, const struct canvas_link *c)
{
    struct splices splices = {.arena = w->visit->arena}, below = splices;
    str subpath = c->subpath;
    struct rename_site site = {
        .place = FILE_IN_CANVAS,
        .text = c->value,
        .path = c->path,
        .subpath = c->subpath,
        .splices = &splices,
        .canvas_subpath = c->raw_subpath.n > 0 ? &subpath : NULL,
    };
    w->visit->links += w->fn(w->arg, &site);
    replace_json(w, c->raw, &splices);
    if (!str_eq(subpath, c->subpath)) {
        rename_splice_add(&below, 0, c->subpath.n, subpath);
        replace_json(w, c->raw_subpath, &below);
    }
}

static void visit_canvas(struct rename_visit_walk *w)
{
    struct canvas canvas;
    struct err ignored; /* a broken canvas has no links */
    if (!canvas_scan(w->visit->arena, w->visit->file->text, &canvas, &ignored))
        return;
    for (size_t i = 0; i < canvas.n_links;) {
        const struct canvas_link *first = &canvas.links[i];
        if (first->place != CANVAS_TEXT) {
            visit_card(w, first);
            i++;
            continue;
        }
        struct splices splices = {.arena = w->visit->arena};
        for (; i < canvas.n_links && canvas.links[i].raw.p == first->raw.p; i++)
            visit_link(w, FILE_IN_CANVAS, first->value, &canvas.links[i].link, &splices);
        replace_json(w, first->raw, &splices);
    }
}

/* The text of a drawing is not that of its file: its links are only counted. */
static void count_drawn(struct rename_visit_walk *w)
{
    struct rename_visit *v = w->visit;
    const struct file *f = v->file;
    struct splices ignored = {.arena = v->arena};
    size_t before = v->links;
    for (uint32_t i = 0; i < f->note.n_links; i++)
        visit_link(w, FILE_IN_BODY, f->text, &f->note.links[i], &ignored);
    v->drawn += v->links - before;
    v->links = before;
}

void rename_visit_links(struct rename_visit *v, rename_site_fn *fn, void *arg)
{
    struct rename_visit_walk w = {.visit = v, .fn = fn, .arg = arg};
    const struct file *f = v->file;
    if (f->kind == FILE_DRAWING) {
        count_drawn(&w);
        return;
    }
    if (f->props != NULL)
        visit_properties(&w, f->props);
    for (uint32_t i = 0; i < f->note.n_links; i++)
        visit_link(&w, FILE_IN_BODY, f->text, &f->note.links[i], &v->splices);
    if (f->kind == FILE_CANVAS && !f->unread)
        visit_canvas(&w);
}
