/* The tools that only read: what they answer, and what they refuse. */
#include "notes.h"

static void test_vault_read(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_read", "'path':'Home.md'",
         "Home.md (6 lines, etag 57fb3a8deaf048cd)\n# Home\n"},
        {"vault_read", "'path':'Plan'",
         "Work/Plan.md (16 lines, etag 6368798bb57710e6)\n---\nstatus"},
        {"vault_read", "'path':'Plan','section':'Next'", "(lines 9-13 of 16, "},
        {"vault_read", "'path':'Plan','section':'None'",
         "ERROR Heading \"None\" not found; nearest: \"Plan#Next\" (line 9)"},
        {"vault_read", "'path':'Plan','block':'b1'", "- two ^b1"},
        {"vault_read", "'path':'Plan','block':'zz'",
         "=ERROR Block ^zz not found; the note has ^b1 (line 12)"},
        {"vault_read", "'path':'Plan','view':'outline'",
         "5: # Plan\n9: ## Next\n14: ## Later\n"},
        {"vault_read", "'path':'Plan','view':'frontmatter'",
         "status: active\ntags: [work]\n"},
        {"vault_read", "'path':'Home','view':'links'",
         "3: Work/Plan.md\n3: Missing (no such file)\n"},
        {"vault_read", "'path':'Plan','view':'poster'",
         "=ERROR view must be one of: text, outline, frontmatter, links, image, file"},
        {"vault_read", "'path':'Plan','offset':7,'limit':1",
         "(lines 7-7 of 16, etag 6368798bb57710e6)\nalpha beta\n"},
        {"vault_read", "'path':'Plan','offset':99",
         "=ERROR offset 99 is outside 'Work/Plan.md', which has 16 lines"},
        {"vault_read", "'path':'Home.md','paths':['Work/Log.md','none.md']",
         "> Work/Log.md (2 lines, etag 408eeb89f9e14db2)\nalpha\nalpha\n==> none.md: "
         "File not found"},
        {"vault_read", "'path':'Map.canvas'", "a text: Alpha"},
        {"vault_read", "'path':'Board.md'", "[a board: Todo 1, Done 1]"},
        {"vault_read", "", "ERROR path is missing: "},
        {"vault_read", "'path':'nope'",
         "ERROR File not found: nope; vault_search finds files"},
        {"vault_read", "'path':'../x.md'", "ERROR '..' is not allowed in a path"},
        {"vault_read", "'path':'Work'", "=ERROR 'Work' is a folder, not a file"},
        {"vault_read", "'path':'Plan','limit':'x'", "=ERROR limit must be an integer"},
        {"vault_read", "'path':'Plan','nonsense':1",
         "ERROR unknown argument 'nonsense', nothing was done; known arguments: path,"},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_list(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_list", "",
         "=/: 6 entries\nBoard.md\nHome.md\nMap.canvas\nTable.md\nTemplates/ (1)\nWork/ "
         "(2)\n"},
        {"vault_list", "'path':'Work'", "=/Work: 2 entries\nLog.md\nPlan.md\n"},
        {"vault_list", "'path':'None'", "ERROR File not found: None"},
        {"vault_list", "'path':'Home.md'", "=ERROR 'Home.md' is a file, not a folder"},
        {"vault_list", "'recursive':true,'path_filter':['*.canvas']",
         "=1 file\nMap.canvas\n"},
        {"vault_list", "'tag':'work'", "=1 file\nWork/\n  Plan.md\n"},
        {"vault_list", "'tag':'nothing'", "0 files\n[No note has the tag 'nothing'"},
        {"vault_list", "'recursive':true,'offset':2,'limit':2",
         "=7 files\nMap.canvas\nTable.md\n[more: offset 4]\n"},
        {"vault_list", "'recursive':true,'offset':500", "=7 files\n"},
        {"vault_list", "'path_filter':['[']", "ERROR invalid glob '[': "},
        {"vault_list", "'path':'Work','details':true", "Log.md  12 bytes, "},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_search(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_search", "'query':'alpha'", "4 matches in 3 files\n"},
        {"vault_search", "'query':'alpha','folder':'Work'",
         "=3 matches in 2 files\nWork/Log.md\n1: **alpha**\n[also 2]\nWork/Plan.md\n7: "
         "**alpha** beta\n"},
        {"vault_search", "'query':''", "=ERROR nothing to search for"},
        {"vault_search", "'query':'zzz'", "0 matches in 0 files\n["},
        {"vault_search", "'query':'alpha','mode':'words'",
         "3 matches in 3 files\nWork/Log.md\n"},
        {"vault_search", "'query':'al[','mode':'regex'",
         "ERROR invalid regular expression at byte 2: unclosed character class"},
        {"vault_search", "'query':'ALPHA','mode':'regex'", "0 matches in 0 files"},
        {"vault_search", "'query':'ALPHA','mode':'regex','ignore_case':true",
         "4 matches in 3 files"},
        {"vault_search", "'query':'alpha','mode':'guess'",
         "ERROR mode must be one of: text, regex, words"},
        {"vault_search", "'query':'alpha','folder':'None'", "[No such folder 'None'"},
        {"vault_search", "'query':'alpha','limit':1,'max_results':2",
         "=ERROR limit is given twice, as 'limit' and 'max_results', nothing was done: "
         "give it once"},
        {"vault_query", "'top_k':1", "[more: offset 1]"},
        {"vault_links", "'path':'Plan','maxResults':1", "Work/Plan.md: "},
        {"vault_changes", "'max_results':1", "0 changes"},
        {"vault_search", "'query':'alpha','folder':'Work','max_results':1",
         "=3 matches in 2 files\nWork/Log.md\n1: **alpha**\n[more: offset 1]\n"},
        {"vault_search", "'query':'tag:work'", "1 match in 1 file\nWork/Plan.md"},
        {"vault_search", "'query':'alpha','tag':'none'", "[No note has the tag 'none'"},
        {"vault_search", "'query':'alpha','path_filter':['[']", "ERROR invalid glob '['"},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_links(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_links", "'path':'Home'",
         "=Home.md: 2 links\noutgoing:\n3: Work/Plan.md\n3: Missing (no such file)\n"},
        {"vault_links", "", "ERROR path is missing: name a note"},
        {"vault_links", "'path':'None'", "ERROR File not found: None;"},
        {"vault_links", "'direction':'unresolved'",
         "=1 unresolved link\n1 Missing in Home.md\n"},
        {"vault_links", "'direction':'orphans'",
         "=4 notes without links\nBoard.md\nTable.md\nTemplates/Daily.md\nWork/Log.md\n"},
        {"vault_links", "'direction':'path','path':'Home'", "ERROR to is missing: "},
        {"vault_links", "'direction':'path','path':'Home','to':'Plan'",
         "=Home.md: 2 notes on the path\n0 Home.md\n1 Work/Plan.md\n"},
        {"vault_links", "'direction':'path','path':'Plan','to':'Log'",
         "[no chain of links connects the two notes]"},
        {"vault_links", "'path':'Plan','direction':'neighbours','depth':2",
         "1 neighbour, with its distance\n1 Home.md\n"},
        {"vault_links", "'path':'Plan','direction':'backlinks'", "Home.md"},
        {"vault_links", "'path':'Plan','direction':'sideways'",
         "ERROR direction must be one of: outgoing, backlinks,"},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_query(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_query", "'where':'status = `active`'", "=1 note\nWork/Plan.md\n"},
        {"vault_query", "'where':'status ='",
         "=ERROR where: expected a value at byte 8, found the end"},
        {"vault_query", "'where':'nosuch > 3'", "[no note has 'nosuch']\n0 notes"},
        {"vault_query", "'from':'tasks'",
         "=4 tasks\nBoard.md\n7: [ ] first\n11: [x] old\nHome.md\n5: [ ] call Ann 📅 "
         "2026-03-01\n6: [x] done\n"},
        {"vault_query", "'from':'tags'", "#open 1\n#work 1\n"},
        {"vault_query", "'from':'things'",
         "=ERROR from must be one of: notes, tasks, properties, tags"},
        {"vault_query", "'count':true", "=6 notes\n"},
        {"vault_query", "'group':'status'", "(none) | 5\nactive | 1\n"},
        {"vault_query", "'sort':['file.name'],'limit':2",
         "=6 notes\nBoard.md\nTemplates/Daily.md\n[more: offset 2]\n"},
        {"vault_query", "'sort':['file.name'],'limit':2,'offset':4",
         "=6 notes\nWork/Plan.md\nTable.md\n"},
        {"vault_query", "'select':['status','file.name'],'where':'status'",
         "path | status | file.name\nWork/Plan.md | active | Plan\n"},
        {"vault_query", "'folder':'None'", "[No such folder 'None'"},
        {"vault_query", "'base':'Nope.base'",
         "ERROR File not found: Nope.base; nor is it the text of a base"},
        {"vault_query", "'dql':'TABLE status FROM \\'Work\\''",
         "Work/Plan.md | active\n"},
        {"vault_query", "'dql':'TABLE FROM FROM'", "ERROR query: expected a #tag"},
        {"vault_query", "'where':'status','dql':'LIST'",
         "ERROR dql has its own FROM, WHERE,"},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_overview(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_check", "",
         "=1 finding: broken_link 1\nHome.md\n3: broken_link: There is no 'Missing' to "
         "link to; create the note, or remove the link\n"},
        {"vault_check", "'kinds':['nonsense']", "ERROR no kind 'nonsense'; there are "},
        {"vault_check", "'folder':'Work'", "=0 findings\n"},
        {"vault_context", "", "[No guidance here."},
        {"vault_info", "", "notes: 6\nattachments: 1\n"},
        {"vault_info", "", "can_change: true\n"},
        {"vault_guide", "", "ERROR topic is missing"},
        {"vault_guide", "'topic':'zzz'", "ERROR topic must be one of: links, embeds,"},
        {"vault_guide", "'topic':'canvas'", "canvas"},
        {"vault_changes", "", "=0 changes, latest first\n"},
        {"vault_changes", "'change':99", "ERROR no such change 99"},
        {"vault_nope", "", "=RPC -32602 Unknown tool: vault_nope"},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void fill_guided(struct place *p)
{
    fill_notes(p);
    place_put(p, "CLAUDE.md", STR("be brief\n"));
    place_put(p, "Work/CLAUDE.md", STR("be exact\n"));
}

/* What is nearer comes too, and a folder above knows nothing of the ones below. */
static void test_vault_context(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_context", "'path':'Work/New.md'", "be exact"},
        {"vault_context", "'path':'Work/New.md'", "be brief"},
        {"vault_context", "'path':'Home.md'", "be brief"},
    };
    struct app_place *p = app_place_open("", fill_guided);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    CHECK("not below", str_find(app_call(p, "vault_context", "'path':'Home.md'"),
                                STR("be exact")) == STR_NONE);
    app_place_close(p);
}

/* --- who asks --- */

static void test_grants(void **state)
{
    (void)state;
    static const struct app_row hidden[] = {
        {"vault_read", "'path':'Work/Plan.md'", "ERROR File not found: Work/Plan.md"},
        {"vault_read", "'path':'Plan'", "ERROR File not found: Plan"},
        {"vault_list", "'recursive':true", "5 files\n"},
        {"vault_list", "'path':'Work'", "ERROR File not found: Work"},
        {"vault_search", "'query':'beta'", "0 matches in 0 files"},
        {"vault_query", "'count':true", "=4 notes\n"},
        {"vault_query", "'from':'tags'", "=1 tag, with its number of notes\n#open 1\n"},
        {"vault_links", "'direction':'unresolved'", "1 Plan in Home.md"},
        {"vault_context", "'path':'Work/x.md'", "[No guidance here."},
        {"vault_info", "", "notes: 4\n"},
        {"vault_write", "'path':'Work/Plan.md','content':'x','overwrite':true", "ERROR ",
         "Work/Plan.md", PLAN},
        {"vault_delete", "'path':'Work','recursive':true", "ERROR File not found: Work",
         "Work/Plan.md", PLAN},
    };
    static const struct app_row reads[] = {
        {"vault_read", "'path':'Plan'", "Work/Plan.md (16 lines"},
        {"vault_info", "", "can_change: false\n"},
        {"vault_write", "'path':'New.md','content':'x'",
         "=RPC -32602 Unknown tool: vault_write", "New.md", NULL},
        {"vault_delete", "'path':'Plan'", "=RPC -32602 Unknown tool: vault_delete",
         "Work/Plan.md", PLAN},
        {"vault_batch", "'steps':[]", "=RPC -32602 Unknown tool: vault_batch"},
    };
    check_notes("", "deny Work\n", hidden, COUNT_OF(hidden));
    check_notes("--deny-paths Work", "", hidden, COUNT_OF(hidden));
    check_notes("", "read-only\n", reads, COUNT_OF(reads));
    check_notes("--read-only", "", reads, COUNT_OF(reads));
}

static void fill_two(struct place *p)
{
    fill_notes(p);
    place_put(p, "../two/Other.md", STR("delta alpha\n"));
}

/* With several vaults, a call names one; the first is the default. */
static void test_several(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_read", "'path':'Home'", "Home.md (6 lines"},
        {"vault_read", "'path':'Other'", "ERROR File not found: Other"},
        {"vault_read", "'path':'Other','vault':'two'", "Other.md (1 line"},
        {"vault_read", "'path':'Home','vault':'two'", "ERROR File not found: Home"},
        {"vault_read", "'path':'Home','vault':'three'",
         "ERROR vault must be one of: one, two"},
        {"vault_search", "'query':'delta','vault':'*'", "Other.md"},
        {"vault_search", "'query':'alpha','vault':'*'", "Work/Log.md"},
        {"vault_read", "'path':'Home','vault':'*'",
         "ERROR vault must be one of: one, two"},
        {"vault_write", "'path':'New.md','content':'x','vault':'two'", "created New.md",
         "../two/New.md", "x"},
    };
    struct app_place *p =
        app_place_open("--vault one=@/vault --vault two=@/two", fill_two);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    CHECK("not in the first", !place_has(p->place, "New.md"));
    app_place_close(p);
}

static void fill_broken(struct place *p)
{
    fill_notes(p);
    place_put(
        p, "Ref.md",
        STR("[[Plam]] [[Old/Plan]] [[Plan#Latr]] [[Plan#^b9]] [[Plan#Zzz]] [[Quux]] "
            "[[Secret note]]\n"));
    place_put(p, "Private/Secret notes.md", STR("x\n"));
}

/* What a broken link may mean, by the same rule in every tool, and nothing that is hidden. */
static void test_broken_links(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_links", "'path':'Ref','direction':'outgoing'",
         "1: Plam (no such file; did you mean 'Work/Plan.md'?)\n"
         "1: Old/Plan (no such file; did you mean 'Work/Plan.md'?)\n"
         "1: Work/Plan.md#Latr (no such heading; did you mean '#Later'?)\n"
         "1: Work/Plan.md#^b9 (no such block; did you mean '#^b1'?)\n"
         "1: Work/Plan.md#Zzz (no such heading)\n"
         "1: Quux (no such file)\n"
         "1: Secret note (no such file)\n"},
        {"vault_read", "'path':'Ref','view':'links'",
         "1: Plam (no such file; did you mean 'Work/Plan.md'?)"},
        {"vault_links", "'direction':'unresolved'",
         "1 Plam in Ref.md; did you mean 'Work/Plan.md'?"},
        {"vault_links", "'direction':'unresolved'", "1 Secret note in Ref.md\n"},
        {"vault_check", "",
         "There is no 'Plam' to link to; did you mean 'Work/Plan.md'?"},
        {"vault_check", "", "There is no 'Secret note' to link to; create the note"},
        {"vault_read", "'path':'Plam'",
         "ERROR File not found: Plam; did you mean 'Work/"},
    };
    check_filled(fill_broken, "--deny-paths Private/", "", rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vault_read),    cmocka_unit_test(test_vault_list),
        cmocka_unit_test(test_vault_search),  cmocka_unit_test(test_vault_links),
        cmocka_unit_test(test_vault_query),   cmocka_unit_test(test_overview),
        cmocka_unit_test(test_vault_context), cmocka_unit_test(test_grants),
        cmocka_unit_test(test_several),       cmocka_unit_test(test_broken_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
