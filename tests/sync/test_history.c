/* The history, through the library. */
#include "sync_world.h"

static void seed_history(struct world *w, struct side *s)
{
    world_seed(w);
    sh(w, "cd ann; seq 40 > Old.md; git add .;"
          "GIT_COMMITTER_DATE='2025-01-01T10:00:00Z' git commit -qm first --date "
          "2025-01-01T10:00:00Z;"
          "git mv Old.md New.md; echo more >> New.md;"
          "GIT_COMMITTER_DATE='2025-02-01T10:00:00Z' git commit -qam renamed;"
          "git push -q");
    side_open(w, s, "bob");
    side_sync(s);
}

static void test_log(void **state)
{
    struct world *w = *state;
    struct side s;
    struct sync_commit *list;
    size_t n;
    seed_history(w, &s);
    struct arena *a = &s.place.arena;
    side_write(&s, "Note.md", "changed\n");
    side_sync(&s);
    OK(sync_history(s.sync, a, &(struct sync_log){0}, &list, &n, &err));
    assert_int_equal(n, 4);
    CHECK_STR("subject", list[0].subject, "vault_write: Note.md");
    CHECK_STR("author", list[0].author, "bob");
    CHECK_STR("tool", list[0].tool, "vault_write");
    CHECK_STR("client", list[0].client, "tester");
    assert_true(list[0].change.n > 0);
    assert_int_equal(list[0].n_paths, 1);
    CHECK_STR("path", list[0].paths[0], "Note.md");
    CHECK_STR("seed", list[3].subject, "seed");
    assert_int_equal(list[3].n_paths, 2);
    OK(sync_history(s.sync, a, &(struct sync_log){.path = STR("New.md")}, &list, &n,
                    &err));
    assert_int_equal(n, 2); /* also under its old name */
    CHECK_STR("old", list[1].paths[0], "Old.md");
    OK(sync_history(s.sync, a, &(struct sync_log){.path = STR("Sub")}, &list, &n, &err));
    assert_int_equal(n, 1);
    OK(sync_history(s.sync, a, &(struct sync_log){.skip = 1, .limit = 1}, &list, &n,
                    &err));
    assert_int_equal(n, 1);
    CHECK_STR("second", list[0].subject, "renamed");
    OK(sync_history(
        s.sync, a,
        &(struct sync_log){.since = STR("2025-01-15"), .until = STR("2025-03-01")}, &list,
        &n, &err));
    assert_int_equal(n, 1);
    OK(sync_history(s.sync, a, &(struct sync_log){.since = STR("HEAD~2")}, &list, &n,
                    &err));
    assert_int_equal(n, 2);
    FAILS(sync_history(s.sync, a, &(struct sync_log){.since = STR("--output=x")}, &list,
                       &n, &err),
          ERR_INVALID, "not a revision");
    FAILS(
        sync_history(s.sync, a, &(struct sync_log){.path = STR("../x")}, &list, &n, &err),
        ERR_DENIED, "'..'");
    side_close(&s);
}

static void test_file_at(void **state)
{
    struct world *w = *state;
    struct side s;
    str text, commit;
    seed_history(w, &s);
    struct arena *a = &s.place.arena;
    OK(sync_file_at(s.sync, a, STR("New.md"), STR("HEAD"), &text, &commit, &err));
    assert_true(str_ends(text, STR("40\nmore\n")));
    OK(sync_file_at(s.sync, a, STR("New.md"), STR("2025-01-01"), &text, &commit, &err));
    assert_true(str_ends(text, STR("40\n"))); /* it was called Old.md */
    CHECK_STR("commit", commit, sh(w, "git -C ann rev-parse HEAD~1"));
    OK(sync_file_at(s.sync, a, STR("New.md"), STR("HEAD~1"), &text, &commit, &err));
    assert_true(str_ends(text, STR("40\n")));
    FAILS(sync_file_at(s.sync, a, STR("New.md"), STR("HEAD~2"), &text, &commit, &err),
          ERR_NOT_FOUND, "did not exist");
    FAILS(sync_file_at(s.sync, a, STR("New.md"), STR("nonsense"), &text, &commit, &err),
          ERR_INVALID, "not a revision or a date");
    FAILS(sync_file_at(s.sync, a, STR("New.md"), STR("1999-01-01"), &text, &commit, &err),
          ERR_NOT_FOUND, "no commit before");
    str diff;
    OK(sync_diff(s.sync, a, s.place.vault, STR("New.md"), STR("HEAD~1"), STR("HEAD"),
                 &diff, &err));
    assert_true(str_find(diff, STR("\n+more\n")) != STR_NONE);
    place_put(&s.place, "New.md", STR("gone\n"));
    OK(sync_diff(s.sync, a, s.place.vault, STR("New.md"), STR("HEAD"), STR(""), &diff,
                 &err));
    assert_true(str_find(diff, STR("\n-more\n")) != STR_NONE);
    assert_true(str_find(diff, STR("\n+gone\n")) != STR_NONE);
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {WORLD_TEST(test_log), WORLD_TEST(test_file_at)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
