/* Moves of files and folders beyond the vectors: rows of a vault before and after. */
#include "rename_vault.h"

enum { FILES = 6, MOVES = 3 };

static const struct {
    const char *name;
    enum obsidian_link_format format;
    struct rename_move moves[MOVES];
    struct vault_row before[FILES], after[FILES];
} cases[] = {
    {"case only, all spellings",
     LINKS_SHORTEST,
     {{STR("d/note.md"), STR("d/Note.md")}},
     {{"d/note.md", "[[note]]"}, {"a.md", "[[D/NOTE|note]] [note](d/note.md)"}},
     {{"d/Note.md", "[[Note]]"}, {"a.md", "[[Note|Note]] [Note](Note.md)"}}},
    {"two files swap places",
     LINKS_SHORTEST,
     {{STR("A.md"), STR("B.md")}, {STR("B.md"), STR("A.md")}},
     {{"A.md", "first [[B]]"}, {"B.md", "second [[A]]"}, {"n.md", "[[A]] [[B|B]]"}},
     {{"B.md", "first [[A]]"}, {"A.md", "second [[B]]"}, {"n.md", "[[B]] [[A|A]]"}}},
    {"two files swap places, same names",
     LINKS_SHORTEST,
     {{STR("x/A.md"), STR("y/A.md")}, {STR("y/A.md"), STR("x/A.md")}},
     {{"x/A.md", "1"}, {"y/A.md", "2"}, {"n.md", "[[x/A]] [[y/A]]"}},
     {{"y/A.md", "1"}, {"x/A.md", "2"}, {"n.md", "[[y/A]] [[x/A]]"}}},
    {"reference definitions",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("New one.md")}},
     {{"Old.md", ""},
      {"a.md", "[Old][1] [Old][] [Old] [other][1]\n\n[1]: Old.md \"t\"\n"
               "[old]: <Old.md#h>\n[unused]: Old.md\n"}},
     {{"New one.md", ""},
      {"a.md", "[New one][1] [Old][] [Old] [other][1]\n\n[1]: New%20one.md \"t\"\n"
               "[old]: <New one.md#h>\n[unused]: Old.md\n"}}},
    {"properties keep their quotes",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("It's \"q\".md")}},
     {{"Old.md", ""},
      {"a.md", "---\r\na: '[[Old]]' # why\r\nb: \"[[Old|\\u00e9]]\"\r\nc: |-\r\n"
               "  [[Old]]\r\nd: [x, \"[[Old]]\"]\r\ne: &k \"[[Old]]\"\r\nf: *k\r\n"
               "\"[[Old]]\": no\r\n---\r\n"}},
     {{"It's \"q\".md", ""},
      {"a.md", "---\r\na: '[[It''s \"q\"]]' # why\r\nb: \"[[It's \\\"q\\\"|\u00e9]]\"\r\n"
               "c: |-\r\n  [[It's \"q\"]]\r\nd: [x, \"[[It's \\\"q\\\"]]\"]\r\n"
               "e: &k \"[[It's \\\"q\\\"]]\"\r\nf: *k\r\n"
               "\"[[Old]]\": no\r\n---\r\n"}}},
    {"broken properties are left alone",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("New.md")}},
     {{"Old.md", ""}, {"a.md", "---\na: \"[[Old]]\"\na: 2\n---\n[[Old]]"}},
     {{"New.md", ""}, {"a.md", "---\na: \"[[Old]]\"\na: 2\n---\n[[New]]"}}},
    {"a drawing has a heading above its data",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("New.md")}},
     {{"Old.md", ""},
      {"a.md", "---\nexcalidraw-plugin: parsed\n---\n[[Old]] ^a1\n\n%%\n## Drawing\n"
               "```json\n{}\n```\n%%\n"}},
     {{"New.md", ""},
      {"a.md", "---\nexcalidraw-plugin: parsed\n---\n[[New]] ^a1\n\n%%\n## Drawing\n"
               "```json\n{}\n```\n%%\n"}}},
    {"canvas with escapes",
     LINKS_SHORTEST,
     {{STR("d/Old.md"), STR("d/N \"1\".md")}},
     {{"d/Old.md", ""},
      {"c.canvas", "\xEF\xBB\xBF{\"nodes\":[ {\"type\":\"file\",\"file\":\"d\\/Old.md\"},"
                   "{\"type\":\"text\",\"text\":\"\\u00e9\\ud83d\\ude00 [[Old]]\\n"
                   "[Old](d/Old.md)\\u0041\",\"k\":1}], \"z\" : [[]]}"}},
     {{"d/N \"1\".md", ""},
      {"c.canvas",
       "\xEF\xBB\xBF{\"nodes\":[ {\"type\":\"file\",\"file\":\"d/N \\\"1\\\".md\"},"
       "{\"type\":\"text\",\"text\":\"\\u00e9\\ud83d\\ude00 [[N \\\"1\\\"]]\\n"
       "[N \\\"1\\\"](N%20\\\"1\\\".md)\\u0041\",\"k\":1}], \"z\" : [[]]}"}}},
    {"a background and a moved canvas",
     LINKS_SHORTEST,
     {{STR("i.png"), STR("img/i.png")}, {STR("c.canvas"), STR("x/d.canvas")}},
     {{"i.png", ""},
      {"c.canvas", "{\"nodes\":[{\"type\":\"group\",\"background\":\"i.png\"}]}"},
      {"n.md", "[[c.canvas]]"}},
     {{"img/i.png", ""},
      {"x/d.canvas", "{\"nodes\":[{\"type\":\"group\",\"background\":\"img/i.png\"}]}"},
      {"n.md", "[[d.canvas]]"}}},
    {"a base is rewritten, too",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("New.md")}},
     {{"Old.md", ""}, {"b.base", "filters: file.hasLink(\"Old\")\nx: \"[[Old]]\"\n"}},
     {{"New.md", ""}, {"b.base", "filters: file.hasLink(\"New\")\nx: \"[[New]]\"\n"}}},
    {"literal text",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("New.md")}},
     {{"Old.md", ""},
      {"a.md", "\xEF\xBB\xBF$[[Old]]$ <!-- [[Old]] --> \\[[Old]] [[Old ]] ![[Old|300]]"}},
     {{"New.md", ""},
      {"a.md",
       "\xEF\xBB\xBF$[[Old]]$ <!-- [[Old]] --> \\[[Old]] [[New ]] ![[New|300]]"}}},
    {"a new duplicate comes nearer",
     LINKS_SHORTEST,
     {{STR("far/B.md"), STR("s/A.md")}},
     {{"far/B.md", ""}, {"s/n.md", "[[A]] [[a#h|A]]"}, {"deep/er/A.md", "[[A]]"}},
     {{"s/A.md", ""},
      {"s/n.md", "[[deep/er/A]] [[deep/er/A#h|A]]"},
      {"deep/er/A.md", "[[A]]"}}},
    {"a literal name comes before .md",
     LINKS_SHORTEST,
     {{STR("b.txt"), STR("x.txt")}},
     {{"b.txt", ""}, {"x.txt.md", ""}, {"n.md", "[[x.txt]]"}},
     {{"x.txt", ""}, {"x.txt.md", ""}, {"n.md", "[[x.txt.md]]"}}},
    {"relative in one folder where the root has that name",
     LINKS_RELATIVE,
     {{STR("p/Old.md"), STR("p/New.md")}},
     {{"p/Old.md", ""}, {"New.md", ""}, {"p/n.md", "[[Old]]"}, {"m.md", "[[p/Old]]"}},
     {{"p/New.md", ""}, {"New.md", ""}, {"p/n.md", "[[./New]]"}, {"m.md", "[[p/New]]"}}},
    {"dots are followed by other tools, too",
     LINKS_SHORTEST,
     {{STR("n/a.md"), STR("z/y/a.md")}},
     {{"n/a.md", "![](../img/p.png) [[./b]] [[b]]"}, {"img/p.png", ""}, {"n/b.md", ""}},
     {{"z/y/a.md", "![](../../img/p.png) [[../../n/b]] [[b]]"},
      {"img/p.png", ""},
      {"n/b.md", ""}}},
    {"a relative link of a file that stays in its folder",
     LINKS_RELATIVE,
     {{STR("n/a.md"), STR("n/b.md")}},
     {{"n/a.md", "[[C/x.md]] [[./c/X]]"}, {"n/c/x.md", ""}},
     {{"n/b.md", "[[C/x.md]] [[./c/X]]"}, {"n/c/x.md", ""}}},
    {"characters of Markdown destinations",
     LINKS_ABSOLUTE,
     {{STR("Old.md"), STR("q/a (b 100% #1: `x`.md")}},
     {{"Old.md", ""}, {"a.md", "[t](Old.md#h) [t](<Old.md> 'x')"}},
     {{"q/a (b 100% #1: `x`.md", ""},
      {"a.md", "[t](q/a%20%28b%20100%25%20%231%3A%20%60x%60.md#h) "
               "[t](<q/a (b 100%25 %231%3A %60x%60.md> 'x')"}}},
    {"a wikilink that cannot contain the name",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("C# [1].md")}},
     {{"Old.md", ""}, {"a.md", "---\nup: \"[[Old]]\"\n---\n[[Old]] ![[Old#h i|x]]\n"}},
     {{"C# [1].md", ""},
      {"a.md", "---\nup: \"[C# \\\\[1\\\\]](C%23%20[1].md)\"\n---\n"
               "[C# \\[1\\]](C%23%20[1].md) ![x](C%23%20[1].md#h%20i)\n"}}},
    {"a text file is not a note",
     LINKS_SHORTEST,
     {{STR("a.txt"), STR("d/b.txt")}},
     {{"a.txt", "[[a.txt]]"}, {"n.md", "[[a.txt|a.txt]] [[a]]"}},
     {{"d/b.txt", "[[a.txt]]"}, {"n.md", "[[b.txt|b.txt]] [[a]]"}}},
    {"decomposed and no-break names",
     LINKS_SHORTEST,
     {{STR("Cafe\u0301.md"), STR("Bar.md")}},
     {{"Cafe\u0301.md", ""}, {"n.md", "[[caf\u00e9]] [[Cafe\u0301|Caf\u00e9]]"}},
     {{"Bar.md", ""}, {"n.md", "[[Bar]] [[Bar|Caf\u00e9]]"}}},
    {"an image as the text of a link",
     LINKS_SHORTEST,
     {{STR("Old.md"), STR("New.md")}, {STR("p.png"), STR("q.png")}},
     {{"Old.md", ""}, {"p.png", ""}, {"n.md", "[![p.png](p.png)](Old.md)"}},
     {{"New.md", ""}, {"q.png", ""}, {"n.md", "[![q.png](q.png)](New.md)"}}},
};

