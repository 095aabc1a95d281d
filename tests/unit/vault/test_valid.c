#include "vault/valid.h"

#include "check.h"

#define EDGE(to) "\"edges\":[{\"id\":\"e\",\"fromNode\":\"a\",\"toNode\":\"" to "\"}]"
#define NODE "\"id\":\"a\",\"x\":0,\"y\":0,\"width\":1,\"height\":1"

static void test_check(void **state)
{
    static const struct {
        const char *path;
        str text;
        enum valid_problem want;
        const char *says;
    } cases[] = {
        {"a.md", STR(""), VALID, ""},
        {"a.md", STR("text\n---\nmore"), VALID, ""},
        {"a.md", STR("---\na: 1\n---\n\ntext\n"), VALID, ""},
        {"a.md", STR("---\n---\n"), VALID, ""},
        {"a.md", STR("---\n\nA rule, then text.\n"), VALID, ""},
        {"a.md", STR("---\ntitle: x\ntext"), VALID_UNCLOSED, "line 1: the properties"},
        {"a.md", STR("---\na: [1\nb: 2\n---\n"), VALID_YAML, "line "},
        {"a.md", STR("---\na: 1\na: 2\n---\n"), VALID_YAML, "line 3"},
        {"a.md", STR("---\na: 1\n---\n---\nb: 2\n---\n"), VALID_TWICE, "line 4:"},
        {"a.md", STR("---\na: 1\n---\n\n\n---\nb: 2\n---\n"), VALID_TWICE, "line 6:"},
        {"a.md", STR("---\na: 1\n---\n\n---\n\nA chapter\n\n---\n"), VALID, ""},
        {"a.md", STR("---\na: 1\n---\ntext\n\n---\nb: 2\n---\n"), VALID, ""},
        {"a.md", STR("one\ntwo\0"), VALID_NOT_TEXT, "line 2:"},
        {"a.md", STR("\xFF"), VALID_NOT_TEXT, "line 1:"},
        {"a.canvas", STR(""), VALID, ""},
        {"a.canvas", STR("{}"), VALID, ""},
        {"a.canvas", STR("{\"nodes\":[{" NODE ",\"type\":\"text\",\"text\":\"\"}]}"),
         VALID, ""},
        {"a.canvas", STR("{\"nodes\":[{" NODE ",\"type\":\"other\"}]}"), VALID, ""},
        {"a.canvas", STR("{\n\"nodes\": [\n}"), VALID_CANVAS, "line 3: invalid JSON"},
        {"a.canvas", STR("[]"), VALID_CANVAS, "line 1: a canvas is an object"},
        {"a.canvas", STR("{\"nodes\":{}}"), VALID_CANVAS, "a list: nodes"},
        {"a.canvas", STR("{\"nodes\":[1]}"), VALID_CANVAS, "objects: nodes"},
        {"a.canvas", STR("{\"nodes\":[\n{\"id\":\"a\",\"type\":\"text\"}]}"),
         VALID_CANVAS, "line 2: a node needs the number x"},
        {"a.canvas", STR("{\"nodes\":[{" NODE "}]}"), VALID_CANVAS, "member type"},
        {"a.canvas", STR("{\"nodes\":[{" NODE ",\"type\":\"file\"}]}"), VALID_CANVAS,
         "member file"},
        {"a.canvas", STR("{\"edges\":[{\"id\":\"e\",\"fromNode\":\"a\"}]}"), VALID_CANVAS,
         "toNode"},
        {"a.canvas", STR("{\"nodes\":[{" NODE ",\"type\":\"group\"}],\n" EDGE("a") "}"),
         VALID, ""},
        {"a.canvas", STR("{\"nodes\":[{" NODE ",\"type\":\"group\"}],\n" EDGE("b") "}"),
         VALID_CANVAS_ENDS, "line 2: the toNode of an edge is 'b', and no node has"},
        {"a.canvas", STR("{" EDGE("a") "}"), VALID_CANVAS_ENDS, "the fromNode"},
        {"a.base", STR(""), VALID, ""},
        {"a.base", STR("views:\n  - type: table\n    name: All\n"), VALID, ""},
        {"a.base", STR("filters: status == 1\n"), VALID, ""},
        {"a.base", STR("filters:\n  and:\n    - a\n"), VALID, ""},
        {"a.base", STR("views:\n  - [\n"), VALID_BASE, "line "},
        {"a.base", STR("views: table\n"), VALID_BASE,
         "line 1, column 1: views must be a list"},
        {"a.base", STR("views:\n  - table\n"), VALID_BASE, "line 2, column 5: each view"},
        {"a.base", STR("formulas:\n  - a\n"), VALID_BASE, "formulas must be a map"},
        {"a.base", STR("just text\n"), VALID_BASE, "line "},
        {"a.base", STR("filters: a ==\n"), VALID_BASE, "line 1, column "},
        {"a.base", STR("formulas:\n  x: 1 +\n"), VALID_BASE, "formula x"},
        {"a.md", STR("# A\n\n```base\nfilters: a > 1\n```\n"), VALID, ""},
        {"a.md", STR("# A\n\n```base\nviews: 5\n```\n"), VALID_BASE,
         "line 4, column 1: views must be a list"},
        {"a.md", STR("---\na: 1\n---\n> ```base\n> filters: a >\n> ```\n"), VALID_BASE,
         "line 5, column "},
        {"a.md", STR("```yaml\nviews: 5\n```\n"), VALID, ""},
        {"a.png", STR("\x89PNG\r\n\x1a\n..."), VALID, ""},
        {"a.png", STR("iVBORw0KGgo="), VALID_MEDIA, "but text"},
        {"a.png", STR("\xff\xd8\xff..."), VALID_MEDIA, "but image/jpeg"},
        {"a.png", STR(""), VALID_MEDIA, "not image/png"},
        {"a.pdf", STR("%PDF-1.4 text"), VALID, ""},
        {"a.pdf", STR("My report"), VALID_MEDIA, "not application/pdf, but text"},
        {"a.mp3", STR("\xff\xe3\x10"), VALID, ""},
        {"a.svg", STR("<svg/>"), VALID, ""},
        {"a.xyz", STR("anything\0"), VALID, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        enum valid_problem got =
            valid_check(*state, str_c(cases[i].path), cases[i].text, &err);
        CHECK_INT(cases[i].text.p, got, cases[i].want);
        if (strstr(err.msg, cases[i].says) == NULL)
            fail_msg("%s: %s", cases[i].text.p, err.msg);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_check)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
