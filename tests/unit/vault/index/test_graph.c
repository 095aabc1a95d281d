#include "vault/index/graph.h"

#include <stdio.h>

#include "base/sbuf.h"
#include "base/utf8.h"
#include "check.h"

/* A vault as rows "path: link, link"; ids are the rows, counted from 0. */
struct vault {
    struct names *names;
    struct graph *graph;
};

static void set_links(struct vault *v, file_id id, str links)
{
    str paths[16], rest = links, link;
    size_t n = 0;
    while (links.n > 0 && n < COUNT_OF(paths) && str_next(&rest, ',', &link))
        paths[n++] = link;
    graph_set(v->graph, id, paths, n);
}

static struct vault vault_of(const char *const *rows, size_t n)
{
    struct vault v = {.names = names_create()};
    v.graph = graph_create(v.names);
    for (file_id id = 0; id < n; id++) {
        str row = str_c(rows[id]), path;
        (void)str_next(&row, ':', &path);
        names_add(v.names, id, path);
        graph_add(v.graph, id);
        set_links(&v, id, row);
    }
    return v;
}

static void vault_free(struct vault *v)
{
    graph_free(v->graph);
    names_free(v->names);
}

static void add(struct vault *v, file_id id, str path)
{
    names_add(v->names, id, path);
    graph_add(v->graph, id);
}

static void take_away(struct arena *a, struct vault *v, file_id id)
{
    str path = arena_str(a, names_path(v->names, id));
    names_remove(v->names, id);
    graph_remove(v->graph, id, path);
}

/* Edges as text: "1x2 ?name x1" */
static str edges_text(struct arena *a, const struct graph_edge *e, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++) {
        sbuf_add(&out, i > 0 ? STR(" ") : STR(""));
        if (e[i].file == NO_FILE)
            sbuf_printf(&out, "?" STR_FMT "x%u", STR_ARG(e[i].path), e[i].count);
        else
            sbuf_printf(&out, "%ux%u", e[i].file, e[i].count);
    }
    return sbuf_str(&out);
}

static str links_text(struct arena *a, const struct graph *g, file_id id)
{
    struct graph_edge *e;
    size_t n = graph_links(g, a, id, &e);
    return edges_text(a, e, n);
}

static str backlinks_text(struct arena *a, const struct graph *g, file_id id)
{
    struct graph_edge *e;
    size_t n = graph_backlinks(g, a, id, &e);
    return edges_text(a, e, n);
}

static str ids_text(struct arena *a, const file_id *ids, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, i > 0 ? " %u" : "%u", ids[i]);
    return sbuf_str(&out);
}

static str path_text(struct arena *a, const struct graph *g, file_id from, file_id to,
                     enum graph_way way)
{
    file_id *ids;
    size_t n = graph_path(g, a, from, to, way, &ids);
    return ids_text(a, ids, n);
}

