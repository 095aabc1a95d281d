/* The tools that change notes: what they answer, what they refuse, and the file afterwards. */
#include "notes.h"

#define PLAN_OF(properties, text, next, later)                                           \
    "---\n" properties "---\n# Plan\n\n" text "\n\n## Next\n\n- one\n" next              \
    "\n## Later\n\n" later "\n"
#define PROPERTIES "status: active\ntags: [work]\n"

static void test_vault_write(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_write", "'path':'New.md','content':'x'",
         "created New.md (now 1 line, etag eaf06c6480b2cd11, change ", "New.md", "x"},
        {"vault_write", "'path':'A/B/New.md','content':'x'", "created A/B/New.md",
         "A/B/New.md", "x"},
        {"vault_write", "'path':'A/B/New.md','content':'x','create_dirs':false",
         "ERROR no such folder 'A/B': set create_dirs", "A", NULL},
        {"vault_write", "'path':'Home.md','content':'x'",
         "ERROR 'Home.md' exists (82 bytes, etag 57fb3a8deaf048cd), nothing was written",
         "Home.md", HOME},
        {"vault_write", "'path':'Home.md','content':'x','overwrite':true",
         "changed Home.md", "Home.md", "x"},
        {"vault_write", "'path':'Home.md','content':'x','if_match':'57fb3a8deaf048cd'",
         "changed Home.md", "Home.md", "x"},
        {"vault_write", "'path':'Home.md','content':'x','if_match':'0000000000000000'",
         "ERROR 'Home.md' has changed: its etag is now 57fb3a8deaf048cd", "Home.md",
         HOME},
        {"vault_write",
         "'path':'Work/Plan.md','content':'new','overwrite':true,'keep_properties':true",
         "changed Work/Plan.md", "Work/Plan.md",
         "---\nstatus: active\ntags: [work]\n---\nnew"},
        {"vault_write", "'path':'New.md','content':'x','dry_run':true",
         "dry run, nothing was changed: created New.md", "New.md", NULL},
        {"vault_write", "'path':'Plan.md','content':'x'",
         "ERROR 'Work/Plan.md' has that name", "Plan.md", NULL},
        {"vault_write", "'path':'/Plan.md','content':'x'", "created Plan.md", "Plan.md",
         "x"},
        {"vault_write", "'path':'../New.md','content':'x'",
         "ERROR '..' is not allowed in a path", "../New.md", NULL},
        {"vault_write", "'path':'.obsidian/app.json','content':'x'",
         "ERROR '.obsidian' is a hidden name", ".obsidian", NULL},
        {"vault_write", "'path':'a:b.md','content':'x'",
         "ERROR 'a:b.md' cannot be used as a name", "a:b.md", NULL},
        {"vault_write", "'path':'New.png','content':'aGVsbG8=','encoding':'base64'",
         "ERROR 'New.png' would not be valid", "New.png", NULL},
        {"vault_write", "'path':'New.png','content':'%%','encoding':'base64'",
         "ERROR content is not base64", "New.png", NULL},
        {"vault_write", "'path':'New.md','content':'y','template':'None'", "ERROR ",
         "New.md", NULL},
        {"vault_write", "'path':'A/New/','content':''", "created A/New (change "},
        {"vault_write", "'path':'A/New/','content':'','dry_run':true",
         "dry run, nothing was changed: created A/New", "A", NULL},
        {"vault_write", "'path':'Work/','content':''", "unchanged Work"},
        {"vault_write", "'path':'A/New/','content':'x'", "ERROR 'A/New/' is a folder",
         "A", NULL},
        {"vault_write", "'path':'Home.md/','content':''", "ERROR 'Home.md' is a file",
         "Home.md", HOME},
        {"vault_write", "'path':'../New/','content':''",
         "ERROR '..' is not allowed in a path"},
        {"vault_write", "'path':'.git/','content':''", "ERROR '.git' is a hidden name"},
        {"vault_write", "'path':'New.md'", "=ERROR content is missing: Whole new text",
         "New.md", NULL},
        {"vault_write", "'content':'x'", "ERROR path is missing"},
        {"vault_write", "'path':'New.md','content':5", "=ERROR content must be a string",
         "New.md", NULL},
        {"vault_write", "'path':'New.md','content':'x','whatever':true",
         "ERROR unknown argument 'whatever', nothing was done", "New.md", NULL},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_edit(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_edit", "'path':'Plan','old_text':'beta','new_text':'BETA'",
         "edited Work/Plan.md (1 replacement, now 16 lines", "Work/Plan.md",
         PLAN_OF(PROPERTIES, "alpha BETA", "- two ^b1\n", "gamma")},
        {"vault_edit", "'path':'Plan','old_text':'zzz','new_text':'x'",
         "ERROR Text not found in file", "Work/Plan.md", PLAN},
        {"vault_edit", "'path':'Log','old_text':'alpha','new_text':'x'",
         "ERROR Text appears 2 times in file, must be unique (lines 1, 2)", "Work/Log.md",
         "alpha\nalpha\n"},
        {"vault_edit",
         "'path':'Log','old_text':'alpha','new_text':'x','replace_all':true",
         "(2 replacements", "Work/Log.md", "x\nx\n"},
        {"vault_edit", "'path':'Log','old_text':'a(l)pha','new_text':'$1','regex':true",
         "(2 replacements", "Work/Log.md", "l\nl\n"},
        {"vault_edit", "'path':'Log','old_text':'a(l','new_text':'$1','regex':true",
         "ERROR invalid regular expression at byte 1: unclosed group", "Work/Log.md",
         "alpha\nalpha\n"},
        {"vault_edit", "'path':'Plan','lines':'70','new_text':'x'",
         "ERROR lines 70-70 are not between 1 and 16"},
        {"vault_edit", "'path':'Plan','lines':'x','new_text':'x'",
         "=ERROR lines are a range such as 12-15, counted from 1"},
        {"vault_edit",
         "'path':'Plan','section':'Later','old_text':'gamma','new_text':'delta'",
         "edited Work/Plan.md", "Work/Plan.md",
         PLAN_OF(PROPERTIES, "alpha beta", "- two ^b1\n", "delta")},
        {"vault_edit",
         "'path':'Plan','section':'Next','old_text':'gamma','new_text':'delta'", "ERROR ",
         "Work/Plan.md", PLAN},
        {"vault_edit",
         "'path':'Plan','section':'Nope','old_text':'gamma','new_text':'delta'",
         "ERROR Heading \"Nope\" not found", "Work/Plan.md", PLAN},
        {"vault_edit",
         "'path':'Plan','edits':[{'old_text':'alpha','new_text':'1'},{'old_text':'gamma',"
         "'new_text':'2'}]",
         "(2 replacements", "Work/Plan.md",
         PLAN_OF(PROPERTIES, "1 beta", "- two ^b1\n", "2")},
        {"vault_edit",
         "'path':'Plan','edits':[{'old_text':'alpha','new_text':'1'},{'old_text':'zzz','"
         "new_text':'2'}]",
         "[replacement 2 of 2]", "Work/Plan.md", PLAN},
        {"vault_edit", "'path':'Plan','edits':[{'old':'alpha'}]",
         "ERROR edits, item 1: old_text is missing"},
        {"vault_edit", "'path':'Plan','edits':[]", "=ERROR edits is empty"},
        {"vault_edit", "'path':'Plan'",
         "ERROR old_text is missing; give old_text and new_text, edits, lines, or row"},
        {"vault_edit", "'path':'None','old_text':'a','new_text':'b'",
         "ERROR File not found: None;"},
        {"vault_edit", "'path':'Table','row':'Ann','cells':{'Age':'31'}",
         "3: | Ann | 31 |", "Table.md",
         "| Name | Age |\n|---|---|\n| Ann | 31 |\n| Bob | 40 |\n"},
        {"vault_edit", "'path':'Table','row':'Cid','cells':{'Age':'5'}", "5: | Cid | 5 |",
         "Table.md", TABLE "| Cid | 5 |\n"},
        {"vault_edit", "'path':'Table','row':'Bob'", "removed row 'Bob'", "Table.md",
         "| Name | Age |\n|---|---|\n| Ann | 30 |\n"},
        {"vault_edit", "'path':'Table','row':'Ann','cells':{'Size':'31'}",
         "=ERROR the table has no column \"Size\"; it has \"Name\", \"Age\"", "Table.md",
         TABLE},
        {"vault_edit", "'path':'Plan','old_text':'alpha','new_text':'alpha'",
         "unchanged Work/Plan.md", "Work/Plan.md", PLAN},
        {"vault_edit", "'path':'Plan','old_text':'beta','new_text':'BETA','dry_run':true",
         "-alpha beta\n+alpha BETA\n", "Work/Plan.md", PLAN},
        {"vault_edit",
         "'path':'Plan','old_text':'beta','new_text':'BETA','if_match':'"
         "ffffffffffffffff'",
         "ERROR 'Work/Plan.md' has changed: its etag is now 6368798bb57710e6",
         "Work/Plan.md", PLAN},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_insert(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_insert", "'path':'Log','content':'omega'", "4: omega", "Work/Log.md",
         "alpha\nalpha\n\nomega\n"},
        {"vault_insert", "'path':'None','content':'omega'",
         "=ERROR File not found: None; to create it, set create: true", "None.md", NULL},
        {"vault_insert", "'path':'None','content':'omega','create':true",
         "created None.md", "None.md", "omega\n"},
        {"vault_insert",
         "'path':'Plan','content':'x','where':'section_end','anchor':'Next'",
         "at Plan#Next", "Work/Plan.md",
         PLAN_OF(PROPERTIES, "alpha beta", "- two ^b1\n\nx\n", "gamma")},
        {"vault_insert",
         "'path':'Plan','content':'x','where':'section_end','anchor':'Nope'",
         "ERROR Heading \"Nope\" not found", "Work/Plan.md", PLAN},
        {"vault_insert", "'path':'Plan','content':'x','where':'before','anchor':'beta'",
         "at line 7", "Work/Plan.md",
         PLAN_OF(PROPERTIES, "x\nalpha beta", "- two ^b1\n", "gamma")},
        {"vault_insert", "'path':'Log','content':'x','where':'before','anchor':'alpha'",
         "ERROR Text appears 2 times in file", "Work/Log.md", "alpha\nalpha\n"},
        {"vault_insert", "'path':'Plan','content':'x','where':'before'",
         "=ERROR where before needs anchor"},
        {"vault_insert", "'path':'Plan','content':'x','where':'line'",
         "=ERROR where line needs line"},
        {"vault_insert", "'path':'Plan','content':'x','where':'line','line':1000",
         "ERROR line 1000 is not between 1 and 17", "Work/Plan.md", PLAN},
        {"vault_insert", "'path':'Plan','content':'x','where':'prepend'", "5: x",
         "Work/Plan.md",
         "---\n" PROPERTIES "---\nx\n\n# Plan\n\nalpha beta\n\n## Next\n\n- one\n- two "
         "^b1\n\n## Later\n\ngamma\n"},
        {"vault_insert",
         "'path':'Plan','content':'x','where':'block_after','anchor':'zz'",
         "=ERROR Block ^zz not found; the note has ^b1 (line 12)", "Work/Plan.md", PLAN},
        {"vault_insert", "'path':'Plan','content':'x','where':'inside'",
         "ERROR where must be one of: append, prepend,"},
        {"vault_insert", "'path':'Plan','content':''",
         "=ERROR there is no text to insert", "Work/Plan.md", PLAN},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_frontmatter(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_frontmatter", "'path':'Plan','set':{'status':'done','n':5}",
         "properties status, n", "Work/Plan.md",
         PLAN_OF("status: done\ntags: [work]\nn: 5\n", "alpha beta", "- two ^b1\n",
                 "gamma")},
        {"vault_frontmatter", "'path':'Log','set':{'status':'done'}", "status: done",
         "Work/Log.md", "---\nstatus: done\n---\nalpha\nalpha\n"},
        {"vault_frontmatter", "'path':'Plan','add':{'tags':['garden']}",
         "tags: [work, garden]", "Work/Plan.md",
         PLAN_OF("status: active\ntags: [work, garden]\n", "alpha beta", "- two ^b1\n",
                 "gamma")},
        {"vault_frontmatter", "'path':'Plan','take':{'tags':['work']}", "tags: []",
         "Work/Plan.md",
         PLAN_OF("status: active\ntags: []\n", "alpha beta", "- two ^b1\n", "gamma")},
        {"vault_frontmatter", "'path':'Plan','remove':['status']", "properties status",
         "Work/Plan.md", PLAN_OF("tags: [work]\n", "alpha beta", "- two ^b1\n", "gamma")},
        {"vault_frontmatter", "'path':'Plan','remove':['nosuch']",
         "[there is no property 'nosuch']", "Work/Plan.md", PLAN},
        {"vault_frontmatter", "'path':'Plan'",
         "=ERROR nothing to do: give set, add, take or remove"},
        {"vault_frontmatter", "'path':'Plan','set':{}",
         "=ERROR nothing to do: give set, add, take or remove"},
        {"vault_frontmatter", "'path':'Plan','set':'x'", "=ERROR set must be an object"},
        {"vault_frontmatter", "'path':'Plan','set':{'':1}",
         "ERROR a property's name must be text on one line", "Work/Plan.md", PLAN},
        {"vault_frontmatter", "'set':{'a':1}", "=ERROR give either path, paths or where"},
        {"vault_frontmatter", "'path':'None','set':{'a':1}",
         "ERROR File not found: None;"},
        {"vault_frontmatter", "'paths':['Plan','Log'],'set':{'a':1}", "changed 2 notes",
         "Work/Log.md", "---\na: 1\n---\nalpha\nalpha\n"},
        {"vault_frontmatter", "'paths':['Plan','None'],'set':{'a':1}",
         "nothing was changed in any note", "Work/Plan.md", PLAN},
        {"vault_frontmatter", "'where':'status = `active`','set':{'a':1}",
         "changed 1 note"},
        {"vault_frontmatter", "'where':'status = `nope`','set':{'a':1}",
         "ERROR no note matches "},
        {"vault_frontmatter", "'path':'Plan','set':{'a':1},'dry_run':true", "+a: 1\n",
         "Work/Plan.md", PLAN},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_move(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_move", "'path':'Plan','to':'Work/Goal.md'",
         "renamed Work/Plan.md to Work/Goal.md (rewrote 1 link in 1 note", "Work/Goal.md",
         PLAN},
        {"vault_move", "'path':'Plan','to':'Work/Goal.md'", "changed Home.md",
         "Work/Plan.md", NULL},
        {"vault_move", "'path':'Plan','to':'Work/Goal.md','keep_links':true",
         "renamed Work/Plan.md to Work/Goal.md", "Home.md", HOME},
        {"vault_move", "'path':'Plan','to':'Work/Goal.md','dry_run':true",
         "dry run, nothing was changed", "Work/Plan.md", PLAN},
        {"vault_move", "'path':'Work/Plan.md','to':'/Home.md'", "ERROR ", "Home.md",
         HOME},
        {"vault_move", "'path':'None','to':'X.md'", "ERROR File not found: None;"},
        {"vault_move", "'path':'Work','to':'Job'", "renamed Work to Job (2 files",
         "Job/Plan.md", PLAN},
        {"vault_move", "'path':'Work','to':'Work/Sub'",
         "=ERROR 'Work' cannot be moved into itself", "Work/Plan.md", PLAN},
        {"vault_move", "'path':'Plan','to':'../x.md'",
         "ERROR '..' is not allowed in a path", "Work/Plan.md", PLAN},
        {"vault_move", "'path':'Plan'",
         "=ERROR to is missing: the new path, folder or name"},
        {"vault_move", "'to':'x'", "=ERROR path is missing: name what to move"},
        {"vault_move", "'path':'Plan','heading':'Nope','to':'Soon'",
         "=ERROR 'Work/Plan.md' has no heading '#Nope'", "Work/Plan.md", PLAN},
        {"vault_move", "'path':'Plan','block':'zz','to':'b2'",
         "=ERROR 'Work/Plan.md' has no block '^zz'", "Work/Plan.md", PLAN},
        {"vault_move", "'path':'Plan','to':'Work/Goal.md'",
         "now 16 lines, etag 6368798bb57710e6, change ", "Work/Goal.md", PLAN},
        {"vault_move", "'path':'Plan','heading':'Later','to':'Soon'", "\n14: ## Soon\n",
         "Home.md", HOME},
        {"vault_move", "'path':'Plan','heading':'Later','to':'Soon'",
         "now 16 lines, etag ", "Home.md", HOME},
        {"vault_batch",
         "'steps':[{'tool':'vault_write','path':'Two.md','content':'# A\\n# A\\n'},"
         "{'tool':'vault_move','path':'Two','heading':'A#2','to':'B'}]",
         "2 steps", "Two.md", "# A\n# B\n"},
        {"vault_batch",
         "'steps':[{'tool':'vault_write','path':'Two.md','content':'# A\\n# A\\n'},"
         "{'tool':'vault_move','path':'Two','heading':'A','to':'B'}]",
         "2 headings are '#A', on lines 1, 2: include the headings above it (#A#B), or "
         "its number among them (#A#2)",
         "Two.md", NULL},
        {"vault_move", "'path':'Plan','block':'b1','to':'b2'", "", "Work/Plan.md",
         PLAN_OF(PROPERTIES, "alpha beta", "- two ^b2\n", "gamma")},
        {"vault_move", "'tag':'work','to':'job'", "", "Work/Plan.md",
         PLAN_OF("status: active\ntags: [job]\n", "alpha beta", "- two ^b1\n", "gamma")},
        {"vault_move", "'tag':'none','to':'job'", "=ERROR no note has the tag 'none'"},
        {"vault_move", "'tag':'work','to':'a b'", "ERROR 'a b' is not a tag",
         "Work/Plan.md", PLAN},
        {"vault_move", "'property':'status','to':'state'", "", "Work/Plan.md",
         PLAN_OF("state: active\ntags: [work]\n", "alpha beta", "- two ^b1\n", "gamma")},
        {"vault_move", "'property':'nosuch','to':'state'",
         "=ERROR no note has the property 'nosuch'"},
        {"vault_move", "'path':'Plan','heading':'Later','into':'Nope'", "ERROR ",
         "Work/Plan.md", PLAN},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_delete(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_delete", "'path':'Log'", "deleted Work/Log.md to .trash/Work/Log.md",
         ".trash/Work/Log.md", "alpha\nalpha\n"},
        {"vault_delete", "'path':'Plan'", "1 link to it in Home.md", "Work/Plan.md",
         NULL},
        {"vault_delete", "'path':'Plan','unlink':true", "deleted Work/Plan.md",
         "Work/Plan.md", NULL},
        {"vault_delete", "'path':'Plan','links_to':'Nope'", "ERROR File not found: Nope",
         "Work/Plan.md", PLAN},
        {"vault_delete", "'path':'Work'",
         "ERROR 'Work' is a folder with 2 files: to delete it give recursive: true",
         "Work/Plan.md", PLAN},
        {"vault_delete", "'path':'Work','recursive':true,'confirm':3", "ERROR ",
         "Work/Plan.md", PLAN},
        {"vault_delete", "'path':'Work','recursive':true,'confirm':2",
         "deleted Work to .trash/Work (2 files", "Work/Plan.md", NULL},
        {"vault_delete", "'path':'None'", "ERROR File not found: None;"},
        {"vault_delete", "", "=ERROR path is missing: name what to delete"},
        {"vault_delete", "'path':'Log','permanent':true", "deleted Work/Log.md",
         ".trash/Work/Log.md", NULL},
        {"vault_delete", "'path':'Log','dry_run':true", "dry run, nothing was changed",
         "Work/Log.md", "alpha\nalpha\n"},
        {"vault_delete", "'restore':true", "=trash: 0 files\n"},
        {"vault_delete", "'restore':true,'path':'Nope.md'",
         "ERROR 'Nope.md' is not in the trash"},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

