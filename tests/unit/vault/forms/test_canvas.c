#include "check.h"
#include "vault/forms/canvas.h"

static struct canvas scan(struct arena *a, const char *text)
{
    struct canvas c;
    struct err err;
    if (!canvas_scan(a, str_c(text), &c, &err))
        fail_msg("%s: %s", text, err.msg);
    return c;
}

static void test_links(void **state)
{
    static const struct {
        const char *node;
        int n;
        enum canvas_place place;
        const char *path, *subpath;
    } cases[] = {
        {"'type':'file','file':'a/b.md'", 1, CANVAS_FILE, "a/b.md", ""},
        {"'type':'file','file':'b.md','subpath':'#H'", 1, CANVAS_FILE, "b.md", "#H"},
        {"'subpath':'#^x','file':'b.md','type':'file'", 1, CANVAS_FILE, "b.md", "#^x"},
        {"'type':'file','file':'b.md','subpath':'H'", 1, CANVAS_FILE, "b.md", ""},
        {"'type':'file','file':'caf\\u00e9.md'", 1, CANVAS_FILE, "caf\xC3\xA9.md", ""},
        {"'type':'file','file':''", 0, 0, "", ""},
        {"'type':'file','file':7", 0, 0, "", ""},
        {"'type':'file'", 0, 0, "", ""},
        {"'type':'group','background':'p.png'", 1, CANVAS_BACKGROUND, "p.png", ""},
        {"'type':'group','label':'[[x]]'", 0, 0, "", ""},
        {"'type':'text','text':'see [[N#h|x]]'", 1, CANVAS_TEXT, "N", "#h"},
        {"'type':'text','text':'# T\\n\\n![p](img/a%20b.png)'", 1, CANVAS_TEXT,
         "img/a%20b.png", ""},
        {"'type':'text','text':'[a][r]\\n\\n[r]: b.md'", 1, CANVAS_TEXT, "b.md", ""},
        {"'type':'text','text':'`[[no]]`'", 0, 0, "", ""},
        {"'type':'text','file':'no.md'", 0, 0, "", ""},
        {"'type':'link','url':'https://x.y/[[a]]'", 0, 0, "", ""},
        {"'type':'other','file':'no.md'", 0, 0, "", ""},
        {"'file':'no.md'", 0, 0, "", ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].node;
        str json =
            arena_printf(*state, "{\"nodes\":[{\"id\":\"n1\",%s}],\"edges\":[]}", row);
        for (char *p = (char *)json.p; *p != '\0'; p++)
            *p = *p == '\'' ? '"' : *p;
        struct canvas c = scan(*state, json.p);
        CHECK_INT(row, c.n_links, cases[i].n);
        if (cases[i].n == 0)
            continue;
        CHECK_INT(row, c.links[0].place, cases[i].place);
        CHECK_STR(row, c.links[0].path, cases[i].path);
        CHECK_STR(row, c.links[0].subpath, cases[i].subpath);
        CHECK_STR(row, c.links[0].node, "n1");
    }
}

static void test_order_lines_and_places(void **state)
{
    struct canvas c =
        scan(*state, "{\n"
                     "\t\"nodes\":[\n"
                     "\t\t{\"id\":\"a\",\"type\":\"file\",\"file\":\"1.md\"},\n"
                     "\t\t{\"type\":\"text\",\"text\":\"[[2]]\\n\\n[[3]]\"},\n"
                     "\t\t{\"type\":\"group\",\"background\":\"4.png\"}\n"
                     "\t],\n"
                     "\t\"edges\":[]\n"
                     "}\n");
    static const char *const paths[] = {"1.md", "2", "3", "4.png"};
    static const int lines[] = {3, 4, 4, 5};
    CHECK_INT("links", c.n_links, 4);
    for (size_t i = 0; i < 4; i++) {
        CHECK_STR("path", c.links[i].path, paths[i]);
        CHECK_INT(paths[i], c.links[i].line, lines[i]);
    }
    CHECK_STR("raw", c.links[0].raw, "\"1.md\"");
    CHECK_STR("raw", c.links[2].raw, "\"[[2]]\\n\\n[[3]]\"");
    CHECK_STR("whole", span_of(c.links[2].value, c.links[2].link.whole), "[[3]]");
    CHECK_INT("line in the text", c.links[2].link.line, 3);
}

static void test_empty(void **state)
{
    static const char *const texts[] = {
        "",
        " \r\n",
        "{}",
        "\xEF\xBB\xBF{}",
        "[]",
        "null",
        "{\"nodes\":{}}",
        "{\"nodes\":[1,null,[],{}]}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        CHECK_INT(texts[i], scan(*state, texts[i]).n_links, 0);
}

static void test_broken(void **state)
{
    static const char *const texts[] = {
        "{",
        "{\"nodes\":[{\"type\":\"file\",\"file\":\"a.md\"}]",
        "nodes: []",
        "{\"nodes\":[]} x",
        "{\"nodes\":[],}",
        "{\"a\":\"\xFF\"}",
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        struct canvas c = {.n_links = 9};
        struct err err = {0};
        CHECK(texts[i], !canvas_scan(*state, str_c(texts[i]), &c, &err));
        CHECK_INT(texts[i], err.code, ERR_INVALID);
        CHECK_INT(texts[i], c.n_links, 0);
    }
}

static void test_limit(void **state)
{
    struct canvas c;
    struct err err = {0};
    str large = {arena_zero(*state, CANVAS_MAX_BYTES + 1), CANVAS_MAX_BYTES + 1};
    CHECK("large", !canvas_scan(*state, large, &c, &err));
    CHECK_INT("large", err.code, ERR_LIMIT);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_links), ARENA_TEST(test_order_lines_and_places),
        ARENA_TEST(test_empty), ARENA_TEST(test_broken),
        ARENA_TEST(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
