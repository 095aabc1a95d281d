#include "app/setup/settings.h"
#include "app/setup/sync_settings.h"
#include "settings_of_argv.h"
#include "vault_place.h"

static void test_command_words(void **state)
{
    static const struct {
        const char *line, *words[5];
    } cases[] = {
        {"rclone sync", {"rclone", "sync"}},
        {"  a\tb \n c  ", {"a", "b", "c"}},
        {"'my drive:' \"a b\"", {"my drive:", "a b"}},
        {"a'b c'd\"e f\"", {"ab cde f"}},
        {"\"say \\\"hi\\\" \\\\\"", {"say \"hi\" \\"}},
        {"'no \\ escape'", {"no \\ escape"}},
        {"a\\ b \\'c", {"a b", "'c"}},
        {"'' \"\"", {"", ""}},
        {"$HOME *.md | x", {"$HOME", "*.md", "|", "x"}},
        {"trailing\\", {"trailing\\"}},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str *words;
        size_t n, want = 0;
        if (!sync_settings_split(&a, str_c(cases[i].line), &words, &n, &err))
            fail_msg("%s: %s", cases[i].line, err.msg);
        while (want < COUNT_OF(cases[i].words) && cases[i].words[want] != NULL)
            want++;
        if (n != want)
            fail_msg("%s: %zu words, not %zu", cases[i].line, n, want);
        for (size_t k = 0; k < n; k++)
            CHECK_STR(cases[i].line, words[k], cases[i].words[k]);
    }
    arena_release(&a);
}

static void test_no_command(void **state)
{
    static const char *const lines[] = {"", "  ", "a 'b", "a \"b", "\"a\\\""};
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        struct err err = {0};
        str *words;
        size_t n;
        assert_false(sync_settings_split(&a, str_c(lines[i]), &words, &n, &err));
        assert_int_equal(err.code, ERR_INVALID);
    }
    struct sbuf many = SBUF_ON(&a);
    struct err err = {0};
    str *words;
    size_t n;
    for (int i = 0; i <= SYNC_COMMAND_WORDS_MAX; i++)
        sbuf_add(&many, STR("x "));
    assert_false(sync_settings_split(&a, sbuf_str(&many), &words, &n, &err));
    arena_release(&a);
}

static void test_kinds(void **state)
{
    static const struct {
        const char *name;
        struct settings_sync settings;
        int want; /* enum sync_kind, or -1 */
    } cases[] = {
        {"nothing", {0}, SYNC_NONE},
        {"a remote", {.git_remote = STR("r")}, SYNC_GIT},
        {"a command", {.command = STR("c")}, SYNC_COMMAND},
        {"both", {.git_remote = STR("r"), .command = STR("c")}, -1},
        {"both, one chosen",
         {.kind = SETTINGS_SYNC_COMMAND, .git_remote = STR("r"), .command = STR("c")},
         SYNC_COMMAND},
        {"git without a remote", {.kind = SETTINGS_SYNC_GIT}, SYNC_GIT},
        {"off", {.kind = SETTINGS_SYNC_NONE, .git_remote = STR("r")}, SYNC_NONE},
        {"no command", {.kind = SETTINGS_SYNC_COMMAND}, -1},
        {"a webhook for nothing", {.webhook_secret_file = STR("f")}, -1},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        enum sync_kind kind = SYNC_NONE;
        bool ok = sync_settings_kind(&cases[i].settings, &kind, &err);
        if ((ok ? (int)kind : -1) != cases[i].want)
            fail_msg("%s: %d, %s", cases[i].name, kind, err.msg);
    }
}

/* --- from the command line --- */

enum { WORDS_MAX = 8 };

static bool read_flags(struct arena *a, const char *flags, struct settings *out,
                       struct err *err)
{
    struct option_list rest;
    char *words[WORDS_MAX + 1] = {(char *)arena_str(a, STR("vaultd")).p};
    int n = 1;
    str line = str_c(flags), word;
    while (n < WORDS_MAX && str_next(&line, ' ', &word))
        words[n++] = (char *)arena_str(a, word).p;
    return settings_of_argv(a, n, words, out, &rest, err);
}

/* What options of the command line mean for git. */
static void test_git(void **state)
{
    static const struct {
        const char *flags;
        struct sync_git want;
    } rows[] = {
        {"--git-remote r", {.remote = STR("r"), .branch = STR("main")}},
        {"--git-remote r --git-depth 3", {.remote = STR("r"), .depth = 3}},
        {"--git-remote r --git-subfolder docs/notes",
         {.remote = STR("r"), .subfolder = STR("docs/notes")}},
        {"--git-remote r --git-add all", {.remote = STR("r"), .add_all = true}},
        {"--git-remote r --git-add touched", {.remote = STR("r")}},
        {"--git-remote https://me@host.example/r.git",
         {.remote = STR("https://me@host.example/r.git"),
          .token_host = STR("host.example")}},
        {"--git-remote git@host.example:r.git",
         {.remote = STR("git@host.example:r.git")}},
        {"--git-remote https://host.example/r --git-token-host other.example",
         {.remote = STR("https://host.example/r"), .token_host = STR("other.example")}},
    };
    struct place *p = *state;
    setenv("HOME", p->top, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *row = rows[i].flags;
        const struct sync_git *want = &rows[i].want;
        struct settings s = {0};
        struct sync_config got = {0};
        OK(read_flags(&p->arena, row, &s, &err));
        OK(sync_settings_read(&s.sync, &p->arena, p->folder, p->state, &got, &err));
        CHECK_INT(row, got.kind, SYNC_GIT);
        CHECK(row, str_eq(got.git.remote, want->remote));
        CHECK(row, str_eq(got.git.subfolder, want->subfolder));
        CHECK(row, str_eq(got.git.token_host, want->token_host));
        CHECK_INT(row, got.git.depth, want->depth);
        CHECK_INT(row, got.git.add_all, want->add_all);
    }
}

static void test_git_refused(void **state)
{
    static const struct {
        const char *flags, *why;
    } rows[] = {
        {"--git-depth -1", "--git-depth: '-1' is not a whole number from 0"},
        {"--git-depth x", "--git-depth: 'x' is not a whole number"},
        {"--git-add some", "--git-add: 'some' is not one of touched, all"},
        {"--refresh-idle 0", "--refresh-idle: '0' is not a whole number from"},
        {"--refresh-ttl x", "--refresh-ttl: 'x' is not a whole number from"},
    };
    struct place *p = *state;
    setenv("HOME", p->top, 1);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct settings s;
        FAILS(read_flags(&p->arena, rows[i].flags, &s, &err), ERR_INVALID, rows[i].why);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_words), cmocka_unit_test(test_no_command),
        cmocka_unit_test(test_kinds),         PLACE_TEST(test_git),
        PLACE_TEST(test_git_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
