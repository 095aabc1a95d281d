/*
 * The graph as bytes: a head, the edges chunk by chunk, the texts, the files, and the
 * strings of the texts. Edges are used in place; hash buckets are rebuilt.
 *
 * A damaged image may give wrong answers, but every number in it refers to something that
 * exists, and every list ends.
 */
#include "base/err.h"
#include "vault/index/graph_table.h"
#include "vault/index/image.h"

struct graph_image_head {
    struct hash_key key;
    uint64_t n_chunks, n_texts, n_files;
    uint64_t text_bytes; /* each text is followed by NUL */
    uint64_t free_link;
};

struct image_text {
    uint32_t n; /* bytes; GRAPH_NONE: free */
    uint32_t hash, key, first;
};

struct image_file {
    uint32_t out, in, there;
};

static void graph_image_put_texts(const struct graph *g, const struct image_out *out)
{
    for (uint32_t i = 0; i < g->n_texts; i++) {
        const struct graph_text *t = &g->texts[i];
        struct image_text to = {.n = GRAPH_NONE};
        if (t->written != NULL)
            to = (struct image_text){t->n, t->hash, t->key, t->first};
        image_put_piece(out, &to, sizeof(to));
    }
    image_pad(out, (uint64_t)g->n_texts * sizeof(struct image_text));
}

static void graph_image_put_files(const struct graph *g, const struct image_out *out)
{
    for (size_t i = 0; i < g->n_files; i++) {
        const struct graph_file *f = &g->files[i];
        const struct image_file to = {f->out, f->in, f->there};
        image_put_piece(out, &to, sizeof(to));
    }
    image_pad(out, g->n_files * sizeof(struct image_file));
}

void graph_save(const struct graph *g, const struct image_out *out)
{
    const struct graph_image_head h = {.key = g->key,
                                       .n_chunks = g->n_chunks,
                                       .n_texts = g->n_texts,
                                       .n_files = g->n_files,
                                       .text_bytes = g->text_bytes,
                                       .free_link = g->free_link};
    image_put(out, &h, sizeof(h));
    graph_image_put_texts(g, out);
    graph_image_put_files(g, out);
    for (uint32_t i = 0; i < g->n_texts; i++)
        if (g->texts[i].written != NULL)
            image_put_piece(out, g->texts[i].written, (uint64_t)g->texts[i].n + 1);
    image_pad(out, h.text_bytes);
    for (size_t i = 0; i < g->n_chunks; i++)
        image_put(out, g->chunks[i], GRAPH_CHUNK * sizeof(**g->chunks));
}

/* --- checks --- */

/* The state of a check. */
struct checker {
    const struct graph *graph;
    uint32_t n_links; /* including free ones */
    uint8_t *taken;   /* by link: it is in the list of its source, or in the free list */
    struct graph_counts counts;
};

enum { TAKEN = 1, FREE = 2 };
enum { AHEAD = 32 }; /* links to prefetch */

static bool is_taken(const struct checker *c, uint32_t link)
{
    return link < c->n_links && c->taken[link] == TAKEN;
}

static bool graph_image_is_text(const struct checker *c, uint32_t text)
{
    return text < c->graph->n_texts && c->graph->texts[text].written != NULL;
}

/* Walk the list of one source, or the free list; no link may be in two lists. */
static bool take_list(struct checker *c, uint32_t first, uint8_t as, file_id source)
{
    for (uint32_t i = first; i != GRAPH_NONE; i = graph_link(c->graph, i)->next) {
        if (i >= c->n_links || c->taken[i] != 0)
            return false;
        c->taken[i] = as;
        if (as == TAKEN && graph_link(c->graph, i)->source != source)
            return false;
    }
    return true;
}

/*
 * Check the doubly linked lists: a link must be where its neighbours say it is. Because
 * the first link of a list has none before it, and no link has two before it, no list can
 * be a cycle.
 */
static bool is_in_text(const struct checker *c, uint32_t link)
{
    const struct graph *g = c->graph;
    const struct graph_link *l = graph_link(g, link);
    uint32_t before = l->text_before, next = l->text_next;
    if (!graph_image_is_text(c, l->text) ||
        (before != GRAPH_NONE && !is_taken(c, before)) ||
        (next != GRAPH_NONE && !is_taken(c, next)))
        return false;
    uint32_t here =
        before != GRAPH_NONE ? graph_link(g, before)->text_next : g->texts[l->text].first;
    return here == link &&
           (next == GRAPH_NONE || (graph_link(g, next)->text_before == link &&
                                   graph_link(g, next)->text == l->text));
}

static bool is_in_target(const struct checker *c, uint32_t link)
{
    const struct graph *g = c->graph;
    const struct graph_link *l = graph_link(g, link);
    uint32_t before = l->target_before, next = l->target_next;
    if (l->target == NO_FILE)
        return true;
    if (graph_file(g, l->target) == NULL ||
        (before != GRAPH_NONE && !is_taken(c, before)) ||
        (next != GRAPH_NONE && !is_taken(c, next)))
        return false;
    uint32_t here = before != GRAPH_NONE ? graph_link(g, before)->target_next
                                         : g->files[l->target].in;
    return here == link &&
           (next == GRAPH_NONE || (graph_link(g, next)->target_before == link &&
                                   graph_link(g, next)->target == l->target));
}

