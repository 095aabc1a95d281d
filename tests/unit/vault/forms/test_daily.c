#include "vault/forms/daily.h"

#include "check.h"

static const struct moment date = {2024, 12, 30, 13, 5, 0, 0, 0};

static void test_path(void **state)
{
    static const struct {
        const char *folder, *format, *want; /* NULL: refused */
    } cases[] = {
        {"", "YYYY-MM-DD", "2024-12-30.md"},
        {"Journal", "YYYY-MM-DD", "Journal/2024-12-30.md"},
        {"Journal\\Daily", "YYYY/MM-MMMM/YYYY-MM-DD-dddd",
         "Journal/Daily/2024/12-December/2024-12-30-Monday.md"},
        {"W", "gggg-[W]ww", "W/2025-W01.md"},
        {"", "GGGG-[W]WW", "2025-W01.md"},
        {"", "YYYY-[Q]Q", "2024-Q4.md"},
        {"", "YYYY[.md]", "2024.md"},
        {"a//./b", "/YYYY", "a/b/2024.md"},
        {"../x", "YYYY", NULL},
        {"", "[..]/YYYY", NULL},
        {".obsidian", "YYYY", NULL},
        {"", "[]", NULL},
        {"", "[a]\\\\YYYY", "a2024.md"},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct obsidian_dated where = {.folder = str_c(cases[i].folder),
                                       .format = str_c(cases[i].format)};
        str path;
        struct err err = {0};
        bool ok = daily_path(a, &where, &date, &path, &err);
        CHECK_INT(cases[i].format, ok, cases[i].want != NULL);
        if (ok)
            CHECK_STR(cases[i].format, path, cases[i].want);
        else
            CHECK_STR(cases[i].format, str_c(err_name_text(err.name)),
                      "PATH_NOT_ALLOWED");
    }
}

static void test_template(void **state)
{
    struct arena *a = *state;
    struct obsidian_dated where = {0};
    struct err err = {0};
    str path;
    CHECK("none", daily_template(a, &where, &path, &err));
    CHECK_STR("none", path, "");
    where.template_name = STR("T\\Daily note");
    CHECK("path", daily_template(a, &where, &path, &err));
    CHECK_STR("path", path, "T/Daily note.md");
    where.template_name = STR("../secret");
    CHECK("outside", !daily_template(a, &where, &path, &err));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_path),
        ARENA_TEST(test_template),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
