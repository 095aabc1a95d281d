#include <stdio.h>

#include "base/sbuf.h"
#include "check.h"
#include "random.h"
#include "rounds.h"
#include "vault/forms/board_check.h"
#include "vault/forms/board_edit.h"
#include "vault/note/note.h"
#include "vectors.h"

static struct board read_board(struct arena *a, str text)
{
    struct board b;
    if (!board_read(a, text, &b))
        fail_msg("not a board: " STR_FMT, STR_ARG(text));
    return b;
}

/* --- vectors --- */

static const struct json *vectors(struct arena *a)
{
    const struct json *list = vectors_read(a, "tasks/kanban.json");
    CHECK_INT("kanban.json", list->n, 11);
    return list;
}

/* A member that is not given is not compared. */
static void check_member(const char *row, const struct json *want, const char *key,
                         str got)
{
    str text;
    if (json_str(json_get(want, str_c(key)), &text) && !str_eq(text, got))
        fail_msg("%s: %s is '" STR_FMT "', not '" STR_FMT "'", row, key, STR_ARG(got),
                 STR_ARG(text));
}

static void check_tags(struct arena *a, const char *row, const struct json *want,
                       str text)
{
    struct note note;
    note_scan(a, text, &note);
    if (want == NULL)
        return;
    CHECK_INT(row, note.n_tags, want->n);
    for (uint32_t i = 0; i < note.n_tags; i++)
        CHECK(row,
              str_eq(span_of(text, note.tags[i].name), str_skip(want->child->text, 1)));
}

static void check_cards(struct arena *a, const char *row, const struct board *b,
                        const struct board_lane *lane, const struct json *want)
{
    CHECK_INT(row, lane->n, want->n);
    const struct json *j = want->child;
    for (size_t i = 0; i < lane->n; i++, j = j->next) {
        const struct board_card *card = &b->cards[lane->first + i];
        struct board_content c;
        board_card_read(a, b, card, &c);
        check_member(row, j, "text", c.text);
        check_member(row, j, "status", card->status);
        check_member(row, j, "block", c.block);
        check_member(row, j, "date", c.date);
        check_member(row, j, "time", c.time);
        check_tags(a, row, json_get(j, STR("tags")), c.text);
    }
}

static void check_settings(const char *row, const struct json *got,
                           const struct json *want)
{
    CHECK_INT(row, got != NULL ? got->n : 0, want->n);
    for (const struct json *j = want->child; j != NULL; j = j->next)
        CHECK(row, str_eq(json_get_str(got, j->key), j->text));
}

static void test_vectors(void **state)
{
    struct arena *a = *state;
    for (const struct json *j = vectors(a)->child; j != NULL; j = j->next) {
        const char *row = arena_str(a, json_get_str(j, STR("id"))).p;
        const struct json *want = json_get(j, STR("expect"));
        struct board b;
        bool found = board_read(a, json_get_str(j, STR("text")), &b);
        CHECK_INT(row, found, want->type != JSON_NULL);
        if (!found)
            continue;
        const struct json *lanes = json_get(want, STR("lanes"));
        CHECK_INT(row, b.n_lanes, lanes->n);
        size_t i = 0;
        for (const struct json *l = lanes->child; l != NULL; l = l->next, i++) {
            int64_t max = -1;
            (void)json_int(json_get(l, STR("max")), &max);
            check_member(row, l, "title", b.lanes[i].title);
            CHECK_INT(row, b.lanes[i].max, max);
            CHECK_INT(row, b.lanes[i].complete, json_get_true(l, STR("complete")));
            check_cards(a, row, &b, &b.lanes[i], json_get(l, STR("cards")));
        }
        check_cards(a, row, &b, &b.archive, json_get(want, STR("archive")));
        check_settings(row, b.settings, json_get(want, STR("settings")));
    }
}

/* --- edits --- */

#define HEAD "---\n\nkanban-plugin: board\n\n---\n\n"
#define TAIL "%%%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"%s}\n```\n%%%%"

static const char lanes[] = HEAD "## Todo\n\n- [ ] a\n\tmore\n- [ ] b ^id\n\n\n"
                                 "## Doing (1)\n\n\n\n"
                                 "## Done\n\n**Complete**\n- [x] c\n\n\n\n\n";

