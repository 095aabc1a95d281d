/* Moving a section or block to another note: everything still means the same. */
#include "base/array.h"
#include "base/text.h"
#include "random.h"
#include "rounds.h"
#include "vault/ops.h"
#include "vault/ops_task.h"
#include "vault_place.h"

enum { ROUNDS = 100, BLOCKS_MAX = 7 };

/* --- examples --- */

struct part_row {
    const char *row, *a, *b, *heading, *block, *a_after,
        *b_after; /* a_after NULL: refused */
};

static void check_row(struct place *p, const struct part_row *r)
{
    struct ops_report report;
    struct err err = {0};
    struct ops_part part = {.heading = str_c(r->heading), .block = str_c(r->block)};
    place_put(p, "a.md", str_c(r->a));
    place_put(p, "b.md", str_c(r->b));
    vault_refresh(p->vault, (str[]){STR("a.md"), STR("b.md")}, 2);
    struct draft *d = place_draft(p);
    bool ok = ops_move_part(d, STR("a.md"), STR("b.md"), &part, &report, &err);
    if (r->a_after == NULL) {
        CHECK(r->row, !ok && strstr(err.msg, r->b_after) != NULL);
        return;
    }
    if (!ok)
        fail_msg("%s: %s", r->row, err.msg);
    (void)place_commit(r->row, d);
    CHECK_STR(r->row, place_text(p, "a.md"), r->a_after);
    CHECK_STR(r->row, place_text(p, "b.md"), r->b_after);
}

static void test_definitions(void **state)
{
    static const struct part_row rows[] = {
        {"those that the rest uses stay",
         "text[^1] and [soil][st]\n\n## Last\n\nlast text\n\n[^1]: my footnote\n\n[st]: "
         "https://x/\n",
         "b\n", "Last", "",
         "text[^1] and [soil][st]\n\n[^1]: my footnote\n\n[st]: https://x/\n",
         "b\n\n## Last\n\nlast text\n"},
        {"those that are used in it go along",
         "text\n\n## S\n\nx[^1] [soil][st]\n\n## End\n\n[^1]: foot\n\n    more\n\n[st]: "
         "https://x/ \"t\"\n",
         "b\n", "S", "", "text\n\n## End\n",
         "b\n\n## S\n\nx[^1] [soil][st]\n\n[^1]: foot\n\n    more\n\n[st]: https://x/ "
         "\"t\"\n"},
        {"both use it", "x[^n]\n\n## S\n\ny[^n]\n\n## End\n\n[^n]: foot\n", "b\n", "S",
         "", "x[^n]\n\n## End\n\n[^n]: foot\n", "b\n\n## S\n\ny[^n]\n\n[^n]: foot\n"},
        {"the other note has the label",
         "x[^1] [st]\n\n## S\n\ny[^1] [st] [st][] ![t][ST]\n\n## End\n\n[^1]: "
         "foot\n\n[st]: "
         "https://x/\n",
         "b[^1][^3] [st]\n\n[^1]: other\n[^3]: third\n\n[st]: https://b/\n", "S", "",
         "x[^1] [st]\n\n## End\n\n[^1]: foot\n\n[st]: https://x/\n",
         "b[^1][^3] [st]\n\n[^1]: other\n[^3]: third\n\n[st]: https://b/\n\n## "
         "S\n\ny[^4] "
         "[st][st-2] [st][st-2] ![t][st-2]\n\n[^4]: foot\n\n[st-2]: https://x/\n"},
        {"with the same text", "## S\n\ny[^n]\n\n## End\n\n[^n]: foot\n",
         "b[^n]\n\n[^n]: foot\n", "S", "", "## End\n",
         "b[^n]\n\n[^n]: foot\n\n## S\n\ny[^n]\n"},
        {"nested", "## S\n\ny[^1]\n\n## End\n\n[^1]: see [^2]\n[^2]: two\n",
         "b[^2]\n\n[^2]: b\n", "S", "", "## End\n",
         "b[^2]\n\n[^2]: b\n\n## S\n\ny[^1]\n\n[^1]: see [^3]\n[^3]: two\n"},
        {"a reference to a file is right in both notes",
         "[x][r]\n\n## S\n\n[y][r]\n\n## End\n\n[r]: a.md#S\n", "b\n", "S", "",
         "[x][r]\n\n## End\n\n[r]: b.md#S\n", "b\n\n## S\n\n[y][r]\n\n[r]: b.md#S\n"},
        {"it would get a meaning", "## S\n\ny[^9]\n", "b[^9]\n\n[^9]: b\n", "S", "", NULL,
         "'[^9]' in 'a.md' would get another meaning"},
    };
    struct place *p = *state;
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(p, &rows[i]);
}

