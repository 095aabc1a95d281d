/* The set of claude-desktop: notes are known by name, and answers have that server's members. */
#include "notes.h"

static void fill_finding(struct place *p)
{
    fill_notes(p);
    place_put(p, "Other/Plan.md", STR("twin\n"));
    place_put(p, "Broken.md", STR("---\na: [\n---\ntext\n"));
}

static void test_finding(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"read_note", "'name':'Plan'",
         "=ERROR 'Plan' matches several files: 'Work/Plan.md', 'Other/Plan.md'; give the "
         "path"},
        {"read_note", "'name':'Map.canvas'", "=ERROR 'Map.canvas' is not a note"},
        {"read_note", "'name':''", "=ERROR the name of the note is empty"},
        {"read_note", "'name':'../x'",
         "=ERROR '..' is not allowed in a path: give the path from the vault root"},
        {"get_frontmatter", "'name':'Broken'",
         "=ERROR the frontmatter of 'Broken.md' cannot be read: line 3, column 1: a "
         "value is missing here"},
        {"get_frontmatter", "'name':'Log'", "~{}"},
        {"get_frontmatter", "'name':'Work/Plan'", "~{'status':'active','tags':['work']}"},
        {"list_notes", "",
         "~{'notes':['Board','Broken','Home','Plan','Table','Daily','Log','Plan'],'total'"
         ":8,'limit':100,'offset':0}"},
        {"list_notes", "'limit':2,'offset':1",
         "~{'notes':['Broken','Home'],'total':8,'limit':2,'offset':1}"},
        {"search_notes", "'query':'plan','mode':'name'",
         "~{'results':[{'name':'Plan','path':'Other/"
         "Plan.md'},{'name':'Plan','path':'Work/Plan.md'}],'total':2}"},
        {"search_notes", "'query':'PLAN.md','mode':'name'",
         "~{'results':[{'name':'Plan','path':'Other/"
         "Plan.md'},{'name':'Plan','path':'Work/Plan.md'}],'total':2}"},
        {"search_notes", "'query':'la','mode':'name_partial'",
         "~{'results':[{'name':'Plan','path':'Other/"
         "Plan.md'},{'name':'Plan','path':'Work/Plan.md'}],'total':2}"},
        {"search_notes", "'query':'#work','mode':'tag'",
         "~{'results':[{'name':'Plan','path':'Work/Plan.md'}],'total':1}"},
        {"search_notes", "'query':'nothing','mode':'tag'", "~{'results':[],'total':0}"},
        {"search_notes", "'query':'beta','mode':'content'",
         "~{'results':[{'name':'Plan','path':'Work/Plan.md','line':7,'snippet':'--- "
         "status: active tags: [work] --- # Plan  alpha **beta**  ## Next  - one - two "
         "^b1  ## Later  gamma '}],'total':1}"},
        {"search_notes", "'query':'plan'",
         "~{'results':[{'name':'Plan','path':'Other/"
         "Plan.md'},{'name':'Plan','path':'Work/"
         "Plan.md'},{'name':'Home','path':'Home.md','line':3,'snippet':'# Home  "
         "[[**Plan**]] and [[Missing]] #open  - [ ] call Ann 📅 2026-03...'}],'total':3}"},
        {"search_notes", "'query':'beta','mode':'odd'",
         "=ERROR mode must be one of: name, name_partial, content, tag"},
        {"get_links", "'name':'Home'",
         "~{'name':'Home','path':'Home.md','incoming':[],'outgoing':[{'name':'Plan','"
         "path':'Work/Plan.md','count':1},{'name':'Missing','exists':false,'count':1}]}"},
        {"get_links", "'name':'Work/Plan'",
         "~{'name':'Plan','path':'Work/"
         "Plan.md','incoming':[{'name':'Home','path':'Home.md','count':1}],'outgoing':[]"
         "}"},
        {"get_links", "'name':'Work/Plan','direction':'incoming'",
         "~{'name':'Plan','path':'Work/"
         "Plan.md','incoming':[{'name':'Home','path':'Home.md','count':1}]}"},
        {"get_links", "'name':'Work/Plan','direction':'outgoing'",
         "~{'name':'Plan','path':'Work/Plan.md','outgoing':[]}"},
        {"get_links", "'name':'Nope'",
         "=ERROR File not found: Nope; search_notes finds notes by parts of their names"},
        {"read_section", "'name':'Work/Plan','section':'Next'", "=- one\n- two ^b1"},
        {"read_section", "'name':'Work/Plan','section':'Nope'",
         "=ERROR Heading \"Nope\" not found; the note has: \"# Plan\" (line 5), "
         "\"Plan#Next\" (line 9), \"Plan#Later\" (line 14)"},
        {"create_note", "'name':'Plan'",
         "=ERROR 'Plan' matches several files: 'Work/Plan.md', 'Other/Plan.md'; give the "
         "path"},

    };
    check_filled(fill_finding, "--tools claude-desktop", "", rows, COUNT_OF(rows));
}

