#include "vault/eval/uses.h"

#include "base/sbuf.h"
#include "check.h"

/* "folder:Books tag:x" */
static str shown(struct arena *a, const char *text)
{
    static const char *const kinds[] = {[USE_FOLDER] = "folder",
                                        [USE_PATH] = "path",
                                        [USE_LINK] = "link",
                                        [USE_TAG] = "tag",
                                        [USE_PROPERTY] = "property"};
    struct sbuf out = SBUF_ON(a);
    struct use *uses;
    size_t n = uses_find(a, str_c(text), &uses);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, "%s%s:" STR_FMT, i > 0 ? " " : "", kinds[uses[i].kind],
                    STR_ARG(uses[i].value));
    return sbuf_str(&out);
}

static void test_uses(void **state)
{
    static const struct {
        const char *text, *uses;
    } cases[] = {
        {"", ""},
        {"1 + 2", ""},
        {"file.inFolder(\"Books\")", "folder:Books"},
        {"!file.inFolder('A B') && x", "folder:A B property:x"},
        {"this.file.inFolder(\"a\")", "folder:a"},
        {"inFolder(\"a\")", ""},
        {"file.inFolder(\"a\" + x)", "property:x"},
        {"file.folder == \"a/b\"", "folder:a/b"},
        {"\"a\" != file.folder || x", "folder:a property:x"},
        {"file.folder == \"a\" + \"b\"", ""},
        {"x.file.folder == \"a\"", "property:x"},
        {"file.path == \"a/b.md\"", "path:a/b.md"},
        {"file.hasLink(\"N#h\")", "link:N#h"},
        {"file.hasLink(link(\"N\"))", "link:N"},
        {"link(\"N\", \"shown\")", "link:N"},
        {"file(\"a.png\")", "link:a.png"},
        {"up == \"[[N|x]]\"", "property:up link:[[N|x]]"},
        {"[\"[[N]]\"]", "link:[[N]]"},
        {"file.hasTag(\"a\", '#b')", "tag:a tag:#b"},
        {"file.tags.containsAny(\"a\", \"b\")", "tag:a tag:b"},
        {"tags.contains(\"a\")", "property:tags tag:a"},
        {"genres.contains(\"a\")", "property:genres"},
        {"note.due < today()", "property:due"},
        {"note[\"due date\"]", "property:due date"},
        {"this.due == due", "property:due property:due"},
        {"this.file.name", ""},
        {"file.properties.due", "property:due"},
        {"file.properties[\"due\"]", "property:due"},
        {"file.hasProperty(\"due\")", "property:due"},
        {"formula.due", ""},
        {"formula[\"due\"]", ""},
        {"a.b.c", "property:a"},
        {"list.map(value + index).filter(value)", "property:list"},
        {"{due: due}", "property:due"},
        {"/due/.matches(x)", "property:x"},
        {"due(1)", ""},
        {"a = b", ""},
        {"\"open", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, shown(*state, cases[i].text), cases[i].uses);
}

static void test_texts(void **state)
{
    static const struct {
        const char *text, *value, *now;
    } cases[] = {
        {"file.inFolder(\"A\")", "B", "file.inFolder(\"B\")"},
        {"file.inFolder('A')", "B's", "file.inFolder('B\\'s')"},
        {"file.inFolder(\"A\")", "B\"\\", "file.inFolder(\"B\\\"\\\\\")"},
        {"due > 1", "deadline", "deadline > 1"},
        {"due > 1", "due date", "note[\"due date\"] > 1"},
        {"due > 1", "file", "note[\"file\"] > 1"},
        {"note.due", "deadline", "note.deadline"},
        {"note . due", "x-y", "note [\"x-y\"]"},
        {"note[\"due\"]", "x-y", "note[\"x-y\"]"},
        {"due", "größe", "größe"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str text = str_c(cases[i].text);
        struct use *use;
        struct sbuf out = SBUF_ON(*state);
        CHECK_INT(cases[i].text, uses_find(*state, text, &use), 1);
        sbuf_add(&out, str_slice(text, 0, use->start));
        sbuf_add(&out, use_text_of(*state, text, use, str_c(cases[i].value)));
        sbuf_add(&out, str_skip(text, use->end));
        CHECK_STR(cases[i].text, sbuf_str(&out), cases[i].now);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_uses), ARENA_TEST(test_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
