#include "mcp/hub.h"

#include <pthread.h>
#include <stdio.h>

#include "base/clock.h"
#include "mcp/core.h"
#include "quoted.h"

enum { SINK_MESSAGES_MAX = 16 };

/* A sink that keeps what it gets. */
struct sink {
    struct mcp_sink sink; /* must be first */
    pthread_mutex_t lock;
    struct arena arena;
    str sent[SINK_MESSAGES_MAX];
    size_t n;
    str end;
    int ends;
};

/* No lock is held while a sink or the app is called (checked in every test here). */
static void check_no_lock(void)
{
    CHECK("no lock is held", lock_held() == 0);
}

static void sink_send(struct mcp_sink *s, str message)
{
    struct sink *k = (struct sink *)s;
    check_no_lock();
    pthread_mutex_lock(&k->lock);
    if (k->n < SINK_MESSAGES_MAX)
        k->sent[k->n++] = arena_str(&k->arena, message);
    pthread_mutex_unlock(&k->lock);
}

static void sink_finish(struct mcp_sink *s, str message, int code)
{
    struct sink *k = (struct sink *)s;
    check_no_lock();
    k->end = arena_str(&k->arena, message);
    k->ends++;
}

struct place {
    struct arena arena;
    struct mcp_hub hub;
    struct sink sinks[4];
};

static int setup(void **state)
{
    struct place *p = mem_zero(sizeof(*p));
    hub_init(&p->hub);
    for (size_t i = 0; i < COUNT_OF(p->sinks); i++)
        p->sinks[i] = (struct sink){.sink = {.send = sink_send, .finish = sink_finish},
                                    .lock = PTHREAD_MUTEX_INITIALIZER};
    *state = p;
    return 0;
}

static int teardown(void **state)
{
    struct place *p = *state;
    hub_release(&p->hub);
    for (size_t i = 0; i < COUNT_OF(p->sinks); i++)
        arena_release(&p->sinks[i].arena);
    arena_release(&p->arena);
    free(p);
    return 0;
}

/* What a sink received since the last check, one message per line. */
static str heard(struct place *p, size_t i)
{
    struct sink *k = &p->sinks[i];
    struct sbuf b = SBUF_ON(&p->arena);
    for (size_t m = 0; m < k->n; m++)
        sbuf_printf(&b, "%s" STR_FMT, m > 0 ? "\n" : "", STR_ARG(k->sent[m]));
    k->n = 0;
    return sbuf_str(&b);
}

#define LEGACY_CHANGED(what)                                                             \
    "{'jsonrpc':'2.0','method':'notifications/" what "/list_changed','params':{}}"
#define LEGACY_UPDATED(uri)                                                              \
    "{'jsonrpc':'2.0','method':'notifications/resources/updated','params':{'uri':'" uri  \
    "'}}"
#define SUBSCRIPTION(id) "'_meta':{'" MCP_META "subscriptionId':" id "}"
#define CHANGED(id, what)                                                                \
    "{'jsonrpc':'2.0','method':'notifications/" what                                     \
    "/list_changed','params':{" SUBSCRIPTION(id) "}}"
#define UPDATED(id, uri)                                                                 \
    "{'jsonrpc':'2.0','method':'notifications/resources/"                                \
    "updated','params':{" SUBSCRIPTION(id) ",'uri':'" uri "'}}"

#define CHECK_HEARD(row, p, i, want) CHECK_QUOTED(&(p)->arena, row, heard(p, i), want)

/* --- legacy clients --- */

static void test_changes(void **state)
{
    struct place *p = *state;
    hub_changed(&p->hub, MCP_TOOLS_CHANGED); /* without listeners */
    assert_null(hub_attach(&p->hub, STR("a"), &p->sinks[0].sink));
    assert_null(hub_attach(&p->hub, STR("b"), &p->sinks[1].sink));
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_HEARD("a", p, 0, LEGACY_CHANGED("tools"));
    CHECK_HEARD("b", p, 1, LEGACY_CHANGED("tools"));
    hub_changed(&p->hub, MCP_PROMPTS_CHANGED);
    hub_changed(&p->hub, MCP_RESOURCES_CHANGED);
    CHECK_HEARD("order", p, 0,
                LEGACY_CHANGED("prompts") "\n" LEGACY_CHANGED("resources"));
    heard(p, 1);

    assert_ptr_equal(hub_attach(&p->hub, STR("a"), NULL), &p->sinks[0].sink);
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_HEARD("detached", p, 0, "");
    CHECK_HEARD("still there", p, 1, LEGACY_CHANGED("tools"));
    assert_null(hub_attach(&p->hub, STR("a"), &p->sinks[2].sink));
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_HEARD("attached again", p, 2, LEGACY_CHANGED("tools"));
    assert_ptr_equal(hub_attach(&p->hub, STR("a"), &p->sinks[0].sink), &p->sinks[2].sink);
    CHECK_INT("one listener each", p->hub.n_legacy, 2);
    CHECK_INT("only its owner ends a sink", p->sinks[2].ends, 0);
}