static void test_edges(void **state)
{
    struct arena *a = *state;
    static const char *const rows[] = {
        "Home.md:Note,note.md,NOTE,x/Note,Pic.png,Nowhere,nowhere,https://a.b,",
        "Note.md:,Note,Home",
        "Pic.png:",
        "Lone.md:",
        "Self.md:Self,",
        "Lost.md:Nowhere",
        "Pic2.png:",
    };
    struct vault v = vault_of(rows, COUNT_OF(rows));
    CHECK_STR("merged", links_text(a, v.graph, 0), "0x1 1x3 2x1 ?Nowherex2 ?x/Notex1");
    CHECK_STR("itself", links_text(a, v.graph, 1), "0x1 1x2");
    CHECK_STR("in", backlinks_text(a, v.graph, 1), "0x3");
    CHECK_STR("in, not itself", backlinks_text(a, v.graph, 0), "1x1");
    CHECK_STR("attachment", backlinks_text(a, v.graph, 2), "0x1");
    CHECK_STR("unknown", backlinks_text(a, v.graph, 99), "");
    CHECK_STR("unknown", links_text(a, v.graph, 99), "");

    str *paths;
    CHECK_INT("between", graph_between(v.graph, a, 0, 1, &paths), 2);
    CHECK("spellings", str_eq(paths[0], STR("note.md")) && str_eq(paths[1], STR("Note")));
    CHECK("same", graph_is_same(a, STR(" NOTE\n"), STR("note")));
    CHECK("same beyond ASCII",
          graph_is_same(a, STR("\u00C9T\u00C9"), STR("e\u0301te\u0301")));
    CHECK("same as ASCII", graph_is_same(a, STR("\u212Aelvin"), STR("kelvin")));
    CHECK("not the same", !graph_is_same(a, STR("note"), STR("notes")));
    CHECK("a part", !graph_is_same(a, STR("note one"), STR("note")));
    CHECK("another sign", !graph_is_same(a, STR("note one"), STR("note-one")));
    CHECK("other spaces", graph_is_same(a, STR("note"), STR("note  \u00A0")));
    CHECK("spaces after both", graph_is_same(a, STR("note \u00A0"), STR("note\t\u00A0")));
    CHECK("a mark after it", graph_is_same(a, STR("note\u0301"), STR("not\u00E9")));
    CHECK_INT("not between", graph_between(v.graph, a, 2, 1, &paths), 0);
    CHECK_INT("unknown", graph_between(v.graph, a, 99, 1, &paths), 0);

    file_id *ids;
    size_t n = graph_orphans(v.graph, a, &ids);
    CHECK_STR("orphans", ids_text(a, ids, n), "3 4");

    struct graph_missing *m;
    CHECK_INT("missing", graph_unresolved(v.graph, a, 0, SIZE_MAX, &m), 2);
    CHECK_STR("most first", m[0].path, "Nowhere");
    CHECK_INT("most first", m[0].count, 3);
    CHECK_STR("sources", ids_text(a, m[0].sources, m[0].n_sources), "0 5");
    CHECK_STR("then", m[1].path, "x/Note");
    CHECK_INT("from the second", graph_unresolved(v.graph, a, 1, 5, &m), 1);
    CHECK_STR("from the second", m[0].path, "x/Note");
    CHECK_INT("at most one", graph_unresolved(v.graph, a, 0, 1, &m), 1);
    CHECK_INT("after the last", graph_unresolved(v.graph, a, 2, 1, &m), 0);

    struct graph_counts counts;
    graph_count(v.graph, &counts);
    CHECK_INT("files", counts.files, 7);
    CHECK_INT("links", counts.links, 8 + 3 + 2 + 1);
    CHECK_INT("unresolved", counts.unresolved, 4);
    CHECK_INT("missing", counts.missing, 2);
    CHECK("memory", graph_memory(v.graph) > 1000);
    vault_free(&v);
    graph_free(NULL);
}

static void test_names_come_and_go(void **state)
{
    struct arena *a = *state;
    static const char *const rows[] = {
        "a/s.md:Note,./Note,b/readme.txt,v1.2",
        "t.md:Note,Note.md",
    };
    struct vault v = vault_of(rows, COUNT_OF(rows));
    CHECK_STR("nothing", links_text(a, v.graph, 1), "?Notex1 ?Note.mdx1");
    add(&v, 2, STR("zz/Note.md"));
    CHECK_STR("appears", links_text(a, v.graph, 1), "2x2");
    add(&v, 3, STR("a/NOTE.md"));
    CHECK_STR("own folder", links_text(a, v.graph, 0), "3x2 ?b/readme.txtx1 ?v1.2x1");
    CHECK_STR("shorter", links_text(a, v.graph, 1), "3x2");
    add(&v, 4, STR("note.md"));
    CHECK_STR("exact", backlinks_text(a, v.graph, 4), "0x1 1x2");
    take_away(a, &v, 4);
    take_away(a, &v, 3);
    CHECK_STR("back", backlinks_text(a, v.graph, 2), "0x2 1x2");
    add(&v, 3, STR("q/b/readme.txt.md"));
    CHECK_STR("with .md", links_text(a, v.graph, 0), "3x1 2x2 ?v1.2x1");
    add(&v, 4, STR("readme.txt"));
    CHECK_STR("the literal name hides it", links_text(a, v.graph, 0),
              "2x2 ?b/readme.txtx1 ?v1.2x1");
    take_away(a, &v, 4);
    CHECK_STR("and not", links_text(a, v.graph, 0), "3x1 2x2 ?v1.2x1");
    take_away(a, &v, 0);
    CHECK_STR("source gone", backlinks_text(a, v.graph, 2), "1x2");
    graph_remove(v.graph, 0, STR("a/s.md"));
    vault_free(&v);
}

