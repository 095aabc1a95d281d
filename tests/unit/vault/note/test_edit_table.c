#include "edited.h"
#include "vault/note/edit.h"

enum { CELLS_MAX = 3 };

/* A row of the tests below: cells end with an empty column. */
struct table_case {
    const char *text, *section, *key;
    struct {
        const char *column, *text;
    } cells[CELLS_MAX];
    const char *want; /* or, of errors, what the message contains */
    const char *error;
};

static bool run_case(struct arena *a, const struct table_case *c, struct edit_result *r,
                     struct err *err)
{
    struct edit_cell cells[CELLS_MAX];
    struct edit_row e = {str_c(c->section), str_c(c->key), cells, 0};
    for (; e.n < CELLS_MAX && c->cells[e.n].column != NULL; e.n++)
        cells[e.n] =
            (struct edit_cell){str_c(c->cells[e.n].column), str_c(c->cells[e.n].text)};
    *err = (struct err){0};
    return edit_row(a, str_c(c->text), &e, r, err);
}

#define ALIGNED                                                                          \
    "| Name  | Qty |\n"                                                                  \
    "| ----- | --: |\n"                                                                  \
    "| beans |   3 |\n"                                                                  \
    "| kale  |  12 |\n"
#define COMPACT "|Name|Qty|\n|-|-|\n|beans|3|\n|kale|12|\n"
#define LOOSE "| Name | Qty |\n| --- | --- |\n| beans | 3 |\n| kale | 12 |\n"