static str board_text(struct arena *a, const char *settings)
{
    return arena_printf(a, "%s" TAIL, lanes, settings);
}

static void check_edit(const char *row, struct arena *a, str text, const char *lanes_now,
                       const char *settings)
{
    CHECK_STR(row, text, arena_printf(a, HEAD "%s" TAIL, lanes_now, settings));
}

static void test_insert_and_move(void **state)
{
    struct arena *a = *state;
    struct board b = read_board(a, board_text(a, ""));
    check_edit(
        "at the end", a, board_insert(a, &b, 0, 0, STR("- [ ] x")),
        "## Todo\n\n- [ ] a\n\tmore\n- [ ] b ^id\n- [ ] x\n\n\n## Doing (1)\n\n\n\n"
        "## Done\n\n**Complete**\n- [x] c\n\n\n\n\n",
        "");
    check_edit("at a position", a, board_insert(a, &b, 0, 2, STR("- [ ] x\n\ty")),
               "## Todo\n\n- [ ] a\n\tmore\n- [ ] x\n\ty\n- [ ] b ^id\n\n\n## Doing "
               "(1)\n\n\n\n## Done\n\n**Complete**\n- [x] c\n\n\n\n\n",
               "");
    check_edit("into an empty lane", a, board_move(a, &b, 0, 1, 0),
               "## Todo\n\n- [ ] b ^id\n\n\n## Doing (1)\n\n- [ ] a\n\tmore\n\n\n"
               "## Done\n\n**Complete**\n- [x] c\n\n\n\n\n",
               "");
    check_edit("in its lane", a, board_move(a, &b, 1, 0, 1),
               "## Todo\n\n- [ ] b ^id\n- [ ] a\n\tmore\n\n\n## Doing (1)\n\n\n\n"
               "## Done\n\n**Complete**\n- [x] c\n\n\n\n\n",
               "");
    check_edit(
        "the last of a lane", a, board_move(a, &b, 2, 0, 9),
        "## Todo\n\n- [ ] a\n\tmore\n- [ ] b ^id\n- [x] c\n\n\n## Doing (1)\n\n\n\n"
        "## Done\n\n**Complete**\n\n\n\n\n",
        "");
    CHECK_INT("usually at the end", board_new_position(&b), 0);
    b = read_board(a,
                   board_text(a, ",\"new-card-insertion-method\":\"prepend-compact\""));
    CHECK_INT("if the settings say so", board_new_position(&b), 1);
}

static void test_archive(void **state)
{
    struct arena *a = *state;
    const struct moment now = {.year = 2026, .month = 11, .day = 17, .hour = 9};
    struct board b = read_board(a, board_text(a, ""));
    str made = board_archive(a, &b, 2, &now);
    check_edit("a new one", a, made,
               "## Todo\n\n- [ ] a\n\tmore\n- [ ] b ^id\n\n\n## Doing (1)\n\n\n\n"
               "## Done\n\n**Complete**\n\n\n***\n\n## Archive\n\n- [x] c\n\n",
               "");
    b = read_board(a, made);
    check_edit("the next goes to its end", a, board_archive(a, &b, 0, &now),
               "## Todo\n\n- [ ] b ^id\n\n\n## Doing (1)\n\n\n\n## Done\n\n"
               "**Complete**\n\n\n***\n\n## Archive\n\n- [x] c\n- [ ] a\n\tmore\n\n",
               "");
    check_edit("a lane that is empty now gets cards above the break", a,
               board_insert(a, &b, 2, 0, STR("- [x] d")),
               "## Todo\n\n- [ ] a\n\tmore\n- [ ] b ^id\n\n\n## Doing (1)\n\n\n\n"
               "## Done\n\n**Complete**\n- [x] d\n\n\n***\n\n## Archive\n\n- [x] c\n\n",
               "");
    const char *limit = ",\"archive-with-date\":true,\"max-archive-size\":1,"
                        "\"archive-date-separator\":\"-\"";
    b = read_board(a, board_text(a, limit));
    b = read_board(a, board_archive(a, &b, 2, &now));
    check_edit(
        "with dates, only the last", a, board_archive(a, &b, 1, &now),
        "## Todo\n\n- [ ] a\n\tmore\n\n\n## Doing (1)\n\n\n\n## Done\n\n"
        "**Complete**\n\n\n***\n\n## Archive\n\n- [ ] 2026-11-17 09:00 - b ^id\n\n",
        limit);
    const char *append = ",\"archive-with-date\":true,\"append-archive-date\":true,"
                         "\"archive-date-format\":\"YYYY\"";
    b = read_board(a, board_text(a, append));
    CHECK("before the block id",
          str_find(board_archive(a, &b, 1, &now), STR("- [ ] b 2026 ^id\n")) != STR_NONE);
    b = read_board(a, STR("---\nkanban-plugin: board\n---\n\n## A\n\n- [ ] x"));
    CHECK_STR(
        "without settings", board_archive(a, &b, 0, &now),
        "---\nkanban-plugin: board\n---\n\n## A\n\n\n***\n\n## Archive\n\n- [ ] x\n");
}

