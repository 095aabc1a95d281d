/* Remotes with contents that no vault can hold, and unreachable remotes. */
#include <sys/file.h>

#include "sync/pull_limit.h"
#include "sync/tree_path.h"
#include "sync_world.h"

static str tree_of(struct world *w)
{
    return sh(w, "git -C remote.git ls-tree -r main | sed 's/ [0-9a-f]*\\t/ /'");
}

static bool has_notice(struct side *s, const char *words)
{
    struct sync_state st = side_state(s);
    for (size_t i = 0; i < st.n_notices; i++)
        if (str_find(st.notices[i], str_c(words)) != STR_NONE)
            return true;
    return false;
}

/* A link, another repository, and a large file: kept in the tree, not on disk. */
static void test_SEC_125_links_and_large(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; ln -s /etc/passwd Link.md; git init -q Nested;"
          "git -C Nested commit -q --allow-empty -m x; git add Nested 2>/dev/null;"
          "head -c 70000000 /dev/zero > Large.bin; echo fine > Fine.md;"
          "git add Link.md Large.bin Fine.md; git commit -qm odd; git push -q");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_FILE(&s, "Fine.md", "fine\n");
    assert_false(place_has(&s.place, "Link.md"));
    assert_false(place_has(&s.place, "Nested"));
    assert_false(place_has(&s.place, "Large.bin"));
    assert_true(has_notice(&s, "'Link.md': it is a symbolic link"));
    assert_true(has_notice(&s, "'Nested': it is a submodule"));
    assert_true(has_notice(&s, "'Large.bin': it is too large"));
    CHECK_STR("tree", tree_of(w),
              "100644 blob Fine.md\n100644 blob Large.bin\n120000 blob Link.md\n"
              "100644 blob Mine.md\n160000 commit Nested\n100644 blob Note.md\n"
              "100644 blob Sub/Inner.md");
    side_close(&s);
}

/* With add_all, files that cannot be on disk are not deleted. */
static void test_add_all_keeps(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; ln -s /etc/passwd Link.md; head -c 70000000 /dev/zero > Large.bin;"
          "echo twin > NOTE.md; git add .; git commit -qm odd; git push -q");
    side_init(w, &s, "bob");
    s.config.git.add_all = true;
    side_start(&s);
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("tree", tree_of(w),
              "100644 blob Large.bin\n120000 blob Link.md\n100644 blob Mine.md\n"
              "100644 blob NOTE.md\n100644 blob Note.md\n100644 blob Sub/Inner.md");
    side_close(&s);
}

/* Trees that no git would check out. */
static void test_SEC_125_evil_names(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; b=$(echo evil | git hash-object -w --stdin);"
          "up=$(printf '100644 blob %s\\tescaped.md\\0' $b | git mktree -z);"
          "hook=$(printf '100644 blob %s\\tconfig\\0' $b | git mktree -z);"
          "t=$( (git ls-tree -z HEAD; printf '040000 tree %s\\t..\\0' $up;"
          "printf '040000 tree %s\\t.git\\0' $hook;"
          "printf '040000 tree %s\\t.GIT \\0' $hook;"
          "printf '100644 blob %s\\tbad\\377name.md\\0' $b;"
          "printf '100644 blob %s\\tback\\\\slash.md\\0' $b;"
          "printf '100644 blob %s\\tnote.md\\0' $b;"
          "printf '100644 blob %s\\tGood.md\\0' $b) | git mktree -z);"
          "c=$(git commit-tree $t -p HEAD -m evil);"
          "git push -q origin $c:main");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_FILE(&s, "Good.md", "evil\n");
    CHECK_FILE(&s, "Note.md", "one\n\ntwo\n\nthree\n");
    assert_false(place_has(&s.place, "note.md"));
    assert_false(place_has(&s.place, "../escaped.md"));
    assert_true(str_find(sh(w, "cat bob/.git/config"), STR("evil")) == STR_NONE);
    assert_true(has_notice(&s, "leaves the vault"));
    assert_true(has_notice(&s, "not valid UTF-8"));
    assert_true(has_notice(&s, "differs only by case"));
    CHECK_STR("kept", sh(w, "git -C remote.git ls-tree main | wc -l"), "10");
    side_write(&s, "Mine.md", "mine again\n"); /* syncing continues */
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine again");
    side_close(&s);
}

