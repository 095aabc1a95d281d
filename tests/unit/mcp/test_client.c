#include "mcp/client.h"

#include "quoted.h"

#define V "'" MCP_META "protocolVersion'"
#define C "'" MCP_META "clientCapabilities'"
#define I "'" MCP_META "clientInfo'"
#define L "'" MCP_META "logLevel'"
#define NOW V ":'2026-07-28'," C ":{}"

static enum mcp_claim read_claim(struct arena *a, const char *params,
                                 struct mcp_client *client, str *version,
                                 struct rpc_error *bad)
{
    *client = (struct mcp_client){.can = 0xAA};
    *version = (str){0};
    *bad = (struct rpc_error){0};
    const struct json *j = params != NULL ? quoted_json(a, params) : NULL;
    return mcp_read_claim(a, j, client, version, bad);
}

static void test_no_claim(void **state)
{
    static const char *const cases[] = {
        NULL,
        "{}",
        "{'_meta':{}}",
        "{'_meta':null}",
        "{'_meta':[]}",
        "{'_meta':'" MCP_META "protocolVersion'}",
        "{'_meta':{'progressToken':1}}",
        "{'_meta':{" C ":{}," I ":{}}}",
        "{'_meta':{'protocolVersion':'2026-07-28'}}",
        "{" V ":'2026-07-28'}",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mcp_client client;
        struct rpc_error bad;
        str version;
        const char *row = cases[i] != NULL ? cases[i] : "no params";
        CHECK_INT(row, read_claim(*state, cases[i], &client, &version, &bad),
                  MCP_NO_CLAIM);
        CHECK_INT(row, client.can, 0xAA);
    }
}

#define TEN "0123456789"

