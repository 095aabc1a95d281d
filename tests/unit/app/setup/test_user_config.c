#include "app/setup/user_config.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/setup/vault_config.h"
#include "check.h"

static void test_parse(void **state)
{
    static const struct {
        const char *text, *want; /* "PATH|first name|DIR", or what is wrong */
    } cases[] = {
        {"", "||"},
        {"# a comment\n\n", "||"},
        {"vault-path = /home/ada/My notes\r\n", "/home/ada/My notes||"},
        {"  vault-path=~/Notes", "~/Notes||"},
        {"vaults = work=/srv/Work, home=~/Notes\n", "|work=/srv/Work|"},
        {"# hosted\nvaults-dir = /srv/vaults\n", "||/srv/vaults"},
        {"vault-path = Notes", "line 1: 'Notes' does not begin with / or ~/"},
        {"vaults = a=/x,b=y", "line 1: 'y' does not begin with / or ~/"},
        {"\nvault_path = /x",
         "line 2: 'vault_path' is not vault-path, vaults or vaults-dir; did you mean "
         "'vault-path'?"},
        {"read-only = on", "line 1: 'read-only' is not vault-path, vaults or vaults-dir"},
        {"vault-path", "line 1: vault-path needs a value"},
        {"vault-path = /x\nvaults-dir = /y",
         "give one of vault-path, vaults and vaults-dir"},
    };
    setenv("HOME", "/home/ada", 1);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct user_config c;
        struct err err = {0};
        bool ok = user_config_parse(*state, str_c(cases[i].text), &c, &err);
        str got = arena_printf(*state, STR_FMT "|" STR_FMT "|" STR_FMT, STR_ARG(c.path),
                               STR_ARG(c.named.n > 0 ? c.named.items[0] : STR("")),
                               STR_ARG(c.dir));
        CHECK("code", ok || err.code == ERR_INVALID);
        CHECK_STR(cases[i].text,
                  ok ? got : str_slice(str_c(err.msg), 0, strlen(cases[i].want)),
                  cases[i].want);
    }
}

static void test_with(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", "# The default vault of vaultd's commands, unless a flag, a variable or the "
             "current\n# folder names another one.\nvault-path = /n\n"},
        {"vault-path = /old\n", "vault-path = /n\n"},
        {"# mine\n\nvaults = a=/x\n# end", "# mine\n\n# end\nvault-path = /n\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text,
                  user_config_with(*state, str_c(cases[i].text), STR("/n")),
                  cases[i].want);
}

/* What comes before it: everything else. */
static void test_rank(void **state)
{
    static const struct option_list no_words = {0};
    char top[] = "/tmp/vaultd-own-XXXXXX";
    assert_non_null(mkdtemp(top));
    str folder = arena_printf(*state, "%s/vaultd", top);
    str file = arena_printf(*state, "%s/vaultd/config", top);
    str word = STR("/w");
    setenv("XDG_CONFIG_HOME", top, 1);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(mkdir(folder.p, 0700), 0);
    FILE *f = fopen(file.p, "w");
    assert_non_null(f);
    fputs("vault-path = /srv/Mine\n", f);
    fclose(f);
    struct {
        const char *name;
        struct vault_config c;
        struct option_list words;
        const char *path, *origin;
    } cases[] = {
        {"nothing else", {0}, no_words, "/srv/Mine", file.p},
        {"a profile", {.no_default = true}, no_words, "", ""},
        {"a variable",
         {.path = STR("/e"), .from = OPTION_BY_ENVIRONMENT},
         no_words,
         "/e",
         "the environment"},
        {"a flag",
         {.path = STR("/f"), .from = OPTION_BY_FLAG},
         no_words,
         "/f",
         "the command line"},
        {"hosted vaults",
         {.dir = STR("/h"), .from = OPTION_BY_ENVIRONMENT},
         no_words,
         "",
         "the environment"},
        {"a word", {0}, {&word, 1}, "/w", "the command line"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        struct vault_config c = cases[i].c;
        CHECK(cases[i].name, vault_config_settle(*state, &c, &cases[i].words, &err));
        CHECK_STR(cases[i].name, c.path, cases[i].path);
        CHECK_STR(cases[i].name, c.origin, cases[i].origin);
    }
    assert_int_equal(chdir(top), 0);
    assert_int_equal(mkdir(".obsidian", 0700), 0);
    struct err err = {0};
    struct vault_config c = {0};
    CHECK("the current folder", vault_config_settle(*state, &c, &no_words, &err));
    CHECK_STR("the current folder", c.origin, "the current folder");
    rmdir(".obsidian");

    f = fopen(file.p, "w");
    assert_non_null(f);
    fputs("vault = /x\n", f);
    fclose(f);
    assert_int_equal(chdir("/"), 0);
    c = (struct vault_config){0};
    CHECK("wrong", !vault_config_settle(*state, &c, &no_words, &err));
    CHECK_STR("where", str_c(err.detail), file.p);
    c = (struct vault_config){.path = STR("/e"), .from = OPTION_BY_ENVIRONMENT};
    CHECK("not read", vault_config_settle(*state, &c, &no_words, &err));
    unlink(file.p);
    rmdir(folder.p);
    rmdir(top);
    unsetenv("XDG_CONFIG_HOME");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_parse),
        ARENA_TEST(test_with),
        ARENA_TEST(test_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
