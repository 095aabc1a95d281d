/* What a move, a new tag or a new property changes in bases: rows before and after. */
#include "rename_vault.h"

enum { FILES = 4 };

static const struct {
    const char *name;
    struct rename_move move;
    struct vault_row before[FILES], after[FILES];
} moves[] = {
    {"links in expressions and values",
     {STR("Old.md"), STR("New.md")},
     {{"Old.md", ""},
      {"b.base",
       "filters: file.hasLink(\"Old\") # Old\nx: \"[[Old]]\"\n"
       "formulas:\n  a: 'link(\"Old#h\", \"Old\")'\n  b: up == \"[[Old|x]]\"\n"}},
     {{"New.md", ""},
      {"b.base",
       "filters: file.hasLink(\"New\") # Old\nx: \"[[New]]\"\n"
       "formulas:\n  a: 'link(\"New#h\", \"Old\")'\n  b: up == \"[[New|x]]\"\n"}}},
    {"quotes of YAML and of expressions",
     {STR("Old.md"), STR("It's \"q\".md")},
     {{"Old.md", ""},
      {"b.base", "filters:\n  and:\n    - \"file.hasLink(\\\"Old\\\")\"\n"
                 "    - 'file.hasLink(\"Old\")'\n    - file.hasLink('Old')\n"
                 "    - |\n      file.hasLink(\"Old\")\n      && true\n"}},
     {{"It's \"q\".md", ""},
      {"b.base",
       "filters:\n  and:\n    - \"file.hasLink(\\\"It's \\\\\\\"q\\\\\\\"\\\")\"\n"
       "    - 'file.hasLink(\"It''s \\\"q\\\"\")'\n    - file.hasLink('It\\'s \"q\"')\n"
       "    - |\n      file.hasLink(\"It's \\\"q\\\"\")\n      && true\n"}}},
    {"a name that a plain scalar cannot contain",
     {STR("Old.md"), STR("C: a.md")},
     {{"Old.md", ""}, {"b.base", "filters: file.hasLink(\"Old\")\n"}},
     {{"C: a.md", ""}, {"b.base", "filters: \"file.hasLink(\\\"C: a\\\")\"\n"}}},
    {"paths stay paths, and names names",
     {STR("d/Old.md"), STR("e/Old.md")},
     {{"d/Old.md", ""},
      {"b.base", "filters: file.hasLink(\"Old\") || file.hasLink(\"d/Old\") || "
                 "file.path == \"d/Old.md\" || link(\"d/Old.md\")\n"}},
     {{"e/Old.md", ""},
      {"b.base", "filters: file.hasLink(\"Old\") || file.hasLink(\"e/Old\") || "
                 "file.path == \"e/Old.md\" || link(\"e/Old.md\")\n"}}},
    {"blocks in notes, with tabs and in quotes",
     {STR("Old.md"), STR("New.md")},
     {{"Old.md", ""},
      {"n.md",
       "[[Old]]\n\n```base\nfilters:\n\tand:\n\t\t- file.hasLink(\"Old\")\n```\n\n"
       "> ```base\n> filters: file.hasLink(\"Old\")\n> ```\n\n"
       "```\nfile.hasLink(\"Old\")\n```\n"}},
     {{"New.md", ""},
      {"n.md",
       "[[New]]\n\n```base\nfilters:\n\tand:\n\t\t- file.hasLink(\"New\")\n```\n\n"
       "> ```base\n> filters: file.hasLink(\"New\")\n> ```\n\n"
       "```\nfile.hasLink(\"Old\")\n```\n"}}},
    {"broken bases are left alone",
     {STR("Old.md"), STR("New.md")},
     {{"Old.md", ""}, {"b.base", "filters: file.hasLink(\"Old\")\nviews: 5\n"}},
     {{"New.md", ""}, {"b.base", "filters: file.hasLink(\"Old\")\nviews: 5\n"}}},
};

static void test_moves(void **state)
{
    for (size_t i = 0; i < COUNT_OF(moves); i++) {
        struct index *x = vault_of(moves[i].before, FILES);
        struct rename_plan plan;
        struct err err = {0};
        if (!rename_files(x, LINKS_SHORTEST, *state, &moves[i].move, 1, NULL, &plan,
                          &err))
            fail_msg("%s: %s", moves[i].name, err.msg);
        vault_check(moves[i].name, x, &plan, moves[i].after, FILES);
        index_free(x);
    }
}

