#include "vault/backlinks.h"

#include "base/sbuf.h"
#include "check.h"

static void put(struct index *x, const char *path, const char *text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)strlen(text)};
    index_put(x, file_make(&scratch, str_c(path), &info, str_c(text)), false);
    arena_release(&scratch);
}

static str links_to(struct arena *a, const struct index *x, const char *path)
{
    struct sbuf b = SBUF_ON(a);
    struct backlink *links;
    size_t n = backlinks_to(x, a, index_find(x, str_c(path)), &links);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&b, STR_FMT ":%u:" STR_FMT ";", STR_ARG(links[i].source->path),
                    links[i].link.line,
                    STR_ARG(backlinks_line(links[i].source, &links[i].link)));
    return sbuf_str(&b);
}

static void test_links(void **state)
{
    struct index *x = index_create();
    put(x, "z.md",
        "---\nup: \"[[Home]]\"\n---\n\n  twice [[home]], ![[Home#There]]  \r\n");
    put(x, "Home.md", "to itself [[Home]], to [[z]]\n");
    put(x, "a/b.md", "[h](../Home.md) and [[Elsewhere]]");
    put(x, "Board.canvas",
        "{\"nodes\":[{\"id\":\"1\",\"type\":\"file\",\"file\":\"Home.md\"}]}");
    CHECK_STR("all, by path and place", links_to(*state, x, "Home.md"),
              "Board.canvas:1:;a/b.md:1:[h](../Home.md) and [[Elsewhere]];"
              "z.md:2:up: \"[[Home]]\";z.md:5:twice [[home]], ![[Home#There]];"
              "z.md:5:twice [[home]], ![[Home#There]];");
    CHECK_STR("one", links_to(*state, x, "z.md"),
              "Home.md:1:to itself [[Home]], to [[z]];");
    CHECK_STR("none", links_to(*state, x, "a/b.md"), "");
    index_free(x);
}

static void test_long_line(void **state)
{
    struct index *x = index_create();
    struct sbuf text = SBUF_ON(*state);
    struct backlink *links;
    sbuf_add(&text, STR("[[b]] "));
    while (text.n < 1000)
        sbuf_add(&text, STR("\xC3\xA4"));
    put(x, "b.md", "");
    put(x, "a.md", arena_str(*state, sbuf_str(&text)).p);
    CHECK_INT("links", backlinks_to(x, *state, index_find(x, STR("b.md")), &links), 1);
    str line = backlinks_line(links[0].source, &links[0].link);
    CHECK_INT("cut at a character", line.n, BACKLINKS_LINE_MAX);
    index_free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_links),
        ARENA_TEST(test_long_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
