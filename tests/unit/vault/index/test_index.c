#include "vault/index/index.h"

#include <stdio.h>
#include <unistd.h>

#include "base/path.h"
#include "index_told.h"
#include "vault/index/snapshot.h"

/* Times differ, but several files have the same. */
static struct fs_info info_of(const char *path, const char *text)
{
    size_t n = strlen(text);
    return (struct fs_info){.size = (int64_t)n, .mtime = (int64_t)(n * strlen(path)) % 7};
}

static void put(struct index *x, const char *path, const char *text, bool excluded)
{
    struct arena scratch = {0};
    struct fs_info info = info_of(path, text);
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), excluded);
    arena_release(&scratch);
}

static const char *const paths[] = {
    "n1.md",          "N1.md",         "f/n1.md",
    "f/N2.md",        "n2.md",         "f/g/n3.md",
    "n3.md",          "n4.md",         "f/n4.md",
    "caf\u00e9.md",   "cafe\u0301.md", "pic.png",
    "f/pic.png",      "x.canvas",      "t.csv",
    "deep/a/b/n5.md", "n5.md",         "deep/a/b/c/d/n6.md",
    "b.base",         "F/n1.md",
};

#define CANVAS                                                                           \
    "{\"nodes\":[{\"type\":\"file\",\"file\":\"n1.md\"},{\"type\":\"text\","             \
    "\"text\":\"alpha [[n5]]\"}]}"

static const char *const texts[] = {
    "",
    "alpha beta [[n1]] [[n1]] #a/b",
    "---\ntags: [A/B, c]\naliases: x\n---\nbeta [[N2|y]] [z](f/n3.md) [[nowhere]]",
    "gamma #c alpha beta ![[pic.png]] [[caf\u00e9]] [[../n4]]",
    "---\nbroken: [\n---\n#A alpha\n```dataview\nLIST\n```",
    CANVAS,
};

struct world {
    int text[COUNT_OF(paths)]; /* -1: no such file */
    bool excluded[COUNT_OF(paths)];
};

static struct index *fresh(const struct world *w, bool backwards)
{
    struct index *x = index_create();
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        size_t k = backwards ? COUNT_OF(paths) - 1 - i : i;
        if (w->text[k] >= 0)
            put(x, paths[k], texts[w->text[k]], w->excluded[k]);
    }
    return x;
}

static struct index *filled(const struct world *w)
{
    struct arena a = {0};
    struct file *files[COUNT_OF(paths)];
    struct words *words = words_create();
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        if (w->text[i] < 0)
            continue;
        struct fs_info info = info_of(paths[i], texts[w->text[i]]);
        struct file *f = file_make(&a, str_c(paths[i]), &info, str_c(texts[w->text[i]]));
        f->excluded = w->excluded[i];
        f->id = (file_id)n;
        struct words_doc doc;
        file_words(&a, f, &doc);
        if (!f->excluded)
            words_add(words, &doc);
        files[n++] = f;
    }
    struct index *x = index_create();
    index_fill(x, files, n);
    index_set_words(x, words);
    arena_release(&a);
    return x;
}

static void check_equal(const char *row, const struct index *got, struct index *want)
{
    struct arena a = {0};
    str g = told(&a, got), w = told(&a, want);
    if (!str_eq(g, w))
        fail_msg("%s:\n" STR_FMT "\n--- want:\n" STR_FMT, row, STR_ARG(g), STR_ARG(w));
    arena_release(&a);
    index_free(want);
}

static void check_world(const struct index *x, const struct world *w)
{
    check_equal("put in order", x, fresh(w, false));
    check_equal("put backwards", x, fresh(w, true));
    check_equal("filled", x, filled(w));
}

static unsigned next_random(unsigned *random, unsigned n)
{
    *random = *random * 1103515245 + 12345;
    return (*random >> 16) % n;
}

