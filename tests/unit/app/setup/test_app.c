#include "app/setup/app.h"

#include "app/setup/callers.h"
#include "check.h"

/* Which folders a grant names in which vault, as text. */
static void test_grants(void **state)
{
    static const struct {
        size_t n_vaults;
        bool read_only;
        const char *folders[4], *text;
    } cases[] = {
        {1, false, {0}, ""},
        {1, true, {0}, "read-only\n"},
        {1, false, {"Work"}, "read= Work\n"},
        {1, true, {"[Archive]", "*"}, "read-only\nread= *\nread= [Archive]\n"},
        {1, false, {"home:Work"}, "read= home:Work\n"},
        {1, false, {""}, "read= /\n"},
        {1, false, {".git"}, "read-only\ndeny /\n"},
        {1, false, {"Work\nread= Private"}, "read-only\ndeny /\n"},
        {2, false, {0}, ""},
        {2, true, {0}, "read-only\nvault\nread-only\n"},
        {2, false, {"Work"}, "read= Work\nvault\nread-only\ndeny /\n"},
        {2, false, {"home:Work"}, "read-only\ndeny /\nvault\nread= Work\n"},
        {2, false, {"work:A", "home:B"}, "read= A\nvault\nread= B\n"},
        {2, false, {"attic:A"}, "read= attic:A\nvault\nread-only\ndeny /\n"},
        {2, false, {"home:"}, "read-only\ndeny /\nvault\nread= /\n"},
    };
    struct app_vault vaults[] = {{.name = STR("work")}, {.name = STR("home")}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct app app = {.vaults = vaults, .n_vaults = cases[i].n_vaults};
        str folders[COUNT_OF(cases[i].folders)];
        size_t n = 0;
        for (; n < COUNT_OF(folders) && cases[i].folders[n] != NULL; n++)
            folders[n] = str_c(cases[i].folders[n]);
        CHECK_STR(cases[i].text,
                  app_write_grant(&app, *state, cases[i].read_only, folders, n),
                  cases[i].text);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_grants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
