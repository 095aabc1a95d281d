/* Changes of many notes or tasks in one call, and of parts that become notes. */
#include "notes.h"

#define ONE                                                                                    \
    "# One\n\nred and red\n\n- [ ] call Ann 📅 2026-03-01\n- [ ] sweep 🔁 every day 📅 " \
    "2026-03-02\n- [x] old\n"
#define TWO "# Two\n\nRed\nred $1\n\n- [ ] call Bob 📅 2026-03-01\n  - [ ] his number\n"

static void fill_many(struct place *p)
{
    static const char *const files[][2] = {
        {"One.md", ONE},
        {"Sub/Two.md", TWO},
        {"Locked.md", "---\nai: read-only\n---\nblue red\n"},
        {"Secret.md", "---\nai: hidden\n---\nred red red\n\n- [ ] call Zoe\n"},
        {"Done.md", "# Done\n"},
        {"A [b].md", "pink\n"},
    };
    for (size_t i = 0; i < COUNT_OF(files); i++)
        place_put(p, files[i][0], str_c(files[i][1]));
}

static void test_edits(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_edit", "'paths':['One','Sub/*.md'],'old_text':'red','new_text':'green'",
         "ERROR not changed: 3 matches in 2 notes; dry_run shows the changes, and "
         "expect: "
         "3 makes them",
         "One.md", ONE},
        {"vault_edit",
         "'paths':['One','Two'],'old_text':'red','new_text':'green','expect':2",
         "ERROR not changed: 3 matches in 2 notes, not the 2 of expect", "One.md", ONE},
        {"vault_edit",
         "'paths':['One','Two'],'old_text':'red','new_text':'green','dry_run':true",
         "dry run, nothing was changed: edited 2 notes (3 replacements)", "One.md", ONE},
        {"vault_edit",
         "'paths':['One','Two'],'old_text':'red','new_text':'green','expect':3",
         "edited 2 notes (3 replacements, change ", "Sub/Two.md",
         "# Two\n\nRed\ngreen $1\n\n- [ ] call Bob 📅 2026-03-01\n  - [ ] his number\n"},
        /* every note that the caller sees; a hidden one is neither counted nor changed */
        {"vault_edit", "'paths':['**'],'old_text':'red','new_text':'green'",
         "ERROR Locked.md: 'Locked.md' is read-only"},
        {"vault_edit", "'paths':['[B-KM-Z]*.md'],'old_text':'red','new_text':'green'",
         "ERROR not changed: 3 matches in 2 notes"},
        {"vault_edit",
         "'where':'file.name = One','old_text':'(r)ed','new_text':'${1}aw',"
         "'regex':true,'expect':2",
         "edited 1 note (2 replacements", "One.md",
         "# One\n\nraw and raw\n\n- [ ] call Ann 📅 2026-03-01\n- [ ] sweep 🔁 every day 📅 "
         "2026-03-02\n- [x] old\n"},
        {"vault_edit",
         "'paths':['**'],'where':'file.folder = Sub','old_text':'red',"
         "'new_text':'x','expect':1",
         "edited 1 note (1 replacement"},
        {"vault_edit",
         "'paths':['**'],'section':'Two','old_text':'red','new_text':'x',"
         "'expect':1",
         "edited 1 note (1 replacement", "One.md", ONE},
        {"vault_edit", "'paths':['A [b]'],'old_text':'pink','new_text':'x','expect':1",
         "edited 1 note", "A [b].md", "x\n"},
        {"vault_edit",
         "'paths':['*.md','!Locked.md','!Sub/**'],'old_text':'red',"
         "'new_text':'x'",
         "ERROR not changed: 2 matches in 1 note;"},
        {"vault_edit", "'paths':['**'],'old_text':'violet','new_text':'x','expect':1",
         "=ERROR old_text is in none of these notes"},
        {"vault_edit", "'where':'file.name = None','old_text':'a','new_text':'x'",
         "ERROR no note matches 'file.name = None'"},
        {"vault_edit", "'paths':['Twoo'],'old_text':'a','new_text':'x'",
         "did you mean 'Sub/Two.md'?"},
        {"vault_edit", "'path':'One','paths':['Two'],'old_text':'a','new_text':'x'",
         "=ERROR give path alone, or paths and where"},
        {"vault_edit", "'old_text':'a','new_text':'x'",
         "=ERROR give either path, paths or where"},
        {"vault_edit", "'path':'One','old_text':'and','new_text':'x','expect':1",
         "=ERROR expect is for paths and where"},
        {"vault_edit", "'paths':['One'],'lines':'1','new_text':'x'",
         "=ERROR with paths or where, give old_text and new_text"},
        {"vault_edit",
         "'paths':['One'],'old_text':'a','new_text':'x',"
         "'if_match':'0123456789abcdef'",
         "=ERROR if_match is for one note: give path"},
        {"vault_edit", "'where':'file.name ==== x','old_text':'a','new_text':'x'",
         "ERROR "},
        /* one that may not be written keeps all from being changed */
        {"vault_edit",
         "'paths':['One','Locked'],'old_text':'red','new_text':'x',"
         "'expect':3",
         "nothing was changed in any note", "One.md", ONE},
    };
    check_filled(fill_many, "--policy-property ai", "", rows, COUNT_OF(rows));
}