static void change(struct index *x, struct world *w, unsigned *random)
{
    unsigned i = next_random(random, COUNT_OF(paths));
    if (next_random(random, 5) < 2) {
        CHECK_INT(paths[i], index_remove(x, str_c(paths[i])), w->text[i] >= 0);
        w->text[i] = -1;
    } else {
        w->text[i] = (int)next_random(random, COUNT_OF(texts));
        w->excluded[i] = next_random(random, 4) == 0;
        put(x, paths[i], texts[w->text[i]], w->excluded[i]);
    }
}

static void test_random(void **state)
{
    (void)state;
    struct world w;
    struct index *x = index_create();
    unsigned random = 42;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        w.text[i] = -1;
    for (int step = 0; step < 2000; step++) {
        change(x, &w, &random);
        if (step % 25 == 0)
            check_world(x, &w);
    }
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        index_remove(x, str_c(paths[i]));
        w.text[i] = -1;
    }
    check_world(x, &w);
    CHECK("ids are used again", x->n <= COUNT_OF(paths));
    index_free(x);
}

/* --- views --- */

static bool is_in_view(const char *path, const char *below)
{
    return strncmp(path, below, strlen(below)) != 0;
}

static bool shows(const void *below, const struct file *f)
{
    struct arena a = {0};
    bool shown = is_in_view(arena_str(&a, f->path).p, below);
    arena_release(&a);
    return shown;
}

static void check_view(const struct index *view, const struct world *w, const char *below)
{
    struct world seen = *w;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        if (!is_in_view(paths[i], below))
            seen.text[i] = -1;
    check_world(view, &seen);
}

/* Whatever happens to an index, a view of it equals an index of the files it shows. */
static void test_views(void **state)
{
    static const char *const hidden[] = {"f/", "n", "", "none of them"};
    (void)state;
    struct world w;
    struct index *x = index_create(), *views[COUNT_OF(hidden)] = {0};
    unsigned random = 7;
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        w.text[i] = -1;
    for (int step = 0; step < 1500; step++) {
        unsigned i = next_random(&random, COUNT_OF(paths));
        if (next_random(&random, 5) < 2) {
            index_remove(x, str_c(paths[i]));
            w.text[i] = -1;
        } else {
            w.text[i] = (int)next_random(&random, COUNT_OF(texts));
            w.excluded[i] = next_random(&random, 4) == 0;
            put(x, paths[i], texts[w.text[i]], w.excluded[i]);
        }
        unsigned v = next_random(&random, COUNT_OF(hidden));
        if (step % 97 == 0) { /* views are made and freed in any order */
            index_free(views[v]);
            views[v] = index_view(x, shows, hidden[v]);
        }
        for (v = 0; step % 25 == 0 && v < COUNT_OF(hidden); v++)
            if (views[v] != NULL)
                check_view(views[v], &w, hidden[v]);
    }
    check_world(x, &w);
    for (size_t v = 0; v < COUNT_OF(hidden); v++)
        index_free(views[v]);
    check_world(x, &w);
    index_free(x);
}

/* Store, open and change, again and again. */
static void test_restarted(void **state)
{
    (void)state;
    struct world w;
    struct index *x = index_create();
    struct snapshot *old = NULL;
    struct err err = {0};
    unsigned random = 4711;
    char path[] = "/tmp/vaultd-test-index-XXXXXX";
    close(mkstemp(path));
    for (size_t i = 0; i < COUNT_OF(paths); i++)
        w.text[i] = -1;
    for (int step = 0; step < 2000; step++) {
        change(x, &w, &random);
        if (step % 10 != 0)
            continue;
        assert_true(snapshot_save(path, x, &err));
        index_free(x);
        snapshot_close(old);
        if (!snapshot_open(path, NULL, &old, &err))
            fail_msg("%s", err.msg);
        x = index_create();
        index_restore(x, &old->parts);
        check_world(x, &w);
    }
    index_free(x);
    snapshot_close(old);
    unlink(path);
}

