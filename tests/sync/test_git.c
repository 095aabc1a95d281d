/* Changes of the vault and of others are merged through a remote. */
#include "sync_world.h"
#include "until.h"

static void test_clone(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    CHECK_FILE(&s, "Note.md", "one\n\ntwo\n\nthree\n");
    CHECK_FILE(&s, "Sub/Inner.md", "inner\n");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    side_sync(&s);
    struct sync_state st = side_state(&s);
    assert_int_equal(st.ahead, 0);
    assert_int_equal(st.behind, 0);
    CHECK_STR("branch", st.branch, "main");
    CHECK_STR("error", st.last_error, "");
    side_close(&s);
}

static void test_commit_per_change(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    place_put(&s.place, "Mine.md", STR("not committed\n"));
    side_write(&s, "New.md", "new\n");
    side_sync(&s);
    side_write(&s, "Note.md", "changed\n");
    side_delete(&s, "Sub/Inner.md");
    side_sync(&s);
    CHECK_STR("log", sh(w, "git -C remote.git log --format='%an %s' main"),
              "bob vault_write: Sub/Inner.md\nbob vault_write: Note.md\n"
              "bob vault_write: New.md\nAnn seed");
    CHECK_STR("trailers",
              sh(w,
                 "git -C remote.git log -1 --format=%b main | grep -c -e '^Tool: vault'"
                 " -e '^Client: tester' -e '^User: bob' -e '^Vaultd-Change: [0-9]'"),
              "4");
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "New.md\nNote.md");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "?? Mine.md");
    check_sound(w, "bob");
    side_close(&s);
}

/* Changes faster than commits: each becomes one, with the files as it left them. */
static void test_quick_changes(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; echo 'Private/' > .gitignore; git add .; git commit -qm ignore;"
          "git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    side_write(&s, "Note.md", "first\n");
    side_write(&s, "Note.md", "second\n");
    side_write(&s, "Brief.md", "brief\n");
    side_move(&s, "Sub", "A");
    side_write(&s, "A/Inner.md", "edited\n");
    side_write(&s, "Private/Diary.md", "secret\n");
    side_delete(&s, "Private/Diary.md");
    side_move(&s, "A", "B");
    side_delete(&s, "Brief.md");
    side_write(&s, "Note.md", "first\n");
    side_sync(&s);
    CHECK_STR("log",
              sh(w, "git -C remote.git log -8 --no-renames --format=%s --name-status main"
                    "| tr '\\t\\n' ' ,'"),
              "vault_write: Note.md,,M Note.md,"
              "vault_write: Brief.md,,D Brief.md,"
              "vault_write: 2 files,,D A/Inner.md,A B/Inner.md,"
              "vault_write: A/Inner.md,,M A/Inner.md,"
              "vault_write: 2 files,,A A/Inner.md,D Sub/Inner.md,"
              "vault_write: Brief.md,,A Brief.md,"
              "vault_write: Note.md,,M Note.md,"
              "vault_write: Note.md,,M Note.md,");
    CHECK_STR("second", sh(w, "git -C remote.git show main~6:Note.md"), "second");
    CHECK_STR("first", sh(w, "git -C remote.git show main:Note.md"), "first");
    CHECK_STR("moved", sh(w, "git -C remote.git show main~4:A/Inner.md"), "inner");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("again",
              sh(w, "git -C bob log --all --format=%B | grep -c '^Vaultd-Change'"), "8");
    check_sound(w, "bob");
    side_close(&s);
}

/* Wait until the remote has a text. */
static void wait_for_text(struct world *w, const char *path, const char *text)
{
    enum { PAUSE_MS = 200, TRIES = UNTIL_MS / PAUSE_MS };
    const char *script =
        arena_printf(&w->arena, "git -C remote.git show 'main:%s' 2>/dev/null || true",
                     path)
            .p;
    for (int i = 0; i < TRIES && !str_eq(sh(w, script), str_c(text)); i++)
        usleep(PAUSE_MS * 1000);
    CHECK_STR(path, sh(w, script), text);
}

