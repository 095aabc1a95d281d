/*
 * Inputs that make careless scanners quadratic: of 350 kB each, and of 1 MB with a ROUNDS_FACTOR. A linear scan takes
 * some milliseconds of processor time, whatever else the machine does; a quadratic one takes minutes.
 */
#include <time.h>

#include "base/sbuf.h"
#include "check.h"
#include "rounds.h"
#include "vault/note/note.h"

enum { SIZE = 350000, LARGEST = 1 << 20, CPU_MAX_S = 10 };

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
    size_t size = (size_t)rounds_up_to(SIZE, LARGEST);
    char *all = sbuf_room(&b, size + 256);
    str piece = str_c(again);
    size_t n = strlen(first);
    memcpy(all, first, n);
    for (; n < size; n += piece.n)
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
        clock_t from = clock();
        note_scan(&a, text, &note);
        CHECK(patterns[i].again, (clock() - from) / CLOCKS_PER_SEC < CPU_MAX_S);
        CHECK(patterns[i].again, note.lines > 0);
        arena_release(&a);
    }
}

/* As many links as headings and block ids, which are equal or not. */
static void test_lookups(void **state)
{
    enum { MANY = 10000 };
    static const struct {
        const char *before, *after, *link;
        int different;
    } kinds[] = {
        {"## H", "\n", "#H", 1}, {"## H", "\n", "#H", 0}, {"x ^id", "\n\n", "#^id", 1}};
    for (size_t k = 0; k < COUNT_OF(kinds); k++) {
        struct arena a = {0};
        struct sbuf b = SBUF_ON(&a);
        struct note note;
        for (int i = 0; i < MANY; i++)
            sbuf_printf(&b, "%s%d%s", kinds[k].before, i * kinds[k].different,
                        kinds[k].after);
        note_scan(&a, sbuf_str(&b), &note);
        clock_t from = clock();
        for (int i = 0; i < MANY; i++) {
            str link = arena_printf(&a, "%s%d", kinds[k].link, i * kinds[k].different);
            CHECK(link.p, k < 2 ? note_find_heading(&note, link) != NULL
                                : note_find_block(&note, link) != NULL);
        }
        CHECK(kinds[k].link, (clock() - from) / CLOCKS_PER_SEC < CPU_MAX_S);
        arena_release(&a);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_SEC_71_linear),
        cmocka_unit_test(test_lookups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
