#include "mcp/server.h"
#include "mcp/stdio.h"

#include "pipes.h"

/* --- framing --- */

static void test_framing(void **state)
{
    static const struct {
        const char *name, *in, *out;
    } cases[] = {
        {"nothing", "", ""},
        {"one", PING("1") "\n", PONG("1") "\n"},
        {"two", PING("1") "\n" PING("2") "\n", PONG("1") "\n" PONG("2") "\n"},
        {"CRLF", PING("1") "\r\n" PING("2") "\r\n", PONG("1") "\n" PONG("2") "\n"},
        {"empty lines", "\n\r\n  \t\n" PING("1") "\n\n \n", PONG("1") "\n"},
        {"spaces around", "  " PING("1") "\t \n", PONG("1") "\n"},
        {"a carriage return inside", "{'jsonrpc':'2.0',\r'id':1,'method':'ping'}\n",
         PONG("1") "\n"},
        {"garbage, then sync", "garbage\n" PING("1") "\n",
         ERROR(
             "", "-32700",
             "Parse error: invalid JSON at byte 0: expected a value") "\n" PONG("1") "\n"},
        {"cut", "{'jsonrpc':\n" PING("1") "\n",
         ERROR("", "-32700",
               "Parse error: invalid JSON at byte 11: expected a value, found the "
               "end") "\n" PONG("1") "\n"},
        {"bad UTF-8", "'\xFF'\n" PING("1") "\n",
         ERROR(
             "", "-32700",
             "Parse error: invalid JSON at byte 1: expected UTF-8") "\n" PONG("1") "\n"},
        {"not an object", "5\n",
         ERROR("", "-32600", "A JSON-RPC message must be an object") "\n"},
        {"no version", "{'id':7,'method':'ping'}\n",
         ERROR("'id':7,", "-32600", "jsonrpc must be \\'2.0\\'") "\n"},
        {"twice the same key", "{'jsonrpc':'2.0','id':1,'id':2,'method':'ping'}\n", NULL},
        {"an answer to nothing", "{'jsonrpc':'2.0','id':'ask-1-0','result':{}}\n", ""},
        {"a notification", "{'jsonrpc':'2.0','method':'notifications/x'}\n", ""},
        {"an error", "{'jsonrpc':'2.0','error':{'code':1,'message':'m'}}\n", ""},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (int sockets = 0; sockets < 2; sockets++) {
            struct rig *g = start(sockets);
            put(g, quoted(&g->arena, cases[i].in));
            hang_up(g);
            if (cases[i].out != NULL)
                CHECK_QUOTED(&g->arena, cases[i].name, hear_all(g), cases[i].out);
            else
                CHECK(cases[i].name, str_find(hear_all(g), STR("-32700")) != STR_NONE);
            finish(g);
        }
    }
    (void)state;
}

/* However the bytes arrive. */
static void test_pieces(void **state)
{
    struct rig *g = *state;
    str text = quoted(&g->arena, PING("'\xC3\xA9'") "\r\n\n" PING("2") "\n");
    for (size_t i = 0; i < text.n; i++) {
        put(g, str_slice(text, i, i + 1));
        if (i % 7 == 0)
            usleep(500);
    }
    CHECK_HEARD("first", g, PONG("'\xC3\xA9'"));
    CHECK_HEARD("second", g, PONG("2"));
}

/* --- eras --- */

#define MISSING                                                                          \
    "params._meta is missing: send " MCP_META "protocolVersion and " MCP_META            \
    "clientCapabilities in it, or begin with initialize"

static void test_before_initialize(void **state)
{
    struct rig *g = *state;
    say(g, PING("1"));
    CHECK_HEARD("ping", g, PONG("1"));
    say(g, "{'jsonrpc':'2.0','id':2,'method':'tools/list'}");
    CHECK_HEARD("tools/list", g, ERROR("'id':2,", "-32602", MISSING));
    say(g, "{'jsonrpc':'2.0','id':3,'method':'server/discover'}");
    CHECK_HEARD("bare discover", g, ERROR("'id':3,", "-32602", MISSING));
    say(g, "{'jsonrpc':'2.0','id':4,'method':'tools/list','params':{'_meta':{"
           "'progressToken':1}}}");
    CHECK_HEARD("no claim", g,
                ERROR("'id':4,", "-32602",
                      "params._meta lacks " MCP_META "protocolVersion (and " MCP_META
                      "clientCapabilities); or begin with initialize"));
    say(g, "{'jsonrpc':'2.0','id':5,'method':'no/such'}");
    CHECK_HEARD("unknown", g, ERROR("'id':5,", "-32602", MISSING));
}