static void test_ways(void **state)
{
    struct arena *a = *state;
    /* 0 -> 1 -> 2 -> 3, 0 -> 4 -> 3, 5 -> 4, 6 alone */
    static const char *const rows[] = {
        "0.md:1,4,nothing", "1.md:2,1", "2.md:3", "3.md:", "4.md:3", "5.md:4", "6.md:",
    };
    struct vault v = vault_of(rows, COUNT_OF(rows));
    CHECK_STR("shortest", path_text(a, v.graph, 0, 3, GRAPH_OUT), "0 4 3");
    CHECK_STR("itself", path_text(a, v.graph, 2, 2, GRAPH_OUT), "2");
    CHECK_STR("not backwards", path_text(a, v.graph, 3, 0, GRAPH_OUT), "");
    CHECK_STR("only backwards", path_text(a, v.graph, 3, 0, GRAPH_IN), "3 4 0");
    CHECK_STR("both ways", path_text(a, v.graph, 5, 1, GRAPH_BOTH), "5 4 0 1");
    CHECK_STR("no path", path_text(a, v.graph, 0, 6, GRAPH_BOTH), "");
    CHECK_STR("unknown", path_text(a, v.graph, 0, 99, GRAPH_BOTH), "");

    struct graph_near *near;
    CHECK_INT("all", graph_neighbours(v.graph, a, 4, GRAPH_BOTH, 9, 99, &near), 5);
    static const struct graph_near want[] = {{0, 1}, {3, 1}, {5, 1}, {1, 2}, {2, 2}};
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        CHECK_INT("file", near[i].file, want[i].file);
        CHECK_INT("distance", near[i].distance, want[i].distance);
    }
    CHECK_INT("depth 1", graph_neighbours(v.graph, a, 4, GRAPH_BOTH, 1, 99, &near), 3);
    CHECK_INT("out", graph_neighbours(v.graph, a, 4, GRAPH_OUT, 9, 99, &near), 1);
    CHECK_INT("in", graph_neighbours(v.graph, a, 4, GRAPH_IN, 9, 99, &near), 2);
    CHECK_INT("most", graph_neighbours(v.graph, a, 4, GRAPH_BOTH, 9, 4, &near), 4);
    CHECK_INT("none", graph_neighbours(v.graph, a, 4, GRAPH_BOTH, 0, 9, &near), 0);
    CHECK_INT("unknown", graph_neighbours(v.graph, a, 99, GRAPH_BOTH, 9, 9, &near), 0);
    vault_free(&v);
}

enum { FILES = 40, LINKS = 6, STEPS = 4000 };

/* A model of a file, independent of the graph under test. */
struct model {
    bool there;
    char path[32];
    char links[LINKS][32];
    size_t n;
};

static uint32_t seed = 7;

static uint32_t roll(uint32_t n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 10) % n;
}

static void random_path(char *out, size_t size, bool link)
{
    static const char *const folders[] = {"", "", "a/", "a/b/", "c/", "b/", "Ä/"};
    static const char *const prefixes[] = {"", "", "", "", "./", "../", "/"};
    static const char *const names[] = {"x", "Y", "ö", "v1.2", "x.md"};
    static const char *const ends[] = {".md", ".md", ".png", ".txt"};
    snprintf(out, size, "%s%s%s%s", link ? prefixes[roll(COUNT_OF(prefixes))] : "",
             folders[roll(COUNT_OF(folders))], names[roll(COUNT_OF(names))],
             link && roll(2) ? "" : ends[roll(COUNT_OF(ends))]);
}