static void test_valid_claims(void **state)
{
    static const struct {
        const char *meta;
        unsigned can;
        enum mcp_log_level level;
        const char *label;
    } cases[] = {
        {NOW, 0, MCP_LOG_OFF, ""},
        {V ":'2026-07-28'," C ":{'roots':{},'unheard':{}}", MCP_CAN_LIST_ROOTS,
         MCP_LOG_OFF, ""},
        {NOW "," I ":{'name':'n','version':'v'}", 0, MCP_LOG_OFF, "n v"},
        {NOW "," I ":{'name':'n','version':'v','title':5,'icons':[]}", 0, MCP_LOG_OFF,
         "n v"},
        {NOW "," I ":{'name':'n','version':''}", 0, MCP_LOG_OFF, "n"},
        {NOW "," I ":{'name':'','version':'v'}", 0, MCP_LOG_OFF, "v"},
        {NOW "," I ":{'name':'a\\nb','version':'\\u0007\\u007f'}", 0, MCP_LOG_OFF,
         "a b   "},
        {NOW "," I ":{'name':'a\\u0000b','version':'1'}", 0, MCP_LOG_OFF, "a 1"},
        {NOW "," I ":{'name':'" TEN TEN TEN TEN TEN TEN "','version':'1.2.3'}", 0,
         MCP_LOG_OFF, TEN TEN TEN TEN TEN TEN " 1.2"},
        {NOW "," I ":{'name':'" TEN TEN TEN TEN TEN TEN "abcä','version':'1'}", 0,
         MCP_LOG_OFF, TEN TEN TEN TEN TEN TEN "abc"},
        {NOW "," L ":'warning'", 0, MCP_LOG_WARNING, ""},
        {NOW ",'progressToken':1,'traceparent':5,'io.example/x':null", 0, MCP_LOG_OFF,
         ""},
        {V ":'2026-07-28'," C ":{'extensions':{'" MCP_META "tasks':{}}}", MCP_CAN_TASKS,
         MCP_LOG_OFF, ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mcp_client client;
        struct rpc_error bad;
        str version, params = arena_printf(*state, "{'_meta':{%s}}", cases[i].meta);
        enum mcp_claim claim = read_claim(*state, params.p, &client, &version, &bad);
        if (claim != MCP_CLAIM_VALID)
            fail_msg("%s: %d, %s", cases[i].meta, claim, bad.message);
        CHECK_STR(cases[i].meta, version, "2026-07-28");
        CHECK_INT(cases[i].meta, client.revision, MCP_2026_07_28);
        CHECK_INT(cases[i].meta, client.can, cases[i].can);
        CHECK_INT(cases[i].meta, client.log_level, cases[i].level);
        CHECK_STR(cases[i].meta, str_c(client.label), cases[i].label);
    }
}

#define BAD(key, what) "params._meta[\"" MCP_META key "\"] " what
#define BAD_INFO BAD("clientInfo", "must be an object with name and version")
#define BAD_LEVEL BAD("logLevel", "must be a log level such as \"info\"")

static void test_broken_claims(void **state)
{
    static const struct {
        const char *meta, *message;
    } cases[] = {
        {V ":20260728," C ":{}", BAD("protocolVersion", "must be a string")},
        {V ":null," C ":{}", BAD("protocolVersion", "must be a string")},
        {V ":{}", BAD("protocolVersion", "must be a string")},
        {V ":'2026-07-28'", BAD("clientCapabilities", "is missing")},
        {V ":'2026-07-28'," C ":null", BAD("clientCapabilities", "must be an object")},
        {V ":'2026-07-28'," C ":[]", BAD("clientCapabilities", "must be an object")},
        {V ":'2026-07-28'," C ":true", BAD("clientCapabilities", "must be an object")},
        {V ":'2026-07-28'," C ":'{}'", BAD("clientCapabilities", "must be an object")},
        {NOW "," I ":null", BAD_INFO},
        {NOW "," I ":'n 1'", BAD_INFO},
        {NOW "," I ":[]", BAD_INFO},
        {NOW "," I ":{}", BAD_INFO},
        {NOW "," I ":{'name':'n'}", BAD_INFO},
        {NOW "," I ":{'version':'v'}", BAD_INFO},
        {NOW "," I ":{'name':1,'version':'v'}", BAD_INFO},
        {NOW "," I ":{'name':'n','version':1}", BAD_INFO},
        {NOW "," L ":'loud'", BAD_LEVEL},
        {NOW "," L ":'INFO'", BAD_LEVEL},
        {NOW "," L ":''", BAD_LEVEL},
        {NOW "," L ":1", BAD_LEVEL},
        {NOW "," L ":null", BAD_LEVEL},
        /* the version of a broken envelope is not checked */
        {V ":'2099-01-01'", BAD("clientCapabilities", "is missing")},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mcp_client client;
        struct rpc_error bad;
        str version, params = arena_printf(*state, "{'_meta':{%s}}", cases[i].meta);
        CHECK_INT(cases[i].meta, read_claim(*state, params.p, &client, &version, &bad),
                  MCP_CLAIM_BROKEN);
        CHECK_INT(cases[i].meta, bad.code, RPC_INVALID_PARAMS);
        CHECK_STR(cases[i].meta, str_c(bad.message), cases[i].message);
        CHECK_INT(cases[i].meta, client.can, 0xAA); /* untouched */
    }
}

static void test_unsupported_claims(void **state)
{
    static const char *const cases[] = {
        "2099-01-01", "2025-11-25", "2024-11-05",  "2026-07-27",
        "",           "v999.0.0",   "2026-07-28 ", "say \\'hi\\'",
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mcp_client client;
        struct rpc_error bad;
        str version,
            params = arena_printf(*state, "{'_meta':{" V ":'%s'," C ":{}}}", cases[i]);
        CHECK_INT(cases[i], read_claim(*state, params.p, &client, &version, &bad),
                  MCP_CLAIM_UNSUPPORTED);
        CHECK_INT(cases[i], bad.code, MCP_UNSUPPORTED_VERSION);
        CHECK_STR(cases[i], str_c(bad.message), "Unsupported protocol version");
        str want = arena_printf(*state, "{'supported':['2026-07-28'],'requested':'%s'}",
                                cases[i]);
        CHECK_QUOTED(*state, cases[i], bad.data, want.p);
        CHECK_INT(cases[i], client.can, 0xAA);
    }
}

static void test_missing_envelope(void **state)
{
    static const struct {
        const char *params, *message;
    } cases[] = {
        {"{}", "params._meta is missing: send " MCP_META "protocolVersion and " MCP_META
               "clientCapabilities in it, or begin with initialize"},
        {"{'_meta':5}",
         "params._meta is missing: send " MCP_META "protocolVersion and " MCP_META
         "clientCapabilities in it, or begin with initialize"},
        {"{'_meta':{}}", "params._meta lacks " MCP_META "protocolVersion (and " MCP_META
                         "clientCapabilities); or begin with initialize"},
    };

    struct rpc_error bad;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(cases[i].params,
              !mcp_missing_envelope(quoted_json(*state, cases[i].params), &bad));
        CHECK_INT(cases[i].params, bad.code, RPC_INVALID_PARAMS);
        CHECK_STR(cases[i].params, str_c(bad.message), cases[i].message);
    }
    assert_false(mcp_missing_envelope(NULL, &bad));
    CHECK_STR("no params", str_c(bad.message), cases[0].message);
}