static void test_find(void **state)
{
    (void)state;
    struct index *x = index_create();
    put(x, "A/Note.md", "one", false);
    put(x, "a/note.md", "two", false);
    CHECK_STR("exact path", index_find(x, STR("a/note.md"))->text, "two");
    CHECK("other case", index_find(x, STR("A/note.md")) == NULL);
    CHECK("no folder", index_find(x, STR("A")) == NULL);
    CHECK("nothing", index_find(x, STR("")) == NULL);
    CHECK("no id", index_file(x, NO_FILE) == NULL && index_file(x, 2) == NULL);
    CHECK("not removed", !index_remove(x, STR("A/note.md")));
    CHECK("removed", index_remove(x, STR("A/Note.md")));
    CHECK("once", !index_remove(x, STR("A/Note.md")));
    CHECK_INT("one is left", x->count, 1);
    CHECK("memory", index_memory(x) > sizeof(*x));
    index_free(x);
    index_free(NULL);
}

static void test_excluded(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "shown.md", "word #tag", false);
    put(x, "hidden.md", "word #tag #other [[shown]]", true);
    struct words_result r;
    struct err err;
    struct tag tag;
    struct graph_edge *edges;
    assert_true(words_search_text(x->words, a, STR("word"), 0, 9, NULL, NULL, &r, &err));
    CHECK_INT("no words", r.total, 1);
    CHECK("no tags", !tags_find(x->tags, STR("other"), &tag));
    CHECK_INT("links",
              graph_backlinks(x->graph, a, index_find(x, STR("shown.md"))->id, &edges),
              1);
    put(x, "hidden.md", "word #tag #other [[shown]]", false);
    assert_true(words_search_text(x->words, a, STR("word"), 0, 9, NULL, NULL, &r, &err));
    CHECK_INT("words now", r.total, 2);
    assert_true(tags_find(x->tags, STR("tag"), &tag));
    CHECK_INT("tags now", tag.all, 2);
    put(x, "hidden.md", "word #tag #other [[shown]]", true);
    assert_true(tags_find(x->tags, STR("tag"), &tag));
    CHECK_INT("and no more", tag.all, 1);
    assert_true(words_search_text(x->words, a, STR("word"), 0, 9, NULL, NULL, &r, &err));
    CHECK_INT("and no more", r.total, 1);
    index_free(x);
}

/* The order stays right while files are added, removed and replaced between queries. */
static void test_order(void **state)
{
    struct index *x = index_create();
    CHECK("empty", index_nth(x, 0) == NULL);
    CHECK_INT("empty", index_after(x, STR("a")), 0);
    put(x, "b.md", "b", false);
    CHECK_STR("one", index_nth(x, 0)->path, "b.md");
    put(x, "a/z.md", "z", false);
    CHECK_STR("a new first", index_nth(x, 0)->path, "a/z.md");
    put(x, "b.md", "another text", true);
    CHECK_STR("replaced", index_nth(x, 1)->text, "another text");
    CHECK_INT("nothing before all", index_after(x, STR("")), 0);
    CHECK_INT("a path that does not exist", index_after(x, STR("a/zz")), 1);
    assert_true(index_remove(x, STR("a/z.md")));
    CHECK_STR("the first is gone", index_nth(x, 0)->path, "b.md");
    CHECK("only one is left", index_nth(x, 1) == NULL);
    index_free(x);
}

/* The same with and without the order, which is not computed for it. */
static void test_below(void **state)
{
    static const struct {
        const char *folder;
        size_t n;
    } rows[] = {{"Work", 2},      {"Work/Deep", 1}, {"Workshop", 1}, {"Wor", 0},
                {"Work/A.md", 0}, {"work", 0},      {"Gone", 0}};
    struct arena *a = *state;
    struct index *x = index_create();
    const struct file **files;
    put(x, "Gone/X.md", "x", false);
    put(x, "Workshop/C.md", "c", false);
    put(x, "Work/A.md", "a", false);
    put(x, "Work.md", "w", false);
    put(x, "Work/Deep/B.md", "b", false);
    assert_true(index_remove(x, STR("Gone/X.md")));
    for (int sorted = 0; sorted < 2; sorted++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            size_t n = index_below(x, a, str_c(rows[i].folder), &files);
            CHECK_INT(rows[i].folder, n, rows[i].n);
            for (size_t k = 0; k < n; k++)
                CHECK(rows[i].folder,
                      path_is_below(str_c(rows[i].folder), files[k]->path));
        }
        CHECK_INT("sorted", index_is_sorted(x), sorted);
        (void)index_nth(x, 0);
    }
    index_free(x);
}

