/* Queries: links and backlinks, unresolved links, orphans, neighbours, paths. */
#include "base/array.h"
#include "base/path.h"
#include "base/sort.h"
#include "base/utf8.h"
#include "vault/index/graph_table.h"
#include "vault/index/names.h"
#include "vault/index/order.h"

static int graph_query_by_number(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_file(const void *a, const void *b)
{
    const struct graph_edge *x = a, *y = b;
    int order = graph_query_by_number(x->file == NO_FILE, y->file == NO_FILE);
    return order != 0 ? order : str_cmp(x->path, y->path);
}

/* A file and its path, for sorting: ids depend on the order in which files were added. */
struct graph_placed {
    str path;
    file_id file;
};

static int graph_query_by_place(const void *a, const void *b)
{
    return str_cmp(((const struct graph_placed *)a)->path,
                   ((const struct graph_placed *)b)->path);
}

static void sort_files(const struct graph *g, file_id *files, size_t n)
{
    struct graph_placed *all = mem_alloc(size_mul(n, sizeof(*all)) + 1);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct graph_placed){names_path(g->names, files[i]), files[i]};
    if (n > 1)
        sort_items(all, n, sizeof(*all), graph_query_by_place);
    for (size_t i = 0; i < n; i++)
        files[i] = all[i].file;
    free(all);
}

/* Sort, and join edges to the same file. Most lists of edges begin with the newest: if
 * files were added in order, they are sorted, but from the last to the first. */
static size_t graph_query_merge(struct graph_edge *edges, size_t n)
{
    if (n < 2)
        return n;
    size_t falling = 1, last = 0;
    while (falling < n && by_file(&edges[falling - 1], &edges[falling]) >= 0)
        falling++;
    for (size_t i = 0; falling == n && i < n / 2; i++) {
        struct graph_edge edge = edges[i];
        edges[i] = edges[n - 1 - i];
        edges[n - 1 - i] = edge;
    }
    if (falling < n)
        sort_items(edges, n, sizeof(*edges), by_file);
    for (size_t i = 1; i < n; i++) {
        if (edges[i].file != NO_FILE && edges[i].file == edges[last].file)
            edges[last].count += edges[i].count;
        else
            edges[++last] = edges[i];
    }
    return last + 1;
}

size_t graph_links(const struct graph *g, struct arena *a, file_id file,
                   struct graph_edge **out)
{
    const struct graph_file *f = graph_file(g, file);
    uint32_t first = f != NULL ? f->out : GRAPH_NONE;
    size_t n = 0;
    for (uint32_t i = first; i != GRAPH_NONE; i = graph_link(g, i)->next)
        n++;
    *out = ARENA_ARRAY(a, struct graph_edge, n);
    n = 0;
    for (uint32_t i = first; i != GRAPH_NONE; i = graph_link(g, i)->next) {
        const struct graph_link *l = graph_link(g, i);
        bool missing = l->target == NO_FILE;
        (*out)[n++] = (struct graph_edge){
            .file = l->target,
            .path = missing ? graph_says(&g->texts[l->text])
                            : names_path(g->names, l->target),
            .count = l->count,
        };
    }
    return graph_query_merge(*out, n);
}

size_t graph_backlinks(const struct graph *g, struct arena *a, file_id file,
                       struct graph_edge **out)
{
    const struct graph_file *f = graph_file(g, file);
    size_t n = 0;
    *out = NULL;
    for (uint32_t i = f != NULL ? f->in : GRAPH_NONE; i != GRAPH_NONE;
         i = graph_link(g, i)->target_next) {
        const struct graph_link *l = graph_link(g, i);
        if (l->source != file)
            *ARRAY_ADD(a, *out, n) =
                (struct graph_edge){.file = l->source,
                                    .path = names_path(g->names, l->source),
                                    .count = l->count};
    }
    return graph_query_merge(*out, n);
}

size_t graph_between(const struct graph *g, struct arena *a, file_id source,
                     file_id target, str **out)
{
    const struct graph_file *f = graph_file(g, source);
    size_t n = 0;
    *out = NULL;
    for (uint32_t i = f != NULL ? f->out : GRAPH_NONE; i != GRAPH_NONE;
         i = graph_link(g, i)->next)
        if (graph_link(g, i)->target == target)
            *ARRAY_ADD(a, *out, n) = graph_says(&g->texts[graph_link(g, i)->text]);
    return n;
}

