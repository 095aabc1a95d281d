/* subscriptions/listen: the streams of modern clients. */
#include "mcp/server.h"

#include <unistd.h>

#include "world.h"

#define ACKNOWLEDGED(id, filter)                                                         \
    "{'jsonrpc':'2.0','method':'notifications/subscriptions/acknowledged','params':{"    \
    "'_meta':{'" MCP_META "subscriptionId':" id "},'notifications':{" filter "}}}"

static void test_listen(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    struct peer_call *c =
        peer_send(p, "subscriptions/listen",
                  "'notifications':{'toolsListChanged':true,'promptsListChanged':false,"
                  "'resourceSubscriptions':['test://a'],'unheard':5}");
    CHECK_QUOTED(&p->arena, "acknowledged", peer_sent(c, 0),
                 ACKNOWLEDGED("1", "'toolsListChanged':true,'resourceSubscriptions':["
                                   "'test://a']"));
    mcp_server_changed(p->server, MCP_PROMPTS_CHANGED);
    mcp_server_changed(p->server, MCP_TOOLS_CHANGED);
    mcp_server_updated(p->server, STR("test://b"));
    mcp_server_updated(p->server, STR("test://a/b"));
    CHECK_QUOTED(&p->arena, "changed", peer_sent(c, 1),
                 "{'jsonrpc':'2.0','method':'notifications/tools/list_changed','params':{"
                 "'_meta':{'" MCP_META "subscriptionId':1}}}");
    CHECK_QUOTED(&p->arena, "updated", peer_sent(c, 2),
                 "{'jsonrpc':'2.0','method':'notifications/resources/updated','params':{"
                 "'_meta':{'" MCP_META "subscriptionId':1},'uri':'test://a/b'}}");
    CHECK_INT("nothing else", peer_n_sent(c), 3);
    assert_false(peer_is_finished(c));

    mcp_server_drain(p->server, 100);
    CHECK_QUOTED(&p->arena, "the end", peer_answer(c),
                 "{'jsonrpc':'2.0','id':1,'result':{'resultType':'complete','_meta':{"
                 "'" MCP_META "subscriptionId':1,'" MCP_META
                 "serverInfo':{'name':'peer','version':'1'}}}}");
}

static void *change_tools(void *server)
{
    mcp_server_changed(server, MCP_TOOLS_CHANGED);
    return NULL;
}

static pthread_t changing;

/* While the acknowledgement is on its way to the client, the tools change. */
static void change_meanwhile(struct peer_call *c, str message)
{
    if (str_find(message, STR("acknowledged")) == STR_NONE)
        return;
    assert_int_equal(pthread_create(&changing, NULL, change_tools, c->peer->server), 0);
    usleep(50000); /* it may wait until we are done here, so do not join it yet */
}

/* From the acknowledgement on, nothing is missed. */
static void test_listen_from_the_start(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    p->heard = change_meanwhile;
    struct peer_call *c =
        peer_send(p, "subscriptions/listen", "'notifications':{'toolsListChanged':true}");
    peer_sent(c, 1);
    pthread_join(changing, NULL);
    CHECK_INT("both messages", peer_n_sent(c), 2);
    CHECK("in order", str_find(peer_sent(c, 0), STR("acknowledged")) != STR_NONE);
}

/* The client ends it, by a notification or by closing its connection, and gets nothing
 * more. */
static void test_listen_cancelled(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    const char *filter = "'notifications':{'toolsListChanged':true}";
    struct peer_call *one = peer_send(p, "subscriptions/listen", filter);
    struct peer_call *two = peer_send(p, "subscriptions/listen", filter);
    struct peer_call *three = peer_send(p, "subscriptions/listen", filter);
    peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                 "'requestId':1}}");
    CHECK_STR("no response", peer_answer(one), "");
    mcp_cancel_serial(p->server, two->serial);
    CHECK_STR("none here", peer_answer(two), "");
    p->scope = "elsewhere";
    peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                 "'requestId':3}}");
    assert_false(peer_is_finished(three));
    mcp_server_changed(p->server, MCP_TOOLS_CHANGED);
    CHECK_INT("ended", peer_n_sent(one) + peer_n_sent(two), 2);
    CHECK_INT("still open", peer_n_sent(three), 2);
}

static void test_listen_refused(void **state)
{
    static const struct {
        const char *params, *message;
    } cases[] = {
        {"", "notifications must be an object"},
        {"'notifications':[]", "notifications must be an object"},
        {"'notifications':null", "notifications must be an object"},
        {"'notifications':{'toolsListChanged':1}", "toolsListChanged must be a boolean"},
        {"'notifications':{'promptsListChanged':'true'}",
         "promptsListChanged must be a boolean"},
        {"'notifications':{'resourcesListChanged':null}",
         "resourcesListChanged must be a boolean"},
        {"'notifications':{'resourceSubscriptions':'test://a'}",
         "resourceSubscriptions must be an array of at most 1024 URIs"},
        {"'notifications':{'resourceSubscriptions':[1]}",
         "resourceSubscriptions must be an array of at most 1024 URIs"},
        {"'notifications':{'resourceSubscriptions':{}}",
         "resourceSubscriptions must be an array of at most 1024 URIs"},
    };

    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = peer_send(p, "subscriptions/listen", cases[i].params);
        CHECK_FAILED(cases[i].params, c, RPC_INVALID_PARAMS, cases[i].message, NULL);
        CHECK_INT(cases[i].params, peer_n_sent(c), 0);
    }
}

/* What the server does not support is not acknowledged; then the stream ends
 * immediately. */
static void test_listen_nothing(void **state)
{
    static const char *const cases[] = {
        "'notifications':{}",
        "'notifications':{'toolsListChanged':false}",
        ("'notifications':{'toolsListChanged':true,'resourcesListChanged':true,"
         "'promptsListChanged':true,'resourceSubscriptions':['test://a']}"),
    };

    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = peer_send(p, "subscriptions/listen", cases[i]);
        peer_answer(c);
        str want = arena_printf(&p->arena, ACKNOWLEDGED("%s", ""), c->id);
        CHECK_QUOTED(&p->arena, cases[i], peer_sent(c, 0), want.p);
        CHECK_INT(cases[i], peer_n_sent(c), 1);
        CHECK_INT(cases[i], c->code, 0);
    }
}

/* The result that ends a stream names it, also if the stream ends immediately. */
static void test_listen_nothing_names_stream(void **state)
{
    struct peer *p = *state;
    p->revision = MCP_2026_07_28;
    struct peer_call *c = peer_send(p, "subscriptions/listen", "'notifications':{}");
    int64_t id = 0;
    CHECK("subscriptionId", json_int(json_get(json_get(peer_result(c), STR("_meta")),
                                              STR(MCP_META "subscriptionId")),
                                     &id));
    CHECK_INT("subscriptionId", id, 1);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        FULL_TEST(test_listen),           FULL_TEST(test_listen_from_the_start),
        FULL_TEST(test_listen_cancelled), FULL_TEST(test_listen_refused),
        BARE_TEST(test_listen_nothing),   FULL_TEST(test_listen_nothing_names_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
