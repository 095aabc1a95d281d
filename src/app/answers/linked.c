#include "app/answers/linked.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/stop.h"
#include "base/utf8.h"
#include "vault/ask/mentions.h"
#include "vault/ask/related.h"
#include "vault/change/link.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/text/glob.h"

enum { NEAR_MAX = 100000 };

str linked_line(const struct linked_item *i, size_t max)
{
    return utf8_cut(link_line(i->file, i->link), max);
}

/* Count it, and keep it if it is on the page. */
static void linked_add(struct linked *l, const struct linked_item *item)
{
    size_t at = l->total++;
    if (at < l->question->offset || l->n >= l->question->limit)
        return;
    *ARRAY_ADD(l->arena, l->items, l->n) = *item;
}

/* If none of the next n is on the page, count them and return true. */
static bool linked_skip(struct linked *l, size_t n)
{
    if (l->n < l->question->limit && l->total + n > l->question->offset)
        return false;
    l->total += n;
    return true;
}

/* --- of a note --- */

static void add_outgoing(struct linked *l, bool only_unresolved)
{
    const struct linked_question *q = l->question;
    struct file_link *links;
    size_t n = file_links(l->arena, q->file, &links);
    struct names_answer *chosen = ARENA_ARRAY(l->arena, struct names_answer, n);
    for (size_t i = 0; i < n; i++) {
        names_resolve(l->index->names, q->explain ? l->arena : NULL, links[i].path,
                      q->file->path, q->file->id, &chosen[i]);
        bool found = chosen[i].file != NO_FILE;
        if (!found || !only_unresolved)
            linked_add(l, &(struct linked_item){
                              .about = LINKED_OUTGOING,
                              .file = found ? index_file(l->index, chosen[i].file) : NULL,
                              .link = &links[i],
                              .chosen = q->explain ? &chosen[i] : NULL});
    }
}

/* Sources are scattered in memory, so load the next ones into the cache early. */
static void fetch_sources(const struct link_source *sources, size_t n, size_t i)
{
    enum { FILES = 4, LINKS = 2 };
    if (i + FILES >= n)
        return;
    const struct file *f = sources[i + FILES].file;
    __builtin_prefetch(&f->note.links);
    __builtin_prefetch(&f->props);
    __builtin_prefetch(sources[i + LINKS].file->note.links);
    __builtin_prefetch(sources[i + LINKS].file->props);
}

/* The links of a source are read only if some are on the page. */
static void add_backlinks(struct linked *l)
{
    const struct linked_question *q = l->question;
    struct link_source *sources;
    size_t n = link_sources(l->index, l->arena, q->file->id, &sources);
    for (size_t i = 0; i < n && !stop_now(q->stop); i++) {
        struct file_link *links;
        if ((q->only != NULL && !glob_match(q->only, sources[i].file->path)) ||
            linked_skip(l, sources[i].links))
            continue;
        fetch_sources(sources, n, i);
        size_t n_links =
            link_find(l->index, l->arena, sources[i].file, q->file->id, &links);
        for (size_t k = 0; k < n_links; k++)
            linked_add(l, &(struct linked_item){.about = LINKED_BACKLINKS,
                                                .file = sources[i].file,
                                                .link = &links[k]});
    }
}

static void add_neighbours(struct linked *l)
{
    const struct linked_question *q = l->question;
    struct graph_near *near;
    size_t n =
        graph_neighbours(l->index->graph, l->arena, q->file->id,
                         q->way != 0 ? q->way : GRAPH_BOTH, q->depth, NEAR_MAX, &near);
    l->partial = n == NEAR_MAX;
    for (size_t i = 0; i < n; i++)
        linked_add(l, &(struct linked_item){.about = LINKED_NEIGHBOURS,
                                            .file = index_file(l->index, near[i].file),
                                            .number = near[i].distance});
}

static void add_path(struct linked *l)
{
    const struct linked_question *q = l->question;
    file_id *way;
    size_t n =
        graph_path(l->index->graph, l->arena, q->file->id, q->to->id, GRAPH_BOTH, &way);
    for (size_t i = 0; i < n; i++)
        linked_add(l, &(struct linked_item){.about = LINKED_PATH,
                                            .file = index_file(l->index, way[i]),
                                            .number = (uint32_t)i});
}

