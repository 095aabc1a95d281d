/* A vault's folder that is moved away, returns, or is replaced by another one. */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "tree.h"
#include "vault/vault.h"

struct away {
    struct tree *tree;
    struct vault *vault;
    struct pool *pool;
};

static struct away open_away(struct tree *t, bool watch)
{
    struct away w = {.tree = t, .pool = pool_create(2, 64)};
    struct err err;
    str folder = arena_printf(&t->arena, "%s/vault", t->top);
    put(t->fd, "a.md", "alpha");
    assert_true(vault_open(folder.p, &w.vault, &err));
    vault_start(w.vault, &(struct vault_options){
                             .pool = w.pool, .state_dir = t->state, .watch = watch});
    if (!vault_wait(w.vault, NULL, NULL, &err))
        fail_msg("%s", err.msg);
    return w;
}

static void close_away(struct away *w)
{
    vault_close(w->vault);
    pool_free(w->pool);
}

static bool write_to(struct away *w, const char *path, const char *text, struct err *err)
{
    struct change_op op = {
        .kind = JOURNAL_WRITE, .path = str_c(path), .text = str_c(text)};
    struct change change = {.ops = &op, .n = 1, .by.tool = STR("test")};
    struct change_result made;
    return vault_change(w->vault, &w->tree->arena, &change, &made, err);
}

static bool knows(struct away *w, const char *path)
{
    bool there = index_find(vault_lock(w->vault), str_c(path)) != NULL;
    vault_unlock(w->vault);
    return there;
}

static void move_away(struct tree *t)
{
    assert_int_equal(renameat(t->top_fd, "vault", t->top_fd, "vault.old"), 0);
}

static void bring_back(struct tree *t)
{
    assert_int_equal(renameat(t->top_fd, "vault.old", t->top_fd, "vault"), 0);
}

static void restore_backup(struct tree *t)
{
    folder(t->top_fd, "vault");
    put(t->top_fd, "vault/a.md", "alpha of the backup");
    put(t->top_fd, "vault/backup.md", "only in the backup");
}

static void drop_old(struct tree *t)
{
    remove_tree(t->top_fd, "vault");
    bring_back(t);
}

/* SEC-103: a vanished vault refuses changes, nothing is created at its path, and it works
 * again when it is back. */
static void test_SEC_103_vanished_and_returned(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct err err;
    assert_true(write_to(&w, "b.md", "1", &err));
    move_away(t);
    assert_false(write_to(&w, "b.md", "2", &err));
    assert_int_equal(err.name, E_VAULT_UNAVAILABLE);
    assert_int_equal(vault_place(w.vault), VAULT_GONE);
    assert_false(vault_can_change(w.vault, &err));
    assert_false(there(t->top_fd, "vault"));
    CHECK_STR("old", content(&t->arena, t->top_fd, "vault.old/b.md"), "1");
    bring_back(t);
    assert_true(write_to(&w, "b.md", "3", &err));
    assert_int_equal(vault_place(w.vault), VAULT_HERE);
    CHECK_STR("new", content(&t->arena, t->fd, "b.md"), "3");
    close_away(&w);
}

static void test_replaced(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct err err;
    struct vault_text text;
    assert_true(write_to(&w, "b.md", "1", &err));
    move_away(t);
    restore_backup(t);
    assert_true(write_to(&w, "b.md", "2", &err));
    CHECK_STR("new", content(&t->arena, t->top_fd, "vault/b.md"), "2");
    CHECK_STR("old", content(&t->arena, t->top_fd, "vault.old/b.md"), "1");
    assert_true(knows(&w, "backup.md"));
    assert_true(vault_read(w.vault, &t->arena, STR("a.md"), 1, 0, &text, &err));
    CHECK_STR("read", text.content, "alpha of the backup");
    /* and it can be replaced again */
    drop_old(t);
    assert_true(write_to(&w, "b.md", "4", &err));
    CHECK_STR("first", content(&t->arena, t->fd, "b.md"), "4");
    assert_false(knows(&w, "backup.md"));
    close_away(&w);
}

static void change_is_refused(struct away *w, enum err_name why)
{
    struct err err;
    assert_false(vault_can_change(w->vault, &err));
    CHECK_INT("can", err.name, why);
    assert_false(write_to(w, "b.md", "1", &err));
    CHECK_INT("write", err.name, why);
}

