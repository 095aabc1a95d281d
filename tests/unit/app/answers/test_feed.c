/* What was changed, whoever did it: as JSON, for a model and on a terminal, and where the next question goes on. */
#include "app/answers/feed.h"

#include "app/answers/answer.h"
#include "app/answers/term.h"
#include "check.h"
#include "vault/feed.h"

enum { AT = 1000000000 /* seconds */, TAG = 5 };

static struct feed_entry entries[] = {
    {.at = AT * 1000LL, .kind = FEED_CREATED, .path = STR("a.md")},
    {.at = AT * 1000LL + 1500,
     .kind = FEED_MOVED,
     .path = STR("b.md"),
     .from = STR("old.md"),
     .who = STR("ann"),
     .client = STR("Claude"),
     .tool = STR("vault_move"),
     .change = 7},
    {.at = AT * 1000LL + 3000,
     .kind = FEED_DELETED,
     .path = STR("c.md"),
     .tool = STR("sync")},
};

static str json_of(struct arena *a, const struct vault_feed_answer *f, size_t room)
{
    struct sbuf b = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&b);
    feed_shape.json(&(struct answer_out){&w, room}, f);
    return sbuf_str(&b);
}

static str text_of(struct arena *a, const struct vault_feed_answer *f, size_t room)
{
    struct sbuf b = SBUF_ON(a);
    feed_shape.text(&(struct model_text){&b, room}, f);
    return sbuf_str(&b);
}

static void check_has(const char *row, str got, const char *part)
{
    if (str_find(got, str_c(part)) == STR_NONE)
        fail_msg("%s: no '%s' in '" STR_FMT "'", row, part, STR_ARG(got));
}

static void test_all(void **state)
{
    struct arena *a = *state;
    struct vault_feed_answer f = {.items = entries, .n = 3, .cursor = 99};
    CHECK_STR(
        "json", json_of(a, &f, SIZE_MAX),
        "{\"files\":[{\"time\":\"2001-09-09T01:46:40Z\",\"kind\":\"created\","
        "\"path\":\"a.md\"},{\"time\":\"2001-09-09T01:46:41Z\",\"kind\":\"moved\","
        "\"path\":\"b.md\",\"from\":\"old.md\",\"who\":\"ann\",\"client\":\"Claude\","
        "\"tool\":\"vault_move\",\"change\":7},{\"time\":\"2001-09-09T01:46:43Z\","
        "\"kind\":\"deleted\",\"path\":\"c.md\",\"tool\":\"sync\"}],\"cursor\":99}");
    CHECK_STR("text", text_of(a, &f, SIZE_MAX),
              "3 changed files, oldest first\n2001-09-09T01:46:40Z created a.md\n"
              "2001-09-09T01:46:41Z moved old.md to b.md by ann with Claude (vault_move) "
              "change 7\n2001-09-09T01:46:43Z deleted c.md (sync)\n"
              "[what comes next: since 99]\n");
    struct term t = {.fd = -1, .out = SBUF_ON(a)};
    feed_shape.term(&t, &f);
    str term = sbuf_str(&t.out);
    check_has("term", term, "created  a.md\n");
    check_has("term", term, "moved    old.md to b.md  ann, Claude  change 7\n");
    check_has("term", term, "deleted  c.md  sync\n");
    check_has("term", term, "What comes next: --since 99\n");
}

static void test_remarks(void **state)
{
    static const struct {
        struct vault_feed_answer f;
        const char *json, *text, *term;
    } rows[] = {
        {{.cursor = 4}, "{\"files\":[],\"cursor\":4}", "since 4]", "--since 4"},
        {{.missed = true, .since = AT},
         "\"missed_before\":\"2001-09-09T01:46:40Z\"",
         "[what changed before 2001-09-09T01:46:40Z is not known]\n",
         "What changed before "},
        {{.repeated = true},
         "\"repeated\":true",
         "the cursor is of another server: some may be known already",
         "The cursor is of another server"},
        {{.items = entries, .n = 1, .more = true, .cursor = 12},
         "\"next\":{\"since\":12},\"cursor\":12",
         "[more: since 12]\n",
         "There are more: --since 12\n"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct term t = {.fd = -1, .out = SBUF_ON(*state)};
        check_has(rows[i].text, json_of(*state, &rows[i].f, SIZE_MAX), rows[i].json);
        check_has(rows[i].text, text_of(*state, &rows[i].f, SIZE_MAX), rows[i].text);
        feed_shape.term(&t, &rows[i].f);
        check_has(rows[i].text, sbuf_str(&t.out), rows[i].term);
    }
}

/* If only the first ones fit, the next question begins after the last of them: none is lost, and none comes twice. */
static void test_budget(void **state)
{
    struct arena *a = *state;
    int64_t cursor = feed_cursor(entries[2].at, TAG),
            first = feed_cursor(entries[0].at, TAG);
    struct vault_feed_answer f = {.items = entries, .n = 3, .cursor = cursor};
    const char *after = arena_printf(a, "since %lld]\n", (long long)first).p;
    str json = json_of(a, &f, 1), text = text_of(a, &f, 1);
    CHECK("only one", str_find(json, STR("b.md")) == STR_NONE);
    CHECK("only one", str_find(text, STR("b.md")) == STR_NONE);
    check_has("json", json,
              arena_printf(a, "{\"since\":%lld},\"cursor\":%lld}", (long long)first,
                           (long long)first)
                  .p);
    check_has("text", text, "[more: ");
    check_has("text", text, after);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_all),
        ARENA_TEST(test_remarks),
        ARENA_TEST(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