/* What is pushed neither arrives nor is cloned, for that reason; syncing continues. */
static void check_refused(struct world *w, const char *push, const char *why)
{
    struct side s, other;
    struct err err = {0};
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, push);
    assert_false(sync_wait(s.sync, NULL, NULL, &err));
    str said = side_state(&s).last_error;
    CHECK(said.p, str_find(said, str_c(why)) != STR_NONE);
    CHECK(said.p, str_find(said, STR("run git pull in the vault's folder")) != STR_NONE);
    assert_false(place_has(&s.place, "Evil"));
    side_init(w, &other, "carl");
    assert_false(sync_prepare(&other.config, &err));
    other.place.fd = open(other.place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(err.msg, strstr(err.msg, why) != NULL);
    CHECK(err.msg, strstr(err.msg, "clone it with git into another folder") != NULL);
    assert_false(place_has(&other.place, "Evil") || place_has(&other.place, "Note.md"));
    close(other.place.fd);
    arena_release(&other.place.arena);
    sh(w, "cd ann; git push -qf origin HEAD:main");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    side_close(&s);
}

#define PUSH_EVIL                                                                        \
    "t=$( (git ls-tree HEAD; printf \"$kind $id\tEvil\\n\") | git mktree);"              \
    "git push -q origin $(git commit-tree $t -p HEAD -m evil):main"

/* A few objects with a thousand million names: not even git may list them. */
static void test_SEC_125_folders_in_folders(void **state)
{
    check_refused(
        *state,
        "cd ann; id=$(echo evil | git hash-object -w --stdin); kind='100644 blob';"
        "for level in 1 2 3 4 5 6 7 8 9; do"
        "  id=$(for n in 0 1 2 3 4 5 6 7 8 9; do echo \"$kind $id\tn$n\"; done |"
        "    git mktree); kind='040000 tree'; done;" PUSH_EVIL,
        "more than 400000 new or changed files and folders");
}

/* One object that is in more files than a disk can hold. */
static void test_SEC_125_same_contents(void **state)
{
    char push[800];
    snprintf(push, sizeof(push),
             "cd ann; id=$(head -c %d /dev/zero | git hash-object -w --stdin);"
             "id=$(for n in $(seq %d); do echo \"100644 blob $id\tn$n.bin\"; done |"
             "  git mktree); kind='040000 tree';" PUSH_EVIL,
             TREE_BLOB_MAX, (int)(PULL_BYTES_MAX / TREE_BLOB_MAX) + 1);
    check_refused(*state, push, "more than 16 GiB of new or changed files");
}

static void test_clone_of_evil(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w,
       "cd ann; b=$(echo evil | git hash-object -w --stdin);"
       "up=$(printf '100644 blob %s\\tescaped.md\\0' $b | git mktree -z);"
       "t=$( (git ls-tree -z HEAD; printf '040000 tree %s\\t..\\0' $up) |"
       "git mktree -z); git push -q origin $(git commit-tree $t -p HEAD -m evil):main");
    side_open(w, &s, "bob");
    assert_false(place_has(&s.place, "../escaped.md"));
    side_write(&s, "Note.md", "goes on\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Note.md"), "goes on");
    CHECK_STR("kept",
              sh(w, "git -C remote.git ls-tree main | grep -cF ..").p[0] == '1'
                  ? STR("1")
                  : STR("0"),
              "1");
    side_close(&s);
}

static void test_rewritten(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; echo a > A.md; git add .; git commit -qm a; echo b > B.md; git add .;"
          "git commit -qm b; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    str before = sh(w, "git -C bob rev-parse HEAD");
    sh(w, "cd ann; git reset -q --soft HEAD~2; git rm -qf B.md; echo A > A.md;"
          "git add .; git commit -qm squashed; git push -qf");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    CHECK_FILE(&s, "A.md", "A\n");
    assert_false(place_has(&s.place, "B.md"));
    assert_int_equal(side_state(&s).n_conflicts, 0);
    sh(w, arena_printf(&w->arena, "git -C remote.git merge-base --is-ancestor %s main",
                       before.p)
              .p);
    CHECK_STR("orphan",
              sh(w, "cd ann; git checkout -q --orphan new; echo o > O.md;"
                    "git add .; git commit -qm orphan; git push -qf origin "
                    "HEAD:main"),
              "");
    side_write(&s, "Mine.md", "mine too\n");
    side_sync(&s);
    CHECK_FILE(&s, "O.md", "o\n");
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine too");
    check_sound(w, "bob");
    side_close(&s);
}