#define HOME_OF(task) "# Home\n\n[[Plan]] and [[Missing]] #open\n\n" task "- [x] done\n"

static void test_vault_task(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_task", "'path':'Home','line':3,'status':'done'",
         "=ERROR line 3 is not a task, it is '[[Plan]] and [[Missing]] #open'", "Home.md",
         HOME},
        {"vault_task", "'path':'Home','text':'zzz','status':'done'",
         "=ERROR no task has the text 'zzz': read the note again"},
        {"vault_task", "'path':'Home','text':'call','status':'maybe'",
         "ERROR 'maybe' is not a status: use done, todo,", "Home.md", HOME},
        {"vault_task", "'path':'Home','text':'call','due':'2026-02-30'",
         "=ERROR '2026-02-30' is not a date (YYYY-MM-DD)", "Home.md", HOME},
        {"vault_task", "'path':'Home','text':'call','due':'2026-04-01'",
         "5: - [ ] call Ann 📅 2026-04-01", "Home.md",
         HOME_OF("- [ ] call Ann 📅 2026-04-01\n")},
        {"vault_task", "'path':'Home','text':'call','priority':'high'", "changed Home.md",
         "Home.md", HOME_OF("- [ ] call Ann ⏫ 📅 2026-03-01\n")},
        {"vault_task", "'path':'Home','text':'call','priority':'zzz'",
         "ERROR 'zzz' is not a priority"},
        {"vault_task", "'path':'Home','add':'new','due':'2026-05-05'",
         "7: - [ ] new 📅 2026-05-05", "Home.md", HOME "- [ ] new 📅 2026-05-05\n"},
        {"vault_task", "'path':'Home','text':'call','remove':true",
         "removed: - [ ] call Ann", "Home.md", HOME_OF("")},
        {"vault_task", "'path':'Home'", "ERROR nothing to do: give status, due,"},
        {"vault_task", "'path':'None','add':'x'", "ERROR File not found: None;"},
        {"vault_task", "'path':'Home','text':'call','to':'Nope'",
         "ERROR File not found: Nope;", "Home.md", HOME},
        {"vault_task", "'path':'Board','add':'card','lane':'Todo'", "8: - [ ] card",
         "Board.md",
         "---\nkanban-plugin: board\n---\n\n## Todo\n\n- [ ] first\n- [ ] card\n\n## "
         "Done\n\n- [x] old\n"},
        {"vault_task", "'path':'Board','text':'first','lane':'Nope'",
         "=ERROR no lane 'Nope'; the board has Todo, Done", "Board.md", BOARD},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_daily(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_daily", "'date':'2026-03-05','append':'x'", "created 2026-03-05.md",
         "2026-03-05.md", "x\n"},
        {"vault_daily", "'date':'2026-13-05'",
         "=ERROR '2026-13-05' is not a date (YYYY-MM-DD)"},
        {"vault_daily", "'date':'2026-02-29'",
         "=ERROR '2026-02-29' is not a date (YYYY-MM-DD)"},
        {"vault_daily", "'date':'2028-02-29','append':'x'", "created 2028-02-29.md",
         "2028-02-29.md", "x\n"},
        {"vault_daily", "'date':'2026-03-05','append':'x','section':'Log'",
         "create: true adds it", "2026-03-05.md", NULL},
        {"vault_daily", "'date':'2026-03-05','append':'x','section':'Log','create':true",
         "[the heading was created]", "2026-03-05.md", "## Log\n\nx\n"},
        {"vault_daily", "'period':'week','date':'2026-03-05','append':'x'",
         "ERROR this vault has no weekly notes: '2026-W10.md' does not exist",
         "2026-W10.md", NULL},
        {"vault_daily", "'period':'hour'",
         "=ERROR period must be one of: day, week, month, quarter, year"},
        {"vault_daily", "'date':'2026-03-05','append':'x','dry_run':true",
         "dry run, nothing was changed", "2026-03-05.md", NULL},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_canvas(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_canvas", "'path':'Map.canvas','steps':[{'add':'text','text':'Beta'}]",
         "text 'Beta'"},
        {"vault_canvas", "'path':'Map.canvas','steps':[]",
         "=ERROR give 1 to 100 steps, not 0", "Map.canvas", MAP},
        {"vault_canvas", "'path':'Map.canvas','steps':[{'remove':'zz'}]",
         "ERROR no node 'zz'", "Map.canvas", MAP},
        {"vault_canvas", "'path':'Map.canvas','steps':[{'remove':'a'}]",
         "removed a: text 'Alpha'", "Map.canvas", "{\"nodes\":[],\"edges\":[]}"},
        {"vault_canvas", "'path':'Map.canvas','steps':[{'remove':'a'},{'remove':'zz'}]",
         "ERROR ", "Map.canvas", MAP},
        {"vault_canvas", "'path':'Map.canvas','steps':[{'add':'file','file':'Nope.md'}]",
         "ERROR File not found: Nope.md", "Map.canvas", MAP},
        {"vault_canvas", "'path':'Map.canvas','steps':[{'fly':'a'}]",
         "=ERROR a step has one of add, change, connect, disconnect, remove"},
        {"vault_canvas", "'path':'Home.md','steps':[{'add':'text','text':'x'}]",
         "ERROR 'Home.md' is not a canvas", "Home.md", HOME},
        {"vault_canvas",
         "'path':'New.canvas','steps':[{'add':'text','text':'x'}],'dry_run':true",
         "dry run", "New.canvas", NULL},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