static void test_covers(void **state)
{
    static const struct {
        const char *subscribed, *updated;
        bool notified;
    } cases[] = {
        {"vault:///a.md", "vault:///a.md", true},
        {"vault:///a", "vault:///a/b.md", true},
        {"vault:///a/", "vault:///a/b.md", true},
        {"vault:///a/", "vault:///a/b/c.md", true},
        {"vault:///", "vault:///a.md", true},
        {"vault:///a", "vault:///a.md", false},
        {"vault:///a", "vault:///ab/c.md", false},
        {"vault:///a/", "vault:///a", false},
        {"vault:///a.md", "vault:///b.md", false},
        {"vault:///a/b.md", "vault:///a", false},
        {"vault:///A.md", "vault:///a.md", false},
        {"", "vault:///a.md", false},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct place *p = *state;
        hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
        assert_true(hub_subscribe(&p->hub, STR("a"), str_c(cases[i].subscribed)));
        hub_updated(&p->hub, str_c(cases[i].updated));
        str row =
            arena_printf(&p->arena, "%s in %s", cases[i].updated, cases[i].subscribed);
        CHECK_INT(row.p, p->sinks[0].n, cases[i].notified);
        p->sinks[0].n = 0;
        hub_forget(&p->hub, STR("a"));
    }
}

/* A grant is a prefix here. */
static bool sees(void *app, str grant, str uri)
{
    check_no_lock();
    (void)app;
    return str_starts(uri, grant);
}

static void set_grant(struct place *p, str grant)
{
    hub_set_caller(&p->hub, STR("some"), &(struct mcp_caller){.grant = grant});
}

/* Clients are not notified of resources they may not see. */
static void test_grants(void **state)
{
    struct place *p = *state;
    const str seen = STR("v:///a/x"), hidden = STR("v:///b/x");
    const str both[] = {STR("v:///b/x"), STR("v:///a/x")};
    p->hub.sees = sees;
    hub_attach(&p->hub, STR("all"), &p->sinks[0].sink);
    set_grant(p, STR("v:///a"));
    hub_attach(&p->hub, STR("some"), &p->sinks[1].sink);
    assert_true(hub_subscribe(&p->hub, STR("all"), STR("v:///")));
    assert_true(hub_subscribe(&p->hub, STR("some"), STR("v:///")));
    hub_updated(&p->hub, hidden);
    CHECK_HEARD("all", p, 0, LEGACY_UPDATED("v:///b/x"));
    CHECK_HEARD("hidden", p, 1, "");
    hub_updated(&p->hub, seen);
    CHECK_HEARD("seen", p, 1, LEGACY_UPDATED("v:///a/x"));
    heard(p, 0);
    hub_changed_by(&p->hub, MCP_RESOURCES_CHANGED, &hidden, 1);
    CHECK_HEARD("all", p, 0, LEGACY_CHANGED("resources"));
    CHECK_HEARD("hidden", p, 1, "");
    hub_changed_by(&p->hub, MCP_RESOURCES_CHANGED, both, 2);
    CHECK_HEARD("one of them", p, 1, LEGACY_CHANGED("resources"));
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_HEARD("no resource", p, 1, LEGACY_CHANGED("tools"));
    set_grant(p, STR("v:///b"));
    hub_updated(&p->hub, seen);
    CHECK_HEARD("another grant", p, 1, "");
    set_grant(p, STR(""));
    hub_updated(&p->hub, seen);
    CHECK_HEARD("everything", p, 1, LEGACY_UPDATED("v:///a/x"));
}

static str watched(struct place *p, struct arena *a)
{
    str *all;
    struct sbuf out = SBUF_ON(a);
    size_t n = hub_watched(&p->hub, a, &all);
    for (size_t i = 0; i < n; i++)
        sbuf_printf(&out, STR_FMT " ", STR_ARG(all[i]));
    return sbuf_str(&out);
}

static size_t asked;

static bool sees_counted(void *app, str grant, str uri)
{
    asked++;
    return sees(app, grant, uri);
}

/* A client does not watch what it may not see. However many subscribe to one vault with
 * one grant, the app is asked once. */
