#include "vault/note/prop.h"

#include "base/sbuf.h"
#include "check.h"

/* "text", [a|b] or the type. */
static str show(struct arena *a, const struct prop *p)
{
    struct sbuf b = SBUF_ON(a);
    if (p->type != PROP_LIST)
        return arena_printf(a, "%d:" STR_FMT, p->type, STR_ARG(p->text));
    for (const struct prop *c = p->child; c != NULL; c = c->next)
        sbuf_printf(&b, "%s" STR_FMT, c == p->child ? "" : "|", STR_ARG(c->text));
    return arena_printf(a, "[" STR_FMT "] %u", STR_ARG(sbuf_str(&b)), p->n);
}

static void test_for_key(void **state)
{
    static const struct {
        const char *key, *value, *want;
    } cases[] = {
        {"tags", "\"one\"", "[one] 1"},
        {"Tags", "\"one, two\"", "[one|two] 2"},
        {"tags", "\"#one #two/x\\nthree\"", "[one|two/x|three] 3"},
        {"tags", "\"\"", "[] 0"},
        {"tags", "[\"#one\", \"two words\", 5]", "[one|two words|5] 3"},
        {"tags", "[]", "[] 0"},
        {"aliases", "\"One, two\"", "[One, two] 1"},
        {"cssclasses", "\"wide\"", "[wide] 1"},
        {"aliases", "[\"#x\"]", "[#x] 1"},
        {"title", "\"one, two\"", "4:one, two"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *j;
        struct prop *p;
        struct err err = {0};
        if (!json_parse(*state, str_c(cases[i].value), &j, &err) ||
            !prop_of_json(*state, j, &p, &err))
            fail_msg("%s: %s", cases[i].value, err.msg);
        CHECK_STR(cases[i].value,
                  show(*state, prop_for_key(*state, str_c(cases[i].key), p)),
                  cases[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_for_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