static void test_folder(void **state)
{
    static const struct vault_row before[] = {
        {"a/b/n.md", ""},
        {"x.base", "filters:\n  or:\n    - file.inFolder(\"a/b/\")\n"
                   "    - file.inFolder(\"a\")\n    - file.folder == \"a/b/c\"\n"
                   "    - file.inFolder(\"ab\")\n    - file.hasLink(\"a/b/n\")\n"}};
    static const struct vault_row after[] = {
        {"z/b/n.md", ""},
        {"x.base", "filters:\n  or:\n    - file.inFolder(\"z/b/\")\n"
                   "    - file.inFolder(\"z\")\n    - file.folder == \"z/b/c\"\n"
                   "    - file.inFolder(\"ab\")\n    - file.hasLink(\"z/b/n\")\n"}};
    struct index *x = vault_of(before, 2);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(
        rename_folder(x, LINKS_SHORTEST, *state, STR("a"), STR("z"), NULL, &plan, &err));
    vault_check("folder", x, &plan, after, 2);
    index_free(x);
}

static void test_tag(void **state)
{
    static const struct vault_row before[] = {
        {"n.md", "#work/x"},
        {"x.base", "filters: file.hasTag(\"Work\", \"#work/x\", \"worker\")\n"},
        {"m.md", "```base\nfilters: tags.contains('work')\n```\n"}};
    static const struct vault_row after[] = {
        {"n.md", "#job/x"},
        {"x.base", "filters: file.hasTag(\"job\", \"#job/x\", \"worker\")\n"},
        {"m.md", "```base\nfilters: tags.contains('job')\n```\n"}};
    struct index *x = vault_of(before, 3);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(rename_tag(x, *state, STR("work"), STR("job"), NULL, &plan, &err));
    vault_check("tag", x, &plan, after, 3);
    index_free(x);
}

