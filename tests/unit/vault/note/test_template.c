#include "vault/note/template.h"

#include "check.h"

static const struct template_values values = {
    .title = STR("My: Note"),
    .now = {2024, 2, 9, 13, 5, 9, 78, 60},
    .date_format = STR("YYYY-MM-DD"),
    .time_format = STR("HH:mm"),
};

static void test_expand(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"no variables {x} }} {{", "no variables {x} }} {{"},
        {"# {{title}}\n{{date}} {{time}}\n", "# My: Note\n2024-02-09 13:05\n"},
        {"{{date:dddd, MMMM Do YYYY}}", "Friday, February 9th 2024"},
        {"{{time:h:mm A}}|{{date:HH}}", "1:05 PM|13"},
        {"{{Date}}{{TITLE}}{{ time }}", "2024-02-09My: Note13:05"},
        {"{{date:}}", "2024-02-09"},
        {"{{date:[{{}]YYYY}}", "{{}2024"},
        {"{{unknown}} {{dates}} {{}} {{title:x}}",
         "{{unknown}} {{dates}} {{}} {{title:x}}"},
        {"{{{date}}}", "{2024-02-09}"},
        {"{{date\n}}", "{{date\n}}"},
        {"{{a {{date}}", "{{a 2024-02-09"},
        {"<% tp.date %> `{{date}}`", "<% tp.date %> `2024-02-09`"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, template_expand(*state, str_c(cases[i].text), &values),
                  cases[i].want);
}

static void test_merge(void **state)
{
    static const struct {
        const char *note, *template, *text, *body;
    } cases[] = {
        {"Body\n", "No properties\n", "Body\n", "No properties\n"},
        {"Body\n", "---\na: 1\nb: [x]\n---\nT\n", "---\na: 1\nb:\n  - x\n---\nBody\n",
         "T\n"},
        {"---\na: 1 # c\n---\nBody\n", "---\na: 2\nA2: 3\n---\n",
         "---\na: 1 # c\nA2: 3\n---\nBody\n", ""},
        {"---\nA: 1\n---\n", "---\na: 2\n---\n", "---\nA: 1\n---\n", ""},
        {"---\ntags: [a, B]\n---\n", "---\ntags:\n  - b\n  - '#c'\n---\n",
         "---\ntags: [a, B, c]\n---\n", ""},
        {"---\ntags: a\n---\n", "---\ntags: [b]\n---\n",
         "---\ntags:\n  - a\n  - b\n---\n", ""},
        {"---\nl:\n  - 1\n---\n", "---\nl: 2\n---\n", "---\nl:\n  - 1\n  - 2\n---\n", ""},
        {"---\nt: one\n---\n", "---\nt: [two]\n---\n", "---\nt: one\n---\n", ""},
        {"---\na:\nb: ''\n---\n", "---\na: 1\nb:\nc:\n---\n",
         "---\na: 1\nb: ''\nc:\n---\n", ""},
        {"---\nm: {x: 1}\nl: [1]\n---\n", "---\nm: {y: 2}\nl: {z: 1}\n---\n",
         "---\nm: {x: 1}\nl: [1]\n---\n", ""},
        {"x\r\n", "---\na: 0x1F\nb: .inf\nc: '[[N]]'\n---\n",
         "---\r\na: 0x1F\r\nb: .inf\r\nc: \"[[N]]\"\r\n---\r\nx\r\n", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct template_merged out;
        struct err err = {0};
        if (!template_merge(*state, str_c(cases[i].note), str_c(cases[i].template), &out,
                            &err))
            fail_msg("%s: %s", cases[i].note, err.msg);
        CHECK_STR(cases[i].note, out.text, cases[i].text);
        CHECK_STR(cases[i].note, out.body, cases[i].body);
    }
}

static void test_broken(void **state)
{
    struct template_merged out;
    struct err err = {0};
    CHECK("template",
          !template_merge(*state, STR("x"), STR("---\na: My: Note\n---\n"), &out, &err));
    CHECK("template",
          str_starts(str_c(err.msg), STR("the template, line 2, column 6: ")));
    CHECK("note",
          !template_merge(*state, STR("---\na: [x\n---\n"), STR("x"), &out, &err));
    CHECK("note", str_starts(str_c(err.msg), STR("the note, line 2, column 4: ")));
    CHECK_INT("name", err.name, E_BROKEN_FRONTMATTER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_expand),
        ARENA_TEST(test_merge),
        ARENA_TEST(test_broken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
