/* Files that the remote renamed. */
#include <errno.h>
#include <stdio.h>

#include "base/os/file.h"
#include "sync_world.h"

/* As if each folder were a file system of its own. */
static bool apart;
bool __real_file_rename(int from, const char *name, int to, const char *as,
                        enum file_rename how);
bool __wrap_file_rename(int from, const char *name, int to, const char *as,
                        enum file_rename how);
bool __wrap_file_rename(int from, const char *name, int to, const char *as,
                        enum file_rename how)
{
    if (!apart || from == to)
        return __real_file_rename(from, name, to, as, how);
    errno = EXDEV;
    return false;
}

/* The operations of the last change, "move Path" and so on. */
static str last_change(struct side *s)
{
    const struct journal_entry *list;
    struct journal_change c;
    struct journal *j;
    struct err err = {0};
    struct sbuf b = SBUF_ON(&s->place.arena);
    struct changes *changes = vault_changes(s->place.vault, &err);
    assert_true(changes != NULL && changes_lock_all(changes, &j, &err));
    size_t n = journal_entries(j, &list);
    assert_true(n > 0 &&
                journal_read(j, &s->place.arena, list[n - 1].number, true, &c, &err));
    for (size_t i = 0; i < c.n; i++)
        sbuf_printf(&b, "%s" STR_FMT " " STR_FMT, i > 0 ? ", " : "",
                    STR_ARG(journal_kind_name(c.ops[i].kind)), STR_ARG(c.ops[i].path));
    changes_unlock(changes);
    return sbuf_str(&b);
}

/* The history of a vault keeps at most a quarter of its bytes for sync. */
static void start_small(struct side *s, int64_t history)
{
    struct vault_options o = {.state_dir = s->place.state, .history_max = history};
    OK(sync_prepare(&s->config, &err));
    s->place.fd = open(s->place.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    OK(vault_open(s->place.folder, &s->place.vault, &err));
    vault_start(s->place.vault, &o);
    OK(vault_wait(s->place.vault, NULL, NULL, &err));
    OK(sync_start(&s->config, s->place.vault, &s->sync, &err));
}

/* A folder that is larger than the history is renamed, which needs no room in it. */
static void test_large_folder(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; mkdir Big; for i in 1 2 3 4 5; do head -c 4000000 /dev/urandom > "
          "Big/$i.bin; done; git add .; git commit -qm big; git push -q");
    side_init(w, &s, "bob");
    start_small(&s, 16 << 20);
    side_sync(&s);
    sh(w, "cd ann; mkdir New; git mv Big New/Large; git commit -qm moved; git push -q");
    side_sync(&s);
    CHECK_STR("same", sh(w, "rmdir bob/Big; diff -r -x .git ann bob"), "");
    CHECK_STR("change", last_change(&s),
              "make folder New, make folder New/Large, move Big/1.bin, move Big/2.bin, "
              "move Big/3.bin, move Big/4.bin, move Big/5.bin");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("theirs", sh(w, "git -C bob rev-parse HEAD"),
              sh(w, "git -C ann rev-parse HEAD"));
    side_close(&s);
}

/* They renamed and edited a note: it keeps what only our file has. */
static void test_attributes_stay(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "chmod 640 bob/Note.md; cd ann; git mv Note.md Sub/Moved.md; "
          "sed -i s/three/3/ Sub/Moved.md; git commit -qam moved; git push -q");
    side_sync(&s);
    assert_false(place_has(&s.place, "Note.md"));
    CHECK_FILE(&s, "Sub/Moved.md", "one\n\ntwo\n\n3\n");
    CHECK_STR("mode", sh(w, "stat -c %a bob/Sub/Moved.md"), "640");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    side_close(&s);
}

/* A file that cannot be moved because its new folder is on another file system. */
static void test_other_file_system(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git mv Note.md Sub/Moved.md; git commit -qm moved; git push -q");
    apart = true;
    side_sync(&s);
    apart = false;
    CHECK_FILE(&s, "Sub/Moved.md", "one\n\ntwo\n\nthree\n");
    assert_false(place_has(&s.place, "Note.md"));
    CHECK_STR("change", last_change(&s), "delete Note.md, write Sub/Moved.md");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    side_close(&s);
}

/* A pull in parts merges a renamed note in the first part, and finds it renamed in the
 * next ones: what we deleted in it does not come back. */
static void test_in_parts(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; seq 50 > A.md; git add .; git commit -qm long; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git mv A.md B.md; sed -i s/^40$/XL/ B.md; for i in 1 2 3; do "
          "head -c 40000000 /dev/zero | tr '\\0' $i > Large$i.bin; done; git add .;"
          "git commit -qm ann; git push -q");
    str mine = sh(w, "seq 50 | sed '10,12d'"),
        both = sh(w, "seq 50 | sed '10,12d;s/^40$/XL/'");
    side_write(&s, "A.md", arena_printf(&w->arena, "%s\n", mine.p).p);
    side_sync(&s);
    assert_false(place_has(&s.place, "A.md"));
    CHECK_FILE(&s, "B.md", arena_printf(&w->arena, "%s\n", both.p).p);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "B.md\nLarge1.bin\nLarge2.bin\nLarge3.bin\nNote.md\nSub/Inner.md");
    CHECK_STR("remote", remote_text(w, "B.md"), both);
    assert_int_equal(side_state(&s).n_conflicts, 0);
    side_close(&s);
}

/* A note that was moved by hand, which no commit knows, gets their edit at its new place.
 * A copy of it that HEAD has, too, is not taken for it. */
static void test_moved_by_hand(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; cp Note.md Copy.md; git add .; git commit -qm copy; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "mkdir bob/Done; mv bob/Note.md bob/Done/Note.md");
    sh(w, "cd ann; sed -i s/three/3/ Note.md; git commit -qam edit; git push -q");
    side_sync(&s);
    assert_false(place_has(&s.place, "Note.md"));
    CHECK_FILE(&s, "Done/Note.md", "one\n\ntwo\n\n3\n");
    CHECK_FILE(&s, "Copy.md", "one\n\ntwo\n\nthree\n");
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "Copy.md\nDone/Note.md\nSub/Inner.md");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    side_close(&s);
}

/* They renamed it, too: it stays where it was moved by hand. */
static void test_moved_by_hand_and_renamed(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "mv bob/Note.md bob/Mine.md");
    sh(w, "cd ann; git mv Note.md Theirs.md; git commit -qm moved; git push -q");
    side_sync(&s);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "Mine.md\nSub/Inner.md");
    CHECK_FILE(&s, "Mine.md", "one\n\ntwo\n\nthree\n");
    side_close(&s);
}

/* They renamed a note to the name of one that we made: both are merged as new ones. */
static void test_taken_name(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    sh(w, "cd ann; seq 50 > A.md; git add .; git commit -qm long; git push -q");
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd ann; git mv A.md B.md; git commit -qm moved; git push -q");
    side_delete(&s, "A.md");
    side_write(&s, "B.md", "mine\n");
    side_sync(&s);
    str text = place_text(&s.place, "B.md");
    assert_true(str_find(text, STR("mine")) != STR_NONE);
    assert_true(str_find(text, STR("\n50")) != STR_NONE);
    assert_false(place_has(&s.place, "A.md"));
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_large_folder),      WORLD_TEST(test_attributes_stay),
        WORLD_TEST(test_other_file_system), WORLD_TEST(test_in_parts),
        WORLD_TEST(test_moved_by_hand),     WORLD_TEST(test_moved_by_hand_and_renamed),
        WORLD_TEST(test_taken_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
