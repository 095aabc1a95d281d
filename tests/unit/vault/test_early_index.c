/*
 * A search in an early index gives what the complete index gives, whatever the text is:
 * in names, in tags that are written with escapes, in canvases, in files that cannot be
 * read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "vault/ask/search.h"
#include "vault/load.h"
#include "vault/vault.h"

static const struct {
    const char *path, *text;
} files[] = {
    {"Maple.md", "no such word here\n"},
    {"a.md", "---\ntags: [\"m\\x61ple\"]\n---\nnothing\n"},
    {"b.md",
     "---\ntags: ['it''s', two]\n---\nIT'S a MAPLE, a maple\nmaple again #maple\n"},
    {"c.md", "\xEF\xBB\xBF---\naliases: maple tree\n---\n"},
    {"d.canvas", "{\"nodes\":[{\"id\":\"1\",\"type\":\"text\",\"text\":\"maple\"}]}"},
    {"e.txt", "plain maple"},
    {"f.png", "\x89PNG maple"},
    {"h.pdf", "%PDF-1.4 maple"},
    {"hidden/maple.md", "maple, but excluded\n"},
    {"maple leaves/g.md", "two words: su\u00DFer m\u00C4rz\n"},
};

static const char *const wanted[] = {
    "maple", "MAPLE", "it's", "two", "two words", "m\u00E4rz", "again #maple", ".md",
    "e",     "---",   "tags", "g",   "leaves/",   "nowhere",   "\\x61",        "\xC3\x9F",
};

struct place {
    char folder[64];
    struct fs_root root;
    struct pool *pool;
    struct obsidian *obsidian;
    struct arena arena;
};

static void write_file(struct place *p, const char *path, const char *text)
{
    int fd = openat(p->root.fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err;
    snprintf(p->folder, sizeof(p->folder), "/tmp/vaultd-test-early-XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    assert_true(fs_root_open(&p->root, p->folder, &err));
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            mkdirat(p->root.fd,
                    (const char *[]){"hidden", "maple leaves", ".obsidian"}[i], 0755),
            0);
    write_file(p, ".obsidian/app.json", "{\"userIgnoreFilters\":[\"hidden/\"]}");
    for (size_t i = 0; i < COUNT_OF(files); i++)
        write_file(p, files[i].path, files[i].text);
    p->pool = pool_create(2, 64);
    p->obsidian = obsidian_open(&p->root, STR(".obsidian"));
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    for (size_t i = 0; i < COUNT_OF(files); i++)
        unlinkat(p->root.fd, files[i].path, 0);
    unlinkat(p->root.fd, ".obsidian/app.json", 0);
    unlinkat(p->root.fd, ".obsidian", AT_REMOVEDIR);
    unlinkat(p->root.fd, "hidden", AT_REMOVEDIR);
    unlinkat(p->root.fd, "maple leaves", AT_REMOVEDIR);
    assert_int_equal(rmdir(p->folder), 0);
    pool_free(p->pool);
    fs_root_close(&p->root);
    obsidian_free(p->obsidian);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static const struct access everything;

static struct load load_of(struct place *p)
{
    return (struct load){.root = &p->root,
                         .access = &everything,
                         .pool = p->pool,
                         .obsidian = p->obsidian,
                         .memory_max = 1 << 20};
}

static void find(struct place *p, const struct index *x, const char *text,
                 struct search_result *out)
{
    struct err err = {0};
    struct search s = {
        .mode = SEARCH_TEXT, .query = str_c(text), .limit = 100, .spread = SEARCH_SPREAD};
    if (!search_run(x, &p->arena, &s, out, &err))
        fail_msg("%s: %s", text, err.msg);
}

static void check_same(const char *text, const struct search_result *is,
                       const struct search_result *want)
{
    CHECK_INT(text, is->total, want->total);
    CHECK_INT(text, is->files, want->files);
    CHECK_INT(text, is->n, want->n);
    for (size_t i = 0; i < want->n; i++) {
        CHECK(text, str_eq(is->hits[i].file->path, want->hits[i].file->path));
        CHECK(text, str_eq(is->hits[i].snippet, want->hits[i].snippet));
        CHECK_INT(text, is->hits[i].line, want->hits[i].line);
        CHECK_INT(text, is->hits[i].where, want->hits[i].where);
    }
}

static void test_same_hits(void **state)
{
    struct place *p = *state;
    struct load l = load_of(p);
    struct walk w;
    struct err err = {0};
    struct snapshot *none;
    struct index *all = index_create();
    assert_true(load_all(&l, NULL, all, &none, &err));
    assert_true(walk_seen(&p->root, p->pool, STR(""), &everything, &w, &err));
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct search_result is, want;
        struct index *x = load_early_index(&l, &w, str_c(wanted[i]), NULL);
        assert_non_null(x);
        find(p, x, wanted[i], &is);
        find(p, all, wanted[i], &want);
        check_same(wanted[i], &is, &want);
        CHECK_INT(wanted[i], x->unpaged, all->unpaged);
        index_free(x);
    }
    walk_release(&w);
    index_free(all);
}

static bool at_once(void *arg)
{
    return true;
}

static void test_stopped(void **state)
{
    struct place *p = *state;
    struct load l = load_of(p);
    struct stop stop = {.asked = at_once};
    struct walk w;
    struct err err = {0};
    assert_true(walk_seen(&p->root, p->pool, STR(""), &everything, &w, &err));
    CHECK("stopped", load_early_index(&l, &w, STR("maple"), &stop) == NULL);
    walk_release(&w);
}

/* However far the first scan is, callers get an early index or the index. */
static void test_while_loading(void **state)
{
    struct place *p = *state;
    for (int round = 0; round < 20; round++) {
        struct vault *v;
        struct err err = {0};
        struct search_result r;
        assert_true(vault_open(p->folder, &v, &err));
        vault_start(v, &(struct vault_options){.pool = p->pool});
        struct index *x = vault_early_index(v, STR("again"), NULL, NULL);
        if (x == NULL)
            assert_true(vault_wait(v, NULL, NULL, &err));
        find(p, x != NULL ? x : vault_lock(v), "again", &r);
        CHECK_INT("found", r.total, 1);
        if (x == NULL)
            vault_unlock(v);
        index_free(x);
        assert_true(vault_wait(v, NULL, NULL, &err));
        CHECK("no more", vault_early_index(v, STR("again"), NULL, NULL) == NULL);
        vault_close(v);
    }
}

