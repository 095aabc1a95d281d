/* The sets in the form of other servers: the same library does the work, so these are
 * about names, shapes and errors. */
#include "notes.h"

static void test_claude_desktop(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"list_notes", "",
         "~{'notes':['Board','Home','Table','Daily','Log','Plan'],'total':6,"},
        {"read_note", "'name':'Home'", "[[Missing]] #open"},
        {"read_note", "'name':'none'", "ERROR "},
        {"read_note", "", "ERROR name is missing: "},
        {"create_note", "'name':'New','content':'x'", "New", "New.md", "x"},
        {"create_note", "'name':'Home','content':'x'", "ERROR ", "Home.md", HOME},
        {"append_note", "'name':'none','content':'x'", "ERROR ", "none.md", NULL},
        {"update_note", "'name':'none','content':'x'", "ERROR ", "none.md", NULL},
        {"delete_note", "'name':'none'", "ERROR "},
        {"search_notes", "'query':'beta'", "~'path':'Work/Plan.md'"},
        {"search_notes", "'query':''", "=ERROR query is empty"},
        {"get_frontmatter", "'name':'Plan'", "active"},
        {"get_links", "'name':'Home'", "Missing"},
        {"read_section", "'name':'Plan','heading':'Nope'", "ERROR "},
        {"rename_note", "'new_name':'x'", "ERROR old_name is missing: "},
    };
    check_notes("--tools claude-desktop", "", rows, COUNT_OF(rows));
}

static void test_vault_git(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"list_directory", "'path':''",
         "=[FILE] Board.md\n[FILE] Home.md\n[FILE] Map.canvas\n[FILE] Table.md\n[DIR] "
         "Templates\n[DIR] Work"},
        {"list_directory", "'path':'None'", "ERROR "},
        {"read_file", "'path':'Work/Log.md'", "=alpha\nalpha\n"},
        {"read_file", "'path':'none.md'", "File not found: none.md"},
        {"write_file", "'path':'New.md','content':'x'", "=Successfully wrote to New.md",
         "New.md", "x"},
        {"write_file", "'path':'../New.md','content':'x'", "ERROR ", "../New.md", NULL},
        {"edit_file", "'path':'Work/Plan.md','edits':[{'oldText':'beta','newText':'x'}]",
         "-alpha beta\n+alpha x\n"},
        {"edit_file",
         "'path':'Work/Plan.md','edits':[{'oldText':'beta','newText':'x'}],'dryRun':true",
         "-alpha beta\n+alpha x\n", "Work/Plan.md", PLAN},
        {"edit_file", "'path':'Work/Plan.md','edits':[{'oldText':'zzz','newText':'x'}]",
         "Text not found in file", "Work/Plan.md", PLAN},
        {"delete_file", "'path':'Work/Log.md'", "Successfully deleted Work/Log.md",
         "Work/Log.md", NULL},
        {"delete_file", "'path':'none.md'", "File not found: none.md"},
        {"rename_file", "'source':'Work/Log.md','destination':'Work/L.md'", "Work/L.md",
         "Work/L.md", "alpha\nalpha\n"},
        {"rename_file", "'destination':'Work/L.md'", "source is missing"},
        {"create_directory", "'path':'Dir'", "=Successfully created directory Dir"},
        {"grep", "'pattern':'beta'", "=Work/Plan.md:7:alpha beta"},
        {"grep", "'pattern':'al['",
         "invalid regular expression at byte 2: unclosed character class"},
        {"get_backlinks", "'path':'Work/Plan.md'",
         "~'backlinks':[{'path':'Home.md','line':3,"},
        {"get_tags", "",
         "~{'total':2,'tags':[{'tag':'open','count':1},{'tag':'work','count':1}]}"},
        {"get_claude_context", "", "No CLAUDE.md on the path to '/'"},
    };
    check_notes("--tools vault-git", "", rows, COUNT_OF(rows));
}

static void test_obsidian_bundle(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"obsidian_read_note", "", "RPC -32602 name is missing: "},
        {"obsidian_read_note", "'name':'Home'", "[[Missing]] #open"},
        {"obsidian_create_note", "'name':'New','content':'x'",
         "~{'success':true,'data':{'path':'New.md','created':true}}", "New.md", "x"},
        {"obsidian_append_note", "'name':'Log','content':'x'", "~'success':true"},
        {"obsidian_delete_note", "'name':'Log'", "~'success':true", "Work/Log.md", NULL},
        {"obsidian_file_info", "'name':'Home'", "Home.md"},
    };
    check_notes("--tools obsidian-bundle", "", rows, COUNT_OF(rows));
}