static void test_changing(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"append_note", "'name':'Log','text':'x'",
         "~{'name':'Log','path':'Work/Log.md','appended':true}", "Work/Log.md",
         "alpha\nalpha\n\nx\n"},
        {"append_note", "'name':'Nope','text':'x'",
         "=ERROR File not found: Nope; search_notes finds notes by parts of their names",
         "Nope.md", NULL},
        {"insert_note", "'name':'Plan','text':'x','before':'Later'",
         "~{'name':'Plan','path':'Work/Plan.md','inserted':true}", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Next\n\n- "
         "one\n- two ^b1\n\n## xLater\n\ngamma\n"},
        {"insert_note", "'name':'Plan','text':'x','after':'Next'",
         "~{'name':'Plan','path':'Work/Plan.md','inserted':true}", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Nextx\n\n- "
         "one\n- two ^b1\n\n## Later\n\ngamma\n"},
        {"insert_note", "'name':'Plan','text':'x'",
         "=ERROR Exactly one of 'before' or 'after' must be provided", "Work/Plan.md",
         PLAN},
        {"insert_note", "'name':'Plan','text':'x','before':'Later','after':'Next'",
         "=ERROR Exactly one of 'before' or 'after' must be provided", "Work/Plan.md",
         PLAN},
        {"insert_note", "'name':'Plan','text':'x','before':'Nope'",
         "=ERROR Text not found in file, nor anything similar; read the note again",
         "Work/Plan.md", PLAN},
        {"replace_note", "'name':'Log','old_text':'alpha','new_text':'x'",
         "=ERROR Text appears 2 times in file, must be unique (lines 1, 2): send more of "
         "the text around it, or replace_all",
         "Work/Log.md", "alpha\nalpha\n"},
        {"replace_note",
         "'name':'Log','old_text':'alpha','new_text':'x','replace_all':true",
         "~{'replaced':2}", "Work/Log.md", "x\nx\n"},
        {"replace_note", "'name':'Plan','old_text':'status: active','new_text':'x'",
         "=ERROR Text not found in the body: it occurs only in the frontmatter",
         "Work/Plan.md", PLAN},
        {"update_note", "'name':'Plan','content':'new body\\n'",
         "~{'name':'Plan','path':'Work/Plan.md','updated':true}", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\nnew body\n"},
        {"update_note",
         "'name':'Plan','content':'---\\nstatus: active\\ntags: [work]\\n---\\nnew "
         "body\\n'",
         "~{'name':'Plan','path':'Work/Plan.md','updated':true}", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\nnew body\n"},
        {"update_note",
         "'name':'Plan','content':'---\\nstatus: done\\n---\\nnew body\\n'",
         "=ERROR content begins with frontmatter that differs from the note's, which "
         "update_note keeps: send the body alone, and change properties with "
         "set_frontmatter",
         "Work/Plan.md", PLAN},
        {"update_note", "'name':'Log','content':'---\\nstatus: done\\n---\\nnew\\n'",
         "~{'name':'Log','path':'Work/Log.md','updated':true}", "Work/Log.md",
         "---\nstatus: done\n---\nnew\n"},
        {"append_section", "'name':'Plan','section':'Next','text':'- three'",
         "~{'name':'Plan','path':'Work/Plan.md','appended':true}", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Next\n\n- "
         "one\n- two ^b1\n- three\n\n## Later\n\ngamma\n"},
        {"set_frontmatter", "'name':'Plan','key':'status','value':'done'",
         "~{'name':'Plan','path':'Work/Plan.md','updated':true}", "Work/Plan.md",
         "---\nstatus: done\ntags: [work]\n---\n# Plan\n\nalpha beta\n\n## Next\n\n- "
         "one\n- two ^b1\n\n## Later\n\ngamma\n"},
        {"set_frontmatter", "'name':'Log','key':'aliases','value':'[\\'a\\',\\'b\\']'",
         "~{'name':'Log','path':'Work/Log.md','updated':true}", "Work/Log.md",
         "---\naliases:\n  - a\n  - b\n---\nalpha\nalpha\n"},
        {"set_frontmatter", "'name':'Log','key':'n','value':3",
         "~{'name':'Log','path':'Work/Log.md','updated':true}", "Work/Log.md",
         "---\nn: 3\n---\nalpha\nalpha\n"},
        {"set_frontmatter", "'name':'Nope','key':'n','value':3",
         "=ERROR File not found: Nope; search_notes finds notes by parts of their names"},

    };
    check_notes("--tools claude-desktop", "", rows, COUNT_OF(rows));
}

