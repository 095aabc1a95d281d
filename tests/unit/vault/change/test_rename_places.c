/* Renamed headings, block ids and tags, and links that become text. */
#include "rename_vault.h"

enum { FILES = 4 };

static void test_heading(void **state)
{
    static const struct {
        const char *name, *subpath, *title;
        uint32_t line;
        struct vault_row before[FILES], after[FILES];
    } cases[] = {
        {"everywhere",
         "#Old",
         "New: one",
         0,
         {{"f.md", "# Old\n[[#Old]] [[f#old|Old]]\n## Sub\n"},
          {"a.md", "---\nup: '[[f#Old]]'\n---\n![[f#Old]] [x](f.md#Old) [y](<f.md#Old>)\n"
                   "[[f#Old#Sub]] [[f#Sub]] [[g#Old]] [[f#Missing]] [[f]]\n"},
          {"c.canvas", "{\"nodes\":[{\"type\":\"file\",\"subpath\":\"#O\\u006cd\","
                       "\"file\":\"f.md\"},{\"type\":\"text\",\"text\":\"[[f#Old]]\"}]}"},
          {"g.md", "# Old\n"}},
         {{"f.md", "# New: one\n[[#New one]] [[f#New one|Old]]\n## Sub\n"},
          {"a.md", "---\nup: '[[f#New one]]'\n---\n![[f#New one]] [x](f.md#New%20one) "
                   "[y](<f.md#New one>)\n"
                   "[[f#New one#Sub]] [[f#Sub]] [[g#Old]] [[f#Missing]] [[f]]\n"},
          {"c.canvas",
           "{\"nodes\":[{\"type\":\"file\",\"subpath\":\"#New one\","
           "\"file\":\"f.md\"},{\"type\":\"text\",\"text\":\"[[f#New one]]\"}]}"},
          {"g.md", "# Old\n"}}},
        {"marks are kept",
         "Old",
         "New",
         0,
         {{"f.md", "## Old ##\r\n\r\nSet\r\n===\r\n[[#Set]]"}},
         {{"f.md", "## New ##\r\n\r\nSet\r\n===\r\n[[#Set]]"}}},
        {"setext",
         "#Two lines",
         "One",
         0,
         {{"f.md", "Two\nlines\n---\nx [[#two lines]]"}},
         {{"f.md", "One\n---\nx [[#One]]"}}},
        {"special characters",
         "#A | B",
         "C# [[x]] 100%% `y` ^z \\ *w*",
         0,
         {{"f.md", "# A | B\n"}, {"a.md", "[[f#A B]] [m](f.md#A%20B)\n"}},
         {{"f.md", "# C# [[x]] 100%% `y` ^z \\ *w*\n"},
          {"a.md",
           "[[f#C x 100 `y` z *w*]] [m](f.md#C%20x%20100%20%60y%60%20z%20*w*)\n"}}},
        {"chosen by nesting",
         "#B#Notes",
         "Log",
         0,
         {{"f.md", "# A\n## Notes\n# B\n## Notes\n"},
          {"a.md", "[[f#Notes]] [[f#B#Notes]]"}},
         {{"f.md", "# A\n## Notes\n# B\n## Log\n"}, {"a.md", "[[f#Notes]] [[f#B#Log]]"}}},
        {"chosen by line",
         "#Notes",
         "Log",
         3,
         {{"f.md", "# Notes\n\n# Notes\n"}, {"a.md", "[[f#Notes]]"}},
         {{"f.md", "# Notes\n\n# Log\n"}, {"a.md", "[[f#Notes]]"}}},
        {"links to a heading that is now found later",
         "#Old",
         "New",
         0,
         {{"f.md", "# Old\n# P\n## New\n"}, {"a.md", "[[f#New]] [[f#Old]]"}},
         {{"f.md", "# New\n# P\n## New\n"}, {"a.md", "[[f#P#New]] [[f#New]]"}}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct index *x = vault_of(cases[i].before, FILES);
        struct rename_plan plan;
        struct err err = {0};
        if (!rename_heading(x, *state, index_find(x, STR("f.md")),
                            str_c(cases[i].subpath), cases[i].line, str_c(cases[i].title),
                            NULL, &plan, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        vault_check(cases[i].name, x, &plan, cases[i].after, FILES);
        CHECK_INT(cases[i].name, plan.n_warnings, 0);
        index_free(x);
    }
}

static void test_heading_refused(void **state)
{
    static const struct vault_row files[] = {
        {"f.md", "# A\n## N\n# B\n## N\n\nSetext\n---\n"}};
    static const struct {
        const char *subpath, *title;
        uint32_t line;
        enum err_code code;
    } bad[] = {
        {"#N", "x", 0, ERR_INVALID},        {"#N", "x", 3, ERR_NOT_FOUND},
        {"#none", "x", 0, ERR_NOT_FOUND},   {"#A", "", 0, ERR_INVALID},
        {"#A", "x\ny", 0, ERR_INVALID},     {"#A", "x #", 0, ERR_INVALID},
        {"#Setext", "- x", 0, ERR_INVALID}, {"", "x", 0, ERR_NOT_FOUND},
    };
    struct index *x = vault_of(files, 1);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct rename_plan plan;
        struct err err = {0};
        CHECK(bad[i].title, !rename_heading(x, *state, index_find(x, STR("f.md")),
                                            str_c(bad[i].subpath), bad[i].line,
                                            str_c(bad[i].title), NULL, &plan, &err));
        CHECK_INT(err.msg, err.code, bad[i].code);
    }
    struct rename_plan plan;
    struct err err = {0};
    CHECK("ambiguous", !rename_heading(x, *state, index_find(x, STR("f.md")), STR("#N"),
                                       0, STR("x"), NULL, &plan, &err));
    assert_int_equal(err.name, E_AMBIGUOUS);
    assert_non_null(strstr(err.msg, "2, 4"));
    index_free(x);
}

/* A link that cannot be made to mean the renamed heading is reported. */
static void test_heading_lost(void **state)
{
    static const struct vault_row files[] = {{"f.md", "# New\n# Old\n[[#Old]]"}};
    struct index *x = vault_of(files, 1);
    struct rename_plan plan;
    struct err err = {0};
    assert_true(rename_heading(x, *state, index_find(x, STR("f.md")), STR("#Old"), 0,
                               STR("New"), NULL, &plan, &err));
    CHECK_INT("lost", plan.n_warnings, 1);
    index_free(x);
}

static void test_block(void **state)
{
    static const struct vault_row before[] = {
        {"f.md", "text ^ab-1\n\n[[#^ab-1]] [[#^ab-12]]\n"},
        {"a.md", "[[f#^AB-1|x]] ![[f#^ab-1]] [y](f.md#^ab-1) [[f#ab-1]]"},
        {"c.canvas",
         "{\"nodes\":[{\"type\":\"file\",\"file\":\"f.md\",\"subpath\":\"#^ab-1\"}]}"},
    };
    static const struct vault_row after[] = {
        {"f.md", "text ^z\n\n[[#^z]] [[#^ab-12]]\n"},
        {"a.md", "[[f#^z|x]] ![[f#^z]] [y](f.md#^z) [[f#ab-1]]"},
        {"c.canvas",
         "{\"nodes\":[{\"type\":\"file\",\"file\":\"f.md\",\"subpath\":\"#^z\"}]}"},
    };
    struct index *x = vault_of(before, COUNT_OF(before));
    const struct file *f = index_find(x, STR("f.md"));
    struct rename_plan plan;
    struct err err = {0};
    assert_true(rename_block(x, *state, f, STR("^ab-1"), STR("z"), NULL, &plan, &err));
    vault_check("block", x, &plan, after, COUNT_OF(after));
    assert_int_equal(plan.links, 5);
    assert_false(rename_block(x, *state, f, STR("none"), STR("z"), NULL, &plan, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(rename_block(x, *state, f, STR("ab-1"), STR("a_b"), NULL, &plan, &err));
    assert_int_equal(err.code, ERR_INVALID);
    index_free(x);
}

static void test_tag(void **state)
{
    static const struct {
        const char *name, *tag, *to;
        struct vault_row before[FILES], after[FILES];
        size_t warnings;
    } cases[] = {
        {"body",
         "work",
         "#job",
         {{"a.md",
           "#work #Work/home #workshop x#work `#work` #other/work [[#work]] #work/"}},
         {{"a.md",
           "#job #job/home #workshop x#work `#work` #other/work [[#work]] #job/"}},
         2}, /* left in code; #workshop is another tag */
        {"properties",
         "#work/a",
         "job",
         {{"l.md",
           "---\ntags: [work/a, \"#Work/A/b\", 'work/a', work, \"work/a b\"] # c\n---\n"},
          {"b.md", "---\r\nTags:\r\n  - work/a\r\n  - x\r\n  - \"work/a\"\r\n---\r\n"},
          {"s.md", "---\ntags: work/a\ntag: work/a\ntitle: work/a\n---\n#work/a"},
          {"n.md", "---\ntags: [work]\n---\n"}},
         {{"l.md", "---\ntags: [job, \"#job/b\", 'job', work, \"work/a b\"] # c\n---\n"},
          {"b.md", "---\r\nTags:\r\n  - job\r\n  - x\r\n  - \"job\"\r\n---\r\n"},
          {"s.md", "---\ntags: job\ntag: work/a\ntitle: work/a\n---\n#job"},
          {"n.md", "---\ntags: [work]\n---\n"}},
         0},
        {"what YAML would read as something else",
         "a",
         "1e3",
         {{"l.md", "---\ntags: [a, a/b]\n---\n#a"}},
         {{"l.md", "---\ntags: [\"1e3\", 1e3/b]\n---\n#1e3"}},
         0},
        {"into an existing tag",
         "a",
         "b",
         {{"1.md", "#a #b"}, {"2.md", "#B/c"}},
         {{"1.md", "#b #b"}, {"2.md", "#B/c"}},
         1},
        {"case only", "a", "A", {{"1.md", "#a/b #A"}}, {{"1.md", "#A/b #A"}}, 0},
        {"the same name", "a", "a", {{"1.md", "#a"}}, {{"1.md", "#a"}}, 0},
        {"below itself", "a", "a/b", {{"1.md", "#a #a/x"}}, {{"1.md", "#a/b #a/b/x"}}, 0},
        {"other scripts",
         "стол",
         "日本",
         {{"1.md", "#СТОЛ/é"}},
         {{"1.md", "#日本/é"}},
         0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct index *x = vault_of(cases[i].before, FILES);
        struct rename_plan plan;
        struct err err = {0};
        if (!rename_tag(x, *state, str_c(cases[i].tag), str_c(cases[i].to), NULL, &plan,
                        &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        vault_check(cases[i].name, x, &plan, cases[i].after, FILES);
        CHECK_INT(cases[i].name, plan.n_warnings, cases[i].warnings);
        index_free(x);
    }
}

static void test_tag_refused(void **state)
{
    static const struct vault_row files[] = {{"a.md", "#work/x"}};
    static const struct {
        const char *tag, *to;
        enum err_code code;
    } bad[] = {
        {"wor", "x", ERR_NOT_FOUND},   {"x", "y", ERR_NOT_FOUND},
        {"work", "1984", ERR_INVALID}, {"work", "a b", ERR_INVALID},
        {"work", "", ERR_INVALID},     {"work", "a/", ERR_INVALID},
        {"", "x", ERR_NOT_FOUND},
    };
    struct index *x = vault_of(files, 1);
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct rename_plan plan;
        struct err err = {0};
        CHECK(bad[i].to, !rename_tag(x, *state, str_c(bad[i].tag), str_c(bad[i].to), NULL,
                                     &plan, &err));
        CHECK_INT(bad[i].to, err.code, bad[i].code);
    }
    index_free(x);
}

static void test_unlink(void **state)
{
    static const struct vault_row before[] = {
        {"d/Old.md", "[[Old]] [[#h]]"},
        {"a.md",
         "---\nup: \"[[Old]]\"\nx: '[it''s](d/Old.md)'\n---\n"
         "[[Old]] [[Old#h|shown]] [text](d/Old.md \"t\") ![[Old]]. [r][1] `[[Old]]`\n"
         "| a |\n| - |\n| [[Old\\|x]] |\n\n[![i](p.png)](d/Old.md) [[Older]]\n\n"
         "[1]: d/Old.md\n"},
        {"c.canvas", "{\"nodes\":[{\"type\":\"file\",\"file\":\"d/Old.md\"},"
                     "{\"type\":\"text\",\"text\":\"\\u0041 [[Old|\\\"]]\"}]}"},
    };
    static const struct vault_row after[] = {
        {"d/Old.md", "[[Old]] [[#h]]"},
        {"a.md", "---\nup: \"Old\"\nx: 'it''s'\n---\n"
                 "Old shown text Old. r `[[Old]]`\n"
                 "| a |\n| - |\n| x |\n\n![i](p.png) [[Older]]\n\n"
                 "[1]: d/Old.md\n"},
        {"c.canvas", "{\"nodes\":[{\"type\":\"file\",\"file\":\"d/Old.md\"},"
                     "{\"type\":\"text\",\"text\":\"\\u0041 \\\"\"}]}"},
    };
    struct index *x = vault_of(before, COUNT_OF(before));
    struct rename_plan plan;
    struct err err;
    assert_true(
        rename_unlink(x, *state, index_find(x, STR("d/Old.md")), NULL, &plan, &err));
    vault_check("unlink", x, &plan, after, COUNT_OF(after));
    CHECK_INT("the card", plan.n_warnings, 1);
    index_free(x);
}

/* Planning ends when it is to stop, whatever is renamed. */
static void test_stop(void **state)
{
    static const struct vault_row files[] = {{"a.md", "# Old\n\ntext ^id\n\n#tag"},
                                             {"b.md", "[[a]] [[a#Old]] [[a#^id]] #tag"}};
    struct index *x = vault_of(files, COUNT_OF(files));
    const struct file *f = index_find(x, STR("a.md"));
    struct rename_move move = {STR("a.md"), STR("c.md")};
    struct stop passed = {.until = 1};
    struct rename_plan plan;
    struct err e[6] = {0};
    struct arena *a = *state;
    bool made =
        rename_files(x, LINKS_SHORTEST, a, &move, 1, &passed, &plan, &e[0]) ||
        rename_heading(x, a, f, STR("#Old"), 0, STR("New"), &passed, &plan, &e[1]) ||
        rename_block(x, a, f, STR("id"), STR("z"), &passed, &plan, &e[2]) ||
        rename_tag(x, a, STR("tag"), STR("t"), &passed, &plan, &e[3]) ||
        rename_unlink(x, a, f, &passed, &plan, &e[4]);
    CHECK("none is planned", !made);
    for (size_t i = 0; i < 5; i++)
        CHECK_INT("TIMEOUT", e[i].name, E_TIMEOUT);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_heading),      ARENA_TEST(test_heading_refused),
        ARENA_TEST(test_heading_lost), ARENA_TEST(test_block),
        ARENA_TEST(test_tag),          ARENA_TEST(test_tag_refused),
        ARENA_TEST(test_unlink),       ARENA_TEST(test_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
