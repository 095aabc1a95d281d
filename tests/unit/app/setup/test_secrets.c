#include "app/setup/secrets.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/fs.h"
#include "check.h"

static str write_file(struct arena *a, str text)
{
    char name[] = "/tmp/vaultd-secrets-XXXXXX";
    int fd = mkstemp(name);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.p, text.n), text.n);
    close(fd);
    return arena_str(a, str_c(name));
}

static void test_SEC_74_take(void **state)
{
    assert_int_equal(setenv("SECRET", "hush hush", 1), 0);
    const char *place = getenv("SECRET");
    CHECK_STR("value", secrets_take(*state, "SECRET"), "hush hush");
    CHECK("gone", getenv("SECRET") == NULL);
    CHECK("wiped", place[0] == '\0' && place[4] == '\0');
    CHECK_STR("again", secrets_take(*state, "SECRET"), "");
}

static void test_read(void **state)
{
    static const struct {
        const char *name, *variable, *file; /* NULL: not given */
        const char *secret, *msg;           /* one of them */
    } cases[] = {
        {"nothing", NULL, NULL, "", NULL},
        {"a variable", "hush", NULL, "hush", NULL},
        {"an empty variable", "", NULL, "", NULL},
        {"a file", NULL, "hush", "hush", NULL},
        {"a file with a line end", NULL, "hu sh\r\n", "hu sh", NULL},
        {"an empty variable and a file", "", "hush", "hush", NULL},
        {"both", "one", "two", NULL, "give SECRET or SECRET_FILE, not both"},
        {"an empty file", NULL, "\n", NULL, "SECRET_FILE is empty"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str file = STR(""), got;
        unsetenv("SECRET");
        if (cases[i].variable != NULL)
            setenv("SECRET", cases[i].variable, 1);
        if (cases[i].file != NULL)
            file = write_file(*state, str_c(cases[i].file));
        bool ok = secrets_read(*state, "SECRET", file, &got, &err);
        CHECK(cases[i].name, ok == (cases[i].secret != NULL));
        CHECK_STR(cases[i].name, ok ? got : str_c(err.msg),
                  ok ? cases[i].secret : cases[i].msg);
        if (file.n > 0)
            unlink(file.p);
    }
}

static void test_files(void **state)
{
    struct err err;
    str text;
    CHECK("missing", !fs_read_file(*state, STR("/nonexistent/file"), 9, &text, &err));
    CHECK_STR("says so", str_c(err.msg), "it cannot be opened");
    CHECK("a folder", !fs_read_file(*state, STR("/tmp"), 9, &text, &err));
    str file = write_file(*state, STR("0123456789"));
    CHECK("too large", !fs_read_file(*state, file, 9, &text, &err));
    CHECK_INT("its code", err.code, ERR_LIMIT);
    CHECK("just fits", fs_read_file(*state, file, 10, &text, &err));
    CHECK_STR("whole", text, "0123456789");
    unlink(file.p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_SEC_74_take),
        ARENA_TEST(test_read),
        ARENA_TEST(test_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