static size_t count_moves(const struct rename_move *moves)
{
    size_t n = 0;
    while (n < MOVES && moves[n].from.n > 0)
        n++;
    return n;
}

static void test_moves(void **state)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct index *x = vault_of(cases[i].before, FILES);
        struct rename_plan plan;
        struct err err = {0};
        if (!rename_files(x, cases[i].format, *state, cases[i].moves,
                          count_moves(cases[i].moves), NULL, &plan, &err))
            fail_msg("%s: %s", cases[i].name, err.msg);
        vault_check(cases[i].name, x, &plan, cases[i].after, FILES);
        index_free(x);
    }
}

static void test_folder(void **state)
{
    static const struct vault_row before[] = {
        {"p/A.md", "[[p/B]] [[../top]] ![](img/i.png) [[C]]"},
        {"p/B.md", "[[A]] [a](A.md)"},
        {"p/img/i.png", ""},
        {"top.md", "[[p/A]] ![[p/img/i.png]] [[pp/A]]"},
        {"pp/A.md", "[[A]]"},
        {"C.md", ""},
    };
    static const struct vault_row after[] = {
        {"q/r/A.md", "[[B]] [[../../top]] ![](i.png) [[C]]"},
        {"q/r/B.md", "[[q/r/A]] [a](q/r/A.md)"},
        {"q/r/img/i.png", ""},
        {"top.md", "[[q/r/A]] ![[i.png]] [[pp/A]]"},
        {"pp/A.md", "[[A]]"},
        {"C.md", ""},
    };
    struct index *x = vault_of(before, COUNT_OF(before));
    struct rename_plan plan;
    struct err err = {0};
    assert_true(rename_folder(x, LINKS_SHORTEST, *state, STR("p"), STR("q/r"), NULL,
                              &plan, &err));
    vault_check("folder", x, &plan, after, COUNT_OF(after));
    assert_int_equal(plan.n_moves, 3);

    static const struct {
        const char *from, *to;
        enum err_code code;
    } bad[] = {
        {"p", "p/sub", ERR_INVALID},  {"p", "PP", ERR_EXISTS},
        {"none", "x", ERR_NOT_FOUND}, {"", "x", ERR_INVALID},
        {"p", "", ERR_INVALID},       {"top.md", "x", ERR_NOT_FOUND},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        assert_false(rename_folder(x, LINKS_SHORTEST, *state, str_c(bad[i].from),
                                   str_c(bad[i].to), NULL, &plan, &err));
        CHECK_INT(bad[i].to, err.code, bad[i].code);
    }
    assert_true(
        rename_folder(x, LINKS_SHORTEST, *state, STR("p"), STR("P"), NULL, &plan, &err));
    index_free(x);
}