/* What is said about changes is what happens to them. */
static void test_read_only_mount(void **state)
{
    struct tree *t = *state;
    struct err err;
    str folder = arena_printf(&t->arena, "%s/vault", t->top);
    if (mount(folder.p, folder.p, NULL, MS_BIND, NULL) < 0)
        SKIP("may not mount here");
    struct away w = open_away(t, false);
    assert_true(vault_can_change(w.vault, &err));
    assert_int_equal(mount(NULL, folder.p, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL),
                     0);
    change_is_refused(&w, E_READ_ONLY);
    close_away(&w);
    assert_int_equal(umount2(folder.p, MNT_DETACH), 0);
}

static void test_no_permission(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    uid_t user = geteuid(), nobody = 65534;
    assert_int_equal(fchmod(t->top_fd, 0755), 0);
    assert_int_equal(fchmod(t->fd, 0555), 0);
    if (user == 0 && seteuid(nobody) < 0)
        SKIP("cannot become another user");
    struct err err;
    bool can = vault_can_change(w.vault, &err);
    assert_int_equal(seteuid(user), 0);
    assert_false(can);
    CHECK_INT("why", err.name, E_FORBIDDEN);
    assert_int_equal(fchmod(t->fd, 0755), 0);
    close_away(&w);
}

/* SEC-103: a mount point without its file system is not the vault. */
static void test_SEC_103_empty_mount_point(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct err err;
    move_away(t);
    folder(t->top_fd, "vault");
    folder(t->top_fd, "vault/lost+found");
    assert_false(write_to(&w, "b.md", "1", &err));
    assert_int_equal(err.name, E_VAULT_UNAVAILABLE);
    assert_int_equal(vault_place(w.vault), VAULT_GONE);
    assert_false(vault_can_change(w.vault, &err));
    assert_true(knows(&w, "a.md"));
    assert_false(there(t->top_fd, "vault/b.md"));
    put(t->top_fd, "vault/c.md", "mounted again");
    assert_true(write_to(&w, "b.md", "2", &err));
    assert_true(knows(&w, "c.md"));
    close_away(&w);
}

static void test_empty_for_empty(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct err err;
    assert_int_equal(unlinkat(t->fd, "a.md", 0), 0);
    move_away(t);
    folder(t->top_fd, "vault");
    assert_true(write_to(&w, "b.md", "1", &err));
    CHECK_STR("new", content(&t->arena, t->top_fd, "vault/b.md"), "1");
    close_away(&w);
}

/* --- a folder that goes while a change is made --- */

struct keyed {
    struct away *away;
    struct change_op op;
    uint64_t undoes; /* or 0 */
    struct change_result made;
    struct err err;
    bool ok;
};

static void *make_keyed(void *arg)
{
    struct keyed *k = arg;
    struct away *w = k->away;
    struct change change = {.ops = &k->op,
                            .n = 1,
                            .by.tool = STR("test"),
                            .once.key = k->undoes > 0 ? STR("undo") : STR("key"),
                            .once.request = STR("r")};
    k->ok =
        k->undoes > 0
            ? vault_undo(w->vault, &w->tree->arena, k->undoes, &change, &k->made, &k->err)
            : vault_change(w->vault, &w->tree->arena, &change, &k->made, &k->err);
    return NULL;
}

/* Another program's lock keeps the change waiting, after the first look at the path. */
static void make_while_it_goes(struct keyed *k, void (*then)(struct tree *t))
{
    struct tree *t = k->away->tree;
    pthread_t thread;
    uint64_t ms;
    int holder = openat(t->top_fd, "vault", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(holder, LOCK_EX), 0);
    assert_int_equal(pthread_create(&thread, NULL, make_keyed, k), 0);
    while (vault_blocked(k->away->vault, &ms) == NULL)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    move_away(t);
    if (then != NULL)
        then(t);
    close(holder);
    pthread_join(thread, NULL);
}

struct holding {
    struct changes *changes;
    atomic_bool held, end;
};

static void *hold_journal(void *arg)
{
    struct holding *h = arg;
    struct journal *j;
    struct err err;
    assert_true(changes_lock_all(h->changes, &j, &err));
    atomic_store(&h->held, true);
    while (!atomic_load(&h->end))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    changes_unlock(h->changes);
    return NULL;
}

/* The new folder is not opened during a change of another thread: that is BUSY, and no
 * reason to restart the server. */
