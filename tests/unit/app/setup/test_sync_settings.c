#include "app/setup/sync_settings.h"
#include "check.h"

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

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_command_words),
        cmocka_unit_test(test_no_command),
        cmocka_unit_test(test_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
