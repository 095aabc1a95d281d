/* Everything in a note that the vectors do not cover. */
#include "base/sbuf.h"
#include "check.h"
#include "vault/note/note.h"

static struct note scan(void **state, const char *text)
{
    struct note note;
    note_scan(*state, str_c(text), &note);
    return note;
}

/* --- links --- */

/*
 * Every link as kind!(path|subpath|display), with E for an embed and X for an external
 * link.
 */
static str links_of(struct arena *a, const struct note *n)
{
    static const char kinds[] = {'W', 'M', 'R', 'D'};
    struct sbuf b = SBUF_ON(a);
    for (uint32_t i = 0; i < n->n_links; i++) {
        const struct note_link *l = &n->links[i];
        str path = span_of(n->text, l->path), sub = span_of(n->text, l->subpath);
        str display = span_of(n->text, l->display);
        sbuf_printf(&b, "%s%c%s%s%s(" STR_FMT "|" STR_FMT "|" STR_FMT ")", i ? " " : "",
                    kinds[l->kind], l->embed ? "E" : "", l->external ? "X" : "",
                    l->angle ? "<" : "", STR_ARG(path), STR_ARG(sub), STR_ARG(display));
    }
    return sbuf_str(&b);
}

static void test_links(void **state)
{
    static const struct {
        const char *text, *links;
    } cases[] = {
        /* wikilinks */
        {"[[a]]", "W(a||)"},
        {"[[a.md|b]]", "W(a.md||b)"},
        {"[[a#h1#h2|x y]]", "W(a|#h1#h2|x y)"},
        {"[[#h]] [[#^id]]", "W(|#h|) W(|#^id|)"},
        {"![[p.png|100x145]]", "WE(p.png||100x145)"},
        {"[[C# notes]]", "W(C|# notes|)"},
        {"[[ Note ]]", "W(Note||)"},
        {"[[Note #h |x]]", "W(Note|#h|x)"},
        {"[[a|]]", "W(a||)"},
        {"[[a|b|c]]", "W(a||b|c)"},
        {"[[a|see #3]]", "W(a||see #3)"},
        {"|[[a\\|b]]|\n|-|", "W(a||b)"},
        {"[[[a]]]", "W(a||)"},
        {"[[a]]]", "W(a||)"},
        {"[[US$ a]] [[b$]]", "W(US$ a||) W(b$||)"},
        {"[[]] [[ ]] [[|x]]", ""},
        {"[[a]b]] [[a[b]] [[a", ""},
        {"[[a\nb]]", ""},
        {"\\[[a]]", ""},
        {"\\![[a]]", "W(a||)"},
        {"\\\\[[a]]", "W(a||)"},
        {"**[[a]]**[[b]]", "W(a||) W(b||)"},
        /* Markdown */
        {"[t](a%20b.md#h)", "M(a%20b.md|#h|t)"},
        {"[t](<a b.md#c d>)", "M<(a b.md|#c d|t)"},
        {"![t|100](p.png)", "ME(p.png||t|100)"},
        {"[t](a.md \"T\") [t](a.md 'T') [t](a.md (T))",
         "M(a.md||t) M(a.md||t) M(a.md||t)"},
        {"[t]( a.md )", "M(a.md||t)"},
        {"[t](http://x.y/z#f)", "MX(http://x.y/z#f||t)"},
        {"[t](mailto:a@b.c) [t](C:/a.md)", "MX(mailto:a@b.c||t) MX(C:/a.md||t)"},
        {"[t](./a:b.md) [t](../a:b.md)", "M(./a:b.md||t) M(../a:b.md||t)"},
        {"[t](#h)", "M(|#h|t)"},
        {"[t](a(b).md)", "M(a(b).md||t)"},
        {"[t](a\\).md)", "M(a\\).md||t)"},
        {"[two\nlines](a.md)", "M(a.md||two\nlines)"},
        {"[a [b] c](d.md)", "M(d.md||a [b] c)"},
        {"[![i](j.png)](k.md)", "M(k.md||![i](j.png)) ME(j.png||i)"},
        {"[a [b](c) d](e)", "M(c||b)"},
        {"[a [[b]] d](e)", "W(b||)"},
        {"[t](a b.md) [t](a(b.md [t](<a) [t]() [t] (a)", ""},
        {"[t](a.md \"T)", ""},
        {"\\[t](a.md) [t\\](a.md)", ""},
        /* references */
        {"[t][r]\n\n[r]: a.md#h", "R(a.md|#h|t) D(a.md|#h|r)"},
        {"[R][] ![r]\n\n[r]: <a b.md> 'T'", "R<(a b.md||R) RE<(a b.md||r) D<(a b.md||r)"},
        {"[A  b]\n\n[a B]: c\n[a b]: d", "R(c||A  b) D(c||a B) D(d||a b)"},
        {"[t][\xC3\x84]\n\n[\xC3\xA4]: a.md", "R(a.md||t) D(a.md||\xC3\xA4)"},
        {"[t][no]", ""},
        {"[x][r](y)\n\n[r]: z", "R(z||x) M(y||r) D(z||r)"},
        {"text\n[r]: a.md", ""},
        {"[r]: a.md b", ""},
        {"> [r]: a.md\n\n- [r]", "D(a.md||r) R(a.md||r)"},
        /* where links do not count */
        {"`[[a]]` ``[[b]] ` [[c]]`` [[d]]", "W(d||)"},
        {"`[[a]]", "W(a||)"},
        {"`a\n[[b]]` c", ""},
        {"`a\n\n[[b]]`", "W(b||)"},
        {"```\n[[a]]\n```\n[[b]]", "W(b||)"},
        {"> ```\n> [[a]]\n[[b]]", "W(b||)"},
        {"- ```\n  [[a]]\n- [[b]]", "W(b||)"},
        {"    [[a]]\n[[b]]", "W(b||)"},
        {"- a\n\n      [[b]]\n\n  [[c]]", "W(c||)"},
        {"$[[a]]$ $$[[b]]$$ [[c]]", "W(c||)"},
        {"$$\n[[a]]\n$$\n[[b]]", "W(b||)"},
        {"$$\n[[a]]", "W(a||)"},
        {"<div>\n[[a]]\n</div>\n\n[[b]]", "W(b||)"},
        {"<b>[[a]]</b>", "W(a||)"},
        {"x <!-- [[a]]\n --> [[b]]", "W(b||)"},
        {"<!--\n\n[[a]]\n-->\n[[b]]", "W(b||)"},
        {"<a title=\"[[a]]\"> <x:[[b]]> [[c]]", "W(c||)"},
        {"%% [[a]] %%\n\n%%\n[[b]]\n\n[[c]]\n%%", "W(a||) W(b||) W(c||)"},
        {"---\na: \"[[no]]\"\n---\n[[yes]]", "W(yes||)"},
        {"[^1]: [[a]]\n\n    [[b]]", "W(a||) W(b||)"},
        {"# [[a]]\n\n[[b]]\n===", "W(a||) W(b||)"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_STR(cases[i].text, links_of(*state, &n), cases[i].links);
    }
}

static void test_link_spans_and_lines(void **state)
{
    struct note n =
        scan(state, "a\r\n![[x|y]]\r\n\r\n> b `c\n> d` [t\n> u](v 'w')\r[[z]]");
    CHECK_INT("links", n.n_links, 3);
    CHECK_STR("embed", span_of(n.text, n.links[0].whole), "![[x|y]]");
    CHECK_STR("Markdown", span_of(n.text, n.links[1].whole), "[t\n> u](v 'w')");
    CHECK_INT("embed", n.links[0].line, 2);
    CHECK_INT("Markdown", n.links[1].line, 5);
    CHECK_INT("last", n.links[2].line, 7);
}

/* --- tags --- */

static void test_tags(void **state)
{
    static const struct {
        const char *text, *tags;
    } cases[] = {
        {"_a #b_ #c_", "b c_"},
        {"*a #b* **c**#d", "b d"},
        {"***#a***", "a"},
        {"x**#a**", ""},
        {"**#a** *#b", "a"},
        {"*#a#b*", "a b"},
        {"*#a#b", ""},
        {"=#a= ~#b~", ""},
        {"`*`#a *#b*`*`", "a b"},
        {"[#a", ""},
        {"[x]#a [^1]#b", "a b"},
        {"![x #a](y) ![x #b] ![x #c][r]\n\n[r]: z", "b"},
        {"[x #a][r #b]\n\n[r #b]: z", "a"},
        {"[x #a][r #b]", "a b"},
        {"#a/ #b// #/ #1/", "a b"},
        {"a|#b", ""},
        {"|#a|#b|\n|-|-|\n|#c|\\|#d|", "a b c d"},
        {">#a\n> >#b\n>\t#c", "a b c"},
        {"a >#b", ""},
        {"$x$#a <!-- x -->#b %%#c%%", "a b c"},
        {"- [ ] #a\n- [x] b#c", "a"},
        {"# #a\n## b #c ##", "a c"},
        {"#a\xFF#b #c\x01", "a c"},
        {"\xE2\x80\x83#a \xE2\x80\x94#b", "a"},
        {"%%\n#a\n\n#b\n%%\n#c", "a b c"},
        {"[^1]: x #a\n    #b\n\n    #c", "a b c"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        struct sbuf b = SBUF_ON(*state);
        for (uint32_t k = 0; k < n.n_tags; k++)
            sbuf_printf(&b, "%s" STR_FMT, k ? " " : "",
                        STR_ARG(span_of(n.text, n.tags[k].name)));
        CHECK_STR(cases[i].text, sbuf_str(&b), cases[i].tags);
    }
}

/* --- headings and blocks --- */

static void test_headings(void **state)
{
    static const struct {
        const char *text;
        uint32_t n;
        const char *first;
    } cases[] = {
        {"# A\r# B\r\n# C", 3, "A"},
        {"#", 1, ""},
        {"# #", 1, ""},
        {"# # a", 1, "# a"},
        {"a\nb\n===", 1, "a\nb"},
        {"> a\n===", 0, ""},
        {"[r]: x\n===", 0, ""},
        {"a | b\n--|--", 0, ""},
        {"a | b\n--", 1, "a | b"},
        {"a\n***", 0, ""},
        {"```\n# a", 0, ""},
        {"<pre>\n# a\n</pre>\n# b", 1, "b"},
        {"%%\n# a\n%%", 1, "a"},
        {"[^1]: # a", 0, ""},
        {"- a\n\n# b", 1, "b"},
        {"1. a\n  # b", 1, "b"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_INT(cases[i].text, n.n_headings, cases[i].n);
        if (n.n_headings > 0)
            CHECK_STR(cases[i].text, span_of(n.text, n.headings[0].title),
                      cases[i].first);
    }
}

static void test_find_heading(void **state)
{
    struct note n = scan(state, "# A\n## C\n# A\n## B\n## \xC3\x84. [[x|y]]\n");
    static const struct {
        const char *subpath;
        int line;
    } cases[] = {
        {"#A#B", 4}, {"#A#C", 2}, {"A", 1},      {"#\xC3\xA4 x y", 5},  {"#A#B#C", 0},
        {"#", 0},    {"", 0},     {"##A##B", 4}, {"#A#A#A#A#A#A#A", 0}, {"#B#A", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct note_heading *h = note_find_heading(&n, str_c(cases[i].subpath));
        CHECK_INT(cases[i].subpath, h != NULL ? h->line : 0, cases[i].line);
    }
}

static void test_blocks(void **state)
{
    static const struct {
        const char *text;
        int type; /* -1: no block */
        const char *body;
    } cases[] = {
        {"a ^x", NOTE_PARAGRAPH, "a ^x"},
        {"a\nb\n^x\n\nc", NOTE_PARAGRAPH, "a\nb"},
        {"a\n\n^x", -1, ""},
        {"# a ^x", -1, ""},
        {"a ^x\n===", -1, ""},
        {"  a ^x", NOTE_PARAGRAPH, "  a ^x"},
        {"- a ^x\n  - b", NOTE_LIST_ITEM, "- a ^x"},
        {"- a\n  - b\n    ^x\n- c", NOTE_LIST_ITEM, "  - b"},
        {"- a\n\n  b ^x\n- c", NOTE_LIST_ITEM, "- a\n\n  b ^x"},
        {"- a\n\n  ```\n  b\n  ```\n  ^x", NOTE_LIST_ITEM, "- a\n\n  ```\n  b\n  ```"},
        {"- ^x", NOTE_LIST_ITEM, "- ^x"},
        {"- a\n^x", NOTE_LIST_ITEM, "- a"},
        {"- a\n- b\n\n^x", NOTE_LIST, "- a\n- b"},
        {"- a\n\n- b\n\n^x", NOTE_LIST, "- a\n\n- b"},
        {"- a\n* b\n\n^x", NOTE_LIST, "* b"},
        {"- a\n\nc\n\n- b\n\n^x", NOTE_LIST, "- b"},
        {"- a\n\n^x\n# b", -1, ""},
        {"> a\n> b\n\n^x", NOTE_QUOTE, "> a\n> b"},
        {"> a\n^x\n\nb", NOTE_QUOTE, "> a"},
        {"> a\n^x\nb", -1, ""},
        {"> ```\n> a\n^x", NOTE_QUOTE, "> ```\n> a"},
        {"> a ^x", -1, ""},
        {"> a\n> ^x", -1, ""},
        {"> - a ^x", -1, ""},
        {"> [!tip]\n> a\n\n^x", NOTE_CALLOUT, "> [!tip]\n> a"},
        {"|a|\n|-|\n|b ^x|\n\n^y", NOTE_TABLE, "|a|\n|-|\n|b ^x|"},
        {"```\na\n```\n^x", -1, ""},
        {"~~~\na\n~~~\n\n^x", NOTE_CODE, "~~~\na\n~~~"},
        {"    a\n\n^x", NOTE_CODE, "    a"},
        {"$$\na\n$$\n\n^x", NOTE_MATH, "$$\na\n$$"},
        {"***\n\n^x", -1, ""},
        {"<div>\n\n^x", -1, ""},
        {"%%\na ^x\n%%", -1, ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_INT(cases[i].text, n.n_blocks, cases[i].type >= 0);
        if (cases[i].type < 0)
            continue;
        CHECK_INT(cases[i].text, n.blocks[0].type, cases[i].type);
        CHECK_STR(cases[i].text, span_of(n.text, n.blocks[0].body), cases[i].body);
        CHECK_INT(cases[i].text, n.blocks[0].line_end,
                  note_line_of(&n, n.blocks[0].body.end));
    }
}

static void test_find_block(void **state)
{
    struct note n = scan(state, "a ^one\n\nb ^Two\n\nc ^one\n");
    CHECK_INT("first wins", note_find_block(&n, STR("#^one"))->line_start, 1);
    CHECK_INT("case", note_find_block(&n, STR("^tWO"))->line_start, 3);
    CHECK_INT("bare", note_find_block(&n, STR("two"))->line_start, 3);
    CHECK("none", note_find_block(&n, STR("#^three")) == NULL);
    CHECK("empty", note_find_block(&n, STR("")) == NULL);
}

/* --- tasks, callouts, footnotes --- */

static void test_tasks(void **state)
{
    static const struct {
        const char *text, *mark, *rest; /* mark NULL: no task */
        int indent;
    } cases[] = {
        {"- [ ] a b", " ", "a b", 0},
        {"* [x] a\r\n", "x", "a", 0},
        {"+ [X] a", "X", "a", 0},
        {"1. [/] a", "/", "a", 0},
        {"12) [>] a", ">", "a", 0},
        {"- [\xD0\xB9] a", "\xD0\xB9", "a", 0},
        {"- [\xE2\x9C\x85] a", "\xE2\x9C\x85", "a", 0},
        {"- [ ] ", " ", "", 0},
        {"- [ ]\ta", " ", "a", 0},
        {"- a\n\t- [x] b", "x", "b", 1},
        {"- a\n  - [x] b", "x", "b", 2},
        {"> - [x] a", "x", "a", 1},
        {"- [ ]", NULL, NULL, 0},
        {"- [ ]a", NULL, NULL, 0},
        {"- [] a", NULL, NULL, 0},
        {"- [xx] a", NULL, NULL, 0},
        {"[ ] a", NULL, NULL, 0},
        {"-[ ] a", NULL, NULL, 0},
        {"```\n- [ ] a\n```", NULL, NULL, 0},
        {"    - [ ] a", NULL, NULL, 0},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_INT(cases[i].text, n.n_tasks, cases[i].mark != NULL);
        if (cases[i].mark == NULL)
            continue;
        CHECK_STR(cases[i].text, span_of(n.text, n.tasks[0].mark), cases[i].mark);
        CHECK_STR(cases[i].text, span_of(n.text, n.tasks[0].text), cases[i].rest);
        CHECK_INT(cases[i].text, n.tasks[0].done, strcmp(cases[i].mark, " ") != 0);
        CHECK_INT(cases[i].text, n.tasks[0].indent, cases[i].indent);
        CHECK_INT(cases[i].text, n.tasks[0].line, n.lines);
    }
}

static void test_callouts(void **state)
{
    static const struct {
        const char *text, *type, *title;
        char fold;
    } cases[] = {
        {"> [!note]", "note", "", 0},
        {"> [!TIP]- A title", "TIP", "A title", '-'},
        {">[!faq]+", "faq", "", '+'},
        {"> [!a|b c] T", "a", "T", 0},
        {"> a\n\n> [!x-y] T\r\n> b", "x-y", "T", 0},
        {"- > [!note] T", "note", "T", 0},
        {"> > [!note] T", "note", "T", 0},
        {"> a\n> [!note]", NULL, NULL, 0},
        {"> [!]", NULL, NULL, 0},
        {"> [!note", NULL, NULL, 0},
        {"[!note]", NULL, NULL, 0},
        {"> x [!note]", NULL, NULL, 0},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_INT(cases[i].text, n.n_callouts, cases[i].type != NULL);
        if (cases[i].type == NULL)
            continue;
        CHECK_STR(cases[i].text, span_of(n.text, n.callouts[0].type), cases[i].type);
        CHECK_STR(cases[i].text, span_of(n.text, n.callouts[0].title), cases[i].title);
        CHECK_INT(cases[i].text, n.callouts[0].fold, cases[i].fold);
    }
}

static void test_footnotes(void **state)
{
    struct note n = scan(state, "a[^1] [^b c] [^] `[^no]`\nd[^two]\n\n[^1]: x [^two]\n");
    static const struct {
        const char *id;
        int line;
        bool definition;
    } want[] = {{"1", 1, false}, {"two", 2, false}, {"1", 4, true}, {"two", 4, false}};
    CHECK_INT("footnotes", n.n_footnotes, COUNT_OF(want));
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        CHECK_STR("id", span_of(n.text, n.footnotes[i].id), want[i].id);
        CHECK_INT(want[i].id, n.footnotes[i].line, want[i].line);
        CHECK_INT(want[i].id, n.footnotes[i].definition, want[i].definition);
    }
}

/* --- regions, frontmatter, lines --- */

static void test_regions(void **state)
{
    static const struct {
        const char *text;
        int kind; /* -1: no region */
        const char *span;
    } cases[] = {
        {"a\n```js\nb\n```\nc", NOTE_FENCED_CODE, "```js\nb\n```"},
        {"> ```\n> a\n\nb", NOTE_FENCED_CODE, "```\n> a"},
        {"~~~\na", NOTE_FENCED_CODE, "~~~\na"},
        {"a\n\n    b\n\n    c\n\nd", NOTE_INDENTED_CODE, "b\n\n    c"},
        {"a ``b`c`` d", NOTE_INLINE_CODE, "``b`c``"},
        {"\\`a`b", -1, ""},
        {"a $b$ c", NOTE_INLINE_MATH, "$b$"},
        {"a $$b\nc$$ d", NOTE_INLINE_MATH, "$$b\nc$$"},
        {"$5 and $10", -1, ""},
        {"$ a$ b $c\n$", -1, ""},
        {"\\$a$", -1, ""},
        {"$a\\$b$", NOTE_INLINE_MATH, "$a\\$b$"},
        {"$5 `$`", NOTE_INLINE_CODE, "`$`"},
        {"a\n$$\nb\n\nc\n$$\nd", NOTE_BLOCK_MATH, "$$\nb\n\nc\n$$"},
        {"<div>\na\n\nb", NOTE_HTML_BLOCK, "<div>\na"},
        {"<x-y a='b'>\na", NOTE_HTML_BLOCK, "<x-y a='b'>\na"},
        {"<script>\na\n</SCRIPT>\nb", NOTE_HTML_BLOCK, "<script>\na\n</SCRIPT>"},
        {"a\n<x>\nb", -1, ""},
        {"<!-- a\n\nb -->\nc", NOTE_HTML_COMMENT, "<!-- a\n\nb -->"},
        {"a <!-- b\n--> c", NOTE_HTML_COMMENT, "<!-- b\n-->"},
        {"a <!-- b", -1, ""},
        {"a %%b%% c", NOTE_COMMENT, "%%b%%"},
        {"%%%% a", NOTE_COMMENT, "%%%%"},
        {"%%\na\n\nb\n%% c", NOTE_COMMENT, "%%\na\n\nb\n%%"},
        {"a %%b\n\nc", -1, ""},
        {"%% a\n\nb", NOTE_COMMENT, "%% a\n\nb"},
        {"a\n|b|\n|-|\n|c|\n\nd", NOTE_TABLE_REGION, "|b|\n|-|\n|c|"},
        {"a | b\n-|-", NOTE_TABLE_REGION, "a | b\n-|-"},
        {"|a|\n|-|-|", -1, ""},
        {"|a\\|b|\n|-|", NOTE_TABLE_REGION, "|a\\|b|\n|-|"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_INT(cases[i].text, n.n_regions, cases[i].kind >= 0);
        if (cases[i].kind < 0)
            continue;
        CHECK_INT(cases[i].text, n.regions[0].kind, cases[i].kind);
        CHECK_STR(cases[i].text, span_of(n.text, n.regions[0].span), cases[i].span);
    }
}

static void test_frontmatter(void **state)
{
    static const struct {
        const char *text;
        bool has;
        const char *inside, *body;
    } cases[] = {
        {"---\na: 1\n---\nb", true, "a: 1\n", "b"},
        {"---\n---\n", true, "", ""},
        {"---\n---", true, "", ""},
        {"---\r\na: 1\r\n---\r\nb", true, "a: 1\r\n", "b"},
        {"---\na: 1\n--- \t\nb", true, "a: 1\n", "b"},
        {"\xEF\xBB\xBF---\na: 1\n---\nb", true, "a: 1\n", "b"},
        {"---\na: |\n  ---\n---\nb", true, "a: |\n  ---\n", "b"},
        {"--- \na: 1\n---\nb", false, "", "--- \na: 1\n---\nb"},
        {"---\na: 1\n...\nb", false, "", "---\na: 1\n...\nb"},
        {"---\na: 1\n----\n", false, "", "---\na: 1\n----\n"},
        {"---", false, "", "---"},
        {"\n---\na: 1\n---\n", false, "", "\n---\na: 1\n---\n"},
        {" ---\na: 1\n---\n", false, "", " ---\na: 1\n---\n"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct note n = scan(state, cases[i].text);
        CHECK_INT(cases[i].text, n.has_frontmatter, cases[i].has);
        CHECK_STR(cases[i].text, span_of(n.text, n.frontmatter), cases[i].inside);
        CHECK_STR(cases[i].text, str_skip(n.text, n.body), cases[i].body);
    }
}

static void test_lines(void **state)
{
    static const struct {
        const char *text;
        uint32_t lines;
    } cases[] = {
        {"", 0},
        {"a", 1},
        {"a\n", 1},
        {"a\nb", 2},
        {"\n", 1},
        {"a\r\nb\rc", 3},
        {"\r\r\n\n", 3},
        {"\xEF\xBB\xBF", 0},
        {"---\na: 1\n---\nb", 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].text, scan(state, cases[i].text).lines, cases[i].lines);

    struct note n = scan(state, "a\r\nb\rc\n");
    static const uint32_t of[] = {1, 1, 1, 2, 2, 3, 3, 4};
    for (uint32_t at = 0; at < COUNT_OF(of); at++)
        CHECK_INT("line of", note_line_of(&n, at), of[at]);
}

/* A line break between two words of the bitmap, and marks on both sides of one. */
static void test_word_borders(void **state)
{
    for (size_t pad = 50; pad < 140; pad++) {
        struct sbuf b = SBUF_ON(*state);
        for (size_t i = 0; i < pad; i++)
            sbuf_char(&b, 'x');
        sbuf_add(&b, STR("\r\n[[a]] `b` #c\r\r\n# d\n"));
        struct note n;
        note_scan(*state, sbuf_str(&b), &n);
        CHECK_INT("lines", n.lines, 4);
        CHECK_INT("links", n.n_links, 1);
        CHECK_INT("line", n.links[0].line, 2);
        CHECK_INT("tags", n.n_tags, 1);
        CHECK_INT("regions", n.n_regions, 1);
        CHECK_INT("heading", n.headings[0].line, 4);
    }
}

/* NUL and broken UTF-8 are text. */
static void test_bytes(void **state)
{
    static const char text[] =
        "# a\0b\n[[c\0d]] \xC3 #e\xFF `\xE2\x80` ^x\0\n\n- [\xF0] f";
    struct note n;
    note_scan(*state, (str){text, sizeof(text) - 1}, &n);
    CHECK_INT("title", n.headings[0].title.end - n.headings[0].title.start, 3);
    CHECK_INT("path", n.links[0].path.end - n.links[0].path.start, 3);
    CHECK_STR("tag", span_of(n.text, n.tags[0].name), "e");
    CHECK_INT("regions", n.n_regions, 1);
    CHECK_INT("blocks", n.n_blocks, 0);
    CHECK_INT("tasks", n.n_tasks, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_links),        ARENA_TEST(test_link_spans_and_lines),
        ARENA_TEST(test_tags),         ARENA_TEST(test_headings),
        ARENA_TEST(test_find_heading), ARENA_TEST(test_blocks),
        ARENA_TEST(test_find_block),   ARENA_TEST(test_tasks),
        ARENA_TEST(test_callouts),     ARENA_TEST(test_footnotes),
        ARENA_TEST(test_regions),      ARENA_TEST(test_frontmatter),
        ARENA_TEST(test_lines),        ARENA_TEST(test_word_borders),
        ARENA_TEST(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