static void test_obsidian_vault_mcp(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"note_read", "'path':'Work/Log.md'",
         "~{'content':'alpha\\nalpha\\n','exists':true}"},
        {"note_read", "'path':'none.md'", "~{'content':'','exists':false}"},
        {"note_upsert", "'path':'New.md','content':'x'", "~{'created':true}", "New.md",
         "x"},
        {"vault_search", "'query':'beta'",
         "~{'results':[{'path':'Work/Plan.md','line':7,'text':'alpha beta'}]}"},
        {"backlinks_search", "'path':'Work/Plan.md'",
         "~'results':[{'path':'Home.md','line':3,"},
        {"backlinks_search", "", "path is missing: "},
        {"graph_neighbors", "'path':'Home.md'",
         "~{'results':[{'path':'Work/Plan.md','distance':1}]}"},
        {"vault_sync", "", "no sync is set up: start vaultd with --sync-command"},
    };
    check_notes("--tools obsidian-vault-mcp", "", rows, COUNT_OF(rows));
}

static void test_vault_sync(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_read", "'path':'Work/Log.md'",
         "~{'path':'Work/"
         "Log.md','total_lines':2,'showing':[1,2],'content':'alpha\\nalpha\\n'}"},
        {"vault_read", "'path':'none.md'", "File not found: none.md"},
        {"vault_list", "'path':'Work'", "~'total_entries':2"},
        {"vault_list_all", "", "~{'total_files':7,"},
        {"vault_search", "'query':'beta'", "~{'query':'beta','total_matches':1,"},
        {"vault_write", "'path':'New.md','content':'x'",
         "~{'path':'New.md','created':true,'size':1,'total_lines':1}", "New.md", "x"},
        {"vault_edit", "'path':'Work/Log.md','old_text':'zzz','new_text':'x'",
         "Text not found in file", "Work/Log.md", "alpha\nalpha\n"},
        {"vault_edit", "'path':'Work/Plan.md','old_text':'beta','new_text':'x'",
         "~{'path':'Work/Plan.md','replaced':true,'total_lines':16}"},
    };
    check_notes("--tools vault-sync", "", rows, COUNT_OF(rows));
}

static void test_chatgpt(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"search", "'query':'beta'", "~{'results':[{'id':'Work/Plan.md','title':'Plan',"},
        {"search", "'query':''", "~{'results':[]}"},
        {"fetch", "'id':'Work/Log.md'", "~'text':'alpha\\nalpha\\n'"},
        {"fetch", "'id':'none.md'", "File not found: none.md"},
        {"fetch", "", "ERROR "},
    };
    check_notes("--tools chatgpt", "", rows, COUNT_OF(rows));
}

/* A caller who may only read changes nothing through any set. */
static void test_read_only(void **state)
{
    (void)state;
    static const struct {
        const char *flags;
        struct app_row row;
    } cases[] = {
        {"--tools claude-desktop",
         {"create_note", "'name':'New','content':'x'", "", "New.md", NULL}},
        {"--tools vault-git",
         {"write_file", "'path':'New.md','content':'x'", "", "New.md", NULL}},
        {"--tools vault-git",
         {"delete_file", "'path':'Work/Log.md'", "", "Work/Log.md", "alpha\nalpha\n"}},
        {"--tools obsidian-bundle",
         {"obsidian_create_note", "'name':'New','content':'x'", "", "New.md", NULL}},
        {"--tools obsidian-vault-mcp",
         {"note_upsert", "'path':'New.md','content':'x'", "", "New.md", NULL}},
        {"--tools vault-sync",
         {"vault_write", "'path':'New.md','content':'x'", "", "New.md", NULL}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_notes(cases[i].flags, "read-only\n", &cases[i].row, 1);
}

/* The vault has not noticed that another program changed the note: it is published as it
 * is on disk. */
static void test_adr_is_fresh(void **state)
{
    (void)state;
    struct app_place *p =
        app_place_open("--tools adr --adr-repo https://git.invalid/x.git", fill_notes);
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"---\nstatus: accepted\n---\none\n", "one"},
        {"---\nstatus: accepted\n---\ntwo\n", "two"},
        {"---\nstatus: rejected\n---\ntwo\n", "only notes with status: accepted"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        place_put(p->place, "Home.md", str_c(rows[i].text));
        str got = app_call(p, "adr_publish", "'path':'Home','dry_run':true");
        CHECK(rows[i].want, str_find(got, str_c(rows[i].want)) != STR_NONE);
    }
    place_put(p->place, "Home.md", str_c(rows[0].text));
    place_put(p->place, "Work/home.md", str_c(rows[0].text));
    app_look(p);
    str got = app_call(p, "adr_publish", "'path':'Home.md','dry_run':true");
    CHECK("namesake", str_find(got, STR("'Work/home.md' is accepted")) != STR_NONE);
    p->peer.caller.grant = STR("deny Home.md\n");
    got = app_call(p, "adr_publish", "'path':'Work/home.md','dry_run':true");
    CHECK("of a note that is hidden",
          str_find(got, STR("another accepted note has the name 'home.md'")) != STR_NONE);
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claude_desktop),  cmocka_unit_test(test_vault_git),
        cmocka_unit_test(test_obsidian_bundle), cmocka_unit_test(test_obsidian_vault_mcp),
        cmocka_unit_test(test_vault_sync),      cmocka_unit_test(test_chatgpt),
        cmocka_unit_test(test_read_only),       cmocka_unit_test(test_adr_is_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