static void test_watched(void **state)
{
    struct place *p = *state;
    struct arena a = {0};
    char uri[64];
    p->hub.sees = sees_counted;
    set_grant(p, STR("v://a/"));
    for (int i = 0; i < 100; i++) {
        snprintf(uri, sizeof(uri), "v://a/x%d", i);
        assert_true(hub_subscribe(&p->hub, STR("some"), str_c(uri)));
    }
    assert_true(hub_subscribe(&p->hub, STR("some"), STR("v://b/x")));
    CHECK_STR("no stream", watched(p, &a), "");
    hub_attach(&p->hub, STR("some"), &p->sinks[0].sink);
    asked = 0;
    CHECK_STR("seen", watched(p, &a), "v://a/ ");
    CHECK_INT("asked once for each", asked, 2);
    set_grant(p, STR("v://b/"));
    CHECK_STR("other rights", watched(p, &a), "v://b/ ");
    set_grant(p, STR(""));
    CHECK_STR("all rights", watched(p, &a), "v://a/ v://b/ ");
    arena_release(&a);
}

static void test_subscriptions(void **state)
{
    struct place *p = *state;
    hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
    hub_attach(&p->hub, STR("b"), &p->sinks[1].sink);
    hub_updated(&p->hub, STR("v:///x"));
    CHECK_HEARD("not asked for", p, 0, "");
    assert_true(hub_subscribe(&p->hub, STR("a"), STR("v:///x")));
    assert_true(hub_subscribe(&p->hub, STR("a"), STR("v:///x"))); /* again */
    assert_true(hub_subscribe(&p->hub, STR("a"), STR("v:///")));
    hub_updated(&p->hub, STR("v:///x"));
    CHECK_HEARD("notified once", p, 0, LEGACY_UPDATED("v:///x"));
    CHECK_HEARD("the other not", p, 1, "");

    hub_unsubscribe(&p->hub, STR("a"), STR("v:///"));
    hub_unsubscribe(&p->hub, STR("a"), STR("v:///never"));
    hub_unsubscribe(&p->hub, STR("nobody"), STR("v:///x"));
    hub_updated(&p->hub, STR("v:///y"));
    CHECK_HEARD("no more", p, 0, "");
    hub_updated(&p->hub, STR("v:///x"));
    CHECK_HEARD("one left", p, 0, LEGACY_UPDATED("v:///x"));
    hub_unsubscribe(&p->hub, STR("a"), STR("v:///x"));
    hub_updated(&p->hub, STR("v:///x"));
    CHECK_HEARD("none left", p, 0, "");

    /* a subscription outlives the stream */
    assert_true(hub_subscribe(&p->hub, STR("c"), STR("v:///x")));
    hub_attach(&p->hub, STR("c"), &p->sinks[2].sink);
    hub_updated(&p->hub, STR("v:///x"));
    CHECK_HEARD("subscribed before", p, 2, LEGACY_UPDATED("v:///x"));
}

/* What changes while a client has no stream is sent once when it has one again. */
static void test_missed(void **state)
{
    struct place *p = *state;
    static const char *const uris[] = {"v:///x", "v:///y", "v:///f", "w:///z"};
    for (size_t i = 0; i < COUNT_OF(uris); i++)
        assert_true(hub_subscribe(&p->hub, STR("a"), str_c(uris[i])));
    for (int i = 0; i < 3; i++)
        hub_updated(&p->hub, STR("v:///x"));
    hub_updated(&p->hub, STR("v:///f/below"));
    hub_updated(&p->hub, STR("v:///none"));
    assert_false(hub_has_missed(&p->hub)); /* nobody listens */
    hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
    assert_true(hub_has_missed(&p->hub));
    hub_send_missed(&p->hub);
    CHECK_HEARD("once each", p, 0,
                LEGACY_UPDATED("v:///f") "\n" LEGACY_UPDATED("v:///x"));
    hub_send_missed(&p->hub);
    CHECK_HEARD("not again", p, 0, "");
    assert_false(hub_has_missed(&p->hub));

    hub_attach(&p->hub, STR("a"), NULL);
    hub_updated_all(&p->hub, STR("w://"));
    hub_updated(&p->hub, STR("v:///y"));
    hub_unsubscribe(&p->hub, STR("a"), STR("v:///y"));
    hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
    hub_send_missed(&p->hub);
    CHECK_HEARD("no longer wanted", p, 0, LEGACY_UPDATED("w:///z"));

    hub_attach(&p->hub, STR("a"), NULL);
    hub_missed(&p->hub, STR("v:///"));
    hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
    hub_send_missed(&p->hub);
    CHECK_HEARD("perhaps", p, 0, LEGACY_UPDATED("v:///f") "\n" LEGACY_UPDATED("v:///x"));
    hub_missed(&p->hub, STR("v:///"));
    assert_false(hub_has_missed(&p->hub)); /* its stream has heard it all */

    /* restored from another process: what is new may have changed */
    const str now[] = {STR("v:///x"), STR("v:///new")};
    hub_restore(&p->hub, STR("a"), MCP_LOG_DEBUG, now, COUNT_OF(now));
    hub_send_missed(&p->hub);
    CHECK_HEARD("new here", p, 0, LEGACY_UPDATED("v:///new"));
}

