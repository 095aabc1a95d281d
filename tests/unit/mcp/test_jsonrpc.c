#include "mcp/jsonrpc.h"

#include "base/utf8.h"
#include "quoted.h"

static void test_messages(void **state)
{
    static const struct {
        const char *text;
        enum rpc_kind kind;
        const char *id, *method; /* id as it was written */
    } cases[] = {
        {"{'jsonrpc':'2.0','id':1,'method':'ping'}", RPC_REQUEST, "1", "ping"},
        {"{'id':1,'method':'ping','jsonrpc':'2.0'}", RPC_REQUEST, "1", "ping"},
        {"{'jsonrpc':'2.0','id':'a','method':'ping'}", RPC_REQUEST, "'a'", "ping"},
        {"{'jsonrpc':'2.0','id':'','method':''}", RPC_REQUEST, "''", ""},
        {"{'jsonrpc':'2.0','id':0,'method':'x'}", RPC_REQUEST, "0", "x"},
        {"{'jsonrpc':'2.0','id':-7,'method':'x'}", RPC_REQUEST, "-7", "x"},
        {"{'jsonrpc':'2.0','id':123456789012345678901234567890,'method':'x'}",
         RPC_REQUEST, "123456789012345678901234567890", "x"},
        {"{'jsonrpc':'2.0','id':'\\u0041\\/','method':'x'}", RPC_REQUEST, "'\\u0041\\/'",
         "x"},
        {"{'jsonrpc':'2.0','id':1,'method':'x','params':{}}", RPC_REQUEST, "1", "x"},
        {"{'jsonrpc':'2.0','id':1,'method':'x','result':1,'stray':[]}", RPC_REQUEST, "1",
         "x"},
        {"{'jsonrpc':'2.0','method':'exit'}", RPC_NOTIFICATION, NULL, "exit"},
        {"{'jsonrpc':'2.0','method':'exit','params':{'a':1}}", RPC_NOTIFICATION, NULL,
         "exit"},
        {"{'jsonrpc':'2.0','id':'ask-1-0','result':{}}", RPC_RESPONSE, "'ask-1-0'", ""},
        {"{'jsonrpc':'2.0','id':1,'result':null}", RPC_RESPONSE, "1", ""},
        {"{'jsonrpc':'2.0','id':1,'error':{'code':1,'message':'m'}}", RPC_RESPONSE, "1",
         ""},
        {"{'jsonrpc':'2.0','error':{'code':1,'message':'m'}}", RPC_RESPONSE, NULL, ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rpc_message m;
        struct rpc_error bad = {0};
        if (!rpc_read(quoted_json(*state, cases[i].text), &m, &bad))
            fail_msg("%s: %s", cases[i].text, bad.message);
        CHECK_INT(cases[i].text, m.kind, cases[i].kind);
        CHECK_STR(cases[i].text, m.method, cases[i].method);
        CHECK_INT(cases[i].text, m.id != NULL, cases[i].id != NULL);
        if (m.id != NULL)
            CHECK_QUOTED(*state, cases[i].text, m.id->raw, cases[i].id);
    }
}

static void test_params(void **state)
{
    struct rpc_message m;
    struct rpc_error bad;
    const char *text = "{'jsonrpc':'2.0','id':1,'method':'x','params':{'a':[1]}}";
    assert_true(rpc_read(quoted_json(*state, text), &m, &bad));
    CHECK_QUOTED(*state, "params", m.params->raw, "{'a':[1]}");
    assert_null(m.result);
    assert_null(m.error);
    text = "{'jsonrpc':'2.0','id':1,'method':'x'}";
    assert_true(rpc_read(quoted_json(*state, text), &m, &bad));
    assert_null(m.params);
    text = "{'jsonrpc':'2.0','id':1,'result':{'b':2}}";
    assert_true(rpc_read(quoted_json(*state, text), &m, &bad));
    CHECK_QUOTED(*state, "result", m.result->raw, "{'b':2}");
    assert_null(m.error);
    text = "{'jsonrpc':'2.0','id':1,'error':{'code':-1}}";
    assert_true(rpc_read(quoted_json(*state, text), &m, &bad));
    CHECK_QUOTED(*state, "error", m.error->raw, "{'code':-1}");
    assert_null(m.result);
}

#define OBJECT "A JSON-RPC message must be an object"
#define VERSION "jsonrpc must be \"2.0\""
#define ID "id must be a string or an integer of at most 256 bytes"
#define SHAPE "A message needs a method, or an id with a result or an error"

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        int code;
        const char *message;
        bool has_id;
    } cases[] = {
        {"null", RPC_INVALID_REQUEST, OBJECT},
        {"5", RPC_INVALID_REQUEST, OBJECT},
        {"'text'", RPC_INVALID_REQUEST, OBJECT},
        {"[]", RPC_INVALID_REQUEST, OBJECT},
        {"{}", RPC_INVALID_REQUEST, VERSION},
        {"{'id':1,'method':'x'}", RPC_INVALID_REQUEST, VERSION, true},
        {"{'jsonrpc':'1.0','id':1,'method':'x'}", RPC_INVALID_REQUEST, VERSION, true},
        {"{'jsonrpc':2.0,'id':1,'method':'x'}", RPC_INVALID_REQUEST, VERSION, true},
        {"{'jsonrpc':null,'id':1,'method':'x'}", RPC_INVALID_REQUEST, VERSION, true},
        {"{'jsonrpc':'2.0'}", RPC_INVALID_REQUEST, SHAPE},
        {"{'jsonrpc':'2.0','id':1}", RPC_INVALID_REQUEST, SHAPE, true},
        {"{'jsonrpc':'2.0','result':{}}", RPC_INVALID_REQUEST, SHAPE},
        {"{'jsonrpc':'2.0','id':1,'result':{},'error':{}}", RPC_INVALID_REQUEST, SHAPE,
         true},
        {"{'jsonrpc':'2.0','id':1,'method':5}", RPC_INVALID_REQUEST,
         "method must be a string", true},
        {"{'jsonrpc':'2.0','id':1,'method':null}", RPC_INVALID_REQUEST,
         "method must be a string", true},
        {"{'jsonrpc':'2.0','id':null,'method':'x'}", RPC_INVALID_REQUEST, ID},
        {"{'jsonrpc':'2.0','id':1.0,'method':'x'}", RPC_INVALID_REQUEST, ID},
        {"{'jsonrpc':'2.0','id':1e2,'method':'x'}", RPC_INVALID_REQUEST, ID},
        {"{'jsonrpc':'2.0','id':true,'method':'x'}", RPC_INVALID_REQUEST, ID},
        {"{'jsonrpc':'2.0','id':{},'method':'x'}", RPC_INVALID_REQUEST, ID},
        {"{'jsonrpc':'2.0','id':[1],'method':'x'}", RPC_INVALID_REQUEST, ID},
        {"{'jsonrpc':'2.0','id':1,'method':'x','params':[1]}", RPC_INVALID_PARAMS,
         "params must be an object", true},
        {"{'jsonrpc':'2.0','id':1,'method':'x','params':null}", RPC_INVALID_PARAMS,
         "params must be an object", true},
        {"{'jsonrpc':'2.0','method':'x','params':'a'}", RPC_INVALID_PARAMS,
         "params must be an object"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct rpc_message m;
        struct rpc_error bad = {0};
        CHECK(cases[i].text, !rpc_read(quoted_json(*state, cases[i].text), &m, &bad));
        CHECK_INT(cases[i].text, bad.code, cases[i].code);
        CHECK_STR(cases[i].text, str_c(bad.message), cases[i].message);
        CHECK_INT(cases[i].text, bad.data.n, 0);
        CHECK_INT(cases[i].text, m.id != NULL, cases[i].has_id);
    }
    struct rpc_message m;
    struct rpc_error bad;
    assert_false(rpc_read(NULL, &m, &bad));
    CHECK_STR("nothing at all", str_c(bad.message), OBJECT);
}

