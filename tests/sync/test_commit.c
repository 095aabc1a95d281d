/* Uncommitted changes: none is lost, none is committed twice. */
#include "base/path.h"
#include "sync_world.h"

static str log_of(struct world *w, const char *folder)
{
    return sh(w, arena_printf(&w->arena,
                              "git -C %s log --reverse --no-renames --format=%%s "
                              "--name-status main | tr '\\t\\n' ' ,'",
                              folder)
                     .p);
}

static void write_bytes(struct side *s, const char *path, str text)
{
    struct change_op op = {.kind = JOURNAL_WRITE, .path = str_c(path), .text = text};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
    struct change_result made;
    OK(vault_change(s->place.vault, &s->place.arena, &change, &made, &err));
}

/* Pretend that the changes so far are too old for the journal. */
static void drop_journal(struct side *s)
{
    struct err err;
    struct journal *j = NULL;
    struct changes *c = vault_changes(s->place.vault, &err);
    char *large = arena_alloc(&s->place.arena, JOURNAL_SEGMENT_MAX);
    memset(large, 'x', JOURNAL_SEGMENT_MAX);
    write_bytes(s, "Large.bin", (str){large, JOURNAL_SEGMENT_MAX});
    write_bytes(s, "Large.bin", STR("small"));
    write_bytes(s, "Last.md", STR("last\n"));
    assert_true(c != NULL && changes_lock_all(c, &j, &err));
    journal_prune(j, INT64_MAX);
    changes_unlock(c);
}

/* Commits failed for so long that the journal has pruned the changes.
 */
static void test_dropped(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "cd bob; git rev-parse HEAD > .git/MERGE_HEAD");
    side_write(&s, "Early.md", "early\n");
    side_delete(&s, "Note.md");
    drop_journal(&s);
    sh(w, "rm bob/.git/MERGE_HEAD");
    side_sync(&s);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "Early.md\nLarge.bin\nLast.md\nSub/Inner.md");
    CHECK_STR("log", sh(w, "git -C remote.git log -2 --format=%s main"),
              "Changes no longer in the journal\ntest: Last.md");
    place_put(&s.place, "Mine.md", STR("by hand\n"));
    side_write(&s, "Next.md", "next\n");
    side_sync(&s);
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "?? Mine.md");
    side_close(&s);
}

static void count_round(void *app)
{
    atomic_fetch_add((atomic_int *)app, 1);
}

/* Without a remote, nothing is left to do after a commit. */
static void test_no_remote(void **state)
{
    enum { ASKED = 5 };
    struct world *w = *state;
    struct side s;
    atomic_int rounds = 0;
    side_init(w, &s, "bob");
    sh(w, "git init -q bob");
    s.config.git.remote = (str){0};
    s.config.on_state = count_round;
    s.config.app = &rounds;
    side_start(&s);
    side_sync(&s); /* the first commit */
    side_write(&s, "A.md", "a\n");
    side_sync(&s);
    int before = atomic_load(&rounds);
    for (int i = 0; i < ASKED; i++)
        side_sync(&s);
    CHECK("no others", atomic_load(&rounds) <= before + ASKED + 1);
    CHECK_STR("committed", sh(w, "git -C bob show HEAD:A.md"), "a");
    side_close(&s);
}

/* A lock left by a killed git does not block commits forever. */
static void test_stale_lock(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_write(&s, "A.md", "a\n");
    side_sync(&s);
    sh(w, "touch bob/.git/refs/vaultd/next.lock");
    side_write(&s, "B.md", "b\n");
    FAILS(sync_wait(s.sync, NULL, NULL, &err), ERR_BUSY, "next.lock");
    sh(w, "touch -d '-1 hour' bob/.git/refs/vaultd/next.lock");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "B.md"), "b");
    side_close(&s);
}

/* The user's git has locked their index during a commit and a pull.
 */
static void test_index_held(void **state)
{
    struct world *w = *state;
    struct side s;
    struct err err;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    sh(w, "touch bob/.git/index.lock; cd ann; echo theirs > Theirs.md; git add .;"
          "git commit -qm theirs; git push -q");
    side_write(&s, "Mine.md", "mine\n");
    (void)!sync_wait(s.sync, NULL, NULL, &err);
    sh(w, "rm bob/.git/index.lock");
    side_sync(&s);
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_FILE(&s, "Theirs.md", "theirs\n");
    CHECK_STR("remote", remote_text(w, "Mine.md"), "mine");
    side_close(&s);
}

/* A change and its undo are two commits; so are a pull and its undo. */
static void test_undone(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_sync(&s);
    struct draft *d = side_draft(&s);
    OK(draft_write(d, STR("Note.md"), STR("mine\n"), DRAFT_OVERWRITE, &err));
    place_undo(&s.place, place_commit("mine", d).change);
    side_sync(&s);
    CHECK_STR("log", sh(w, "git -C remote.git log -2 --format=%s main"),
              "undo: Note.md\nvault_write: Note.md");
    CHECK_STR("was", sh(w, "git -C remote.git show main~1:Note.md"), "mine");
    sh(w, "cd ann; git pull -q; echo theirs > Note.md; git commit -qam theirs; git push "
          "-q");
    side_sync(&s);
    uint64_t pulled;
    OK(vault_undoable(s.place.vault, &pulled, &err));
    place_undo(&s.place, pulled);
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Note.md"), "one\n\ntwo\n\nthree");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    side_close(&s);
}