static void test_lanes(void **state)
{
    struct arena *a = *state;
    struct err err;
    size_t lane;
    struct board b = read_board(a, board_text(a, ""));
    assert_true(board_find_lane(a, &b, STR("doing"), &lane, &err));
    CHECK_INT("by title", lane, 1);
    assert_true(board_find_lane(a, &b, STR("3"), &lane, &err));
    CHECK_INT("by number", lane, 2);
    assert_false(board_find_lane(a, &b, STR("Later"), &lane, &err));
    CHECK_STR("none", str_c(err.msg), "no lane 'Later'; the board has Todo, Doing, Done");
    assert_false(board_find_lane(a, &b, STR("4"), &lane, &err));
    b = read_board(a, STR(HEAD "## A\n\n## a (2)\n"));
    assert_false(board_find_lane(a, &b, STR("A"), &lane, &err));
    assert_int_equal(err.name, E_AMBIGUOUS);
    assert_true(board_find_lane(a, &b, STR("2"), &lane, &err));
    CHECK_INT("the second", lane, 1);
}

static void test_odd_boards(void **state)
{
    static const struct {
        const char *text;
        size_t lanes, cards;
    } cases[] = {
        {"## A\n- [ ] x\n## B\n- y\n* z\n", 2, 3},
        {"## A\n\n- [ ] x\n\n  more\n\nend\n- [ ] not a card\n", 1, 1},
        {"## A\n\n- [ ] x\nlazy\n- [ ] y\n", 1, 2},
        {"## A\n\n```\n## no\n- [ ] no\n```\n", 1, 0},
        {"text\n- [ ] no\n", 0, 0},
        {"", 0, 0},
        {"## A\n***\n- [ ] x\n", 1, 1},
        {"## A\n- [ ] x\n***\n- [ ] y\n", 1, 1},
        {"## A\n1. [ ] x\n2) [x] y\n", 1, 2},
        {"# A\n\n### B\n\n- [ ] x\n", 2, 1},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct board b =
            read_board(*state, arena_printf(*state, "---\nkanban-plugin: basic\n---\n%s",
                                            cases[i].text));
        CHECK_INT(cases[i].text, b.n_lanes, cases[i].lanes);
        CHECK_INT(cases[i].text, b.n_cards, cases[i].cards);
    }
}

/* --- what a change leaves alone --- */

/* Insert lines into the first lane; what board_check() says. */
static const char *checked_insert(struct arena *a, const char *board, const char *lines,
                                  size_t position)
{
    static struct err err;
    struct board b = read_board(a, str_c(board));
    struct board now = read_board(a, board_insert(a, &b, 0, position, str_c(lines)));
    struct board_change change = {.was = &b,
                                  .now = &now,
                                  .gone = BOARD_NO_CARD,
                                  .came =
                                      position > 0 ? position - 1 : now.lanes[0].n - 1};
    return board_check(a, &change, &err) ? "" : err.msg;
}

