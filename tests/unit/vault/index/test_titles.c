#include "vault/index/titles.h"

#include "base/sbuf.h"
#include "check.h"
#include "vault/index/derived.h"
#include "vault/index/index.h"

static void put(struct index *x, const char *path, const char *text, bool excluded)
{
    struct arena scratch = {0};
    struct fs_info info = {0};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), excluded);
    arena_release(&scratch);
}

/* The names in a text, separated by '|'. */
static str found(struct arena *a, const struct index *x, const char *text, file_id always)
{
    struct sbuf out = SBUF_ON(a);
    const struct titles *t = index_titles(x);
    for (struct titles_match m = {0}; titles_next(t, always, str_c(text), &m);) {
        str name = str_slice(str_c(text), m.start, m.end);
        CHECK_INT("number", m.name, titles_find(t, name));
        sbuf_printf(&out, "%s" STR_FMT, out.n > 0 ? "|" : "", STR_ARG(name));
    }
    return sbuf_str(&out);
}

static void test_found(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "New York.md", "", false);
    put(x, "York.md", "---\naliases: [the city]\n---\n", false);
    put(x, "Secret.md", "", true);
    CHECK_STR("the longest", found(a, x, "new york, york: the city", NO_FILE),
              "new york|york|the city");
    CHECK_STR("excluded", found(a, x, "secret", NO_FILE), "");
    file_id secret = index_find(x, STR("Secret.md"))->id;
    CHECK_STR("asked for", found(a, x, "secret", secret), "secret");
    const struct titles *t = index_titles(x);
    CHECK_INT("only a beginning", titles_find(t, STR("new")), 0);
    CHECK_INT("unknown", titles_find(t, STR("old")), 0);
    CHECK("breaks", !titles_have_breaks(t));
    CHECK("memory", titles_kind.memory(t) > 1000);
    index_free(x);
}

/* After many changes, which make it collect again, too, nothing is left or lost. */
static void test_many_changes(void **state)
{
    enum { STEPS = 6000, LAST = 3 };
    struct arena *a = *state;
    struct index *x = index_create();
    for (int i = 0; i < STEPS; i++) {
        put(x, arena_printf(a, "note %d.md", i).p, "---\naliases: [same]\n---\n", false);
        if (i >= LAST)
            index_remove(x, arena_printf(a, "note %d.md", i - LAST));
        str text = arena_printf(a, "note %d, note %d, same", i, i - LAST);
        str want = arena_printf(a, "note %d|same", i);
        CHECK_STR(text.p, found(a, x, text.p, NO_FILE), want);
        arena_reset(a);
    }
    CHECK("no more than needed", titles_kind.memory(index_titles(x)) < 2000000);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_found),
        ARENA_TEST(test_many_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