static void test_namesakes(void **state)
{
    static const struct part_row rows[] = {
        {"heading", "[[#Notes]]\n\n## Notes\n\nx\n", "## Notes\n\nb\n", "Notes", "", NULL,
         "another heading that '#Notes' means"},
        {"heading, not linked to", "a\n\n## Notes\n\nx\n", "## Notes\n\nb\n", "Notes", "",
         "a\n", "## Notes\n\nb\n\n## Notes\n\nx\n"},
        {"block in it", "[[#^b1]]\n\n## S\n\nx ^b1\n", "b ^b1\n", "S", "", NULL,
         "another block that '#^b1' means"},
        {"namesake that stays",
         "[[#S]] [[#Notes]]\n\n## Notes\n\n1\n\n## S\n\n### Notes\n\n2\n", "b\n", "S", "",
         "[[b#S]] [[#Notes]]\n\n## Notes\n\n1\n", "b\n\n## S\n\n### Notes\n\n2\n"},
        {"heading above stays", "# Top\n\n## S\n\n[[#Top#S]]\n", "b\n", "S", "",
         "# Top\n", "b\n\n## S\n\n[[#S]]\n"},
    };
    struct place *p = *state;
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(p, &rows[i]);
}

static void test_sub_items(void **state)
{
    static const struct part_row rows[] = {
        {"nested", "- one\n- two ^b\n  - sub\n\n    text\n- three\n", "b\n", "", "b",
         "- one\n- three\n", "b\n\n- two ^b\n  - sub\n\n    text\n"},
        {"of a nested item", "- one\n  - two ^b\n    - sub\n  - next\n", "b\n", "", "^^b",
         "- one\n  - next\n", "b\n\n- two ^b\n  - sub\n"},
        {"numbered", "1. one ^b\n   - sub ^c\n2. two\n\n[[#^c]]\n", "b\n", "", "b",
         "2. two\n\n[[b#^c]]\n", "b\n\n1. one ^b\n   - sub ^c\n"},
        {"a paragraph with its id below", "x\n\n> q\n\n^b\n\ny\n", "b\n", "", "b",
         "x\n\ny\n", "b\n\n> q\n\n^b\n"},
    };
    struct place *p = *state;
    place_start(p);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        check_row(p, &rows[i]);
}

static str drafted(struct draft *d, const char *path)
{
    struct draft_file f;
    struct err err = {0};
    if (!draft_read(d, str_c(path), &f, &err))
        fail_msg("%s: %s", path, err.msg);
    return f.text;
}

static void test_task(void **state)
{
    struct place *p = *state;
    struct ops_task task = {
        .path = STR("a.md"), .text = STR("one[^1]"), .to = STR("b.md")};
    struct ops_task_found found;
    struct ops_task_done done;
    place_put(p, "a.md",
              STR("x[^2]\n\n- [ ] one[^1]\n  - sub [st]\n- two\n\n[^1]: foot\n[^2]: "
                  "stays\n\n[st]: https://x/\n"));
    place_put(p, "b.md", STR("b[^1]\n\n[^1]: other\n"));
    place_put(p, "Board.md",
              STR("---\nkanban-plugin: board\n---\n\n## Todo\n\n- [ ] card\n"));
    place_start(p);
    struct draft *d = place_draft(p), *board = place_draft(p);
    OK(ops_task_find(d, &task, &found, &err) &&
       ops_task_change(d, &task, &found, &done, &err));
    CHECK_STR("rest", drafted(d, "a.md"), "x[^2]\n\n- two\n\n[^2]: stays\n");
    CHECK_STR("there", drafted(d, "b.md"),
              "b[^1]\n\n[^1]: other\n\n- [ ] one[^3]\n  - sub [st]\n\n[^3]: foot\n\n"
              "[st]: https://x/\n");
    task.to = STR("Board#Todo");
    FAILS(ops_task_find(board, &task, &found, &err) &&
              ops_task_change(board, &task, &found, &done, &err),
          ERR_INVALID, "a board has no place for its definition");
}

/* --- random notes: words with numbers say what is what --- */

static struct random dice;
static unsigned word; /* the last number */

static uint32_t pick(uint32_t n)
{
    return random_below(&dice, n);
}

static const char *const footnotes[] = {"1", "2", "3", "n"};
static const char *const labels[] = {"st", "ref"};
static const char *const titles[] = {"Notes", "Log"};

#define PICK(list) (list)[pick(COUNT_OF(list))]

static void add_use(struct sbuf *out)
{
    word++;
    if (pick(2) == 0)
        sbuf_printf(out, " u%u[^%s]", word, PICK(footnotes));
    else if (pick(3) == 0)
        sbuf_printf(out, " u%u[%s]", word, PICK(labels));
    else
        sbuf_printf(out, pick(2) == 0 ? " u%u[%s][]" : " u%u[text][%s]", word,
                    PICK(labels));
}

