#include "app/setup/vault_config.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/os/file.h"
#include "base/os/machine.h"
#include "base/path.h"
#include "check.h"

enum { GIVEN_MAX = 4 };

static struct option_list list_of(struct arena *a, const char *const given[GIVEN_MAX])
{
    struct option_list list = {ARENA_ARRAY(a, str, GIVEN_MAX), 0};
    for (; list.n < GIVEN_MAX && given[list.n] != NULL; list.n++)
        list.items[list.n] = str_c(given[list.n]);
    return list;
}

static struct vault_config named(struct arena *a, const char *const given[GIVEN_MAX])
{
    return (struct vault_config){.named = list_of(a, given)};
}

static void test_read(void **state)
{
    static const char *const given[GIVEN_MAX] = {"work=/srv/Work", "My-notes_2=a=b",
                                                 "home=~/Notes"};
    struct vault_config config = named(*state, given);
    struct configured_vaults all;
    struct configured_vault found;
    struct err err = {0};
    setenv("HOME", "/home/ada", 1);
    if (!vault_config_read(*state, &config, &all, &err))
        fail_msg("%s", err.msg);
    CHECK_INT("all", all.n, 3);
    CHECK_STR("name", all.items[0].name, "work");
    CHECK_STR("folder", all.items[0].folder, "/srv/Work");
    CHECK_STR("the first '=' ends the name", all.items[1].folder, "a=b");
    CHECK_STR("home", all.items[2].folder, "/home/ada/Notes");
    CHECK("found", vault_config_find(*state, &config, STR("WORK"), &found, &err));
    CHECK_STR("found", found.folder, "/srv/Work");
    CHECK("not found", !vault_config_find(*state, &config, STR("attic"), &found, &err));
    CHECK_STR("why", str_c(err.msg),
              "there is no vault named 'attic'; VAULTS names: work, My-notes_2, home");
}