/* Another process with the same state folder makes a change, without notice. */
static void test_changes_of_others(void **state)
{
    struct world *w = *state;
    struct side s, other;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    other = s;
    other.sync = NULL;
    other.place.vault = NULL;
    other.place.arena = (struct arena){0};
    other.place.fd = open(s.place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    place_start(&other.place);
    side_write(&other, "Other.md", "other\n");
    sync_seen(s.sync);
    wait_for_text(w, "Other.md", "other");
    CHECK_STR("author", sh(w, "git -C remote.git log -1 --format=%an main"), "bob");
    side_close(&other);
    place_put(&s.place, "Mine.md", STR("by hand\n"));
    sync_seen(s.sync); /* nothing to commit */
    side_write(&s, "Last.md", "last\n");
    wait_for_text(w, "Last.md", "last");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "?? Mine.md");
    side_close(&s);
}

static void test_by_hand(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.add_all = true;
    side_start(&s);
    side_sync(&s);
    place_put(&s.place, "Mine.md", STR("by hand\n"));
    sync_seen(s.sync);
    wait_for_text(w, "Mine.md", "by hand");
    CHECK_STR("log", sh(w, "git -C remote.git log -1 --format='%an %s' main"),
              "vaultd vault: Mine.md");
    side_close(&s);
}

static void test_moves_and_ignored(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; echo 'Private/' > .gitignore; git add .; git commit -qm ignore;"
          "git push -q");
    side_open(w, &s, "bob");
    place_put(&s.place, "Sub/deep/.hidden", STR("h\n"));
    side_move(&s, "Sub", "Moved");
    side_write(&s, "Private/Diary.md", "secret\n");
    side_sync(&s);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              ".gitignore\nMoved/Inner.md\nMoved/deep/.hidden\nNote.md");
    side_close(&s);
}

static void test_add_all(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.add_all = true;
    side_start(&s);
    place_put(&s.place, "Mine.md", STR("by somebody else\n"));
    place_put(&s.place, ".obsidian/app.json", STR("{}\n"));
    place_put(&s.place, ".obsidian/workspace.json", STR("{}\n"));
    place_put(&s.place, ".obsidian/workspace-mobile.json", STR("{}\n"));
    place_put(&s.place, ".vaultd-1-2-3.tmp", STR("temp\n"));
    assert_int_equal(unlinkat(s.place.fd, "Sub/Inner.md", 0), 0);
    side_write(&s, "New.md", "new\n");
    side_sync(&s);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              ".obsidian/app.json\nMine.md\nNew.md\nNote.md");
    side_close(&s);
}

static void test_pull(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    sh(w, "cd ann; echo more > More.md; git rm -q Sub/Inner.md; echo 'ONE' > Note.md;"
          "git add .; git commit -qm more; git push -q");
    side_sync(&s);
    CHECK_FILE(&s, "More.md", "more\n");
    CHECK_FILE(&s, "Note.md", "ONE\n");
    assert_false(place_has(&s.place, "Sub/Inner.md"));
    assert_true(place_indexed(&s.place, "More.md"));
    CHECK_STR("same", sh(w, "git -C bob rev-parse HEAD"),
              sh(w, "git -C ann rev-parse HEAD").p);
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    place_undo(&s.place, 1);
    CHECK_FILE(&s, "Sub/Inner.md", "inner\n");
    side_close(&s);
}

/* The remote changed while we wrote: both changes are there afterwards. */
static void test_both_edit(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; printf 'ONE\\n\\ntwo\\n\\nthree\\n' > Note.md; git commit -qam one;"
          "git push -q");
    side_write(&s, "Note.md", "one\n\ntwo\n\nTHREE\n");
    side_sync(&s);
    CHECK_FILE(&s, "Note.md", "ONE\n\ntwo\n\nTHREE\n");
    CHECK_STR("remote", remote_text(w, "Note.md"), "ONE\n\ntwo\n\nTHREE");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("parents", sh(w, "git -C remote.git log -1 --format=%p main | wc -w"), "2");
    assert_int_equal(side_state(&s).n_conflicts, 0);
    check_sound(w, "bob");
    side_close(&s);
}

/* The commit on the remote when ours was reported as pulled, on the sync thread. */
struct pulled {
    struct side *side;
    char commit[64], remote[64];
    bool has_file;
};

