/* The set of vault-git: plain lines, paths from the root, and what each tool refuses. */
#include "notes.h"

static void fill_lookup(struct place *p)
{
    fill_notes(p);
    place_put(p, "CLAUDE.md", STR("Root rule\n"));
    place_put(p, "Work/CLAUDE.md", STR("Work rule"));
}

static void test_lookup(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"search_files", "'pattern':'*.md'", "=Board.md\nCLAUDE.md\nHome.md\nTable.md"},
        {"search_files", "'pattern':'**/*.md','excludePatterns':['Work','CLAUDE.md']",
         "=Board.md\nHome.md\nTable.md\nTemplates/Daily.md"},
        {"search_files", "'pattern':'Work'", "=Work"},
        {"search_files", "'pattern':'*.none'", "=No matches found"},
        {"search_files", "'pattern':'*.md','path':'Home.md'",
         "=ERROR {\"error\":{\"code\":\"NOT_FOLDER\",\"message\":\"'Home.md' is a file, "
         "not a directory; read_file reads it\"}}"},
        {"search_files", "'pattern':'*.md','path':'None'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None\"}}"},
        {"find_files", "'name':'zzz'", "=No files found"},
        {"find_files", "'size_min':10,'size_max':12,'modified_after':'2099-01-01'",
         "=No files found"},
        {"find_files", "'modified_after':'soon'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"modified_after "
         "must be a date or time such as 2026-03-01 or 2026-03-01T08:00:00Z\"}}"},
        {"find_files", "'modified_before':'tomorrow-ish'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"modified_before "
         "must be a date or time such as 2026-03-01 or 2026-03-01T08:00:00Z\"}}"},
        {"find_files", "'tag':'work','path':'Templates'", "=No files found"},
        {"find_files", "'size_min':-1",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"size_min must "
         "be from 0 to 9223372036854775807\"}}"},
        {"grep", "'pattern':'ALPHA','ignoreCase':true",
         "=Map.canvas:1:{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":\"Alpha\","
         "\"x\":0,\"y\":0,\"width\":100,\"height\":60}],\"edges\":[]}\nWork/"
         "Log.md:1:alpha\nWork/Log.md:2:alpha\nWork/Plan.md:7:alpha beta"},
        {"grep", "'pattern':'a.pha','literal':true", "=No matches found"},
        {"grep", "'pattern':'alpha','path':'Work/Log.md'",
         "=Work/Log.md:1:alpha\nWork/Log.md:2:alpha"},
        {"grep", "'pattern':'alpha','path':'None'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None\"}}"},
        {"grep", "'pattern':'alpha','include':['*.canvas']", "=No matches found"},
        {"grep", "'pattern':'alpha','limit':1",
         "=Work/Log.md:1:alpha\n(1 of 3; continue with offset 1)"},
        {"grep", "'pattern':'alpha','limit':1,'offset':2", "=Work/Plan.md:7:alpha beta"},
        {"get_claude_context", "'path':'Work/Plan.md'",
         "=--- CLAUDE.md ---\nRoot rule\n\n--- Work/CLAUDE.md ---\nWork rule\n"},
        {"get_claude_context", "", "=--- CLAUDE.md ---\nRoot rule\n"},
        {"get_claude_context", "'path':'../x'",
         "=ERROR {\"error\":{\"code\":\"PATH_NOT_ALLOWED\",\"message\":\"'..' is not "
         "allowed in a path: give the path from the vault root\"}}"},
        {"get_tags", "",
         "~{'total':2,'tags':[{'tag':'open','count':1},{'tag':'work','count':1}]}"},
        {"list_directory", "'path':'Home.md'",
         "=ERROR {\"error\":{\"code\":\"NOT_FOLDER\",\"message\":\"'Home.md' is a file, "
         "not a directory; read_file reads it\"}}"},
        {"list_directory", "'path':'Work'",
         "=[FILE] CLAUDE.md\n[FILE] Log.md\n[FILE] Plan.md"},
        {"read_file", "'path':'Work'",
         "=ERROR {\"error\":{\"code\":\"IS_FOLDER\",\"message\":\"'Work' is a directory, "
         "not a file; list_directory shows it\"}}"},
        {"read_file", "'path':'Plan'",
         "=---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Next\n\n- "
         "one\n- two ^b1\n\n## Later\n\ngamma\n"},
        {"read_file", "'path':'Work/Log.md','head':1", "=alpha"},
        {"read_file", "'path':'Work/Log.md','tail':1", "=alpha"},
        {"get_backlinks", "'path':'Plan'",
         "~{'path':'Work/"
         "Plan.md','backlinks':[{'path':'Home.md','line':3,'text':'[[Plan]] and "
         "[[Missing]] #open'}],'total':1}"},
        {"get_backlinks", "'path':'Nope'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "Nope\"}}"},
        {"get_vault_info", "",
         "~{'name':'vault','notes':8,'attachments':1,'folders':2,'bytes':453,"},
        {"get_obsidian_guide", "'topic':'none'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"topic must be "
         "one of: links, embeds, callouts, properties, tags, tasks, tables, canvas, "
         "daily, search\"}}"},

    };
    check_filled(fill_lookup, "--tools vault-git", "", rows, COUNT_OF(rows));
}