static void test_vault_batch(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_batch",
         "'steps':[{'tool':'vault_write','path':'N.md','content':'a'},{'tool':'vault_"
         "edit','path':'N.md','old_text':'a','new_text':'b'}]",
         "2 steps", "N.md", "b"},
        {"vault_batch",
         "'steps':[{'tool':'vault_write','path':'N.md','content':'a'},{'tool':'vault_"
         "edit','path':'N.md','old_text':'z','new_text':'b'}]",
         "ERROR step 2 (vault_edit): Text not found", "N.md", NULL},
        {"vault_batch", "'steps':[]", "=ERROR steps is empty"},
        {"vault_batch", "'steps':'x'", "=ERROR steps must be an array"},
        {"vault_batch", "'steps':[{'tool':'vault_read','path':'N.md'}]",
         "ERROR step 1: 'vault_read' cannot be a step; use vault_write"},
        {"vault_batch", "'steps':[{'path':'nope'}]", "ERROR step 1: tool is missing"},
        {"vault_batch",
         "'steps':[{'tool':'vault_write','path':'N.md','content':'a'}],'dry_run':true",
         "dry run, nothing was changed: 1 step", "N.md", NULL},
        {"vault_batch", "'steps':[{'tool':'vault_delete','path':'Home.md'}]",
         "deleted Home.md to .trash/Home.md", "Home.md", NULL},
    };
    check_notes("", "", rows, COUNT_OF(rows));
}

