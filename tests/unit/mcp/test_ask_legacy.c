/* Questions to a legacy client: server requests on the stream of the call. */
#include "mcp/call.h"

#include <stdatomic.h>
#include <unistd.h>

#include "asking.h"
#include "mcp/core.h"
#include "mcp/server.h"

static int setup(void **state)
{
    struct peer *p = peer_create(&asking);
    p->capabilities = CAN_ANSWER;
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

static struct peer_call *call_tool(struct peer *p, const char *name)
{
    return peer_send(p, "tools/call", arena_printf(&p->arena, "'name':'%s'", name).p);
}

/* The id of the i-th message, which is a server request. */
static str id_of(struct peer_call *c, size_t i)
{
    const struct json *j;
    struct err err = {0};
    str text = peer_sent(c, i);
    if (!json_parse(&c->peer->arena, text, &j, &err))
        fail_msg("no question: " STR_FMT, STR_ARG(text));
    return json_get_str(j, STR("id"));
}

/* Answer the i-th question; rest is "'result':…" or "'error':…". */
static bool answer(struct peer_call *c, size_t i, const char *rest)
{
    struct arena *a = &c->peer->arena;
    str id = id_of(c, i);
    return peer_tell(
        c->peer,
        arena_printf(a, "{'jsonrpc':'2.0','id':'" STR_FMT "',%s}", STR_ARG(id), rest).p);
}

#define YES "'result':{'action':'accept','content':{'ok':true}}"
#define REFUSED "A question was not answered: the client refused to answer"

/* --- one question --- */

static void test_question(void **state)
{
    static const struct {
        const char *method, *params, *result;
    } cases[] = {
        {"tools/call", "'name':'confirm','arguments':{'path':'a'}",
         "'content':[{'type':'text','text':'asked'},{'type':'text','text':'did a'}]"},
        {"tools/call", "'name':'quick'",
         "'content':[{'type':'text','text':'asked'},{'type':'text','text':'did it'}]"},
        {"prompts/get", "'name':'asking'",
         "'description':'Asks','messages':[{'role':'user','content':{'type':'text','text'"
         ":"
         "'asked'}},{'role':'user','content':{'type':'text','text':'did it'}}]"},
        {"resources/read", "'uri':'ask://x'",
         "'contents':[{'uri':'ask://x','mimeType':'text/plain','text':'read'}]"},
    };

    struct peer *p = *state;
    for (p->revision = MCP_2024_11_05; p->revision <= MCP_NEWEST_LEGACY; p->revision++) {
        const char *mode = p->revision >= MCP_2025_11_25 ? "'mode':'form'," : "";
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            struct peer_call *c = peer_send(p, cases[i].method, cases[i].params);
            str id = id_of(c, 0);
            str want = arena_printf(
                &p->arena,
                "{'jsonrpc':'2.0','id':'" STR_FMT
                "','method':'elicitation/create','params':{%s" SURE_PARAMS "}}",
                STR_ARG(id), mode);
            CHECK_QUOTED(&p->arena, cases[i].params, peer_sent(c, 0), want.p);
            assert_false(peer_is_finished(c));
            CHECK(cases[i].params, answer(c, 0, YES));
            CHECK_DONE(cases[i].params, c, cases[i].result);
            CHECK_INT(cases[i].params, peer_n_sent(c), 1);
        }
    }
}

static void test_answers(void **state)
{
    static const struct {
        const char *answer, *text;
    } cases[] = {
        {YES, "did it"},
        {"'result':{'action':'accept','content':{'ok':'false'}}", "left it"},
        {"'result':{'action':'decline'}", "declined"},
        {"'result':{'action':'cancel'}", "declined"},
        {"'result':{}", "declined"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = call_tool(p, "confirm");
        CHECK(cases[i].answer, answer(c, 0, cases[i].answer));
        str want = arena_printf(
            &p->arena,
            "'content':[{'type':'text','text':'asked'},{'type':'text','text':'%s'}]",
            cases[i].text);
        CHECK_DONE(cases[i].answer, c, want.p);
    }
}

static void test_refusal(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "confirm");
    CHECK("taken", answer(c, 0, "'error':{'code':-32601,'message':'Method not found'}"));
    CHECK_FAILED("refused", c, RPC_INTERNAL_ERROR, REFUSED, NULL);
    CHECK("too late", !answer(c, 0, YES));
}

