/*
 * Inputs of 1 MB each that make careless scanners quadratic. No clock is needed: a
 * quadratic scanner would take hours, which does not go unnoticed.
 */
#include "base/sbuf.h"
#include "check.h"
#include "vault/note/note.h"

enum { SIZE = 1 << 20 };

static const struct {
    const char *first, *again, *last;
} patterns[] = {
    {"", "`", ""},
    {"", "` ", ""},
    {"", "`a``b```c````d", ""},
    {"", "[", ""},
    {"", "]", ""},
    {"", "[[", "]]"},
    {"", "[[a", ""},
    {"", "[[a|", ""},
    {"", "[[[a]] ", ""},
    {"", "![", ""},
    {"", "![a", "](b)"},
    {"", "[a](", ""},
    {"", "[a](b", ""},
    {"", "[a](b \"", ""},
    {"", "[a](<b", ""},
    {"", "[![a](b)](c)", ""},
    {"", "![![![![a](b)](c)](d)](e)", ""},
    {"", "[a][b]", "\n\n[b]: c"},
    {"", "[a]", "\n\n[a]: c"},
    {"", "[a]: b\n", "[a]"},
    {"", "[^a]", ""},
    {"", "[^a]: b\n", ""},
    {"", "^[", ""},
    {"", "#", ""},
    {"", "#a", ""},
    {"", "*#a", ""},
    {"", "*#a_ ", "*"},
    {"", "**#a**\n\n", ""},
    {"", "%%", ""},
    {"", "a%%", ""},
    {"", "%%a\n\n", ""},
    {"", "$", ""},
    {"", "$a ", ""},
    {"", "$a`", ""},
    {"", "$$\n", ""},
    {"", "$$a\n\n", ""},
    {"", "> $$\n\n", ""},
    {"", "<", ""},
    {"", "<a ", ""},
    {"", "<a b=\"", ""},
    {"", "<a b='<a c=\"", ""},
    {"", "<!--", ""},
    {"", "a <!-- ", ""},
    {"", "<a:", ""},
    {"", "</", ""},
    {"", "<div>\n", ""},
    {"", "<pre>\n\n", ""},
    {"", ">", ""},
    {"", "> ", ""},
    {"", ">\n", ""},
    {"", "- ", ""},
    {"", "* ", "x"},
    {"- - - - - - - - - - - - - - - - - - - a\n", "\n", "a"},
    {"> - > - > - > - > - > - > - > - > - a\n", ">\n", "a"},
    {"- - - - - - - - - - - - - - - - - - - a\n", " ", "a"},
    {"", "1. ", ""},
    {"", "- [ ] a\n", ""},
    {"", "-\n", ""},
    {"", "a\n-", ""},
    {"", "a\n=\n", ""},
    {"a\n", "=a\n", "="},
    {"", "|", ""},
    {"", "|a|\n|-|\n", ""},
    {"|a|\n", "|-", ""},
    {"", "a|b\n-|-\n", ""},
    {"", "# a\n", ""},
    {"", "# ", ""},
    {"", "\\", ""},
    {"", "\\[", ""},
    {"", "```\n", ""},
    {"```\n", "``\n", ""},
    {"", "~~~ a\n~~~\n", ""},
    {"", "    a\n\n", ""},
    {"", " ", "a"},
    {"a", " ", "^b"},
    {"", "a-", ""},
    {"", "a ^b\n", ""},
    {"", "\n", ""},
    {"", "\r", ""},
    {"", "\t", "a"},
    {"---\n", "a: b\n", ""},
    {"---\n", "----\n", ""},
    {"", "\xFF", ""},
    {"", "#\xC3\xA9", ""},
};

static str repeat(struct arena *a, const char *first, const char *again, const char *last)
{
    struct sbuf b = SBUF_ON(a);
    char *all = sbuf_room(&b, SIZE + 256);
    str piece = str_c(again);
    size_t n = strlen(first);
    memcpy(all, first, n);
    for (; n < SIZE; n += piece.n)
        memcpy(all + n, piece.p, piece.n);
    memcpy(all + n, last, strlen(last));
    return (str){all, n + strlen(last)};
}

static void test_SEC_71_linear(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(patterns); i++) {
        struct arena a = {0};
        struct note note;
        str text = repeat(&a, patterns[i].first, patterns[i].again, patterns[i].last);
        note_scan(&a, text, &note);
        CHECK(patterns[i].again, note.lines > 0);
        arena_release(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_SEC_71_linear)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
