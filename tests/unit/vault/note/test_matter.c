/*
 * tests/vectors/matter.json has the output of gray-matter 4.0.3 for properties and a
 * text.
 */
#include "base/sbuf.h"
#include "vault/note/matter.h"
#include "vault/note/prop.h"
#include "vectors.h"

static struct prop *props_of(struct arena *a, const char *json)
{
    const struct json *j;
    struct prop *out = NULL;
    struct err err = {0};
    if (!json_parse(a, str_c(json), &j, &err) || !prop_of_json(a, j, &out, &err))
        fail_msg("%s: %s", json, err.msg);
    return out;
}

static void test_as_gray_matter(void **state)
{
    struct arena a = {0};
    const struct json *rows = vectors_read(&a, "matter.json");
    for (const struct json *row = rows->child; row != NULL; row = row->next) {
        str id = json_get(row, STR("props"))->raw, got = {0};
        const char *name = arena_str(&a, id).p;
        struct prop *props;
        struct err err = {0};
        if (!prop_of_json(&a, json_get(row, STR("props")), &props, &err) ||
            !matter_write(&a, props, json_get_str(row, STR("content")), &got, &err))
            fail_msg("%s: %s", name, err.msg);
        CHECK_STR(name, got, arena_str(&a, json_get_str(row, STR("want"))));
    }
    assert_true(rows->n > 20);
    arena_release(&a);
}

static void test_our_own_way(void **state)
{
    static const struct {
        const char *props, *content, *want;
    } cases[] = {
        {"{}", "text", "text"}, /* nothing to add: the text is unchanged */
        {"{\"a\":\"🎉 done\"}", "", "---\na: 🎉 done\n---\n\n"},
        {"{\"a\":\"0o17\"}", "", "---\na: '0o17'\n---\n\n"}, /* YAML 1.2: a number */
        {"{\"a\":1}", "---\nb: 2 # two\n---\nx", "---\nb: 2 # two\na: 1\n---\nx\n"},
        {"{\"b\":3}", "---\nb: 2\nc: 4\n---\nx\n", "---\nb: 3\nc: 4\n---\nx\n"},
    };
    struct arena a = {0};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str got;
        if (!matter_write(&a, props_of(&a, cases[i].props), str_c(cases[i].content), &got,
                          &err))
            fail_msg("%s: %s", cases[i].props, err.msg);
        CHECK_STR(cases[i].props, got, cases[i].want);
    }
    arena_release(&a);
}

static void test_long_text_is_one_line(void **state)
{
    struct arena a = {0};
    struct sbuf json = SBUF_ON(&a);
    struct err err = {0};
    str got;
    sbuf_add(&json, STR("{\"a\":\""));
    for (int i = 0; i < 50; i++)
        sbuf_add(&json, STR("word "));
    sbuf_add(&json, STR("end\"}\0"));
    assert_true(matter_write(&a, props_of(&a, json.p), STR("x\n"), &got, &err));
    assert_true(str_starts(got, STR("---\na: word word ")));
    assert_true(str_ends(got, STR("word end\n---\nx\n")));
    arena_release(&a);
}

/* Any text reads back: as a value, in a list, and as a key. */
static void test_random_texts_come_back(void **state)
{
    static const char *const pieces[] = {
        "a",        "yes",    "1",      "_",          ".",          "-",   ":",
        " ",        "\n",     "\t",     "\r",         "#",          "'",   "\"",
        "\\",       "|",      ">",      "[",          "]",          "{",   "}",
        ",",        "&",      "*",      "!",          "%",          "@",   "`",
        "?",        "~",      "=",      "<<",         "---",        "é",   "\u2028",
        "\xC2\x85", "\uFEFF", "\uFFFE", "\U0001F389", "\U00100041", "\x7F"};
    struct arena a = {0};
    uint32_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        struct sbuf text = SBUF_ON(&a);
        struct prop item = {.type = PROP_TEXT}, value, list, map = {.type = PROP_MAP};
        struct err err = {0};
        str got;
        for (int n = 0; n < 6; n++) {
            seed = seed * 1664525 + 1013904223;
            if (seed >> 30 != 0)
                sbuf_add(&text, str_c(pieces[(seed >> 8) % COUNT_OF(pieces)]));
        }
        item.text = sbuf_str(&text);
        list = (struct prop){.type = PROP_LIST, .key = STR("l"), .child = &item, .n = 1};
        value = (struct prop){
            .type = PROP_TEXT, .key = STR("v"), .text = item.text, .next = &list};
        map.child = &value;
        map.n = 2;
        struct prop keyed = {.type = PROP_NULL, .key = item.text, .next = &value};
        bool takes_key = item.text.n > 0 && str_find_char(item.text, '\n') == STR_NONE;
        if (takes_key && !str_eq(item.text, STR("v")) && !str_eq(item.text, STR("l"))) {
            map.child = &keyed;
            map.n = 3;
        }
        if (!matter_write(&a, &map, STR("x"), &got, &err))
            fail_msg("'" STR_FMT "': %s", STR_ARG(item.text), err.msg);
        arena_reset(&a);
    }
    arena_release(&a);
}

static void test_refused(void **state)
{
    struct arena a = {0};
    struct err err = {0};
    str got, broken = STR("---\na: [\n---\n");
    assert_false(matter_write(&a, props_of(&a, "{\"a\":1}"), broken, &got, &err));
    assert_int_equal(err.code, ERR_INVALID);
    char *large = arena_alloc(&a, FRONTMATTER_MAX_BYTES + 1);
    memset(large, 'x', FRONTMATTER_MAX_BYTES);
    large[FRONTMATTER_MAX_BYTES] = '\0';
    const char *json = arena_printf(&a, "{\"a\":\"%s\"}", large).p;
    assert_false(matter_write(&a, props_of(&a, json), STR(""), &got, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    arena_release(&a);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_as_gray_matter),
        cmocka_unit_test(test_our_own_way),
        cmocka_unit_test(test_long_text_is_one_line),
        cmocka_unit_test(test_random_texts_come_back),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