/* All of it is one change. */
static void test_undone(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_edit", "'paths':['One','Two'],'old_text':'red','new_text':'x','expect':3",
         "edited 2 notes"},
        {"vault_undo", "", "undone change ", "One.md", ONE},
        {"vault_read", "'path':'Two'", "red $1", "Sub/Two.md", TWO},
        {"vault_task", "'where':'task.text contains call','status':'done','expect':2",
         "changed 2 notes"},
        {"vault_undo", "", "undone change ", "Sub/Two.md", TWO},
        {"vault_batch",
         "'steps':[{'tool':'vault_edit','paths':['One','Two'],'old_text':'red',"
         "'new_text':'x','expect':3},{'tool':'vault_edit','path':'Done','old_text':"
         "'Done','new_text':'Gone'}]",
         "2 steps", "Done.md", "# Gone\n"},
        {"vault_undo", "", "undone change ", "One.md", ONE},
    };
    struct app_place *p = app_place_open("--policy-property ai", fill_many);
    app_check_rows(p, NULL, rows, COUNT_OF(rows));
    app_place_close(p);
}

static void test_tasks(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_task", "'where':'task.text contains call','status':'done'",
         "ERROR not changed: 2 tasks; dry_run shows the changes, and expect: 2 makes "
         "them",
         "One.md", ONE},
        {"vault_task", "'where':'task.text contains call','due':'2026-04-01','expect':2",
         "changed 2 notes", "Sub/Two.md",
         "# Two\n\nRed\nred $1\n\n- [ ] call Bob 📅 2026-04-01\n  - [ ] his number\n"},
        /* the next occurrence is put above, so later tasks are one line below */
        {"vault_task", "'paths':['One'],'priority':'high','expect':2", "changed 1 note",
         "One.md",
         "# One\n\nred and red\n\n- [ ] call Ann ⏫ 📅 2026-03-01\n- [ ] sweep ⏫ 🔁 every "
         "day 📅 "
         "2026-03-02\n- [x] old\n"},
        {"vault_task",
         "'where':'due < 2026-12-01 and file.name = Two','to':'Done',"
         "'expect':1",
         "Done.md", "Done.md",
         "# Done\n\n- [ ] call Bob 📅 2026-03-01\n  - [ ] his number\n"},
        /* what is nested goes along, and is not looked for again */
        {"vault_task", "'where':'file.name = Two','remove':true,'expect':2",
         "changed 1 note", "Sub/Two.md", "# Two\n\nRed\nred $1\n\n"},
        {"vault_task", "'where':'file.name = Two','to':'Two#Two','expect':2",
         "ERROR Sub/Two.md:6: it is in the note that to names", "Sub/Two.md", TWO},
        {"vault_task", "'where':'task.text = nothing','status':'done'",
         "=ERROR no task matches"},
        {"vault_query", "'from':'tasks','where':'task.text contains Zoe'", "0 tasks"},
        {"vault_search", "'query':'Zoe'", "0 matches"},
        {"vault_task", "'where':'task.text contains Zoe','status':'done'",
         "=ERROR no task matches"},
        {"vault_task", "'where':'not task.done','line':3,'status':'done'",
         "ERROR with paths or where, give status,"},
        {"vault_task", "'where':'not task.done','to':'#Done'",
         "ERROR with paths or where, to names the note"},
        {"vault_task", "'where':'not task.done'", "ERROR nothing to do"},
        {"vault_task", "'status':'done'", "=ERROR give either path, paths or where"},
    };
    check_filled(fill_many, "--policy-property ai", "", rows, COUNT_OF(rows));
}

