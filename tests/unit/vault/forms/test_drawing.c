#include "check.h"
#include "vault/forms/drawing.h"

#define HEAD "---\n\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n\n---\n"
#define TEXTS "# Excalidraw Data\n\n## Text Elements\nHello [[World]] ^hx0Z3kQa\n\n"
#define DATA "```compressed-json\nN4KAkARALgngDgUwg\n\nLgAQQQDwMY\n```"

static void test_where_the_data_begins(void **state)
{
    static const struct {
        const char *text; /* the data begins at the bar */
    } cases[] = {
        {HEAD TEXTS "|%%\n## Drawing\n" DATA "\n%%"},
        {HEAD TEXTS "|# Drawing\n```json\n{\"type\":\"excalidraw\"}\n```"},
        {HEAD "# Drawing\n\nnot this\n\n|# Drawing\n" DATA "\n"},
        {HEAD TEXTS "|%%\r\n## Drawing\r\n```json\r\n{}\r\n```\r\n%%\r\n"},
        {HEAD TEXTS "|"},
        {HEAD TEXTS "## Drawing\n" DATA "\n%%\ntext of the user\n|"},
        {HEAD TEXTS "## Drawing\n```compressed-json\nN4KA|"},
        {HEAD TEXTS "## Drawing\n```js\n1\n```|"},
        {"# Drawing\n" DATA "|"},
        {"---\ntitle: x\n---\n# Drawing\n" DATA "|"},
        {"|"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str whole = str_c(cases[i].text), data;
        size_t bar = str_find_char(whole, '|');
        str text =
            arena_printf(*state, STR_FMT STR_FMT, STR_ARG(str_slice(whole, 0, bar)),
                         STR_ARG(str_skip(whole, bar + 1)));
        CHECK_INT(cases[i].text, drawing_find(*state, text, &data), bar);
        CHECK_INT(cases[i].text, data.n > 0, bar < text.n);
        if (data.n > 0)
            CHECK(cases[i].text,
                  str_starts(data, STR("```")) && str_ends(data, STR("```")));
    }
}

static void test_texts_of_json(void **state)
{
    static const struct {
        const char *json, *want; /* NULL: not JSON */
    } cases[] = {
        {"", ""},
        {"{}", ""},
        {"{\"elements\":5}", ""},
        {"{\"elements\":[1,{},{\"text\":7}]}", ""},
        {"{\"elements\":[{\"text\":\"a\\nb\"},{\"text\":\"x\",\"originalText\":\"y\"}]}",
         "a\nb\ny\n"},
        {"{\"elements\":[{\"rawText\":\"[[A]]\",\"text\":\"A\",\"link\":\"[[B]]\"}]}",
         "[[A]]\n[[B]]\n"},
        {"{\"elements\":[{\"type\":\"frame\",\"name\":\"F\"}]}", "F\n"},
        {"{\"elements\":[{\"text\":\"a\",\"isDeleted\":true}],\"files\":{}}", ""},
        {"{\"elements\":[", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str texts = {0};
        bool ok = drawing_texts(*state, str_c(cases[i].json), &texts, &err);
        CHECK_INT(cases[i].json, ok, cases[i].want != NULL);
        CHECK_STR(cases[i].json, texts, ok ? cases[i].want : "");
    }
    assert_true(drawing_is_json(STR("a/b.Excalidraw")));
    assert_false(drawing_is_json(STR("a/b.excalidraw.md")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_where_the_data_begins),
                                       ARENA_TEST(test_texts_of_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
