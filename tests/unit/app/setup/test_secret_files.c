/* Which files with secrets other users of the machine can read. */
#include "app/setup/secret_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/os/file.h"
#include "check.h"

static str make_file(struct arena *a, unsigned mode)
{
    char name[] = "/tmp/vaultd-secret-XXXXXX";
    AUTO_CLOSE int fd = mkstemp(name);
    assert_true(fd >= 0 && file_set_mode(fd, mode));
    return arena_str(a, str_c(name));
}

static void test_judge(void **state)
{
    static const struct {
        unsigned mode;
        bool exposed;
    } cases[] = {{0600, false}, {0400, false}, {0640, false}, {0660, false},
                 {0644, true},  {0444, true},  {0602, true},  {0604, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str path = make_file(*state, cases[i].mode);
        AUTO_CLOSE int fd = file_open(FILE_CWD, path.p, FILE_FOLLOW);
        CHECK(path.p, secret_files_judge(fd) == cases[i].exposed);
        unlink(path.p);
    }
    AUTO_CLOSE int none = file_open_null();
    CHECK("not a file", !secret_files_judge(none));
    CHECK("not open", !secret_files_judge(-1));
}

static void test_settings(void **state)
{
    str open = make_file(*state, 0644), closed = make_file(*state, 0600);
    struct settings s = {.auth_users_file = closed,
                         .oauth_clients_file = STR("/no/such/file"),
                         .state_db_file = open,
                         .sync = {.git_token_file = open}};
    struct secret_file found[SECRET_FILES_MAX];
    CHECK_INT("two", secret_files_exposed(*state, &s, found), 2);
    CHECK_STR("the first", str_c(found[0].setting), "state-db-file");
    CHECK_STR("the second", str_c(found[1].setting), "git-token-file");
    CHECK("checked elsewhere", !found[0].is_checked && found[1].is_checked);
    CHECK_STR("how to fix it", found[0].fix,
              arena_printf(*state, "chmod 600 '" STR_FMT "'", STR_ARG(open)).p);
    unlink(open.p);
    unlink(closed.p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_judge),
        ARENA_TEST(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