static void test_modern(void **state)
{
    struct rig *g = *state;
    say(g, "{'jsonrpc':'2.0','id':1,'method':'server/discover','params':{" META "}}");
    CHECK("discover", str_find(hear(g), STR("supportedVersions")) != STR_NONE);
    say(g, "{'jsonrpc':'2.0','id':2,'method':'ping','params':{" META "}}");
    CHECK_HEARD("ping is gone", g, ERROR("'id':2,", "-32601", "Method not found: ping"));
    say(g, "{'jsonrpc':'2.0','id':3,'method':'initialize','params':{" META
           ",'protocolVersion':'2025-11-25'}}");
    CHECK_HEARD("so is initialize", g,
                ERROR("'id':3,", "-32601", "Method not found: initialize"));
    say(g, "{'jsonrpc':'2.0','id':4,'method':'tools/list','params':{'_meta':{'" MCP_META
           "protocolVersion':'2099-01-01','" MCP_META "clientCapabilities':{}}}}");
    CHECK_HEARD("unsupported", g,
                "{'jsonrpc':'2.0','id':4,'error':{'code':-32022,'message':'Unsupported "
                "protocol version','data':{'supported':['2026-07-28'],'requested':"
                "'2099-01-01'}}}");
    say(g, "{'jsonrpc':'2.0','id':5,'method':'tools/list','params':{'_meta':{'" MCP_META
           "protocolVersion':'2026-07-28'}}}");
    CHECK_HEARD("broken", g,
                ERROR("'id':5,", "-32602",
                      "params._meta[\\'" MCP_META "clientCapabilities\\'] is missing"));
    say(g, "{'jsonrpc':'2.0','id':6,'method':'tools/list'}");
    CHECK_HEARD("no state is kept", g, ERROR("'id':6,", "-32602", MISSING));
    handshake(g, "2025-11-25"); /* a probe does not prevent a handshake */
    say(g, PING("7"));
    CHECK_HEARD("ping", g, PONG("7"));
}

/* After initialize, requests without an envelope are legacy; the others are what they
 * claim. */
static void test_both(void **state)
{
    struct rig *g = *state;
    handshake(g, "2024-11-05");
    say(g, CALL("1", "quick"));
    CHECK("a question, without mode",
          str_find(hear(g), STR("\"params\":{\"message\"")) != STR_NONE);
    say(g, "{'jsonrpc':'2.0','id':2,'method':'prompts/list'}");
    CHECK_HEARD("not offered", g,
                ERROR("'id':2,", "-32601", "Method not found: prompts/list"));
    say(g, "{'jsonrpc':'2.0','id':3,'method':'server/discover'}");
    CHECK_HEARD("modern only", g,
                ERROR("'id':3,", "-32601", "Method not found: server/discover"));
    say(g, "{'jsonrpc':'2.0','id':4,'method':'server/discover','params':{" META "}}");
    CHECK("claimed", str_find(hear(g), STR("resultType")) != STR_NONE);
    say(g, INITIALIZE("2025-06-18"));
    CHECK("again", str_find(hear(g), STR("2025-06-18")) != STR_NONE);
}

static void test_initialize_versions(void **state)
{
    static const struct {
        const char *asked, *got;
    } cases[] = {
        {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},
        {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"},
        {"2026-07-28", "2025-11-25"}, {"1999-01-01", "2025-11-25"},
    };

    struct rig *g = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        say(g, arena_printf(&g->arena, INITIALIZE("%s"), cases[i].asked).p);
        str want = arena_printf(&g->arena, "\"protocolVersion\":\"%s\"", cases[i].got);
        CHECK(cases[i].asked, str_find(hear(g), want) != STR_NONE);
    }
    say(g, "{'jsonrpc':'2.0','id':1,'method':'initialize'}");
    CHECK_HEARD(
        "no params", g,
        ERROR("'id':1,", "-32602", "initialize needs protocolVersion (a string)"));
    /* a broken envelope does not make it a modern request */
    say(g, "{'jsonrpc':'2.0','id':2,'method':'initialize','params':{'protocolVersion':"
           "'2025-06-18','_meta':{'" MCP_META "protocolVersion':5}}}");
    CHECK("broken claim", str_find(hear(g), STR("\"2025-06-18\"")) != STR_NONE);
}

/* --- unsolicited messages --- */

static void test_unsolicited(void **state)
{
    struct rig *g = *state;
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    say(g, INITIALIZED); /* without initialize it has no effect */
    say(g, INITIALIZE("2025-11-25"));
    hear(g);
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    say(g, PING("1"));
    CHECK_HEARD("nothing before", g, PONG("1"));
    say(g, INITIALIZED);
    say(g, PING("2"));
    CHECK_HEARD("now", g, PONG("2"));
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    CHECK_HEARD(
        "changed", g,
        "{'jsonrpc':'2.0','method':'notifications/tools/list_changed','params':{}}");
}

