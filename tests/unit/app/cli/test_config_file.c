#include "app/cli/config_file.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"

struct place {
    struct arena arena;
    char dir[64], file[96];
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    snprintf(p->dir, sizeof(p->dir), "/tmp/vaultd-config-XXXXXX");
    assert_non_null(mkdtemp(p->dir));
    snprintf(p->file, sizeof(p->file), "%s/.c.json", p->dir);
    *state = p;
    return 0;
}

/* Calls on_file, if given, for each file in the folder, and returns their number. */
static int each_file(struct place *p, void (*on_file)(struct place *p, str path))
{
    int n = 0;
    DIR *dir = opendir(p->dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        if (str_eq(str_c(e->d_name), STR(".")) || str_eq(str_c(e->d_name), STR("..")))
            continue;
        n++;
        if (on_file != NULL)
            on_file(p, arena_printf(&p->arena, "%s/%s", p->dir, e->d_name));
    }
    closedir(dir);
    return n;
}

static void remove_file(struct place *p, str path)
{
    unlink(path.p);
}

static int teardown(void **state)
{
    struct place *p = *state;
    each_file(p, remove_file);
    rmdir(p->dir);
    arena_release(&p->arena);
    free(p);
    return 0;
}

static void save(const char *path, const char *text, mode_t mode)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    chmod(path, mode);
}

static str load(struct place *p, str path)
{
    str text;
    struct err err;
    assert_true(fs_read_file(&p->arena, path, 1000, &text, &err));
    return text;
}

static void test_replaced_with_a_copy(void **state)
{
    struct place *p = *state;
    struct config_file f;
    struct err err = {0};
    struct stat st;
    str first, second;
    save(p->file, "old", 0600);
    assert_true(config_file_read(&p->arena, str_c(p->file), &f, &err));
    CHECK_STR("text", f.text, "old");
    assert_true(config_file_write(&p->arena, &f, STR("new"), 0, &first, &err));
    CHECK_STR("new", load(p, str_c(p->file)), "new");
    CHECK_STR("copy", load(p, first), "old");
    assert_int_equal(stat(first.p, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_int_equal(stat(p->file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(config_file_read(&p->arena, str_c(p->file), &f, &err));
    assert_true(config_file_write(&p->arena, &f, STR("newer"), 0, &second, &err));
    CHECK_STR("a copy for each, even in one second", load(p, second), "new");
    CHECK_INT("files", each_file(p, NULL), 3);
}

static void test_changed_in_the_meantime(void **state)
{
    struct place *p = *state;
    struct config_file f;
    struct err err = {0};
    str backup;
    save(p->file, "old", 0644);
    assert_true(config_file_read(&p->arena, str_c(p->file), &f, &err));
    save(p->file, "theirs", 0644);
    assert_false(config_file_write(&p->arena, &f, STR("new"), 0, &backup, &err));
    CHECK_INT("code", err.code, ERR_CONFLICT);
    CHECK_STR("theirs", load(p, str_c(p->file)), "theirs");
    CHECK_INT("no temporary file is left", each_file(p, NULL), 1);
}

static void test_new_file(void **state)
{
    struct place *p = *state;
    struct config_file f;
    struct err err = {0};
    struct stat st;
    str backup;
    assert_true(config_file_read(&p->arena, str_c(p->file), &f, &err));
    assert_false(f.seen.exists);
    assert_true(config_file_write(&p->arena, &f, STR("new"), 0600, &backup, &err));
    assert_int_equal(backup.n, 0);
    assert_int_equal(stat(p->file, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_false(config_file_write(&p->arena, &f, STR("newer"), 0600, &backup, &err));
    CHECK_INT("it was created in the meantime", err.code, ERR_EXISTS);
    CHECK_STR("as it was", load(p, str_c(p->file)), "new");
    CHECK_INT("no temporary file is left", each_file(p, NULL), 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_replaced_with_a_copy, setup, teardown),
        cmocka_unit_test_setup_teardown(test_changed_in_the_meantime, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_file, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