static void test_hostile_cards(void **state)
{
    static const char ended[] =
        HEAD "## A\n\n- [ ] a\n- [ ] b\n\n%% kanban:settings\n```\n{}\n```\n%%";
    static const char noted[] =
        HEAD "## A\n\n- [ ] a\n- [ ] b\n\n## B\n\n- [ ] c %% d %%\n";
    static const struct {
        const char *board, *lines, *want;
        size_t position;
    } rows[] = {
        {ended, "- [ ] x", ""},
        {ended, "- [ ] x\n\t```\n\tcode\n\t```", "", 1},
        {ended, "- [ ] x %% note %%", "", 1},
        {ended, "- [ ] x\n%%",
         "line 12, '%% kanban:settings', would no longer be a block"},
        {ended, "- [ ] x\n%%", "would no longer be", 1},
        {ended, "- [ ] x\n\t```", "", 1}, /* the item ends it */
        {ended, "- [ ] x\n```", "line 9, '- [ ] a', would no longer be a card", 1},
        {ended, "- [ ] x\n---", "line 9, '- [ ] a', would no longer be a card", 1},
        {ended, "- [ ] x\n- [ ] y", "line 9, '- [ ] a', would no longer be a card", 1},
        {ended, "- [ ] x\n## C", "would change the lanes", 1},
        {ended, "- [ ] x <!--", "", 1}, /* text */
        {ended, "- [ ] x\n<!--", "would no longer be", 1},
        {noted, "- [ ] x\n$$", "", 1},
        {noted, "- [ ] x\n%%", "would", 2},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *got =
            checked_insert(*state, rows[i].board, rows[i].lines, rows[i].position);
        if (rows[i].want[0] == '\0' ? got[0] != '\0' : strstr(got, rows[i].want) == NULL)
            fail_msg("row %zu, %s: %s", i, rows[i].lines, got);
    }
}

/* --- random --- */

static void check_change(struct arena *a, int round, const struct board_change *c)
{
    struct err err;
    if (!board_check(a, c, &err))
        fail_msg("round %d: %s\n" STR_FMT "\n=>\n" STR_FMT, round, err.msg,
                 STR_ARG(c->was->text), STR_ARG(c->now->text));
}

static str random_board(struct arena *a, unsigned *seed)
{
    static const char *const pieces[] = {
        "## Lane\n",
        "- [ ] card\n",
        "\n",
        "\n",
        "\tmore\n",
        "- [x] c ^i\n",
        "**Complete**\n",
        "***\n",
        "text\n",
        "### Other (2)\n",
        "- plain\n",
        "    four\n",
        "## Archive\n",
        "```\n- [ ] no\n```\n",
        "1. [/] one\n",
    };
    struct sbuf b = SBUF_ON(a);
    sbuf_add(&b, STR("---\nkanban-plugin: board\n---\n"));
    for (int i = rand_r(seed) % 24; i > 0; i--)
        sbuf_add(&b, str_c(pieces[(size_t)rand_r(seed) % COUNT_OF(pieces)]));
    if (rand_r(seed) % 2 == 0)
        sbuf_add(
            &b,
            STR("\n\n%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%"));
    else if (rand_r(seed) % 2 == 0)
        b.n--; /* no line break at the end */
    return sbuf_str(&b);
}

/* Adding a card and removing it again is nothing; a move keeps all other cards. */
static void test_random(void **state)
{
    unsigned seed = 11;
    const struct moment now = {.year = 2026, .month = 11, .day = 17, .hour = 9};
    for (int round = 0; round < 5000; round++) {
        struct arena *a = *state;
        arena_reset(a);
        str text = random_board(a, &seed);
        struct board b = read_board(a, text);
        if (b.n_lanes == 0)
            continue;
        size_t lane = (size_t)rand_r(&seed) % b.n_lanes;
        size_t position = (size_t)rand_r(&seed) % (b.lanes[lane].n + 1);
        str added = board_insert(a, &b, lane, position, STR("- [ ] new\n\tlines"));
        struct board with = read_board(a, added);
        size_t card = 0;
        while (card < with.n_cards &&
               !str_eq(board_card_lines(&with, card), STR("- [ ] new\n\tlines")))
            card++;
        if (card == with.n_cards)
            fail_msg("round %d: the card is lost:\n" STR_FMT, round, STR_ARG(added));
        CHECK_INT("one more", with.n_cards, b.n_cards + 1);
        CHECK_INT("in its lane", with.cards[card].lane, lane);
        check_change(a, round,
                     &(struct board_change){&b, &with, BOARD_NO_CARD, card, false});
        if (!str_eq(board_remove(a, &with, card), text))
            fail_msg("round %d: not the same:\n" STR_FMT, round, STR_ARG(added));
        size_t to = (size_t)rand_r(&seed) % with.n_lanes;
        struct board moved = read_board(a, board_move(a, &with, card, to, 1));
        CHECK_INT("as many", moved.n_cards, with.n_cards);
        CHECK("as long", moved.text.n == with.text.n);
        check_change(
            a, round,
            &(struct board_change){&with, &moved, card, moved.lanes[to].first, false});
        struct board filed = read_board(a, board_archive(a, &with, card, &now));
        check_change(
            a, round,
            &(struct board_change){&with, &filed, card, filed.n_cards - 1, true});
    }
}

