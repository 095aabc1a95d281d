#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"

static void test_replace_and_read(void **state)
{
    struct arena *a = *state;
    struct err err = {0};
    char folder[] = "/tmp/vaultd-test-file-XXXXXX";
    struct stat st;
    str text;
    assert_non_null(mkdtemp(folder));
    str path = arena_printf(a, "%s/a file", folder);
    assert_false(fs_read_file(a, path, 100, &text, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_true(fs_replace_file(path.p, STR("one"), &err));
    assert_true(fs_replace_file(path.p, STR("two\n"), &err));
    assert_true(fs_read_file(a, path, 100, &text, &err));
    CHECK_STR("the second", text, "two\n");
    assert_int_equal(stat(path.p, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_false(fs_read_file(a, path, 3, &text, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    unlink(path.p);
    assert_int_equal(rmdir(folder), 0); /* nothing is left beside it */
    assert_false(fs_replace_file(path.p, STR("three"), &err));
}

/* A bare name is in the current folder. */
static void test_no_folder(void **state)
{
    struct err err = {0};
    str text;
    assert_false(fs_read_file(*state, STR("no such file"), 100, &text, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

/* A file may be in the current folder, and text of any length is written. */
static void test_write_all(void **state)
{
    struct arena *a = *state;
    struct err err = {0};
    char folder[] = "/tmp/vaultd-test-file-XXXXXX";
    str text, big = {arena_zero(a, 1 << 20), 1 << 20};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_true(fs_replace_file("big", big, &err));
    assert_true(fs_read_file(a, STR("big"), big.n, &text, &err));
    CHECK("all of it", str_eq(text, big));
    AUTO_CLOSE int closed = open("big", O_RDONLY | O_CLOEXEC);
    CHECK("not where nothing can be written", !file_write(closed, STR("x")));
    CHECK("unless there is nothing", file_write(closed, STR("")));
    unlink("big");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_replace_and_read),
        ARENA_TEST(test_no_folder),
        ARENA_TEST(test_write_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
