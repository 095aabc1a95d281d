#include "base/sbuf.h"
#include "vault/note/edit.h"

#include "edited.h"
#include "vault/note/note.h"

#define FM "---\nk: v\n---\n"

/* --- sections --- */

static void test_section(void **state)
{
    static const struct {
        const char *heading;
        enum edit_action action;
        const char *text, *content, *want, *target;
        bool shallow;
    } cases[] = {
        /* replace the section: heading and blank lines stay */
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n\n# B\n", "new", "# A\n\nnew\n\n# B\n",
         "A"},
        {"A", EDIT_REPLACE_BODY, "# A\nold\n# B\n", "new", "# A\nnew\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\nold\n# B\n", "- new", "# A\n- new\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\n\nold 1\n\nold 2\n\n\n# B", "new\n",
         "# A\n\n\nnew\n\n\n# B", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n\n## S\n\nsub\n\n# B\n", "new",
         "# A\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n\n## S\n\nsub\n\n# B\n",
         "# A\n\nnew\n\n## S\n\nsub\n\n", "# A\n\nnew\n\n## S\n\nsub\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "## A\n\nold\n", "# a\n\nnew\n", "## A\n\nnew\n", "A"},
        {"A", EDIT_REPLACE_BODY, "## A\n\nold\n", "### A\n\nnew\n", "## A\n\nnew\n", "A"},
        {"# A", EDIT_REPLACE_BODY, "# A\n\n## A\n\nold\n", "## A\n\nnew\n",
         "# A\n\n## A\n\nnew\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n\n# B\n", "# C\n\nnew\n",
         "# C\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n\n# B\n", "## C\n\nnew\n",
         "# A\n\n## C\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "A\n=\n\nold\n", "A\n=\n\nnew\n", "A\n=\n\nnew\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A", "new", "# A\n\nnew", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n", "new", "# A\n\nnew\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\n# B\n", "new", "# A\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n# B\n", "new", "# A\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold", "new", "# A\n\nnew", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n\n# B\n", "", "# A\n\n# B\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n", "", "# A\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold", "", "# A", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\n\nold\n", "# A\n\nnew\n", "# A\n\nnew\n", "A"},
        {"A", EDIT_REPLACE_BODY, "# A\r\n\r\nold\r\n\r\n# B\r\n", "x\ny",
         "# A\r\n\r\nx\r\ny\r\n\r\n# B\r\n", "A"},
        {"A", EDIT_REPLACE_BODY, "A\n===\n\nold\n\nB\n===\n", "new",
         "A\n===\n\nnew\n\nB\n===\n", "A"},
        {"A", EDIT_REPLACE_BODY, "A\n===\n```\nx\n```\nB\n===\nx\n", "new",
         "A\n===\n\nnew\n\nB\n===\nx\n", "A"},

        /* append */
        {"A", EDIT_APPEND_TO, "# A\n\ntext\n\n# B\n", "new",
         "# A\n\ntext\n\nnew\n\n# B\n", "A"},
        /* a quote with open code takes nothing up */
        {"A", EDIT_APPEND_TO, "# A\n\n> ```\n> x\n\n# B\n", "> new",
         "# A\n\n> ```\n> x\n\n> new\n\n# B\n", "A"},
        {"A", EDIT_PREPEND_TO, "# A\n\n> old\n", "> ```\n> x",
         "# A\n\n> ```\n> x\n\n> old\n", "A"},
        {"A", EDIT_APPEND_TO, "# A\n\n- a\n\n# B\n", "- b", "# A\n\n- a\n- b\n\n# B\n",
         "A"},
        {"A", EDIT_APPEND_TO, "# A\n- a\n# B\n", "- b", "# A\n- a\n- b\n\n# B\n", "A"},
        {"A", EDIT_APPEND_TO, "# A\n\ntext\n\n## S\n\nsub\n\n# B\n", "new",
         "# A\n\ntext\n\nnew\n\n## S\n\nsub\n\n# B\n", "A", true},
        {"A", EDIT_APPEND_TO, "# A\n\ntext\n\n## S\n\nsub\n\n# B\n", "new",
         "# A\n\ntext\n\n## S\n\nsub\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_APPEND_TO, "# A\n\n## S\n\nsub\n", "new",
         "# A\n\nnew\n\n## S\n\nsub\n", "A", true},
        {"B", EDIT_APPEND_TO, "# A\n\ntext\n\n# B\n\nlast", "new",
         "# A\n\ntext\n\n# B\n\nlast\n\nnew", "B"},
        {"A", EDIT_APPEND_TO, "# A\n\ntext\n\n\n\n# B\n", "new",
         "# A\n\ntext\n\nnew\n\n\n\n# B\n", "A"},

        /* below an empty heading: as in the rest of the note, for items and text */
        {"L", EDIT_APPEND_TO, "# A\n- a\n\n# L\n", "- b", "# A\n- a\n\n# L\n- b\n", "L"},
        {"L", EDIT_APPEND_TO, "# L\n\n# A\n- a\n", "- b", "# L\n- b\n\n# A\n- a\n", "L"},
        {"L", EDIT_PREPEND_TO, "# L\n\n# A\n- a\n", "- b", "# L\n- b\n\n# A\n- a\n", "L"},
        {"L", EDIT_APPEND_TO, "# A\n\n- a\n\n# L\n", "- b", "# A\n\n- a\n\n# L\n\n- b\n",
         "L"},
        {"L", EDIT_APPEND_TO, "# A\n- a\n\n# B\n\ntext\n\n# C\n\ntext\n\n# L\n", "- b",
         "# A\n- a\n\n# B\n\ntext\n\n# C\n\ntext\n\n# L\n- b\n", "L"},
        {"L", EDIT_APPEND_TO, "# A\n- a\n\n# B\n\ntext\n\n# C\n\ntext\n\n# L\n", "b",
         "# A\n- a\n\n# B\n\ntext\n\n# C\n\ntext\n\n# L\n\nb\n", "L"},

        /* prepend */
        {"A", EDIT_PREPEND_TO, "# A\n\ntext\n", "new", "# A\n\nnew\n\ntext\n", "A"},
        {"A", EDIT_PREPEND_TO, "# A\ntext\n", "new", "# A\nnew\n\ntext\n", "A"},
        {"A", EDIT_PREPEND_TO, "# A\n\n- a\n", "- b", "# A\n\n- b\n- a\n", "A"},
        {"A", EDIT_PREPEND_TO, "# A\n- a\n", "- b", "# A\n- b\n- a\n", "A"},
        {"A", EDIT_PREPEND_TO, "# A\n\n## S\n", "new", "# A\n\nnew\n\n## S\n", "A"},
        {"A", EDIT_PREPEND_TO, "A\n===\ntext\n", "new", "A\n===\n\nnew\n\ntext\n", "A"},

        /* replace with the heading, delete */
        {"A", EDIT_REPLACE_WHOLE, "x\n\n# A\n\nold\n\n## S\n\n# B\n", "# C\n\nnew\n",
         "x\n\n# C\n\nnew\n\n# B\n", "A"},
        {"A", EDIT_DELETE, "x\n\n# A\n\nold\n\n## S\n\n# B\n", "", "x\n\n# B\n", "A"},
        {"B", EDIT_DELETE, "x\n\n# A\n\nold\n\n# B\n\nt\n", "", "x\n\n# A\n\nold\n", "B"},
        {"B", EDIT_DELETE, "x\n\n# B\n\nt", "", "x", "B"},
        {"A", EDIT_DELETE, "x\n# A\nold\n# B\n", "", "x\n# B\n", "A"},
        {"A", EDIT_DELETE, "# A\nold\n", "", "", "A"},
        {"A", EDIT_DELETE, FM "\n# A\nold\n", "", FM, "A"},

        /* different names of a heading */
        {"#A", EDIT_APPEND_TO, "# A\n\nx\n", "n", "# A\n\nx\n\nn\n", "A"},
        {"# A", EDIT_APPEND_TO, "# A\n\nx\n", "n", "# A\n\nx\n\nn\n", "A"},
        {"### A", EDIT_APPEND_TO, "# A\n\nx\n", "n", "# A\n\nx\n\nn\n", "A"},
        {"a", EDIT_APPEND_TO, "# A!\n\nx\n", "n", "# A!\n\nx\n\nn\n", "A!"},
        {"B#S", EDIT_APPEND_TO, "# A\n## S\n1\n# B\n## S\n2\n", "n",
         "# A\n## S\n1\n# B\n## S\n2\n\nn\n", "B#S"},
        {"B > S", EDIT_APPEND_TO, "# A\n## S\n1\n# B\n## S\n2\n", "n",
         "# A\n## S\n1\n# B\n## S\n2\n\nn\n", "B#S"},
        {"B::S", EDIT_APPEND_TO, "# A\n## S\n1\n# B\n## S\n2\n", "n",
         "# A\n## S\n1\n# B\n## S\n2\n\nn\n", "B#S"},
        {"A#S", EDIT_APPEND_TO, "# A\n## X\n### S\n1\n## S\n2\n", "n",
         "# A\n## X\n### S\n1\n## S\n2\n\nn\n", "A#S"},
        {"### S", EDIT_APPEND_TO, "# A\n## X\n### S\n1\n## S\n2\n", "n",
         "# A\n## X\n### S\n1\n\nn\n\n## S\n2\n", "A#X#S"},
        {"S#2", EDIT_APPEND_TO, "# A\n## S\n1\n## S\n2\n", "n",
         "# A\n## S\n1\n## S\n2\n\nn\n", "A#S"},
        {"A#S#1", EDIT_APPEND_TO, "# A\n## S\n1\n## S\n2\n", "n",
         "# A\n## S\n1\n\nn\n\n## S\n2\n", "A#S"},
        {"## S#2", EDIT_APPEND_TO, "# A\n## S\n1\n### S\n## S\n2\n", "n",
         "# A\n## S\n1\n### S\n## S\n2\n\nn\n", "A#S"},
        {"S#2", EDIT_APPEND_TO, "# S\n## 2\n1\n# S\n2\n", "n",
         "# S\n## 2\n1\n\nn\n\n# S\n2\n", "S#2"},
        {"C++", EDIT_APPEND_TO, "# C\n\n1\n\n# C++\n\n2\n", "n",
         "# C\n\n1\n\n# C++\n\n2\n\nn\n", "C++"},
        {"Issue #3", EDIT_APPEND_TO, "# Issue #3\n\nx\n", "n", "# Issue #3\n\nx\n\nn\n",
         "Issue  3"},
        {"a > b", EDIT_APPEND_TO, "# a > b\n\nx\n", "n", "# a > b\n\nx\n\nn\n", "a > b"},
        /* headings in code, quotes and comments do not count */
        {"A", EDIT_APPEND_TO, "```\n# A\n```\n\n> # A\n\n- # A\n\n# A\n\nx\n", "n",
         "```\n# A\n```\n\n> # A\n\n- # A\n\n# A\n\nx\n\nn\n", "A"},
        {"B", EDIT_APPEND_TO, "%%\n# B\n\nx\n%%\n", "n", "%%\n# B\n\nx\n%%\n\nn\n", "B"},
        {"A", EDIT_APPEND_TO, "# A\n\n```\n# B\n```\n", "n",
         "# A\n\n```\n# B\n```\n\nn\n", "A"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].text).p;
        struct edit_section e = {.heading = str_c(cases[i].heading),
                                 .action = cases[i].action,
                                 .content = str_c(cases[i].content),
                                 .shallow = cases[i].shallow};
        struct edit_result r;
        struct err err = {0};
        str text = str_c(cases[i].text);
        if (!edit_section(*state, text, &e, &r, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_STR(row, r.target, cases[i].target);
        check_untouched(row, text, &r);
    }
}

static void test_section_errors(void **state)
{
    static const char text[] =
        "# Log\n\n## Notes\n\nx\n\n# Other\n\n## Notes\n\n# Tail\n\n"
        "# Tail\n";
    static const struct {
        const char *heading, *name, *holds;
        uint32_t line;
        enum edit_action action;
    } cases[] = {
        {"Notes", "HEADING_NOT_UNIQUE",
         "Heading \"Notes\" is ambiguous: \"Log#Notes\" (line 3), \"Other#Notes\" (line "
         "9)",
         0, EDIT_APPEND_TO},
        {"Tail", "HEADING_NOT_UNIQUE", "\"# Tail#1\" (line 11), \"# Tail#2\" (line 13)",
         0, EDIT_APPEND_TO},
        {"Note", "HEADING_NOT_FOUND", "not found; nearest: \"Log#Notes\" (line 3)", 0,
         EDIT_APPEND_TO},
        {"Xyzzy", "HEADING_NOT_FOUND", "the note has: \"# Log\" (line 1)", 0,
         EDIT_APPEND_TO},
        {"Tail#3", "HEADING_NOT_FOUND", "not found", 0, EDIT_APPEND_TO},
        {"Log#2", "HEADING_NOT_FOUND", "not found", 0, EDIT_APPEND_TO},
        {"Notes", "HEADING_NOT_FOUND", "not found", 4, EDIT_APPEND_TO},
        {" # ", NULL, "the heading is empty", 0, EDIT_APPEND_TO},
        {"Other", NULL, "no text", 0, EDIT_APPEND_TO},
        {"Other", NULL, "new text is empty", 0, EDIT_REPLACE_WHOLE},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_section e = {.heading = str_c(cases[i].heading),
                                 .line = cases[i].line,
                                 .action = cases[i].action};
        struct edit_result r;
        struct err err = {0};
        check_err(cases[i].heading, edit_section(*state, str_c(text), &e, &r, &err), &err,
                  cases[i].name, cases[i].holds);
    }
    static const char *const opening[] = {"```\ncode", "~~~~\n~~~", "%%\na", "<!-- a"};
    for (size_t i = 0; i < COUNT_OF(opening); i++) {
        struct edit_section open = {.heading = STR("Log"),
                                    .action = EDIT_REPLACE_BODY,
                                    .content = str_c(opening[i])};
        struct edit_result r;
        struct err err = {0};
        check_err(opening[i], edit_section(*state, str_c(text), &open, &r, &err), &err,
                  "INVALID_CONTENT",
                  "the rest of the note would mean something else: line");
        open.heading = STR("Tail"); /* nothing follows */
        open.line = 13;
        CHECK(opening[i], edit_section(*state, str_c(text), &open, &r, &err));
    }
    struct edit_section e = {.heading = STR("Tail"),
                             .line = 13,
                             .action = EDIT_APPEND_TO,
                             .content = STR("end")};
    struct edit_result r;
    struct err err = {0};
    if (!edit_section(*state, str_c(text), &e, &r, &err))
        fail_msg("%s", err.msg);
    CHECK("line", str_ends(r.text, STR("# Tail\n\n# Tail\n\nend\n")));
    check_err("empty", edit_section(*state, STR("text"), &e, &r, &err), &err,
              "HEADING_NOT_FOUND", "the note has no headings");
}

static void test_section_create(void **state)
{
    static const struct {
        const char *heading, *text, *content, *want;
        unsigned level;
    } cases[] = {
        {"New", "", "text", "## New\n\ntext\n", 2},
        {"New", "# A\n\nx\n", "text", "# A\n\nx\n\n## New\n\ntext\n", 2},
        {"New", "# A\nx", "text", "# A\nx\n\n# New\ntext", 1},
        {"New", "# A\n", "", "# A\n\n### New\n", 3},
        {"## New", "x\n", "## New\n\ntext", "x\n\n## New\n\ntext\n", 2},
        {"A#New", "# A\n\nx\n\n# B\n", "text", "# A\n\nx\n\n## New\n\ntext\n\n# B\n", 1},
        {"No. #3", "x\n", "text", "x\n\n## No. #3\n\ntext\n", 2},
        {"A", "# A\n\nx\n", "text", "# A\n\nx\n\ntext\n", 2},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_section e = {.heading = str_c(cases[i].heading),
                                 .create_level = cases[i].level,
                                 .action = EDIT_APPEND_TO,
                                 .content = str_c(cases[i].content)};
        struct edit_result r;
        struct err err = {0};
        if (!edit_section(*state, str_c(cases[i].text), &e, &r, &err))
            fail_msg("%zu: %s", i, err.msg);
        CHECK_STR(cases[i].heading, r.text, cases[i].want);
        check_untouched(cases[i].heading, str_c(cases[i].text), &r);
    }
    struct edit_section e = {
        .heading = STR("x"), .create_level = 2, .action = EDIT_DELETE};
    struct edit_result r;
    struct err err = {0};
    check_err("delete", edit_section(*state, STR("a"), &e, &r, &err), &err, NULL,
              "missing");
    e = (struct edit_section){.heading = STR("x"), .create_level = 7};
    check_err("level", edit_section(*state, STR("a"), &e, &r, &err), &err, NULL,
              "1 to 6");
}

/* A note that does not show how it is written is written as those near it. */
static void test_siblings(void **state)
{
    struct edit_habit tight = {0}, apart = {0};
    struct note n;
    note_scan(*state, STR("# A\n- a\n\nB\n---\n- b\n"), &n);
    edit_add_habit(&tight, &n);
    CHECK("tight", tight.tight[1] == 2 && tight.apart[1] == 0 && tight.tight[0] == 0);
    note_scan(*state, STR("# A\n\ntext\n\n# B\n\n## C\n"), &n);
    edit_add_habit(&apart, &n);
    CHECK("apart", apart.apart[0] == 1 && apart.apart[1] == 0 && apart.tight[0] == 0);
    struct {
        const char *text, *heading, *want;
        const struct edit_habit *siblings;
    } cases[] = {
        {"# Log\n", "Log", "# Log\n- x\n", &tight},
        {"# Log\n", "Log", "# Log\n\n- x\n", &apart},
        {"# Log\n", "Log", "# Log\n\n- x\n", NULL},
        {"# Log\n\n# B\n\n- b\n", "Log", "# Log\n\n- x\n\n# B\n\n- b\n", &tight},
        {"text\n", "New", "text\n\n## New\n- x\n", &tight},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_section e = {.heading = str_c(cases[i].heading),
                                 .action = EDIT_APPEND_TO,
                                 .create_level = 2,
                                 .content = STR("- x"),
                                 .siblings = cases[i].siblings};
        struct edit_result r;
        struct err err = {0};
        if (!edit_section(*state, str_c(cases[i].text), &e, &r, &err))
            fail_msg("%zu: %s", i, err.msg);
        CHECK_STR(cases[i].text, r.text, cases[i].want);
    }
}

/* --- blocks --- */

static void test_block(void **state)
{
    static const struct {
        enum edit_action action;
        const char *text, *content, *want;
    } cases[] = {
        {EDIT_REPLACE_BODY, "a\n\nold text ^x\n\nb\n", "new", "a\n\nnew ^x\n\nb\n"},
        {EDIT_REPLACE_BODY, "old\nlines ^x", "new\nlines\n", "new\nlines ^x"},
        {EDIT_REPLACE_BODY, "old ^x\n", "new ^x", "new ^x\n"},
        {EDIT_REPLACE_BODY, "old ^x\r\n\r\nb\r\n", "p\nq", "p\r\nq ^x\r\n\r\nb\r\n"},
        {EDIT_REPLACE_BODY, "# H\nold ^x\n", "new", "# H\nnew ^x\n"},
        {EDIT_REPLACE_BODY, "- a\n- old ^x\n- c\n", "new", "- a\n- new ^x\n- c\n"},
        {EDIT_REPLACE_BODY, "- a\n- old ^x\n- c\n", "* new", "- a\n* new ^x\n- c\n"},
        {EDIT_REPLACE_BODY, "list:\n- old ^x\n", "new", "list:\n- new ^x\n"},
        {EDIT_REPLACE_BODY, "- a\n  - [ ] old ^x\n", "new", "- a\n  - [ ] new ^x\n"},
        {EDIT_REPLACE_BODY, "- a\n  - [ ] old ^x\n", "[x] new", "- a\n  - [x] new ^x\n"},
        {EDIT_REPLACE_BODY, "- a\n  - [ ] old ^x\n", "- [x] new",
         "- a\n  - [x] new ^x\n"},
        {EDIT_REPLACE_BODY, "1. old ^x\n   - sub\n", "p\nq", "1. p\n   q ^x\n   - sub\n"},
        {EDIT_REPLACE_BODY, "old ^x\n\nb\n", "|a|\n|-|", "|a|\n|-|\n\n^x\n\nb\n"},
        {EDIT_REPLACE_BODY, "old ^x\n", "```\nc\n```", "```\nc\n```\n\n^x\n"},
        {EDIT_REPLACE_BODY, "|a|\n|-|\n\n^x\n\nb\n", "|b|\n|-|\n|1|",
         "|b|\n|-|\n|1|\n\n^x\n\nb\n"},
        {EDIT_REPLACE_BODY, "|a|\n|-|\n\n^x\n\nb\n", "text", "text ^x\n\nb\n"},
        {EDIT_REPLACE_BODY, "- a\n- b\n\n^x\n", "- c\n- d", "- c\n- d\n\n^x\n"},
        {EDIT_REPLACE_BODY, "> q\n\n^x\n", "> r\n> s", "> r\n> s\n\n^x\n"},

        {EDIT_APPEND_TO, "a ^x\n\nb\n", "new", "a ^x\n\nnew\n\nb\n"},
        {EDIT_APPEND_TO, "a ^x", "new", "a ^x\n\nnew"},
        {EDIT_APPEND_TO, "- a ^x\n  - sub\n- c\n", "- b", "- a ^x\n  - sub\n- b\n- c\n"},
        {EDIT_APPEND_TO, "|a|\n|-|\n\n^x\n\nb\n", "new", "|a|\n|-|\n\n^x\n\nnew\n\nb\n"},
        {EDIT_PREPEND_TO, "a\n\nb ^x\n", "new", "a\n\nnew\n\nb ^x\n"},
        {EDIT_PREPEND_TO, "- a\n- b ^x\n", "- n", "- a\n- n\n- b ^x\n"},

        {EDIT_DELETE, "a\n\nb ^x\n\nc\n", "", "a\n\nc\n"},
        {EDIT_DELETE, "- a\n- b ^x\n- c\n", "", "- a\n- c\n"},
        {EDIT_DELETE, "a ^x\n\nb\n", "", "b\n"},
        {EDIT_DELETE, "a\n\nb ^x\n", "", "a\n"},
        {EDIT_DELETE, "a\n\nb ^x", "", "a"},
        {EDIT_DELETE, "a\n\n|a|\n|-|\n\n^x\n\nb\n", "", "a\n\nb\n"},
        {EDIT_DELETE, "a ^x", "", ""},
        {EDIT_DELETE, "# H\nb ^x\n- c\n", "", "# H\n- c\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].text).p;
        struct edit_block e = {.id = i % 2 ? STR("x") : STR("^X"),
                               .action = cases[i].action,
                               .content = str_c(cases[i].content)};
        struct edit_result r;
        struct err err = {0};
        struct note note;
        str text = str_c(cases[i].text);
        if (!edit_block(*state, text, &e, &r, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        CHECK_STR(row, r.target, "^x");
        check_untouched(row, text, &r);
        note_scan(*state, r.text, &note);
        CHECK(row, (note_find_block(&note, STR("x")) == NULL) ==
                       (cases[i].action == EDIT_DELETE));
    }
}

static void test_block_errors(void **state)
{
    struct edit_result r;
    struct err err = {0};
    struct edit_block e = {
        .id = STR("^zz"), .action = EDIT_APPEND_TO, .content = STR("n")};
    check_err("none", edit_block(*state, STR("a"), &e, &r, &err), &err, "BLOCK_NOT_FOUND",
              "Block ^zz not found: the note has no block ids");
    check_err("other", edit_block(*state, STR("a ^b\n\nc ^d\n"), &e, &r, &err), &err,
              "BLOCK_NOT_FOUND", "the note has ^b (line 1), ^d (line 3)");
    check_err("twice", edit_block(*state, STR("a ^zz\n\nc ^ZZ\n"), &e, &r, &err), &err,
              "BLOCK_NOT_UNIQUE", "lines 1 and 3");
    e.action = EDIT_REPLACE_WHOLE;
    check_err("action", edit_block(*state, STR("a ^zz"), &e, &r, &err), &err, NULL,
              "action");
    e.action = EDIT_REPLACE_BODY;
    e.content = STR(" ");
    check_err("empty", edit_block(*state, STR("a ^zz"), &e, &r, &err), &err, NULL,
              "new text is empty");
}

static void test_section_text(void **state)
{
    static const struct {
        const char *heading, *text, *want; /* NULL: refused */
    } cases[] = {
        {"A", "# A\n\none\n\n## S\ntwo\n\n# B\nthree\n", "one\n\n## S\ntwo"},
        {"S", FM "# A\n## S\n- x\n\n\n", "- x"},
        {"A", "A\n===\ntext", "text"},
        {"A", "# A\r\n\r\ntext\r\nmore\r\n", "text\r\nmore"},
        {"A", "# A\n", ""},
        {"A", "# A", ""},
        {"B", "# A\n", NULL},
        {"A", "# A\n# A\n", NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err err = {0};
        str got = STR("");
        bool ok = edit_section_text(*state, str_c(cases[i].text), str_c(cases[i].heading),
                                    &got, &err);
        CHECK_INT(cases[i].text, ok, cases[i].want != NULL);
        CHECK_STR(cases[i].text, got, ok ? cases[i].want : "");
    }
}

/* A note that is nearly as large as one may be: everything else stays, byte by byte. */
static void test_large(void **state)
{
    enum { ROOM = 1000 };
    static const enum edit_action actions[] = {EDIT_REPLACE_BODY, EDIT_APPEND_TO,
                                               EDIT_PREPEND_TO, EDIT_DELETE};
    struct sbuf b = SBUF_ON(*state);
    unsigned n = 0;
    for (; b.n + ROOM < EDIT_TEXT_MAX; n++)
        sbuf_printf(&b, "# H%u\n\n- [ ] task %u [[Note %u]] #tag ^b%u\n\n", n, n, n, n);
    str text = sbuf_str(&b);
    struct err err = {0};
    for (size_t i = 0; i < COUNT_OF(actions); i++) {
        struct edit_section e = {.heading = arena_printf(*state, "H%u", n / 2),
                                 .action = actions[i],
                                 .content = actions[i] == EDIT_DELETE ? STR("")
                                                                      : STR("new text")};
        struct edit_result r;
        if (!edit_section(*state, text, &e, &r, &err))
            fail_msg("%s", err.msg);
        CHECK("above",
              str_eq(str_slice(r.text, 0, r.is.start), str_slice(text, 0, r.was.start)));
        CHECK("below", str_eq(str_skip(r.text, r.is.end), str_skip(text, r.was.end)));
        CHECK("small", r.was.end - r.was.start < ROOM && r.is.end - r.is.start < ROOM);
    }
    struct edit_section open = {.heading = STR("H7"), .content = STR("```")};
    struct edit_result r;
    CHECK("swallows all", !edit_section(*state, text, &open, &r, &err));
    CHECK_INT("swallows all", err.name, E_INVALID_CONTENT);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_section),        ARENA_TEST(test_large),
        ARENA_TEST(test_section_errors), ARENA_TEST(test_section_create),
        ARENA_TEST(test_siblings),       ARENA_TEST(test_block),
        ARENA_TEST(test_block_errors),   ARENA_TEST(test_section_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