static void test_initialize(void **state)
{
    static const struct {
        const char *params;
        enum mcp_revision revision;
        unsigned can;
        const char *label;
    } cases[] = {
        {"{'protocolVersion':'2024-11-05'}", MCP_2024_11_05, 0, ""},
        {"{'protocolVersion':'2025-03-26','capabilities':{}}", MCP_2025_03_26, 0, ""},
        {"{'protocolVersion':'2025-06-18','capabilities':{'roots':{'listChanged':true},"
         "'sampling':{},'elicitation':{}},'clientInfo':{'name':'n','version':'1'}}",
         MCP_2025_06_18, MCP_CAN_LIST_ROOTS | MCP_CAN_SAMPLE | MCP_CAN_ELICIT, "n 1"},
        {"{'protocolVersion':'2025-11-25'}", MCP_2025_11_25, 0, ""},
        /* unknown revisions and the modern one get the newest that has a handshake */
        {"{'protocolVersion':'2026-07-28'}", MCP_2025_11_25, 0, ""},
        {"{'protocolVersion':'2099-01-01'}", MCP_2025_11_25, 0, ""},
        {"{'protocolVersion':'1.0'}", MCP_2025_11_25, 0, ""},
        {"{'protocolVersion':''}", MCP_2025_11_25, 0, ""},
        /* tasks belong to the modern era; UI does not */
        {"{'protocolVersion':'2025-11-25','capabilities':{'extensions':{'" MCP_META
         "tasks':{},'" MCP_META "ui':{}}}}",
         MCP_2025_11_25, MCP_CAN_SHOW_UI, ""},
        /* a strange clientInfo is no reason to refuse */
        {"{'protocolVersion':'2025-11-25','clientInfo':5}", MCP_2025_11_25, 0, ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct mcp_client client;
        struct rpc_error bad = {0};
        if (!mcp_read_initialize(quoted_json(*state, cases[i].params), &client, &bad))
            fail_msg("%s: %s", cases[i].params, bad.message);
        CHECK_INT(cases[i].params, client.revision, cases[i].revision);
        CHECK_INT(cases[i].params, client.can, cases[i].can);
        CHECK_INT(cases[i].params, client.log_level, MCP_LOG_DEBUG);
        CHECK_STR(cases[i].params, str_c(client.label), cases[i].label);
    }
}

static void test_initialize_refused(void **state)
{
    static const struct {
        const char *params, *message;
    } cases[] = {
        {"{}", "initialize needs protocolVersion (a string)"},
        {"{'protocolVersion':20251125}", "initialize needs protocolVersion (a string)"},
        {"{'protocolVersion':null}", "initialize needs protocolVersion (a string)"},
        {"{'protocolVersion':'2025-11-25','capabilities':[]}",
         "capabilities must be an object"},
        {"{'protocolVersion':'2025-11-25','capabilities':null}",
         "capabilities must be an object"},
    };

    struct mcp_client client;
    struct rpc_error bad;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        CHECK(cases[i].params,
              !mcp_read_initialize(quoted_json(*state, cases[i].params), &client, &bad));
        CHECK_INT(cases[i].params, bad.code, RPC_INVALID_PARAMS);
        CHECK_STR(cases[i].params, str_c(bad.message), cases[i].message);
    }
    assert_false(mcp_read_initialize(NULL, &client, &bad));
    CHECK_STR("no params", str_c(bad.message), cases[0].message);
}

