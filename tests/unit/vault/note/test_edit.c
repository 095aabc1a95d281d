#include "vault/note/edit.h"

#include "edited.h"

/* --- replace --- */

static void test_replace(void **state)
{
    static const struct {
        const char *text, *old, *now, *want;
        bool all;
        unsigned count, first, last;
    } cases[] = {
        {"one two three", "two", "2", "one 2 three", false, 1, 1, 1},
        {"a\nb\nc\n", "b", "x\ny", "a\nx\ny\nc\n", false, 1, 2, 3},
        {"a\nb\nc\n", "b\n", "", "a\nc\n", false, 1, 2, 2},
        {"a\nb", "\nb", "", "a", false, 1, 1, 1},
        {"abc", "abc", "", "", false, 1, 0, 0},
        {"x x x", "x", "yy", "yy yy yy", true, 3, 1, 1},
        {"x\nx\nx", "x", "", "\n\n", true, 3, 1, 2},
        {"aaaa", "aa", "b", "bb", true, 2, 1, 1},
        {"once", "once", "twice", "twice", true, 1, 1, 1},
        {"a\tb  c", "a\tb  ", "q", "qc", false, 1, 1, 1},
        /* CRLF: line breaks are equal, and are kept */
        {"a\r\nb\r\nc\r\n", "a\nb", "1\n2\n3", "1\r\n2\r\n3\r\nc\r\n", false, 1, 1, 3},
        {"a\r\nb\r\nc\r\n", "a\r\nb", "1\r\n2", "1\r\n2\r\nc\r\n", false, 1, 1, 2},
        {"a\r\nb\r\n", "a", "1\n2", "1\r\n2\r\nb\r\n", false, 1, 1, 2},
        {"a\r\nb\r\nc", "\nb", "", "a\r\nc", false, 1, 1, 1},
        {"a\r\nb\r\nc", "b\n", "", "a\r\nc", false, 1, 2, 2},
        {"a\r\nb\r\nc", "\nb\n", "\n", "a\r\nc", false, 1, 1, 1},
        {"a\r\nb\r\nc", "\n", "|", "a|b|c", true, 2, 1, 1},
        {"a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n", false, 1, 1, 2},
        /* mixed: the line break at that place is used */
        {"a\nb\nc\r\nd\n", "c\nd", "1\n2", "a\nb\n1\r\n2\n", false, 1, 3, 4},
        {"a\nb\nc\r\nd\n", "a\nb", "1\n2", "1\n2\nc\r\nd\n", false, 1, 1, 2},
        {"a\r\nb\nc", "a\nb\nc", "z", "z", false, 1, 1, 1},
        /* a lone CR is text here */
        {"a\rb", "a\rb", "c", "c", false, 1, 1, 1},
        {"\xEF\xBB\xBF"
         "a",
         "a", "b",
         "\xEF\xBB\xBF"
         "b",
         false, 1, 1, 1},
        {"\xff\xfe", "\xff", "a", "a\xfe", false, 1, 1, 1},
        {"# H\n\ntext\n", "text", "text", "# H\n\ntext\n", false, 1, 3, 3},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].text).p;
        struct edit_swap swap = {str_c(cases[i].old), str_c(cases[i].now), cases[i].all};
        struct edit_result r;
        struct err err = {0};
        str text = str_c(cases[i].text);
        if (!edit_replace(*state, text, &swap, 1, &r, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_INT(row, r.replacements, cases[i].count);
        CHECK_INT(row, r.line_first, cases[i].first);
        CHECK_INT(row, r.line_last, cases[i].last);
        CHECK_INT(row, r.n_warnings, strcmp(cases[i].text, cases[i].want) == 0);
        check_untouched(row, text, &r);
    }
}