static void test_changing(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"write_file", "'path':'Work','content':'x'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"'Work' is a "
         "folder, not a file\"}}",
         "Work/Log.md", "alpha\nalpha\n"},
        {"write_file", "'path':'Work/Log.md','content':'x'",
         "=Successfully wrote to Work/Log.md", "Work/Log.md", "x"},
        {"create_directory", "'path':'Work'", "=Successfully created directory Work"},
        {"create_directory", "'path':'Home.md'",
         "=ERROR {\"error\":{\"code\":\"FILE_EXISTS\",\"message\":\"'Home.md' is a "
         "file\"}}"},
        {"create_directory", "'path':'../x'",
         "=ERROR {\"error\":{\"code\":\"PATH_NOT_ALLOWED\",\"message\":\"'..' is not "
         "allowed in a path: give the path from the vault root\"}}"},
        {"delete_file", "'path':'Work'",
         "=ERROR {\"error\":{\"code\":\"IS_FOLDER\",\"message\":\"'Work' is a folder: "
         "set recursive to delete it with everything in it\"}}",
         "Work/Log.md", "alpha\nalpha\n"},
        {"delete_file", "'path':'Log'",
         "=Successfully deleted Work/Log.md (it is in the vault's trash)", "Work/Log.md",
         NULL},
        {"rename_file", "'source':'Work/Plan.md','destination':'Work/Goal.md'",
         "=Successfully moved Work/Plan.md to Work/Goal.md\nLinks updated: 1, in 1 other "
         "files\nits first heading is still '# Plan'",
         "Home.md",
         "# Home\n\n[[Goal]] and [[Missing]] #open\n\n- [ ] call Ann 📅 2026-03-01\n- [x] "
         "done\n"},
        {"rename_file", "'source':'Work/Plan.md','destination':'Home.md'",
         "=ERROR {\"error\":{\"code\":\"FILE_EXISTS\",\"message\":\"'Home.md' already "
         "exists: give an unused path\"}}",
         "Home.md", HOME},
        {"rename_file", "'source':'None.md','destination':'x.md'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None.md\"}}"},
        {"edit_file", "'path':'None.md','edits':[{'oldText':'a','newText':'b'}]",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None.md\"}}"},
        {"edit_file", "'path':'Work/Log.md','edits':[]",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"edits is "
         "empty\"}}"},
        {"edit_file", "'path':'Work/Log.md','edits':[{'oldText':'alpha','newText':'b'}]",
         "=ERROR {\"error\":{\"code\":\"TEXT_NOT_UNIQUE\",\"message\":\"Text appears 2 "
         "times in file, must be unique (lines 1, 2): send more of the text around it, "
         "or replace_all\"}}",
         "Work/Log.md", "alpha\nalpha\n"},

    };
    check_notes("--tools vault-git", "", rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookup),
        cmocka_unit_test(test_changing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