static void test_property(void **state)
{
    static const struct vault_row before[] = {
        {"a.md", "---\nDue: 1\n\"x\": 2\n---\ndue: no\n"},
        {"b.md", "---\n'due': 1\n---\n"},
        {"c.md", "---\ndue: 1\ndue date: 2\n---\n"},
        {"x.base",
         "filters: due < today() && note.due && formula.due\n"
         "formulas: {due: 'due + \"1d\"'}\n"
         "properties:\n  note.due:\n    displayName: due\n"
         "views:\n  - name: due\n    order: [due, note.due, formula.due, file.due]\n"
         "    sort:\n      - property: due\n        direction: ASC\n"
         "    groupBy: {property: note.due}\n    summaries: {due: Latest}\n"
         "    image: note.due\n    columnSize: {note.due: 20}\n"}};
    static const struct vault_row after[] = {
        {"a.md", "---\ndue date: 1\n\"x\": 2\n---\ndue: no\n"},
        {"b.md", "---\n'due date': 1\n---\n"},
        {"c.md", "---\ndue: 1\ndue date: 2\n---\n"},
        {"x.base",
         "filters: \"note[\\\"due date\\\"] < today() && note[\\\"due date\\\"] && "
         "formula.due\"\n"
         "formulas: {due: 'note[\"due date\"] + \"1d\"'}\n"
         "properties:\n  note.due date:\n    displayName: due\n"
         "views:\n  - name: due\n    order: [due date, note.due date, formula.due, "
         "file.due]\n"
         "    sort:\n      - property: due date\n        direction: ASC\n"
         "    groupBy: {property: note.due date}\n    summaries: {due date: Latest}\n"
         "    image: note.due date\n    columnSize: {note.due date: 20}\n"}};
    struct index *x = vault_of(before, 4);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(
        rename_property(x, *state, STR("due"), STR("due date"), NULL, &plan, &err));
    vault_check("property", x, &plan, after, 4);
    assert_int_equal(plan.n_warnings, 1);
    assert_false(rename_property(x, *state, STR("no"), STR("y"), NULL, &plan, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(rename_property(x, *state, STR("due"), STR("a\nb"), NULL, &plan, &err));
    assert_int_equal(err.code, ERR_INVALID);
    index_free(x);
}

/* --- queries of Dataview --- */

static void test_query_folder(void **state)
{
    static const struct vault_row before[] = {
        {"a/b/n.md", ""},
        {"q.md", "> ```dataview\n> TABLE x FROM \"a\" or (\"a/b\" and -\"ab\") or "
                 "\"a/b/n\" or [[a/b/n]]\n> ```\n"},
        {"left.md", "```dataviewjs\ndv.pages('\"a/b\"')\n```\n"}};
    static const struct vault_row after[] = {
        {"z/b/n.md", ""},
        {"q.md", "> ```dataview\n> TABLE x FROM \"z\" or (\"z/b\" and -\"ab\") or "
                 "\"z/b/n\" or [[z/b/n]]\n> ```\n"},
        {"left.md", "```dataviewjs\ndv.pages('\"a/b\"')\n```\n"}};
    struct index *x = vault_of(before, 3);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(
        rename_folder(x, LINKS_SHORTEST, *state, STR("a"), STR("z"), NULL, &plan, &err));
    vault_check("folder in a query", x, &plan, after, 3);
    assert_int_equal(plan.n_warnings, 1);
    CHECK_STR("warning", plan.warnings[0],
              "queries that contain the old name and were not changed, because their "
              "meaning is not certain: in 'left.md'");
    index_free(x);
}

static void test_query_tag(void **state)
{
    static const struct vault_row before[] = {
        {"n.md", "#work/x"},
        {"c.canvas", "{\"nodes\":[{\"type\":\"text\",\"text\":\"a\\n#work #job\"}]}"},
        {"q.md", "```dataview\nLIST FROM #work and -#work/x\n"
                 "WHERE contains(file.tags, \"#x\") // #work\n```\n"}};
    static const struct vault_row after[] = {
        {"n.md", "#do/x"},
        {"c.canvas", "{\"nodes\":[{\"type\":\"text\",\"text\":\"a\\n#do #job\"}]}"},
        {"q.md", "```dataview\nLIST FROM #do and -#do/x\n"
                 "WHERE contains(file.tags, \"#x\") // #work\n```\n"}};
    struct index *x = vault_of(before, 3);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(rename_tag(x, *state, STR("work"), STR("do"), NULL, &plan, &err));
    vault_check("tag in a query", x, &plan, after, 3);
    assert_int_equal(plan.n_warnings, 1);
    CHECK_STR("warning", plan.warnings[0], "left in code or comments: 1, in 'q.md'");
    index_free(x);
}

static void test_query_property(void **state)
{
    static const struct {
        const char *before, *after; /* NULL: it stays, and is named */
    } cases[] = {
        {"TABLE due, this.due AS \"due\", row[\"due\"] WHERE Due > 1 and file.due",
         NULL}, /* file.due is refused by the parser */
        {"TABLE due, this.due AS \"due\", row[\"due\"] WHERE Due > 1 SORT due DESC",
         "TABLE due-date, this.due-date AS \"due\", row[\"due date\"] WHERE due-date > 1 "
         "SORT due-date DESC"},
        {"TABLE rows.due FROM \"due\" GROUP BY x",
         "TABLE rows.due-date FROM \"due\" GROUP BY x"},
        {"LIST FLATTEN due WHERE due", NULL},
        {"TABLE map(list(1), (due) => due)", NULL},
        {"TASK WHERE due", NULL},
        {"TASK WHERE due(1)", "TASK WHERE due(1)"},
        {"LIST other WHERE overdue", "LIST other WHERE overdue"},
        {"CALENDAR due", NULL},
    };
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *text = arena_printf(a, "```dataview\n%s\n```\n", cases[i].before).p;
        const char *want =
            cases[i].after == NULL
                ? text
                : arena_printf(a, "```dataview\n%s\n```\n", cases[i].after).p;
        const struct vault_row before[] = {{"n.md", "---\ndue: 1\n---\n"},
                                           {"q.md", text}};
        const struct vault_row after[] = {{"n.md", "---\ndue date: 1\n---\n"},
                                          {"q.md", want}};
        struct index *x = vault_of(before, 2);
        struct rename_plan plan;
        struct err err = {0};
        assert_true(
            rename_property(x, a, STR("due"), STR("due date"), NULL, &plan, &err));
        vault_check(cases[i].before, x, &plan, after, 2);
        CHECK_INT(cases[i].before, plan.n_warnings, cases[i].after == NULL);
        index_free(x);
    }
}

static void test_inline_fields(void **state)
{
    static const struct vault_row before[] = {
        {"n.md", "Rating:: 4\n- [rating:: 5] `[rating:: 6]`\n- [ ] x (rating:: 7)\n"},
        {"t.md", "due:: 1\n- [ ] a [due:: 2026-01-01]\n- [ ] b 📅 2026-01-01\n"}};
    static const struct vault_row after[] = {
        {"n.md", "score:: 4\n- [score:: 5] `[rating:: 6]`\n- [ ] x (score:: 7)\n"},
        {"t.md", "when:: 1\n- [ ] a [due:: 2026-01-01]\n- [ ] b 📅 2026-01-01\n"}};
    const struct vault_row mixed[] = {after[0], before[1]},
                           other[] = {before[0], after[1]};
    struct index *x = vault_of(before, 2);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(
        rename_property(x, *state, STR("rating"), STR("score"), NULL, &plan, &err));
    vault_check("inline", x, &plan, mixed, 2);
    assert_int_equal(plan.links, 3);
    assert_int_equal(plan.n_warnings, 0);
    assert_true(rename_property(x, *state, STR("due"), STR("when"), NULL, &plan, &err));
    vault_check("of the plugin Tasks", x, &plan, other, 2);
    CHECK_STR("warning", plan.warnings[0],
              "inline fields that keep their name: 2 (they are fields of the plugin "
              "Tasks)");
    assert_true(rename_property(x, *state, STR("rating"), STR("a:b"), NULL, &plan, &err));
    vault_check("a name that no field can have", x, &plan, before, 2);
    index_free(x);
}

/* --- links in bases, without a move --- */

static const struct vault_row linked[] = {
    {"Old.md", "# Part\n\ntext ^id\n"},
    {"To.md", "# Part\n"},
    {"b.base", "filters:\n  or:\n    - file.hasLink(\"Old\")\n    - link(\"Old#Part\")\n"
               "    - file.path == \"Old.md\"\nx: \"[[Old#^id|y]]\"\n"},
    {"q.md", "```dataview\nLIST FROM [[Old]] or outgoing([[Old#Part|p]])\n```\n"}};

static void test_heading_in_base(void **state)
{
    struct vault_row after[FILES];
    struct index *x = vault_of(linked, FILES);
    struct rename_plan plan;
    struct err err = {0};
    memcpy(after, linked, sizeof(after));
    after[0].text = "# Piece\n\ntext ^id\n";
    after[2].text = "filters:\n  or:\n    - file.hasLink(\"Old\")\n    - "
                    "link(\"Old#Piece\")\n    - file.path == \"Old.md\"\n"
                    "x: \"[[Old#^id|y]]\"\n";
    after[3].text = "```dataview\nLIST FROM [[Old]] or outgoing([[Old#Piece|p]])\n```\n";
    assert_true(rename_heading(x, *state, index_find(x, STR("Old.md")), STR("#Part"), 0,
                               STR("Piece"), NULL, &plan, &err));
    vault_check("heading", x, &plan, after, FILES);
    index_free(x);
}

static void test_redirect_in_base(void **state)
{
    struct vault_row after[FILES];
    struct index *x = vault_of(linked, FILES);
    struct rename_plan plan;
    struct err err = {0};
    memcpy(after, linked, sizeof(after));
    after[2].text = "filters:\n  or:\n    - file.hasLink(\"To\")\n    - "
                    "link(\"To#Part\")\n    - file.path == \"To.md\"\n"
                    "x: \"[[To#^id|y]]\"\n";
    after[3].text = "```dataview\nLIST FROM [[To]] or outgoing([[To#Part|p]])\n```\n";
    assert_true(rename_redirect(x, LINKS_SHORTEST, *state, index_find(x, STR("Old.md")),
                                index_find(x, STR("To.md")), NULL, &plan, &err));
    vault_check("redirect", x, &plan, after, FILES);
    assert_int_equal(plan.n_warnings, 1); /* ^id */
    assert_int_equal(rename_count_names(x, index_find(x, STR("b.base")), STR("Old.md")),
                     4);
    index_free(x);
}

static void test_unlink_names_bases(void **state)
{
    struct index *x = vault_of(linked, FILES);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(
        rename_unlink(x, *state, index_find(x, STR("Old.md")), NULL, &plan, &err));
    vault_check("unlink", x, &plan, linked, FILES);
    assert_int_equal(plan.n_warnings, 2);
    CHECK_STR("warning", plan.warnings[0], "a base or query in 'b.base' still names it");
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_moves),
        ARENA_TEST(test_folder),
        ARENA_TEST(test_tag),
        ARENA_TEST(test_property),
        ARENA_TEST(test_query_folder),
        ARENA_TEST(test_query_tag),
        ARENA_TEST(test_query_property),
        ARENA_TEST(test_inline_fields),
        ARENA_TEST(test_heading_in_base),
        ARENA_TEST(test_redirect_in_base),
        ARENA_TEST(test_unlink_names_bases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
