#include "base/text.h"
#include "check.h"
#include "vault/forms/base_source.h"
#include "vault/forms/code_block.h"
#include "vault/note/note.h"

static void test_files(void **state)
{
    static const struct {
        const char *file, *text;
    } cases[] = {
        {"", ""},
        {"a: 1\n", "a: 1\n"},
        {"\xEF\xBB\xBF"
         "a: 1\n",
         "a: 1\n"},
        {"a:\n\tb: 1\n\t\tc: 2\n", "a:\n  b: 1\n    c: 2\n"},
        {"a: x\ty\n", "a: x\ty\n"},
        {"a:\n \tb\n", "a:\n   b\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct base_source s;
        base_source_of_file(*state, str_c(cases[i].file), &s);
        CHECK_STR(cases[i].file, s.text, cases[i].text);
        CHECK_INT(cases[i].file, s.line, 1);
    }
}

/* Every byte of the YAML that is not indentation is at its place in the file. */
static void check_places(const char *name, const struct base_source *s)
{
    for (size_t i = 0; i < s->text.n; i++) {
        size_t place = base_source_place(s, i);
        if (place >= s->file.n ||
            (s->file.p[place] != s->text.p[i] && !is_blank(s->text.p[i])))
            fail_msg("%s: byte %zu is not at %zu", name, i, place);
    }
}

static void test_blocks(void **state)
{
    static const struct {
        const char *note, *text;
        int line;
    } cases[] = {
        {"```base\nviews:\n  - name: A\n```\n", "views:\n  - name: A\n", 2},
        {"x\n\n~~~ base extra\na: 1\n~~~", "a: 1\n", 4},
        {"````base\na: 1\n```\n````\n", "a: 1\n```\n", 2},
        {"```base\na: 1", "a: 1", 2},
        {"```base\n```\n", "", 2},
        {"```base", "", 1},
        {"> ```base\n> a:\n>   b: 1\n> ```\n", "a:\n  b: 1\n", 2},
        {"> [!note]\n> > ```base\n> > a: 1\n> > ```\n", "a: 1\n", 3},
        {"- item\n  ```base\n  a:\n    b: 1\n  ```\n", "a:\n  b: 1\n", 3},
        {"- ```base\n  a: 1\n  ```\n", "a: 1\n", 2},
        {"```base\na:\n\tb: 1\n```\n", "a:\n  b: 1\n", 2},
        {"```js\nx\n```\n\n```base\na: 1\n```\n", "a: 1\n", 6},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = cases[i].note;
        struct note n;
        struct base_source s;
        struct span block;
        uint32_t region = 0;
        note_scan(*state, str_c(row), &n);
        if (!code_block_next(&n, STR("base"), &region, &block))
            fail_msg("%s: no block", row);
        base_source_of_block(*state, &n, block, &s);
        CHECK_STR(row, s.text, cases[i].text);
        CHECK_INT(row, s.line, cases[i].line);
        check_places(row, &s);
        assert_false(code_block_next(&n, STR("base"), &region, &block));
    }
}

static void test_no_blocks(void **state)
{
    static const char *const cases[] = {
        "",
        "base\n",
        "```bases\na: 1\n```\n",
        "```Base\na: 1\n```\n",
        "```\nbase\n```\n",
        "    ```base\n    a: 1\n",
        "`base`\n",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n;
        struct span block;
        uint32_t region = 0;
        note_scan(*state, str_c(cases[i]), &n);
        if (code_block_next(&n, STR("base"), &region, &block))
            fail_msg("%s: a block", cases[i]);
    }
}

/* raw is between | marks; the byte of the value that is 'X' must be found in it. */
static void test_scalars(void **state)
{
    static const struct {
        const char *raw, *value;
    } cases[] = {
        {"abX", "abX"},
        {"'it''s X'", "it's X"},
        {"\"a \\\"q\\\" X\"", "a \"q\" X"},
        {"\"\\u00e9\\x41 X\"", "\xC3\xA9"
                               "A X"},
        {"\"\\U0001F600 X\"", "\xF0\x9F\x98\x80 X"},
        {"\"a\\\n   X\"", "aX"},
        {"a\n    b X", "a b X"},
        {"|\n    a\n    X\n", "a\nX\n"},
        {">-\n  a\n  b\n  X", "a b X"},
        {"&mark a X", "a X"},
        {"!!str 'a X'", "a X"},
        {"\"a\n\n   X\"", "a\nX"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str raw = str_c(cases[i].raw), value = str_c(cases[i].value);
        struct base_source s;
        base_source_of_file(*state, raw, &s);
        struct span all = {0, (uint32_t)raw.n};
        struct span at = base_source_in_scalar(&s, all, value, str_find_char(value, 'X'));
        if (at.end != at.start + 1 || raw.p[at.start] != 'X')
            fail_msg("%s: found %u to %u", cases[i].raw, at.start, at.end);
    }
}

static void test_lines(void **state)
{
    struct base_source s;
    size_t line, column;
    base_source_of_file(*state, STR("a: 1\n\xC3\xA9: x\n"), &s);
    base_source_line(&s, 9, &line, &column);
    assert_int_equal(line, 2);
    assert_int_equal(column, 4);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_files),   ARENA_TEST(test_blocks), ARENA_TEST(test_no_blocks),
        ARENA_TEST(test_scalars), ARENA_TEST(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
