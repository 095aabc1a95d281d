#include "vault/ask/guidance.h"

#include "base/sbuf.h"
#include "check.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static str names(struct arena *a, const struct file **files, size_t n)
{
    struct sbuf b = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, STR_FMT ";", STR_ARG(files[i]->path));
    return sbuf_str(&b);
}

static void test_rules(void **state)
{
    static const struct {
        const char *path, *rules;
    } cases[] = {
        {"", "CLAUDE.md;AGENTS.md;"},
        {"x.md", "CLAUDE.md;AGENTS.md;"},
        {"a", "CLAUDE.md;AGENTS.md;a/AGENTS.md;"},
        {"a/x.md", "CLAUDE.md;AGENTS.md;a/AGENTS.md;"},
        {"a/b", "CLAUDE.md;AGENTS.md;a/AGENTS.md;a/b/CLAUDE.md;"},
        {"a/b/c/not there yet.md", "CLAUDE.md;AGENTS.md;a/AGENTS.md;a/b/CLAUDE.md;"},
        {"ab/x.md", "CLAUDE.md;AGENTS.md;"}, /* not below a */
        {"a/CLAUDE.md", "CLAUDE.md;AGENTS.md;a/AGENTS.md;"},
    };

    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "CLAUDE.md", "root");
    put(x, "AGENTS.md", "root");
    put(x, "a/AGENTS.md", "a");
    put(x, "a/b/CLAUDE.md", "b");
    put(x, "a/claude.md", "another name");
    put(x, "other/CLAUDE.md", "elsewhere");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct guidance g;
        guidance_for(x, a, str_c(cases[i].path), &g);
        CHECK_STR(cases[i].path, names(a, g.rules, g.n_rules), cases[i].rules);
        CHECK_INT(cases[i].path, g.n_notes, 0);
    }
    index_free(x);
}

static void test_notes(void **state)
{
    struct arena *a = *state;
    struct index *x = index_create();
    put(x, "z.md", "---\ntags: [Claude]\ndescription: ' When in doubt '\n---\nBody");
    put(x, "b.md", "inline #claude");
    put(x, "below.md", "---\ntags: claude/archive\n---\n");
    put(x, "list.md", "---\ntags: claude\ndescription: [one, two]\n---\n");
    put(x, "empty.md", "---\ntags: claude\ndescription: null\n---\n");
    put(x, "CLAUDE.md", "#claude");
    put(x, "c.md", "claude, but no tag");
    struct guidance g;
    guidance_for(x, a, STR(""), &g);
    CHECK_STR("rules", names(a, g.rules, g.n_rules), "CLAUDE.md;");
    CHECK_STR("notes", names(a, g.notes, g.n_notes), "b.md;empty.md;list.md;z.md;");
    CHECK_STR("none", guidance_description(g.notes[0]), "");
    CHECK("no description", !guidance_is_described(g.notes[0]));
    CHECK("nor with null", !guidance_is_described(g.notes[1]));
    CHECK_STR("of a list", guidance_description(g.notes[2]), "one");
    CHECK("in another form", guidance_is_described(g.notes[2]));
    CHECK_STR("description", guidance_description(g.notes[3]), "When in doubt");
    CHECK_STR("text", guidance_text(g.notes[3]), "Body");
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_rules),
        ARENA_TEST(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
