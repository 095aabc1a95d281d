#include "vault/note/merge.h"

#include "base/sbuf.h"
#include "check.h"

struct row {
    const char *name, *base, *ours, *theirs, *want; /* want NULL: ours */
    size_t collisions;
};

static bool merge3(struct arena *a, str base, str ours, str theirs,
                   struct merge_result *out)
{
    struct merge_input in = {MERGE_NOTE, &base, &ours, &theirs};
    return merge_texts(a, &in, out);
}

/* Check a row, and that merging the result again changes nothing. */
static void check_row(struct arena *a, const struct row *row)
{
    struct merge_result out, again;
    str base = str_c(row->base), ours = str_c(row->ours), theirs = str_c(row->theirs);
    bool clean = merge3(a, base, ours, theirs, &out);
    CHECK_STR(row->name, out.text, row->want != NULL ? row->want : row->ours);
    CHECK_INT(row->name, out.n_collisions, row->collisions);
    CHECK(row->name, clean == (row->collisions == 0) && !out.gone && !out.revived);
    merge3(a, base, out.text, theirs, &again);
    CHECK_STR(row->name, again.text, row->want != NULL ? row->want : row->ours);
    if (clean) {
        CHECK(row->name, merge3(a, base, ours, out.text, &again));
        CHECK_STR(row->name, again.text, row->want != NULL ? row->want : row->ours);
    }
}

static void check_rows(struct arena *a, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        check_row(a, &rows[i]);
}

#define DAILY                                                                            \
    "---\ntags:\n  - daily\nmood:\n---\n# 2026-11-16\n\n## Tasks\n\n- [ ] water "        \
    "plants\n"                                                                           \
    "- [ ] call Ada\n- [ ] buy milk\n\n## Log\n\n- 08:00 up\n"

