#include "vault/forms/code_block.h"

#include "base/sbuf.h"
#include "check.h"

/* The contents of all blocks, with | between them. */
static str blocks(struct arena *a, const char *text)
{
    struct note n;
    struct span block;
    struct sbuf out = SBUF_ON(a);
    note_scan(a, str_c(text), &n);
    for (uint32_t i = 0; code_block_next(&n, STR("dataview"), &i, &block);) {
        sbuf_add(&out, code_block_text(a, &n, block));
        sbuf_char(&out, '|');
    }
    return sbuf_str(&out);
}

static void test_blocks(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"```dataview\nLIST\n```\n", "LIST\n|"},
        {"~~~~ dataview x\nLIST\n~~~\n~~~~\n", "LIST\n~~~\n|"},
        {"a\n\n```dataview\r\nLIST\r\nLIMIT 1\r\n```\r\n", "LIST\r\nLIMIT 1\r\n|"},
        {"```dataview\nLIST", "LIST|"},
        {"```dataview\n```\n```dataview\nTASK\n```", "|TASK\n|"},
        {"> ```dataview\n> LIST\n>   WHERE a\n> ```\n", "LIST\n  WHERE a\n|"},
        {"- ```dataview\n  LIST\n  ```\n", "LIST\n|"},
        {"```dataviewjs\nx\n```\n```\ndataview\n```\n", ""},
        {"`dataview`", ""},
        {"", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, blocks(*state, cases[i].text), cases[i].want);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