static bool is_taken(const struct model *files, const char *path)
{
    for (size_t i = 0; i < FILES; i++)
        if (files[i].there && strcmp(files[i].path, path) == 0)
            return true;
    return false;
}

static void links_of(struct vault *v, const struct model *m, file_id id)
{
    str paths[LINKS];
    for (size_t i = 0; i < m->n; i++)
        paths[i] = str_c(m->links[i]);
    graph_set(v->graph, id, paths, m->n);
}

static void change(struct arena *a, struct vault *v, struct model *files)
{
    file_id id = roll(FILES);
    struct model *m = &files[id];
    if (m->there && roll(3) == 0) {
        take_away(a, v, id);
        m->there = false;
    } else if (m->there) {
        m->n = roll(LINKS + 1);
        for (size_t i = 0; i < m->n; i++)
            random_path(m->links[i], sizeof(m->links[i]), true);
        links_of(v, m, id);
    } else {
        char path[sizeof(m->path)];
        random_path(path, sizeof(path), false);
        if (is_taken(files, path))
            return;
        memcpy(m->path, path, sizeof(path));
        m->there = true;
        m->n = 0;
        add(v, id, str_c(path));
    }
}

static str missing_text(struct arena *a, const struct graph *g)
{
    struct sbuf out = SBUF_ON(a);
    struct graph_missing *m;
    size_t n = graph_unresolved(g, a, 0, SIZE_MAX, &m), links = 0;
    for (size_t i = 0; i < n; i++) {
        links += m[i].count;
        CHECK("most frequent first",
              i == 0 || m[i - 1].count > m[i].count ||
                  (m[i - 1].count == m[i].count &&
                   str_cmp(utf8_fold(a, m[i - 1].path), utf8_fold(a, m[i].path)) < 0));
    }
    struct graph_counts counts;
    graph_count(g, &counts);
    CHECK_INT("all of them", n, counts.missing);
    sbuf_printf(&out, "%zu texts, %zu links of %zu %zu %zu", n, links, counts.unresolved,
                counts.links, counts.files);
    return sbuf_str(&out);
}

static void compare(struct arena *a, const struct vault *v, const struct model *files)
{
    struct vault fresh = {.names = names_create()};
    fresh.graph = graph_create(fresh.names);
    for (file_id id = 0; id < FILES; id++)
        if (files[id].there)
            add(&fresh, id, str_c(files[id].path));
    for (file_id id = 0; id < FILES; id++)
        if (files[id].there)
            links_of(&fresh, &files[id], id);
    for (file_id id = 0; id < FILES; id++) {
        str row = arena_printf(a, "file %u", id);
        str out = arena_str(a, links_text(a, fresh.graph, id));
        str in = arena_str(a, backlinks_text(a, fresh.graph, id));
        CHECK_STR(row.p, links_text(a, v->graph, id), out);
        CHECK_STR(row.p, backlinks_text(a, v->graph, id), in);
    }
    str missing = arena_str(a, missing_text(a, fresh.graph));
    CHECK_STR("missing", missing_text(a, v->graph), missing);
    vault_free(&fresh);
}

/* Whatever happened before, the graph equals a fresh one. */
static void test_random(void **state)
{
    struct arena *a = *state;
    static struct model files[FILES];
    struct vault v = {.names = names_create()};
    v.graph = graph_create(v.names);
    for (int i = 0; i < STEPS; i++) {
        change(a, &v, files);
        if (i % 10 == 0)
            compare(a, &v, files);
        arena_reset(a);
    }
    for (file_id id = 0; id < FILES; id++)
        if (files[id].there)
            take_away(a, &v, id);
    struct graph_counts counts;
    graph_count(v.graph, &counts);
    CHECK_INT("no files", counts.files, 0);
    CHECK_INT("no links", counts.links, 0);
    CHECK_INT("nothing missing", counts.unresolved, 0);
    vault_free(&v);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_edges),
        ARENA_TEST(test_names_come_and_go),
        ARENA_TEST(test_ways),
        ARENA_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