/* Only what the caller may see, also later. */
static void test_missed_grants(void **state)
{
    struct place *p = *state;
    p->hub.sees = sees;
    set_grant(p, STR("v://b/"));
    assert_true(hub_subscribe(&p->hub, STR("some"), STR("v://a/x")));
    assert_true(hub_subscribe(&p->hub, STR("some"), STR("v://b/x")));
    hub_updated_all(&p->hub, STR("v://"));
    hub_attach(&p->hub, STR("some"), &p->sinks[0].sink);
    hub_send_missed(&p->hub);
    CHECK_HEARD("its own", p, 0, LEGACY_UPDATED("v://b/x"));
    assert_false(hub_has_missed(&p->hub));

    set_grant(p, STR("v://"));
    assert_true(hub_subscribe(&p->hub, STR("some"), STR("v://")));
    hub_attach(&p->hub, STR("some"), NULL);
    set_grant(p, STR("v://b"));
    hub_updated(&p->hub, STR("v://a/hidden"));
    set_grant(p, STR("v://"));
    hub_attach(&p->hub, STR("some"), &p->sinks[0].sink);
    hub_send_missed(&p->hub);
    CHECK_HEARD("not that something hidden changed", p, 0, "");
}

/* A NUL is a byte like any other. */
static void test_subscription_with_nul(void **state)
{
    struct place *p = *state;
    hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
    assert_true(hub_subscribe(&p->hub, STR("a"), STR("v:///\0x")));
    hub_updated(&p->hub, STR("v:///a"));
    CHECK_HEARD("not below it", p, 0, "");
    hub_updated(&p->hub, STR("v:///\0x"));
    CHECK_INT("the same", p->sinks[0].n, 1);
    hub_unsubscribe(&p->hub, STR("a"), STR("v:///\0x"));
    hub_updated(&p->hub, STR("v:///\0x"));
    CHECK_INT("no more", p->sinks[0].n, 1);
}

static void test_limits(void **state)
{
    struct place *p = *state;
    char longest[HUB_URI_BYTES_MAX + 1];
    memset(longest, 'x', sizeof(longest));
    CHECK("too long",
          !hub_subscribe(&p->hub, STR("a"), (str){longest, HUB_URI_BYTES_MAX + 1}));
    CHECK("longest", hub_subscribe(&p->hub, STR("a"), (str){longest, HUB_URI_BYTES_MAX}));
    char uri[32];
    for (int i = 1; i < HUB_URIS_MAX; i++) {
        snprintf(uri, sizeof(uri), "v:///%d", i);
        CHECK(uri, hub_subscribe(&p->hub, STR("a"), str_c(uri)));
    }
    CHECK("one too many", !hub_subscribe(&p->hub, STR("a"), STR("v:///more")));
    CHECK("a known one", hub_subscribe(&p->hub, STR("a"), str_c(uri)));
    CHECK("another client", hub_subscribe(&p->hub, STR("b"), STR("v:///more")));
    hub_unsubscribe(&p->hub, STR("a"), str_c(uri));
    CHECK("room again", hub_subscribe(&p->hub, STR("a"), STR("v:///more")));
}

static int subscribe_many(struct place *p, const char *owner, int sessions, int each)
{
    char scope[32], uri[32];
    int n = 0;
    for (int s = 0; s < sessions; s++) {
        snprintf(scope, sizeof(scope), "%s %d", owner, s);
        hub_set_caller(&p->hub, str_c(scope),
                       &(struct mcp_caller){.owner = str_c(owner)});
        for (int i = 0; i < each; i++) {
            snprintf(uri, sizeof(uri), "v:///%d", i);
            n += hub_subscribe(&p->hub, str_c(scope), str_c(uri));
        }
    }
    return n;
}