/* One after the other, on the same files. */
static void test_undo(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_undo", "", "=ERROR there is nothing to undo"},
        {"vault_undo", "'change':99", "ERROR no such change 99"},
        {"vault_undo", "'change':0", "ERROR change must be from 1 to "},
        {"vault_write", "'path':'One.md','content':'1','idempotency_key':'k'",
         "change 1)", "One.md", "1"},
        {"vault_write", "'path':'One.md','content':'1','idempotency_key':'k'",
         "=made before, not again: One.md (1 line then, etag 65cd25028f98f158, change "
         "1)\n",
         "One.md", "1"},
        {"vault_write", "'path':'Two.md','content':'1','idempotency_key':'k'",
         "=ERROR this idempotency_key was used for another change: use a new one",
         "Two.md", NULL},
        {"vault_delete", "'path':'Work/Log.md'", "change 2)", "Work/Log.md", NULL},
        {"vault_changes", "'limit':1", "1 change, latest first\n2 "},
        {"vault_changes", "'limit':1", "[more: before 2]"},
        {"vault_undo", "'change':1", "undone change 1 (change 3)", "One.md", NULL},
        {"vault_undo", "'change':1", "ERROR ", "One.md", NULL},
        {"vault_delete", "'restore':true,'path':'Work/Log.md'", "Work/Log.md",
         "Work/Log.md", "alpha\nalpha\n"},
        {"vault_undo", "", "undone change 4", "Work/Log.md", NULL},
        {"vault_delete", "'restore':true,'path':'Work/Log.md'",
         "restored Work/Log.md (now 2 lines, etag 408eeb89f9e14db2, change 6)"},
        {"vault_edit", "'path':'Log','lines':'2','new_text':'beta'", "2: beta\n"},
        {"vault_undo", "",
         "undone change 7 (change 8)\nchanged back Work/Log.md (etag 408eeb89f9e14db2)\n"
         "2: alpha\n"},
        {"vault_edit", "'path':'Log','lines':'1','new_text':'zeta'", "1: zeta\n"},
        {"vault_edit",
         "'path':'Log','old_text':'alpha','new_text':'x','if_match':'408eeb89f9e14db2'",
         "ERROR 'Work/Log.md' has changed: its etag is now "},
        {"vault_edit",
         "'path':'Log','old_text':'alpha','new_text':'x','if_match':'408eeb89f9e14db2'",
         "; read it again; since your etag:\n--- Work/Log.md\n+++ Work/Log.md\n"
         "@@ -1,2 +1,2 @@\n-alpha\n+zeta\n alpha\n",
         "Work/Log.md", "zeta\nalpha\n"},
        {"vault_write",
         "'path':'Work/Log.md','content':'x','if_match':'408eeb89f9e14db2'",
         "-alpha\n+zeta\n alpha\n", "Work/Log.md", "zeta\nalpha\n"},
        {"vault_insert", "'path':'Log','content':'x','if_match':'0123456789abcdef'",
         "; read it again"},
    };
    struct app_place *p = app_place_open("", fill_notes);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    app_place_close(p);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vault_write),  cmocka_unit_test(test_vault_edit),
        cmocka_unit_test(test_vault_insert), cmocka_unit_test(test_vault_frontmatter),
        cmocka_unit_test(test_vault_move),   cmocka_unit_test(test_vault_delete),
        cmocka_unit_test(test_vault_task),   cmocka_unit_test(test_vault_daily),
        cmocka_unit_test(test_vault_canvas), cmocka_unit_test(test_vault_batch),
        cmocka_unit_test(test_undo),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
