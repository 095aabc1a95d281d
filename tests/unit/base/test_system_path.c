#include "base/system_path.h"

#include "base/process.h"
#include "check.h"

static void test_enters(void **state)
{
    (void)state;
    static const struct {
        const char *given, *want;
    } cases[] = {
        {"", ""},
        {"C:\\Users\\Me\\My Notes", "C:/Users/Me/My Notes"},
        {"c:\\notes\\", "C:/notes/"},
        {"c:/notes", "C:/notes"},
        {"\"C:\\My Notes\"", "C:/My Notes"},
        {"'C:\\My Notes'", "C:/My Notes"},
        {"\"", "\""},
        {"\"C:\\half", "\"C:/half"},
        {"/c/Users/Me", "C:/Users/Me"},
        {"/d", "D:/"},
        {"/data/notes", "/data/notes"},
        {"\\\\server\\share\\notes", "//server/share/notes"},
        {"//server/share", "//server/share"},
        {"\\\\?\\C:\\long", "C:/long"},
        {"\\\\?\\UNC\\server\\share\\x", "//server/share/x"},
        {"\\\\.\\c:\\x", "C:/x"},
        {"notes\\daily", "notes/daily"},
        {"/c/Users/Me/My\\ Vault", "C:/Users/Me/My Vault"},
        {"C:\\My\\ Vault", "C:/My Vault"},
        {"\"C:\\a\\ b\"", "C:/a/ b"},
        {"~\\Notes", "~/Notes"},
        {"c:notes", "C:notes"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str given = str_c(cases[i].given);
        CHECK_STR(cases[i].given, system_path_on(MACHINE_WINDOWS, &a, given),
                  cases[i].want);
        CHECK_STR(cases[i].given, system_path_on(MACHINE_LINUX, &a, given),
                  cases[i].given);
        CHECK_STR(cases[i].given, system_path_on(MACHINE_MACOS, &a, given),
                  cases[i].given);
    }
    CHECK_STR("shown", system_path_shown_on(MACHINE_WINDOWS, &a, STR("C:/a b/c")),
              "C:\\a b\\c");
    CHECK_STR("shown", system_path_shown_on(MACHINE_LINUX, &a, STR("/a b/c")), "/a b/c");
    arena_release(&a);
}

static void test_unescaped(void **state)
{
    (void)state;
    static const struct {
        const char *given, *want, *windows;
    } cases[] = {
        {"", "", ""},
        {"/a/My Vault", "/a/My Vault", "/a/My Vault"},
        {"/a/My\\ Vault", "/a/My Vault", "/a/My Vault"},
        {"'/a/My Vault'", "/a/My Vault", "/a/My Vault"},
        {"\"/a/My\\ Vault\"", "/a/My\\ Vault", "/a/My\\ Vault"},
        {"/a/\\(b\\)\\\\c\\&", "/a/(b)\\c&", "/a/\\(b\\)\\\\c\\&"},
        {"C:\\Notes\\[x]", "C:\\Notes[x]", "C:\\Notes\\[x]"},
        {"/a/b\\", "/a/b\\", "/a/b\\"},
        {"/a\\b", "/a\\b", "/a\\b"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str given = str_c(cases[i].given);
        CHECK_STR(cases[i].given, system_path_unescaped_on(MACHINE_MACOS, &a, given),
                  cases[i].want);
        CHECK_STR(cases[i].given, system_path_unescaped_on(MACHINE_WINDOWS, &a, given),
                  cases[i].windows);
    }
    arena_release(&a);
}

static void test_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool absolute, leaves, root; /* on Windows */
        bool posix, posix_root;      /* absolute and leaving; the root elsewhere */
    } cases[] = {
        {"", 0, 0, 0, 0, 0},
        {"a/b", 0, 0, 0, 0, 0},
        {"../a", 0, 0, 0, 0, 0},
        {"/", 0, 1, 0, 1, 1},
        {"/a", 0, 1, 0, 1, 0},
        {"\\a", 0, 1, 0, 0, 0},
        {"C:/", 1, 1, 1, 0, 0},
        {"C:", 0, 1, 1, 0, 0},
        {"c:\\", 1, 1, 1, 0, 0},
        {"C:/a", 1, 1, 0, 0, 0},
        {"C:a", 0, 1, 0, 0, 0},
        {"a.md:stream", 0, 1, 0, 0, 0},
        {"//server/share", 1, 1, 1, 1, 0},
        {"//server/share/a", 1, 1, 0, 1, 0},
        {"//server", 1, 1, 0, 1, 0},
        {"\\\\server\\share", 1, 1, 0, 0, 0},
        {"///a", 0, 1, 0, 1, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str path = str_c(cases[i].path);
        enum machine_system w = MACHINE_WINDOWS, l = MACHINE_LINUX;
        CHECK_INT(path.p, system_path_is_absolute_on(w, path), cases[i].absolute);
        CHECK_INT(path.p, system_path_leaves_on(w, path), cases[i].leaves);
        CHECK_INT(path.p, system_path_is_root_on(w, path), cases[i].root);
        CHECK_INT(path.p, system_path_is_absolute_on(l, path), cases[i].posix);
        CHECK_INT(path.p, system_path_leaves_on(l, path), cases[i].posix);
        CHECK_INT(path.p, system_path_is_root_on(l, path), cases[i].posix_root);
    }
}

static void test_from(void **state)
{
    (void)state;
    static const struct {
        enum machine_system system;
        const char *cwd, *path, *want;
    } cases[] = {
        {MACHINE_LINUX, "/home/me", "/a", "/a"},
        {MACHINE_LINUX, "/home/me", "a/b", "/home/me/a/b"},
        {MACHINE_LINUX, "/home/me", "C:/a", "/home/me/C:/a"},
        {MACHINE_WINDOWS, "D:/me", "C:/a", "C:/a"},
        {MACHINE_WINDOWS, "D:/me", "a/b", "D:/me/a/b"},
        {MACHINE_WINDOWS, "D:/me", "/a", "D:/a"},
        {MACHINE_WINDOWS, "D:/me", "C:a", "C:/a"},
        {MACHINE_WINDOWS, "//server/share/x", "/a", "//server/share/a"},
        {MACHINE_WINDOWS, "//server/share", "//other/share/a", "//other/share/a"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].path,
                  system_path_from_on(cases[i].system, &a, str_c(cases[i].cwd),
                                      str_c(cases[i].path)),
                  cases[i].want);
    arena_release(&a);
}

static void test_urls(void **state)
{
    (void)state;
    static const struct {
        enum machine_system system;
        const char *url, *want;
    } cases[] = {
        {MACHINE_LINUX, "/srv/x.git", "/srv/x.git"},
        {MACHINE_LINUX, "file:///srv/x.git", "/srv/x.git"},
        {MACHINE_LINUX, "https://host/x.git", ""},
        {MACHINE_LINUX, "git@host:x.git", ""},
        {MACHINE_WINDOWS, "C:/x.git", "C:/x.git"},
        {MACHINE_WINDOWS, "file:///C:/x.git", "C:/x.git"},
        {MACHINE_WINDOWS, "file:////server/share/x.git", "//server/share/x.git"},
        {MACHINE_WINDOWS, "ssh://host/x.git", ""},
        {MACHINE_WINDOWS, "git@host:x.git", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].url,
                  system_path_of_url_on(cases[i].system, str_c(cases[i].url)),
                  cases[i].want);
}

static void test_lists(void **state)
{
    (void)state;
    struct arena a = {0};
    str list = STR("C:\\Windows;.;;\"C:\\Program Files\\Git\\cmd\";bin"), folder;
    CHECK("one", system_path_next_on(MACHINE_WINDOWS, &a, &list, &folder));
    CHECK_STR("one", folder, "C:/Windows");
    CHECK("two", system_path_next_on(MACHINE_WINDOWS, &a, &list, &folder));
    CHECK_STR("two", folder, "C:/Program Files/Git/cmd");
    CHECK("no more", !system_path_next_on(MACHINE_WINDOWS, &a, &list, &folder));
    list = STR("bin::/usr/bin:.:/bin");
    CHECK("one", system_path_next_on(MACHINE_LINUX, &a, &list, &folder));
    CHECK_STR("one", folder, "/usr/bin");
    CHECK("two", system_path_next_on(MACHINE_LINUX, &a, &list, &folder));
    CHECK_STR("two", folder, "/bin");
    CHECK("no more", !system_path_next_on(MACHINE_LINUX, &a, &list, &folder));
    arena_release(&a);
}

static void test_programs(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"git", "git.exe"},
                                           {"git.exe", "git.exe"},
                                           {"GIT.EXE", "GIT.EXE"},
                                           {"npm.cmd", "npm.cmd.exe"}};
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str name = str_c(cases[i][0]);
        CHECK_STR(name.p, process_file_on(MACHINE_WINDOWS, &a, name), cases[i][1]);
        CHECK_STR(name.p, process_file_on(MACHINE_MACOS, &a, name), cases[i][0]);
    }
    arena_release(&a);
}

static void test_folder(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"/a/b", "/a"}, {"/a", "/"}, {"a", "."}, {"a/b", "a"}, {"", "."}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i][0], system_path_folder(str_c(cases[i][0])), cases[i][1]);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_enters),   cmocka_unit_test(test_unescaped),
        cmocka_unit_test(test_kinds),    cmocka_unit_test(test_from),
        cmocka_unit_test(test_urls),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_programs), cmocka_unit_test(test_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