/* Sessions are free, so an owner has a limit for all of them, and so do all owners. */
static void test_owners(void **state)
{
    struct place *p = *state;
    char owner[32];
    CHECK_INT("anna", subscribe_many(p, "anna", 3, 900), HUB_URIS_OWNER);
    CHECK_INT("ben", subscribe_many(p, "ben", 1, 10), 10);
    hub_forget(&p->hub, STR("anna 0"));
    CHECK_INT("room again", subscribe_many(p, "anna", 1, 1000), 900);
    for (int i = 0; p->hub.n_uris < HUB_URIS_ALL; i++) {
        snprintf(owner, sizeof(owner), "user %d", i);
        subscribe_many(p, owner, 2, 1000);
    }
    CHECK_INT("full", subscribe_many(p, "zoe", 1, 1), 0);
    struct hub_client *open;
    hub_attach(&p->hub, STR("ben 0"), &p->sinks[0].sink);
    CHECK_INT("open", hub_streaming(&p->hub, &p->arena, &open), 1);
    hub_forget_idle(&p->hub, clock_ms() + HUB_IDLE_S * 1000 - 1000 * 1000);
    CHECK_INT("not yet", p->hub.n_uris, HUB_URIS_ALL);
    hub_forget_idle(&p->hub, clock_ms() + HUB_IDLE_S * 1000);
    CHECK_INT("those without a stream are forgotten", p->hub.n_uris, 10);
    CHECK_INT("clients", p->hub.n_legacy, 1);
}

static void test_levels(void **state)
{
    struct place *p = *state;
    CHECK_INT("stranger", hub_level(&p->hub, STR("a")), MCP_LOG_DEBUG);
    hub_set_level(&p->hub, STR("a"), MCP_LOG_ERROR);
    CHECK_INT("set", hub_level(&p->hub, STR("a")), MCP_LOG_ERROR);
    CHECK_INT("another", hub_level(&p->hub, STR("b")), MCP_LOG_DEBUG);
    hub_set_level(&p->hub, STR("a"), MCP_LOG_INFO);
    CHECK_INT("changed", hub_level(&p->hub, STR("a")), MCP_LOG_INFO);
    hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
    CHECK_INT("kept", hub_level(&p->hub, STR("a")), MCP_LOG_INFO);
    assert_ptr_equal(hub_forget(&p->hub, STR("a")), &p->sinks[0].sink);
    CHECK_INT("forgotten", hub_level(&p->hub, STR("a")), MCP_LOG_DEBUG);
    assert_null(hub_forget(&p->hub, STR("a")));
}

static void set_level_of(struct place *p, int number)
{
    char scope[16];
    snprintf(scope, sizeof(scope), "%d", number);
    hub_set_level(&p->hub, str_c(scope), MCP_LOG_ALERT);
}

static enum mcp_log_level level_of(struct place *p, int number)
{
    char scope[16];
    snprintf(scope, sizeof(scope), "%d", number);
    return hub_level(&p->hub, str_c(scope));
}

/* Above the limit, the client that was idle longest and has no stream is dropped. */
static void test_eviction(void **state)
{
    struct place *p = *state;
    hub_attach(&p->hub, STR("0"), &p->sinks[0].sink);
    for (int i = 0; i < HUB_LISTENERS_MAX; i++)
        set_level_of(p, i);
    CHECK_INT("full", p->hub.n_legacy, HUB_LISTENERS_MAX);
    set_level_of(p, 1); /* no longer the oldest */
    set_level_of(p, HUB_LISTENERS_MAX);
    CHECK_INT("still full", p->hub.n_legacy, HUB_LISTENERS_MAX);
    CHECK_INT("has a stream", level_of(p, 0), MCP_LOG_ALERT);
    CHECK_INT("was heard of", level_of(p, 1), MCP_LOG_ALERT);
    CHECK_INT("oldest", level_of(p, 2), MCP_LOG_DEBUG);
    CHECK_INT("second oldest", level_of(p, 3), MCP_LOG_ALERT);
    CHECK_INT("newest", level_of(p, HUB_LISTENERS_MAX), MCP_LOG_ALERT);
}

/* --- listen streams of modern clients --- */

/* Returns false when the hub is full. */
static bool listen_for(struct place *p, int64_t caller, size_t sink, const char *scope,
                       const char *id, uint64_t serial, const bool wants[3],
                       const char *uris)
{
    struct mcp_request r = {
        .id = quoted_json(&p->arena, id),
        .caller.id = caller,
        .scope = str_c(scope),
        .sink = &p->sinks[sink].sink,
        .serial = serial,
    };
    const struct json *list = uris != NULL ? quoted_json(&p->arena, uris) : NULL;
    if (!hub_listen(&p->hub, &r, wants, list, STR("acknowledged")))
        return false;
    CHECK_STR("first of all", p->sinks[sink].sent[--p->sinks[sink].n], "acknowledged");
    return true;
}