/* The length as written: quotes and escapes count. */
static void test_id_length(void **state)
{
    struct arena *a = *state;
    static const struct {
        size_t n; /* of the id as text, with its quotes if any */
        bool quotes, ok;
    } cases[] = {
        {RPC_ID_MAX, false, true},
        {RPC_ID_MAX + 1, false, false},
        {RPC_ID_MAX, true, true},
        {RPC_ID_MAX + 1, true, false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char id[RPC_ID_MAX + 2] = {0};
        memset(id, '7', cases[i].n);
        if (cases[i].quotes)
            id[0] = id[cases[i].n - 1] = '"';
        str row = arena_printf(a, "%zu bytes, quotes %d", cases[i].n, cases[i].quotes);
        str text = arena_printf(a, "{'jsonrpc':'2.0','id':%s,'method':'x'}", id);
        struct rpc_message m;
        struct rpc_error bad;
        CHECK_INT(row.p, rpc_read(quoted_json(a, text.p), &m, &bad), cases[i].ok);
    }
}

static void test_fail_cuts(void **state)
{
    struct arena *a = *state;
    struct rpc_error e = {.data = STR("left over")};
    assert_false(rpc_fail(&e, -7, "%s and %d", "text", 5));
    CHECK_INT("code", e.code, -7);
    CHECK_STR("message", str_c(e.message), "text and 5");
    CHECK_INT("data", e.data.n, 0);

    struct sbuf b = SBUF_ON(a);
    for (int i = 0; i < 300; i++)
        sbuf_add(&b, STR("\xC3\xA9")); /* two bytes each */
    sbuf_char(&b, '\0');
    for (int odd = 0; odd < 2; odd++) {
        rpc_fail(&e, -7, "%s%s", odd ? "x" : "", b.p);
        CHECK("cut at a character", utf8_valid(str_c(e.message)));
        CHECK("as little as that takes", strlen(e.message) > sizeof(e.message) - 5);
    }
}

static void test_error_text(void **state)
{
    static const struct {
        const char *id; /* JSON, or NULL */
        struct rpc_error e;
        const char *want;
    } cases[] = {
        {"7",
         {-32601, "Method not found: x", {0}},
         "{'jsonrpc':'2.0','id':7,'error':{'code':-32601,'message':'Method not found: "
         "x'}}"},
        {"'\\u0061'",
         {-32600, "m", {0}},
         "{'jsonrpc':'2.0','id':'\\u0061','error':{'code':-32600,'message':'m'}}"},
        {NULL,
         {-32700, "Parse error", {0}},
         "{'jsonrpc':'2.0','error':{'code':-32700,'message':'Parse error'}}"},
        {"1",
         {-32602, "say \"x\"\n", STR("{\"uri\":\"a://b\"}")},
         "{'jsonrpc':'2.0','id':1,'error':{'code':-32602,'message':'say \\'x\\'\\n',"
         "'data':{'uri':'a://b'}}}"},
        {NULL,
         {1, "", STR("[1,2]")},
         "{'jsonrpc':'2.0','error':{'code':1,'message':'','data':[1,2]}}"},
        {"1",
         {1, "data that is not JSON is left out", STR("{broken")},
         "{'jsonrpc':'2.0','id':1,'error':{'code':1,'message':'data that is not JSON is "
         "left "
         "out'}}"},
        {"1",
         {1, "bad byte \xFF", {0}},
         "{'jsonrpc':'2.0','id':1,'error':{'code':1,'message':'bad byte \xEF\xBF\xBD'}}"},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct json *id =
            cases[i].id != NULL ? quoted_json(*state, cases[i].id) : NULL;
        CHECK_QUOTED(*state, cases[i].want, rpc_error_text(*state, id, &cases[i].e),
                     cases[i].want);
    }
}

static void test_begin(void **state)
{
    struct sbuf out = SBUF_ON(*state);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_result(&w, quoted_json(*state, "'a'"));
    jsonw_put_int(&w, STR("x"), 1);
    jsonw_end(&w);
    jsonw_end(&w);
    CHECK_QUOTED(*state, "result", sbuf_str(&out),
                 "{'jsonrpc':'2.0','id':'a','result':{'x':1}}");

    out.n = 0;
    w = JSONW_ON(&out);
    rpc_begin_call(&w, (str){0}, STR("notifications/x"));
    jsonw_end(&w);
    jsonw_end(&w);
    CHECK_QUOTED(*state, "notification", sbuf_str(&out),
                 "{'jsonrpc':'2.0','method':'notifications/x','params':{}}");

    out.n = 0;
    w = JSONW_ON(&out);
    rpc_begin_call(&w, STR("ask-1"), STR("roots/list"));
    jsonw_end(&w);
    jsonw_end(&w);
    CHECK_QUOTED(*state, "request", sbuf_str(&out),
                 "{'jsonrpc':'2.0','id':'ask-1','method':'roots/list','params':{}}");
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_messages),  ARENA_TEST(test_params),
        ARENA_TEST(test_refused),   ARENA_TEST(test_id_length),
        ARENA_TEST(test_fail_cuts), ARENA_TEST(test_error_text),
        ARENA_TEST(test_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
