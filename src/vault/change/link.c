#include "vault/change/link.h"

#include "base/array.h"
#include "base/text.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/note/note.h"

/* --- new links --- */

static bool check_display(str display, bool wiki, struct err *err)
{
    for (size_t i = 0; i < display.n; i++) {
        unsigned char c = (unsigned char)display.p[i];
        if (c < ' ' || (wiki && strchr("[]|", c) != NULL))
            return err_set(err, ERR_INVALID,
                           "the text of a link must be one line%s: choose another",
                           wiki ? " without [ ] |" : "");
    }
    return true;
}

static void link_add_wikilink(struct sbuf *out, str path, str display)
{
    sbuf_printf(out, "[[" STR_FMT "%s" STR_FMT "]]", STR_ARG(path),
                display.n > 0 ? "|" : "", STR_ARG(display));
}

bool link_write(const struct index *x, struct arena *a, const struct link_style *style,
                str source, const struct file *target, str display, str *out,
                struct err *err)
{
    struct planner p = planner_on(x, a, NULL);
    struct world w;
    struct sbuf text = SBUF_ON(a);
    str path;
    world_open(&w, &p, style->format);
    bool wiki = !style->markdown &&
                spell_path(&w, target->id, source, style->format, false, &path) &&
                spell_fits_wikilink(path);
    bool ok = wiki || spell_path(&w, target->id, source, style->format, true, &path) ||
              err_set(err, ERR_INVALID, "no link can refer to '" STR_FMT "': rename it",
                      STR_ARG(target->path));
    ok = ok && check_display(display, wiki, err);
    if (ok && wiki)
        link_add_wikilink(&text, path, display);
    else if (ok)
        spell_markdown(&text, display.n > 0 ? display : file_title(target->path), path);
    world_close(&w);
    if (ok)
        *out = sbuf_str(&text);
    return ok;
}

str link_to_part(struct arena *a, str link, str part)
{
    bool wiki = str_starts(link, STR("[["));
    str end = wiki ? STR("]]") : STR(")");
    str anchor = str_starts(part, STR("^")) ? part : spell_heading(a, part);
    return arena_printf(
        a, STR_FMT "#" STR_FMT STR_FMT, STR_ARG(str_slice(link, 0, link.n - end.n)),
        STR_ARG(wiki ? anchor : spell_destination(a, anchor, false)), STR_ARG(end));
}

/* --- existing links --- */

/* The paths of links to a file. */
struct link_paths {
    struct arena *arena;
    str *items;
    size_t n;
};

static bool is_among(void *arg, str path)
{
    const struct link_paths *p = arg;
    for (size_t i = 0; i < p->n; i++)
        if (graph_is_same(p->arena, p->items[i], path))
            return true;
    return false;
}

/* The graph knows what the links mean, so nothing is resolved again. */
size_t link_find(const struct index *x, struct arena *a, const struct file *f,
                 file_id target, struct file_link **out)
{
    struct link_paths meant = {.arena = a};
    meant.n = graph_between(x->graph, a, f->id, target, &meant.items);
    return meant.n > 0 ? file_links_if(a, f, is_among, &meant, out) : 0;
}

str link_line(const struct file *f, const struct file_link *l)
{
    str rest = f->text, line = {0};
    if (l->place == FILE_IN_CANVAS)
        return line;
    if (l->written != NULL) {
        rest = str_skip(f->text, text_line_start(f->text, l->written->whole.start));
        text_take_line(&rest, &line);
    } else {
        for (uint32_t i = 0; i < l->line && text_take_line(&rest, &line); i++)
            ;
    }
    return str_trim_line(line);
}

size_t link_sources(const struct index *x, struct arena *a, file_id target,
                    struct link_source **out)
{
    struct graph_edge *edges;
    size_t n = graph_backlinks(x->graph, a, target, &edges);
    *out = ARENA_ARRAY(a, struct link_source, n);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (struct link_source){index_file(x, edges[i].file), edges[i].count};
    return n;
}

/* --- links to parts that are gone --- */

static bool has_part(const struct note *n, str subpath)
{
    return str_starts(subpath, STR("#^")) ? note_find_block(n, subpath) != NULL
                                          : note_find_heading(n, subpath) != NULL;
}

/* Whether a heading or block of was is not in now, by its name alone. */
static bool lacks_parts(const struct note *was, const struct note *now)
{
    bool lacks = now->n_headings < was->n_headings || now->n_blocks < was->n_blocks;
    for (uint32_t i = 0; i < was->n_headings && !lacks; i++)
        lacks = !str_eq(span_of(was->text, was->headings[i].title),
                        span_of(now->text, now->headings[i].title));
    for (uint32_t i = 0; i < was->n_blocks && !lacks; i++)
        lacks = !str_eq(span_of(was->text, was->blocks[i].id),
                        span_of(now->text, now->blocks[i].id));
    return lacks;
}

struct link_losses {
    struct arena *arena;
    const struct note *was, *now;
    struct link_lost *items;
    size_t n;
};

static void add_loss(struct link_losses *l, const struct file *source, str subpath)
{
    if (subpath.n < 2 || !has_part(l->was, subpath) || has_part(l->now, subpath))
        return;
    for (size_t i = 0; i < l->n; i++)
        if (str_eq_nocase(l->items[i].subpath, subpath)) {
            l->items[i].links++;
            return;
        }
    *ARRAY_ADD(l->arena, l->items, l->n) = (struct link_lost){
        arena_str(l->arena, subpath), 1, arena_str(l->arena, source->path)};
}

size_t link_lost(const struct index *x, struct arena *a, const struct file *f, str before,
                 struct link_lost **out)
{
    struct note was;
    struct link_losses l = {.arena = a, .was = &was, .now = &f->note};
    struct file_link *links;
    struct link_source *sources;
    *out = NULL;
    note_scan(a, before, &was);
    if (f->kind != FILE_NOTE || !lacks_parts(&was, &f->note))
        return 0;
    size_t n = file_links(a, f, &links);
    for (size_t i = 0; i < n; i++)
        if (links[i].path.n == 0)
            add_loss(&l, f, links[i].subpath);
    n = link_sources(x, a, f->id, &sources);
    for (size_t i = 0; i < n; i++) {
        size_t found = link_find(x, a, sources[i].file, f->id, &links);
        for (size_t k = 0; k < found; k++)
            add_loss(&l, sources[i].file, links[k].subpath);
    }
    *out = l.items;
    return l.n;
}