/* A caller who sees only a folder changes only that, and learns of nothing else. */
static void test_views(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_edit", "'paths':['**'],'old_text':'red','new_text':'x'",
         "ERROR not changed: 1 match in 1 note"},
        {"vault_edit", "'paths':['One'],'old_text':'red','new_text':'x'",
         "ERROR File not found: One"},
        {"vault_task", "'where':'task.text contains call','status':'done'",
         "ERROR not changed: 1 task;"},
    };
    check_filled(fill_many, "", "elsewhere hidden\nat write Sub\n", rows, COUNT_OF(rows));
}

static void fill_long(struct place *p)
{
    place_put(
        p, "Long.md",
        STR("# Long\n\nbefore\n\n## Part\n\ntext\n\n### Below\n\nmore\n\n## After\n\n"
            "end\n"));
    place_put(p, "Other.md", STR("See [[Long#Part]] and [[Long#Below]].\n"));
    place_put(p, "Old.md", STR("# Old\n\n## Here\n"));
}

static void test_into(void **state)
{
    (void)state;
    static const struct app_row rows[] = {
        {"vault_move", "'path':'Long','heading':'Part','into':'New.md','leave':'link'",
         "created New.md", "New.md", "# Part\n\ntext\n\n## Below\n\nmore\n"},
        {"vault_move", "'path':'Long','heading':'Part','into':'New.md','leave':'link'",
         "moved heading 'Part' of Long.md to New.md (rewrote 2 links", "Long.md",
         "# Long\n\nbefore\n\n[[New]]\n\n## After\n\nend\n"},
        {"vault_move",
         "'path':'Long','heading':'Part','into':'Sub/New.md','leave':'embed'",
         "created Sub/New.md", "Long.md",
         "# Long\n\nbefore\n\n![[New]]\n\n## After\n\nend\n"},
        {"vault_move", "'path':'Long','heading':'Part','into':'New.md'", "created New.md",
         "Other.md", "See [[New#Part]] and [[New#Below]].\n"},
        {"vault_move", "'path':'Long','heading':'Part','into':'New.md'", "created New.md",
         "Long.md", "# Long\n\nbefore\n\n## After\n\nend\n"},
        {"vault_move", "'path':'Long','heading':'After','into':'New.md','leave':'link'",
         "created New.md", "Long.md",
         "# Long\n\nbefore\n\n## Part\n\ntext\n\n### Below\n\nmore\n\n[[New]]\n"},
        {"vault_move",
         "'path':'Long','heading':'Part','into':'Old','to':'Here','leave':'link'",
         "moved heading 'Part'", "Long.md",
         "# Long\n\nbefore\n\n[[Old#Part]]\n\n## After\n\nend\n"},
        {"vault_move",
         "'path':'Long','heading':'Part','into':'Old','to':'Here','leave':'link'",
         "moved heading 'Part'", "Old.md",
         "# Old\n\n## Here\n\n### Part\n\ntext\n\n#### Below\n\nmore\n"},
        {"vault_move", "'path':'Long','heading':'Part','into':'New.md','dry_run':true",
         "dry run", "New.md", NULL},
        {"vault_move", "'path':'Long','heading':'Part','into':'New'",
         "for a new note give into its path with .md", "New.md", NULL},
        {"vault_move", "'path':'Long','heading':'Part','into':'.x/New.md'", "ERROR "},
        {"vault_move", "'path':'Long','to':'Longer','leave':'link'",
         "=ERROR leave needs into: the note that the heading or block goes to"},
        {"vault_move", "'path':'Long','heading':'Part','into':'New.md','to':'None'",
         "ERROR ", "New.md", NULL},
    };
    check_filled(fill_long, "", "", rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_edits), cmocka_unit_test(test_undone),
        cmocka_unit_test(test_tasks), cmocka_unit_test(test_views),
        cmocka_unit_test(test_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
