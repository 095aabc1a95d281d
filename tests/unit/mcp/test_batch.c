#include "mcp/batch.h"
#include "mcp/server.h"

#include "asking.h"

static bool say(struct mcp_call *call, struct err *err)
{
    mcp_progress(call, 1, 1, STR(""));
    mcp_text(call, STR("hi"));
    return true;
}

static const struct mcp_tool say_tool = {
    .name = "say", .about = "x", .flags = MCP_QUICK, .run = say};
static const struct mcp_tool slow_tool = {.name = "slow", .about = "x", .run = say};

static bool hang(struct mcp_call *call, struct err *err)
{
    while (!mcp_cancelled(call))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return true;
}

static const struct mcp_tool hanging_tool = {.name = "hang", .about = "x", .run = hang};
static const struct mcp_tool *const tools[] = {&say_tool, &slow_tool, &hanging_tool,
                                               &roots_tool, NULL};

static int setup(void **state)
{
    struct peer *p = peer_create(&(struct mcp_config){.tools = tools});
    p->revision = MCP_2025_03_26;
    p->capabilities = CAN_ANSWER;
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    peer_free(*state);
    return 0;
}

static struct peer_call *send_batch(struct peer *p, const char *text)
{
    struct peer_call *c = peer_new_call(p);
    struct mcp_request *like = mcp_request_create(p->server);
    like->sink = &c->sink;
    like->scope = str_c(p->scope);
    like->client.revision = p->revision;
    like->client.can = mcp_read_capabilities(quoted_json(&p->arena, p->capabilities));
    const struct json *array;
    struct err err = {0};
    str copy = arena_str(&like->arena, quoted(&p->arena, text));
    if (!json_parse(&like->arena, copy, &array, &err))
        fail_msg("%s: %s", text, err.msg);
    mcp_serve_batch(like, array, true);
    return c;
}

#define PING(id) "{'jsonrpc':'2.0','id':" id ",'method':'ping'}"
#define PONG(id) "{'jsonrpc':'2.0','id':" id ",'result':{}}"
#define ERROR(id, code, message)                                                         \
    "{'jsonrpc':'2.0'," id "'error':{'code':" code ",'message':'" message "'}}"

static void test_answers(void **state)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"[" PING("1") "]", "[" PONG("1") "]"},
        {"[" PING("1") "," PING("'a'") "," PING("1") "]",
         "[" PONG("1") "," PONG("'a'") "," PONG("1") "]"},
        {"[" PING("1") ",{'jsonrpc':'2.0','method':'notifications/x'}," PING("2") "]",
         "[" PONG("1") "," PONG("2") "]"},
        {"[{'jsonrpc':'2.0','method':'notifications/x'}]", ""},
        {"[{'jsonrpc':'2.0','id':'ask-9-9','result':{}}]", ""},
        {"[{'jsonrpc':'2.0','method':'notifications/initialized'},{'jsonrpc':'2.0',"
         "'method':'notifications/cancelled','params':{'requestId':1}}]",
         ""},
        {"[5]", "[" ERROR("", "-32600", "A JSON-RPC message must be an object") "]"},
        {"[[]," PING("1") "]",
         "[" ERROR("", "-32600",
                   "A JSON-RPC message must be an object") "," PONG("1") "]"},
        {"[{'jsonrpc':'2.0','id':7}," PING("1") "]",
         "[" ERROR("'id':7,", "-32600",
                   "A message needs a method, or "
                   "an id with a result or an "
                   "error") "," PONG("1") "]"},
        {"[{'jsonrpc':'2.0','id':3,'method':'x','params':[]}]",
         "[" ERROR("'id':3,", "-32602", "params must be an object") "]"},
        {"[{'jsonrpc':'2.0','id':3,'method':'no/such'}]",
         "[" ERROR("'id':3,", "-32601", "Method not found: no/such") "]"},
        {"[{'jsonrpc':'2.0','id':3,'method':'initialize','params':{'protocolVersion':"
         "'2025-03-26'}}]",
         "[" ERROR("'id':3,", "-32600", "initialize cannot be sent in a batch") "]"},
        {"[{'jsonrpc':'2.0','id':3,'method':'tools/call','params':{'name':'say'}}]",
         "[{'jsonrpc':'2.0','id':3,'result':{'content':[{'type':'text','text':'hi'}]}}]"},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = send_batch(p, cases[i].text);
        CHECK_QUOTED(&p->arena, cases[i].text, peer_answer(c), cases[i].want);
        CHECK_INT(cases[i].text, c->code, 0);
    }
}

/* Slow and quick requests mixed: one array with every answer, in any order. */
static void test_mixed(void **state)
{
    enum { N = 100 };
    struct peer *p = *state;
    struct sbuf b = SBUF_ON(&p->arena);
    for (int i = 0; i < N; i++)
        sbuf_printf(
            &b,
            "%s{'jsonrpc':'2.0','id':%d,'method':'tools/call','params':{'name':'%s',"
            "'_meta':{'progressToken':%d}}}",
            i > 0 ? "," : "[", i, i % 2 ? "say" : "slow", i);
    sbuf_add(&b, STR("]\0"));
    for (int round = 0; round < 5; round++) {
        struct peer_call *c = send_batch(p, b.p);
        const struct json *j;
        struct err err;
        CHECK("valid", json_parse(&p->arena, peer_answer(c), &j, &err));
        CHECK("array", json_is(j, JSON_ARRAY));
        CHECK_INT("answers", j->n, N);
        CHECK_INT("progress of all", peer_n_sent(c), N);
        bool seen[N] = {false};
        for (const struct json *a = j->child; a != NULL; a = a->next) {
            int64_t id = -1;
            CHECK("id", json_int(json_get(a, STR("id")), &id) && id >= 0 && id < N);
            CHECK("once", !seen[id]);
            seen[id] = true;
        }
    }
}

/* A question goes out before the answer; the rest of the batch waits for it. */
static void test_question(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = send_batch(
        p,
        "[{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':'roots'}}," PING(
            "2") "]");
    const struct json *question;
    struct err err;
    CHECK("question", json_parse(&p->arena, peer_sent(c, 0), &question, &err));
    assert_false(peer_is_finished(c));
    /* the answer may also come in a batch */
    str id = json_get_str(question, STR("id"));
    str text = arena_printf(
        &p->arena, "[{'jsonrpc':'2.0','id':'" STR_FMT "','result':{}}]", STR_ARG(id));
    CHECK_STR("accepted", peer_answer(send_batch(p, text.p)), "");
    CHECK_QUOTED(
        &p->arena, "answers", peer_answer(c),
        "[" PONG("2") ",{'jsonrpc':'2.0','id':1,'result':{'content':[{'type':'text',"
                      "'text':'{}'}]}}]");
}

/* Cancelled requests get no answer, the others do. */
static void test_cancelled(void **state)
{
    struct peer *p = *state;
    struct peer_call *c =
        send_batch(p, "[{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':"
                      "'hang'}}," PING("2") "]");
    peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                 "'requestId':1}}");
    CHECK_QUOTED(&p->arena, "one answer", peer_answer(c), "[" PONG("2") "]");
    c = send_batch(p, "[{'jsonrpc':'2.0','id':1,'method':'tools/call','params':{'name':"
                      "'hang'}}]");
    peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                 "'requestId':1}}");
    CHECK_STR("none", peer_answer(c), "");
}

#define BATCH_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        BATCH_TEST(test_answers),
        BATCH_TEST(test_mixed),
        BATCH_TEST(test_question),
        BATCH_TEST(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
