#include "mcp/resource.h"
#include "mcp/template.h"

#include "check.h"

enum { VALUES_MAX = 3 };

struct match {
    const char *pattern, *uri;
    const char *values[VALUES_MAX];
};

static void check_match(struct arena *a, const struct match *m)
{
    str values[MCP_VARIABLES_MAX] = {{0}};
    if (!mcp_template_match(a, str_c(m->pattern), str_c(m->uri), values))
        fail_msg("%s does not match %s", m->uri, m->pattern);
    for (size_t i = 0; i < VALUES_MAX; i++)
        CHECK_STR(m->uri, values[i], m->values[i]);
}

static void test_match(void **state)
{
    static const struct match cases[] = {
        {"test://fixed", "test://fixed", {NULL}},
        {"vault:///{+path}", "vault:///a.md", {"a.md"}},
        {"vault:///{+path}", "vault:///a/b/c.md", {"a/b/c.md"}},
        {"vault:///{+path}", "vault:////", {"/"}},
        {"t://{id}", "t://1", {"1"}},
        {"t://{id}/data", "t://1/data", {"1"}},
        {"t://{a}/{b}", "t://x/y", {"x", "y"}},
        {"t://{a}/{+b}", "t://x/y/z", {"x", "y/z"}},
        {"t://{a}-{b}.md", "t://x-y.md", {"x", "y"}},
        {"{+all}", "anything://at/all", {"anything://at/all"}},
        /* percent escapes become bytes; '+' stays */
        {"vault:///{+path}", "vault:///A%20b/%C3%A9.md", {"A b/\xC3\xA9.md"}},
        {"t://{id}", "t://a+b", {"a+b"}},
        {"t://{id}", "t://a%2Fb", {"a/b"}},
        {"t://{id}/x", "t://%25/x", {"%"}},
        {"t://{id}", "t://%7b%7D", {"{}"}},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_match(*state, &cases[i]);
}

/* The text after a variable may also occur inside its value. */
static void test_match_repeated(void **state)
{
    static const struct match cases[] = {
        {"t://{a}-{b}", "t://x-y-z", {"x", "y-z"}},
        {"vault:///{+path}/raw", "vault:///a/raw/b/raw", {"a/raw/b"}},
        {"vault:///{+path}/raw", "vault:///raw/raw", {"raw"}},
        {"t://{name}.md", "t://a.md.md", {"a.md"}},
        {"v:///{+path}/rev/{n}", "v:///a/rev/b/rev/3", {"a/rev/b", "3"}},
        {"v:///{+a}.md/{+b}", "v:///x.md/y.md/z", {"x", "y.md/z"}},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        check_match(*state, &cases[i]);
}

static void test_near_misses(void **state)
{
    static const struct {
        const char *pattern, *uri;
    } cases[] = {
        {"test://fixed", "test://fixed/"},
        {"test://fixed", "test://fixe"},
        {"test://fixed", "Test://fixed"},
        {"test://fixed", ""},
        {"vault:///{+path}", "vault:///"},
        {"vault:///{+path}", "vault://"},
        {"vault:///{+path}", "vault://x"},
        {"vault:///{+path}", "vaults:///a.md"},
        {"vault:///{+path}", " vault:///a.md"},
        {"t://{id}", "t://"},
        {"t://{id}", "t://a/b"},
        {"t://{id}", "t://a/"},
        {"t://{id}/data", "t://1"},
        {"t://{id}/data", "t:///data"},
        {"t://{id}/data", "t://1/data/"},
        {"t://{id}/data", "t://1/2/data"},
        {"t://{a}/{b}", "t://x"},
        {"t://{a}/{b}", "t://x/"},
        {"t://{a}/{b}", "t:///y"},
        {"t://{a}/{b}", "t://x/y/z"},
        {"t://{a}-{b}.md", "t://x.md"},
        {"t://{a}-{b}.md", "t://x-.md"},
        {"t://{id}", "t://%"},
        {"t://{id}", "t://%4"},
        {"t://{id}", "t://%4G"},
        {"vault:///{+path}", "vault:///a%zz"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str values[MCP_VARIABLES_MAX] = {{0}};
        CHECK(cases[i].uri, !mcp_template_match(*state, str_c(cases[i].pattern),
                                                str_c(cases[i].uri), values));
    }
}

static void test_variables(void **state)
{
    static const struct {
        const char *pattern;
        size_t i;
        const char *name;
    } cases[] = {
        {"t://fixed", 0, ""},          {"t://{id}", 0, "id"},
        {"t://{id}", 1, ""},           {"v:///{+path}", 0, "path"},
        {"t://{a}/{+b}/x{c}", 0, "a"}, {"t://{a}/{+b}/x{c}", 1, "b"},
        {"t://{a}/{+b}/x{c}", 2, "c"}, {"t://{a}/{+b}/x{c}", 3, ""},
        {"t://{a}/{+b}/x{c}", 99, ""},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].pattern,
                  mcp_template_variable(str_c(cases[i].pattern), cases[i].i),
                  cases[i].name);
}

static void test_most_variables(void **state)
{
    str values[MCP_VARIABLES_MAX + 1] = {[MCP_VARIABLES_MAX] = STR("untouched")};
    str eight = STR("{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}");
    assert_true(mcp_template_match(*state, eight, STR("1/2/3/4/5/6/7/8"), values));
    CHECK_STR("first", values[0], "1");
    CHECK_STR("last", values[MCP_VARIABLES_MAX - 1], "8");
    str nine = STR("{a}/{b}/{c}/{d}/{e}/{f}/{g}/{h}/{i}");
    assert_false(mcp_template_match(*state, nine, STR("1/2/3/4/5/6/7/8/9"), values));
    CHECK_STR("after the array", values[MCP_VARIABLES_MAX], "untouched");
}

/* Bytes after the end of the text are not read. */
static void test_slices(void **state)
{
    str values[MCP_VARIABLES_MAX] = {{0}};
    str uri = str_slice(STR("t://abc/raw"), 0, 7);
    assert_true(mcp_template_match(*state, STR("t://{id}"), uri, values));
    CHECK_STR("value", values[0], "abc");
    assert_false(mcp_template_match(*state, STR("t://{id}/raw"), uri, values));
    assert_false(mcp_template_match(*state, STR("t://{id}"), (str){0}, values));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_match),          ARENA_TEST(test_match_repeated),
        ARENA_TEST(test_near_misses),    ARENA_TEST(test_variables),
        ARENA_TEST(test_most_variables), ARENA_TEST(test_slices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