static void add_definition(struct sbuf *out)
{
    word++;
    if (pick(2) == 0) {
        sbuf_printf(out, "[%s]: https://d%u\n", PICK(labels), word);
        return;
    }
    sbuf_printf(out, "[^%s]: d%u", PICK(footnotes), word);
    if (pick(4) == 0)
        add_use(out);
    sbuf_printf(out, pick(3) == 0 ? "\n\n    more\n" : "\n");
}

/* *id is that of the first item, once. */
static void add_list(struct sbuf *out, const char **id)
{
    for (uint32_t n = 1 + pick(3); n > 0; n--) {
        sbuf_printf(out, "- i%u", ++word);
        if (pick(4) == 0)
            add_use(out);
        sbuf_printf(out, "%s\n", *id);
        *id = "";
        if (pick(2) == 0)
            sbuf_printf(out, "  - s%u\n", ++word);
    }
}

static str random_note(struct arena *a, const char *title, const char *id)
{
    struct sbuf out = SBUF_ON(a);
    uint32_t blocks = 2 + pick(BLOCKS_MAX), own = pick(blocks);
    sbuf_printf(&out, "Top");
    for (uint32_t n = 0; n < blocks; n++) {
        sbuf_printf(&out, "\n\n");
        if (n == own || pick(4) == 0) {
            sbuf_printf(&out, "%s %s\n\nh%u", pick(3) == 0 ? "###" : "##",
                        n == own ? title : PICK(titles), ++word);
            continue;
        }
        uint32_t kind = pick(4);
        if (kind == 0)
            add_list(&out, &id);
        else if (kind < 3)
            add_definition(&out);
        for (uint32_t k = kind == 3 ? 1 + pick(3) : 0; k > 0; k--)
            add_use(&out);
    }
    sbuf_char(&out, '\n');
    return sbuf_str(&out);
}

/* --- what they mean, read line by line --- */

struct facts {
    struct arena *arena;
    str *lines;
    size_t n;
};

static void add_fact(struct facts *f, str what, str means)
{
    *ARRAY_ADD(f->arena, f->lines, f->n) =
        arena_printf(f->arena, STR_FMT "=" STR_FMT, STR_ARG(what), STR_ARG(means));
}

/* The word at the start of s. */
static str first_word(str s)
{
    size_t n = 0;
    while (n < s.n && (is_letter(s.p[n]) || is_digit(s.p[n])))
        n++;
    return str_slice(s, 0, n);
}

/* The first definition of a label: its word. */
static str defined_as(struct arena *a, str text, str label)
{
    str line, start = arena_printf(a, "[" STR_FMT "]: ", STR_ARG(label));
    while (str_next(&text, '\n', &line)) {
        if (!str_starts(line, start))
            continue;
        line = str_skip(line, start.n);
        return first_word(str_starts(line, STR("https://")) ? str_skip(line, 8) : line);
    }
    return STR("nothing");
}

static void add_uses(struct facts *f, str text)
{
    for (size_t at = 0; at + 3 < text.n; at++) {
        str use = first_word(str_skip(text, at + 1));
        size_t open = at + 1 + use.n;
        if (text.p[at] != ' ' || text.p[at + 1] != 'u' || use.n < 2 || open >= text.n ||
            text.p[open] != '[')
            continue;
        size_t close = open + str_find_char(str_skip(text, open), ']');
        str label = str_slice(text, open + 1, close);
        if (close + 2 < text.n && text.p[close + 1] == '[' && text.p[close + 2] != ']' &&
            label.p[0] != '^') {
            str rest = str_skip(text, close + 2);
            label = str_slice(rest, 0, str_find_char(rest, ']'));
        }
        add_fact(f, use, defined_as(f->arena, text, label));
    }
}

/* Sub-items and their items. */
static void add_items(struct facts *f, str text)
{
    str line, item = STR("none");
    while (str_next(&text, '\n', &line)) {
        if (str_starts(line, STR("- ")))
            item = first_word(str_skip(line, 2));
        if (str_starts(line, STR("  - ")))
            add_fact(f, first_word(str_skip(line, 4)), item);
    }
}

/* The word after the first heading with a title, or in the line with a block id. */
static str led_to(struct arena *a, str text, str subpath)
{
    str line;
    bool block = subpath.p[0] == '^', found = false;
    str end = arena_printf(a, " " STR_FMT, STR_ARG(subpath));
    while (str_next(&text, '\n', &line)) {
        if (found && line.n > 0)
            return first_word(line);
        if (str_ends(line, end) && block)
            return first_word(str_skip(str_trim(line), 2));
        found = found || (str_starts(line, STR("#")) && str_ends(line, end));
    }
    return STR("nothing");
}