static bool listen_as(struct place *p, size_t sink, const char *scope, const char *id,
                      uint64_t serial, const bool wants[3], const char *uris)
{
    return listen_for(p, 0, sink, scope, id, serial, wants, uris);
}

static const bool nothing[3] = {false, false, false};
static const bool tools[3] = {[MCP_TOOLS_CHANGED] = true};
static const bool all[3] = {true, true, true};

static void test_listen(void **state)
{
    struct place *p = *state;
    assert_true(listen_as(p, 0, "s", "7", 1, tools, NULL));
    assert_true(listen_as(p, 1, "s", "'7'", 2, nothing, "['v:///a','v:///b/']"));
    assert_true(listen_as(p, 2, "t", "'\\u00e9'", 3, all, "['v:///']"));
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_HEARD("number", p, 0, CHANGED("7", "tools"));
    CHECK_HEARD("not wanted", p, 1, "");
    CHECK_HEARD("as it was spelled", p, 2, CHANGED("'\\u00e9'", "tools"));
    hub_changed(&p->hub, MCP_PROMPTS_CHANGED);
    hub_changed(&p->hub, MCP_RESOURCES_CHANGED);
    CHECK_HEARD("only tools", p, 0, "");
    CHECK_HEARD("both", p, 2,
                CHANGED("'\\u00e9'", "prompts") "\n" CHANGED("'\\u00e9'", "resources"));
    hub_updated(&p->hub, STR("v:///b/c"));
    CHECK_HEARD("no URIs", p, 0, "");
    CHECK_HEARD("string", p, 1, UPDATED("'7'", "v:///b/c"));
    CHECK_HEARD("prefix", p, 2, UPDATED("'\\u00e9'", "v:///b/c"));
    CHECK_INT("modern", p->hub.n_modern, 3);
    CHECK_INT("legacy", p->hub.n_legacy, 0);
}

static void test_unlisten(void **state)
{
    struct place *p = *state;
    assert_true(listen_as(p, 0, "s", "7", 1, tools, NULL));
    assert_true(listen_as(p, 1, "s", "'7'", 2, tools, NULL));
    assert_true(listen_as(p, 2, "t", "7", 3, tools, NULL));
    hub_attach(&p->hub, STR("s"), &p->sinks[3].sink);
    assert_null(hub_unlisten(&p->hub, 0, STR("u"), STR("7")));
    assert_null(hub_unlisten(&p->hub, 0, STR("s"), STR("8")));
    assert_null(hub_unlisten(&p->hub, 99, (str){0}, (str){0}));
    assert_ptr_equal(hub_unlisten(&p->hub, 0, STR("s"), STR("7")), &p->sinks[0].sink);
    assert_null(hub_unlisten(&p->hub, 0, STR("s"), STR("7")));
    assert_ptr_equal(hub_unlisten(&p->hub, 3, (str){0}, (str){0}), &p->sinks[2].sink);
    assert_null(hub_unlisten(&p->hub, 3, (str){0}, (str){0}));
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_HEARD("gone by id", p, 0, "");
    CHECK_HEARD("still there", p, 1, CHANGED("'7'", "tools"));
    CHECK_HEARD("gone by serial", p, 2, "");
    CHECK_HEARD("legacy of the same scope", p, 3, LEGACY_CHANGED("tools"));
    CHECK_INT("modern", p->hub.n_modern, 1);
    assert_null(
        hub_attach(&p->hub, STR("t"), NULL)); /* a listen stream is not a client */
}

static void test_streams_max(void **state)
{
    struct place *p = *state;
    for (uint64_t i = 1; i <= HUB_STREAMS_MAX; i++)
        assert_true(listen_as(p, 0, "s", "1", i, tools, NULL));
    CHECK("one too many", !listen_as(p, 1, "s", "1", HUB_STREAMS_MAX + 1, tools, NULL));
    CHECK_INT("its sink is left alone", p->sinks[1].ends + (int)p->sinks[1].n, 0);
    CHECK("legacy clients have their own limit",
          hub_subscribe(&p->hub, STR("a"), STR("u")));
    assert_non_null(hub_unlisten(&p->hub, 5, (str){0}, (str){0}));
    CHECK("room again", listen_as(p, 1, "s", "1", HUB_STREAMS_MAX + 1, tools, NULL));
}