/* Prefetch the neighbours of a link, so that they are in the cache when it is checked. */
static void fetch_around(const struct checker *c, uint32_t link)
{
    if (link >= c->n_links)
        return;
    const struct graph_link *l = graph_link(c->graph, link);
    const uint32_t around[] = {l->text_before, l->text_next, l->target_before,
                               l->target_next};
    for (size_t i = 0; i < COUNT_OF(around); i++)
        if (around[i] < c->n_links)
            __builtin_prefetch(graph_link(c->graph, around[i]));
    if (l->text < c->graph->n_texts)
        __builtin_prefetch(&c->graph->texts[l->text]);
}

static bool are_links_sound(struct checker *c)
{
    for (uint32_t i = 0; i < c->n_links; i++) {
        fetch_around(c, i + AHEAD);
        if (c->taken[i] != TAKEN)
            continue;
        if (!is_in_text(c, i) || !is_in_target(c, i))
            return false;
        const struct graph_link *l = graph_link(c->graph, i);
        c->counts.links += l->count;
        if (l->target == NO_FILE) {
            c->counts.unresolved += l->count;
            c->graph->texts[l->text].missing += l->count;
        }
    }
    return true;
}

static bool are_texts_sound(struct checker *c)
{
    const struct graph *g = c->graph;
    for (uint32_t i = 0; i < g->n_texts; i++) {
        const struct graph_text *t = &g->texts[i];
        if (t->written == NULL)
            continue;
        if (!is_taken(c, t->first) || graph_link(g, t->first)->text != i ||
            graph_link(g, t->first)->text_before != GRAPH_NONE)
            return false;
        c->counts.missing += t->missing > 0;
    }
    return true;
}

static bool are_files_sound(struct checker *c)
{
    const struct graph *g = c->graph;
    for (size_t i = 0; i < g->n_files; i++) {
        const struct graph_file *f = &g->files[i];
        if (!f->there && (f->out != GRAPH_NONE || f->in != GRAPH_NONE))
            return false;
        c->counts.files += f->there;
        if (f->in != GRAPH_NONE &&
            (!is_taken(c, f->in) || graph_link(g, f->in)->target != i ||
             graph_link(g, f->in)->target_before != GRAPH_NONE))
            return false;
    }
    return true;
}

static bool is_sound(struct graph *g)
{
    struct checker c = {.graph = g, .n_links = (uint32_t)(g->n_chunks * GRAPH_CHUNK)};
    c.taken = mem_zero(c.n_links + (size_t)1);
    bool sound = take_list(&c, g->free_link, FREE, NO_FILE);
    for (size_t i = 0; i < g->n_files && sound; i++)
        sound = take_list(&c, g->files[i].out, TAKEN, (file_id)i);
    sound = sound && are_links_sound(&c) && are_texts_sound(&c) && are_files_sound(&c);
    free(c.taken);
    g->counts = c.counts;
    return sound;
}

/* --- loading --- */

static bool load_texts(struct graph *g, const struct image_text *from, str says)
{
    size_t at = 0;
    g->says = says;
    for (uint32_t i = 0; i < g->n_texts; i++) {
        const struct image_text *t = &from[i];
        g->texts[i] = (struct graph_text){0};
        if (t->n == GRAPH_NONE)
            continue;
        if (t->n >= says.n - at)
            return false;
        g->texts[i] = (struct graph_text){.written = (char *)says.p + at,
                                          .n = t->n,
                                          .hash = t->hash,
                                          .key = t->key,
                                          .first = t->first,
                                          .only = NO_FILE};
        at += (size_t)t->n + 1;
    }
    g->text_bytes = at;
    return at == says.n;
}

static void load_files(struct graph *g, const struct image_file *from)
{
    for (size_t i = 0; i < g->n_files; i++)
        g->files[i] = (struct graph_file){from[i].out, from[i].in, from[i].there != 0};
}

/* Use the chunks of the image as those of g. */
static void load_chunks(struct graph *g, const struct graph_link *links, size_t n)
{
    g->chunks = mem_alloc(size_mul(n, sizeof(*g->chunks)) + 1);
    g->n_chunks = g->borrowed_chunks = n;
    for (size_t i = 0; i < n; i++)
        g->chunks[i] = (struct graph_link *)links + i * GRAPH_CHUNK;
}

struct graph *graph_load(const struct names *names, struct image_in *in)
{
    const struct graph_image_head *h = image_take(in, 1, sizeof(*h));
    if (h == NULL || h->n_chunks >= GRAPH_NONE / GRAPH_CHUNK ||
        h->n_texts >= GRAPH_NONE || h->n_files >= NO_FILE)
        return NULL;
    const struct image_text *texts = image_take(in, h->n_texts, sizeof(*texts));
    const struct image_file *files = image_take(in, h->n_files, sizeof(*files));
    const char *says = image_take(in, h->text_bytes, 1);
    const struct graph_link *links =
        image_take(in, h->n_chunks * GRAPH_CHUNK, sizeof(*links));
    if (in->damaged)
        return NULL;
    struct graph *g = graph_create(names);
    load_chunks(g, links, h->n_chunks);
    g->key = h->key;
    g->free_link = (uint32_t)h->free_link;
    g->texts = mem_alloc(size_mul(h->n_texts, sizeof(*g->texts)) + 1);
    g->n_texts = (uint32_t)h->n_texts;
    g->files = mem_alloc(size_mul(h->n_files, sizeof(*g->files)) + 1);
    g->n_files = h->n_files;
    load_files(g, files);
    if (load_texts(g, texts, (str){says, h->text_bytes}) && is_sound(g)) {
        graph_find_texts(g);
        return g;
    }
    g->n_texts = 0; /* not all of them were loaded */
    graph_free(g);
    return NULL;
}
