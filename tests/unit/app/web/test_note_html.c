/* What a note looks like as HTML, and that nothing in it can be more than text. */
#include "app/web/note_html.h"

#include "check.h"
#include "oauth/html.h"
#include "vault/index/file.h"
#include "vault/index/index.h"

static const struct page_site here = {{"/v", 2}, {"vault", 5}};

static void add(struct index *x, const char *path, str text)
{
    struct arena scratch = {0};
    struct fs_info info = {.size = (int64_t)text.n};
    index_put(x, file_make(&scratch, str_c(path), &info, text), false);
    arena_release(&scratch);
}

static struct index *index_of_notes(void)
{
    struct index *x = index_create();
    add(x, "Home.md", STR("# Home\n[[Plan]]\n"));
    add(x, "Work/Plan.md",
        STR("---\na: 1\n---\n# Plan\nFirst ^one\n\n## Next & <b>\nlast\n"));
    add(x, "Loop.md", STR("loop ![[Loop]]"));
    add(x, "Pictures/cat.png", STR(""));
    return x;
}

static str shown(struct arena *a, const struct index *x, str text)
{
    struct html h = HTML_ON(a);
    struct note note;
    struct note_html to = {.h = &h, .a = a, .x = x, .site = &here};
    note_scan(a, text, &note);
    note_html_put(&to, STR("Home.md"), &note);
    return html_done(&h);
}

static void test_elements(void **state)
{
    static const struct {
        const char *text, *html; /* html: a part of it */
    } cases[] = {
        {"# One *two*\n", "<h2 id=\"h-0\">One <em>two</em></h2>"},
        {"One\n===\n", "<h2 id=\"h-0\">One</h2>"},
        {"a\nb\n", "<div class=\"p\" dir=\"auto\">a<br>b</div>"},
        {"**b** _i_ ~~d~~ ==m== ***both***",
         "<strong>b</strong> <em>i</em> <del>d</del> <mark>m</mark> "
         "<em><strong>both</strong></em>"},
        {"snake_case_name 2*3*4 a == b", "snake_case_name 2<em>3</em>4 a == b"},
        {"*a **b*", "*a *<em>b</em>"},
        {"\\*no\\*", "*no*"},
        {"`a *b*`", "<code class=\"in\">a *b*</code>"},
        {"```c\nint *x;\n```\nafter",
         "<pre class=\"code\" tabindex=\"0\" data-language=\"c\">"
         "int *x;\n</pre>"},
        {"$x^2$", "<code class=\"in math\">x^2</code>"},
        {"$$\nx\n$$\n", "data-language=\"math\">x\n</pre>"},
        {"- [-] gone", "<span class=\"state-box\" role=\"img\" aria-label=\"cancelled\" "
                       "title=\"cancelled\">-</span> gone"},
        {"- [~] other", "aria-label=\"marked ~\""},
        {"[[Plan]]", "<a href=\"/v/note/Work/Plan.md\" class=\"inside\">Plan</a>"},
        {"[[Plan#Next & <b>|go]]",
         "<a href=\"/v/note/Work/Plan.md#h-1\" class=\"inside\">go</a>"},
        {"[[Plan#^one]]", "href=\"/v/note/Work/Plan.md#b-one\""},
        {"[go](Work/Plan.md)",
         "<a href=\"/v/note/Work/Plan.md\" class=\"inside\">go</a>"},
        {"[[Nothing]]",
         "<span class=\"missing\" title=\"not written yet\">Nothing</span>"},
        {"[x](https://example.com/?a=1&b)",
         "<a href=\"https://example.com/?a=1&amp;b\" class=\"outside\" "
         "rel=\"noreferrer noopener nofollow\">x</a>"},
        {"see https://example.com/a.", "href=\"https://example.com/a\""},
        {"<https://example.com>", "href=\"https://example.com\""},
        {"#work/next", "<a class=\"tag\" href=\"/v/search?q=tag:%23work/next\">"},
        {"![[cat.png|200]]", "<img src=\"/v/file/Pictures/cat.png\" alt=\"cat.png\" "
                             "loading=\"lazy\" width=\"200\">"},
        {"![[Plan#^one]]", "<div class=\"embed\"><a class=\"embed-title\" "
                           "href=\"/v/note/Work/Plan.md\">Plan</a>"},
        {"- a\n- [ ] b\n- [x] c\n",
         "<ul><li dir=\"auto\">a</li><li class=\"task\" dir=\"auto\"><input "
         "type=\"checkbox\" disabled aria-label=\"open\"> b</li><li class=\"task\" "
         "dir=\"auto\"><input type=\"checkbox\" disabled checked aria-label=\"done\"> "
         "c</li>"},
        {"- a\n\t- b\n- c", "<li dir=\"auto\">a\n<ul><li dir=\"auto\">b</li></ul></li>"},
        {"3. a\n4. b",
         "<ol start=\"3\"><li dir=\"auto\">a</li><li dir=\"auto\">b</li></ol>"},
        {"> a\n> > b\n", "<blockquote><div class=\"p\" dir=\"auto\">a</div><blockquote>"},
        {"> [!warning] Be *careful*\n> text",
         "<div class=\"callout warn\"><div class=\"callout-title\">Be "
         "<em>careful</em></div>"},
        {"> [!tip]-\n> text", "<details class=\"callout good\"><summary "
                              "class=\"callout-title\">Tip</summary>"},
        {"| a | b |\n|---|--:|\n| 1 | [[Plan\\|x]] |\n",
         "<tr><td>1</td><td class=\"right\"><a href=\"/v/note/Work/Plan.md\" "
         "class=\"inside\">x</a></td></tr>"},
        {"x[^1]\n\n[^1]: the *note*\n",
         "<sup><a href=\"#fn-1\">1</a></sup></div><section class=\"footnotes\" "
         "aria-label=\"Footnotes\"><ol><li id=\"fn-1\"><div class=\"p\" dir=\"auto\">the "
         "<em>note</em>"},
        {"a %%hidden%% b", "a  b"},
        {"a\n\n---\n\nb", "<hr>"},
        {"text ^id\n", "id=\"b-id\">text</div>"},
    };
    struct index *x = index_of_notes();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str html = shown(*state, x, str_c(cases[i].text));
        CHECK(arena_printf(*state, "%s: " STR_FMT, cases[i].text, STR_ARG(html)).p,
              str_find(html, str_c(cases[i].html)) != STR_NONE);
    }
    index_free(x);
}

