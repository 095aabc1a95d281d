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

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_moves),
        ARENA_TEST(test_folder),
        ARENA_TEST(test_tag),
        ARENA_TEST(test_property),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