static void test_rows(void **state)
{
    static const struct table_case cases[] = {
        /* change: the columns stay as they were */
        {ALIGNED,
         "",
         "kale",
         {{"Qty", "7"}},
         "| Name  | Qty |\n| ----- | --: |\n| beans |   3 |\n| kale  |   7 |\n"},
        {COMPACT, "", "kale", {{"Qty", "7"}}, "|Name|Qty|\n|-|-|\n|beans|3|\n|kale|7|\n"},
        {LOOSE,
         "",
         "beans",
         {{"Qty", "1000"}},
         "| Name | Qty |\n| --- | --- |\n| beans | 1000 |\n| kale | 12 |\n"},
        /* a sum stays the last row */
        {"|Part|EUR|\n|-|-|\n|Tap|15|\n|**Sum**|**15**|\n",
         "",
         "Hose",
         {{"EUR", "12"}},
         "|Part|EUR|\n|-|-|\n|Tap|15|\n|Hose|12|\n|**Sum**|**15**|\n"},
        {"|Part|EUR|\n|-|-|\n|Tap|15|\n|Total|15|\n",
         "",
         "Hose",
         {{"EUR", "12"}},
         "|Part|EUR|\n|-|-|\n|Tap|15|\n|Hose|12|\n|Total|15|\n"},
        {"|Part|EUR|\n|-|-|\n|**Tap**|15|\n",
         "",
         "Hose",
         {{"EUR", "12"}},
         "|Part|EUR|\n|-|-|\n|**Tap**|15|\n|Hose|12|\n"},
        /* a wider cell widens the column of an aligned table only */
        {ALIGNED,
         "",
         "kale",
         {{"Qty", "1200"}},
         "| Name  |  Qty |\n| ----- | ---: |\n| beans |    3 |\n| kale  | 1200 |\n"},
        {"x\n\n" ALIGNED "\ny\n",
         "",
         "beans",
         {{"Name", "broad beans"}},
         "x\n\n| Name        | Qty |\n| ----------- | --: |\n| broad beans |   3 |\n"
         "| kale        |  12 |\n\ny\n"},
        /* add */
        {ALIGNED, "", "peas", {{"Qty", "5"}}, ALIGNED "| peas  |   5 |\n"},
        {COMPACT, "", "peas", {{"Qty", "5"}}, COMPACT "|peas|5|\n"},
        {LOOSE, "", "peas", {{"qty", "5"}}, LOOSE "| peas | 5 |\n"},
        {"| A |\n| - |", "", "x", {{"A", "y"}}, "| A |\n| - |\n| y |"},
        {"A | B\n--|--\n1 | 2\n", "", "3", {{"B", "4"}}, "A | B\n--|--\n1 | 2\n3 | 4\n"},
        {"| A | B | C |\n| - | - | - |\n",
         "",
         "x",
         {{"C", "z"}},
         "| A | B | C |\n| - | - | - |\n| x |  | z |\n"},
        /* remove */
        {ALIGNED,
         "",
         "kale",
         {{NULL}},
         "| Name  | Qty |\n| ----- | --: |\n| beans |   3 |\n"},
        {COMPACT "text\n", "", "BEANS", {{NULL}}, "|Name|Qty|\n|-|-|\n|kale|12|\ntext\n"},
        /* escaped pipes, links, wide characters, CRLF, quotes */
        {"|K|V|\n|-|-|\n|a\\|b|1|\n",
         "",
         "a|b",
         {{"V", "x|y"}},
         "|K|V|\n|-|-|\n|a\\|b|x\\|y|\n"},
        {"|K|V|\n|-|-|\n|a\\|b|1|\n",
         "",
         "a\\|b",
         {{"V", "x\\|y"}},
         "|K|V|\n|-|-|\n|a\\|b|x\\|y|\n"},
        {"|K|V|\n|-|-|\n|[[N\\|n]]|1|\n",
         "",
         "[[N|n]]",
         {{"V", "2"}},
         "|K|V|\n|-|-|\n|[[N\\|n]]|2|\n"},
        {"| K    | V |\n| ---- | - |\n| \xE8\xB1\x86   | 1 |\n",
         "",
         "\xE8\xB1\x86\xE8\xB1\x86",
         {{"V", "2"}},
         "| K    | V |\n| ---- | - |\n| \xE8\xB1\x86   | 1 |\n"
         "| \xE8\xB1\x86\xE8\xB1\x86 | 2 |\n"},
        {"|K|V|\r\n|-|-|\r\n|a|1|\r\n",
         "",
         "b",
         {{"V", "2"}},
         "|K|V|\r\n|-|-|\r\n|a|1|\r\n|b|2|\r\n"},
        {"> |K|V|\n> |-|-|\n> |a|1|\n",
         "",
         "b",
         {{"V", "2"}},
         "> |K|V|\n> |-|-|\n> |a|1|\n> |b|2|\n"},
        {"|K|V|\n|-|-|\n|a|\n", "", "a", {{"V", "2"}}, "|K|V|\n|-|-|\n|a|2|\n"},
        /* in a list, a task, a callout, a footnote, after a byte order mark */
        {"- | a | b |\n  | - | - |\n  | x | 1 |\n",
         "",
         "x",
         {{"b", "NEW"}},
         "- | a | b |\n  | - | - |\n  | x | NEW |\n"},
        {"- | a | b |\n  | - | - |\n",
         "",
         "x",
         {{"b", "1"}},
         "- | a | b |\n  | - | - |\n  | x | 1 |\n"},
        {"1. [ ] a | b\n   --|--\n   x | 1\n",
         "",
         "y",
         {{"a", "- y"}},
         "1. [ ] a | b\n   --|--\n   x | 1\n   | - y |  |\n"},
        {"> [!note]\n> > |a|b|\n> > |-|-|\n",
         "",
         "x",
         {{"b", "1"}},
         "> [!note]\n> > |a|b|\n> > |-|-|\n> > |x|1|\n"},
        {"[^1]: |a|b|\n    |-|-|\n    |x|1|\n",
         "",
         "x",
         {{"b", "2"}},
         "[^1]: |a|b|\n    |-|-|\n    |x|2|\n"},
        {"\xEF\xBB\xBF|a|b|\n|-|-|\n",
         "",
         "x",
         {{"b", "1"}},
         "\xEF\xBB\xBF|a|b|\n|-|-|\n|x|1|\n"},
        /* without outer pipes */
        {"a | b\n--|--\nx | 1\n", "", "x", {{"a", ""}}, "a | b\n--|--\n|  | 1 |\n"},
        {"a | b\n--|--\nx | 1\n", "", "x", {{"b", ""}}, "a | b\n--|--\nx | |\n"},
        {"a | b\n--|--\nx | 1\n",
         "",
         "# y",
         {{"b", "2"}},
         "a | b\n--|--\nx | 1\n| # y | 2 |\n"},
        {"a     | b\n----- | -\nx     | 1\n",
         "",
         "y",
         {{"b", "2"}},
         "a     | b\n----- | -\nx     | 1\ny     | 2\n"},
        /* a backslash at the end */
        {"|a|b|\n|-|-|\n|x|1|\n", "", "x", {{"a", "C:\\"}}, "|a|b|\n|-|-|\n|C:\\\\|1|\n"},
        {"|a|b|\n|-|-|\n|C:\\\\|1|\n",
         "",
         "C:\\",
         {{"b", "2"}},
         "|a|b|\n|-|-|\n|C:\\\\|2|\n"},
        /* bold cells are no sums if there are others; nor is a sum that is added */
        {"|a|b|\n|-|-|\n|**A**|1|\n|**B**|2|\n",
         "",
         "**D**",
         {{"b", "3"}},
         "|a|b|\n|-|-|\n|**A**|1|\n|**B**|2|\n|**D**|3|\n"},
        {"|a|b|\n|-|-|\n|A|1|\n|**B**|2|\n",
         "",
         "Total",
         {{"b", "3"}},
         "|a|b|\n|-|-|\n|A|1|\n|**B**|2|\n|Total|3|\n"},
        /* each row keeps its own line break */
        {"|a|b|\r\n|-|-|\n|x|1|\r|y|2|\r\n|z|3|\n",
         "",
         "y",
         {{"b", "4"}},
         "|a|b|\r\n|-|-|\n|x|1|\r|y|4|\r\n|z|3|\n"},
        {"|a|b|\r\n|-|-|\n|x|1|\r\n|y|2|\n",
         "",
         "y",
         {{NULL}},
         "|a|b|\r\n|-|-|\n|x|1|\r\n"},
        {"|a|b|\r\n|-|-|\n|x|1|", "", "x", {{NULL}}, "|a|b|\r\n|-|-|"},
        /* columns that differ in case only */
        {"|a|v|V|\n|-|-|-|\n|x|1|2|\n",
         "",
         "x",
         {{"V", "3"}, {"v", "4"}},
         "|a|v|V|\n|-|-|-|\n|x|4|3|\n"},
        /* which table */
        {"# A\n\n" COMPACT "\n# B\n\n" COMPACT,
         "B",
         "kale",
         {{"Qty", "1"}},
         "# A\n\n" COMPACT "\n# B\n\n|Name|Qty|\n|-|-|\n|beans|3|\n|kale|1|\n"},
        {COMPACT "\n|K|V|\n|-|-|\n|a|1|\n",
         "",
         "a",
         {{"V", "2"}},
         COMPACT "\n|K|V|\n|-|-|\n|a|2|\n"},
        {COMPACT "\n|K|V|\n|-|-|\n|a|1|\n",
         "",
         "a",
         {{NULL}},
         COMPACT "\n|K|V|\n|-|-|\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_result r;
        struct err err;
        const char *row = arena_printf(*state, "%zu: %s", i, cases[i].key).p;
        if (!run_case(*state, &cases[i], &r, &err))
            fail_msg("%s: %s", row, err.msg);
        CHECK_STR(row, r.text, cases[i].want);
        check_untouched(row, str_c(cases[i].text), &r);
    }
}

static void test_row_errors(void **state)
{
    static const struct table_case cases[] = {
        {"text\n", "", "a", {{NULL}}, "no table in the note", "TEXT_NOT_FOUND"},
        {"# A\n\n" COMPACT "\n# B\n",
         "B",
         "a",
         {{NULL}},
         "no table in the section",
         "TEXT_NOT_FOUND"},
        {COMPACT, "C", "a", {{NULL}}, "the note has no headings", "HEADING_NOT_FOUND"},
        {COMPACT,
         "",
         "zzz",
         {{NULL}},
         "the table at line 1 has no row \"zzz\"; it has \"beans\", \"kale\"",
         "TEXT_NOT_FOUND"},
        {COMPACT,
         "",
         "kale",
         {{"Price", "1"}},
         "no column \"Price\"; it has \"Name\", \"Qty\"",
         "INVALID_ARGUMENT"},
        /* the cell would hide what is below */
        {"a|b\n-|-\nx|1\n\n# B\n",
         "",
         "x",
         {{"a", "%%"}},
         "the rest of the note would mean something else",
         "INVALID_CONTENT"},
        {COMPACT, "", "kale", {{"Qty", "1\n2"}}, "<br>", "INVALID_ARGUMENT"},
        {COMPACT, "", "new\nrow", {{"Qty", "1"}}, "<br>", "INVALID_ARGUMENT"},
        {COMPACT, "", "kale", {{"Qty", "1\r2"}}, "<br>", "INVALID_ARGUMENT"},
        {"|a|v|v|\n|-|-|-|\n|x|1|2|\n",
         "",
         "x",
         {{"v", "3"}},
         "2 columns of the table at line 1 are named \"v\"",
         "TEXT_NOT_UNIQUE"},
        {"|a|v|\n|-|-|\n|x|1|\n",
         "",
         "x",
         {{"v", "3"}, {"V", "4"}},
         "\"V\" is a column that cells has already",
         "INVALID_ARGUMENT"},
        {"|K|V|\n|-|-|\n|a|1|\n|a|2|\n",
         "",
         "a",
         {{"V", "3"}},
         "2 rows",
         "TEXT_NOT_UNIQUE"},
        {COMPACT "\n" COMPACT,
         "",
         "kale",
         {{"Qty", "1"}},
         "2 tables (lines 1, 6): say which with section",
         "TEXT_NOT_UNIQUE"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct edit_result r;
        struct err err;
        bool ok = run_case(*state, &cases[i], &r, &err);
        check_err(cases[i].want, ok, &err, cases[i].error, cases[i].want);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {ARENA_TEST(test_rows),
                                       ARENA_TEST(test_row_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
