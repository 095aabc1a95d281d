#include "base/os/file.h"

#include <errno.h>

#include "base/os/machine.h"
#include "tree.h"

#define CHECK_ERRNO(what, call, want)                                                    \
    do {                                                                                 \
        errno = 0;                                                                       \
        CHECK(what, !(call));                                                            \
        CHECK_INT(what, errno, want);                                                    \
    } while (0)

static void test_stat(void **state)
{
    struct tree *t = *state;
    struct file_stat st, other;
    put(t->fd, "a", "four");
    assert_int_equal(fchmodat(t->fd, "a", 0640, 0), 0);
    assert_int_equal(symlinkat("a", t->fd, "link"), 0);
    assert_int_equal(mkfifoat(t->fd, "pipe", 0600), 0);
    assert_true(file_stat_at(t->fd, "a", FILE_NO_LINK, &st));
    CHECK("type, mode, size", st.type == FILE_REGULAR && st.mode == 0640 && st.size == 4);
    CHECK_INT("seconds", st.mtime, st.modified_ns / 1000000000);
    int64_t born = st.born_ns;
    const struct timespec later[] = {{4000000000, 0}, {4000000000, 0}};
    assert_int_equal(utimensat(t->fd, "a", later, 0), 0);
    assert_true(file_stat_at(t->fd, "a", FILE_NO_LINK, &st));
    CHECK("created before its last change", born == st.born_ns && st.mtime == 4000000000);
    assert_true(file_stat_at(t->fd, "link", FILE_FOLLOW, &other));
    CHECK("the target", file_is_same(&st, &other));
    assert_true(file_stat_at(t->fd, "link", FILE_NO_LINK, &other));
    CHECK("the link", other.type == FILE_SYMLINK && !file_is_same(&st, &other));
    assert_true(file_stat_at(t->fd, "pipe", FILE_NO_LINK, &st) && st.type == FILE_PIPE);
    assert_true(file_stat(t->fd, &st) && st.type == FILE_FOLDER);
    AUTO_CLOSE int fd = file_open(t->fd, "a", FILE_FOLLOW);
    assert_true(file_stat(fd, &st) && st.names == 1);
    assert_true(file_remove(t->fd, "a"));
    assert_true(file_stat(fd, &st) && st.names == 0);
    CHECK_ERRNO("a dead link", file_stat_at(t->fd, "link", FILE_FOLLOW, &st), ENOENT);
    CHECK("exists", file_exists(t->top));
    CHECK("does not", !file_exists("/no/such/file"));
    CHECK("can be written", !file_is_read_only(t->fd));
}