/* --- any board --- */

/* Lines that meet each other in every order; a board has at least its property. */
static str any_board(struct arena *a, struct random *r)
{
    static const char *const lines[] = {
        "## A",
        "# B (2)",
        "## A",
        "- [ ] one",
        "- [x] two ^id",
        "- three",
        "\t- [ ] sub",
        "  more",
        "\tmore",
        "",
        "**Complete**",
        "***",
        "---",
        "## Archive",
        "1. [ ] four",
        "> - [ ] quoted",
        "```",
        "%%",
        "<!--",
        "-->",
        "    - deep",
        "- ",
        "-",
        "* [ ] star",
        "+ plus",
        "$$",
        "[^1]: note",
        "| a |",
        "|---|",
        "\r",
        "- [ ] ```",
        "- ---",
        "- # head",
        "Title\n===",
        "%% kanban:settings",
        "kanban-plugin: board",
        "- [ ] %%",
        "- <!-- open",
        "{\"max-archive-size\":1}",
    };
    struct sbuf out = SBUF_ON(a);
    sbuf_add(&out, STR("---\nkanban-plugin: board\n---\n\n"));
    bool crlf = random_one_in(r, 4);
    for (uint32_t n = 1 + random_below(r, 24); n > 0; n--) {
        sbuf_add(&out, str_c(lines[random_below(r, COUNT_OF(lines))]));
        sbuf_add(&out, n == 1 && random_one_in(r, 3) ? STR("")
                       : crlf                        ? STR("\r\n")
                                                     : STR("\n"));
    }
    if (random_one_in(r, 3))
        sbuf_add(&out,
                 STR("\n%% kanban:settings\n```\n{\"max-archive-size\":1}\n```\n%%"));
    return sbuf_str(&out);
}

/* A card that is moved arrives as one, in a board with the same lanes, or the caller can tell that it does not. */
static void test_any_board(void **state)
{
    struct arena *a = *state;
    struct random r = {20261118};
    struct moment now = {2026, 11, 18, 5, 0, 0, 0, 0};
    struct err err;
    int moved = 0, refused = 0, kept = 0;
    for (int round = 0; round < rounds(2000); round++, arena_reset(a)) {
        struct board b, after;
        str text = any_board(a, &r);
        if (!board_read(a, text, &b) || b.n_cards == 0 || b.n_lanes == 0)
            continue;
        size_t card = random_below(&r, (uint32_t)b.n_cards);
        size_t lane = random_below(&r, (uint32_t)b.n_lanes);
        str to = board_move(a, &b, card, lane, 0);
        (void)board_archive(a, &b, card, &now);
        bool same = board_read(a, to, &after) && after.n_lanes == b.n_lanes &&
                    board_has_card(a, &after, lane, 0, board_card_lines(&b, card));
        size_t came = same ? after.lanes[lane].first + after.lanes[lane].n - 1 : 0;
        struct board_change change = {&b, &after, card, came, false};
        bool sound = same && board_check(a, &change, &err);
        moved += same;
        refused += !same;
        kept += sound;
    }
    CHECK("mostly moved", moved > 4 * refused);
    CHECK("some would change the rest", kept < moved && 10 * kept > 7 * moved);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_vectors),    ARENA_TEST(test_insert_and_move),
        ARENA_TEST(test_archive),    ARENA_TEST(test_lanes),
        ARENA_TEST(test_odd_boards), ARENA_TEST(test_hostile_cards),
        ARENA_TEST(test_random),     ARENA_TEST(test_any_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
