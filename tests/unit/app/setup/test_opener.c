#include "app/setup/opener.h"

#include "check.h"

static void test_commands(void **state)
{
    static const struct {
        enum machine_system system;
        const char *argv[OPENER_WORDS];
    } rows[] = {
        {MACHINE_LINUX, {"xdg-open", "obsidian://open?vault=a&file=b"}},
        {MACHINE_MACOS, {"open", "obsidian://open?vault=a&file=b"}},
        {MACHINE_WINDOWS,
         {"rundll32", "url.dll,FileProtocolHandler", "obsidian://open?vault=a&file=b"}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *got[OPENER_WORDS];
        size_t n = 0;
        opener_command_on(rows[i].system, *state, STR("obsidian://open?vault=a&file=b"),
                          got);
        for (; rows[i].argv[n] != NULL; n++)
            CHECK_STR(rows[i].argv[0], str_c(got[n]), rows[i].argv[n]);
        CHECK(rows[i].argv[0], got[n] == NULL);
    }
}

static void test_screen(void **state)
{
    (void)state;
    unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    CHECK("none", opener_has_screen() == (machine_system() != MACHINE_LINUX));
    setenv("WAYLAND_DISPLAY", "wayland-0", 1);
    CHECK("one", opener_has_screen());
    unsetenv("WAYLAND_DISPLAY");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_commands),
        cmocka_unit_test(test_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
