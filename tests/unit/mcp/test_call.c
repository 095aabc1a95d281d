/* What a handler can do: content blocks, progress, log, needs; cancellation and load. */
#include "mcp/call.h"
#include "mcp/server.h"

#include <unistd.h>

#include "mcp_refuse.h"
#include "peer.h"

/* State shared between handlers and the test. */
struct world {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int running;      /* calls of wait() now */
    bool open;        /* lets them go */
    pthread_t thread; /* of the last where() */
};

static void set_open(struct world *w, bool open)
{
    pthread_mutex_lock(&w->lock);
    w->open = open;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

static void until_running(struct world *w, int n)
{
    pthread_mutex_lock(&w->lock);
    while (w->running < n)
        pthread_cond_wait(&w->changed, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

/* --- tools --- */

static bool kinds(struct mcp_call *call, struct err *err)
{
    mcp_text(call, STR("t\n"));
    mcp_image(call, STR("\x89PNG"), STR("image/png"));
    mcp_audio(call, STR("RIFF"), STR("audio/wav"));
    mcp_resource_text(call, STR("v:///a"), STR("text/plain"), STR("A"));
    mcp_resource_blob(call, STR("v:///b"), STR("image/png"), STR("B"));
    mcp_link(call, STR("v:///c.md"), STR("c.md"), STR("text/markdown"));
    mcp_link(call, STR("v:///d"), STR("d"), STR(""));
    return true;
}

static bool nothing(struct mcp_call *call, struct err *err)
{
    return true;
}

static bool steps(struct mcp_call *call, struct err *err)
{
    mcp_progress(call, 0, 0, STR(""));
    mcp_progress(call, 0, 0, STR(""));
    mcp_progress(call, 1, 4, STR("one"));
    mcp_progress(call, 2.5, 4, STR(""));
    mcp_progress(call, 2.5, 4, STR("the same"));
    mcp_progress(call, 0, 2, STR("a new phase"));
    mcp_progress(call, 0.5, 2, STR(""));
    return true;
}

static bool logs(struct mcp_call *call, struct err *err)
{
    for (enum mcp_log_level level = MCP_LOG_DEBUG; level < MCP_LOG_OFF; level++)
        mcp_log(call, level, level % 2 ? STR("odd") : STR(""), mcp_log_level_name(level));
    return true;
}

/* Runs until it is released or cancelled. */
static bool wait_for_it(struct mcp_call *call, struct err *err)
{
    struct world *w = call->app;
    pthread_mutex_lock(&w->lock);
    w->running++;
    pthread_cond_broadcast(&w->changed);
    while (!w->open && !mcp_cancelled(call)) {
        pthread_mutex_unlock(&w->lock);
        usleep(1000);
        pthread_mutex_lock(&w->lock);
    }
    w->running--;
    pthread_mutex_unlock(&w->lock);
    mcp_progress(call, 1, 1, STR("late"));
    mcp_log(call, MCP_LOG_ERROR, STR(""), STR("late"));
    mcp_text(call, STR("let go"));
    return true;
}

static bool where(struct mcp_call *call, struct err *err)
{
    struct world *w = call->app;
    pthread_mutex_lock(&w->lock);
    w->thread = pthread_self();
    pthread_mutex_unlock(&w->lock);
    return true;
}

static bool need_form(struct mcp_call *call, struct err *err)
{
    if (!need_capability(call, MCP_CAN_ELICIT, err))
        return false;
    mcp_text(call,
             mcp_can(call, MCP_CAN_SAMPLE) ? STR("and sampling") : STR("no sampling"));
    return true;
}

#define TOOL(id, fn, flags_, ...)                                                        \
    static const struct mcp_tool id = {                                                  \
        .name = #id, .about = "x", .flags = (flags_), .run = (fn), __VA_ARGS__}

TOOL(all_kinds, kinds, MCP_QUICK);
TOOL(empty, nothing, MCP_QUICK);
TOOL(stepping, steps, 0);
TOOL(logging, logs, 0);
TOOL(waiting, wait_for_it, 0);
TOOL(quick, where, MCP_QUICK);
TOOL(slow, where, 0);
TOOL(polled, where, MCP_POLLED);
TOOL(needing, need_form, 0);

static const struct mcp_tool *const tools[] = {&all_kinds, &empty, &stepping, &logging,
                                               &waiting,   &quick, &slow,     &polled,
                                               &needing,   NULL};

static struct world *make_world(void)
{
    struct world *w = mem_zero(sizeof(*w));
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

static struct peer *make_peer(bool with_log, struct pool *pool)
{
    return peer_create(&(struct mcp_config){
        .tools = tools, .app = make_world(), .logging = with_log, .pool = pool});
}

static struct world *world_of(struct peer *p)
{
    return p->server->config.app;
}

static void free_peer(struct peer *p)
{
    struct world *w = world_of(p);
    peer_free(p);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

static int setup(void **state)
{
    *state = make_peer(true, NULL);
    return 0;
}

static int teardown(void **state)
{
    free_peer(*state);
    return 0;
}

static struct peer_call *call_tool(struct peer *p, const char *name)
{
    return peer_send(p, "tools/call", arena_printf(&p->arena, "'name':'%s'", name).p);
}

/* --- results --- */

#define TEXT(text) "{'type':'text','text':'" text "'}"
#define IMAGE "{'type':'image','data':'iVBORw==','mimeType':'image/png'}"
#define AUDIO "{'type':'audio','data':'UklGRg==','mimeType':'audio/wav'}"
#define RESOURCES                                                                        \
    "{'type':'resource','resource':{'uri':'v:///a','mimeType':'text/"                    \
    "plain','text':'A'}},"                                                               \
    "{'type':'resource','resource':{'uri':'v:///b','mimeType':'image/"                   \
    "png','blob':'Qg=='}}"
#define LINKS                                                                            \
    "{'type':'resource_link','uri':'v:///c.md','name':'c.md','mimeType':"                \
    "'text/markdown'},{'type':'resource_link','uri':'v:///d','name':'d'}"

static void test_content_blocks(void **state)
{
    static const struct {
        enum mcp_revision from, to;
        const char *content;
    } cases[] = {
        {MCP_2024_11_05, MCP_2024_11_05,
         TEXT("t\\n") "," IMAGE
                      "," TEXT("[audio, audio/wav, 4 bytes]") "," RESOURCES "," TEXT(
                          "c.md (v:///c.md)") "," TEXT("d (v:///d)")},
        {MCP_2025_03_26, MCP_2025_03_26,
         TEXT("t\\n") "," IMAGE "," AUDIO "," RESOURCES
                      "," TEXT("c.md (v:///c.md)") "," TEXT("d (v:///d)")},
        {MCP_2025_06_18, MCP_2026_07_28,
         TEXT("t\\n") "," IMAGE "," AUDIO "," RESOURCES "," LINKS},
    };

    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        for (p->revision = cases[i].from; p->revision <= cases[i].to; p->revision++) {
            str want = arena_printf(&p->arena, "'content':[%s]", cases[i].content);
            CHECK_DONE(mcp_revision_name(p->revision).p, call_tool(p, "all_kinds"),
                       want.p);
        }
    }
}

static void test_need(void **state)
{
    static const struct {
        const char *capabilities, *text; /* NULL: it cannot */
    } cases[] = {
        {"{}", NULL},
        {"{'sampling':{}}", NULL},
        {"{'elicitation':{'url':{}}}", NULL},
        {"{'elicitation':{}}", "no sampling"},
        {"{'elicitation':{'form':{}},'sampling':{}}", "and sampling"},
    };

    struct peer *p = *state;
    for (int modern = 0; modern < 2; modern++) {
        p->revision = modern ? MCP_2026_07_28 : MCP_2025_11_25;
        for (size_t i = 0; i < COUNT_OF(cases); i++) {
            p->capabilities = cases[i].capabilities;
            struct peer_call *c = call_tool(p, "needing");
            if (cases[i].text != NULL)
                CHECK_STR(cases[i].capabilities, peer_text(c), cases[i].text);
            else
                CHECK_FAILED(cases[i].capabilities, c, MCP_MISSING_CAPABILITY,
                             "Missing required client capability",
                             "{'requiredCapabilities':{'elicitation':{'form':{}}}}");
        }
    }
}

/* --- while it runs --- */

#define PROGRESS(token, rest)                                                            \
    "{'jsonrpc':'2.0','method':'notifications/"                                          \
    "progress','params':{'progressToken':" token "," rest "}}"

static void test_progress(void **state)
{
    static const char *const tokens[] = {"'abc'", "7",    "0",
                                         "''",    "1.50", "12345678901234567890"};
    static const char *const none[] = {NULL, "null", "true", "{}", "[1]"};

    struct peer *p = *state;
    for (p->revision = MCP_2024_11_05; p->revision < MCP_REVISIONS; p->revision++) {
        const char *message = p->revision >= MCP_2025_03_26 ? ",'message':'one'" : "";
        for (size_t i = 0; i < COUNT_OF(tokens); i++) {
            p->meta = arena_printf(&p->arena, "'progressToken':%s", tokens[i]).p;
            struct peer_call *c = call_tool(p, "stepping");
            peer_answer(c);
            str first =
                arena_printf(&p->arena, PROGRESS("%s", "'progress':0"), tokens[i]);
            str second =
                arena_printf(&p->arena, PROGRESS("%s", "'progress':1,'total':4%s"),
                             tokens[i], message);
            str third = arena_printf(
                &p->arena, PROGRESS("%s", "'progress':2.5,'total':4"), tokens[i]);
            str fourth = arena_printf(
                &p->arena, PROGRESS("%s", "'progress':3,'total':4.5"), tokens[i]);
            CHECK_INT(tokens[i], peer_n_sent(c), 4);
            CHECK_QUOTED(&p->arena, tokens[i], peer_sent(c, 0), first.p);
            CHECK_QUOTED(&p->arena, tokens[i], peer_sent(c, 1), second.p);
            CHECK_QUOTED(&p->arena, tokens[i], peer_sent(c, 2), third.p);
            CHECK_QUOTED(&p->arena, tokens[i], peer_sent(c, 3), fourth.p);
        }
        for (size_t i = 0; i < COUNT_OF(none); i++) {
            p->meta = none[i] != NULL
                          ? arena_printf(&p->arena, "'progressToken':%s", none[i]).p
                          : NULL;
            struct peer_call *c = call_tool(p, "stepping");
            peer_answer(c);
            CHECK_INT(none[i] != NULL ? none[i] : "no token", peer_n_sent(c), 0);
        }
    }
}

static void test_log_messages(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "logging");
    peer_answer(c);
    CHECK_QUOTED(&p->arena, "without a logger", peer_sent(c, 0),
                 "{'jsonrpc':'2.0','method':'notifications/message','params':{'level':"
                 "'debug','data':'debug'}}");
    CHECK_QUOTED(&p->arena, "with one", peer_sent(c, 7),
                 "{'jsonrpc':'2.0','method':'notifications/message','params':{'level':"
                 "'emergency','logger':'odd','data':'emergency'}}");
}

static size_t count_logs(struct peer *p)
{
    struct peer_call *c = call_tool(p, "logging");
    peer_answer(c);
    return peer_n_sent(c);
}

static void set_level(struct peer *p, enum mcp_log_level level)
{
    str name = mcp_log_level_name(level);
    str params = arena_printf(&p->arena, "'level':'" STR_FMT "'", STR_ARG(name));
    CHECK_DONE(params.p, peer_send(p, "logging/setLevel", params.p), "");
}

static void test_log_levels(void **state)
{
    struct peer *p = *state;
    CHECK_INT("legacy, never set", count_logs(p), 8);
    for (enum mcp_log_level level = MCP_LOG_DEBUG; level < MCP_LOG_OFF; level++) {
        set_level(p, level);
        CHECK_INT(mcp_log_level_name(level).p, count_logs(p), MCP_LOG_OFF - level);
    }
    p->scope = "elsewhere";
    CHECK_INT("another client", count_logs(p), 8);

    p->scope = "here";
    set_level(p, MCP_LOG_DEBUG);
    p->revision = MCP_2026_07_28;
    CHECK_INT("modern, nothing asked for", count_logs(p), 0);
    for (enum mcp_log_level level = MCP_LOG_DEBUG; level < MCP_LOG_OFF; level++) {
        p->meta = arena_printf(&p->arena, "'" MCP_META "logLevel':'%s'",
                               mcp_log_level_name(level).p)
                      .p;
        CHECK_INT(p->meta, count_logs(p), MCP_LOG_OFF - level);
    }
    p->meta = NULL;
    CHECK_INT("the next request says nothing", count_logs(p), 0);
    CHECK_INT("content all the same", peer_result(call_tool(p, "logging")) != NULL, 1);
}

static void test_no_logging(void **state)
{
    (void)state;
    struct peer *p = make_peer(false, NULL);
    CHECK_INT("legacy", count_logs(p), 0);
    p->revision = MCP_2026_07_28;
    p->meta = "'" MCP_META "logLevel':'debug'";
    CHECK_INT("modern", count_logs(p), 0);
    free_peer(p);
}

/* --- cancellation --- */

static void cancel(struct peer *p, const char *id)
{
    str text =
        arena_printf(&p->arena,
                     "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                     "'requestId':%s,'reason':'r'}}",
                     id);
    peer_tell(p, text.p);
}

static void test_cancel(void **state)
{
    struct peer *p = *state;
    p->meta = "'progressToken':1";
    for (p->revision = MCP_2025_11_25; p->revision < MCP_REVISIONS; p->revision++) {
        struct peer_call *c = call_tool(p, "waiting");
        until_running(world_of(p), 1);
        cancel(p, "99");
        cancel(p,
               arena_printf(&p->arena, "'%s'", c->id).p); /* a string, not the number */
        cancel(p, "null");
        peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/cancelled'}");
        peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/unheard','params':{}}");
        mcp_cancel_serial(p->server, c->serial + 1);
        p->scope = "elsewhere";
        cancel(p, c->id);
        p->scope = "here";
        usleep(20000);
        CHECK("not meant", !peer_is_finished(c));
        cancel(p, c->id);
        CHECK_STR("no answer", peer_answer(c), "");
        CHECK_INT("nothing more is sent", peer_n_sent(c), 0);
        cancel(p, c->id); /* too late */
    }
}

static void test_cancel_serial(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "waiting");
    until_running(world_of(p), 1);
    mcp_cancel_serial(p->server, c->serial);
    CHECK_STR("no answer", peer_answer(c), "");
}

/* Two concurrent calls are distinguished by their ids. */
static void test_cancel_one_of_two(void **state)
{
    struct peer *p = *state;
    struct peer_call *one = call_tool(p, "waiting");
    struct peer_call *two = call_tool(p, "waiting");
    until_running(world_of(p), 2);
    cancel(p, one->id);
    CHECK_STR("cancelled", peer_answer(one), "");
    assert_false(peer_is_finished(two));
    set_open(world_of(p), true);
    CHECK_STR("let go", peer_text(two), "let go");
}

static void test_drain(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "waiting");
    until_running(world_of(p), 1);
    mcp_server_drain(p->server, 50);
    CHECK_STR("cancelled in the end", peer_answer(c), "");
}