static void test_replace_errors(void **state)
{
    static const struct {
        const char *text, *old, *name, *begins, *holds;
    } cases[] = {
        {"abc", "", NULL, "the text to find is empty", ""},
        {"abc abc", "abc", "TEXT_NOT_UNIQUE",
         "Text appears 2 times in file, must be unique", "line 1"},
        {"x\nx\n\nx", "x", "TEXT_NOT_UNIQUE",
         "Text appears 3 times in file, must be unique", "lines 1, 2, 4"},
        {"aaa", "aa", "TEXT_NOT_UNIQUE", "Text appears 2 times in file, must be unique",
         ""},
        {"a\r\nb\r\na\r\nb", "a\nb", "TEXT_NOT_UNIQUE",
         "Text appears 2 times in file, must be unique", "lines 1, 3"},
        {"", "x", "TEXT_NOT_FOUND", "Text not found in file", "nor anything similar"},
        {"alpha beta\n", "zzz qqq", "TEXT_NOT_FOUND", "Text not found in file", "nor"},
        {"one\n\tindented code\n", "    indented code", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 2: \"indented code\"",
         "differs at column 1: file has a tab, you sent a space"},
        {"He said \xE2\x80\x9Chi\xE2\x80\x9D now", "said \"hi\"", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 1",
         "differs at column 9: file has '\xE2\x80\x9C' (U+201C), you sent '\"'"},
        {"caf\x65\xCC\x81 au lait", "caf\xC3\xA9 au lait", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 1",
         "column 4: file has 'e\xCC\x81' as a letter and a mark (NFD), you sent "
         "'\xC3\xA9' (U+00E9)"},
        {"a line  \nnext line", "a line\nnext line", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 1: \"a line\"",
         "differs at column 7: file has 2 spaces at the end of the line, you sent the "
         "end "
         "of the line"},
        {"no\xC2\xA0"
         "break here",
         "no break here", "TEXT_NOT_FOUND", "Text not found in file",
         "file has a no-break space (U+00A0), you sent a space"},
        {"zero\xE2\x80\x8Bwidth text", "zerowidth text", "TEXT_NOT_FOUND",
         "Text not found in file", "file has the invisible character U+200B"},
        {"first\nThe Quick brown fox\n", "The quick brown fox", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 2",
         "differs at column 5: file has 'Q', you sent 'q'"},
        {"first line here\nsecond line hare\nthird\n",
         "first line here\nsecond line here", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 2",
         "differs at column 14: file has 'a', you sent 'e'"},
        {"# Title\n\n- [ ] buy milk and bread\n- [x] done\n", "- [x] buy milk and bread",
         "TEXT_NOT_FOUND", "Text not found in file; closest is line 3",
         "column 4: file has a space, you sent 'x'"},
        {"intro words, then a long paragraph which goes on and on for a while.",
         "a long paragraph that goes on and on", "TEXT_NOT_FOUND",
         "Text not found in file; closest is line 1", "you sent"},
        {"some words here", "some words here\n", "TEXT_NOT_FOUND",
         "Text not found in file", "file has the end of the file, you sent a line break"},
        {"a\n\n\nbeta\n", "a\n\nbeta", "TEXT_NOT_FOUND", "Text not found in file", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].text).p;
        struct edit_swap swap = {str_c(cases[i].old), STR("new"), false};
        struct edit_result r;
        struct err err = {0};
        bool ok = edit_replace(*state, str_c(cases[i].text), &swap, 1, &r, &err);
        check_err(row, ok, &err, cases[i].name, cases[i].holds);
        CHECK_STR(row, str_slice(str_c(err.msg), 0, strlen(cases[i].begins)),
                  cases[i].begins);
        CHECK_INT(row, err.code, ERR_INVALID);
    }
}