static void test_daily_note(void **state)
{
    static const struct row rows[] = {
        {"phone appends, laptop ticks and edits properties", DAILY,
         "---\ntags:\n  - daily\n  - trip\nmood: good # really\n---\n# 2026-11-16\n\n## "
         "Tasks\n\n- [x] water plants\n- [ ] call Ada\n- [x] buy milk\n\n## Log\n\n- "
         "08:00 "
         "up\n",
         "---\ntags:\n  - daily\n  - home\nmood:\n---\n# 2026-11-16\n\n## Tasks\n\n- [ ] "
         "water plants\n- [x] call Ada\n- [ ] buy milk\n- [ ] call Bob\n\n## Log\n\n- "
         "08:00 "
         "up\n- 09:30 coffee\n",
         "---\ntags:\n  - daily\n  - trip\n  - home\nmood: good # really\n---\n# "
         "2026-11-16\n\n## Tasks\n\n- [x] water plants\n- [x] call Ada\n- [x] buy "
         "milk\n- "
         "[ ] call Bob\n\n## Log\n\n- 08:00 up\n- 09:30 coffee\n",
         0},
        {"both append to the log", DAILY, DAILY "- 09:00 train\n",
         DAILY "- 09:30 coffee\n", DAILY "- 09:00 train\n- 09:30 coffee\n", 0},
        {"both append sections", DAILY, DAILY "\n## Ideas\n\nFly.\n",
         DAILY "\n## Dreams\n\nSwim.\n",
         DAILY "\n## Ideas\n\nFly.\n\n## Dreams\n\nSwim.\n", 0},
        {"one appends an item, the other a section", DAILY, DAILY "\n## Ideas\n\nFly.\n",
         DAILY "- 09:30 coffee\n", DAILY "- 09:30 coffee\n\n## Ideas\n\nFly.\n", 0},
        {"both append the same section with other items", DAILY,
         DAILY "\n## Ideas\n\n- fly\n- run\n", DAILY "\n## Ideas\n\n- swim\n- run\n",
         DAILY "\n## Ideas\n\n- fly\n- swim\n- run\n", 0},
        {"both made the note from one template", "", DAILY "- 09:00 train\n",
         "---\ntags:\n  - daily\n  - home\nmood:\n---\n# 2026-11-16\n\n## Tasks\n\n- [ ] "
         "water plants\n- [ ] call Ada\n- [ ] buy milk\n- [ ] iron\n\n## Log\n\n- 08:00 "
         "up\n",
         "---\ntags:\n  - daily\n  - home\nmood:\n---\n# 2026-11-16\n\n## Tasks\n\n- [ ] "
         "water plants\n- [ ] call Ada\n- [ ] buy milk\n- [ ] iron\n\n## Log\n\n- 08:00 "
         "up\n- 09:00 train\n",
         0},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_lists(void **state)
{
    static const struct row rows[] = {
        {"ticked here, reworded there", "- [ ] call Ada\n", "- [x] call Ada\n",
         "- [ ] call Ada tomorrow\n", "- [x] call Ada tomorrow\n", 0},
        {"ticked in two ways", "- [ ] a\n", "- [x] a\n", "- [-] a\n", NULL, 1},
        {"ticked by both", "- [ ] a\n- [ ] b\n", "- [x] a\n- [ ] b\n",
         "- [x] a\n- [x] b\n", "- [x] a\n- [x] b\n", 0},
        {"the same item reworded", "- call Ada\n", "- call Bob\n", "- call Cy\n", NULL,
         1},
        {"neighbours reworded", "- one\n- two\n", "- uno\n- two\n", "- one\n- dos\n",
         "- uno\n- dos\n", 0},
        {"removed here, ticked there", "- a\n- [ ] b\n- c\n", "- a\n- c\n",
         "- a\n- [x] b\n- c\n", NULL, 1},
        {"removed here, one added after it there", "- a\n- b\n", "- a\n",
         "- a\n- b\n- c\n", "- a\n- c\n", 0},
        {"removed here, a child added there", "- a\n- b\n", "- a\n", "- a\n- b\n  - c\n",
         NULL, 1},
        {"different ones removed", "- a\n- b\n- c\n- d\n", "- a\n- c\n- d\n",
         "- a\n- b\n- d\n", "- a\n- d\n", 0},
        {"children of neighbours", "- a\n- b\n", "- a\n  - x\n- b\n", "- a\n- b\n  - y\n",
         "- a\n  - x\n- b\n  - y\n", 0},
        {"numbered", "1. a\n", "1. a\n2. b\n", "1. a\n2. c\n", "1. a\n2. b\n2. c\n", 0},
        {"an item of two lines", "- a\n  more\n- b\n", "- A1\n  more\n- b\n",
         "- a\n  much more\n- b\n", NULL, 1},
        {"at the top", "- a\n", "- x\n- a\n", "- y\n- a\n", "- x\n- y\n- a\n", 0},
        {"an introduction and an item", "- a\n", "- x\n- a\n", "Intro.\n\n- a\n",
         "Intro.\n\n- x\n- a\n", 0},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

#define TABLE "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"

static void test_tables(void **state)
{
    static const struct row rows[] = {
        {"rows added", TABLE, TABLE "| 5 | 6 |\n", TABLE "| 7 | 8 |\n",
         TABLE "| 5 | 6 |\n| 7 | 8 |\n", 0},
        {"neighbours edited", TABLE, "| a | b |\n|---|---|\n| 1 | x |\n| 3 | 4 |\n",
         "| a | b |\n|---|---|\n| 1 | 2 |\n| y | 4 |\n",
         "| a | b |\n|---|---|\n| 1 | x |\n| y | 4 |\n", 0},
        {"cells of one row", TABLE, "| a | b |\n|---|---|\n| one | 2 |\n| 3 | 4 |\n",
         "| a | b |\n|---|---|\n| 1 | two |\n| 3 | 4 |\n",
         "| a | b |\n|---|---|\n| one | two |\n| 3 | 4 |\n", 0},
        {"one cell", TABLE, "| a | b |\n|---|---|\n| 1 | x |\n| 3 | 4 |\n",
         "| a | b |\n|---|---|\n| 1 | y |\n| 3 | 4 |\n", NULL, 1},
        {"row removed, row added", TABLE, "| a | b |\n|---|---|\n| 1 | 2 |\n",
         TABLE "| 5 | 6 |\n", "| a | b |\n|---|---|\n| 1 | 2 |\n| 5 | 6 |\n", 0},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

#define PROSE "The quick brown fox jumps over the lazy dog.\n\nSecond paragraph.\n"

static void test_prose(void **state)
{
    static const struct row rows[] = {
        {"words apart", PROSE,
         "The slow brown fox jumps over the lazy dog.\n\nSecond paragraph.\n",
         "The quick brown fox jumps over the lazy cat.\n\nSecond paragraph.\n",
         "The slow brown fox jumps over the lazy cat.\n\nSecond paragraph.\n", 0},
        {"neighbouring words", PROSE,
         "The slow brown fox jumps over the lazy dog.\n\nSecond paragraph.\n",
         "The quick red fox jumps over the lazy dog.\n\nSecond paragraph.\n", NULL, 1},
        {"the same word", PROSE,
         "The slow brown fox jumps over the lazy dog.\n\nSecond paragraph.\n",
         "The fast brown fox jumps over the lazy dog.\n\nSecond paragraph.\n", NULL, 1},
        {"different paragraphs", PROSE,
         "The quick brown fox sleeps.\n\nSecond paragraph.\n",
         "The quick brown fox jumps over the lazy dog.\n\nAnother second paragraph.\n",
         "The quick brown fox sleeps.\n\nAnother second paragraph.\n", 0},
        {"one edited, one added after it", PROSE, PROSE "\nThird.\n",
         "The quick brown fox jumps over the lazy dog.\n\nSecond long paragraph.\n",
         "The quick brown fox jumps over the lazy dog.\n\nSecond long "
         "paragraph.\n\nThird.\n",
         0},
        {"both add one at the end", PROSE, PROSE "\nThird.\n", PROSE "\nFourth.\n",
         PROSE "\nThird.\n\nFourth.\n", 0},
        {"both add one in the middle", "# H\n\n## B\n", "# H\n\nx\n\n## B\n",
         "# H\n\ny\n\n## B\n", "# H\n\nx\n\ny\n\n## B\n", 0},
        {"a log without blank lines", "10:00 a\n", "10:00 a\n11:00 b\n",
         "10:00 a\n12:00 c\n", "10:00 a\n11:00 b\n12:00 c\n", 0},
        {"lines next to each other in one paragraph", "one two\nthree four\n",
         "one 2\nthree four\n", "one two\nthree 4\n", NULL, 1},
        {"a paragraph removed here, edited there", PROSE, "Second paragraph.\n",
         "The quick brown fox jumps over the lazy cat.\n\nSecond paragraph.\n", NULL, 1},
        {"a link target is one word", "See [[Old Note Name|it]] now, please.\n",
         "See [[New Note Name|it]] now, please.\n",
         "See [[Old Note Title|it]] now, please.\n", NULL, 1},
        {"a link here, words there", "See [[Old]] and then think about it.\n",
         "See [[New]] and then think about it.\n",
         "See [[Old]] and then think of it all.\n",
         "See [[New]] and then think of it all.\n", 0},
        {"Japanese", "私は昨日東京へ行きました。\n", "私は今日東京へ行きました。\n",
         "私は昨日東京へ来ました。\n", "私は今日東京へ来ました。\n", 0},
        {"a section gets text, and a new one after it", "# A\n\ntext\n",
         "# A\n\ntext\n\nmore\n\n# C\n\nc\n", "# A\n\ntext\n\nother\n\n# D\n\nd\n",
         "# A\n\ntext\n\nmore\n\nother\n\n# C\n\nc\n\n# D\n\nd\n", 0},
        {"both retitle", "# A thing\n", "# B thing\n", "# C thing\n", NULL, 1},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

#define CODE "```js\na();\n```\n"

static void test_fixed(void **state)
{
    static const struct row rows[] = {
        {"both add to code", CODE, "```js\na();\nb();\n```\n", "```js\na();\nc();\n```\n",
         NULL, 1},
        {"lines apart in code", "```\n1\n2\n3\n```\n", "```\n1x\n2\n3\n```\n",
         "```\n1\n2\n3x\n```\n", "```\n1x\n2\n3x\n```\n", 0},
        {"lines that touch in code", "```\n1\n2\n```\n", "```\n1x\n2\n```\n",
         "```\n1\n2x\n```\n", NULL, 1},
        {"words of one line of code", "```\nlet a = one + two + three;\n```\n",
         "```\nlet b = one + two + three;\n```\n",
         "```\nlet a = one + two + four;\n```\n", NULL, 1},
        {"both append code", "x\n", "x\n\n" CODE, "x\n\n```js\nb();\n```\n",
         "x\n\n" CODE "\n```js\nb();\n```\n", 0},
        {"code that is not closed", "```\na\n", "```\na\nb\n", "```\na\nc\n", NULL, 1},
        {"math", "$$\na\n$$\n", "$$\na\nb\n$$\n", "$$\na\nc\n$$\n", NULL, 1},
        {"callout", "> [!note] T\n> a\n> b\n", "> [!note] T\n> x\n> a\n> b\n",
         "> [!note] T\n> y\n> a\n> b\n", NULL, 1},
        {"HTML", "<div>\na\n</div>\n", "<div>\na\nb\n</div>\n", "<div>\na\nc\n</div>\n",
         NULL, 1},
        {"markers are text", "a\n", "a\n<<<<<<< x\n", "a\n=======\n",
         "a\n<<<<<<< x\n=======\n", 0},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_properties(void **state)
{
    static const struct row rows[] = {
        {"different keys", "---\na: 1\nb: 2\n---\nx\n", "---\na: 3\nb: 2\n---\nx\n",
         "---\na: 1\nb: '4' # four\n---\nx\n", "---\na: 3\nb: '4' # four\n---\nx\n", 0},
        {"keys added", "---\na: 1\n---\n", "---\na: 1\nb: 2\n---\n",
         "---\na: 1\nc: 3\n---\n", "---\na: 1\nb: 2\nc: 3\n---\n", 0},
        {"a block made by both", "x\n", "---\na: 1\n---\nx\n", "---\nb: 2\n---\nx\n",
         "---\na: 1\nb: 2\n---\nx\n", 0},
        {"one key changed by both", "---\na: 1\n---\n", "---\na: 2\n---\n",
         "---\na: 3\n---\n", NULL, 1},
        {"the same value, written differently", "---\na: 1\n---\n", "---\na: two\n---\n",
         "---\na: \"two\"\n---\n", NULL, 0},
        {"items", "---\ntags: [a, b, c]\n---\n", "---\ntags: [a, b, c, x]\n---\n",
         "---\ntags: [b, c, y]\n---\n", "---\ntags: [b, c, x, y]\n---\n", 0},
        {"one item becomes a list", "---\naliases: A\n---\n",
         "---\naliases: [A, B]\n---\n", "---\naliases:\n  - A\n  - C\n---\n",
         "---\naliases: [A, B, C]\n---\n", 0},
        {"a key removed here, changed there", "---\na: 1\nb: 2\n---\n",
         "---\nb: 2\n---\n", "---\na: 2\nb: 2\n---\n", NULL, 1},
        {"a key removed there, only requoted here", "---\na: 1\nb: x\n---\n",
         "---\na: 1\nb: 'x'\n---\n", "---\na: 1\n---\n", "---\na: 1\n---\n", 0},
        {"maps", "---\na:\n  x: 1\n  y: 1\n---\n", "---\na:\n  x: 2\n  y: 1\n---\n",
         "---\na:\n  x: 1\n  y: 2\n---\n", NULL, 1},
        {"comments at the end", "---\na: 1\n# e\n---\n", "---\na: 1\n# f\n---\n",
         "---\na: 1\n# g\n---\n", NULL, 1},
        {"keys removed", "---\na: 1\nb: 2\nc: 3\n---\n", "---\nb: 2\nc: 3\n---\n",
         "---\na: 1\nc: 3\n---\n", "---\nc: 3\n---\n", 0},
        {"the block removed here, a key there", "---\na: 1\n---\nx\n", "x\n",
         "---\na: 1\nb: 2\n---\nx\n", "---\nb: 2\n---\nx\n", 0},
        {"moved here, changed there", "---\na: 1\nb: 2\n---\n", "---\nb: 2\na: 1\n---\n",
         "---\na: 1\nb: 3\n---\n", "---\nb: 3\na: 1\n---\n", 0},
        {"comments", "---\n# one\na: 1\n# two\nb: 2\n# end\n---\n",
         "---\n# uno\na: 1\n# two\nb: 2\n# end\n---\n",
         "---\n# one\na: 1\n# two\nb: 3\n# END\n---\n",
         "---\n# uno\na: 1\n# two\nb: 3\n# END\n---\n", 0},
        {"broken", "---\na: [\n---\nx\n", "---\na: [1\n---\nx\n", "---\na: [2\n---\nx\n",
         NULL, 1},
        {"CRLF here, a key there", "---\na: 1\n---\nx\n", "---\r\na: 1\r\n---\r\nx\r\n",
         "---\na: 1\nb: 2\n---\nx\n", "---\r\na: 1\r\nb: 2\r\n---\r\nx\r\n", 0},
        {"no end of line", "---\na: 1\nb: 2\n---", "---\na: 2\nb: 2\n---",
         "---\na: 1\nb: 3\n---", "---\na: 2\nb: 3\n---", 0},
        {"text of several lines", "---\na: |\n  x\n  y\nb: 1\n---\n",
         "---\na: |\n  x\n  z\nb: 1\n---\n", "---\na: |\n  x\n  y\nb: 2\n---\n",
         "---\na: |\n  x\n  z\nb: 2\n---\n", 0},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_line_ends(void **state)
{
    static const struct row rows[] = {
        {"CRLF here, words there", "a\nb\nc\n", "a\r\nb\r\nc\r\n", "a\nB\nc\nd\n",
         "a\r\nB\r\nc\r\nd\r\n", 0},
        {"words here, CRLF there", "a\nb\nc\n", "a\nB\nc\nd\n", "a\r\nb\r\nc\r\n",
         "a\r\nB\r\nc\r\nd\r\n", 0},
        {"a lone CR", "a\rb\rc\r", "a\rB\rc\r", "a\rb\rc\rd\r", "a\rB\rc\rd\r", 0},
        {"no end of line, both append", "a", "a\n- b", "a\n- c", "a\n- b\n- c", 0},
        {"end of line added, text changed", "a b c", "a b d", "a b c\n", "a b d\n", 0},
        {"end of line removed, line added", "a\n", "a", "a\nb\n", "a\nb\n", 0},
        {"BOM removed",
         "\xEF\xBB\xBF"
         "a\n\nb\n",
         "a\n\nb\n",
         "\xEF\xBB\xBF"
         "a\n\nB\n",
         "a\n\nB\n", 0},
        {"trailing spaces", "one two three  \nx\n", "one two three\nx\n",
         "one two four  \nx\n", "one two four\nx\n", 0},
        {"a blank line removed where the other adds", "a\n\nb\n", "a\nb\n",
         "a\n\nnew\n\nb\n", "a\n\nnew\n\nb\n", 0},
        {"both changed trailing spaces", "a\n", "a \n", "a  \n", NULL, 0},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

static void test_absent(void **state)
{
    str a = STR("a\n"), b = STR("b\n");
    struct merge_result out;
    const struct {
        const char *name;
        const str *base, *ours, *theirs;
        const char *want; /* NULL: gone */
        bool revived;
    } rows[] = {
        {"removed here", &a, NULL, &a, NULL, false},
        {"removed there", &a, &a, NULL, NULL, false},
        {"removed by both", &a, NULL, NULL, NULL, false},
        {"removed here, changed there", &a, NULL, &b, "b\n", true},
        {"changed here, removed there", &a, &b, NULL, "b\n", true},
        {"made here", NULL, &a, NULL, "a\n", false},
        {"made there", NULL, NULL, &a, "a\n", false},
        {"made by both, the same", NULL, &a, &a, "a\n", false},
        {"made by both", NULL, &a, &b, "a\n\nb\n", false},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct merge_input in = {MERGE_NOTE, rows[i].base, rows[i].ours, rows[i].theirs};
        CHECK(rows[i].name, merge_texts(*state, &in, &out));
        CHECK(rows[i].name, out.gone == (rows[i].want == NULL));
        CHECK(rows[i].name, out.revived == rows[i].revived);
        CHECK_STR(rows[i].name, out.text, rows[i].want);
    }
}

static void test_opaque(void **state)
{
    str base = STR("a\n\nb\n"), ours = STR("A\n\nb\n"),
        bad = STR("a\n\n\xC3\xB6\xC3\xB6\xFF\n");
    str zero = STR("a\n\n\0\n"), json = STR("a\n\nB\n");
    struct merge_result out;
    const str *theirs[] = {&bad, &zero, &json};
    for (size_t i = 0; i < COUNT_OF(theirs); i++) {
        struct merge_input in = {i < 2 ? MERGE_NOTE : MERGE_OPAQUE, &base, &ours,
                                 theirs[i]};
        CHECK("opaque", !merge_texts(*state, &in, &out));
        CHECK_STR("opaque", out.text, "A\n\nb\n");
        CHECK_INT("opaque", out.n_collisions, 1);
        CHECK_INT("opaque", out.collisions[0].theirs.end, theirs[i]->n);
        in.ours = &base;
        CHECK("one side only", merge_texts(*state, &in, &out));
        CHECK("one side only", str_eq(out.text, *theirs[i]));
    }
}

/* Other encodings are merged as text, and written in that of the side that changed it. */
static void test_encoded(void **state)
{
    static const struct {
        const char *name;
        str base, ours, theirs, want; /* want empty: a collision */
    } rows[] = {
        {"windows-1252", STR("- \xF6\n- b\n"), STR("- \xF6\n- \xFC\n"),
         STR("- \xE4\n- b\n"), STR("- \xE4\n- \xFC\n")},
        {"UTF-16",
         STR("\xFF\xFE-\0 \0"
             "a\0\n\0-\0 \0"
             "b\0\n\0"),
         STR("\xFF\xFE-\0 \0\xF6\0\n\0-\0 \0"
             "b\0\n\0"),
         STR("\xFF\xFE-\0 \0"
             "a\0\n\0-\0 \0\xE4\0\n\0"),
         STR("\xFF\xFE-\0 \0\xF6\0\n\0-\0 \0\xE4\0\n\0")},
        {"converted by them", STR("- \xF6\n- b\n"), STR("- \xF6\n- \xFC\n"),
         STR("- \xC3\xB6\n- b\n"), STR("- \xC3\xB6\n- \xC3\xBC\n")},
        {"converted by us", STR("- \xF6\n- b\n"), STR("- \xC3\xB6\n- b\n"),
         STR("- \xF6\n- \xFC\n"), STR("- \xC3\xB6\n- \xC3\xBC\n")},
        {"a character that it lacks",
         STR("- a\n- b\n"),
         STR("- \xE2\x86\x92\n- b\n"),
         STR("- a\n- \xFC\n"),
         {0}},
        {"both changed it", STR("\xF6\n"), STR("\xFC\n"), STR("\xE4\n"), {0}},
    };
    struct merge_result out;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct merge_input in = {MERGE_NOTE, &rows[i].base, &rows[i].ours,
                                 &rows[i].theirs};
        bool clean = merge_texts(*state, &in, &out);
        CHECK_INT(rows[i].name, clean, rows[i].want.n > 0);
        CHECK(rows[i].name, str_eq(out.text, clean ? rows[i].want : rows[i].ours));
    }
}

/* A collision says what was left out, and everything else is merged. */
static void test_collision(void **state)
{
    str base = STR("---\na: 1\nb: 1\n---\n- one\n- two\n- three\n");
    str ours = STR("---\na: 2\nb: 1\n---\n- uno\n- two\n- three\n");
    str theirs = STR("---\na: 3\nb: 2\n---\n- ein\n- two\n- drei\n");
    struct merge_result out;
    CHECK("collides", !merge3(*state, base, ours, theirs, &out));
    CHECK_STR("text", out.text, "---\na: 2\nb: 2\n---\n- uno\n- two\n- drei\n");
    CHECK_INT("collisions", out.n_collisions, 2);
    CHECK_STR("key", span_of(theirs, out.collisions[0].theirs), "a: 3\n");
    CHECK_STR("key", span_of(out.text, out.collisions[0].result), "a: 2\n");
    CHECK_STR("item", span_of(theirs, out.collisions[1].theirs), "- ein\n");
    CHECK_STR("item", span_of(out.text, out.collisions[1].result), "- uno\n");
}

/* Texts designed to be slow: the merge ends soon, and nothing of either side is lost. */
static void test_huge(void **state)
{
    enum { LINES = 100000 };
    struct sbuf base = SBUF_ON(*state), ours = SBUF_ON(*state), theirs = SBUF_ON(*state);
    struct merge_result out;
    for (unsigned i = 0; i < LINES; i++) {
        sbuf_printf(&ours, "- ours %u\n", i);
        sbuf_printf(&theirs, "- theirs %u\n", i);
    }
    CHECK("all new", merge3(*state, STR(""), sbuf_str(&ours), sbuf_str(&theirs), &out));
    CHECK_INT("all new", out.text.n, ours.n + theirs.n);
    ours.n = theirs.n = 0;
    for (unsigned i = 0; i < LINES; i++) {
        sbuf_printf(&base, "- %u\n", i * 7919 % 97);
        sbuf_printf(&ours, "- %u\n", i * 104729 % 89);
        sbuf_printf(&theirs, "- %u %u\n", i * 1299709 % 83, i % 2);
    }
    merge3(*state, sbuf_str(&base), sbuf_str(&ours), sbuf_str(&theirs), &out);
    base.n = ours.n = theirs.n = 0;
    for (unsigned i = 0; i < LINES; i++) {
        sbuf_printf(&base, "%u ", i % 97);
        sbuf_printf(&ours, "%u ", i % 89);
        sbuf_printf(&theirs, "%u ", i % 83);
    }
    CHECK("words",
          !merge3(*state, sbuf_str(&base), sbuf_str(&ours), sbuf_str(&theirs), &out));
}

#define NODE(id, rest) "{\"id\":\"" id "\"," rest "}"
#define TEXT(text, x) NODE("a", "\"type\":\"text\",\"text\":\"" text "\",\"x\":" x)
#define NODE_A TEXT("A", "0")
#define NODE_B NODE("b", "\"type\":\"file\",\"file\":\"B.md\"")
#define NODE_C NODE("c", "\"type\":\"link\",\"url\":\"https://example.org\"")
#define EDGE NODE("e", "\"fromNode\":\"a\",\"toNode\":\"b\"") "\n\t"
#define L "\n\t\t"
#define CANVAS(nodes, edges)                                                             \
    "{\n\t\"nodes\":[" L nodes "\n\t],\n\t\"edges\":[" edges "]\n}"

/* Nodes and edges are merged by id, and each node by its keys. */
static void test_canvas(void **state)
{
    static const struct row rows[] = {
        {"both add a node", CANVAS(NODE_A, ""), CANVAS(NODE_A "," L NODE_B, ""),
         CANVAS(NODE_A "," L NODE_C, ""), CANVAS(NODE_A "," L NODE_B "," L NODE_C, ""),
         0},
        {"one moves, one writes", CANVAS(NODE_A, ""), CANVAS(TEXT("A", "9"), ""),
         CANVAS(TEXT("A2", "0"), ""), CANVAS(TEXT("A2", "9"), ""), 0},
        {"one removes, one draws an edge elsewhere",
         CANVAS(NODE_A "," L NODE_B "," L NODE_C, ""), CANVAS(NODE_A "," L NODE_B, ""),
         CANVAS(NODE_A "," L NODE_B "," L NODE_C, L EDGE),
         CANVAS(NODE_A "," L NODE_B, L EDGE), 0},
        {"theirs brings one to the front", CANVAS(NODE_A "," L NODE_B, ""),
         CANVAS(TEXT("A2", "0") "," L NODE_B, ""), CANVAS(NODE_B "," L NODE_A, ""),
         CANVAS(NODE_B "," L TEXT("A2", "0"), ""), 0},
        {"what was changed is not removed", CANVAS(NODE_A "," L NODE_B, ""),
         CANVAS(TEXT("A2", "0") "," L NODE_B, ""), CANVAS(NODE_B, ""), NULL, 0},
        {"both write", CANVAS(NODE_A, ""), CANVAS(TEXT("A2", "0"), ""),
         CANVAS(TEXT("A3", "0"), ""), NULL, 1},
        {"an edge without an end", CANVAS(NODE_A "," L NODE_B, ""),
         CANVAS(NODE_A "," L NODE_B, L EDGE), CANVAS(NODE_A, ""), NULL, 1},
        {"not a canvas", CANVAS(NODE_A, ""), "{\"nodes\":[1]}",
         CANVAS(TEXT("A", "1"), ""), NULL, 1},
        {"not JSON", CANVAS(NODE_A, ""), "{\"nodes\":", CANVAS(TEXT("A", "1"), ""), NULL,
         1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct row *r = &rows[i];
        str base = str_c(r->base), ours = str_c(r->ours), theirs = str_c(r->theirs);
        struct merge_input in = {MERGE_CANVAS, &base, &ours, &theirs};
        struct merge_result out;
        bool clean = merge_texts(*state, &in, &out);
        CHECK_STR(r->name, out.text, r->want != NULL ? r->want : r->ours);
        CHECK(r->name, clean == (r->collisions == 0));
        CHECK_INT(r->name, out.n_collisions, r->collisions);
    }
}

/* Timestamps that plugins write at every change do not collide. */
static void test_times(void **state)
{
    static const struct row rows[] = {
        {"ours", "---\nupdated: 2026-11-01\n---\n", "---\nupdated: 2026-11-03\n---\n",
         "---\nupdated: 2026-11-02\n---\n", NULL, 0},
        {"theirs", "---\nModified: 2026-11-01T10:00\n---\n",
         "---\nModified: 2026-11-01T10:05\n---\n",
         "---\nModified: 2026-11-01 10:06:30\n---\n",
         "---\nModified: 2026-11-01 10:06:30\n---\n", 0},
        {"not a time", "---\nupdated: 2026-11-01\n---\n", "---\nupdated: soon\n---\n",
         "---\nupdated: 2026-11-02\n---\n", NULL, 1},
        {"zones", "---\nupdated: 2026-11-01T10:00Z\n---\n",
         "---\nupdated: 2026-11-01T11:00Z\n---\n",
         "---\nupdated: 2026-11-01T11:30+01:00\n---\n", NULL, 1},
        {"another key", "---\ndue: 2026-11-01\n---\n", "---\ndue: 2026-11-03\n---\n",
         "---\ndue: 2026-11-02\n---\n", NULL, 1},
    };
    check_rows(*state, rows, COUNT_OF(rows));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_daily_note), ARENA_TEST(test_lists),
        ARENA_TEST(test_tables),     ARENA_TEST(test_prose),
        ARENA_TEST(test_fixed),      ARENA_TEST(test_properties),
        ARENA_TEST(test_line_ends),  ARENA_TEST(test_absent),
        ARENA_TEST(test_opaque),     ARENA_TEST(test_encoded),
        ARENA_TEST(test_collision),  ARENA_TEST(test_huge),
        ARENA_TEST(test_canvas),     ARENA_TEST(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