/* The remote is unreachable for a while: writes continue, and are pushed later. */
static void test_unreachable(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "mv remote.git away.git");
    side_write(&s, "Mine.md", "mine\n");
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "git ");
    struct sync_state st = side_state(&s);
    assert_true(st.last_error.n > 0);
    assert_int_equal(st.ahead, 1);
    assert_int_equal(st.waiting, 0);
    side_write(&s, "Mine too.md", "mine\n");
    sh(w, "mv away.git remote.git");
    side_sync(&s);
    CHECK_STR("error", side_state(&s).last_error, "");
    CHECK_STR("remote", remote_text(w, "Mine too.md"), "mine");
    side_close(&s);
}

/* A merge of the user is left alone. */
static void test_unfinished(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd bob; git rev-parse HEAD > .git/MERGE_HEAD");
    side_write(&s, "Mine.md", "mine\n");
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "git merge --abort");
    assert_int_equal(side_state(&s).waiting, 1);
    sh(w, "rm bob/.git/MERGE_HEAD");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    side_close(&s);
}

/* A branch that was checked out by hand is not published as ours. */
static void test_other_branch(void **state)
{
    static const struct {
        const char *away, *says;
    } rows[] = {
        {"git switch -qc draft", "'git switch main'"},
        {"git switch -q --detach", "no branch checked out"},
        {"git checkout -q --orphan fresh", "on branch 'fresh'"},
        {"git bisect start -q; git bisect bad; git bisect good HEAD~1; "
         "git checkout -q --detach",
         "no branch checked out"},
    };
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_write(&s, "First.md", "first\n");
    side_sync(&s);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *path = arena_printf(&w->arena, "Mine %zu.md", i).p;
        sh(w, arena_printf(&w->arena, "cd bob; %s >&2", rows[i].away).p);
        sh(w, "cd bob; git commit -q --allow-empty -m 'not yours'");
        str before = sh(w, "git -C remote.git rev-parse main");
        str theirs = sh(w, "git -C bob rev-parse HEAD");
        side_write(&s, path, "mine\n");
        FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, rows[i].says);
        CHECK("status",
              str_find(side_state(&s).last_error, str_c(rows[i].says)) != STR_NONE);
        CHECK_STR("remote", sh(w, "git -C remote.git rev-parse main"), before);
        CHECK_STR("theirs", sh(w, "git -C bob rev-parse HEAD"), theirs);
        sh(w, "cd bob; git bisect reset -q >&2 || true; git switch -qf main");
        side_write(&s, path, "mine\n");
        side_sync(&s);
        CHECK_STR("again", remote_text(w, path), "mine");
        sh_code(w, "git -C remote.git log main | grep 'not yours'", 1);
        sh_code(w, "git -C remote.git rev-parse -q --verify draft", 1);
    }
    side_close(&s);
}

/* A change that a crash kept from being committed is committed at the next start. */
static void test_crash_before_commit(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    struct draft *d = place_draft(&s.place);
    OK(draft_write(d, STR("Lost.md"), STR("lost\n"), DRAFT_CREATE, &err));
    place_commit("lost", d); /* without notifying the sync */
    side_stop(&s);
    side_start(&s);
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Lost.md"), "lost");
    side_close(&s);
}

/* The vault has the merged notes, but HEAD did not move: the next start finishes it. */
static void test_crash_before_head(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; printf 'one\\n\\nANN\\n\\nthree\\n' > Note.md; git commit -qam ann;"
          "git push -q; touch ../bob/.git/refs/heads/main.lock");
    place_put(&s.place, "Note.md", STR("one\n\nBOB\n\nthree\n"));
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "main.lock");
    side_stop(&s);
    sh(w, "rm bob/.git/refs/heads/main.lock");
    side_start(&s);
    side_sync(&s);
    CHECK_FILE(&s, "Note.md", "one\n\nBOB\n\nthree\n");
    CHECK_STR("once", sh(w, "ls bob | grep -c conflict"), "1");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("remote", remote_text(w, "Note.md"), "one\n\nBOB\n\nthree");
    side_close(&s);
}