static void add_mentions(struct linked *l)
{
    const struct linked_question *q = l->question;
    struct mentions_limits limits = {.max = q->offset + q->limit, .stop = q->stop};
    struct mentions *m = ARENA_NEW(l->arena, struct mentions);
    mentions_of(l->index, l->arena, q->file->id, &limits, m);
    for (size_t i = 0; i < m->n; i++)
        linked_add(l,
                   &(struct linked_item){.about = LINKED_MENTIONS,
                                         .file = index_file(l->index, m->items[i].source),
                                         .mention = &m->items[i]});
    l->total = m->total;
    l->partial = m->partial;
}

static bool add_related(struct linked *l, struct err *err)
{
    struct related_notes notes;
    const struct linked_question *q = l->question;
    if (!related_find(l->index, q->meaning, l->arena, q->file, q->linked, q->stop, &notes,
                      err))
        return false;
    for (size_t i = 0; i < notes.n; i++)
        linked_add(l, &(struct linked_item){.about = LINKED_RELATED,
                                            .file = notes.items[i].file,
                                            .related = &notes.items[i]});
    return true;
}

/* --- of the vault --- */

static void add_unresolved(struct linked *l)
{
    const struct linked_question *q = l->question;
    struct graph_counts counts;
    struct graph_missing *missing;
    size_t n = graph_unresolved(l->index->graph, l->arena, q->offset, q->limit, &missing);
    graph_count(l->index->graph, &counts);
    l->items = ARENA_ARRAY(l->arena, struct linked_item, n);
    for (l->n = 0; l->n < n; l->n++) {
        struct graph_missing *m = &missing[l->n];
        m->path = index_spelling(l->index, l->arena, m->sources[0], m->path);
        l->items[l->n] = (struct linked_item){.about = LINKED_UNRESOLVED, .missing = m};
    }
    l->total = counts.missing;
}

static int linked_by_path(const void *a, const void *b)
{
    return str_cmp((*(const struct file *const *)a)->path,
                   (*(const struct file *const *)b)->path);
}

static void add_orphans(struct linked *l)
{
    file_id *ids;
    size_t n = graph_orphans(l->index->graph, l->arena, &ids), kept = 0;
    const struct file **files = ARENA_ARRAY(l->arena, const struct file *, n);
    for (size_t i = 0; i < n; i++)
        if (!index_file(l->index, ids[i])->excluded)
            files[kept++] = index_file(l->index, ids[i]);
    if (kept > 1)
        sort_items(files, kept, sizeof(*files), linked_by_path);
    for (size_t i = 0; i < kept; i++)
        linked_add(l, &(struct linked_item){.about = LINKED_ORPHANS, .file = files[i]});
}

static struct near_link *linked_near(const struct index *x, struct arena *a,
                                     const struct linked_question *q)
{
    struct near_link *near = ARENA_NEW(a, struct near_link);
    *near = (struct near_link){.index = x, .arena = a, .stop = q->stop};
    return near;
}

void linked_outgoing(const struct index *x, struct arena *a,
                     const struct linked_question *q, struct linked *out)
{
    *out = (struct linked){
        .question = q, .index = x, .arena = a, .near = linked_near(x, a, q)};
    add_outgoing(out, false);
}

static bool linked_collect(struct linked *out, struct err *err)
{
    const struct linked_question *q = out->question;
    switch (q->about) {
    case LINKED_OUTGOING:
    case LINKED_BOTH:
        add_outgoing(out, false);
        if (q->about == LINKED_BOTH)
            add_backlinks(out);
        break;
    case LINKED_BACKLINKS:
        add_backlinks(out);
        break;
    case LINKED_NEIGHBOURS:
        add_neighbours(out);
        break;
    case LINKED_PATH:
        add_path(out);
        break;
    case LINKED_MENTIONS:
        add_mentions(out);
        break;
    case LINKED_RELATED:
        return add_related(out, err);
    case LINKED_ORPHANS:
        add_orphans(out);
        break;
    case LINKED_UNRESOLVED:
        if (q->file != NULL)
            add_outgoing(out, true);
        else
            add_unresolved(out);
        break;
    }
    return true;
}

bool linked_find(const struct index *x, struct arena *a, const struct linked_question *q,
                 struct linked *out, struct err *err)
{
    *out = (struct linked){
        .question = q, .index = x, .arena = a, .near = linked_near(x, a, q)};
    return linked_collect(out, err) &&
           (!stop_now(q->stop) ||
            stop_fail(q->stop, "the answer", "ask for less, or try again later", err));
}