static void test_replace_several(void **state)
{
    static const struct edit_swap swaps[] = {
        {{"one", 3}, {"two", 3}, false},
        {{"two", 3}, {"three", 5}, true},
        {{"end", 3}, {"END", 3}, false},
    };
    struct edit_result r;
    struct err err = {0};
    str text = STR("a\none two\nb\nend\nz\n");
    if (!edit_replace(*state, text, swaps, 3, &r, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("order", r.text, "a\nthree three\nb\nEND\nz\n");
    CHECK_INT("count", r.replacements, 4);
    CHECK_INT("first", r.line_first, 2);
    CHECK_INT("last", r.line_last, 4);
    check_untouched("order", text, &r);

    static const struct edit_swap bad[] = {
        {{"one", 3}, {"1", 1}, false},
        {{"one", 3}, {"2", 1}, false},
    };
    bool ok = edit_replace(*state, text, bad, 2, &r, &err);
    check_err("gone", ok, &err, "TEXT_NOT_FOUND", "[replacement 2 of 2]");
    check_err("none", edit_replace(*state, text, bad, 0, &r, &err), &err, NULL,
              "nothing");
}

static void test_limits(void **state)
{
    struct edit_result r;
    struct err err = {0};
    char *p = arena_alloc(*state, EDIT_TEXT_MAX + 1);
    memset(p, 'a', EDIT_TEXT_MAX + 1);
    struct edit_swap swap = {STR("b"), STR("c"), true};
    str big = {p, EDIT_TEXT_MAX + 1}, half = {p, EDIT_TEXT_MAX / 2};
    check_err("text", edit_replace(*state, big, &swap, 1, &r, &err), &err, NULL,
              "the note");
    CHECK_INT("text", err.code, ERR_LIMIT);
    swap = (struct edit_swap){STR("aa"), STR("aaaaa"), true};
    check_err("count", edit_replace(*state, half, &swap, 1, &r, &err), &err, NULL,
              "places");
    CHECK_INT("count", err.code, ERR_LIMIT);
    swap = (struct edit_swap){STR("a"), {p, EDIT_PIECE_MAX}, true};
    check_err("grow", edit_replace(*state, STR("a a a"), &swap, 1, &r, &err), &err, NULL,
              "would have more than");
    swap.new_text.n = EDIT_PIECE_MAX + 1;
    check_err("new", edit_replace(*state, STR("a"), &swap, 1, &r, &err), &err, NULL,
              "new_text");
    struct edit_insert in = {.where = EDIT_APPEND, .content = {p, EDIT_PIECE_MAX}};
    check_err("append",
              edit_insert(*state, half, &in, &r, &err) &&
                  edit_insert(*state, r.text, &in, &r, &err),
              &err, NULL, "more than");
    CHECK_INT("append", err.code, ERR_LIMIT);
}

/* --- regular expressions --- */

static void test_regex(void **state)
{
    static const struct {
        const char *text, *pattern, *replacement, *want;
        unsigned max, count;
        bool nocase, literal;
    } cases[] = {
        {"a1 b22\n", "[0-9]+", "<$0>", "a<1> b<22>\n", 0, 2},
        {"2024-05-06", "(\\d+)-(\\d+)-(\\d+)", "$3.$2.$1", "06.05.2024", 0, 1},
        {"k: v", "(?P<key>\\w+): (?P<val>\\w+)", "${val}: $key", "v: k", 0, 1},
        {"ab", "(a)(b)", "${2}x$1", "bxa", 0, 1},
        {"ab", "(a)|(b)", "[$1$2]", "[a][b]", 0, 2},
        {"ab", "(a)|(b)", "[$2]", "[][b]", 0, 2},
        {"price 5", "5", "$$5 $ 5$", "price $5 $ 5$", 0, 1},
        {"x x x", "x", "y", "y y x", 2, 2},
        {"A a", "a", "b", "b b", 0, 2, true},
        {"a.b axb", "a.b", "$1", "$1 axb", 0, 1, false, true},
        {"abc", "x*", "-", "-a-b-c-", 0, 4},
        {"aab", "a*", "-", "-b-", 0, 2},
        {"\xC3\xA9\xC3\xA9", "", "", "", 0, 0},
        {"\xC3\xA9\xC3\xA9", "x?", "-", "-\xC3\xA9-\xC3\xA9-", 0, 3},
        {"aaa", "a+?", "b", "bbb", 0, 3},
        {"one\r\ntwo\r\n", "$", ";", "one;\r\ntwo;\r\n", 0, 2},
        {"one\r\ntwo\r\n", "^(.*)$", "$1\n", "one\r\n\r\ntwo\r\n\r\n", 0, 2},
        {"one\ntwo", "^", "- ", "- one\n- two", 0, 2},
        {"foo bar", "\\bb", "B", "foo Bar", 0, 1},
        {"aXbX", ".*?X", "<$0>", "<aX><bX>", 0, 2},
        {"((x))", "\\((x)\\)", "[$1]", "([x])", 0, 1},
        {"LATER: x\nDONE: y\n", "(?i)^(later|done): ", "- [ ] $1 ",
         "- [ ] LATER x\n- [ ] DONE y\n", 0, 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].pattern).p;
        struct edit_pattern p = {
            .pattern = str_c(cases[i].pattern),
            .replacement = str_c(cases[i].replacement),
            .max = cases[i].max,
            .nocase = cases[i].nocase,
            .literal = cases[i].literal,
        };
        struct edit_result r;
        struct err err = {0};
        str text = str_c(cases[i].text);
        bool ok = edit_regex(*state, text, &p, &r, &err);
        if (cases[i].count == 0) {
            check_err(row, ok, &err, NULL, "empty");
            continue;
        }
        if (!ok)
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_INT(row, r.replacements, cases[i].count);
        check_untouched(row, text, &r);
    }
}

static bool always(void *arg)
{
    ++*(int *)arg;
    return true;
}

/* SEC-71: a pattern that takes long is given up. */
static void test_regex_stop(void **state)
{
    int asked = 0;
    struct stop stop = {always, &asked, 0}, passed = {.until = 1},
                later = stop_within(NULL, 3600 * 1000);
    struct {
        const char *name;
        const struct stop *stop;
        bool ok;
    } cases[] = {{"asked", &stop, false},
                 {"too late", &passed, false},
                 {"in time", &later, true},
                 {"without a limit", NULL, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_pattern p = {
            .pattern = STR("b"), .replacement = STR("c"), .stop = cases[i].stop};
        struct edit_result r;
        struct err err = {0};
        bool ok = edit_regex(*state, STR("a b\n"), &p, &r, &err);
        CHECK(cases[i].name, ok == cases[i].ok && (ok || err.name == E_TIMEOUT));
    }
    CHECK_INT("asked at once", asked, 1);
}

static void test_regex_errors(void **state)
{
    static const struct {
        const char *pattern, *replacement, *name, *holds;
    } cases[] = {
        {"(", "x", NULL, "unclosed group"},
        {"zzz", "x", "TEXT_NOT_FOUND", "Text not found in file"},
        {"(a)", "$2", NULL, "no group '2'"},
        {"(a)", "$1b", NULL, "write ${1} if text follows"},
        {"a", "$name", NULL, "no group 'name'; write $$"},
        {"a\\nb", "x", "TEXT_NOT_FOUND", "(?s)"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_pattern p = {.pattern = str_c(cases[i].pattern),
                                 .replacement = str_c(cases[i].replacement)};
        struct edit_result r;
        struct err err = {0};
        check_err(cases[i].pattern, edit_regex(*state, STR("a b\n"), &p, &r, &err), &err,
                  cases[i].name, cases[i].holds);
    }
}

/* --- insert --- */

#define FM "---\nk: v\n---\n"
#define BOM "\xEF\xBB\xBF"

static void test_insert(void **state)
{
    static const struct {
        enum edit_where where;
        const char *text, *content, *want, *anchor;
        uint32_t line, first, last;
        bool inside_line, apart;
    } cases[] = {
        /*
         * append: paragraphs are separated, lists stay tight, the final line break is
         * kept
         */
        {EDIT_APPEND, "", "new", "new\n", "", 0, 1, 1},
        {EDIT_APPEND, BOM, "new", BOM "new\n", "", 0, 1, 1},
        {EDIT_APPEND, "a\n", "new", "a\n\nnew\n", "", 0, 3, 3},
        {EDIT_APPEND, "a", "new", "a\n\nnew", "", 0, 3, 3},
        {EDIT_APPEND, "a\n\n", "new\n", "a\n\nnew\n", "", 0, 3, 3},
        {EDIT_APPEND, "a\n\n\n", "new", "a\n\n\nnew\n", "", 0, 4, 4},
        {EDIT_APPEND, "a\n", "\n\nnew\n\n\n", "a\n\nnew\n", "", 0, 3, 3},
        {EDIT_APPEND, "a\r\n", "b\nc", "a\r\n\r\nb\r\nc\r\n", "", 0, 3, 4},
        {EDIT_APPEND, "a\r\nb", "c", "a\r\nb\r\n\r\nc", "", 0, 4, 4},
        {EDIT_APPEND, "- a\n", "- b", "- a\n- b\n", "", 0, 2, 2},
        {EDIT_APPEND, "- a", "- b", "- a\n- b", "", 0, 2, 2},
        {EDIT_APPEND, "- a\n\n", "- b", "- a\n- b\n\n", "", 0, 2, 2},
        {EDIT_APPEND, "- [ ] a\n", "- [ ] b\n- [x] c\n", "- [ ] a\n- [ ] b\n- [x] c\n",
         "", 0, 2, 3},
        {EDIT_APPEND, "- a\n  more\n", "- b", "- a\n  more\n- b\n", "", 0, 3, 3},
        {EDIT_APPEND, "- a\n  - sub\n", "- b", "- a\n  - sub\n- b\n", "", 0, 3, 3},
        {EDIT_APPEND, "1. a\n   - sub\n", "2. b", "1. a\n   - sub\n2. b\n", "", 0, 3, 3},
        {EDIT_APPEND, "- a\n", "  - sub", "- a\n  - sub\n", "", 0, 2, 2},
        {EDIT_APPEND, "1. a\n", "- b", "1. a\n\n- b\n", "", 0, 3, 3},
        {EDIT_APPEND, "- a\n\n  para\n", "- b", "- a\n\n  para\n- b\n", "", 0, 4, 4},
        {EDIT_APPEND, "- a\n", "text", "- a\n\ntext\n", "", 0, 3, 3},
        {EDIT_APPEND, "text\n", "- a", "text\n\n- a\n", "", 0, 3, 3},
        {EDIT_APPEND, "***\n", "* a", "***\n\n* a\n", "", 0, 3, 3},
        {EDIT_APPEND, "```\n- a\n```\n", "- b", "```\n- a\n```\n\n- b\n", "", 0, 5, 5},
        {EDIT_APPEND, "# H\n", "text", "# H\n\ntext\n", "", 0, 3, 3},
        {EDIT_APPEND, "# H\na\n# I\n", "text", "# H\na\n# I\ntext\n", "", 0, 4, 4},
        {EDIT_APPEND, "# H\n\na\n\n# I\n", "text", "# H\n\na\n\n# I\n\ntext\n", "", 0, 7,
         7},
        {EDIT_APPEND, "text\n", "## H\n\nmore", "text\n\n## H\n\nmore\n", "", 0, 3, 5},
        {EDIT_APPEND, "|a|\n|-|\n|1|\n", "|2|", "|a|\n|-|\n|1|\n|2|\n", "", 0, 4, 4},
        {EDIT_APPEND, "|a|\n|-|\n|1|\n", "|b|\n|-|\n|2|",
         "|a|\n|-|\n|1|\n\n|b|\n|-|\n|2|\n", "", 0, 5, 7},
        {EDIT_APPEND, "|a|\n|-|\n", "text", "|a|\n|-|\n\ntext\n", "", 0, 4, 4},
        {EDIT_APPEND, "> a\n", "> b", "> a\n> b\n", "", 0, 2, 2},
        {EDIT_APPEND, "> a\n", "> [!note] b", "> a\n\n> [!note] b\n", "", 0, 3, 3},
        {EDIT_APPEND, FM, "text", FM "text\n", "", 0, 4, 4},
        {EDIT_APPEND, "---\nk: v\n---", "text", "---\nk: v\n---\ntext", "", 0, 4, 4},

        /* prepend: below BOM and frontmatter */
        {EDIT_PREPEND, "", "new", "new\n", "", 0, 1, 1},
        {EDIT_PREPEND, "a\n", "new", "new\n\na\n", "", 0, 1, 1},
        {EDIT_PREPEND, BOM "a", "new", BOM "new\n\na", "", 0, 1, 1},
        {EDIT_PREPEND, FM "a\n", "new", FM "new\n\na\n", "", 0, 4, 4},
        {EDIT_PREPEND, FM "\na\n", "new", FM "\nnew\n\na\n", "", 0, 5, 5},
        {EDIT_PREPEND, FM "\n\na\n", "new", FM "\nnew\n\na\n", "", 0, 5, 5},
        {EDIT_PREPEND, BOM FM "a", "new", BOM FM "new\n\na", "", 0, 4, 4},
        {EDIT_PREPEND, FM, "new", FM "new\n", "", 0, 4, 4},
        {EDIT_PREPEND, "- a\n", "- b", "- b\n- a\n", "", 0, 1, 1},
        {EDIT_PREPEND, "# H\n", "new", "new\n\n# H\n", "", 0, 1, 1},
        {EDIT_PREPEND, "---\r\nk: v\r\n---\r\na\r\n", "x\ny",
         "---\r\nk: v\r\n---\r\nx\r\ny\r\n\r\na\r\n", "", 0, 4, 5},

        /* at a line */
        /* lines are literal: nothing is added around them */
        {EDIT_AT_LINE, "a\n\nb\n", "new", "a\n\nnew\nb\n", "", 3, 3, 3},
        {EDIT_AT_LINE, "a\n\nb\n", "new", "a\nnew\n\nb\n", "", 2, 2, 2},
        {EDIT_AT_LINE, "a\nb\n", "\nnew\n\n", "a\n\nnew\n\nb\n", "", 2, 2, 4},
        {EDIT_AT_LINE, "a\nb\n", "\n", "a\n\nb\n", "", 2, 2, 2},
        {EDIT_AT_LINE, "a\n\nb\n", "new", "a\n\nb\nnew\n", "", 4, 4, 4},
        {EDIT_AT_LINE, "a\nb", "new", "a\nb\nnew", "", 3, 3, 3},
        {EDIT_AT_LINE, "- a\n- b\n", "- n", "- a\n- n\n- b\n", "", 2, 2, 2},
        {EDIT_AT_LINE, "", "new", "new\n", "", 1, 1, 1},
        {EDIT_AT_LINE, FM "a\n", "new", FM "new\n\na\n", "", 1, 4, 4},
        {EDIT_AT_LINE, FM "a\n", "z: 1", "---\nk: v\nz: 1\n---\na\n", "", 3, 3, 3},
        {EDIT_AT_LINE, FM "a\n", "z: 1", "---\nz: 1\nk: v\n---\na\n", "", 2, 2, 2},
        {EDIT_AT_LINE, "```\nx\ny\n```\n", "new", "```\nx\nnew\ny\n```\n", "", 3, 3, 3},
        {EDIT_AT_LINE, "```\nx\n```\n", "new", "new\n```\nx\n```\n", "", 1, 1, 1},
        {EDIT_AT_LINE, "```\nx\n```\nb", "new", "```\nx\n```\nnew\nb", "", 4, 4, 4},
        {EDIT_AT_LINE, "a\rb\r", "new", "a\rnew\rb\r", "", 2, 2, 2},
        {EDIT_AT_LINE, BOM "a\n", "new", BOM "new\na\n", "", 1, 1, 1},

        {EDIT_AFTER_TEXT, "# H\n\ntext\n", "- n", "# H\n- n\n\ntext\n", "# H", 0, 2, 2},
        {EDIT_AFTER_TEXT, "one\ntwo\n", "new", "one\nnew\ntwo\n", "one", 0, 2, 2},
        {EDIT_AFTER_TEXT, "a\r\nb\r\n", "n\n", "a\r\nb\r\nn\r\n", "a\nb", 0, 3, 3},
        {EDIT_AFTER_TEXT, "a b", "new", "a b\nnew", "a", 0, 2, 2},
        {EDIT_BEFORE_TEXT, "one\ntwo\n", "\nnew", "one\n\nnew\ntwo\n", "two", 0, 2, 3},

        /* before and after a text, with blank lines as needed */
        {EDIT_AFTER_TEXT, "one\n\ntwo words\n\nthree\n", "new",
         "one\n\ntwo words\n\nnew\n\nthree\n", "two", 0, 5, 5, false, true},
        {EDIT_BEFORE_TEXT, "one\n\ntwo words\n\nthree\n", "new",
         "one\n\nnew\n\ntwo words\n\nthree\n", "words", 0, 3, 3, false, true},
        {EDIT_AFTER_TEXT, "- a\n- b\n- c\n", "- n", "- a\n- b\n- n\n- c\n", "- b", 0, 3,
         3, false, true},
        {EDIT_AFTER_TEXT, "- a\n- b\n- c\n", "- n", "- a\n- b\n- n\n- c\n", "- b\n", 0, 3,
         3, false, true},
        {EDIT_BEFORE_TEXT, "- a\n- b\n- c\n", "- n", "- a\n- n\n- b\n- c\n", "- b", 0, 2,
         2, false, true},
        {EDIT_AFTER_TEXT, "# H\ntext\n", "new", "# H\nnew\n\ntext\n", "# H", 0, 2, 2,
         false, true},
        {EDIT_AFTER_TEXT, "# H\n\ntext\n", "new", "# H\n\nnew\n\ntext\n", "# H", 0, 3, 3,
         false, true},
        {EDIT_AFTER_TEXT, "a b", "new", "a b\n\nnew", "a", 0, 3, 3, false, true},
        {EDIT_AFTER_TEXT, "a\r\nb\r\n", "n", "a\r\nb\r\n\r\nn\r\n", "a\nb", 0, 4, 4,
         false, true},
        {EDIT_AFTER_TEXT, "a b c", "!", "a b! c", "b", 0, 1, 1, true},
        {EDIT_BEFORE_TEXT, "a b c", "(", "a (b c", "b", 0, 1, 1, true},
        {EDIT_AFTER_TEXT, "a\r\nb", "\nx", "a\r\nx\r\nb", "a", 0, 1, 2, true},
        {EDIT_BEFORE_TEXT, FM "a\n", "new", FM "new\n\na\n", "---\nk", 0, 4, 4},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row =
            arena_printf(*state, "%zu: %s + %s", i, cases[i].text, cases[i].content).p;
        struct edit_insert in = {.where = cases[i].where,
                                 .content = str_c(cases[i].content),
                                 .anchor = str_c(cases[i].anchor),
                                 .line = cases[i].line,
                                 .inside_line = cases[i].inside_line,
                                 .apart = cases[i].apart};
        struct edit_result r;
        struct err err = {0};
        str text = str_c(cases[i].text);
        if (!edit_insert(*state, text, &in, &r, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_INT(row, r.line_first, cases[i].first);
        CHECK_INT(row, r.line_last, cases[i].last);
        check_untouched(row, text, &r);
    }
}

static void test_insert_errors(void **state)
{
    static const struct {
        struct edit_insert in;
        const char *text, *name, *holds;
    } cases[] = {
        {{.where = EDIT_APPEND, .content = {"\n \n", 3}}, "a", NULL, "no text to insert"},
        {{.where = EDIT_AT_LINE, .content = {"x", 1}},
         "a\n",
         "LINE_OUT_OF_RANGE",
         "line 0 is not between 1 and 2: the note has 1 line"},
        {{.where = EDIT_AT_LINE, .content = {"x", 1}, .line = 4},
         "a\nb\n",
         "LINE_OUT_OF_RANGE",
         "line 4 is not between 1 and 3: the note has 2 lines"},
        {{.where = EDIT_AFTER_TEXT, .content = {"x", 1}, .anchor = {"q", 1}},
         "a",
         "TEXT_NOT_FOUND",
         "Text not found in file"},
        {{.where = EDIT_AFTER_TEXT, .content = {"x", 1}, .anchor = {"a", 1}},
         "a a",
         "TEXT_NOT_UNIQUE",
         "Text appears 2 times in file, must be unique"},
        {{.where = EDIT_AFTER_TEXT, .content = {"x", 1}}, "a", NULL, "empty"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_result r;
        struct err err = {0};
        check_err(cases[i].holds,
                  edit_insert(*state, str_c(cases[i].text), &cases[i].in, &r, &err), &err,
                  cases[i].name, cases[i].holds);
    }
}

static void test_warnings(void **state)
{
    static const struct {
        struct edit_insert in;
        const char *text, *warning;
    } cases[] = {
        {{.where = EDIT_APPEND, .content = {"same\ntext", 9}},
         "a\n\nsame\ntext\n\n",
         "the text was already there at line 3"},
        {{.where = EDIT_APPEND, .content = {"- x\n", 4}},
         "- x",
         "already there at line 1"},
        {{.where = EDIT_APPEND, .content = {"text", 4}}, "more text", NULL},
        {{.where = EDIT_APPEND, .content = {"text", 4}}, "```\ncode\n", "not closed"},
        {{.where = EDIT_APPEND, .content = {"text", 4}}, "```\ncode\n```\n", NULL},
        {{.where = EDIT_APPEND, .content = {"text", 4}},
         "````\ncode\n```\n",
         "code block above is not closed"},
        {{.where = EDIT_APPEND, .content = {"text", 4}},
         "~~~\ncode\n```\n\n",
         "code block above is not closed"},
        {{.where = EDIT_APPEND, .content = {"text", 4}}, "> ```\n> code\n", NULL},
        {{.where = EDIT_APPEND, .content = {"text", 4}},
         "%%\nb\n",
         "comment above is not closed"},
        {{.where = EDIT_APPEND, .content = {"text", 4}}, "%%\nb\n%%\n", NULL},
        {{.where = EDIT_AT_LINE, .content = {"```", 3}, .line = 1},
         "text\n# B\n",
         "line 2, '# B', is no longer a heading"},
        {{.where = EDIT_PREPEND, .content = {"text", 4}},
         "---\nk: v\n",
         "broken frontmatter was left alone"},
        {{.where = EDIT_AT_LINE, .content = {"k", 1}, .line = 2},
         FM,
         "into the frontmatter"},
        {{.where = EDIT_AT_LINE, .content = {"k", 1}, .line = 1},
         FM,
         "inserted below it"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_result r;
        struct err err = {0};
        if (!edit_insert(*state, str_c(cases[i].text), &cases[i].in, &r, &err))
            fail_msg("%s: %s", cases[i].text, err.msg);
        CHECK_INT(cases[i].text, r.n_warnings, cases[i].warning != NULL);
        if (cases[i].warning != NULL &&
            str_find(r.warnings[0], str_c(cases[i].warning)) == STR_NONE)
            fail_msg("%s: warning '" STR_FMT "'", cases[i].text, STR_ARG(r.warnings[0]));
    }
}

/* Neither searches the bytes before from. */
static void test_from(void **state)
{
    str text = STR("---\nk: cat\n---\ncat\n");
    struct edit_swap swap = {STR("cat"), STR("dog"), false, STR("---\nk: cat\n---\n").n};
    struct edit_insert in = {.where = EDIT_AFTER_TEXT,
                             .content = STR("!"),
                             .anchor = STR("cat"),
                             .from = swap.from,
                             .inside_line = true};
    struct edit_result r;
    struct err err = {0};
    if (!edit_replace(*state, text, &swap, 1, &r, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("replace", r.text, "---\nk: cat\n---\ndog\n");
    CHECK_INT("replace", r.line_first, 4);
    check_untouched("replace", text, &r);
    if (!edit_insert(*state, text, &in, &r, &err))
        fail_msg("%s", err.msg);
    CHECK_STR("insert", r.text, "---\nk: cat\n---\ncat!\n");
    swap.old_text = STR("k: cat");
    CHECK("only in the frontmatter", !edit_replace(*state, text, &swap, 1, &r, &err));
    assert_string_equal(err.msg,
                        "Text not found in the body: it occurs only in the frontmatter");
    swap = (struct edit_swap){STR("cat"), STR("x"), false, 0};
    CHECK("twice", !edit_replace(*state, text, &swap, 1, &r, &err));
}

static void test_like_anchor(void **state)
{
    static const struct {
        enum edit_where where;
        const char *text, *anchor, *content, *want;
    } cases[] = {
        {EDIT_AFTER_TEXT, "one two\n", "one", "!", "one! two\n"},
        {EDIT_BEFORE_TEXT, "one two\n", "two", "and ", "one and two\n"},
        {EDIT_AFTER_TEXT, "## H\n- a\n", "## H", "- b", "## H\n- b\n- a\n"},
        {EDIT_BEFORE_TEXT, "- a\n- c\n", "- c\n", "- b", "- a\n- b\n- c\n"},
        {EDIT_AFTER_TEXT, "## H\n", "H", "!", "## H!\n"},
        {EDIT_AFTER_TEXT, "- a\r\n- c\r\n", "- a", "- b", "- a\r\n- b\r\n- c\r\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_insert in = {.where = cases[i].where,
                                 .content = str_c(cases[i].content),
                                 .anchor = str_c(cases[i].anchor),
                                 .like_anchor = true};
        struct edit_result r;
        struct err err = {0};
        if (!edit_insert(*state, str_c(cases[i].text), &in, &r, &err))
            fail_msg("%zu: %s", i, err.msg);
        CHECK_STR(cases[i].text, r.text, cases[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_replace),
        ARENA_TEST(test_replace_errors),
        ARENA_TEST(test_replace_several),
        ARENA_TEST(test_limits),
        ARENA_TEST(test_regex),
        ARENA_TEST(test_regex_errors),
        ARENA_TEST(test_regex_stop),
        ARENA_TEST(test_insert),
        ARENA_TEST(test_insert_errors),
        ARENA_TEST(test_warnings),
        ARENA_TEST(test_from),
        ARENA_TEST(test_like_anchor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
