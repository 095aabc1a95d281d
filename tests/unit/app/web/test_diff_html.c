/* What a person sees of a change: every line of it, and nothing in it that does anything. */
#include "app/web/diff_html.h"

#include "base/sbuf.h"
#include "check.h"

#define DEL "<span class=\"del\"><i class=\"sign\">−</i>"
#define ADD "<span class=\"add\"><i class=\"sign\">+</i>"
#define MIX "<span class=\"mix\"><i class=\"sign\">~</i>"
#define CTX "<span class=\"ctx\"><i class=\"sign\"> </i>"
#define AT "<span class=\"at\"><i class=\"sign\"> </i>"
#define END "</span>\n"

static void test_lines(void **state)
{
    static const struct {
        const char *text, *html;
    } rows[] = {
        {"", ""},
        {"one", ADD "one" END},
        {"one\n", ADD "one" END},
        {"one\ntwo", ADD "one" END ADD "two" END},
        {"\n\n", ADD END ADD END},
        {"one\r\n", ADD "one" END},
        {"<script>&\"", ADD "&lt;script&gt;&amp;&quot;" END},
        {"a\xE2\x80\xAE"
         "b\n",
         ADD "a‹U+202E›b" END}, /* turns the rest around */
        {"a\x01\n", ADD "a‹U+0001›" END},
        {"a\xff\n", ADD "a\xEF\xBF\xBD" END},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct html h = HTML_ON(*state);
        diff_html_lines(&h, *state, "add", STR("+"), str_c(rows[i].text));
        CHECK_STR(rows[i].text, html_done(&h), rows[i].html);
    }
}

static void test_change(void **state)
{
    static const struct {
        const char *old_text, *new_text, *html;
    } rows[] = {
        {"", "", ""},
        {"", "new\n", ADD "new" END},
        {"old\n", "", DEL "old" END},
        {"alpha\n", "omega\n", DEL "alpha" END ADD "omega" END},
        {"the red house\n", "the blue house\n",
         MIX "the <del>red</del><ins>blue</ins> house" END},
        {"the red house\r\n", "the blue house\r\n",
         MIX "the <del>red</del><ins>blue</ins> house" END},
        {"the <b>\n", "the <i>\n", MIX "the &lt;<del>b</del><ins>i</ins>&gt;" END},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct html h = HTML_ON(*state);
        diff_html_change(&h, *state, str_c(rows[i].old_text), str_c(rows[i].new_text));
        CHECK_STR(rows[i].html, html_done(&h), rows[i].html);
    }
}

#define PRE "<pre class=\"diff\" tabindex=\"0\">"
#define HEAD "--- a\n+++ b\n"

static void test_unified(void **state)
{
    static const struct {
        const char *diff, *html;
    } rows[] = {
        {"", ""},
        {HEAD, ""},
        {HEAD "@@ -1 +1 @@\n-alpha\n+omega\n",
         PRE AT "@@ -1 +1 @@" END DEL "alpha" END ADD "omega" END "</pre>"},
        {HEAD "@@ -1,2 +1,2 @@\n same\n-the red house\n+the blue house\n",
         PRE AT "@@ -1,2 +1,2 @@" END CTX "same" END MIX
                "the <del>red</del><ins>blue</ins> house" END "</pre>"},
        {HEAD "@@ -1 +1 @@\n-alpha\n\\ No newline at end of file\n+omega\n",
         PRE AT "@@ -1 +1 @@" END DEL "alpha" END ADD "omega" END "</pre>"},
        /* one run after the other: what is gone next belongs to what comes next */
        {HEAD "@@ -1,2 +1,2 @@\n-one\n+eins\n-two\n+zwei\n",
         PRE AT "@@ -1,2 +1,2 @@" END DEL "one" END ADD "eins" END DEL "two" END ADD
                "zwei" END "</pre>"},
        {HEAD "@@ -1 +0,0 @@\n-alpha\n@@ -9 +8,0 @@\n-beta\n",
         PRE AT "@@ -1 +0,0 @@" END DEL "alpha" END AT "@@ -9 +8,0 @@" END DEL "beta" END
                "</pre>"},
        {HEAD "@@ -1 +1 @@\n-</pre>\n+<pre>\n",
         PRE AT "@@ -1 +1 @@" END MIX "&lt;<del>/</del>pre&gt;" END "</pre>"},
        {HEAD "@@ -1,0 +1 @@\n+\n", PRE AT "@@ -1,0 +1 @@" END ADD END "</pre>"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct html h = HTML_ON(*state);
        diff_html_unified(&h, *state, str_c(rows[i].diff));
        CHECK_STR(rows[i].diff, html_done(&h), rows[i].html);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_lines),
        ARENA_TEST(test_change),
        ARENA_TEST(test_unified),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
