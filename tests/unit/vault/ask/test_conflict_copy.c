#include "vault/ask/conflict_copy.h"

#include "check.h"

static void test_names(void **state)
{
    static const struct {
        const char *path, *want; /* "": it is none */
    } rows[] = {
        /* Obsidian Sync, Dropbox, Nextcloud, ownCloud, ours */
        {"A/Plan (Conflicted copy phone 202611161200).md", "A/Plan.md"},
        {"Plan (Ann's conflicted copy 2026-11-16).md", "Plan.md"},
        {"Plan (conflicted copy 2026-11-16 101112).canvas", "Plan.canvas"},
        {"Plan_conflict-20261116-101112.md", "Plan.md"},
        {"Plan (conflict 2026-11-16 from Ann).md", "Plan.md"},
        {"Plan (conflict 2026-11-16 from Ann 2).md", "Plan.md"},
        {"Plan (draft) (Conflicted copy phone 202611161200).md", "Plan (draft).md"},
        /* Syncthing, rclone bisync */
        {"Plan.sync-conflict-20261116-120000-ABC1234.md", "Plan.md"},
        {"Plan.sync-conflict-20261116-120000-ABC1234", "Plan"},
        {"a.sync-conflict-b.sync-conflict-20261116-120000-ABC1234.md",
         "a.sync-conflict-b.md"},
        {"Plan.md.conflict1", "Plan.md"},
        {"A/Plan.md.conflict22", "A/Plan.md"},
        {"Plan.md..path2", "Plan.md"},
        /* none */
        {"Plan.md", ""},
        {"Plan (2).md", ""},
        {"On conflicted copy (a note).md", ""},
        {"conflicted copy.md", ""},
        {"(conflicted copy).md", ""},
        {"Plan (conflict resolution).md", ""},
        {"Plan(conflicted copy).md", ""},
        {"Plan.sync-conflict-notes.md", ""},
        {"Plan.sync-conflict-20261116-12000-ABC1234.md", ""},
        {".sync-conflict-20261116-120000-ABC1234.md", ""},
        {"Plan_conflict-20261116-101112x.md", ""},
        {"Plan.conflict", ""},
        {"Plan.conflict1.md", ""},
        {".conflict1", ""},
        {"Plan (conflicted copy) later.md", ""},
        {"", ""},
        {"(", ""},
        {")", ""},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK_STR(rows[i].path, conflict_copy_of(*state, str_c(rows[i].path)),
                  rows[i].want);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