static void test_count(void **state)
{
    static const struct {
        const char *paths[6];
        size_t notes, attachments, folders;
    } cases[] = {
        {{NULL}, 0, 0, 0},
        {{"a.md"}, 1, 0, 0},
        {{"a/b.md", "a/c.png"}, 1, 1, 1},
        {{"a/b/c/d.md"}, 1, 0, 3},
        {{"a/x.md", "a.b/x.md", "a-b/x.md", "ab/x.md"}, 4, 0, 4},
        {{"a/b/x.md", "a/bc/x.md", "a/b.md", "a/b c/d/x.md"}, 4, 0, 5},
        {{"\u00e9/x.md", "\u00ea/x.MD", "e\u0301/x.canvas"}, 2, 1, 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].paths[0] != NULL ? cases[i].paths[0] : "none";
        struct index *x = index_create();
        struct index_counts c;
        for (size_t k = 0; cases[i].paths[k] != NULL; k++)
            put(x, cases[i].paths[k], "12", k % 2 == 1);
        index_count(x, &c);
        CHECK_INT(row, c.notes, cases[i].notes);
        CHECK_INT(row, c.attachments, cases[i].attachments);
        CHECK_INT(row, c.folders, cases[i].folders);
        index_free(x);
    }
}

static void test_count_sums(void **state)
{
    struct index *x = index_create();
    struct index_counts c;
    for (int64_t i = 1; i <= 3; i++) {
        struct fs_info info = {.size = 100 * i, .mtime = 1000 - i};
        str path = arena_printf(*state, "%lld.png", (long long)i);
        struct arena scratch = {0};
        index_put(x, file_make_unread(&scratch, path, &info, NULL), false);
        arena_release(&scratch);
    }
    index_count(x, &c);
    CHECK_INT("bytes", c.bytes, 600);
    CHECK_INT("newest", c.newest, 999);
    index_free(x);
}

/* A file that only got another time is sorted and counted by it, also in views. */
static void test_touch(void **state)
{
    (void)state;
    struct index *x = index_create();
    put(x, "a.md", "12", false);
    put(x, "b.md", "12", false);
    put(x, "f/c.md", "12", false);
    struct index *view = index_view(x, shows, "f/"), *both[] = {x, view};
    struct index_counts c;
    const file_id *newest, b = index_find(x, STR("b.md"))->id;
    for (size_t i = 0; i < COUNT_OF(both); i++)
        index_newest(both[i], &newest);
    index_touch(x, b, &(struct fs_info){.size = 5, .mtime = 100});
    index_touch(x, index_find(x, STR("f/c.md"))->id, &(struct fs_info){.mtime = 50});
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        index_count(both[i], &c);
        CHECK_INT("newest", c.newest, 100);
        CHECK_INT("bytes", c.bytes, 7);
        CHECK_INT("all", index_newest(both[i], &newest), i == 0 ? 3 : 2);
        CHECK_INT("b is the newest", newest[0], b);
    }
    index_free(view);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),    cmocka_unit_test(test_views),
        cmocka_unit_test(test_restarted), cmocka_unit_test(test_find),
        ARENA_TEST(test_excluded),        cmocka_unit_test(test_order),
        ARENA_TEST(test_below),           cmocka_unit_test(test_count),
        ARENA_TEST(test_count_sums),      cmocka_unit_test(test_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