static void test_close(void **state)
{
    struct place *p = *state;
    assert_true(listen_as(p, 0, "s", "7", 1, tools, NULL));
    assert_true(listen_as(p, 1, "s", "'x'", 2, tools, "['v:///']"));
    hub_attach(&p->hub, STR("s"), &p->sinks[2].sink);
    hub_close(&p->hub, "srv", "1.2");
#define CLOSED(id)                                                                       \
    "{'jsonrpc':'2.0','id':" id ",'result':{'resultType':'complete','_meta':{'" MCP_META \
    "subscriptionId':" id ",'" MCP_META "serverInfo':{'name':'srv','version':'1.2'}}}}"
    CHECK_QUOTED(&p->arena, "number", p->sinks[0].end, CLOSED("7"));
    CHECK_QUOTED(&p->arena, "string", p->sinks[1].end, CLOSED("'x'"));
    CHECK_INT("once", p->sinks[0].ends, 1);
    CHECK_INT("none left", p->hub.n_modern, 0);
    CHECK_STR("a legacy stream just ends", p->sinks[2].end, "");
    hub_close(&p->hub, "srv", "1.2");
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_INT("still once", p->sinks[0].ends + p->sinks[2].ends, 2);
    CHECK_INT("nothing more", p->sinks[0].n + p->sinks[2].n, 0);
    assert_null(hub_attach(&p->hub, STR("s"), &p->sinks[3].sink));
    CHECK_INT("its client is remembered", p->hub.n_legacy, 1);
}

/* --- callers whose access was revoked --- */

/* As mcp_check_callers(): list the callers, ask about them, end the streams. */
static void check_hub(struct place *p, int64_t gone)
{
    struct mcp_callers callers = {.arena = &p->arena, .keys.arena = &p->arena};
    struct arena scratch = {0};
    struct mcp_check check = {.refused.arena = &p->arena, .scratch = &scratch};
    hub_list_callers(&p->hub, &callers);
    check_no_lock();
    for (size_t i = 0; i < callers.n; i++)
        if (callers.all[i].id == gone)
            map_add(&check.refused, callers.keys.keys[i]);
    hub_check(&p->hub, &check, "srv", "1.2");
    arena_release(&scratch);
}

static void test_check(void **state)
{
    struct place *p = *state;
    assert_true(listen_for(p, 5, 0, "", "7", 1, tools, NULL));
    assert_true(listen_for(p, 6, 1, "", "7", 2, tools, NULL));
    hub_set_caller(&p->hub, STR("s"), &(struct mcp_caller){.id = 5});
    hub_attach(&p->hub, STR("s"), &p->sinks[2].sink);
    hub_attach(&p->hub, STR("nobody's"), &p->sinks[3].sink);
    check_hub(p, 5);
    CHECK_QUOTED(&p->arena, "modern", p->sinks[0].end, CLOSED("7"));
    CHECK_INT("legacy", p->sinks[2].ends, 1);
    check_hub(p, 5);
    CHECK_INT("once each", p->sinks[0].ends + p->sinks[2].ends, 2);
    CHECK_INT("others stay", p->sinks[1].ends + p->sinks[3].ends, 0);
    hub_changed(&p->hub, MCP_TOOLS_CHANGED);
    CHECK_INT("and hear", p->sinks[1].n + p->sinks[3].n, 2);
    check_hub(p, 0);
    CHECK_INT("an anonymous caller cannot be revoked", p->sinks[3].ends, 0);
    hub_set_caller(&p->hub, STR("s"), &(struct mcp_caller){.id = 6});
    assert_null(hub_attach(&p->hub, STR("s"), &p->sinks[2].sink));
    check_hub(p, 5);
    CHECK_INT("a reconnected client is another caller", p->sinks[2].ends, 1);
    hub_set_caller(&p->hub, STR("nobody's"),
                   &(struct mcp_caller){.id = 6, .proof = STR("2"), .grant = STR("all")});
    check_hub(p, 6);
    CHECK_INT("each token and grant", p->sinks[2].ends + p->sinks[3].ends, 3);
}

/* --- many threads --- */

static void *make_noise(void *arg)
{
    struct place *p = arg;
    for (int i = 0; i < 300; i++) {
        hub_changed(&p->hub, MCP_TOOLS_CHANGED);
        hub_updated(&p->hub, STR("v:///a/b"));
        hub_level(&p->hub, STR("a"));
    }
    return NULL;
}

