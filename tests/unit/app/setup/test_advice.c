#include "app/setup/advice.h"

#include "check.h"

static void test_systems(void **state)
{
    static const struct {
        enum advice what;
        const char *path, *linux_, *mac, *windows;
    } rows[] = {
        {ADVICE_PRIVATE_FILE, "C:/a b/key", "chmod 600 'C:/a b/key'",
         "chmod 600 'C:/a b/key'",
         "icacls \"C:\\a b\\key\" /inheritance:r /grant:r \"%USERNAME%:F\""},
        {ADVICE_GIT, "", "apt install git openssh-client", "xcode-select --install",
         "winget install Git.Git"},
        {ADVICE_PDF, "", "Use --pdf off, or a package for Linux",
         "Use --pdf off, or a package for Linux",
         "Use --pdf off, or a package for Linux"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str path = str_c(rows[i].path);
        CHECK_STR("linux", advice_on(MACHINE_LINUX, *state, rows[i].what, path),
                  rows[i].linux_);
        CHECK_STR("mac", advice_on(MACHINE_MACOS, *state, rows[i].what, path),
                  rows[i].mac);
        CHECK_STR("windows", advice_on(MACHINE_WINDOWS, *state, rows[i].what, path),
                  rows[i].windows);
    }
}

/* Each has a text, and on Windows and macOS none that names a program of Linux. */
static void test_all(void **state)
{
    static const char *const of_linux[] = {"chmod", "apt ", "ext4", "lslocks",
                                           "poppler-utils"};
    for (int what = 0; what <= ADVICE_CLOUD; what++)
        for (int system = 0; system <= MACHINE_WINDOWS; system++) {
            str text = advice_on((enum machine_system)system, *state, (enum advice)what,
                                 STR("x"));
            assert_true(text.n > 0);
            for (size_t i = 0; system == MACHINE_WINDOWS && i < COUNT_OF(of_linux); i++)
                CHECK(text.p, str_find(text, str_c(of_linux[i])) == STR_NONE);
        }
}

static void test_cloud(void **state)
{
    (void)state;
    static const struct {
        const char *path, *windows;
    } rows[] = {
        {"C:/Users/Me/OneDrive/Documents/Notes", "OneDrive"},
        {"C:/Users/Me/OneDrive - Work/Notes", "OneDrive"},
        {"C:/Users/Me/Dropbox/Notes", "Dropbox"},
        {"C:/Users/Me/iCloudDrive/iCloud~md~obsidian/Notes", "iCloud Drive"},
        {"C:/Users/Me/Documents/Notes", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *got = advice_cloud_on(MACHINE_WINDOWS, str_c(rows[i].path));
        CHECK(rows[i].path, (got == NULL) == (rows[i].windows == NULL));
        if (got != NULL)
            assert_string_equal(got, rows[i].windows);
        CHECK(rows[i].path, advice_cloud_on(MACHINE_LINUX, str_c(rows[i].path)) == NULL);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_systems), ARENA_TEST(test_all),
                                       ARENA_TEST(test_cloud)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
