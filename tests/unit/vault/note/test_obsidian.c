#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "tree.h"
#include "vault/note/obsidian.h"

/* A vault in a temporary folder, with files below .obsidian. */
struct place {
    char folder[64];
    struct fs_root root;
    struct obsidian *settings;
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    struct err err = {0};
    snprintf(p->folder, sizeof(p->folder), "/tmp/vaultd-test-obsidian-XXXXXX");
    if (mkdtemp(p->folder) == NULL || !fs_root_open(&p->root, p->folder, &err))
        return -1;
    *state = p;
    return mkdirat(p->root.fd, ".obsidian", 0700);
}

static int teardown(void **state)
{
    struct place *p = *state;
    obsidian_free(p->settings);
    fs_root_close(&p->root);
    remove_tree(AT_FDCWD, p->folder);
    free(p);
    return 0;
}

static void put_file(struct place *p, const char *path, const char *text)
{
    int fd = openat(p->root.fd, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static const struct obsidian *read_settings(struct place *p)
{
    p->settings = obsidian_open(&p->root, STR(".obsidian"));
    return p->settings;
}

static void test_defaults(void **state)
{
    const struct obsidian *o = read_settings(*state);
    str folder;
    const str *problems;
    CHECK_INT("links", obsidian_link_format(o), LINKS_SHORTEST);
    CHECK("wikilinks", !obsidian_markdown_links(o));
    CHECK_INT("new files", obsidian_new_file(o, &folder), NEW_FILE_ROOT);
    CHECK_INT("trash", obsidian_trash(o), TRASH_SYSTEM);
    CHECK_STR("daily", obsidian_daily(o).format, "YYYY-MM-DD");
    CHECK_STR("time", obsidian_templates(o).template_name, "HH:mm");
    CHECK_STR("type", obsidian_property_type(o, STR("due")), "");
    CHECK("nothing is excluded", !obsidian_is_excluded(o, STR("a.md")));
    CHECK_INT("no problem", obsidian_problems(o, &problems), 0);
}

static void test_settings(void **state)
{
    struct place *p = *state;
    put_file(p, ".obsidian/app.json",
             "\xEF\xBB\xBF{\"newLinkFormat\":\"relative\",\"useMarkdownLinks\":true,"
             "\"newFileLocation\":\"folder\",\"newFileFolderPath\":\"/Inbox/\","
             "\"trashOption\":\"local\","
             "\"userIgnoreFilters\":[\"Archive/\",\"/^work\\\\/C-/\",\"/[/\"]}");
    put_file(
        p, ".obsidian/daily-notes.json",
        "{\"folder\":\"/Journal\",\"format\":\"YYYY/MM/DD\",\"template\":\"T/Day\"}");
    put_file(p, ".obsidian/types.json", "{\"types\":{\"Due\":\"date\"}}");
    const struct obsidian *o = read_settings(p);
    str folder;
    const str *problems;
    CHECK_INT("links", obsidian_link_format(o), LINKS_RELATIVE);
    CHECK("Markdown", obsidian_markdown_links(o));
    CHECK_INT("new files", obsidian_new_file(o, &folder), NEW_FILE_FOLDER);
    CHECK_STR("their folder", folder, "Inbox");
    CHECK_INT("trash", obsidian_trash(o), TRASH_LOCAL);
    CHECK_STR("daily folder", obsidian_daily(o).folder, "Journal");
    CHECK_STR("daily format", obsidian_daily(o).format, "YYYY/MM/DD");
    CHECK_STR("type, case ignored", obsidian_property_type(o, STR("due")), "date");
    CHECK("prefix", obsidian_is_excluded(o, STR("Archive/a.md")));
    CHECK("regex", obsidian_is_excluded(o, STR("work/C-1.md")));
    CHECK("neither", !obsidian_is_excluded(o, STR("home/C-1.md")));
    CHECK_INT("the broken filter is reported", obsidian_problems(o, &problems), 1);
}

static void test_periodic(void **state)
{
    static const char *const formats[] = {"YYYY-MM-DD", "gggg-[W]ww", "YYYY-MM",
                                          "YYYY-[Q]Q", "YYYY"};
    struct place *p = *state;
    const struct obsidian *o = read_settings(p);
    for (int i = PERIOD_DAY; i <= PERIOD_YEAR; i++)
        CHECK_STR("default", obsidian_periodic(o, (enum obsidian_period)i).format,
                  formats[i]);
    obsidian_free(p->settings);
    assert_int_equal(mkdirat(p->root.fd, ".obsidian/plugins", 0700), 0);
    assert_int_equal(mkdirat(p->root.fd, ".obsidian/plugins/periodic-notes", 0700), 0);
    put_file(p, ".obsidian/daily-notes.json", "{\"folder\":\"core\"}");
    put_file(p, ".obsidian/plugins/periodic-notes/data.json",
             "{\"daily\":{\"enabled\":true,\"folder\":\"D/\",\"format\":\"\"},"
             "\"weekly\":{\"format\":\"GGGG-[W]WW\",\"template\":\"/T/Week.md\"},"
             "\"yearly\":{\"folder\":\"Years\"}}");
    o = read_settings(p);
    CHECK_STR("day", obsidian_periodic(o, PERIOD_DAY).folder, "D");
    CHECK_STR("day", obsidian_periodic(o, PERIOD_DAY).format, "YYYY-MM-DD");
    CHECK_STR("week", obsidian_periodic(o, PERIOD_WEEK).format, "GGGG-[W]WW");
    CHECK_STR("week", obsidian_periodic(o, PERIOD_WEEK).template_name, "T/Week.md");
    CHECK_STR("year", obsidian_periodic(o, PERIOD_YEAR).folder, "Years");
    CHECK_STR("year", obsidian_periodic(o, PERIOD_YEAR).format, "YYYY");
}

static void test_broken(void **state)
{
    struct place *p = *state;
    put_file(p, ".obsidian/app.json", "{\"newLinkFormat\":");
    put_file(p, ".obsidian/types.json", "[]");
    const struct obsidian *o = read_settings(p);
    const str *problems;
    CHECK_INT("default", obsidian_link_format(o), LINKS_SHORTEST);
    CHECK_INT("one problem", obsidian_problems(o, &problems), 1);
    CHECK("it names the file", str_starts(problems[0], STR(".obsidian/app.json: ")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
        cmocka_unit_test_setup_teardown(test_periodic, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