static void test_listen(void **state)
{
    struct rig *g = *state;
    say(g, "{'jsonrpc':'2.0','id':'l','method':'subscriptions/listen','params':{"
           "'notifications':{'toolsListChanged':true}," META "}}");
    CHECK("acknowledged", str_find(hear(g), STR("acknowledged")) != STR_NONE);
    say(g, PING("1"));
    CHECK_HEARD("it listens", g, PONG("1"));
    mcp_server_changed(g->server, MCP_TOOLS_CHANGED);
    CHECK_HEARD("changed", g,
                "{'jsonrpc':'2.0','method':'notifications/tools/list_changed','params':{"
                "'_meta':{'" MCP_META "subscriptionId':'l'}}}");
    say(g, "{'jsonrpc':'2.0','id':2,'method':'subscriptions/listen','params':{"
           "'notifications':{'toolsListChanged':true}," META "}}");
    hear(g);
    say(g, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':"
           "'l'}}");
    say(g, PING("3"));
    CHECK_HEARD("no response to a cancelled one", g, PONG("3"));
    hang_up(g);
    CHECK_HEARD(
        "the other ends with its result", g,
        "{'jsonrpc':'2.0','id':2,'result':{'resultType':'complete','_meta':{'" MCP_META
        "subscriptionId':2,'" MCP_META "serverInfo':{'name':'s','version':'1'}}}}");
    CHECK_STR("nothing more", hear(g), "(end)");
}

static void test_question(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-06-18");
    for (int i = 0; i < 3; i++) {
        say(g, CALL("7", "roots"));
        const struct json *question;
        struct err err;
        assert_true(json_parse(&g->arena, hear(g), &question, &err));
        CHECK_STR("method", json_get_str(question, STR("method")), "roots/list");
        str id = json_get_str(question, STR("id"));
        say(g, arena_printf(&g->arena,
                            "{'jsonrpc':'2.0','id':'" STR_FMT "','result':{'n':%d}}",
                            STR_ARG(id), i)
                   .p);
        str want = arena_printf(&g->arena, RESULT("7", "{\\'n\\':%d}"), i);
        CHECK_HEARD("answer", g, want.p);
    }
}

static void test_cancel(void **state)
{
    struct rig *g = *state;
    handshake(g, "2025-06-18");
    say(g, CALL("7", "held"));
    say(g, PING("8"));
    CHECK_HEARD("others pass", g, PONG("8"));
    say(g,
        "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{'requestId':7}}");
    for (int i = 0; i < 5000 && atomic_load(&holding) > 0; i++)
        usleep(1000);
    say(g, PING("9"));
    CHECK_HEARD("no answer", g, PONG("9"));
}

/* --- batches --- */

static void test_batches(void **state)
{
    struct rig *g = *state;
    const char *refused = ERROR("", "-32600", "Only revision 2025-03-26 has batches");
    say(g, "[" PING("1") "]");
    CHECK_HEARD("before initialize", g, refused);
    handshake(g, "2025-11-25");
    say(g, "[" PING("1") "]");
    CHECK_HEARD("2025-11-25", g, refused);
    say(g, INITIALIZE("2025-03-26"));
    hear(g);
    say(g, "[" PING("1") "," PING("2") "]");
    CHECK_HEARD("two", g, "[" PONG("1") "," PONG("2") "]");
    say(g, "[{'jsonrpc':'2.0','method':'notifications/x'}]");
    say(g, "[]");
    CHECK_HEARD("none", g, ERROR("", "-32600", "A batch must have 1 to 100 messages"));
    struct sbuf b = SBUF_ON(&g->arena);
    for (int i = 0; i < 101; i++)
        sbuf_printf(&b, "%s" PING("%d"), i > 0 ? "," : "[", i);
    sbuf_add(&b, STR("]\0"));
    say(g, b.p);
    CHECK_HEARD("too many", g,
                ERROR("", "-32600", "A batch must have 1 to 100 messages"));
    say(g, INITIALIZE("2024-11-05"));
    hear(g);
    say(g, "[" PING("1") "]");
    CHECK_HEARD("2024-11-05", g, refused);
}

TEST_MAIN(argc, argv)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_framing),
        PIPE_TEST(test_pieces),
        PIPE_TEST(test_before_initialize),
        PIPE_TEST(test_modern),
        PIPE_TEST(test_both),
        PIPE_TEST(test_initialize_versions),
        PIPE_TEST(test_unsolicited),
        PIPE_TEST(test_listen),
        PIPE_TEST(test_question),
        PIPE_TEST(test_cancel),
        PIPE_TEST(test_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
