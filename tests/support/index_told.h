/* The contents of an index as text, so that two can be compared. */
#pragma once

#include "base/sbuf.h"
#include "check.h"
#include "vault/index/index.h"

/* Paths of ids, sorted. */
static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static void add_items(struct sbuf *b, const str *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sbuf_printf(b, " " STR_FMT, STR_ARG(items[i]));
    sbuf_char(b, '\n');
}

static void add_sorted(struct sbuf *b, str *items, size_t n)
{
    if (n > 1)
        qsort(items, n, sizeof(*items), by_text);
    add_items(b, items, n);
}

static void tell_edges(struct sbuf *b, struct arena *a, const struct index *x,
                       const char *what, const struct graph_edge *edges, size_t n)
{
    str *items = ARENA_ARRAY(a, str, n);
    for (size_t i = 0; i < n; i++) {
        const struct file *f = index_file(x, edges[i].file);
        items[i] = f != NULL
                       ? arena_printf(a, STR_FMT "*%u", STR_ARG(f->path), edges[i].count)
                       : arena_printf(a, "?*%u", edges[i].count);
    }
    sbuf_printf(b, "  %s:", what);
    add_items(b, items, n);
}

static void tell_words(struct sbuf *b, struct arena *a, const struct index *x)
{
    static const char *const queries[] = {"alpha", "beta", "\"alpha beta\"", "gam*",
                                          "-alpha"};
    for (size_t i = 0; i < COUNT_OF(queries); i++) {
        struct words_result r;
        struct err err;
        assert_true(words_search_text(x->words, a, str_c(queries[i]), 0, 1000, NULL, NULL,
                                      &r, &err));
        str *items = ARENA_ARRAY(a, str, r.n);
        for (size_t k = 0; k < r.n; k++)
            items[k] = arena_printf(a, STR_FMT "=%.3f",
                                    STR_ARG(index_file(x, r.hits[k].id)->path),
                                    (double)r.hits[k].score);
        sbuf_printf(b, "%s (%zu):", queries[i], r.total);
        add_items(b, items, r.n);
    }
}

static void tell_tags(struct sbuf *b, struct arena *a, const struct index *x)
{
    for (size_t i = 0; i < tags_count(x->tags); i++) {
        struct tag t = tags_at(x->tags, i);
        str *items = ARENA_ARRAY(a, str, t.all);
        for (size_t k = 0; k < t.all; k++)
            items[k] = index_file(x, t.files[k])->path;
        sbuf_printf(b, "#" STR_FMT " %zu %zu:", STR_ARG(t.name), t.notes, t.all);
        add_sorted(b, items, t.all);
    }
}

static void tell_counts(struct sbuf *b, const struct index *x)
{
    struct index_counts c;
    const file_id *newest;
    index_count(x, &c);
    sbuf_printf(b,
                "%zu notes, %zu listed, %zu attachments, %zu folders, %lld bytes, %lld\n",
                c.notes, x->listed, c.attachments, c.folders, (long long)c.bytes,
                (long long)c.newest);
    size_t n = index_newest(x, &newest);
    for (size_t i = 0; i < n; i++) {
        const struct file *f = index_file(x, newest[i]);
        sbuf_printf(b, STR_FMT " %lld\n", STR_ARG(f->path), (long long)f->info.mtime);
    }
}

static void tell_querying(struct sbuf *b, struct arena *a, const struct index *x)
{
    str *items = ARENA_ARRAY(a, str, x->querying.n);
    for (uint32_t i = 0; i < x->querying.n; i++)
        items[i] = index_file(x, x->querying.at[i])->path;
    sbuf_add(b, STR("with queries:"));
    add_sorted(b, items, x->querying.n);
}

/* In the order and spelling that answers have, whatever happened before. */
static void tell_unresolved(struct sbuf *b, struct arena *a, const struct index *x)
{
    struct graph_missing *missing;
    file_id *orphans;
    size_t n = graph_unresolved(x->graph, a, 0, SIZE_MAX, &missing);
    for (size_t i = 0; i < n; i++) {
        const struct graph_missing *m = &missing[i];
        sbuf_printf(b, "missing " STR_FMT " %u:",
                    STR_ARG(index_spelling(x, a, m->sources[0], m->path)), m->count);
        for (size_t k = 0; k < m->n_sources; k++)
            sbuf_printf(b, " " STR_FMT, STR_ARG(index_file(x, m->sources[k])->path));
        sbuf_char(b, '\n');
    }
    n = graph_orphans(x->graph, a, &orphans);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(b, "orphan " STR_FMT "\n", STR_ARG(index_file(x, orphans[i])->path));
}

/* Everything in an index, without ids: equal contents give equal texts. */
static str told(struct arena *a, const struct index *x)
{
    static const char *const links[] = {"n1", "N2", "f/n3", "../n4", "n5.md", "pic.png"};
    struct sbuf b = SBUF_ON(a);
    struct graph_counts counts;
    const struct file **files;
    graph_count(x->graph, &counts);
    sbuf_printf(&b, "%zu files %zu bytes, graph %zu %zu %zu\n", x->count, x->text_bytes,
                counts.files, counts.links, counts.unresolved);
    tell_counts(&b, x);
    size_t n = index_sorted(x, a, &files);
    CHECK_INT("sorted", n, x->count);
    CHECK("after the last", index_nth(x, n) == NULL);
    for (size_t i = 0; i < n; i++) {
        const struct file *f = files[i];
        CHECK("in order", i == 0 || str_cmp(files[i - 1]->path, f->path) < 0);
        CHECK("the same by number", index_nth(x, i) == f);
        CHECK_INT("after it", index_after(x, f->path), i + 1);
        struct graph_edge *edges;
        CHECK("by path", index_find(x, f->path) == f && index_file(x, f->id) == f);
        CHECK("name", str_eq(names_path(x->names, f->id), f->path));
        sbuf_printf(&b, STR_FMT " %d\n", STR_ARG(f->path), f->excluded);
        size_t m = graph_links(x->graph, a, f->id, &edges);
        tell_edges(&b, a, x, "to", edges, m);
        m = graph_backlinks(x->graph, a, f->id, &edges);
        tell_edges(&b, a, x, "from", edges, m);
        for (size_t k = 0; k < COUNT_OF(links); k++) {
            struct names_answer answer;
            names_resolve(x->names, NULL, str_c(links[k]), f->path, f->id, &answer);
            const struct file *to = index_file(x, answer.file);
            sbuf_printf(&b, "  %s: " STR_FMT " %d\n", links[k],
                        STR_ARG(to != NULL ? to->path : STR("-")), answer.rule);
        }
    }
    tell_unresolved(&b, a, x);
    tell_querying(&b, a, x);
    tell_tags(&b, a, x);
    tell_words(&b, a, x);
    return sbuf_str(&b);
}