static void test_refused(void **state)
{
    static const struct vault_row files[] = {
        {"A.md", ""}, {"d/B.md", ""}, {"b.png", ""}, {"C.md", ""}};
    static const struct {
        const char *name;
        struct rename_move moves[2];
        enum err_code code;
    } bad[] = {
        {"not there", {{STR("a.md"), STR("x.md")}}, ERR_NOT_FOUND},
        {"taken", {{STR("A.md"), STR("d/B.md")}}, ERR_EXISTS},
        {"taken, other case", {{STR("A.md"), STR("D/b.MD")}}, ERR_EXISTS},
        {"no name", {{STR("A.md"), STR("")}}, ERR_INVALID},
        {"to itself", {{STR("A.md"), STR("A.md")}}, ERR_INVALID},
        {"twice", {{STR("A.md"), STR("x.md")}, {STR("A.md"), STR("y.md")}}, ERR_INVALID},
        {"both to the same path",
         {{STR("A.md"), STR("x.md")}, {STR("C.md"), STR("X.md")}},
         ERR_EXISTS},
    };
    struct index *x = vault_of(files, COUNT_OF(files));
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        struct rename_plan plan;
        struct err err = {0};
        size_t n = bad[i].moves[1].from.n > 0 ? 2 : 1;
        CHECK(bad[i].name, !rename_files(x, LINKS_SHORTEST, *state, bad[i].moves, n, NULL,
                                         &plan, &err));
        CHECK_INT(bad[i].name, err.code, bad[i].code);
    }
    index_free(x);
}

