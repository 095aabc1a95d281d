#include "vault/change/link.h"

#include "base/text.h"
#include "vault/change/rename_parts.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

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