/* The same while another program has the vault locked: the step is not forgotten. */
static void test_crash_before_head_locked(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; echo ann > Ann.md; git add .; git commit -qm ann; git push -q;"
          "touch ../bob/.git/refs/heads/main.lock");
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "main.lock");
    side_stop(&s);
    sh(w, "rm bob/.git/refs/heads/main.lock");
    str before = sh(w, "cat bob-state/sync-*/under-way");
    int other = open(s.place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(other, LOCK_EX), 0);
    side_start(&s);
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "another program");
    CHECK_STR("kept", sh(w, "cat bob-state/sync-*/under-way"), before);
    close(other);
    side_sync(&s);
    sh_code(w, "test -e bob-state/sync-*/under-way", 1);
    CHECK_STR("finished", sh(w, "git -C bob rev-parse HEAD"),
              sh(w, "git -C ann rev-parse HEAD"));
    side_close(&s);
}

/* An interrupted clone continues, and nothing counts as deleted. */
static void test_crash_in_clone(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_stop(&s);
    sh(w, "rm bob/Note.md; echo 1 > $(echo bob-state/sync-*)/cloning");
    s.config.git.add_all = true;
    side_start(&s);
    CHECK_FILE(&s, "Note.md", "one\n\ntwo\n\nthree\n");
    side_sync(&s);
    CHECK_STR("log", sh(w, "git -C remote.git log --format=%s main"), "seed");
    side_close(&s);
}

/* The commit of a merge keeps what it does not concern: a file that is executable, a
 * folder that has taken the place of a file that they deleted, names that no vault
 * has. */
static void test_merge_keeps(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; cp Note.md run.md; chmod +x run.md; echo x > Place; git add .;"
          "git commit -qm more; git push -q origin HEAD:main");
    side_open(w, &s, "bob");
    side_sync(&s);
    side_delete(&s, "Place");
    side_write(&s, "Place/In.md", "in\n");
    side_write(&s, "run.md", "ours\n\ntwo\n\nthree\n");
    sh(w, "cd ann; printf 'one\n\ntwo\n\ntheirs\n' > run.md; git rm -q Place;"
          "echo y > \"$(printf 'a\nb\"c')\"; git add .; git commit -qm theirs;"
          "git push -q origin HEAD:main");
    side_sync(&s);
    CHECK_FILE(&s, "run.md", "ours\n\ntwo\n\ntheirs\n");
    CHECK_STR("tree",
              sh(w, "git -C remote.git ls-tree -r main | sed 's/ blob [^\t]*\t/ /'"),
              "100644 Note.md\n100644 Place/In.md\n100644 Sub/Inner.md\n"
              "100644 \"a\\nb\\\"c\"\n100755 run.md");
    check_sound(w, "remote.git");
    side_close(&s);
}

/* Files and folders with the same name. */
static void test_file_against_folder(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; mkdir Thing; echo in > Thing/In.md; echo file > Other; git add .;"
          "git commit -qm ann; git push -q");
    side_write(&s, "Thing", "a file\n");
    side_write(&s, "Other/In.md", "in a folder\n");
    side_sync(&s);
    CHECK_FILE(&s, "Thing", "a file\n");
    CHECK_FILE(&s, "Other/In.md", "in a folder\n");
    str tree = sh(w, "git -C remote.git ls-tree -r --name-only main");
    assert_true(str_find(tree, STR("Thing (conflict ")) != STR_NONE);
    assert_true(str_find(tree, STR("Other (conflict ")) != STR_NONE);
    check_sound(w, "remote.git");
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_SEC_125_links_and_large),
        WORLD_TEST(test_add_all_keeps),
        WORLD_TEST(test_SEC_125_evil_names),
        WORLD_TEST(test_SEC_125_folders_in_folders),
        WORLD_TEST(test_SEC_125_same_contents),
        WORLD_TEST(test_clone_of_evil),
        WORLD_TEST(test_rewritten),
        WORLD_TEST(test_unreachable),
        WORLD_TEST(test_unfinished),
        WORLD_TEST(test_other_branch),
        WORLD_TEST(test_crash_before_commit),
        WORLD_TEST(test_file_against_folder),
        WORLD_TEST(test_merge_keeps),
        WORLD_TEST(test_crash_before_head),
        WORLD_TEST(test_crash_before_head_locked),
        WORLD_TEST(test_crash_in_clone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