static void test_refused(void **state)
{
    static const struct {
        const char *given[GIVEN_MAX], *why;
    } cases[] = {
        {{"/srv/Work"}, "vault '/srv/Work' is not NAME=FOLDER"},
        {{"work="}, "vault 'work=' is not NAME=FOLDER"},
        {{"=x"}, "vault name '' must be"},
        {{"my notes=x"}, "vault name 'my notes' must be"},
        {{"a.b=x"}, "vault name 'a.b' must be"},
        {{"caf\u00e9=x"}, "vault name 'caf\u00e9' must be"},
        {{"abcdefghijklmnopqrstuvwxyz0123456=x"}, "vault name 'abc"},
        {{"a=x", "b=y", "A=z"}, "there are two vaults named 'A'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct vault_config config = named(*state, cases[i].given);
        struct configured_vaults all;
        struct err err = {0};
        CHECK(cases[i].why, !vault_config_read(*state, &config, &all, &err));
        CHECK(cases[i].why, err.code == ERR_INVALID);
        CHECK_STR(cases[i].why, str_slice(str_c(err.msg), 0, strlen(cases[i].why)),
                  cases[i].why);
    }
}

static void test_too_many(void **state)
{
    struct option_list list = {ARENA_ARRAY(*state, str, CONFIGURED_VAULTS_MAX + 1),
                               CONFIGURED_VAULTS_MAX + 1};
    struct configured_vaults all;
    struct err err = {0};
    for (size_t i = 0; i < list.n; i++)
        list.items[i] = arena_printf(*state, "v%zu=/x", i);
    CHECK("too many",
          !vault_config_read(*state, &(struct vault_config){.named = list}, &all, &err));
    list.n = CONFIGURED_VAULTS_MAX;
    CHECK("just enough",
          vault_config_read(*state, &(struct vault_config){.named = list}, &all, &err));
}

/* A word has the rank of a flag, and the current folder comes last. */
static void test_ranks(void **state)
{
    static const struct {
        const char *name, *path, *named, *dir;
        enum option_source from;
        const char *words[3], *want; /* "PATH|first of the names|DIR", or what is wrong */
    } cases[] = {
        {"a word replaces the environment's folder",
         "/e",
         NULL,
         "",
         OPTION_BY_ENVIRONMENT,
         {"/w"},
         "/w||"},
        {"... its names", "", "a=/e", "", OPTION_BY_ENVIRONMENT, {"/w"}, "/w||"},
        {"... its hosted vaults", "", NULL, "/h", OPTION_BY_ENVIRONMENT, {"/w"}, "/w||"},
        {"... a profile's", "/vault", NULL, "", OPTION_BY_DEFAULT, {"/w"}, "/w||"},
        {"two words",
         "",
         NULL,
         "",
         OPTION_BY_DEFAULT,
         {"/w", "/x"},
         "'/x' is a second vault"},
        {"a word and a flag",
         "/f",
         NULL,
         "",
         OPTION_BY_FLAG,
         {"/w"},
         "'/w' is a second vault"},
        {"a word and names", "", "a=/f", "", OPTION_BY_FLAG, {"/w"}, "give one folder"},
        {"a word and hosted ones", "", NULL, "/f", OPTION_BY_FLAG, {"/w"}, "give vaults"},
        {"one rank, two answers",
         "/e",
         "a=/e",
         "",
         OPTION_BY_ENVIRONMENT,
         {0},
         "give one folder"},
        {"hosted and named", "", "a=/e", "/h", OPTION_BY_ENVIRONMENT, {0}, "give vaults"},
        {"no current vault, if there is one",
         "",
         NULL,
         "/h",
         OPTION_BY_ENVIRONMENT,
         {0},
         "||/h"},
        {"the current folder is the last resort",
         "",
         NULL,
         "",
         OPTION_BY_DEFAULT,
         {0},
         "here||"},
    };
    char top[] = "/tmp/vaultd-config-XXXXXX";
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    assert_int_equal(mkdir(".obsidian", 0700), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *given[GIVEN_MAX] = {cases[i].named};
        struct vault_config c = named(*state, given);
        struct option_list words = {ARENA_ARRAY(*state, str, 2), 0};
        struct err err = {0};
        c.path = str_c(cases[i].path);
        c.dir = str_c(cases[i].dir);
        c.from = cases[i].from;
        for (; cases[i].words[words.n] != NULL; words.n++)
            words.items[words.n] = str_c(cases[i].words[words.n]);
        bool ok = vault_config_settle(*state, &c, &words, &err);
        if (str_eq(c.path, str_c(top)))
            c.path = STR("here");
        str got = arena_printf(*state, STR_FMT "|" STR_FMT "|" STR_FMT, STR_ARG(c.path),
                               STR_ARG(c.named.n > 0 ? c.named.items[0] : STR("")),
                               STR_ARG(c.dir));
        got = ok ? got : str_slice(str_c(err.msg), 0, strlen(cases[i].want));
        CHECK_STR(cases[i].name, got, cases[i].want);
    }
    rmdir(".obsidian");
    assert_int_equal(chdir("/"), 0);
    rmdir(top);
}

static void test_apart(void **state)
{
    static const struct {
        const char *one, *other, *why; /* NULL: they are apart */
    } cases[] = {
        {"a", "b", NULL},
        {"a", "ab", NULL},
        {"a", "missing", NULL},
        {"a", "a/", "vaults 'one' and 'two' are the same folder"},
        {"a", "link", "vaults 'one' and 'two' are the same folder"},
        {"a", "b/../a/in", "vaults 'two' and 'one' overlap: one folder is in the other"},
        {"link/in", "a", "vaults 'one' and 'two' overlap: one folder is in the other"},
    };
    char top[] = "/tmp/vaultd-served-XXXXXX";
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    static const char *const folders[] = {"a", "a/in", "b", "ab"};
    for (size_t i = 0; i < COUNT_OF(folders); i++)
        assert_int_equal(mkdir(folders[i], 0700), 0);
    assert_int_equal(symlink("a", "link"), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct configured_vault items[] = {{STR("one"), str_c(cases[i].one)},
                                           {STR("two"), str_c(cases[i].other)}};
        struct configured_vaults list = {items, 2};
        struct err err = {0};
        CHECK(cases[i].other,
              vault_config_check_apart(*state, &list, &err) == (cases[i].why == NULL));
        if (cases[i].why != NULL)
            CHECK_STR(cases[i].other, str_c(err.msg), cases[i].why);
    }
    str real = vault_config_real(*state, STR("link"));
    CHECK("a symlink", str_ends(real, STR("/a")) && real.p[0] == '/');
    CHECK_STR("missing", vault_config_real(*state, STR("missing")), "missing");
    unlink("link");
    for (size_t i = COUNT_OF(folders); i-- > 0;)
        rmdir(folders[i]);
    assert_int_equal(chdir("/"), 0);
    rmdir(top);
}

/* As a shell would take it, if there is no folder of that very name. */
static void test_pasted(void **state)
{
    static const struct {
        const char *before, *name, *after, *want;
    } cases[] = {
        {"", "My Vault", "", "My Vault"},   {"", "My\\ Vault", "", "My Vault"},
        {"'", "My Vault", "'", "My Vault"}, {"\"", "My Vault", "\"", "My Vault"},
        {"", "No\\ Vault", "", NULL},
    };
    char top[] = "/tmp/vaultd-pasted-XXXXXX";
    assert_non_null(mkdtemp(top));
    assert_int_equal(chdir(top), 0);
    assert_int_equal(mkdir("My Vault", 0700), 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str path = arena_printf(*state, "%s%s/%s%s", cases[i].before, top, cases[i].name,
                                cases[i].after);
        struct vault_config c = {.path = path};
        struct configured_vaults got;
        struct err err;
        CHECK(path.p, vault_config_read(*state, &c, &got, &err));
        str name = path_name(got.items[0].folder);
        if (cases[i].want != NULL)
            CHECK_STR(path.p, name, cases[i].want);
        else
            CHECK(path.p, !file_exists(got.items[0].folder.p));
    }
    if (machine_system() != MACHINE_WINDOWS) {
        struct vault_config c = {.path =
                                     arena_printf(*state, "%s/%s", top, "My\\ Vault")};
        struct configured_vaults got;
        struct err err;
        assert_int_equal(mkdir("My\\ Vault", 0700), 0);
        assert_true(vault_config_read(*state, &c, &got, &err));
        CHECK_STR("a folder so called", got.items[0].folder, c.path.p);
        rmdir("My\\ Vault");
    }
    rmdir("My Vault");
    assert_int_equal(chdir("/"), 0);
    rmdir(top);
}

static void test_is_in(void **state)
{
    CHECK("itself", vault_config_is_in(STR("/a"), STR("/a")));
    CHECK("below", vault_config_is_in(STR("/a/b"), STR("/a")));
    CHECK("above", !vault_config_is_in(STR("/a"), STR("/a/b")));
    CHECK("beside", !vault_config_is_in(STR("/ab"), STR("/a")));
    CHECK("everything is in /", vault_config_is_in(STR("/a"), STR("/")));
    CHECK("nowhere", !vault_config_is_in(STR(""), STR("/")) &&
                         !vault_config_is_in(STR("/a"), STR("")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_read),  ARENA_TEST(test_refused), ARENA_TEST(test_too_many),
        ARENA_TEST(test_ranks), ARENA_TEST(test_apart),   ARENA_TEST(test_pasted),
        ARENA_TEST(test_is_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
