#include "mcp/resource.h"
#include "mcp/server.h"

#include "world.h"

static void test_read(void **state)
{
    static const struct {
        const char *uri, *contents;
    } cases[] = {
        {"test://a", "{'uri':'test://a','mimeType':'text/plain','text':'A\\n'},"
                     "{'uri':'test://a/more','mimeType':'image/png','blob':'iVBORw=='}"},
        {"test://item/7/a/b",
         "{'uri':'test://item/7/a/b','mimeType':'text/plain','text':'7/a/b'}"},
        {"test://item/%37/a%20b",
         "{'uri':'test://item/%37/a%20b','mimeType':'text/plain','text':'7/a b'}"},
        {"ui://view",
         "{'uri':'ui://view','mimeType':'text/plain','text':'A\\n','_meta':{'ui':{"
         "'prefersBorder':true}}},{'uri':'test://a/more','mimeType':'image/png',"
         "'blob':'iVBORw==','_meta':{'ui':{'prefersBorder':true}}}"},
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            str params = arena_printf(&p->arena, "'uri':'%s'", cases[i].uri);
            str want = arena_printf(&p->arena, "'contents':[%s]", cases[i].contents);
            CHECK_CACHED(cases[i].uri, peer_send(p, "resources/read", params.p), want.p,
                         "private");
        }
    }
}

static void test_read_failures(void **state)
{
    static const struct {
        const char *uri, *message;
        int legacy, modern;
        bool data;
    } cases[] = {
        {"test://none", "Resource not found", -32002, -32602, true},
        {"", "Resource not found", -32002, -32602, true},
        {"test://item/1", "Resource not found", -32002, -32602, true},
        {"test://item/none/x", "no item none", -32002, -32602, true},
        {"test://item/secret/x", "no item secret", -32002, -32602, true},
        {"test://item/huge/x", "no item huge", -32602, -32602, false},
        {"test://item/wrong/x", "no item wrong", -32602, -32602, false},
        {"test://item/broken/x", "no item broken", -32603, -32603, false},
        {"test://item/busy/x", "no item busy", -32603, -32603, false},
        {"test://item/odd/x", "an odd item", -5, -5, false},
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            str params = arena_printf(&p->arena, "'uri':'%s'", cases[i].uri);
            str data = arena_printf(&p->arena, "{'uri':'%s'}", cases[i].uri);
            CHECK_FAILED(cases[i].uri, peer_send(p, "resources/read", params.p),
                         modern ? cases[i].modern : cases[i].legacy, cases[i].message,
                         cases[i].data ? data.p : NULL);
        }
    }
}

static void test_legacy_subscriptions(void **state)
{
    struct peer *p = *state;
    struct peer_call *stream = peer_new_call(p);
    hub_attach(&p->server->hub, STR("here"), &stream->sink);
    CHECK_DONE("subscribe", peer_send(p, "resources/subscribe", "'uri':'test://a'"), "");
    mcp_server_updated(p->server, STR("test://a"));
    CHECK_QUOTED(&p->arena, "updated", peer_sent(stream, 0),
                 "{'jsonrpc':'2.0','method':'notifications/resources/updated','params':{"
                 "'uri':'test://a'}}");
    CHECK_DONE("unsubscribe", peer_send(p, "resources/unsubscribe", "'uri':'test://a'"),
               "");
    mcp_server_updated(p->server, STR("test://a"));
    p->scope = "elsewhere";
    CHECK_DONE("another", peer_send(p, "resources/subscribe", "'uri':'test://a'"), "");
    mcp_server_updated(p->server, STR("test://a"));
    CHECK_INT("no more", peer_n_sent(stream), 1);

    char uri[HUB_URI_BYTES_MAX + 16];
    snprintf(uri, sizeof(uri), "'uri':'%0*d'", HUB_URI_BYTES_MAX + 1, 0);
    CHECK_FAILED(
        "too long", peer_send(p, "resources/subscribe", uri), RPC_INVALID_PARAMS,
        "at most 1024 subscriptions of 2048 bytes each, and 2048 in all sessions", NULL);
    hub_attach(&p->server->hub, STR("here"), NULL);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FULL_TEST(test_read),
        FULL_TEST(test_read_failures),
        FULL_TEST(test_legacy_subscriptions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