/* Only the client that was asked may answer, by the given id, and only once. */
static void test_strangers(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "three");
    str id = id_of(c, 2);
    p->scope = "elsewhere";
    CHECK("another client", !answer(c, 0, "'result':{}"));
    p->scope = "here";
    CHECK("no such id", !peer_tell(p, "{'jsonrpc':'2.0','id':'ask-0-0','result':{}}"));
    CHECK("a number", !peer_tell(p, "{'jsonrpc':'2.0','id':1,'result':{}}"));
    CHECK("no id", !peer_tell(p, "{'jsonrpc':'2.0','error':{'code':1,'message':'m'}}"));
    CHECK("almost",
          !peer_tell(p, arena_printf(&p->arena,
                                     "{'jsonrpc':'2.0','id':'" STR_FMT "0','result':{}}",
                                     STR_ARG(id))
                            .p));
    CHECK("the right one", answer(c, 0, "'result':{'n':1}"));
    answer(c, 0, "'result':{'n':9}"); /* the first answer counts */
    assert_false(peer_is_finished(c));
    CHECK("the others",
          answer(c, 1, "'result':{'n':2}") && answer(c, 2, "'result':{'n':3}"));
    CHECK_STR("all", peer_text(c), "{\"n\":1}{\"n\":2}{\"n\":3}");
    CHECK("no call waits", !answer(c, 0, "'result':{}"));
}

/* Handlers can rely on the answer being an object. */
static void test_result_is_no_object(void **state)
{
    static const char *const cases[] = {"'result':5", "'result':null", "'result':[]",
                                        "'result':'accept'", "'result':true"};

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = call_tool(p, "roots");
        answer(c, 0, cases[i]);
        peer_answer(c);
        CHECK(cases[i], c->code != 0);
    }
}

/* --- several --- */

static void test_three_at_once(void **state)
{
    static const size_t orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        struct peer_call *c = call_tool(p, "three");
        str one = id_of(c, 0), two = id_of(c, 1), three_ = id_of(c, 2);
        CHECK("ids differ",
              !str_eq(one, two) && !str_eq(two, three_) && !str_eq(one, three_));
        CHECK("methods",
              str_find(peer_sent(c, 0), STR("sampling/createMessage")) != STR_NONE);
        CHECK("methods", str_find(peer_sent(c, 1), STR("roots/list")) != STR_NONE);
        for (size_t k = 0; k < 3; k++) {
            assert_false(peer_is_finished(c));
            size_t which = orders[i][k];
            str result = arena_printf(&p->arena, "'result':{'n':%zu}", which + 1);
            CHECK("taken", answer(c, which, result.p));
        }
        CHECK_STR("all", peer_text(c), "{\"n\":1}{\"n\":2}{\"n\":3}");
        CHECK_INT("each was asked once", peer_n_sent(c), 3);
    }
}

static void test_one_of_three_refused(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "three");
    CHECK("one", answer(c, 0, "'result':{}"));
    CHECK("refused", answer(c, 1, "'error':{'code':-1,'message':'no'}"));
    CHECK_FAILED("all", c, RPC_INTERNAL_ERROR, REFUSED, NULL);
}

static void test_rounds(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "rounds");
    CHECK("first", answer(c, 0, "'result':{'action':'accept','content':{'name':'Ada'}}"));
    CHECK("second",
          answer(c, 1, "'result':{'action':'accept','content':{'color':'red'}}"));
    CHECK_STR("text", peer_text(c), "Ada likes red");
    CHECK("ids differ", !str_eq(id_of(c, 0), id_of(c, 1)));
}

