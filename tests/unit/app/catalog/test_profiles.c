#include "app/setup/profiles.h"

#include "app/catalog/tools.h"
#include "app/setup/settings.h"
#include "check.h"
#include "settings_of_argv.h"

enum { ARGS_MAX = 8 };

static bool read_with(struct arena *a, const char *const *args, struct settings *s,
                      struct err *err)
{
    struct option_list words;
    char *argv[ARGS_MAX + 2] = {(char *)arena_str(a, STR("vaultd")).p};
    int argc = 1;
    for (; argc <= ARGS_MAX && args[argc - 1] != NULL; argc++)
        argv[argc] = (char *)arena_str(a, str_c(args[argc - 1])).p;
    *err = (struct err){0};
    return settings_of_argv(a, argc, argv, s, &words, err);
}

static const struct option *find(const struct option *table, const char *flag)
{
    while (table->flag != NULL && strcmp(table->flag, flag) != 0)
        table++;
    return table->flag != NULL ? table : NULL;
}

/* Every default and requirement of a row is a setting, and every tool set exists. */
static void test_rows(void **state)
{
    for (size_t i = 0; profiles[i].name != NULL; i++) {
        const struct profile *p = &profiles[i];
        struct err err;
        CHECK_STR("names", str_c(profile_names[i]), p->name);
        for (size_t k = 0; k < PROFILE_DEFAULTS && p->defaults[k].flag != NULL; k++)
            CHECK(p->defaults[k].flag, find(settings_table, p->defaults[k].flag) != NULL);
        str set = STR("default");
        if (i > 0)
            set = str_c(find(profile_table(*state, p, settings_table), "tools")->dflt);
        struct option_list names = {&set, 1};
        const struct mcp_tool *const *tools;
        if (!tools_choose(*state, &names, &tools, &err))
            fail_msg("%s: %s", p->name, err.msg);
    }
}

static void test_defaults_can_be_given(void **state)
{
    static const char *const plain[] = {"--profile", "obsidian-vault-mcp", NULL};
    static const char *const given[] = {"--profile=obsidian-vault-mcp", "--sse=auto",
                                        "--port=8080", NULL};
    struct settings s;
    struct err err;
    assert_true(read_with(*state, plain, &s, &err));
    CHECK_STR("address", s.listen_addr, ":1065"); /* S0-04, S0-08 */
    CHECK_INT("auth", s.auth, AUTH_NONE);         /* S0-36 */
    CHECK_INT("sse", s.sse, SSE_ALWAYS);
    assert_true(read_with(*state, given, &s, &err));
    CHECK_STR("the port alone", s.listen_addr, ":8080");
    CHECK_INT("sse", s.sse, SSE_AUTO);
}

/* S4-04, S4-05, S4-26, S4-47: what a container need not configure. */
static void test_container(void **state)
{
    static const char *const args[] = {"--profile=vault-git", "--github-client-id=x",
                                       NULL};
    struct settings s;
    struct err err;
    assert_true(read_with(*state, args, &s, &err));
    CHECK_STR("vault", s.vault_path, "/vault");
    CHECK_STR("address", s.listen_addr, ":8090");
    CHECK_STR("commits", str_c(settings_git_adds[s.sync.git_add]), "all");
    CHECK_STR("sync", str_c(settings_sync_kinds[s.sync.kind]), "git");
    CHECK_INT("sign-in", s.auth, AUTH_REQUIRED);
    CHECK_INT("no confirmation", s.confirm, CONFIRM_NEVER);
    assert_true(s.claude_md);
}

/* S1-08: without a URL or a user who could sign in there is nothing to serve. */
static void test_needs(void **state)
{
    static const struct {
        const char *args[ARGS_MAX];
        const char *error; /* NULL: fine */
    } cases[] = {
        {{"--profile=vault-sync"}, "needs --server-url"},
        {{"--profile=vault-sync", "--server-url=https://x"}, "needs --auth-users"},
        {{"--profile=vault-sync", "--server-url=https://x", "--auth-users-file=/u"},
         NULL},
        {{"--profile=vault-sync", "--auth=none"}, NULL},
        {{"--profile=vault-git"}, "needs --auth-users"},
        {{"--profile=vault-git", "--github-client-id=x"}, NULL},
        {{"--profile=claude-desktop"}, NULL},
        {{"--profile=claude"}, "is not one of default, "},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct settings s;
        struct err err;
        str unmet = read_with(*state, cases[i].args, &s, &err) ? s.unmet : str_c(err.msg);
        CHECK_INT(cases[i].args[0], unmet.n == 0, cases[i].error == NULL);
        if (unmet.n > 0)
            CHECK(unmet.p, str_find(unmet, str_c(cases[i].error)) != STR_NONE);
    }
}

/* S1-98: a link to vaultd under the name that the unit starts. */
static void test_programs(void **state)
{
    (void)state;
    CHECK_INT("ours", profile_of_program(STR("/usr/bin/vaultd")), 0);
    CHECK_STR(
        "theirs",
        str_c(profiles[profile_of_program(STR("/usr/local/bin/vault-sync-mcp"))].name),
        "vault-sync");
}

TEST_MAIN(argc, argv)
{
    static const struct CMUnitTest tests[] = {
        ARENA_TEST(test_rows),           ARENA_TEST(test_defaults_can_be_given),
        ARENA_TEST(test_container),      ARENA_TEST(test_needs),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