static void test_capabilities(void **state)
{
    static const struct {
        const char *declared;
        unsigned can;
    } cases[] = {
        {"{}", 0},
        {"null", 0},
        {"[]", 0},
        {"{'elicitation':{}}", MCP_CAN_ELICIT},
        {"{'elicitation':{'form':{}}}", MCP_CAN_ELICIT},
        {"{'elicitation':{'url':{}}}", MCP_CAN_ELICIT_URL},
        {"{'elicitation':{'form':{},'url':{}}}", MCP_CAN_ELICIT | MCP_CAN_ELICIT_URL},
        {"{'elicitation':{'form':{'x':1}}}", MCP_CAN_ELICIT},
        {"{'elicitation':null}", 0},
        {"{'elicitation':true}", 0},
        {"{'elicitation':[]}", 0},
        {"{'sampling':{}}", MCP_CAN_SAMPLE},
        {"{'sampling':{'tools':{},'context':{}}}", MCP_CAN_SAMPLE | MCP_CAN_SAMPLE_TOOLS},
        {"{'sampling':{'tools':false}}", MCP_CAN_SAMPLE},
        {"{'sampling':1}", 0},
        {"{'roots':{'listChanged':true}}", MCP_CAN_LIST_ROOTS},
        {"{'roots':null}", 0},
        {"{'extensions':{}}", 0},
        {"{'extensions':{'" MCP_META "tasks':{}}}", MCP_CAN_TASKS},
        {"{'extensions':{'" MCP_META "ui':{'mimeTypes':[]}}}", MCP_CAN_SHOW_UI},
        {"{'extensions':{'tasks':{}},'tasks':{}}", 0},
        {"{'experimental':{'sampling':{}},'form':{}}", 0},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_INT(cases[i].declared,
                  mcp_read_capabilities(quoted_json(*state, cases[i].declared)),
                  cases[i].can);
    CHECK_INT("absent", mcp_read_capabilities(NULL), 0);
}

/* The object that we demand declares exactly that capability. */
static void test_capability_json(void **state)
{
    for (unsigned can = MCP_CAN_ELICIT; can <= MCP_CAN_SHOW_UI; can *= 2) {
        const struct json *j;
        struct err err;
        const char *text = mcp_capability_json((enum mcp_can)can);
        CHECK(text, json_parse(*state, str_c(text), &j, &err));
        unsigned found = mcp_read_capabilities(j);
        CHECK(text, (found & can) != 0);
        if (can != MCP_CAN_SAMPLE_TOOLS) /* which is sampling, too */
            CHECK_INT(text, found, can);
    }
    CHECK_STR("none", str_c(mcp_capability_json((enum mcp_can)0)), "{}");
}

static void test_log_levels(void **state)
{
    static const char *const names[] = {"debug", "info",     "notice", "warning",
                                        "error", "critical", "alert",  "emergency"};
    static const char *const wrong[] = {"", "Debug", "warn", "off", "debug ", "emerg"};

    (void)state;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        enum mcp_log_level level = MCP_LOG_OFF;
        CHECK(names[i], mcp_log_level_find(str_c(names[i]), &level));
        CHECK_INT(names[i], level, i);
        CHECK_STR(names[i], mcp_log_level_name(level), names[i]);
    }
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        enum mcp_log_level level = MCP_LOG_ALERT;
        CHECK(wrong[i], !mcp_log_level_find(str_c(wrong[i]), &level));
        CHECK_INT(wrong[i], level, MCP_LOG_ALERT);
    }
}