static void on_pulled(void *app, str commit)
{
    struct pulled *p = app;
    str remote = sh(p->side->w, "git -C remote.git rev-parse main");
    snprintf(p->commit, sizeof(p->commit), STR_FMT, STR_ARG(commit));
    snprintf(p->remote, sizeof(p->remote), STR_FMT, STR_ARG(remote));
    p->has_file = place_has(&p->side->place, "More.md");
}

/* A caller that waits for a commit of the remote does not wait for our push as well. */
static void test_pulled_before_push(void **state)
{
    struct world *w = *state;
    struct side s;
    struct pulled p = {.side = &s};
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.on_pulled = on_pulled;
    s.config.app = &p;
    side_start(&s);
    side_sync(&s);
    side_write(&s, "Own.md", "own\n");
    str theirs = sh(w, "cd ann; echo more > More.md; git add .; git commit -qm more;"
                       "git push -q; git rev-parse HEAD");
    side_sync(&s);
    CHECK_STR("pulled", theirs, p.commit);
    CHECK_STR("not pushed", theirs, p.remote);
    assert_true(p.has_file);
    CHECK_STR("pushed later", remote_text(w, "Own.md"), "own");
    side_close(&s);
}

/* Uncommitted edits on disk count as ours. */
static void test_uncommitted(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    place_put(&s.place, "Note.md", STR("one\n\ntwo\n\nTHREE\n"));
    sh(w, "cd ann; printf 'ONE\\n\\ntwo\\n\\nthree\\n' > Note.md; git commit -qam one;"
          "git push -q");
    side_sync(&s);
    CHECK_FILE(&s, "Note.md", "ONE\n\ntwo\n\nTHREE\n");
    CHECK_STR("remote", remote_text(w, "Note.md"), "ONE\n\ntwo\n\nTHREE");
    side_close(&s);
}

static void test_collision(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; printf 'one\\n\\nANN\\n\\nthree\\n' > Note.md; printf 'a\\0b' > x.png;"
          "git add .; git commit -qm ann; git push -q");
    place_put(&s.place, "x.png", STR("c\0d"));
    side_write(&s, "Note.md", "one\n\nBOB\n\nthree\n");
    side_sync(&s);
    CHECK_FILE(&s, "Note.md", "one\n\nBOB\n\nthree\n");
    struct sync_state st = side_state(&s);
    assert_int_equal(st.n_conflicts, 2);
    bool note_first = str_eq(st.conflicts[0].path, STR("Note.md"));
    const struct sync_conflict *c = &st.conflicts[note_first ? 0 : 1];
    CHECK_STR("path", c->path, "Note.md");
    assert_true(str_starts(c->sibling, STR("Note (conflict 20")));
    assert_true(str_ends(c->sibling, STR(" from Ann).md")));
    str text = place_text(&s.place, c->sibling.p);
    assert_true(str_starts(text, STR("> [!warning] Conflict with [[Note]]\n> Ann ")));
    assert_true(str_ends(text, STR("\n\none\n\nANN\n\nthree\n")));
    c = &st.conflicts[note_first ? 1 : 0];
    assert_true(str_eq(place_text(&s.place, c->sibling.p), STR("a\0b")));
    assert_true(str_eq(place_text(&s.place, "x.png"), STR("c\0d")));
    CHECK_STR("markers", sh_code(w, "git -C remote.git grep -l '<<<<' main", 1), "");
    CHECK_STR("there", sh(w, "git -C remote.git ls-tree -r --name-only main | wc -l"),
              "5");
    check_sound(w, "bob");
    side_close(&s);
}

static void test_deleted_and_edited(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git rm -q Note.md; echo edited > Sub/Inner.md; git commit -qam ann;"
          "git push -q");
    side_write(&s, "Note.md", "edited here\n");
    side_delete(&s, "Sub/Inner.md");
    side_sync(&s);
    CHECK_FILE(&s, "Note.md", "edited here\n");
    CHECK_FILE(&s, "Sub/Inner.md", "edited\n");
    CHECK_STR("remote", remote_text(w, "Note.md"), "edited here");
    CHECK_STR("remote", remote_text(w, "Sub/Inner.md"), "edited");
    side_close(&s);
}