static void test_open(void **state)
{
    struct tree *t = *state;
    put(t->fd, "a", "text");
    assert_int_equal(symlinkat("a", t->fd, "link"), 0);
    assert_int_equal(mkfifoat(t->fd, "pipe", 0600), 0);
    AUTO_CLOSE int link = file_open(t->fd, "link", FILE_FOLLOW);
    AUTO_CLOSE int pipe = file_open(t->fd, "pipe", FILE_NO_LINK); /* does not wait */
    CHECK("a link and a pipe", link >= 0 && pipe >= 0);
    CHECK("not inherited", (fcntl(link, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK_ERRNO("no link", file_open(t->fd, "link", FILE_NO_LINK) >= 0, ELOOP);
    CHECK_ERRNO("an old one", file_create(t->fd, "a", 0600) >= 0, EEXIST);
    CHECK_ERRNO("own link", file_open_own(t->fd, "link", FILE_KEPT) >= 0, ELOOP);
    CHECK_ERRNO("none", file_open_own(t->fd, "none", FILE_OLD) >= 0, ENOENT);
    AUTO_CLOSE int made = file_open_own(t->fd, "own", FILE_KEPT);
    struct file_stat st;
    assert_true(file_write(made, STR("kept")) && file_stat(made, &st));
    CHECK_INT("private", st.mode, 0600);
    AUTO_CLOSE int again = file_open_own(t->fd, "own", FILE_KEPT);
    CHECK("kept", again >= 0 && file_stat(again, &st) && st.size == 4);
    AUTO_CLOSE int emptied = file_open_own(t->fd, "own", FILE_EMPTIED);
    CHECK("emptied", emptied >= 0 && file_stat(emptied, &st) && st.size == 0);
}

static void test_content(void **state)
{
    struct tree *t = *state;
    char text[16];
    size_t got;
    AUTO_CLOSE int fd = file_open_own(t->fd, "a", FILE_KEPT);
    assert_true(file_write(fd, STR("0123456789")) && file_write_at(fd, STR("ab"), 4));
    CHECK_INT("in the middle", file_read_at(fd, text, 4, 3), 4);
    CHECK_STR("in the middle", ((str){text, 4}), "3ab6");
    CHECK_INT("at the end", file_read_at(fd, text, sizeof(text), 8), 2);
    CHECK_INT("after it", file_read_at(fd, text, sizeof(text), 10), 0);
    assert_true(file_resize(fd, 2) && file_write(fd, STR("z")));
    CHECK_STR("cut off", content(&t->arena, t->fd, "a"), "01z");
    assert_true(file_read(fd, text, sizeof(text), &got));
    CHECK_INT("the end", got, 0);
    static const enum file_sync kinds[] = {FILE_SYNC_BYTES, FILE_SYNC_FILE,
                                           FILE_SYNC_ALL};
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        CHECK_INT("durable", file_sync(fd, kinds[i]), true);
    CHECK("the folder", file_sync(t->fd, FILE_SYNC_NAMES));
}

static void test_locks(void **state)
{
    struct tree *t = *state;
    AUTO_CLOSE int a = file_open_own(t->fd, "a", FILE_KEPT);
    AUTO_CLOSE int b = file_open_own(t->fd, "a", FILE_KEPT);
    assert_true(file_lock(a));
    CHECK_ERRNO("locked", file_lock(b), EWOULDBLOCK);
    file_unlock(a);
    assert_true(file_lock(b));
    file_unlock(b);
    assert_true(file_lock_bytes(a));
    CHECK_ERRNO("locked", file_lock_bytes(b), EAGAIN);
    file_unlock_bytes(a);
    assert_true(file_lock_bytes(b));
}

static void test_names(void **state)
{
    struct tree *t = *state;
    char text[16];
    str target;
    put(t->fd, "a", "a");
    put(t->fd, "b", "b");
    if (VAULTD_PORTABLE) {
        CHECK_ERRNO("exchange", file_rename(t->fd, "a", t->fd, "b", FILE_EXCHANGE),
                    ENOTSUP);
    } else {
        CHECK_ERRNO("in the way", file_rename(t->fd, "a", t->fd, "b", FILE_NOREPLACE),
                    EEXIST);
        assert_true(file_rename(t->fd, "a", t->fd, "b", FILE_EXCHANGE));
        CHECK_STR("exchanged", content(&t->arena, t->fd, "a"), "b");
        assert_true(file_rename(t->fd, "a", t->fd, "b", FILE_EXCHANGE));
    }
    assert_true(file_rename(t->fd, "a", t->fd, "b", FILE_REPLACE));
    CHECK_STR("replaced", content(&t->arena, t->fd, "b"), "a");
    CHECK_ERRNO("the same name", file_add_name(t->fd, "b", "b"), EEXIST);
    assert_true(file_add_name(t->fd, "b", "c") && file_remove(t->fd, "b"));
    assert_true(file_make_symlink("somewhere", t->fd, "link"));
    assert_true(file_read_symlink(t->fd, "link", text, sizeof(text), &target));
    CHECK_STR("target", target, "somewhere");
    CHECK_ERRNO("not a link", file_read_symlink(t->fd, "c", text, sizeof(text), &target),
                EINVAL);
}

static void test_beneath(void **state)
{
    struct tree *t = *state;
    struct file_stat st;
    int fd = -1;
    folder(t->fd, "d");
    put(t->fd, "d/a", "a");
    assert_int_equal(symlinkat("d", t->fd, "link"), 0);
    if (VAULTD_PORTABLE) {
        CHECK_ERRNO("none", file_beneath(t->fd, "d/a", FILE_LOOK, &fd, &st), ENOSYS);
        return;
    }
    assert_true(file_beneath(t->fd, "d/a", FILE_LOOK, &fd, &st));
    CHECK("only looked at", fd == -1 && st.size == 1);
    assert_true(file_beneath(t->fd, "d/a", FILE_READ, &fd, &st) && fd >= 0);
    file_close(fd);
    assert_true(file_beneath(t->fd, "d", FILE_LIST, &fd, NULL) && fd >= 0);
    file_close(fd);
    CHECK_ERRNO("link", file_beneath(t->fd, "link/a", FILE_LOOK, &fd, &st), ELOOP);
    CHECK_ERRNO("out", file_beneath(t->fd, "../x", FILE_LOOK, &fd, &st), EXDEV);
    CHECK_ERRNO("out", file_beneath(t->fd, "/", FILE_LIST, &fd, &st), EXDEV);
    CHECK_ERRNO("file", file_beneath(t->fd, "d/a", FILE_LIST, &fd, &st), ENOTDIR);
}

static void test_descriptors(void **state)
{
    struct tree *t = *state;
    struct file_stat a, b;
    char path[256];
    put(t->fd, "a", "a");
    put(t->fd, "b", "b");
    int one = file_open(t->fd, "a", FILE_NO_LINK),
        other = file_open(t->fd, "b", FILE_NO_LINK);
    assert_true(file_renumber(one, other));
    assert_true(file_stat(one, &a) && file_stat(other, &b));
    CHECK("now the same", file_is_same(&a, &b));
    CHECK("not inherited", (fcntl(other, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK("where it is", VAULTD_PORTABLE || (file_find_path(one, path, sizeof(path)) &&
                                             str_ends(str_c(path), STR("/a"))));
    errno = EDOM;
    file_close(one);
    file_close(other);
    file_close(-1);
    CHECK_INT("errno is kept", errno, EDOM);
}

static void test_rights(void **state)
{
    struct tree *t = *state;
    put(t->fd, "a", "a");
    CHECK("read and write", file_allows(t->fd, "a", FILE_MAY_READ | FILE_MAY_WRITE));
    CHECK("not run", !file_allows(t->fd, "a", FILE_MAY_RUN));
    CHECK("enter", file_allows(FILE_CWD, t->top, FILE_MAY_RUN));
    AUTO_CLOSE int fd = file_open_own(t->fd, "a", FILE_OLD);
    struct file_stat st;
    assert_true(file_set_mode(fd, 0700) && file_stat(fd, &st));
    CHECK_INT("mode", st.mode, 0700);
    CHECK_INT("owner", st.owner, machine_user());
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_stat),        TREE_TEST(test_open),   TREE_TEST(test_content),
        TREE_TEST(test_locks),       TREE_TEST(test_names),  TREE_TEST(test_beneath),
        TREE_TEST(test_descriptors), TREE_TEST(test_rights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