static void test_replaced_during_a_long_change(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct err err;
    struct holding h = {.changes = vault_changes(w.vault, &err)};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, hold_journal, &h), 0);
    while (!atomic_load(&h.held))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    move_away(t);
    restore_backup(t);
    assert_false(write_to(&w, "b.md", "1", &err));
    assert_int_equal(err.name, E_BUSY);
    assert_int_equal(vault_place(w.vault), VAULT_HERE);
    atomic_store(&h.end, true);
    pthread_join(thread, NULL);
    assert_true(write_to(&w, "b.md", "2", &err));
    CHECK_STR("new", content(&t->arena, t->top_fd, "vault/b.md"), "2");
    close_away(&w);
}

/* SEC-103, SEC-114: a change that went to the replaced folder is taken back there, and
 * made when its key is repeated. */
static void test_SEC_114_replaced_during_a_change(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct keyed k = {&w, {JOURNAL_WRITE, STR("b.md"), .text = STR("new")}};
    make_while_it_goes(&k, restore_backup);
    assert_false(k.ok);
    assert_int_equal(k.err.name, E_VAULT_UNAVAILABLE);
    assert_non_null(strstr(k.err.msg, "nothing was changed"));
    assert_false(there(t->top_fd, "vault.old/b.md"));
    make_keyed(&k);
    assert_true(k.ok && !k.made.repeated);
    CHECK_STR("made", content(&t->arena, t->top_fd, "vault/b.md"), "new");
    close_away(&w);
}

static void test_gone_during_a_change(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct keyed k = {&w, {JOURNAL_WRITE, STR("a.md"), .text = STR("alpha and more")}};
    make_while_it_goes(&k, NULL);
    assert_false(k.ok);
    assert_int_equal(k.err.name, E_VAULT_UNAVAILABLE);
    CHECK_STR("as before", content(&t->arena, t->top_fd, "vault.old/a.md"), "alpha");
    bring_back(t);
    make_keyed(&k);
    assert_true(k.ok && !k.made.repeated);
    CHECK_STR("made", content(&t->arena, t->fd, "a.md"), "alpha and more");
    close_away(&w);
}

static void test_gone_during_an_undo(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, false);
    struct keyed k = {&w, {JOURNAL_WRITE, STR("a.md"), .text = STR("new")}};
    make_keyed(&k);
    assert_true(k.ok);
    k.undoes = k.made.number;
    make_while_it_goes(&k, NULL);
    assert_false(k.ok);
    CHECK_STR("not undone", content(&t->arena, t->top_fd, "vault.old/a.md"), "new");
    bring_back(t);
    make_keyed(&k);
    assert_true(k.ok && !k.made.repeated);
    CHECK_STR("undone", content(&t->arena, t->fd, "a.md"), "alpha");
    close_away(&w);
}

/* Wait for the watcher; the bound only turns a hang into a failure. */
#define EVENTUALLY(condition)                                                            \
    do {                                                                                 \
        int left_ = 30000;                                                               \
        while (!(condition) && left_-- > 0)                                              \
            nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);                    \
        if (left_ <= 0)                                                                  \
            fail_msg("never: %s", #condition);                                           \
    } while (0)

/* Without any change, the new folder is still noticed and watched. */
static void test_replaced_and_watched(void **state)
{
    struct tree *t = *state;
    struct away w = open_away(t, true);
    move_away(t);
    restore_backup(t);
    EVENTUALLY(knows(&w, "backup.md"));
    put(t->top_fd, "vault/later.md", "x");
    EVENTUALLY(knows(&w, "later.md"));
    drop_old(t);
    EVENTUALLY(!knows(&w, "backup.md"));
    put(t->fd, "last.md", "x");
    EVENTUALLY(knows(&w, "last.md"));
    close_away(&w);
}

TEST_MAIN(argc, argv)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_SEC_103_vanished_and_returned),
        TREE_TEST(test_replaced),
        TREE_TEST(test_replaced_and_watched),
        TREE_TEST(test_SEC_103_empty_mount_point),
        TREE_TEST(test_read_only_mount),
        TREE_TEST(test_no_permission),
        TREE_TEST(test_empty_for_empty),
        TREE_TEST(test_replaced_during_a_long_change),
        TREE_TEST(test_SEC_114_replaced_during_a_change),
        TREE_TEST(test_gone_during_a_change),
        TREE_TEST(test_gone_during_an_undo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