/* Permission for one plan is not permission for another. */
static void test_SEC_123_other_plan(void **state)
{
    struct peer *p = *state;
    plan = "a";
    struct peer_call *c = call_tool(p, "permit");
    id_of(c, 0);
    plan = "b";
    CHECK("accepted", answer(c, 0, "'result':{'action':'accept'}"));
    id_of(c, 1);
    CHECK("answered before", !answer(c, 0, "'result':{'action':'accept'}"));
    CHECK("accepted", answer(c, 1, "'result':{'action':'accept'}"));
    CHECK_STR("text", peer_text(c), "carried out b");
}

/* Calls that wait at the same time, answered in another order. */
static void test_calls_side_by_side(void **state)
{
    enum { CALLS = 50 };
    struct peer *p = *state;
    struct peer_call *calls[CALLS];
    p->wait = true;
    for (size_t i = 0; i < CALLS; i++)
        calls[i] = call_tool(p, "roots");
    for (size_t i = CALLS; i-- > 0;) {
        str result = arena_printf(&p->arena, "'result':{'n':%zu}", i);
        CHECK("taken", answer(calls[i], 0, result.p));
    }
    for (size_t i = 0; i < CALLS; i++) {
        str want = arena_printf(&p->arena, "{\"n\":%zu}", i);
        CHECK_STR("its own answer", peer_text(calls[i]), want);
    }
}

/* --- an answer that does not match --- */

static void test_unfit_content(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "confirm");
    CHECK("unfit", answer(c, 0, "'result':{'action':'accept','content':{'ok':'maybe'}}"));
    CHECK("asked again",
          str_find(peer_sent(c, 1), STR("elicitation/create")) != STR_NONE);
    assert_false(peer_is_finished(c));
    CHECK("fit", answer(c, 1, YES));
    CHECK("done", peer_result(c) != NULL);
}

/* A session never sees one of our ids twice (specification, base protocol). */
static void test_ids_are_new(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "confirm");
    answer(c, 0, "'result':{'action':'accept','content':{}}");
    str first = id_of(c, 0), second = id_of(c, 1);
    CHECK("another id", !str_eq(first, second));
    answer(c, 1, YES);
    peer_answer(c);
}

/* --- answers that arrive immediately --- */

/* Answers from within the sink, before the call is parked. */
static void answer_at_once(struct peer_call *c, str message)
{
    struct arena a = {0};
    const struct json *question, *j;
    struct rpc_message m;
    struct rpc_error bad;
    struct err err;
    if (json_parse(&a, message, &question, &err)) {
        str text =
            arena_printf(&a, "{\"jsonrpc\":\"2.0\",\"id\":" STR_FMT ",\"result\":{}}",
                         STR_ARG(json_get(question, STR("id"))->raw));
        if (json_parse(&a, text, &j, &err) && rpc_read(j, &m, &bad))
            mcp_answered(c->peer->server, STR("here"), &m);
    }
    arena_release(&a);
}

static void test_answered_at_once(void **state)
{
    struct peer *p = *state;
    p->heard = answer_at_once;
    p->wait = true;
    struct peer_call *calls[100];
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        calls[i] = call_tool(p, i % 2 ? "three" : "roots");
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        CHECK_STR("answered", peer_text(calls[i]), i % 2 ? "{}{}{}" : "{}");
}

/* Refuses from within the sink. */
static void refuse_at_once(struct peer_call *c, str message)
{
    struct arena a = {0};
    const struct json *question;
    struct err err;
    if (json_parse(&a, message, &question, &err)) {
        struct rpc_message m = {.kind = RPC_RESPONSE,
                                .id = json_get(question, STR("id"))};
        m.error = question; /* anything */
        mcp_answered(c->peer->server, STR("here"), &m);
    }
    arena_release(&a);
}

static void test_refused_at_once(void **state)
{
    struct peer *p = *state;
    p->heard = refuse_at_once;
    CHECK_FAILED("three", call_tool(p, "three"), RPC_INTERNAL_ERROR, REFUSED, NULL);
    CHECK_FAILED("one", call_tool(p, "roots"), RPC_INTERNAL_ERROR, REFUSED, NULL);
}

/* --- the end before an answer --- */

