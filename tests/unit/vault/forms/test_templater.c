#include "vault/forms/templater.h"

#include "base/sbuf.h"
#include "check.h"

static const struct template_values values = {
    .title = STR("2024-03-01"),
    .folder = STR("Journal/2024"),
    .now = {2024, 2, 29, 13, 5, 9, 0, 0}, /* a Thursday */
    .date_format = STR("YYYY-MM-DD"),
    .time_format = STR("HH:mm"),
};

static void test_static(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"# <% tp.file.title %>\n", "# 2024-03-01\n"},
        {"<%tp.file.title%>|{{title}}", "2024-03-01|2024-03-01"},
        {"<% tp.file.folder() %> <% tp.file.folder(true) %>", "2024 Journal/2024"},
        {"<% tp.file.path(true) %>", "Journal/2024/2024-03-01.md"},
        {"<% tp.file.creation_date() %>", "2024-02-29 13:05"},
        {"<% tp.file.creation_date(\"dddd Do MMMM\") %>", "Thursday 29th February"},
        {"<% tp.file.last_modified_date('HH') %>", "13"},
        {"a<% tp.file.cursor(1) %>b", "ab"},
        {"<% tp.date.now() %>", "2024-02-29"},
        {"<% tp.date.now(\"YYYY-[W]ww\"); %>", "2024-W09"},
        {"<% tp.date.now(`MM/DD`, 1) %>", "03/01"},
        {"<% tp.date.now('YYYY-MM-DD', -7) %>", "2024-02-22"},
        {"<% tp.date.now('YYYY-MM-DD', 'P1Y') %>", "2025-02-28"},
        {"<% tp.date.now('YYYY-MM-DD', 'P-1M1D') %>", "2024-01-30"},
        {"<% tp.date.now('YYYY-MM-DD', 1, tp.file.title, 'YYYY-MM-DD') %>", "2024-03-02"},
        {"<% tp.date.tomorrow() %> <% tp.date.yesterday('ddd') %>", "2024-03-01 Wed"},
        {"<% tp.date.weekday('YYYY-MM-DD', 0) %>", "2024-02-25"},
        {"a\n<%- tp.file.folder() -%>\nb", "a2024b"},
        {"a\r\n\r\n<%- tp.file.folder() -%>\r\n\r\nb", "a\r\n2024\r\nb"},
        {"a \n\n<%_ tp.file.folder() _%>\n\n b", "a2024b"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct templater_left left = {.n = 0};
        CHECK_STR(cases[i].text,
                  templater_expand(*state, str_c(cases[i].text), &values, &left),
                  cases[i].want);
        CHECK_INT(cases[i].text, left.n, 0);
    }
}

/* What would have to run as a program stays as it is, and is reported. */
static void test_dynamic(void **state)
{
    static const char *const cases[] = {
        "<%* const x = 1 %>",
        "<%+ tp.date.now() %>",
        "<% await tp.system.prompt('Name') %>",
        "<% tp.file.path() %>",
        "<% tp.file.include('[[Other]]') %>",
        "<% tp.date.now(`${x}`) %>",
        "<% tp.date.now('a\\'b') %>",
        "<% tp.date.now('YYYY', x) %>",
        "<% tp.date.now('YYYY', 1, 'tomorrow', 'YYYY-MM-DD') %>",
        "<% tp.date.now('YYYY' 1) %>",
        "<% tp.date.now(1, 2, 3, 4, 5) %>",
        "<% tp.file.title.split(' ')[0] %>",
        "<% tp.file.title + 1 %>",
        "<%%>",
        "<%-%>",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct templater_left left = {.n = 0};
        CHECK_STR(cases[i], templater_expand(*state, str_c(cases[i]), &values, &left),
                  cases[i]);
        CHECK_INT(cases[i], left.n, 1);
        CHECK_STR(cases[i], left.commands[0], cases[i]);
    }
}

static void test_open_and_many(void **state)
{
    struct templater_left left = {.n = 0};
    CHECK_STR("open", templater_expand(*state, STR("a <% b"), &values, &left), "a <% b");
    CHECK_INT("open", left.n, 0);
    struct sbuf many = SBUF_ON(*state);
    for (int i = 0; i < 2 * TEMPLATER_LEFT_MAX; i++)
        sbuf_add(&many, STR("<%x%>"));
    CHECK("many", str_eq(templater_expand(*state, sbuf_str(&many), &values, &left),
                         sbuf_str(&many)));
    CHECK_INT("many", left.n, TEMPLATER_LEFT_MAX);
}

static void test_note(void **state)
{
    struct templater_left left = {.n = 0};
    struct template_values some = {.now = {2024, 12, 30, 13, 5, 0, 0, 0},
                                   .date_format = STR("YYYY-MM-DD"),
                                   .time_format = STR("HH:mm")};
    CHECK_STR("filled in",
              templater_note(*state, STR("J/Mon 30.md"),
                             STR("# {{title}}\n{{date:dddd}} {{date}} {{time}}\n"), &some,
                             &left),
              "# Mon 30\nMonday 2024-12-30 13:05\n");
    CHECK_STR("empty", templater_note(*state, STR("J/x.md"), STR(""), &some, &left), "");
    CHECK_STR("folder",
              templater_note(*state, STR("A/B/x.md"), STR("<% tp.file.folder(true) %>"),
                             &some, &left),
              "A/B");
    CHECK_STR("nothing left", templater_warning(*state, &left), "");
    (void)templater_expand(*state, STR("<%* a %><% b %>"), &some, &left);
    CHECK("left", str_ends(templater_warning(*state, &left), STR(": <%* a %>, <% b %>")));
}

/* A template of a few megabytes must not become gigabytes, and no number overflows. */
static void test_bounded(void **state)
{
    struct arena *a = *state;
    struct sbuf paths = SBUF_ON(a), titles = SBUF_ON(a), format = SBUF_ON(a);
    struct template_values some = values;
    struct templater_left left = {.n = 0};
    char folder[3000];
    memset(folder, 'd', sizeof(folder));
    some.folder = some.title = (str){folder, sizeof(folder)};
    for (int i = 0; i < 50000; i++) {
        sbuf_add(&paths, STR("<%tp.file.path(true)%>"));
        sbuf_add(&titles, STR("{{title}}"));
        sbuf_add(&format, STR("LLLL "));
    }
    enum { ROOM = TEMPLATE_TEXT_MAX + (4 << 20) };
    str made = templater_expand(a, sbuf_str(&paths), &some, &left);
    CHECK("paths", made.n > TEMPLATE_TEXT_MAX && made.n < ROOM);
    made = templater_expand(a, sbuf_str(&titles), &some, &left);
    CHECK("titles", made.n > TEMPLATE_TEXT_MAX && made.n < ROOM);
    CHECK_INT("left", left.n, 0);
    str text =
        arena_printf(a, "<%% tp.date.now('" STR_FMT "') %%>", STR_ARG(sbuf_str(&format)));
    CHECK("format", str_eq(templater_expand(a, text, &some, &left), text));
    static const char *const numbers[] = {
        "<% tp.date.weekday('YYYY', -9223372036854775808) %>",
        "<% tp.date.weekday('YYYY', 9223372036854775807) %>",
        "<% tp.date.now('YYYY', 99999999999) %>",
    };
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        CHECK_STR(numbers[i], templater_expand(a, str_c(numbers[i]), &some, &left),
                  numbers[i]);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_static), ARENA_TEST(test_dynamic), ARENA_TEST(test_open_and_many),
        ARENA_TEST(test_note),   ARENA_TEST(test_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
