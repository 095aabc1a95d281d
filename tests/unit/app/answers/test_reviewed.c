/* One change of the history: as JSON, for a model and on a terminal. */
#include "app/answers/reviewed.h"

#include "app/answers/answer.h"
#include "check.h"
#include "vault/review.h"

static struct review_file files[] = {
    {.outcome = REVIEW_MOVED, .path = STR("Old.md"), .to = STR("New.md")},
    {.outcome = REVIEW_CHANGED, .path = STR("A.md"), .no_diff = "it is too large"},
};

static const struct row {
    struct review r;
    const char *json, *text, *term; /* parts */
} rows[] = {
    {{.entry = {.number = 7, .time = 1000000000, .files = 2},
      .change = {.tool = STR("vault_move")},
      .files = files,
      .n = 2},
     "{\"change\":7,\"time\":\"2001-09-09T01:46:40Z\",\"tool\":\"vault_move\",\"files\":["
     "{\"path\":\"Old.md\",\"outcome\":\"moved\",\"to\":\"New.md\"},{\"path\":\"A.md\","
     "\"outcome\":\"changed\",\"no_diff\":\"it is too large\"}],\"diff\":",
     "change 7, 2001-09-09T01:46:40Z, vault_move\n",
     "change 7\nwhen    "},
    {{.entry = {.number = 8, .undoes = 7, .files = 300},
      .change = {.tool = STR("vault_undo"), .who = STR("anna"), .client = STR("Claude")},
      .files = files,
      .n = 1},
     "\"tool\":\"vault_undo\",\"who\":\"anna\",\"client\":\"Claude\",\"undoes\":7,"
     "\"files\":[{\"path\":\"Old.md\",\"outcome\":\"moved\",\"to\":\"New.md\"}],"
     "\"total_files\":300,",
     ", vault_undo by anna with Claude (undoes 7)\n",
     "who     anna\nclient  Claude\ntool    vault_undo\nfiles   300\nundo    of change "
     "7\n\n"},
    {{.entry = {.number = 7, .undone_by = 8, .files = 1},
      .change = {.tool = STR("vault_write")}},
     ",\"undone_by\":8,\"files\":[],\"total_files\":1,",
     ", vault_write (undone by 8)\n",
     "tool    vault_write\nfiles   1\nundone  by change 8\n\n"},
    {{.entry = {.number = 9, .state = JOURNAL_ABORTED},
      .change = {.tool = STR("vault_write")}},
     ",\"failed\":true,\"files\":[],\"diff\":",
     ", vault_write (failed, nothing changed)\n",
     "failed  nothing was changed\n"},
};

static str json_of(struct arena *a, const struct review *r)
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    reviewed_shape.json(&(struct answer_out){&w, SIZE_MAX}, r);
    return sbuf_str(&b);
}

static str text_of(struct arena *a, const struct review *r)
{
    struct sbuf b = SBUF_ON(a);
    reviewed_shape.text(&(struct model_text){&b, SIZE_MAX}, r);
    return sbuf_str(&b);
}

static str term_of(struct arena *a, const struct review *r)
{
    struct term t = {.fd = -1, .out = SBUF_ON(a)};
    reviewed_shape.term(&t, r);
    return sbuf_str(&t.out);
}

static void check_has(str got, const char *part)
{
    if (str_find(got, str_c(part)) == STR_NONE)
        fail_msg("got '" STR_FMT "', want a part '%s'", STR_ARG(got), part);
}

static void test_rows(void **state)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_has(json_of(*state, &rows[i].r), rows[i].json);
        check_has(text_of(*state, &rows[i].r), rows[i].text);
        check_has(term_of(*state, &rows[i].r), rows[i].term);
    }
}

/* The diff comes last: as much of it as people need, and as the budget of a model allows. */
static void test_diff(void **state)
{
    struct arena *a = *state;
    char *many = arena_zero(a, 2 * REVIEWED_DIFF_MAX + 1);
    memset(many, 'x', 2 * (size_t)REVIEWED_DIFF_MAX);
    for (int i = 1; i < 2 * REVIEWED_DIFF_MAX; i += 10)
        many[i] = '\n';
    struct review_file f = {.outcome = REVIEW_CHANGED,
                            .path = STR("A.md"),
                            .op = &(const struct journal_op){0},
                            .before = STR("a\n"),
                            .after = str_c(many)};
    struct review r = {.entry = {.number = 7, .files = 1}, .files = &f, .n = 1};
    struct sbuf b = SBUF_ON(a);
    reviewed_shape.text(&(struct model_text){&b, 1000000}, &r);
    check_has(sbuf_str(&b), "+++ A.md\n");
    CHECK("cut", b.n < REVIEWED_DIFF_MAX + 1000);
    CHECK("all", term_of(a, &r).n > 2 * (size_t)REVIEWED_DIFF_MAX);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_rows),
        ARENA_TEST(test_diff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