static void test_revisions(void **state)
{
    static const struct {
        const char *name;
        enum mcp_revision revision;
        bool names_modern;
    } cases[] = {
        {"2024-11-05", MCP_2024_11_05, false},  {"2025-03-26", MCP_2025_03_26, false},
        {"2025-06-18", MCP_2025_06_18, false},  {"2025-11-25", MCP_2025_11_25, false},
        {"2026-07-28", MCP_2026_07_28, true},   {"2099-01-01", MCP_NO_REVISION, true},
        {"2026-07-27", MCP_NO_REVISION, false}, {"2026-07-280", MCP_NO_REVISION, true},
        {"2026-07-2", MCP_NO_REVISION, false},  {"", MCP_NO_REVISION, false},
        {"1.0", MCP_NO_REVISION, false},        {"draft", MCP_NO_REVISION, true},
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        enum mcp_revision r = mcp_revision_find(str_c(cases[i].name));
        CHECK_INT(cases[i].name, r, cases[i].revision);
        CHECK_INT(cases[i].name, mcp_names_modern(str_c(cases[i].name)),
                  cases[i].names_modern);
        if (r != MCP_NO_REVISION) {
            CHECK_STR(cases[i].name, mcp_revision_name(r), cases[i].name);
            CHECK_INT(cases[i].name, mcp_is_modern(r), cases[i].names_modern);
        }
    }
    assert_false(mcp_is_modern(MCP_NO_REVISION));
}

#define TRACE "0af7651916cd43dd8448eb211c80319c"

static void test_traces(void **state)
{
    static const struct {
        const char *params, *want;
    } cases[] = {
        {"{'_meta':{'traceparent':'00-" TRACE "-b7ad6b7169203331-01'}}", TRACE},
        {"{'_meta':{'traceparent':'01-" TRACE "-b7ad6b7169203331-01-later'}}", TRACE},
        {"{'_meta':{'traceparent':'ff-" TRACE "-b7ad6b7169203331-01'}}", ""},
        {"{'_meta':{'traceparent':'00-" TRACE "-0000000000000000-01'}}", ""},
        {"{'_meta':{'traceparent':'00-00000000000000000000000000000000-b7ad6b7169203331-"
         "01'}}",
         ""},
        {"{'_meta':{'traceparent':'00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-"
         "01'}}",
         ""},
        {"{'_meta':{'traceparent':'00-" TRACE "0-b7ad6b7169203331-01'}}", ""},
        {"{'_meta':{'traceparent':'00-" TRACE "'}}", ""},
        {"{'_meta':{'traceparent':'x\\ny'}}", ""},
        {"{'_meta':{'traceparent':5}}", ""},
        {"{'_meta':[]}", ""},
        {"{}", ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        CHECK_STR(cases[i].params, mcp_read_trace(quoted_json(*state, cases[i].params)),
                  cases[i].want);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        ARENA_TEST(test_no_claim),           ARENA_TEST(test_valid_claims),
        ARENA_TEST(test_broken_claims),      ARENA_TEST(test_unsupported_claims),
        ARENA_TEST(test_missing_envelope),   ARENA_TEST(test_initialize),
        ARENA_TEST(test_initialize_refused), ARENA_TEST(test_capabilities),
        ARENA_TEST(test_capability_json),    cmocka_unit_test(test_log_levels),
        cmocka_unit_test(test_revisions),    ARENA_TEST(test_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