static void *open_soon(void *world)
{
    usleep(50000);
    set_open(world, true);
    return NULL;
}

static void test_drain_waits(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "waiting");
    until_running(world_of(p), 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_soon, world_of(p)), 0);
    mcp_server_drain(p->server, 20000);
    pthread_join(thread, NULL);
    CHECK("answered by now", peer_is_finished(c));
    CHECK_STR("in full", peer_text(c), "let go");
}

static void take_time(struct peer_call *c)
{
    usleep(200000);
}

/* A transport is freed after the drain, so its sinks must no longer be in use. */
static void test_drain_waits_for_the_sink(void **state)
{
    struct peer *p = *state;
    p->ending = take_time;
    struct peer_call *c = call_tool(p, "waiting");
    until_running(world_of(p), 1);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_soon, world_of(p)), 0);
    mcp_server_drain(p->server, 20000);
    bool finished = peer_is_finished(c);
    pthread_join(thread, NULL);
    peer_answer(c);
    CHECK("the answer is out", finished);
}

/* --- threads and load --- */

static void test_threads(void **state)
{
    struct peer *p = *state;
    peer_answer(call_tool(p, "quick"));
    CHECK("quick: on the caller's thread",
          pthread_equal(world_of(p)->thread, pthread_self()));
    struct peer_call *c = call_tool(p, "slow");
    peer_answer(c);
    CHECK("else on a worker", !pthread_equal(world_of(p)->thread, pthread_self()));
    CHECK("stays connected", !c->detached);
    c = call_tool(p, "polled");
    peer_answer(c);
    CHECK("polled: sent away", c->detached);
}