static void change_a_lot(struct side *s)
{
    side_write(s, "A.md", "a\n");
    side_move(s, "A.md", "B.md");
    side_write(s, "B.md", "b\n");
    side_move(s, "B.md", "C é.md");
    side_write(s, "A.md", "again\n");
    side_write(s, "Empty.md", "");
}

static const char lot[] = "vault_write: A.md,,A %1$sA.md,"
                          "vault_write: 2 files,,D %1$sA.md,A %1$sB.md,"
                          "vault_write: B.md,,M %1$sB.md,"
                          "vault_write: 2 files,,D %1$sB.md,"
                          "A \"%1$sC \\303\\251.md\","
                          "vault_write: A.md,,A %1$sA.md,"
                          "vault_write: Empty.md,,A %1$sEmpty.md,";

/* A repository with SHA-256 ids and no commit yet. */
static void test_sha256(void **state)
{
    struct world *w = *state;
    struct side s;
    sh(w, "git init -q --object-format=sha256 bob; echo first > bob/First.md;"
          "rm -r remote.git; git init -q --bare --object-format=sha256 remote.git;"
          "git -C bob remote add origin ../remote.git");
    side_init(w, &s, "bob");
    side_start(&s);
    side_sync(&s);
    change_a_lot(&s);
    side_sync(&s);
    const char *want = arena_printf(&w->arena, lot, "").p;
    CHECK_STR(
        "log", log_of(w, "remote.git"),
        arena_printf(&w->arena, "Initial state of the vault,,A First.md,%s", want).p);
    sh(w, "git clone -q remote.git ann; cd ann; echo theirs >> First.md;"
          "git commit -qam theirs; git push -q");
    side_write(&s, "First.md", "mine\nfirst\n");
    side_sync(&s);
    CHECK_FILE(&s, "First.md", "mine\nfirst\ntheirs\n");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    check_sound(w, "bob");
    side_close(&s);
}

/* A clone has the same type of ids as the remote. */
static void test_clone_sha256(void **state)
{
    struct world *w = *state;
    struct side s;
    sh(w, "rm -r remote.git; git init -q --bare --object-format=sha256 remote.git;"
          "git init -q --object-format=sha256 ann; cd ann; echo x > X.md; git add .;"
          "git commit -qm x; git push -q ../remote.git HEAD:main");
    side_open(w, &s, "bob");
    CHECK_FILE(&s, "X.md", "x\n");
    side_write(&s, "Y.md", "y\n");
    side_sync(&s);
    CHECK_STR("remote", remote_text(w, "Y.md"), "y");
    side_close(&s);
}

static void test_subfolder(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_init(w, &s, "bob");
    s.config.git.subfolder = STR("docs/my notes");
    side_start(&s);
    side_sync(&s);
    change_a_lot(&s);
    side_sync(&s);
    str log = log_of(w, "remote.git");
    const char *want = arena_printf(&w->arena, lot, "docs/my notes/").p;
    CHECK_STR("log", str_skip(log, str_find(log, STR("vault_write"))), want);
    CHECK_STR("others", remote_text(w, "Sub/Inner.md"), "inner");
    check_sound(w, "remote.git");
    side_close(&s);
}

/* Two servers with one state folder: each change is committed once. */
static void test_two_servers(void **state)
{
    enum { CHANGES = 10 };
    struct world *w = *state;
    struct side one, two;
    world_seed(w);
    side_open(w, &one, "bob");
    side_open(w, &two, "bob");
    for (int i = 0; i < CHANGES; i++) {
        const char *text = arena_printf(&w->arena, "%d\n", i).p;
        side_write(i % 2 == 0 ? &one : &two, "Note.md", text);
        side_write(i % 2 == 0 ? &two : &one, arena_printf(&w->arena, "N %d.md", i).p,
                   text);
        if (i % 4 == 3)
            side_sync(i % 8 == 3 ? &one : &two);
    }
    side_sync(&one);
    side_sync(&two);
    CHECK_STR("each", sh(w, "git -C bob log --format=%B | grep ^Vaultd-Change | wc -l"),
              "20");
    CHECK_STR("once",
              sh(w, "git -C bob log --format=%B | grep ^Vaultd-Change | sort -u | wc -l"),
              "20");
    CHECK_STR("status", sh(w, "git -C bob status --porcelain"), "");
    CHECK_STR("remote", sh(w, "git -C remote.git rev-parse main"),
              sh(w, "git -C bob rev-parse main").p);
    side_close(&one);
    side_close(&two);
}

/* Another process was killed while it wrote the shared index. */
static void test_index_gone(void **state)
{
    struct world *w = *state;
    struct side s;
    world_seed(w);
    side_open(w, &s, "bob");
    side_write(&s, "Mine.md", "mine\n");
    side_sync(&s);
    sh(w, "rm bob-state/sync-*/index");
    side_delete(&s, "Note.md");
    side_sync(&s);
    CHECK_STR("tree", sh(w, "git -C remote.git ls-tree -r --name-only main"),
              "Mine.md\nSub/Inner.md");
    side_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_dropped),      WORLD_TEST(test_stale_lock),
        WORLD_TEST(test_no_remote),    WORLD_TEST(test_index_held),
        WORLD_TEST(test_undone),       WORLD_TEST(test_sha256),
        WORLD_TEST(test_clone_sha256), WORLD_TEST(test_subfolder),
        WORLD_TEST(test_two_servers),  WORLD_TEST(test_index_gone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