static void *come_and_go(void *arg)
{
    struct place *p = arg;
    for (int i = 0; i < 300; i++) {
        hub_attach(&p->hub, STR("a"), &p->sinks[0].sink);
        (void)!hub_subscribe(&p->hub, STR("a"), STR("v:///a"));
        hub_set_level(&p->hub, STR("b"), MCP_LOG_INFO);
        hub_unsubscribe(&p->hub, STR("a"), STR("v:///a"));
        hub_forget(&p->hub, STR("a"));
    }
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[4];
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i % 2 ? come_and_go : make_noise, *state),
            0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    struct place *p = *state;
    CHECK_INT("one is left", p->hub.n_legacy, 1);
}

/* What legacy clients sent survives a restart; nothing else is stored. */
static void test_memory(void **state)
{
    struct place *p = *state;
    struct mcp_hub again;
    hub_init(&again);
    assert_true(hub_subscribe(&p->hub, STR("one"), STR("x://a")));
    assert_true(hub_subscribe(&p->hub, STR("one"), STR("x://\"b\"")));
    hub_attach(&p->hub, STR("silent"), &p->sinks[0].sink);
    hub_set_level(&p->hub, STR("two"), MCP_LOG_ERROR);
    str memory = hub_memory(&p->hub, &p->arena);
    CHECK_STR("memory", memory,
              "[{\"client\":\"two\",\"level\":4,\"uris\":[]},{\"client\":\"one\","
              "\"level\":0,\"uris\":[\"x://a\",\"x://\\\"b\\\"\"]}]");
    hub_recall(&again, memory);
    CHECK_STR("the same again", hub_memory(&again, &p->arena),
              arena_str(&p->arena, memory).p);
    CHECK_INT("level", hub_level(&again, STR("two")), MCP_LOG_ERROR);
    hub_attach(&again, STR("one"), &p->sinks[1].sink);
    hub_updated(&again, STR("x://a/below"));
    CHECK_INT("heard", p->sinks[1].n, 1);
    hub_forget(&again, STR("one"));
    hub_forget(&again, STR("two"));
    CHECK_STR("no client", hub_memory(&again, &p->arena), "[]");
    hub_release(&again);
}

static void test_memory_damaged(void **state)
{
    static const char *const cases[] = {
        "",
        "[",
        "{}",
        "null",
        "[1,null,[],{}]",
        "[{\"client\":\"\",\"level\":0,\"uris\":[\"x\"]}]",
        "[{\"client\":\"a\",\"level\":99,\"uris\":[\"x\"]}]",
        "[{\"client\":\"a\",\"level\":-1,\"uris\":[\"x\"]}]",
        "[{\"client\":\"a\",\"level\":0,\"uris\":\"x\"}]",
        "[{\"client\":\"a\",\"level\":0,\"uris\":[1,{}]}]",
    };
    struct place *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        hub_recall(&p->hub, str_c(cases[i]));
        CHECK_STR(cases[i], hub_memory(&p->hub, &p->arena), "[]");
    }
}

/* The newest clients are kept, complete, within the limit. */
static void test_memory_limit(void **state)
{
    enum { CLIENTS = 1000 };
    struct place *p = *state;
    char uri[HUB_URI_BYTES_MAX];
    memset(uri, 'u', sizeof(uri));
    for (int i = 0; i < CLIENTS; i++)
        assert_true(hub_subscribe(&p->hub, arena_printf(&p->arena, "c%d", i),
                                  (str){uri, sizeof(uri)}));
    str memory = hub_memory(&p->hub, &p->arena);
    CHECK("within the limit", memory.n <= HUB_MEMORY_MAX);
    CHECK("not far below it", memory.n > HUB_MEMORY_MAX - 2 * HUB_URI_BYTES_MAX);
    CHECK("the youngest first", str_starts(memory, STR("[{\"client\":\"c999\"")));
    struct mcp_hub again;
    hub_init(&again);
    hub_recall(&again, memory);
    CHECK("all of it", str_eq(hub_memory(&again, &p->arena), memory));
    hub_release(&again);
}

#define HUB_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        HUB_TEST(test_changes),        HUB_TEST(test_covers),
        HUB_TEST(test_missed),         HUB_TEST(test_missed_grants),
        HUB_TEST(test_subscriptions),  HUB_TEST(test_subscription_with_nul),
        HUB_TEST(test_limits),         HUB_TEST(test_levels),
        HUB_TEST(test_owners),         HUB_TEST(test_levels),
        HUB_TEST(test_eviction),       HUB_TEST(test_listen),
        HUB_TEST(test_unlisten),       HUB_TEST(test_streams_max),
        HUB_TEST(test_close),          HUB_TEST(test_check),
        HUB_TEST(test_threads),        HUB_TEST(test_memory),
        HUB_TEST(test_memory_damaged), HUB_TEST(test_memory_limit),
        HUB_TEST(test_grants),         HUB_TEST(test_watched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
