/* Full, read-only and limited disks: the change fails, nothing is changed, and changes
 * work again when there is space (SEC-103). The first two need mounts in a namespace. */
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "base/log.h"
#include "tree.h"
#include "vault/change/change.h"

enum { PAGE = 4096, TEXT = 3 * PAGE };

static bool may_mount;

/* A tree on its own disk; its state folder is on the same disk or elsewhere. */
struct disk {
    char path[32], elsewhere[48];
    struct tree *tree;
};

static void disk_new(struct disk *d, bool state_too)
{
    snprintf(d->path, sizeof(d->path), "/tmp/vaultd-disk-XXXXXX");
    assert_non_null(mkdtemp(d->path));
    assert_int_equal(mount("tmpfs", d->path, "tmpfs", 0, "size=512k"), 0);
    d->tree = tree_new_in(d->path);
    snprintf(d->elsewhere, sizeof(d->elsewhere), "%s-state", d->path);
    assert_int_equal(mkdir(d->elsewhere, 0700), 0);
    if (!state_too)
        snprintf(d->tree->state, sizeof(d->tree->state), "%s", d->elsewhere);
}

static void disk_drop(struct disk *d)
{
    tree_teardown((void **)&d->tree);
    assert_int_equal(umount2(d->path, MNT_DETACH), 0);
    assert_int_equal(rmdir(d->path), 0);
    remove_tree(AT_FDCWD, d->elsewhere);
}

static str text_of(struct tree *t, char c, size_t n)
{
    char *p = arena_alloc(&t->arena, n);
    memset(p, c, n);
    return (str){p, n};
}

static void fill(struct tree *t)
{
    put_bytes(t->fd, "a.md", text_of(t, 'a', TEXT));
    put_bytes(t->fd, "b.md", text_of(t, 'b', TEXT));
    put_bytes(t->fd, "note.md", text_of(t, 'n', TEXT));
}

static bool rewrite(struct tree *t, struct changes *c, struct err *err)
{
    struct change_op ops[] = {
        {JOURNAL_WRITE, STR("a.md"), .text = text_of(t, 'A', 2 * TEXT)},
        {JOURNAL_WRITE, STR("b.md"), .text = text_of(t, 'B', PAGE)},
        {JOURNAL_MOVE, STR("note.md"), .to = STR("new/note.md")},
    };
    struct change_result r;
    return changes_make(c, &t->arena, &(struct change){.ops = ops, .n = COUNT_OF(ops)},
                        &r, err);
}

static void fill_up(struct tree *t, size_t left)
{
    int fd = openat(t->top_fd, "filler", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char page[PAGE] = {0};
    off_t n = 0;
    while (write(fd, page, PAGE) == PAGE)
        n++;
    assert_int_equal(ftruncate(fd, (n - (off_t)left) * PAGE), 0);
    close(fd);
}

static void test_SEC_93_SEC_103_full(void **state)
{
    if (!may_mount)
        SKIP("may not mount here");
    for (size_t left = 0; left < 40; left++) {
        char row[64];
        struct disk d;
        disk_new(&d, left % 2 == 1);
        struct tree *t = d.tree;
        struct changes *c;
        struct err err;
        snprintf(row, sizeof(row), "%zu pages left", left);
        fill(t);
        assert_true(changes_open(&t->root, t->state, &c, &err));
        str before = tree_text(&t->arena, t->fd);
        fill_up(t, left);
        bool ok = rewrite(t, c, &err);
        if (!ok) {
            CHECK_INT(row, err.name, E_NO_SPACE);
            CHECK(row, str_eq(tree_text(&t->arena, t->fd), before));
        }
        assert_int_equal(unlinkat(t->top_fd, "filler", 0), 0);
        if (!ok && !rewrite(t, c, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK(row, there(t->fd, "new/note.md"));
        changes_close(c);
        struct journal *j;
        size_t n;
        assert_true(changes_open(&t->root, t->state, &c, &err));
        assert_true(changes_lock_all(c, &j, &err));
        if (!journal_verify(j, &n, &err))
            fail_msg("%s: %s", row, err.msg);
        changes_unlock(c);
        changes_close(c);
        disk_drop(&d);
    }
}

static void test_SEC_93_SEC_103_read_only(void **state)
{
    if (!may_mount)
        SKIP("may not mount here");
    struct disk d;
    disk_new(&d, false);
    struct tree *t = d.tree;
    struct changes *c;
    struct err err;
    fill(t);
    assert_true(changes_open(&t->root, t->state, &c, &err));
    str before = tree_text(&t->arena, t->fd);
    assert_int_equal(mount(NULL, d.path, NULL, MS_REMOUNT | MS_RDONLY, NULL), 0);
    assert_false(rewrite(t, c, &err));
    assert_int_equal(err.name, E_READ_ONLY);
    assert_true(str_eq(tree_text(&t->arena, t->fd), before));
    assert_int_equal(mount(NULL, d.path, NULL, MS_REMOUNT, NULL), 0);
    if (!rewrite(t, c, &err))
        fail_msg("%s", err.msg);
    changes_close(c);
    disk_drop(&d);
}

static void test_SEC_103_file_size_limit(void **state)
{
    struct tree *t = *state;
    struct changes *c;
    struct err err;
    struct rlimit before;
    fill(t);
    str tree = tree_text(&t->arena, t->fd);
    signal(SIGXFSZ, SIG_IGN);
    assert_true(changes_open(&t->root, t->state, &c, &err));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    /* the journal does not fit; it does, but the new text does not */
    for (rlim_t limit = PAGE; limit <= 4 * PAGE; limit += 2 * PAGE + 100) {
        struct rlimit small = {limit, before.rlim_max};
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        struct change_op op = {JOURNAL_WRITE, STR("new.md"),
                               .text = text_of(t, 'x', 5 * PAGE)};
        struct change_result r;
        bool ok = rewrite(t, c, &err);
        struct err new_err;
        bool made = changes_make(c, &t->arena, &(struct change){.ops = &op, .n = 1}, &r,
                                 &new_err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(ok || made);
        assert_int_equal(err.name, E_NO_SPACE);
        assert_int_equal(new_err.name, E_NO_SPACE);
        assert_true(str_eq(tree_text(&t->arena, t->fd), tree));
    }
    assert_true(rewrite(t, c, &err));
    struct journal *j;
    size_t n;
    assert_true(changes_lock_all(c, &j, &err));
    assert_true(journal_verify(j, &n, &err));
    changes_unlock(c);
    changes_close(c);
}

int main(void)
{
    log_setup(LOG_ERROR + 1, LOG_TEXT);
    may_mount = unshare(CLONE_NEWNS) == 0 &&
                mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_93_SEC_103_full),
        cmocka_unit_test(test_SEC_93_SEC_103_read_only),
        TREE_TEST(test_SEC_103_file_size_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
