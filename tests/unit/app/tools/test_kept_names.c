/*
 * Names and attributes that file systems treat differently: another case of the same name, paths longer than what Windows
 * once allowed, and files that are marked as read-only. The outcome is the same on all of them.
 */
#include "notes.h"

/* The name in a folder as it is listed, whatever its case; empty if there is none. */
static str listed(struct app_place *p, const char *folder, const char *name)
{
    int fd = openat(p->place->fd, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fdopendir(fd);
    str found = {0};
    assert_non_null(dir);
    for (const struct dirent *d; (d = readdir(dir)) != NULL;)
        if (str_eq_nocase(str_c(d->d_name), str_c(name)))
            found = arena_str(&p->peer.arena, str_c(d->d_name));
    closedir(dir);
    return found;
}

static void test_other_case(void **state)
{
    static const struct {
        const char *arguments, *folder, *name, *file;
    } rows[] = {
        {"'path':'Work/Plan.md','to':'Work/plan.md'", "Work", "plan.md", "Work/plan.md"},
        {"'path':'Work/plan.md','to':'Work/PLAN.md'", "Work", "PLAN.md", "Work/PLAN.md"},
        {"'path':'Work','to':'WORK'", ".", "WORK", "WORK/PLAN.md"},
        {"'path':'WORK/PLAN.md','to':'WORK/Plan.md'", "WORK", "Plan.md", "WORK/Plan.md"},
    };
    struct app_place *p = app_place_open("", fill_notes);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        str answer = app_call(p, "vault_move", rows[i].arguments);
        if (str_starts(answer, STR("ERROR")))
            fail_msg("%s: " STR_FMT, rows[i].arguments, STR_ARG(answer));
        CHECK_STR(rows[i].arguments, listed(p, rows[i].folder, rows[i].name),
                  rows[i].name);
        CHECK_STR(rows[i].arguments, app_file(p, rows[i].file), PLAN);
        app_look(p);
    }
    CHECK("the link leads there", str_find(app_call(p, "vault_links", "'path':'Home'"),
                                           STR("WORK/Plan.md")) != STR_NONE);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK("undone", !str_starts(app_call(p, "vault_undo", ""), STR("ERROR")));
    CHECK_STR("as it was", listed(p, "Work", "plan.md"), "Plan.md");
    CHECK_STR("as it was", app_file(p, "Home.md"), HOME);
    app_place_close(p);
}

#define LONG "a folder with a name that is long but not unusual"
#define DEEP LONG "/" LONG "/" LONG "/" LONG "/" LONG "/" LONG

static void test_long_paths(void **state)
{
    static const struct app_row rows[] = {
        {"vault_write", "'path':'" DEEP "/Note.md','content':'one [[Plan]]\\n'",
         "created", DEEP "/Note.md", "one [[Plan]]\n"},
        {"vault_edit", "'path':'" DEEP "/Note.md','old_text':'one','new_text':'two'",
         "edited", DEEP "/Note.md", "two [[Plan]]\n"},
        {"vault_move", "'path':'Plan','to':'" DEEP "/Goal.md'", "rewrote",
         DEEP "/Note.md", "two [[Goal]]\n"},
        {"vault_search", "'query':'two'", "Note.md"},
        {"vault_delete", "'path':'" DEEP "/Note.md'", "deleted",
         ".trash/" DEEP "/Note.md", "two [[Goal]]\n"},
        {"vault_undo", "", "undone", DEEP "/Note.md", "two [[Goal]]\n"},
    };
    _Static_assert(sizeof(DEEP) > 260, "as long as MAX_PATH of Windows");
    struct app_place *p = app_place_open("", fill_notes);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    app_place_close(p);
}

static bool is_fixed(struct app_place *p, const char *path)
{
    struct stat st;
    assert_int_equal(fstatat(p->place->fd, path, &st, 0), 0);
    return (st.st_mode & 0222) == 0;
}

/* As editors do it: the mark stays, and the note is changed. */
static void test_read_only_files(void **state)
{
    static const struct app_row rows[] = {
        {"vault_edit", "'path':'Plan','old_text':'beta','new_text':'BETA'", "edited"},
        {"vault_frontmatter", "'path':'Plan','set':{'n':1}", "n: 1"},
        {"vault_move", "'path':'Plan','to':'Work/Goal.md'", "renamed"},
        {"vault_undo", "", "undone"},
        {"vault_undo", "", "undone"},
        {"vault_undo", "", "undone", "Work/Plan.md", PLAN},
        {"vault_delete", "'path':'Plan'", "deleted", "Work/Plan.md", NULL},
        {"vault_undo", "", "undone", "Work/Plan.md", PLAN},
    };
    struct app_place *p = app_place_open("", fill_notes);
    assert_int_equal(fchmodat(p->place->fd, "Work/Plan.md", 0444, 0), 0);
    app_look(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CHECK(rows[i].arguments, app_check_row(p, &rows[i]));
        if (place_has(p->place, "Work/Plan.md"))
            CHECK(rows[i].tool, is_fixed(p, "Work/Plan.md"));
    }
    assert_int_equal(fchmodat(p->place->fd, "Work/Plan.md", 0644, 0), 0);
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_other_case),
        cmocka_unit_test(test_long_paths),
        cmocka_unit_test(test_read_only_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
