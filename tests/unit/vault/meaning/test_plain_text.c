#include "vault/meaning/plain_text.h"

#include "check.h"

static str cleaned(struct arena *a, str text)
{
    struct note note;
    note_scan(a, text, &note);
    struct plain_text c = {.note = &note};
    return plain_text_part(&c, a, (struct span){note.body, (uint32_t)text.n});
}

static void test_forms(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"", ""},
        {"plain words", "plain words"},
        {"two\nlines  and\tspaces\r\n", "two lines and spaces"},
        {"**bold** _it_ ~~gone~~ ==mark== snake_case 2*3",
         "bold it gone mark snake_case 23"},
        {"a \\* b", "a * b"},
        {"[[Note]] and [[dir/Other.md|shown]] and [[A#B]]", "Note and shown and A B"},
        {"[text](https://x.org/a) [in](dir/n.md)", "text in"},
        {"![[photo.png]] before ![alt](https://x.org/p.jpg) after", "before after"},
        {"![[Plan]] here", "Plan here"},
        {"[![alt](x.png)](https://y.org) z", "z"},
        {"see https://example.org/a?b=c. And <https://x.org> end", "see And end"},
        {"a <b class=\"x\">word</b><br>next 1 < 2 > 1", "a word next 1 < 2 > 1"},
        {"x %%hidden [[L]]%% y <!-- z --> w", "x y w"},
        {"- item\n  - [x] done\n1. first\n12) last", "item done first last"},
        {"> [!note]- Title\n> body", "Title body"},
        {"| a | b |\n|---|:-:|\n| c | d |", "a b c d"},
        {"---", ""},
        {"#tag and C# and #a/b", "tag and C# and a/b"},
        {"line ^block-id\nnext", "line next"},
        {"foot[^1] note", "foot note"},
        {"`code_x *y*` z", "code_x *y* z"},
        {"```sh\nls *.c | wc\n```", "ls *.c | wc"},
        {"$x_1$ is", "x_1 is"},
        {"\xff bad", "\xef\xbf\xbd bad"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].text, cleaned(*state, str_c(cases[i].text)), cases[i].want);
}

/* Parts of a comment or of code that are cleaned one after the other. */
static void test_parts(void **state)
{
    struct arena *a = *state;
    str text = STR("a\n\n%%\nb\n\nc\n%%\n\nd\n\n```\ne *f*\n\ng *h*\n```\n\ni *j*\n");
    static const struct {
        const char *part, *want;
    } parts[] = {
        {"a", "a"},       {"%%\nb", ""},           {"c\n%%", ""},
        {"d\n", "d"},     {"```\ne *f*", "e *f*"}, {"g *h*\n```", "g *h*"},
        {"i *j*", "i j"},
    };
    struct note note;
    note_scan(a, text, &note);
    struct plain_text c = {.note = &note};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        uint32_t at = (uint32_t)str_find(text, str_c(parts[i].part));
        struct span part = {at, at + (uint32_t)strlen(parts[i].part)};
        CHECK_STR(parts[i].part, plain_text_part(&c, a, part), parts[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forms, setup_arena, teardown_arena),
        cmocka_unit_test_setup_teardown(test_parts, setup_arena, teardown_arena),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
