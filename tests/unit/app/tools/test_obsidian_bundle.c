/* The set of obsidian-bundle: its envelope, its codes, and names that need no extension. */
#include "notes.h"

static void fill_bundle(struct place *p)
{
    fill_notes(p);
    place_put(p, "Other/Plan.md", STR("twin\n"));
}

static void test_bundle(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"obsidian_read_note", "'name':'Plan'",
         "=RPC -32004 'Plan' matches several files: 'Work/Plan.md', 'Other/Plan.md'; "
         "give the path"},
        {"obsidian_read_note", "'name':'None'", "=RPC -32003 File not found: None"},
        {"obsidian_read_note", "'name':'../x'",
         "=RPC -32005 '..' is not allowed in a path: give the path from the vault root"},
        {"obsidian_read_note", "'name':'Home','vault':'strange'",
         "=RPC -32002 Vault not found: strange. Vaults: vault"},
        {"obsidian_read_note", "'name':'Home','vault':'vault'",
         "~{'success':true,'data':{'path':'Home.md','content':'# Home\\n\\n[[Plan]] and "
         "[[Missing]] #open\\n\\n- [ ] call Ann 📅 2026-03-01\\n- [x] done\\n'}}"},
        {"obsidian_create_note", "'name':'Home'",
         "=RPC -32000 'Home.md' already exists. Choose another name, or set overwrite to "
         "replace it.",
         "Home.md", HOME},
        {"obsidian_create_note", "'name':'Home','content':'x','overwrite':true",
         "~{'success':true,'data':{'path':'Home.md','created':false}}", "Home.md", "x"},
        {"obsidian_create_note", "'name':' '", "=RPC -32602 A note needs a name"},
        {"obsidian_create_note", "'name':'A/New.md','content':'x'",
         "~{'success':true,'data':{'path':'A/New.md','created':true}}", "A/New.md", "x"},
        {"obsidian_append_note", "'name':'Log','content':'x'",
         "~{'success':true,'data':{'path':'Work/Log.md','appended':true}}", "Work/Log.md",
         "alpha\nalpha\n\nx\n"},
        {"obsidian_prepend_note", "'name':'Work/Plan','content':'x'",
         "~{'success':true,'data':{'path':'Work/Plan.md','prepended':true}}",
         "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\nx\n\n# Plan\n\nalpha beta\n\n## "
         "Next\n\n- one\n- two ^b1\n\n## Later\n\ngamma\n"},
        {"obsidian_prepend_note", "'name':'None','content':'x'",
         "=RPC -32003 File not found: None", "None.md", NULL},
        {"obsidian_move_note", "'name':'Log','to':'Archive'",
         "~{'success':true,'data':{'path':'Archive/Log.md','from':'Work/"
         "Log.md','moved':true,'updatedLinks':0}}",
         "Archive/Log.md", "alpha\nalpha\n"},
        {"obsidian_move_note", "'name':'Log','to':'Archive/Old.md'",
         "~{'success':true,'data':{'path':'Archive/Old.md','from':'Work/"
         "Log.md','moved':true,'updatedLinks':0}}",
         "Archive/Old.md", "alpha\nalpha\n"},
        {"obsidian_move_note", "'name':'Log','to':'Home.md'",
         "=RPC -32000 'Home.md' already exists", "Work/Log.md", "alpha\nalpha\n"},
        {"obsidian_move_note", "'name':'Log'",
         "=RPC -32602 to is missing: Destination folder, or the full new path"},
        {"obsidian_rename_note", "'name':'Work/Plan','new_name':'Goal'",
         "~{'success':true,'data':{'path':'Work/Goal.md','from':'Work/"
         "Plan.md','renamed':true,'updatedLinks':1}}",
         "Home.md",
         "# Home\n\n[[Goal]] and [[Missing]] #open\n\n- [ ] call Ann 📅 2026-03-01\n- [x] "
         "done\n"},
        {"obsidian_rename_note", "'name':'Home','new_name':'Start.md'",
         "~{'success':true,'data':{'path':'Start.md','from':'Home.md','renamed':true,'"
         "updatedLinks':0}}",
         "Start.md", HOME},
        {"obsidian_rename_note", "'name':'Log','new_name':'a/b'",
         "=RPC -32602 new_name is a name without a folder: to move a note use "
         "obsidian_move_note",
         "Work/Log.md", "alpha\nalpha\n"},
        {"obsidian_rename_note", "'name':'None','new_name':'b'",
         "=RPC -32003 File not found: None"},
        {"obsidian_delete_note", "'name':'Log'",
         "~{'success':true,'data':{'path':'Work/Log.md','deleted':true}}",
         ".trash/Work/Log.md", "alpha\nalpha\n"},
        {"obsidian_delete_note", "'name':'Log','permanent':true",
         "~{'success':true,'data':{'path':'Work/Log.md','deleted':true}}",
         ".trash/Work/Log.md", NULL},
        {"obsidian_delete_note", "'name':'Plan'",
         "=RPC -32004 'Plan' matches several files: 'Work/Plan.md', 'Other/Plan.md'; "
         "give the path",
         "Work/Plan.md", PLAN},
        {"obsidian_file_info", "'name':'None'", "=RPC -32003 File not found: None"},

    };
    check_filled(fill_bundle, "--tools obsidian-bundle", "", rows, COUNT_OF(rows));
}

/* --- opening the app --- */

static void put_program(struct place *p, const char *name, const char *script)
{
    place_put(p, name, arena_printf(&p->arena, "#!/bin/sh\n%s\n", script));
    assert_int_equal(fchmodat(p->fd, name, 0755, 0), 0);
}

static const struct {
    const char *app,
        *desktop; /* scripts in the places of obsidian and xdg-open; NULL: there is none */
    bool has_desktop;
    const char *want;
} openings[] = {
    {"exit 0", NULL, false, "~{'success':true,'data':{'path':'Home.md','opened':true}}"},
    {"exit 1", NULL, false, "Obsidian application is not running."},
    {NULL, NULL, false, "Obsidian application is not running."},
    {NULL, "exit 0", false, "Obsidian application is not running."},
    {NULL, "exit 0", true, "~{'success':true,'data':{'path':'Home.md','opened':true}}"},
    {NULL, "exit 1", true, "Obsidian application is not running."},
    {"sleep 60", "exit 0", true, "Obsidian did not answer within 100 ms."},
};

static void test_open(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(openings); i++) {
        struct app_place *p = app_place_open("--tools obsidian-bundle", fill_bundle);
        if (openings[i].app != NULL)
            put_program(p->place, "bin/obsidian", openings[i].app);
        if (openings[i].desktop != NULL)
            put_program(p->place, "bin/xdg-open", openings[i].desktop);
        setenv("PATH", arena_printf(&p->peer.arena, "%s/bin:/bin", p->place->folder).p,
               1);
        if (openings[i].has_desktop)
            setenv("DISPLAY", ":0", 1);
        app_look(p);
        struct app_row row = {"obsidian_open_note", "'name':'Home','timeout_ms':100",
                              openings[i].want};
        app_check_rows(p, NULL, &row, 1);
        app_place_close(p);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundle),
        cmocka_unit_test(test_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