static void test_renamed_and_edited(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; seq 50 > Long.md; seq 100 150 > Other.md; git add .;"
          "git commit -qm long; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git mv Long.md Sub/Renamed.md; sed -i s/^110$/CX/ Other.md;"
          "git commit -qam ann; git push -q");
    str long_text = sh(w, "seq 50 | sed s/^25$/XXV/");
    side_write(&s, "Long.md", arena_printf(&w->arena, "%s\n", long_text.p).p);
    side_move(&s, "Other.md", "Elsewhere.md");
    side_sync(&s);
    assert_false(place_has(&s.place, "Long.md"));
    assert_false(place_has(&s.place, "Other.md"));
    assert_true(str_find(place_text(&s.place, "Sub/Renamed.md"), STR("XXV")) != STR_NONE);
    assert_true(str_find(place_text(&s.place, "Elsewhere.md"), STR("CX")) != STR_NONE);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "Elsewhere.md\nNote.md\nSub/Inner.md\nSub/Renamed.md");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    side_close(&s);
}

/* Notes on both sides, and no repository yet. */
static void test_first_merge(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.join = true;
    sh(w, "mkdir bob; echo ours > bob/Note.md; echo only > bob/Only.md");
    side_start(&s);
    side_sync(&s);
    CHECK_FILE(&s, "Note.md", "ours\n\none\n\ntwo\n\nthree\n"); /* both */
    CHECK_FILE(&s, "Sub/Inner.md", "inner\n");
    CHECK_STR("remote", remote_text(w, "Only.md"), "only");
    check_sound(w, "bob");
    side_close(&s);
}

static void test_empty_remote(void **state)
{
    struct world *w = *state;
    struct side s;
    side_open(w, &s, "bob");
    side_write(&s, "First.md", "first\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "First.md"), "first");
    side_close(&s);
}

/* The vault is a folder of the repository; files outside it stay untouched. */
static void test_subfolder(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; mkdir -p docs/notes; echo n > docs/notes/N.md; git add .;"
          "git commit -qm notes; git push -q");
    side_init(w, &s, "bob");
    s.config.git.subfolder = STR("docs/notes");
    s.config.git.depth = 1;
    s.config.git.remote = arena_printf(&w->arena, "file://%s/remote.git", w->top);
    side_start(&s);
    CHECK_FILE(&s, "N.md", "n\n");
    assert_false(place_has(&s.place, ".git"));
    assert_false(place_has(&s.place, "Note.md"));
    sh(w, "cd ann; echo x > Note.md; echo theirs > docs/notes/T.md; git add .;"
          "git commit -qm more; git push -q");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_FILE(&s, "T.md", "theirs\n");
    CHECK_STR("remote", remote_text(w, "docs/notes/Mine.md"), "mine");
    CHECK_STR("remote", remote_text(w, "Note.md"), "x");
    struct sync_commit *log;
    size_t n;
    OK(sync_history(s.sync, &s.place.arena, &(struct sync_log){.path = STR("Mine.md")},
                    &log, &n, &err));
    assert_int_equal(n, 1);
    CHECK_STR("path", log[0].paths[0], "Mine.md");
    side_close(&s);
}

/* An existing work tree is used as it is. */
static void test_work_tree(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "git clone -q remote.git bob");
    side_open(w, &s, "bob");
    side_write(&s, "New.md", "new\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "New.md"), "new");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain --branch"),
              "## main...origin/main");
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_clone),
        WORLD_TEST(test_commit_per_change),
        WORLD_TEST(test_quick_changes),
        WORLD_TEST(test_changes_of_others),
        WORLD_TEST(test_by_hand),
        WORLD_TEST(test_moves_and_ignored),
        WORLD_TEST(test_add_all),
        WORLD_TEST(test_pull),
        WORLD_TEST(test_both_edit),
        WORLD_TEST(test_pulled_before_push),
        WORLD_TEST(test_uncommitted),
        WORLD_TEST(test_collision),
        WORLD_TEST(test_deleted_and_edited),
        WORLD_TEST(test_renamed_and_edited),
        WORLD_TEST(test_first_merge),
        WORLD_TEST(test_empty_remote),
        WORLD_TEST(test_subfolder),
        WORLD_TEST(test_work_tree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
