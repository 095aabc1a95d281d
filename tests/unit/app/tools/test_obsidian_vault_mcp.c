/* The set of obsidian-vault-mcp: nothing is overwritten, and results have that server's members. */
#include "notes.h"

static void fill_vault_mcp(struct place *p)
{
    fill_notes(p);
    place_put(p, "[odd].md", STR("odd\n"));
}

static void test_vault_mcp(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"note_upsert", "'path':'Work/Log.md','content':'x'", "~{'created':false}",
         "Work/Log.md", "alpha\nalpha\n\nx"},
        {"note_upsert",
         "'path':'New.md','content':'text\\n','frontmatter':{'status':'new','tags':['a']"
         "}",
         "~{'created':true}", "New.md", "---\nstatus: new\ntags:\n  - a\n---\ntext\n"},
        {"note_upsert", "'path':'Work','content':'x'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"'Work' is a "
         "folder, not a file\"}}"},
        {"note_upsert", "'path':'','content':'x'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"'' is a folder, "
         "not a file\"}}"},
        {"note_upsert", "'path':'../x.md','content':'x'",
         "=ERROR {\"error\":{\"code\":\"PATH_NOT_ALLOWED\",\"message\":\"'..' is not "
         "allowed in a path: give the path from the vault root\"}}"},
        {"note_read", "'path':'Work'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"'Work' is a "
         "folder, not a file\"}}"},
        {"note_read", "'path':'../x.md'",
         "=ERROR {\"error\":{\"code\":\"PATH_NOT_ALLOWED\",\"message\":\"'..' is not "
         "allowed in a path: give the path from the vault root\"}}"},
        {"link_add", "'path':'Log','target':'Plan'", "~{'added':true,'link':'[[Plan]]'}",
         "Work/Log.md", "alpha\nalpha\n\n- [[Plan]]\n"},
        {"link_add", "'path':'Log','target':'Plan','text':'the plan'",
         "~{'added':true,'link':'[[Plan|the plan]]'}", "Work/Log.md",
         "alpha\nalpha\n\n- [[Plan|the plan]]\n"},
        {"link_add", "'path':'Plan','target':'Log','heading':'Next'",
         "~{'added':true,'link':'[[Log]]'}", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Next\n\n- "
         "one\n- two ^b1\n- [[Log]]\n\n## Later\n\ngamma\n"},
        {"link_add", "'path':'Log','target':'Home','heading':'See also'",
         "~{'added':true,'link':'[[Home]]'}", "Work/Log.md",
         "alpha\nalpha\n\n## See also\n\n- [[Home]]\n"},
        {"link_add", "'path':'Home','target':'Plan'",
         "~{'added':false,'link':'[[Plan]]'}", "Home.md", HOME},
        {"link_add", "'path':'Home','target':'Plan','again':true",
         "~{'added':true,'link':'[[Plan]]'}", "Home.md",
         "# Home\n\n[[Plan]] and [[Missing]] #open\n\n- [ ] call Ann 📅 2026-03-01\n- [x] "
         "done\n- [[Plan]]\n"},
        {"link_add", "'path':'Map.canvas','target':'Plan'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"links can only "
         "be added to notes: 'Map.canvas' is not a note\"}}",
         "Map.canvas",
         "{\"nodes\":[{\"id\":\"a\",\"type\":\"text\",\"text\":\"Alpha\",\"x\":0,\"y\":0,"
         "\"width\":100,\"height\":60}],\"edges\":[]}"},
        {"link_add", "'path':'Log','target':'None'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None\"}}",
         "Work/Log.md", "alpha\nalpha\n"},
        {"link_add", "'path':'Log','target':'[odd].md'",
         "~{'added':true,'link':'[\\\\[odd\\\\]]([odd].md)'}", "Work/Log.md",
         "alpha\nalpha\n\n- [\\[odd\\]]([odd].md)\n"},
        {"vault_search", "'query':'alpha','path_filter':'Work/L*'",
         "~{'results':[{'path':'Work/Log.md','line':1,'text':'alpha'},{'path':'Work/"
         "Log.md','line':2,'text':'alpha'}]}"},
        {"vault_search", "'query':'(','path_filter':'*'",
         "=ERROR {\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"invalid regular "
         "expression at byte 0: unclosed group\"}}"},
        {"vault_search", "'query':'ALPHA'", "~{'results':[]}"},
        {"vault_search", "'query':'zzz'", "~{'results':[]}"},
        {"graph_neighbors", "'path':'Plan','direction':'incoming'",
         "~{'results':[{'path':'Home.md','distance':1}]}"},
        {"graph_neighbors", "'path':'None'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None\"}}"},
        {"backlinks_search", "'path':'None'",
         "=ERROR {\"error\":{\"code\":\"FILE_NOT_FOUND\",\"message\":\"File not found: "
         "None\"}}"},

    };
    check_filled(fill_vault_mcp, "--tools obsidian-vault-mcp", "", rows, COUNT_OF(rows));
}

static void fill_markdown_links(struct place *p)
{
    fill_notes(p);
    place_put(p, ".obsidian/app.json",
              STR("{\"useMarkdownLinks\":true,\"newLinkFormat\":\"relative\"}"));
}

static void test_markdown_links(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"link_add", "'path':'Log','target':'Home'",
         "~{'added':true,'link':'[Home](../Home.md)'}", "Work/Log.md",
         "alpha\nalpha\n\n- [Home](../Home.md)\n"},

    };
    check_filled(fill_markdown_links, "--tools obsidian-vault-mcp", "", rows,
                 COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vault_mcp),
        cmocka_unit_test(test_markdown_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
