#include "pdf/pdf_cache.h"

#include <dirent.h>
#include <fcntl.h>

#include "fake_poppler.h"

static const struct pdf_how call = {0};
static char folder[96];

static str one_file(struct arena *a)
{
    str found = {0};
    DIR *dir = opendir(folder);
    for (const struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;)
        if (e->d_name[0] != '.') {
            CHECK("only one", found.n == 0);
            found = arena_printf(a, "%s/%s", folder, e->d_name);
        }
    if (dir != NULL)
        closedir(dir);
    return found;
}

static void read_one(struct arena *a, struct pdf *out)
{
    struct err err = {0};
    struct pdf_cache *c = pdf_cache_open(folder);
    if (!pdf_cache_read(c, a, FAKE_PDF("plain"), &call, out, &err))
        fail_msg("%s", err.msg);
    CHECK_INT("pages", out->pages, 3);
    CHECK_STR("title", out->title, "A title");
    CHECK_STR("text", out->text, "\f\npages 1 to 3\n\f\nTwo\n\f\nThree\n");
    pdf_cache_close(c);
}

/* Without the programs, only what is in the cache can be read. */
static void test_kept(void **state)
{
    struct pdf p;
    struct stat st;
    char *before = mem_str(str_c(getenv("PATH")));
    read_one(*state, &p);
    assert_int_equal(stat(one_file(*state).p, &st), 0);
    CHECK_INT("mode", st.st_mode & 0777, 0600);
    setenv("PATH", "/nonexistent", 1);
    read_one(*state, &p);
    setenv("PATH", before, 1);
    free(before);
}

static void flip(const char *path, off_t at)
{
    char c = 0;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && pread(fd, &c, 1, at) == 1);
    c ^= 0x10;
    assert_true(pwrite(fd, &c, 1, at) == 1);
    close(fd);
}

static void test_damaged(void **state)
{
    struct pdf p;
    struct stat st;
    read_one(*state, &p);
    const char *path = one_file(*state).p;
    assert_int_equal(stat(path, &st), 0);
    for (off_t at = 0; at < st.st_size; at += 5) {
        flip(path, at);
        read_one(*state, &p); /* made again */
    }
    for (off_t size = 0; size < st.st_size; size += 20) {
        assert_int_equal(truncate(path, size), 0);
        read_one(*state, &p);
    }
}

static void test_fails(void **state)
{
    struct pdf p;
    struct err err = {0};
    struct pdf_cache *c = pdf_cache_open(folder);
    assert_false(pdf_cache_read(c, *state, FAKE_PDF("damaged"), &call, &p, &err));
    pdf_cache_close(c);
    assert_true(pdf_cache_read(NULL, *state, FAKE_PDF("plain"), &call, &p, &err));
    CHECK("nothing is kept", one_file(*state).n == 0);
}

/* The oldest of too many files are removed. */
static void test_pruned(void **state)
{
    struct pdf p;
    char path[128];
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int i = 0; i < 4; i++) {
        struct timespec times[2] = {{1000 + i, 0}, {1000 + i, 0}};
        snprintf(path, sizeof(path), "%s/%d", folder, i);
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0 && ftruncate(fd, PDF_CACHE_BYTES / 3) == 0 &&
                    futimens(fd, times) == 0);
        close(fd);
    }
    struct err err;
    struct pdf_cache *c = pdf_cache_open(folder);
    assert_true(pdf_cache_read(c, *state, FAKE_PDF("plain"), &call, &p, &err));
    pdf_cache_close(c);
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof(path), "%s/%d", folder, i);
        CHECK_INT(path, access(path, F_OK) == 0, i >= 2);
        unlink(path);
    }
    CHECK("the new one", one_file(*state).n > 0);
}

static int teardown(void **state)
{
    str path = one_file(*state);
    if (path.n > 0)
        unlink(path.p);
    rmdir(folder);
    return teardown_arena(state);
}

TEST_MAIN(argc, argv)
{
    fake_poppler_install();
    snprintf(folder, sizeof(folder), "%s/cache", fake_folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kept, setup_arena, teardown),
        cmocka_unit_test_setup_teardown(test_damaged, setup_arena, teardown),
        cmocka_unit_test_setup_teardown(test_fails, setup_arena, teardown),
        cmocka_unit_test_setup_teardown(test_pruned, setup_arena, teardown),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fake_poppler_remove();
    return failed;
}