static void test_names(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"rename_note", "'old_name':'Plan','new_name':'Goal'",
         "~{'old_name':'Plan','new_name':'Goal','path':'Work/"
         "Goal.md','renamed':true,'updated_links':1,'updated_notes':['Home.md'],'dry_run'"
         ":false}",
         "Home.md",
         "# Home\n\n[[Goal]] and [[Missing]] #open\n\n- [ ] call Ann 📅 2026-03-01\n- [x] "
         "done\n"},
        {"rename_note", "'old_name':'Plan','new_name':'Goal','dry_run':true",
         "~{'old_name':'Plan','new_name':'Goal','path':'Work/"
         "Goal.md','renamed':false,'updated_links':1,'updated_notes':['Home.md'],'dry_"
         "run':true}",
         "Work/Goal.md", NULL},
        {"rename_note", "'old_name':'Plan','new_name':'Else/Goal'",
         "~{'old_name':'Plan','new_name':'Goal','path':'Else/"
         "Goal.md','renamed':true,'updated_links':1,'updated_notes':['Home.md'],'dry_run'"
         ":false}",
         "Else/Goal.md", PLAN},
        {"rename_note", "'old_name':'Plan','new_name':'Goal.md'",
         "~{'old_name':'Plan','new_name':'Goal','path':'Work/"
         "Goal.md','renamed':true,'updated_links':1,'updated_notes':['Home.md'],'dry_run'"
         ":false}",
         "Work/Goal.md", PLAN},
        {"rename_note", "'old_name':'Plan','new_name':'Log'",
         "=ERROR 'Work/Log.md' already exists", "Work/Log.md", "alpha\nalpha\n"},
        {"rename_note", "'old_name':'Plan','new_name':''", "=ERROR new_name is empty"},
        {"rename_note", "'old_name':'Nope','new_name':'x'",
         "=ERROR File not found: Nope; search_notes finds notes by parts of their names"},
        {"delete_note", "'name':'Plan','dry_run':true",
         "~{'name':'Plan','path':'Work/Plan.md','deleted':false,'trash':'.trash/Work/"
         "Plan.md','updated_links':1,'updated_notes':['Home.md'],'dry_run':true}",
         "Work/Plan.md", PLAN},
        {"delete_note", "'name':'Plan'",
         "~{'name':'Plan','path':'Work/Plan.md','deleted':true,'trash':'.trash/Work/"
         "Plan.md','updated_links':1,'updated_notes':['Home.md'],'dry_run':false}",
         "Home.md",
         "# Home\n\nPlan and [[Missing]] #open\n\n- [ ] call Ann 📅 2026-03-01\n- [x] "
         "done\n"},
        {"create_note", "'name':'A/B','content':'x'",
         "~{'name':'B','path':'A/B.md','created':true}", "A/B.md", "x"},
        {"create_note",
         "'name':'P','content':'text\\n','frontmatter':'{\\'status\\':\\'new\\',\\'"
         "tags\\':[\\'work\\']}'",
         "~{'name':'P','path':'P.md','created':true}", "P.md",
         "---\nstatus: new\ntags:\n  - work\n---\ntext\n"},
        {"create_note", "'name':'Home.md'",
         "=ERROR note 'Home' already exists: 'Home.md'. Choose another name, or give the "
         "path of the new one",
         "Home.md", HOME},
        {"create_note", "'name':'Work/Plan','content':'x'",
         "=ERROR note 'Plan' already exists: 'Work/Plan.md'. Choose another name, or "
         "give the path of the new one",
         "Work/Plan.md", PLAN},
        {"create_note", "'name':''", "=ERROR the name of the note is empty"},
        {"create_note", "'name':'Q','frontmatter':'{nonsense'",
         "=ERROR frontmatter must be an object as JSON text", "Q.md", NULL},
        {"create_note", "'name':'../x'",
         "=ERROR '..' is not allowed in a path: give the path from the vault root"},

    };
    check_notes("--tools claude-desktop", "", rows, COUNT_OF(rows));
}

static void fill_folder_for_new(struct place *p)
{
    fill_notes(p);
    place_put(p, ".obsidian/app.json",
              STR("{\"newFileLocation\":\"folder\",\"newFileFolderPath\":\"Inbox\"}"));
}

static void test_folder_for_new(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"create_note", "'name':'New','content':'x'",
         "~{'name':'New','path':'Inbox/New.md','created':true}", "Inbox/New.md", "x"},
        {"create_note", "'name':'Work/New','content':'x'",
         "~{'name':'New','path':'Work/New.md','created':true}", "Work/New.md", "x"},

    };
    check_filled(fill_folder_for_new, "--tools claude-desktop", "", rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_changing),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_folder_for_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