static void test_warnings(void **state)
{
    static const struct {
        const char *to;
        size_t warnings, links;
    } rows[] = {
        {"Fine name.md", 0, 1}, {"a#b.md", 2, 1},  {"what?.md", 1, 1},
        {"con.md", 1, 1},       {"COM7.md", 1, 1}, {"Company.md", 0, 1},
        {".h/Old.md", 1, 0},    {"`.md", 1, 1},
    };
    static const struct vault_row files[] = {{"Old.md", ""}, {"n.md", "` [[Old]]"}};
    struct index *x = vault_of(files, COUNT_OF(files));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct rename_move move = {STR("Old.md"), str_c(rows[i].to)};
        struct rename_plan plan;
        struct err err = {0};
        assert_true(rename_files(x, LINKS_SHORTEST, *state, &move, 1, NULL, &plan, &err));
        CHECK_INT(rows[i].to, plan.n_warnings, rows[i].warnings);
        CHECK_INT(rows[i].to, plan.links, rows[i].links);
    }
    index_free(x);
}

/* Excluded files are not searched, but their links are rewritten. */
static void test_excluded(void **state)
{
    struct index *x = index_create();
    struct arena scratch = {0};
    struct fs_info info = {0};
    struct rename_move move = {STR("Old.md"), STR("New.md")};
    struct rename_plan plan;
    struct err err = {0};
    vault_put(x, STR("Old.md"), STR(""));
    index_put(x, file_make(&scratch, STR("raw/n.md"), &info, STR("[[Old]]")), true);
    assert_true(rename_files(x, LINKS_SHORTEST, *state, &move, 1, NULL, &plan, &err));
    assert_int_equal(plan.n_rewrites, 1);
    CHECK_STR("excluded", plan.rewrites[0].text, "[[New]]");
    arena_release(&scratch);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_moves),    ARENA_TEST(test_folder),   ARENA_TEST(test_refused),
        ARENA_TEST(test_warnings), ARENA_TEST(test_excluded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
