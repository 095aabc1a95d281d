#include "vault/text/glob.h"

#include "base/clock.h"
#include "base/sbuf.h"
#include "check.h"
#include "until.h"

static void test_matches(void **state)
{
    static const struct {
        const char *globs[4], *path;
        bool in;
    } cases[] = {
        {{NULL}, "a.md", true},
        {{""}, "a.md", true},
        {{"# comment"}, "a.md", true},
        {{"*.md"}, "a.md", true},
        {{"*.md"}, "x/y/a.md", true},
        {{"*.md"}, "a.MD", false},
        {{"*.md"}, ".md", true},
        {{"*.md "}, "a.md", true},
        {{"devlog/*.md"}, "devlog/a.md", true},
        {{"devlog/*.md"}, "devlog/x/a.md", false},
        {{"devlog/*.md"}, "x/devlog/a.md", false},
        {{"/a.md"}, "a.md", true},
        {{"/a.md"}, "x/a.md", false},
        {{"a.md"}, "x/a.md", true},
        {{"x"}, "x/a.md", false},
        {{"x/"}, "x/a.md", false},
        {{"x/**"}, "x/y/a.md", true},
        {{"x/**"}, "x", false},
        {{"x/**/a.md"}, "x/a.md", true},
        {{"x/**/a.md"}, "x/y/z/a.md", true},
        {{"x/**/a.md"}, "xy/a.md", false},
        {{"**/a.md"}, "a.md", true},
        {{"**/y/*"}, "x/y/a.md", true},
        {{"**"}, "x/y", true},
        {{"*"}, "x/y", true},
        {{"a**d"}, "abcd", true},
        {{"x/a**d"}, "x/ab/cd", false},
        {{"?.md"}, "a.md", true},
        {{"?.md"}, "é.md", true},
        {{"?.md"}, "ab.md", false},
        {{"x?y"}, "x/y", false},
        {{"[a-c].md"}, "b.md", true},
        {{"[!a-c].md"}, "b.md", false},
        {{"[^a-c].md"}, "d.md", true},
        {{"[]-]x"}, "]x", true},
        {{"[]-]x"}, "-x", true},
        {{"[а-я].md"}, "ж.md", true},
        {{"*.{md,txt}"}, "x/a.txt", true},
        {{"*.{md,txt}"}, "x/a.pdf", false},
        {{"{x,y}/*"}, "y/a", true},
        {{"{x/**,z}/a"}, "x/b/a", true},
        {{"{,a}.md"}, ".md", false},
        {{"{}a.md"}, "a.md", true},
        {{"a,b"}, "a,b", true},
        {{"a}"}, "a", true},
        {{"\\*.md"}, "*.md", true},
        {{"\\*.md"}, "a.md", false},
        {{"\\!a"}, "!a", true},
        {{"\\#a"}, "#a", true},
        {{"!*.md"}, "a.md", false},
        {{"!*.md"}, "a.txt", true},
        {{"!x"}, "x/y/a.md", false},
        {{"!x/"}, "x/a.md", false},
        {{"!x/"}, "y/x", true},
        {{"!/x"}, "y/x/a.md", true},
        {{"*.md", "!a*"}, "a.md", false},
        {{"*.md", "!a*"}, "b.md", true},
        {{"*.md", "!a*"}, "b.txt", false},
        {{"!a*", "ab.md"}, "ab.md", true},
        {{"!a*", "ab.md"}, "b.md", false},
        {{"!x", "x/a.md"}, "x/a.md", false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        struct glob *g;
        str globs[4];
        size_t n = 0;
        for (; n < 4 && cases[i].globs[n] != NULL; n++)
            globs[n] = str_c(cases[i].globs[n]);
        if (!glob_compile(*state, globs, n, &g, &err))
            fail_msg("%s: %s", cases[i].globs[0], err.msg);
        if (glob_match(g, str_c(cases[i].path)) != cases[i].in)
            fail_msg("%s: '%s' is %s", cases[i].globs[0], cases[i].path,
                     cases[i].in ? "out" : "in");
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *glob, *hint;
    } cases[] = {
        {"[a", "unclosed character class"},
        {"[", "unclosed character class"},
        {"[]", "unclosed character class"},
        {"[z-a]", "invalid character range"},
        {"{a", "unclosed alternate group"},
        {"{a,{b,c}}", "nested alternate groups"},
        {"a\\", "dangling"},
        {"\xff", "UTF-8"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        struct glob *g;
        str glob = str_c(cases[i].glob);
        if (glob_compile(*state, &glob, 1, &g, &err))
            fail_msg("%s: accepted", cases[i].glob);
        CHECK_INT(cases[i].glob, err.code, ERR_INVALID);
        CHECK(cases[i].glob, strstr(err.msg, cases[i].hint) != NULL);
    }
}

static void test_limits(void **state)
{
    struct arena *a = *state;
    struct err err = {0};
    struct glob *g;
    struct sbuf b = SBUF_ON(a);
    str many[GLOB_MAX + 1] = {0};
    assert_false(glob_compile(a, many, COUNT_OF(many), &g, &err));
    assert_int_equal(err.code, ERR_LIMIT);
    for (int i = 0; i < 1025; i++)
        sbuf_char(&b, 'a');
    str glob = sbuf_str(&b);
    assert_false(glob_compile(a, &glob, 1, &g, &err));
    assert_int_equal(err.code, ERR_LIMIT);

    /* many stars take time that is only linear in their number */
    struct sbuf stars = SBUF_ON(a), path = SBUF_ON(a);
    for (int i = 0; i < 340; i++)
        sbuf_add(&stars, i % 2 == 0 ? STR("*a*") : STR("**/"));
    sbuf_char(&stars, 'b');
    for (int i = 0; i < 2000; i++)
        sbuf_add(&path, STR("a/"));
    sbuf_add(&path, STR("ab"));
    glob = sbuf_str(&stars);
    assert_true(glob_compile(a, &glob, 1, &g, &err));
    uint64_t start = cpu_ms();
    glob_match(g, str_slice(sbuf_str(&path), 0, 4000));
    glob_match(g, sbuf_str(&path));
    assert_true(cpu_ms() - start < 5000);
}

static void test_of_path(void **state)
{
    static const char *const paths[] = {"a.md", "a/b c.md", "!odd [1]/{x},*?\\.md", "#a",
                                        "space at the end "};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        str glob = glob_of_path(*state, str_c(paths[i]));
        struct glob *g;
        struct err err;
        assert_true(glob_compile(*state, &glob, 1, &g, &err));
        for (size_t k = 0; k < COUNT_OF(paths); k++)
            CHECK_INT(paths[k], glob_match(g, str_c(paths[k])), i == k);
        assert_false(
            glob_match(g, arena_printf(*state, "below/%s",
                                       paths[i]))); /* only the whole path matches */
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_matches),
        ARENA_TEST(test_refused),
        ARENA_TEST(test_limits),
        ARENA_TEST(test_of_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
