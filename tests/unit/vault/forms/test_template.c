#include "vault/forms/template.h"

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

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_expand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