/* --- unresolved --- */

static bool is_missing(const void *graph, uint32_t text)
{
    return ((const struct graph *)graph)->texts[text].missing > 0;
}

/* Whichever of its spellings a text has, its place is the same. */
static int compare_folded(str a, str b)
{
    str x = a, y = b;
    while (x.n > 0 && y.n > 0) {
        size_t n, m;
        uint32_t c = utf8_lower_char(utf8_decode(x, &n)),
                 d = utf8_lower_char(utf8_decode(y, &m));
        if (c != d)
            return c < d ? -1 : 1;
        x = str_skip(x, n);
        y = str_skip(y, m);
    }
    return x.n > 0 || y.n > 0 ? graph_query_by_number(x.n, y.n) : str_cmp(a, b);
}

static int compare_missing(const void *graph, uint32_t a, uint32_t b)
{
    const struct graph_text *texts = ((const struct graph *)graph)->texts;
    int order = graph_query_by_number(texts[b].missing, texts[a].missing);
    return order != 0 ? order
                      : compare_folded(graph_says(&texts[a]), graph_says(&texts[b]));
}

const struct order_by graph_by_missing = {is_missing, compare_missing};

static void read_missing(const struct graph *g, struct arena *a,
                         const struct graph_text *t, struct graph_missing *out)
{
    *out = (struct graph_missing){.path = graph_says(t), .count = t->missing};
    for (uint32_t i = t->first; i != GRAPH_NONE; i = graph_link(g, i)->text_next)
        out->n_sources += graph_link(g, i)->target == NO_FILE;
    out->sources = ARENA_ARRAY(a, file_id, out->n_sources);
    size_t n = 0;
    for (uint32_t i = t->first; i != GRAPH_NONE; i = graph_link(g, i)->text_next)
        if (graph_link(g, i)->target == NO_FILE)
            out->sources[n++] = graph_link(g, i)->source;
    sort_files(g, out->sources, n);
}

size_t graph_unresolved(const struct graph *g, struct arena *a, size_t offset,
                        size_t limit, struct graph_missing **out)
{
    const uint32_t *texts;
    size_t all = order_items(g->missing, g->n_texts, &texts);
    size_t left = offset < all ? all - offset : 0, n = limit < left ? limit : left;
    *out = ARENA_ARRAY(a, struct graph_missing, n);
    for (size_t i = 0; i < n; i++)
        read_missing(g, a, &g->texts[texts[offset + i]], &(*out)[i]);
    return n;
}

static bool is_alone(const struct graph *g, file_id file)
{
    for (uint32_t i = g->files[file].out; i != GRAPH_NONE; i = graph_link(g, i)->next)
        if (graph_link(g, i)->target != file)
            return false;
    for (uint32_t i = g->files[file].in; i != GRAPH_NONE;
         i = graph_link(g, i)->target_next)
        if (graph_link(g, i)->source != file)
            return false;
    return true;
}

size_t graph_orphans(const struct graph *g, struct arena *a, file_id **out)
{
    size_t n = 0;
    *out = ARENA_ARRAY(a, file_id, g->counts.files);
    for (size_t i = 0; i < g->n_files; i++) {
        file_id file = (file_id)i;
        if (graph_file(g, file) == NULL || !is_alone(g, file))
            continue;
        if (str_eq_nocase(path_extension(names_path(g->names, file)), STR("md")))
            (*out)[n++] = file;
    }
    sort_files(g, *out, n);
    return n;
}

/*
 * A breadth-first search: files in the order in which they are reached, level by level.
 * Each level is sorted before the next begins, so the result does not depend on the order
 * in which links were added.
 */
struct graph_query_walk {
    const struct graph *graph;
    enum graph_way way;
    file_id *queue;
    size_t n;
    file_id *parent; /* by file; NO_FILE: not reached */
};