/* Whatever a note has: these are never elements, attributes or addresses. */
static void test_attacks(void **state)
{
    static const char *const attacks[] = {
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div onclick=\"x\">\n\n</div>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,<script>)",
        "[x]( vbscript:x )",
        "[x][r]\n\n[r]: javascript:alert(1)",
        "![x](javascript:alert(1))",
        "![x](https://evil.example/p.png)",
        "![[https://evil.example/p.png]]",
        "<javascript:alert(1)>",
        "<https://x\"onmouseover=\"alert(1)>",
        "https://x\"onmouseover=\"alert(1)",
        "[[Plan\"onmouseover=\"alert(1)|<b>]]",
        "[[Plan|</a><script>]]",
        "#tag\"><script>",
        "```\"><script>\nx\n```",
        "> [!\"><script>] t",
        "| <script> |\n|---|\n| <b onclick=x> |",
        "x[^\"><script>]\n\n[^\"><script>]: <script>",
        "![[cat.png|\"onerror=\"x]]",
        "text ^\"><script>",
        "<style>*{display:none}</style>",
        "<!-- --><script>x</script>",
        "<iframe src=//evil.example></iframe>",
        "$</code><script>$",
        "---\na: <script>\n---\n<script>",
    };
    static const char *const never[] = {
        "<script",   "<img src=x",  "<div onclick",    "<iframe",
        "<style",    "<b ",         "=\"javascript",   "=\"JaVa",
        "=\"data:",  "=\"vbscript", " onmouseover=\"", " onerror=\"",
        "src=\"http"};
    struct index *x = index_of_notes();
    for (size_t i = 0; i < COUNT_OF(attacks); i++) {
        str html = shown(*state, x, str_c(attacks[i]));
        const char *row =
            arena_printf(*state, "%s: " STR_FMT, attacks[i], STR_ARG(html)).p;
        for (size_t k = 0; k < COUNT_OF(never); k++)
            CHECK(row, str_find(html, str_c(never[k])) == STR_NONE);
    }
    CHECK("bidi", str_find(shown(*state, x,
                                 STR("a\xe2\x80\xae"
                                     "b [[Plan|\xe2\x81\xa6x]]")),
                           STR("a‹U+202E›b ")) != STR_NONE);
    index_free(x);
}

static str repeated(struct arena *a, const char *text, size_t n)
{
    struct sbuf out = SBUF_ON(a);
    for (size_t i = 0; i < n; i++)
        sbuf_add(&out, str_c(text));
    return sbuf_str(&out);
}

/* Nesting and embeds end somewhere, and so does the work: html_done() checks the rest. */
static void test_limits(void **state)
{
    static const char *const parts[] = {
        "> ",        "- ",       "> - ",        "*a ",   "**a *b ",      "[",  "[[",
        "![[Loop]]", "==a ~~b ", "> [!note]- ", "- a\n", "a\n",          "|a", "1. ",
        "[^1]",      "*a* ",     "_*",          "# a\n", "![[Plan]]\n\n"};
    struct index *x = index_of_notes();
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        str html = shown(*state, x, repeated(*state, parts[i], 3000));
        CHECK(parts[i], html.n < NOTE_HTML_MAX + (1 << 20));
    }
    str loop = shown(*state, x, STR("![[Loop]]"));
    size_t n = 0;
    for (size_t at; (at = str_find(loop, STR("class=\"embed\""))) != STR_NONE; n++)
        loop = str_skip(loop, at + 1);
    CHECK_INT("levels", n, NOTE_HTML_LEVELS);
    index_free(x);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_elements),
        ARENA_TEST(test_attacks),
        ARENA_TEST(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
