#include "vault/ask/lookup.h"

#include "base/sbuf.h"
#include "check.h"

static void put(struct index *x, const char *path, const char *text, int64_t mtime)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text), .mtime = mtime};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

/* Names with bytes around '/', so that order by path and order by folder differ. */
static struct index *make_vault(void)
{
    struct index *x = index_create();
    put(x, "Home.md", "#start", 10);
    put(x, "a/x.md", "#work/open", 20);
    put(x, "a/b/y.md", "", 30);
    put(x, "a/b/c/z.csv", "1,2", 40);
    put(x, "a b/x.md", "#work", 50);
    put(x, "a.md", "", 60);
    put(x, "a0/\xC3\x84pfel [1].md", "1234567890", 70);
    return x;
}

static str found(struct arena *a, const struct lookup_result *r)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < r->n; i++)
        sbuf_printf(&b, STR_FMT "%s;", STR_ARG(r->items[i].path),
                    r->items[i].file == NULL ? "/" : "");
    return sbuf_str(&b);
}

static str run(struct arena *a, const struct index *x, struct lookup l, size_t *total)
{
    struct lookup_result r;
    struct err err;
    if (!lookup_run(x, a, &l, &r, &err))
        return arena_str(a, str_c(err.msg));
    if (total != NULL)
        *total = r.total;
    return found(a, &r);
}

static void test_globs(void **state)
{
    static const struct {
        const char *folder, *glob, *exclude, *found;
    } cases[] = {
        {"", "*.md", "", "Home.md;a.md;"},
        {"", "*", "", "Home.md;a b/;a.md;a/;a0/;"},
        {"", "**/x.md", "", "a b/x.md;a/x.md;"},
        {"a", "*", "", "a/b/;a/x.md;"},
        {"a", "**", "", "a/b/;a/b/c/;a/b/c/z.csv;a/b/y.md;a/x.md;"},
        {"a", "**", "b", "a/x.md;"},
        {"a", "**/*", "b/c", "a/b/;a/b/y.md;a/x.md;"},
        {"a", "", "*.md", "a/b/;a/b/c/;a/b/c/z.csv;a/b/y.md;"},
        {"a/b", "**/c", "", "a/b/c/;"},
        {"", "a/b/y.md", "", "a/b/y.md;"},
        {"", "b/**", "", ""},  /* whole paths, not parts */
        {"", "!*.md", "", ""}, /* a name that begins with '!' */
        {"nowhere", "**", "", ""},
        {"a/x.md", "**", "", ""},
    };
    struct index *x = make_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str exclude = str_c(cases[i].exclude);
        struct lookup l = {LOOKUP_ALL,
                           .folder = str_c(cases[i].folder),
                           .glob = str_c(cases[i].glob),
                           .exclude = &exclude,
                           .n_exclude = exclude.n > 0,
                           .folders = true,
                           .limit = 100};
        CHECK_STR(cases[i].glob, run(*state, x, l, NULL), cases[i].found);
    }
    index_free(x);
}

static void test_files(void **state)
{
    static const struct {
        const char *name, *tag;
        int64_t from, to, least, most;
        const char *found;
    } cases[] = {
        {"X", "", 0, 99, 0, 99, "a b/x.md;a/x.md;"},
        {"\xC3\xA4PFEL", "", 0, 99, 0, 99, "a0/\xC3\x84pfel [1].md;"},
        {"*.csv", "", 0, 99, 0, 99, "a/b/c/z.csv;"},
        {"a/*.md", "", 0, 99, 0, 99, "a/x.md;"},
        {"", "work", 0, 99, 0, 99, "a b/x.md;a/x.md;"},
        {"", "#work/open", 0, 99, 0, 99, "a/x.md;"},
        {"", "none", 0, 99, 0, 99, ""},
        {"", "", 30, 40, 0, 99, "a/b/c/z.csv;a/b/y.md;"},
        {"", "", 0, 99, 10, 10, "a/x.md;a0/\xC3\x84pfel [1].md;"},
        {"x", "work", 50, 50, 1, 9, "a b/x.md;"},
    };
    struct index *x = make_vault();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct lookup l = {.name = str_c(cases[i].name),
                           .tag = str_c(cases[i].tag),
                           .modified_from = cases[i].from,
                           .modified_to = cases[i].to,
                           .size_from = cases[i].least,
                           .size_to = cases[i].most,
                           .limit = 100};
        CHECK_STR(cases[i].name, run(*state, x, l, NULL), cases[i].found);
    }
    index_free(x);
}

static void test_pages(void **state)
{
    struct index *x = make_vault();
    size_t total;
    struct lookup l = {LOOKUP_ALL, .offset = 1, .limit = 2};
    CHECK_STR("the second page", run(*state, x, l, &total), "a b/x.md;a.md;");
    CHECK_INT("all are counted", total, 7);
    l.offset = 99;
    CHECK_STR("after the end", run(*state, x, l, &total), "");
    CHECK_INT("still", total, 7);
    l.limit = LOOKUP_LIMIT_MAX + 1;
    CHECK_STR("too many", run(*state, x, l, NULL), "limit: at most 10000 items");
    index_free(x);
}

static void test_refused(void **state)
{
    struct index *x = make_vault();
    str many[100];
    struct lookup_result r;
    struct err err;
    for (size_t i = 0; i < COUNT_OF(many); i++)
        many[i] = STR("x");
    struct lookup bad = {LOOKUP_ALL, .glob = STR("{a"), .limit = 1};
    assert_false(lookup_run(x, *state, &bad, &r, &err));
    CHECK_INT("an invalid glob", err.code, ERR_INVALID);
    bad = (struct lookup){LOOKUP_ALL, .name = STR("[z-a]"), .limit = 1};
    assert_false(lookup_run(x, *state, &bad, &r, &err));
    bad = (struct lookup){LOOKUP_ALL, .exclude = many, .n_exclude = COUNT_OF(many)};
    assert_false(lookup_run(x, *state, &bad, &r, &err));
    CHECK_INT("too many globs", err.code, ERR_LIMIT);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_globs),
        ARENA_TEST(test_files),
        ARENA_TEST(test_pages),
        ARENA_TEST(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