static struct graph_query_walk walk_from(const struct graph *g, struct arena *a,
                                         file_id file, enum graph_way way)
{
    size_t bytes = size_mul(g->n_files, sizeof(file_id));
    struct graph_query_walk w = {
        .graph = g,
        .way = way,
        .queue = arena_alloc(a, bytes),
        .parent = arena_alloc(a, bytes),
    };
    memset(w.parent, 0xFF, bytes);
    w.queue[w.n++] = file;
    w.parent[file] = file;
    return w;
}

static void reach(struct graph_query_walk *w, file_id file, file_id from)
{
    if (file == NO_FILE || w->parent[file] != NO_FILE)
        return;
    w->parent[file] = from;
    w->queue[w->n++] = file;
}

/* Go from the files in queue[from, to) one link further. */
static void step(struct graph_query_walk *w, size_t from, size_t to)
{
    const struct graph *g = w->graph;
    for (size_t k = from; k < to; k++) {
        file_id file = w->queue[k];
        uint32_t out = w->way & GRAPH_OUT ? g->files[file].out : GRAPH_NONE;
        uint32_t in = w->way & GRAPH_IN ? g->files[file].in : GRAPH_NONE;
        for (; out != GRAPH_NONE; out = graph_link(g, out)->next)
            reach(w, graph_link(g, out)->target, file);
        for (; in != GRAPH_NONE; in = graph_link(g, in)->target_next)
            reach(w, graph_link(g, in)->source, file);
    }
    sort_files(g, w->queue + to, w->n - to);
}

size_t graph_neighbours(const struct graph *g, struct arena *a, file_id file,
                        enum graph_way way, uint32_t depth, size_t max,
                        struct graph_near **out)
{
    *out = NULL;
    if (graph_file(g, file) == NULL)
        return 0;
    struct graph_query_walk w = walk_from(g, a, file, way);
    size_t n = 0, room = max < g->n_files ? max : g->n_files;
    *out = ARENA_ARRAY(a, struct graph_near, room);
    for (size_t from = 0, d = 1; from < w.n && d <= depth && n < room; d++) {
        size_t to = w.n;
        step(&w, from, to);
        for (size_t i = to; i < w.n && n < room; i++)
            (*out)[n++] = (struct graph_near){w.queue[i], (uint32_t)d};
        from = to;
    }
    return n;
}

struct graph_beside graph_beside_of(const struct graph *g, struct arena *a)
{
    return (struct graph_beside){.graph = g,
                                 .seen = ARENA_ARRAY(a, uint32_t, g->n_files),
                                 .files = ARENA_ARRAY(a, file_id, g->n_files)};
}

static void beside_add(struct graph_beside *b, file_id file, size_t *n)
{
    if (file == NO_FILE || b->seen[file] == b->calls)
        return;
    b->seen[file] = b->calls;
    b->files[(*n)++] = file;
}

size_t graph_beside(struct graph_beside *b, file_id file, const file_id **out)
{
    const struct graph *g = b->graph;
    const struct graph_file *f = graph_file(g, file);
    size_t n = 0;
    *out = b->files;
    if (f == NULL)
        return 0;
    b->seen[file] = ++b->calls;
    for (uint32_t i = f->out; i != GRAPH_NONE; i = graph_link(g, i)->next)
        beside_add(b, graph_link(g, i)->target, &n);
    for (uint32_t i = f->in; i != GRAPH_NONE; i = graph_link(g, i)->target_next)
        beside_add(b, graph_link(g, i)->source, &n);
    return n;
}

size_t graph_path(const struct graph *g, struct arena *a, file_id from, file_id to,
                  enum graph_way way, file_id **out)
{
    *out = NULL;
    if (graph_file(g, from) == NULL || graph_file(g, to) == NULL)
        return 0;
    struct graph_query_walk w = walk_from(g, a, from, way);
    for (size_t start = 0; start < w.n && w.parent[to] == NO_FILE;) {
        size_t end = w.n;
        step(&w, start, end);
        start = end;
    }
    if (w.parent[to] == NO_FILE)
        return 0;
    size_t n = 1;
    for (file_id i = to; i != from; i = w.parent[i])
        n++;
    *out = ARENA_ARRAY(a, file_id, n);
    file_id file = to;
    for (size_t i = n; i-- > 0; file = w.parent[file])
        (*out)[i] = file;
    return n;
}
