#include "sync/conflict.h"

#include "check.h"
#include "sync/tree_path.h"

enum { NOON = 1794830400 }; /* 2026-11-16T12:00:00Z */

static void test_paths(void **state)
{
    static const struct {
        const char *path, *author;
        unsigned number;
        const char *want;
    } rows[] = {
        {"Plan.md", "Ann", 1, "Plan (conflict 2026-11-16 from Ann).md"},
        {"a/b/Plan.md", "Ann B.", 2, "a/b/Plan (conflict 2026-11-16 from Ann B. 2).md"},
        {"x.png", "", 1, "x (conflict 2026-11-16 from someone).png"},
        {"README", "../../etc", 1, "README (conflict 2026-11-16 from ....etc)"},
        {"Plan.md", "a/b:c*?\n[[x]]", 1, "Plan (conflict 2026-11-16 from abcx).md"},
        {"Plan.md", "\xff", 1, "Plan (conflict 2026-11-16 from someone).md"},
        {"Plan.md", "Jürgen 山田", 1, "Plan (conflict 2026-11-16 from Jürgen 山田).md"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct conflict c = {
            .path = str_c(rows[i].path), .author = str_c(rows[i].author), .when = NOON};
        CHECK_STR(rows[i].path, conflict_path(&a, &c, rows[i].number), rows[i].want);
    }
    arena_release(&a);
}

static void test_texts(void **state)
{
#define CALLOUT                                                                          \
    "> [!warning] Conflict with [[Plan]]\n> Ann changed the same lines elsewhere "       \
    "(2026-11-16, commit 0123456789). This is that version; the note has the other "     \
    "one. "                                                                              \
    "Copy what you need, then delete this note.\n\n"
    static const char *const rows[][2] = {
        {"text\n", CALLOUT "text\n"},
        {"", CALLOUT},
        {"---\na: 1\n---\ntext\n", "---\na: 1\n---\n" CALLOUT "text\n"},
        {"---\na: 1\n---", "---\na: 1\n---\n" CALLOUT},
        {"---\nno end\n", CALLOUT "---\nno end\n"},
    };
    struct arena a = {0};
    struct conflict c = {.path = STR("a/Plan.md"),
                         .author = STR("Ann"),
                         .commit = STR("0123456789abcdef"),
                         .when = NOON};
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i][0], conflict_text(&a, &c, str_c(rows[i][0])), rows[i][1]);
    c.path = STR("x.png");
    CHECK_STR("binary", conflict_text(&a, &c, STR("bytes")), "bytes");
    arena_release(&a);
}

static void test_tree_paths(void **state)
{
    static const char *const good[] = {"A.md",       "a/b c/Ü.md", ".obsidian/app.json",
                                       ".gitignore", "a:b.md",     "x/.gitkeep"};
    static const char *const bad[] = {
        "",       "..",      "a/../b",       "./a",        "a//b",         ".git",
        ".GIT/x", "a/.git ", "git~1/config", ".git\u200c", "\u200c.git/x", "a\\b",
        "a\nb",   "\xff",    ".gitmodules",  "/a"};
    for (size_t i = 0; i < COUNT_OF(good); i++)
        if (tree_path_problem(str_c(good[i])) != NULL)
            fail_msg("%s: %s", good[i], tree_path_problem(str_c(good[i])));
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        if (tree_path_problem(str_c(bad[i])) == NULL)
            fail_msg("'%s' is let through", bad[i]);
}

static void test_noise(void **state)
{
    static const char *const noise[] = {
        ".obsidian/workspace.json", ".obsidian/workspace-mobile.json",
        ".obsidian/workspace", ".trash/A.md", "a/.vaultd-12-3-4.tmp"};
    static const char *const fine[] = {".obsidian/app.json", "workspace.json",
                                       ".obsidian/plugins/workspaces/data.json", "a.tmp"};
    for (size_t i = 0; i < COUNT_OF(noise); i++)
        assert_true(tree_path_is_noise(str_c(noise[i])));
    for (size_t i = 0; i < COUNT_OF(fine); i++)
        assert_false(tree_path_is_noise(str_c(fine[i])));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_tree_paths),
        cmocka_unit_test(test_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