static void test_what_it_is_for(void **state)
{
    struct place *p = *state;
    static const struct {
        struct search search;
        bool early;
    } rows[] = {
        {{.mode = SEARCH_AUTO, .query = STR("garden shed")}, true},
        {{.mode = SEARCH_TEXT, .query = STR("tag:#a")}, true},
        {{.mode = SEARCH_AUTO, .query = STR("tag:#a")}, false},
        {{.mode = SEARCH_AUTO, .query = STR("#work")}, false},
        {{.mode = SEARCH_AUTO, .query = STR("x"), .folder = STR("a")}, false},
        {{.mode = SEARCH_AUTO, .query = STR("x"), .tag = STR("a")}, false},
        {{.mode = SEARCH_WORDS, .query = STR("x")}, false},
        {{.mode = SEARCH_REGEX, .query = STR("x")}, false},
        {{.mode = SEARCH_TEXT, .query = STR("")}, false},
        {{.mode = SEARCH_TEXT, .query = STR("\xFF")}, false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_INT(rows[i].search.query.p,
                  search_is_for_text(search_read(&p->arena, &rows[i].search)),
                  rows[i].early);
}

#define EARLY_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        EARLY_TEST(test_same_hits),
        EARLY_TEST(test_stopped),
        EARLY_TEST(test_while_loading),
        EARLY_TEST(test_what_it_is_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
