/* What the command line and a server say to each other about proposals: nothing is lost on the way, and a request that is
 * not understood decides nothing. */
#include "app/setup/proposed_request.h"

#include "base/sbuf.h"
#include "check.h"
#include "quoted.h"

static const str paths[] = {{"a \"quoted\" name.md", 18}, {"b/ü.md", 7}};

static void test_round_trip(void **state)
{
    static const struct proposed_request rows[] = {
        {.verb = PROPOSED_LIST},
        {.verb = PROPOSED_LINK, .vault = {"work", 4}},
        {.verb = PROPOSED_SHOW,
         .folder = {"/home/ann/my notes", 18},
         .decision = {.id = {"p1", 2}, .choice = {"1.2,2", 5}}},
        {.verb = PROPOSED_DECIDE,
         .decision = {.id = {"p1", 2},
                      .files = paths,
                      .n_files = COUNT_OF(paths),
                      .seen = {"0123", 4},
                      .by = {"ann", 3},
                      .reason = {"two\nlines", 9}}},
        {.verb = PROPOSED_DECIDE, .decision = {.id = {"p1", 2}, .choice = {"none", 4}}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct proposed_request *r = &rows[i];
        struct proposed_request got;
        struct err err = {0};
        str text = proposed_request_print(*state, r);
        if (!proposed_request_read(*state, text, &got, &err))
            fail_msg("%s: " STR_FMT, err.msg, STR_ARG(text));
        CHECK_INT(text.p, got.verb, r->verb);
        CHECK_STR(text.p, got.vault, r->vault);
        CHECK_STR(text.p, got.folder, r->folder);
        CHECK_STR(text.p, got.decision.id, r->decision.id);
        CHECK_STR(text.p, got.decision.choice, r->decision.choice);
        CHECK_STR(text.p, got.decision.seen, r->decision.seen);
        CHECK_STR(text.p, got.decision.by, r->decision.by);
        CHECK_STR(text.p, got.decision.reason, r->decision.reason);
        CHECK_INT(text.p, got.decision.n_files, r->decision.n_files);
        for (size_t k = 0; k < got.decision.n_files; k++)
            CHECK_STR(text.p, got.decision.files[k], r->decision.files[k]);
    }
}

/* Without files, a decision is about all of them: so a list that is not understood must not count as none. */
static void test_refused(void **state)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "JSON"},
        {"[]", "not a request about proposals"},
        {"{}", "not a request about proposals"},
        {"{'do':'accept','id':'p1'}", "not a request about proposals"},
        {"{'do':1}", "not a request about proposals"},
        {"{'do':'decide','id':'p1','files':[1]}", "by its path"},
        {"{'do':'decide','id':'p1','files':['a.md',null]}", "by its path"},
        {"{'do':'decide','id':'p1','files':'a.md'}", "by its path"},
        {"{'do':'decide','id':'p1','files':{'a.md':1}}", "by its path"},
        {"{'do':'decide','id':'p1','files':[]}", "by its path"},
        {"{'do':'decide','id':'p1','choice':['none']}", "'choice' must be a text"},
        {"{'do':'decide','id':'p1','choice':null}", "'choice' must be a text"},
        {"{'do':'decide','id':1}", "'id' must be a text"},
        {"{'do':'list','vault':7}", "'vault' must be a text"},
        {"{'do':'list','folder':false}", "'folder' must be a text"},
        {"{'do':'decide','id':'p1','seen':12}", "'seen' must be a text"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct proposed_request got;
        struct err err = {0};
        bool ok = proposed_request_read(*state, quoted(*state, rows[i].text), &got, &err);
        CHECK(rows[i].text, !ok);
        CHECK_INT(rows[i].text, err.code, ERR_INVALID);
        if (strstr(err.msg, rows[i].why) == NULL)
            fail_msg("%s: '%s', want '%s'", rows[i].text, err.msg, rows[i].why);
    }
}

static str printed(struct arena *a, const struct err *err)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    proposed_put_error(&w, err);
    return sbuf_str(&out);
}

static void test_errors(void **state)
{
    static const struct {
        enum err_code code;
        bool stale;
    } rows[] = {{ERR_INVALID, false},  {ERR_NOT_FOUND, false}, {ERR_CONFLICT, true},
                {ERR_CONFLICT, false}, {ERR_BUSY, false},      {ERR_INTERNAL, false}};
    struct arena *a = *state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = {0}, got = {0};
        const struct json *j;
        if (rows[i].stale)
            err_named(&err, E_STALE, "'%s' has changed", "100%s.md");
        else
            err_set(&err, rows[i].code, "'%s' has changed", "100%s.md");
        str text = printed(a, &err);
        assert_true(json_parse(a, text, &j, &got));
        CHECK(text.p, proposed_read_error(j, &got));
        CHECK_INT(text.p, got.code, err.code);
        CHECK_STR(text.p, str_c(got.msg), "'100%s.md' has changed");
        CHECK(text.p, (got.name == E_STALE) == rows[i].stale);
    }
}

/* An answer of another version, or of something else. */
static void test_odd_errors(void **state)
{
    static const struct {
        const char *text;
        bool is;
        enum err_code code;
    } rows[] = {
        {"{'proposals':[]}", false, ERR_NONE},
        {"{'error':'','code':1}", false, ERR_NONE},
        {"[]", false, ERR_NONE},
        {"{'error':'x','code':0}", true, ERR_INTERNAL},
        {"{'error':'x','code':-1}", true, ERR_INTERNAL},
        {"{'error':'x','code':4000}", true, ERR_INTERNAL},
        {"{'error':'x'}", true, ERR_INTERNAL},
        {"{'error':'x','code':'1'}", true, ERR_INTERNAL},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct err err = {0};
        const struct json *j;
        assert_true(json_parse(*state, quoted(*state, rows[i].text), &j, &err));
        CHECK_INT(rows[i].text, proposed_read_error(j, &err), rows[i].is);
        CHECK_INT(rows[i].text, err.code, rows[i].code);
    }
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_round_trip),
        ARENA_TEST(test_refused),
        ARENA_TEST(test_errors),
        ARENA_TEST(test_odd_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
