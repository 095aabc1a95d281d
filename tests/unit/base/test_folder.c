#include "base/os/folder.h"

#include <errno.h>

#include "tree.h"

static void test_names(void **state)
{
    struct tree *t = *state;
    put(t->fd, "file", "");
    folder(t->fd, "folder");
    assert_int_equal(symlinkat("file", t->fd, "link"), 0);
    assert_int_equal(mkfifoat(t->fd, "pipe", 0600), 0);
    unsigned seen = 0;
    struct folder_names names = folder_names(t->fd, ".");
    for (const char *name; (name = folder_next(&names)) != NULL;) {
        enum file_type type = folder_type(&names, name);
        CHECK(name, type == (name[0] == 'l'   ? FILE_SYMLINK
                             : name[0] == 'p' ? FILE_PIPE
                             : name[1] == 'o' ? FILE_FOLDER
                                              : FILE_REGULAR));
        seen++;
    }
    CHECK("all were read", folder_end(&names));
    CHECK_INT("without . and ..", seen, 4);
    names = folder_names(t->fd, "none");
    CHECK("none", folder_next(&names) == NULL);
    CHECK("that is an error", !folder_end(&names) && errno == ENOENT);
    names = folder_names_of(file_open(t->fd, "file", FILE_NO_LINK));
    CHECK("of a file", folder_next(&names) == NULL && !folder_end(&names));
}

static void test_make(void **state)
{
    struct tree *t = *state;
    struct file_stat st;
    mode_t before = umask(0077);
    assert_true(folder_make(t->fd, "exact", 0755) && folder_make(t->fd, "usual", 0));
    umask(before);
    assert_true(file_stat_at(t->fd, "exact", FILE_NO_LINK, &st));
    CHECK_INT("the mode", st.mode, 0755);
    assert_true(file_stat_at(t->fd, "usual", FILE_NO_LINK, &st));
    CHECK_INT("the usual mode", st.mode, 0700);
    CHECK("it exists", folder_exists(t->top));
    put(t->fd, "exact/file", "");
    CHECK("not empty", !folder_remove(t->fd, "exact") && errno == ENOTEMPTY);
    assert_true(folder_remove(t->fd, "usual"));
}

static void test_enter(void **state)
{
    struct tree *t = *state;
    struct file_stat st;
    folder(t->fd, "d");
    put(t->fd, "d/file", "");
    assert_int_equal(symlinkat("d", t->fd, "link"), 0);
    AUTO_CLOSE int dir = folder_enter(t->fd, "d");
    CHECK("names in it", dir >= 0 && file_stat_at(dir, "file", FILE_NO_LINK, &st));
    AUTO_CLOSE int list = folder_open(dir, ".");
    CHECK("open it from there", list >= 0);
    CHECK("not a link",
          folder_enter(t->fd, "link") < 0 && (errno == ENOTDIR || errno == ELOOP));
    CHECK("not a file", folder_open(dir, "file") < 0 && errno == ENOTDIR);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        TREE_TEST(test_names),
        TREE_TEST(test_make),
        TREE_TEST(test_enter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