static void test_busy(void **state)
{
    (void)state;
    struct peer *p = make_peer(true, pool_create(1, 2));
    struct peer_call *calls[3];
    for (size_t i = 0; i < COUNT_OF(calls); i++) {
        calls[i] = call_tool(p, "waiting");
        until_running(world_of(p), 1); /* one runs, the others are in the queue */
    }
    struct peer_call *refused = call_tool(p, "waiting");
    CHECK_FAILED("full", refused, RPC_INTERNAL_ERROR,
                 "The server is busy; try again in a moment", NULL);
    CHECK_DONE("quick ones pass", call_tool(p, "empty"), "'content':[]");
    CHECK_DONE("and so do pings", peer_send(p, "ping", ""), "");
    cancel(p, refused->id); /* it is no longer in the registry */
    cancel(p, calls[2]->id);
    set_open(world_of(p), true);
    CHECK_STR("the first", peer_text(calls[0]), "let go");
    CHECK_STR("the second", peer_text(calls[1]), "let go");
    CHECK_STR("cancelled in the queue", peer_answer(calls[2]), "");
    CHECK_STR("room again", peer_text(call_tool(p, "waiting")), "let go");
    free_peer(p);
}

/* A transport that may block waits for room instead. */
static void test_busy_waits(void **state)
{
    (void)state;
    struct peer *p = make_peer(true, pool_create(1, 1));
    p->wait = true;
    struct peer_call *one = call_tool(p, "waiting");
    until_running(world_of(p), 1);
    struct peer_call *two = call_tool(p, "waiting");
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, open_soon, world_of(p)), 0);
    struct peer_call *three = call_tool(p, "waiting");
    pthread_join(thread, NULL);
    CHECK_STR("one", peer_text(one), "let go");
    CHECK_STR("two", peer_text(two), "let go");
    CHECK_STR("three", peer_text(three), "let go");
    free_peer(p);
}

