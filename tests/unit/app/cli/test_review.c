/* vaultd proposals, accept and reject without a server: what a terminal shows of a proposal, and what a decision writes. */
#include "app/setup/proposals.h"
#include "whole.h"

#define BEFORE "one\n\ntwo\n\nthree\n"

static void fill(struct place *p)
{
    place_put(p, "Home.md", STR(BEFORE));
    place_put(p, "Other.md", STR("other\n"));
}

/* A place in which a client has proposed this, and the server has ended; *id: of the proposal. */
static struct app_place *propose(const char *tool, const char *arguments, str *id)
{
    struct app_place *p = app_place_open("--writes propose", fill);
    struct arena *a = &p->place->arena;
    struct proposed_place place;
    struct proposal_row *rows;
    size_t n = 0;
    app_look(p);
    (void)app_call(p, tool, arguments);
    proposals_place(&p->app.vaults[0], a, NULL, &place);
    OK(proposed_list(&place, a, &rows, &n, &err));
    assert_int_equal(n, 1);
    *id = rows[0].id;
    app_place_stop(p);
    prepare(p->place);
    setenv("VAULT_PATH", p->place->folder, 1);
    return p;
}

struct row {
    const char *tool, *arguments; /* what is proposed */
    struct cli_row row;           /* with # for its id */
};

#define ONE "vault_edit", "'path':'Home.md','old_text':'two','new_text':'TWO'"
#define BOTH                                                                             \
    "vault_edit", "'path':'Home.md','edits':[{'old_text':'one','new_text':'ONE'},"       \
                  "{'old_text':'three','new_text':'THREE'}]"
#define MOVE "vault_move", "'path':'Other.md','to':'Moved.md'"
#define SAME .path = "Home.md", .text = BEFORE

static const struct row rows[] = {
    {ONE, {"proposals", .out = "vault_edit", SAME}},
    {ONE, {"proposals #", .out = "TWO", SAME}},
    {ONE, {"proposals # --json", .out = "~'files':[{", SAME}},
    {ONE, {"proposals none", .code = 1, .err = "none", SAME}},
    {ONE,
     {"proposals --link", .code = 1, .err = "no server with a page is running", SAME}},
    {ONE,
     {"accept #", .out = "=accepted as change 1\n", .path = "Home.md",
      .text = "one\n\nTWO\n\nthree\n"}},
    {ONE,
     {"accept # Home.md", .out = "=accepted as change 1\n", .path = "Home.md",
      .text = "one\n\nTWO\n\nthree\n"}},
    {ONE, {"accept # None.md", .code = 2, .err = "None.md", SAME}},
    {ONE, {"accept # --hunks 9", .code = 2, .err = "9", SAME}},
    {ONE, {"accept # Home.md --hunks 1", .code = 2, .err = "give either files", SAME}},
    {ONE, {"accept # -p --hunks 1", .code = 2, .err = "give either files", SAME}},
    {ONE, {"accept # -p --json", .code = 2, .err = "give either files", SAME}},
    {ONE, {"accept # --seen 00", .code = 1, .err = "", SAME}},
    {ONE, {"accept none", .code = 1, .err = "none", SAME}},
    {ONE, {"reject # not in this folder", .out = "=rejected\n", SAME}},
    {ONE, {"reject # --json", .out = "~'state':'rejected'", SAME}},
    {BOTH,
     {"accept # --hunks 1.2", .out = "=accepted in part (1.2) as change 1\n",
      .path = "Home.md", .text = "one\n\ntwo\n\nTHREE\n"}},
    {BOTH,
     {"accept -p #", .in = "y\nn\nbecause\n",
      .out = "accepted in part (1.1) as change 1\n", .path = "Home.md",
      .text = "ONE\n\ntwo\n\nthree\n"}},
    {BOTH,
     {"accept -p #", .in = "?\nx\na\n", .out = "accepted as change 1\n",
      .path = "Home.md", .text = "ONE\n\ntwo\n\nTHREE\n"}},
    {BOTH, {"accept -p #", .in = "d\nno\n", .out = "rejected\n", SAME}},
    {BOTH, {"accept -p #", .in = "D\n\n", .out = "rejected\n", SAME}},
    {BOTH, {"accept -p #", .in = "y\nq\n", .out = "Nothing was decided\n", SAME}},
    {BOTH, {"accept -p #", .code = 2, .in = "y\n", .out = "", .err = "", SAME}},
    {MOVE,
     {"accept -p #", .in = "y\n", .out = "accepted as change 1\n", .path = "Moved.md",
      .text = "other\n"}},
    {MOVE, {"accept -p #", .in = "n\nno\n", .out = "rejected\n", .path = "Moved.md"}},
    {MOVE,
     {"accept # --hunks 1", .out = "=accepted as change 1\n", .path = "Moved.md",
      .text = "other\n"}},
    {MOVE, {"accept # --hunks 1.2", .code = 2, .err = "1.2", .path = "Moved.md"}},
};

static bool check_row(const struct row *r)
{
    static const struct cli_verb *const none[] = {NULL};
    str id;
    struct app_place *p = propose(r->tool, r->arguments, &id);
    struct cli_row row = r->row;
    const char *at = strchr(row.words, '#');
    if (at != NULL)
        row.words = arena_printf(&p->place->arena, "%.*s" STR_FMT "%s",
                                 (int)(at - row.words), row.words, STR_ARG(id), at + 1)
                        .p;
    bool right = cli_check_row(&(struct cli_place){p->place, none, run_whole}, &row);
    app_place_close(p);
    return right;
}

static void test_rows(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        wrong += !check_row(&rows[i]);
    CHECK_INT("rows that are wrong", wrong, 0);
}

/* What was decided is not decided again. */
static void test_twice(void **state)
{
    (void)state;
    str id;
    struct app_place *p = propose(ONE, &id);
    struct arena *a = &p->place->arena;
    const struct cli_row twice[] = {
        {arena_printf(a, "reject " STR_FMT " no", STR_ARG(id)).p, .out = "=rejected\n",
         SAME},
        {arena_printf(a, "accept " STR_FMT, STR_ARG(id)).p, .code = 1, .err = "rejected",
         SAME},
        {arena_printf(a, "reject " STR_FMT, STR_ARG(id)).p, .code = 1, .err = "rejected",
         SAME},
        {arena_printf(a, "proposals " STR_FMT, STR_ARG(id)).p, .out = "rejected", SAME},
        {arena_printf(a, "accept -p " STR_FMT, STR_ARG(id)).p, .out = "rejected", SAME},
        {"proposals", .out = "rejected", SAME},
    };
    check_whole(p->place, twice, COUNT_OF(twice));
    app_place_close(p);
}

/* Without a database there are none, and asking makes none. */
static void test_no_database(void **state)
{
    struct place *p = *state;
    static const struct cli_row none[] = {
        {"proposals --json", .out = "=~{'proposals':[]}\n"},
        {"proposals x", .code = 1, .err = "there are no proposals"},
        {"accept x", .code = 1, .err = "there are no proposals"},
        {"reject x", .code = 1, .err = "there are no proposals"},
        {"accept", .code = 2, .err = "usage: vaultd accept ID"},
    };
    prepare(p);
    setenv("VAULT_PATH", p->folder, 1);
    check_whole(p, none, COUNT_OF(none));
    CHECK("no database", !place_has(p, "../state/oauth.db"));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_twice),
        PLACE_TEST(test_no_database),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