/* Home.md has lines such as "l1 [[a#Notes]]". Those that led nowhere may lead anywhere. */
static void add_links(struct facts *f, str home, str a, str b, const str *before)
{
    str line;
    while (str_next(&home, '\n', &line)) {
        str rest = str_skip(line, str_find_char(line, '[') + 2), path;
        (void)str_next(&rest, '#', &path);
        str subpath = str_slice(rest, 0, str_find_char(rest, ']'));
        str means = led_to(f->arena, str_eq(path, STR("a")) ? a : b, subpath);
        str known = arena_printf(f->arena, STR_FMT "=", STR_ARG(first_word(line)));
        if (before != NULL ? str_find(*before, known) != STR_NONE
                           : !str_eq(means, STR("nothing")))
            add_fact(f, first_word(line), means);
    }
}

static int by_text(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

/* All facts, sorted, each once; before: those before the move, or NULL. */
static str facts_of(struct arena *arena, str a, str b, str home, const str *before)
{
    struct facts f = {.arena = arena};
    struct sbuf out = SBUF_ON(arena);
    add_uses(&f, a);
    add_uses(&f, b);
    add_items(&f, a);
    add_items(&f, b);
    add_links(&f, home, a, b, before);
    if (f.n > 0)
        qsort(f.lines, f.n, sizeof(*f.lines), by_text);
    for (size_t i = 0; i < f.n; i++)
        if (i == 0 || !str_eq(f.lines[i], f.lines[i - 1]))
            sbuf_printf(&out, STR_FMT "\n", STR_ARG(f.lines[i]));
    return sbuf_str(&out);
}

/* Whether the move was made. */
static bool random_move(struct place *p, struct arena *arena)
{
    static const char *const links = "l1 [[a#Notes]]\nl2 [[a#Plan]]\nl3 [[a#^b1]]\nl4 "
                                     "[[b#Log]]\nl5 [[b#Notes]]";
    str a = random_note(arena, "Plan", " ^b1");
    str b = random_note(arena, PICK(titles), pick(8) == 0 ? " ^b1" : " ^b2");
    str home = pick(3) == 0 ? str_c(links) : STR("l1 [[a#Log]]");
    struct ops_part part = {.heading = STR("")};
    struct actor as = {.tool = STR("test")};
    struct ops_report report;
    struct err err = {0};
    if (pick(3) == 0)
        part.block = STR("b1");
    else
        part.heading = pick(3) == 0 ? STR("Notes") : STR("Plan");
    if (pick(5) == 0)
        part.under = str_c(PICK(titles));
    place_put(p, "a.md", a);
    place_put(p, "b.md", b);
    place_put(p, "Home.md", home);
    vault_refresh(p->vault, (str[]){STR("a.md"), STR("b.md"), STR("Home.md")}, 3);
    struct draft *d = draft_create(p->vault, arena, &as);
    bool ok = ops_move_part(d, STR("a.md"), STR("b.md"), &part, &report, &err);
    if (ok) {
        str a2 = drafted(d, "a.md"), b2 = drafted(d, "b.md"),
            home2 = drafted(d, "Home.md");
        str was = facts_of(arena, a, b, home, NULL);
        str is = facts_of(arena, a2, b2, home2, &was);
        if (!str_eq(was, is))
            fail_msg("'" STR_FMT STR_FMT "' under '" STR_FMT "'\n" STR_FMT
                     "---b\n" STR_FMT "---after\n" STR_FMT "---b\n" STR_FMT
                     "---facts\n" STR_FMT "---after\n" STR_FMT,
                     STR_ARG(part.heading), STR_ARG(part.block), STR_ARG(part.under),
                     STR_ARG(a), STR_ARG(b), STR_ARG(a2), STR_ARG(b2), STR_ARG(was),
                     STR_ARG(is));
    }
    draft_close(d);
    return ok;
}

static void test_random(void **state)
{
    struct place *p = *state;
    int moved = 0, n = rounds(ROUNDS);
    dice.state = 0x5eed;
    place_start(p);
    for (int i = 0; i < n; i++) {
        struct arena arena = {0};
        word = 0;
        moved += random_move(p, &arena);
        arena_release(&arena);
    }
    print_message("%d of %d moves were made\n", moved, n);
    CHECK("enough were made", moved > n / 10);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        PLACE_TEST(test_definitions), PLACE_TEST(test_namesakes),
        PLACE_TEST(test_sub_items),   PLACE_TEST(test_task),
        PLACE_TEST(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
