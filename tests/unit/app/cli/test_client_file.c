/* Where clients keep their files, on each system. */
#include "app/cli/client_file.h"
#include "whole.h"

#define DESKTOP "claude_desktop_config.json"
#define PACKAGE(name) "AppData/Local/Packages/" name "/LocalCache/Roaming/Claude/" DESKTOP

static const struct client *client_named(const char *name)
{
    struct err err;
    return client_find(str_c(name), &err);
}

/* The path below the home folder, which is that of the place. */
static const char *file_of(struct place *p, enum machine_system system, const char *name)
{
    str path = client_file_on(system, &p->arena, client_named(name));
    str home = machine_home(&p->arena);
    assert_true(str_starts(path, home));
    return arena_str(&p->arena, str_skip(path, home.n + 1)).p;
}

static void test_systems(void **state)
{
    struct place *p = *state;
    static const struct {
        const char *client, *linux_, *mac, *windows;
    } rows[] = {
        {"claude-desktop", ".config/Claude/" DESKTOP,
         "Library/Application Support/Claude/" DESKTOP,
         "AppData/Roaming/Claude/" DESKTOP},
        {"claude-code", ".claude.json", ".claude.json", ".claude.json"},
        {"cursor", ".cursor/mcp.json", ".cursor/mcp.json", ".cursor/mcp.json"},
        {"vscode", ".config/Code/User/mcp.json",
         "Library/Application Support/Code/User/mcp.json",
         "AppData/Roaming/Code/User/mcp.json"},
        {"codex", ".codex/config.toml", ".codex/config.toml", ".codex/config.toml"},
        {"gemini", ".gemini/settings.json", ".gemini/settings.json",
         ".gemini/settings.json"},
        {"windsurf", ".codeium/windsurf/mcp_config.json",
         ".codeium/windsurf/mcp_config.json", ".codeium/windsurf/mcp_config.json"},
        {"zed", ".config/zed/settings.json", ".config/zed/settings.json",
         "AppData/Roaming/Zed/settings.json"},
        {"lm-studio", ".lmstudio/mcp.json", ".lmstudio/mcp.json", ".lmstudio/mcp.json"},
    };
    prepare(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *c = rows[i].client;
        assert_string_equal(file_of(p, MACHINE_LINUX, c), rows[i].linux_);
        assert_string_equal(file_of(p, MACHINE_MACOS, c), rows[i].mac);
        assert_string_equal(file_of(p, MACHINE_WINDOWS, c), rows[i].windows);
    }
}

/* Claude Desktop of the store reads the file of its package, wherever the other one is. */
static void test_package(void **state)
{
    struct place *p = *state;
    enum machine_system w = MACHINE_WINDOWS;
    prepare(p);
    place_put(p, "../AppData/Roaming/Claude/" DESKTOP, STR("{}"));
    assert_string_equal(file_of(p, w, "claude-desktop"),
                        "AppData/Roaming/Claude/" DESKTOP);
    place_put(p, "../AppData/Local/Packages/Other_1/x", STR(""));
    assert_string_equal(file_of(p, w, "claude-desktop"),
                        "AppData/Roaming/Claude/" DESKTOP);
    place_put(p, "../AppData/Local/Packages/Claude_b/x", STR(""));
    assert_string_equal(file_of(p, w, "claude-desktop"), PACKAGE("Claude_b"));
    place_put(p, "../AppData/Local/Packages/Claude_a/x", STR(""));
    assert_string_equal(file_of(p, w, "claude-desktop"), PACKAGE("Claude_a"));
    place_put(p, "../" PACKAGE("Claude_b"), STR("{}"));
    assert_string_equal(file_of(p, w, "claude-desktop"), PACKAGE("Claude_b"));
}

static void test_variables(void **state)
{
    struct place *p = *state;
    prepare(p);
    str home = machine_home(&p->arena);
    setenv("APPDATA", arena_printf(&p->arena, STR_FMT "/roams", STR_ARG(home)).p, 1);
    assert_string_equal(file_of(p, MACHINE_WINDOWS, "vscode"),
                        "roams/Code/User/mcp.json");
    setenv("APPDATA", "relative", 1);
    assert_string_equal(file_of(p, MACHINE_WINDOWS, "vscode"),
                        "AppData/Roaming/Code/User/mcp.json");
    setenv("XDG_CONFIG_HOME", arena_printf(&p->arena, STR_FMT "/x", STR_ARG(home)).p, 1);
    assert_string_equal(file_of(p, MACHINE_LINUX, "zed"), "x/zed/settings.json");
    setenv("CODEX_HOME", arena_printf(&p->arena, STR_FMT "/c", STR_ARG(home)).p, 1);
    assert_string_equal(file_of(p, MACHINE_WINDOWS, "codex"), "c/config.toml");
    unsetenv("APPDATA");
    unsetenv("XDG_CONFIG_HOME");
    unsetenv("CODEX_HOME");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_systems),
        PLACE_TEST(test_package),
        PLACE_TEST(test_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