/* Many concurrent calls: each gets its own answer, and finished requests are reused. */
static void test_many(void **state)
{
    enum { ROUNDS = 10, CALLS = 60 };
    struct peer *p = *state;
    p->wait = true;
    p->meta = "'progressToken':1";
    for (int round = 0; round < ROUNDS; round++) {
        struct peer_call *calls[CALLS];
        for (size_t i = 0; i < CALLS; i++)
            calls[i] = call_tool(p, i % 3 == 0   ? "stepping"
                                    : i % 3 == 1 ? "logging"
                                                 : "empty");
        for (size_t i = 0; i < CALLS; i++) {
            CHECK_DONE("answer", calls[i], "'content':[]");
            CHECK_INT("messages", peer_n_sent(calls[i]),
                      i % 3 == 0   ? 4
                      : i % 3 == 1 ? 8
                                   : 0);
        }
    }
}

#define CALL_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        CALL_TEST(test_content_blocks),
        CALL_TEST(test_need),
        CALL_TEST(test_progress),
        CALL_TEST(test_log_messages),
        CALL_TEST(test_log_levels),
        cmocka_unit_test(test_no_logging),
        CALL_TEST(test_cancel),
        CALL_TEST(test_cancel_serial),
        CALL_TEST(test_cancel_one_of_two),
        CALL_TEST(test_drain),
        CALL_TEST(test_drain_waits),
        CALL_TEST(test_drain_waits_for_the_sink),
        CALL_TEST(test_threads),
        cmocka_unit_test(test_busy),
        cmocka_unit_test(test_busy_waits),
        CALL_TEST(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