static void test_cancelled_while_waiting(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "confirm");
    id_of(c, 0);
    peer_tell(p,
              arena_printf(&p->arena,
                           "{'jsonrpc':'2.0','method':'notifications/cancelled','params':"
                           "{'requestId':%s}}",
                           c->id)
                  .p);
    CHECK_STR("no answer", peer_answer(c), "");
    CHECK("no call waits", !answer(c, 0, YES));
}

static void test_drained_while_waiting(void **state)
{
    struct peer *p = *state;
    struct peer_call *calls[8];
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        calls[i] = call_tool(p, i % 2 ? "three" : "quick");
        id_of(calls[i], 0);
    }
    mcp_server_drain(p->server, 5000);
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        CHECK("ended by then", peer_is_finished(calls[i]));
}

static atomic_int ended_calls;

static void count_end(struct peer_call *c)
{
    (void)c;
    ended_calls++;
}

/* The server stops while calls wait and answers arrive: each call ends once, and nothing leaks. */
static void test_freed_while_waiting(void **state)
{
    enum { ROUNDS = 20 };
    (void)state;
    ended_calls = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct peer *p = peer_create(&asking);
        p->capabilities = CAN_ANSWER;
        p->ending = count_end;
        struct peer_call *one = call_tool(p, "confirm");
        struct peer_call *two = call_tool(p, "roots");
        id_of(one, 0);
        answer(two, 0, "'result':{}");
        peer_free(p);
    }
    CHECK_INT("both calls of each round", ended_calls, 2 * ROUNDS);
}

/* --- clients that cannot be asked --- */

static void test_cannot(void **state)
{
    struct peer *p = *state;
    p->capabilities = "{}";
    struct peer_call *c = call_tool(p, "confirm");
    peer_answer(c);
    CHECK_INT("not asked", peer_n_sent(c), 0);
    CHECK("fails", c->code != 0 || json_get_true(peer_result(c), STR("isError")));
}

#define ASK_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* Questions that are not answered keep their requests: the oldest of a caller that has too
 * many bytes of them is given up, and no other caller's. */
static void test_questions_are_bounded(void **state)
{
    enum { SIZE = 8 << 20, MOST = MCP_BYTES_SHARE / SIZE + 1 };
    struct peer *p = *state;
    char *path = arena_alloc(&p->arena, SIZE + 1);
    memset(path, 'x', SIZE);
    path[SIZE] = '\0';
    p->caller.share = 8;
    struct peer_call *other = call_tool(p, "confirm"), *first = NULL, *last = NULL;
    id_of(other, 0);
    p->caller.share = 7;
    const char *params =
        arena_printf(&p->arena, "'name':'confirm','arguments':{'path':'%s'}", path).p;
    for (int i = 0; i < MOST && (first == NULL || !peer_is_finished(first)); i++) {
        last = peer_send(p, "tools/call", params);
        id_of(last, 0);
        first = first != NULL ? first : last;
    }
    CHECK_FAILED("the oldest", first, RPC_INTERNAL_ERROR,
                 "A question was not answered: too many questions are open, and this one "
                 "is the oldest",
                 NULL);
    CHECK("the newest waits", !peer_is_finished(last));
    CHECK("those of others wait", !peer_is_finished(other));
    CHECK("and can be answered", answer(other, 0, YES));
    peer_answer(other);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ASK_TEST(test_question),
        ASK_TEST(test_questions_are_bounded),
        ASK_TEST(test_answers),
        ASK_TEST(test_refusal),
        ASK_TEST(test_strangers),
        ASK_TEST(test_result_is_no_object),
        ASK_TEST(test_three_at_once),
        ASK_TEST(test_one_of_three_refused),
        ASK_TEST(test_rounds),
        ASK_TEST(test_SEC_123_other_plan),
        ASK_TEST(test_calls_side_by_side),
        ASK_TEST(test_unfit_content),
        ASK_TEST(test_ids_are_new),
        ASK_TEST(test_answered_at_once),
        ASK_TEST(test_refused_at_once),
        ASK_TEST(test_cancelled_while_waiting),
        ASK_TEST(test_drained_while_waiting),
        cmocka_unit_test(test_freed_while_waiting),
        ASK_TEST(test_cannot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
