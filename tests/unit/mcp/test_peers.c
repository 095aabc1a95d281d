/* Two servers with the same clients: what one knows, the other one learns. */
#include "mcp/peers.h"

#include <unistd.h>

#include "asking.h"
#include "base/array.h"
#include "mcp/hub.h"
#include "mcp/server.h"
#include "until.h"

struct world;

struct replica {
    struct world *world;
    struct peer *client; /* its client */
    struct mcp_server *server;
};

struct world {
    struct arena arena;
    bool deaf;         /* messages are lost */
    struct mutex lock; /* of the notes */
    struct {
        str name, part, text;
    } * notes;
    size_t n, told, listed, touched;
    struct replica replicas[2];
};

static void tell(void *app, str text)
{
    struct replica *r = app;
    struct replica *other = &r->world->replicas[r == &r->world->replicas[0]];
    r->world->told++;
    if (!r->world->deaf)
        mcp_server_heard(other->server, text);
}

static void put(void *app, str name, str part, str text, int64_t seconds)
{
    struct world *w = ((struct replica *)app)->world;
    mutex_lock(&w->lock);
    size_t i = 0;
    while (i < w->n &&
           !(str_eq(w->notes[i].name, name) && str_eq(w->notes[i].part, part)))
        i++;
    if (seconds == 0 && i < w->n) {
        w->notes[i] = w->notes[--w->n];
    } else if (seconds > 0) {
        if (i == w->n)
            (void)ARRAY_ADD(&w->arena, w->notes, w->n);
        w->notes[i].name = arena_str(&w->arena, name);
        w->notes[i].part = arena_str(&w->arena, part);
        w->notes[i].text = arena_str(&w->arena, text);
    }
    mutex_unlock(&w->lock);
}

static bool list(void *app, struct arena *a, str name, struct mcp_peer_note **out,
                 size_t *n)
{
    struct world *w = ((struct replica *)app)->world;
    mutex_lock(&w->lock);
    *out = ARENA_ARRAY(a, struct mcp_peer_note, w->n + 1);
    *n = 0;
    w->listed++;
    for (size_t i = 0; i < w->n; i++)
        if (str_eq(w->notes[i].name, name))
            (*out)[(*n)++] = (struct mcp_peer_note){arena_str(a, w->notes[i].part),
                                                    arena_str(a, w->notes[i].text)};
    mutex_unlock(&w->lock);
    return true;
}

static bool put_some(void *app, str name, str part, int64_t seconds,
                     const struct mcp_peer_limits *limits, bool *full)
{
    struct world *w = ((struct replica *)app)->world;
    int64_t group = 0, all = 0;
    mutex_lock(&w->lock);
    for (size_t i = 0; i < w->n; i++) {
        group += str_starts(w->notes[i].name, limits->group);
        all += str_starts(w->notes[i].name, limits->all);
    }
    mutex_unlock(&w->lock);
    *full = group >= limits->group_max || all >= limits->all_max;
    if (!*full)
        put(app, name, part, STR(""), seconds);
    return true;
}

static void touch(void *app, str name, int64_t seconds)
{
    struct world *w = ((struct replica *)app)->world;
    mutex_lock(&w->lock);
    w->touched++;
    mutex_unlock(&w->lock);
}

static int touched(struct world *w)
{
    mutex_lock(&w->lock);
    int n = (int)w->touched;
    mutex_unlock(&w->lock);
    return n;
}

static bool once(void *app, str name, int64_t seconds, bool *first)
{
    struct arena a = {0};
    struct mcp_peer_note *notes;
    size_t n;
    bool ok = !((struct replica *)app)->world->deaf && list(app, &a, name, &notes, &n);
    *first = ok && n == 0;
    if (*first)
        put(app, name, STR(""), STR(""), seconds);
    arena_release(&a);
    return ok;
}

static str self(void *app)
{
    struct replica *r = app;
    return r == &r->world->replicas[0] ? STR("a") : STR("b");
}

static bool is_gone(void *app, str name)
{
    return false;
}

/* --- a task that asks --- */

static atomic_bool gate; /* lets it end */

static bool job(struct mcp_call *call, struct err *err)
{
    struct form form = {0};
    mcp_become_task(call);
    if (mcp_elicit(call, STR("sure"), STR("Sure?"), sure_form, &form) == MCP_PENDING)
        return true;
    while (!atomic_load(&gate) && !mcp_cancelled(call))
        usleep(1000);
    mcp_text(call, form.ok ? STR("did it") : STR("left it"));
    return true;
}

static bool three_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    return three(call, err);
}

static const struct mcp_tool job_tool = {.name = "job", .about = "x", .run = job};
static const struct mcp_tool three_job_tool = {
    .name = "three_job", .about = "x", .run = three_job};
static const struct mcp_tool *const tools[] = {&job_tool, &three_job_tool, &permit_tool,
                                               NULL};

#define CAN_TASKS                                                                        \
    "{'elicitation':{},'sampling':{},'roots':{},'extensions':{'" MCP_META "tasks':{}}}"

static int setup(void **state)
{
    struct world *w = mem_zero(sizeof(*w));
    mutex_init(&w->lock);
    atomic_store(&gate, false);
    for (size_t i = 0; i < COUNT_OF(w->replicas); i++) {
        struct replica *r = &w->replicas[i];
        r->world = w;
        r->client = peer_create(&(struct mcp_config){
            .app = r,
            .tools = tools,
            .tasks = true,
            .subscribe = true,
            .peers = {tell, put, put_some, touch, list, once, self, is_gone}});
        r->client->revision = MCP_2026_07_28;
        r->client->capabilities = CAN_TASKS;
        r->server = r->client->server;
    }
    *state = w;
    return 0;
}

static int teardown(void **state)
{
    struct world *w = *state;
    for (size_t i = 0; i < COUNT_OF(w->replicas); i++)
        peer_free(w->replicas[i].client);
    mutex_destroy(&w->lock);
    arena_release(&w->arena);
    free(w);
    return 0;
}

static void test_sessions_end_everywhere(void **state)
{
    struct world *w = *state;
    struct mcp_server *a = w->replicas[0].server, *b = w->replicas[1].server;
    struct mcp_client client = {.revision = MCP_NEWEST_LEGACY};
    struct mcp_session session;
    char id[SESSION_ID_SIZE];
    struct err err;
    assert_true(session_issue(&a->sessions, &client, STR("anna"), id, &err));
    assert_true(session_read(&b->sessions, str_c(id), STR("anna"), &session));
    session_end(&a->sessions, &session);
    peers_session_ended(a, &session);
    assert_false(session_read(&b->sessions, str_c(id), STR("anna"), &session));
}

/* --- a stream --- */

struct heard {
    struct mcp_sink sink;
    atomic_int n;
};

static void hear(struct mcp_sink *sink, str message)
{
    atomic_fetch_add(&((struct heard *)sink)->n, 1);
}

static void finish(struct mcp_sink *sink, str message, int code)
{
}

static bool hears(struct mcp_server *s, struct heard *h, const char *uri)
{
    int before = atomic_load(&h->n);
    UNTIL((mcp_server_updated(s, str_c(uri)), atomic_load(&h->n) > before));
    return true;
}

static void test_subscriptions_are_shared(void **state)
{
    struct world *w = *state;
    struct mcp_server *a = w->replicas[0].server, *b = w->replicas[1].server;
    struct heard h = {.sink = {.send = hear, .finish = finish}};
    str scope = STR("one");
    hub_attach(&b->hub, scope, &h.sink);
    struct err err;
    assert_true(peers_subscribe(a, STR("anna"), scope, STR("test://a"), &err));
    assert_true(hears(b, &h, "test://a"));
    assert_true(peers_subscribe(a, STR("anna"), scope, STR("test://b"), &err));
    assert_true(hears(b, &h, "test://b"));
    assert_true(hears(b, &h, "test://a"));
    assert_int_equal(w->n, 2);
    peers_unsubscribe(a, STR("anna"), scope, STR("test://a"));
    assert_int_equal(w->n, 1);
    CHECK_INT("nothing was read for that", w->listed, 0);

    /* another process reads them when the client's stream is opened there */
    assert_false(hub_is_streaming(&a->hub, scope));
    hub_set_caller(&a->hub, scope, &(struct mcp_caller){.owner = STR("anna")});
    peers_read_client_soon(a, STR("anna"), scope);
    hub_attach(&b->hub, scope, NULL);
    hub_attach(&a->hub, scope, &h.sink);
    assert_true(hears(a, &h, "test://b"));
    UNTIL(touched(w) > 0); /* by the one who read them */
    int before = touched(w);
    peers_touch(a);
    CHECK_INT("they are kept while it is open", touched(w), before + 1);
    hub_attach(&a->hub, scope, NULL);
    peers_touch(a);
    CHECK_INT("and no longer", touched(w), before + 1);
}

/* Sessions are free, so the limit is one of their owner. */
static void test_subscriptions_are_limited(void **state)
{
    struct world *w = *state;
    struct mcp_server *a = w->replicas[0].server;
    struct arena arena = {0};
    struct err err;
    for (int i = 0; i < HUB_URIS_OWNER; i++)
        assert_true(peers_subscribe(a, STR("anna"),
                                    arena_printf(&arena, "session %d", i % 50),
                                    arena_printf(&arena, "test://%d", i), &err));
    assert_false(peers_subscribe(a, STR("anna"), STR("new"), STR("test://x"), &err));
    CHECK_INT("full", err.code, ERR_LIMIT);
    assert_true(peers_subscribe(a, STR("ann"), STR("new"), STR("test://x"), &err));
    arena_release(&arena);
}

static void test_messages_have_a_limit(void **state)
{
    struct world *w = *state;
    struct arena a = {0};
    struct rpc_message m = {.kind = RPC_NOTIFICATION,
                            .method = STR("notifications/cancelled")};
    struct mcp_server *s = w->replicas[0].server;
    size_t before = w->told;
    assert_true(peers_take_in(s, STR("one"), &m, STR("{}")));
    assert_int_equal(w->told, before + 1);
    str big = {memset(arena_alloc(&a, MCP_TELL_MAX), ' ', MCP_TELL_MAX), MCP_TELL_MAX};
    assert_false(peers_take_in(s, STR("one"), &m, big));
    assert_int_equal(w->told, before + 1);
    assert_true(peers_take_in(s, STR("one"), &m, str_slice(big, 0, PEERS_TEXT_MAX)));
    assert_int_equal(w->told, before + 2);
    m.method = STR("notifications/initialized"); /* not needed elsewhere */
    assert_true(peers_take_in(s, STR("one"), &m, big));
    assert_int_equal(w->told, before + 2);
    arena_release(&a);
}

static void test_odd_messages_are_ignored(void **state)
{
    static const char *const odd[] = {
        "",
        "\n",
        "ended",
        "ended\none",
        "ended\none\n",
        "ended\none\n99999999999999999999999",
        "ended\none\nx",
        "message\none\n{",
        "message\none\n{}",
        "message\none\n[1]",
        "message\none\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "client\n",
        "task\n",
        "task\nx\n{",
        "task\nx\n{}",
        "nothing\nat all"};
    struct world *w = *state;
    struct mcp_server *s = w->replicas[0].server;
    struct heard h = {.sink = {.send = hear, .finish = finish}};
    hub_attach(&s->hub, STR("one"), &h.sink);
    assert_true(hub_subscribe(&s->hub, STR("one"), STR("test://a")));
    assert_true(hears(s, &h, "test://a"));
    size_t told = w->told;
    int n = atomic_load(&h.n);
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        mcp_server_heard(s, str_c(odd[i]));
        CHECK_INT(odd[i], w->told, told);
        CHECK_INT(odd[i], atomic_load(&h.n), n);
        CHECK(odd[i], hub_is_streaming(&s->hub, STR("one")));
    }
    assert_true(hears(s, &h, "test://a")); /* it still is subscribed */
    hub_attach(&s->hub, STR("one"), NULL);
}

static void test_tasks_are_stored(void **state)
{
    struct world *w = *state;
    struct arena a = {0};
    peers_store_task(w->replicas[0].server, STR("t1"), STR("{\"task\":{}}"));
    assert_true(str_eq(peers_stored_task(w->replicas[1].server, &a, STR("t1")),
                       STR("{\"task\":{}}")));
    assert_int_equal(peers_stored_task(w->replicas[1].server, &a, STR("t2")).n, 0);
    arena_release(&a);
}

/* --- tasks that ask --- */

/* Begin a task at the first process: its id. */
static str begin(struct world *w, const char *tool)
{
    struct peer *p = w->replicas[0].client;
    str params = arena_printf(&p->arena, "'name':'%s'", tool);
    struct peer_call *c = peer_send(p, "tools/call", params.p);
    return json_get_str(peer_result(c), STR("taskId"));
}

/* A request about a task to the second one. */
static struct peer_call *task_call(struct world *w, const char *method, str id,
                                   const char *more)
{
    struct peer *p = w->replicas[1].client;
    str params = arena_printf(&p->arena, "'taskId':'" STR_FMT "'%s", STR_ARG(id), more);
    return peer_send(p, method, params.p);
}

static str status_of(struct world *w, str id)
{
    return json_get_str(peer_result(task_call(w, "tasks/get", id, "")), STR("status"));
}

static void until(struct world *w, str id, const char *status)
{
    for (int i = 0; i < 50000 && !str_eq(status_of(w, id), str_c(status)); i++)
        usleep(2000);
    CHECK_STR("until", status_of(w, id), status);
}

#define SURE ",'inputResponses':{'sure':{'action':'accept','content':{'ok':true}}}"
#define UNFIT ",'inputResponses':{'sure':{'action':'accept','content':{}}}"

/* When an answer is passed on, the process that did so shows it. */
static void test_answers_to_tasks(void **state)
{
    struct world *w = *state;
    str id = begin(w, "job");
    until(w, id, "input_required");
    CHECK_DONE("unfit", task_call(w, "tasks/update", id, UNFIT), "");
    until(w, id, "input_required"); /* again */
    CHECK_DONE("update", task_call(w, "tasks/update", id, SURE), "");
    CHECK_STR("at once", status_of(w, id), "working");
    CHECK_DONE("too late", task_call(w, "tasks/update", id, SURE), "");
    atomic_store(&gate, true);
    until(w, id, "completed");
    struct peer_call *end = task_call(w, "tasks/get", id, "");
    CHECK("its result", str_find(peer_answer(end), STR("did it")) != STR_NONE);
}

/* An answer to one of several questions does not let it go on. */
static void test_partial_answers_to_tasks(void **state)
{
    struct world *w = *state;
    str id = begin(w, "three_job");
    until(w, id, "input_required");
    CHECK_DONE("one", task_call(w, "tasks/update", id, ",'inputResponses':{'one':{}}"),
               "");
    CHECK_STR("it still asks", status_of(w, id), "input_required");
    CHECK_DONE("all",
               task_call(w, "tasks/update", id,
                         ",'inputResponses':{'one':{},'two':{},'three':{}}"),
               "");
    until(w, id, "completed");
}

static void test_large_answers_to_tasks(void **state)
{
    struct world *w = *state;
    struct arena *a = &w->arena;
    str id = begin(w, "three_job");
    until(w, id, "input_required");
    char *pad = memset(arena_alloc(a, PEERS_TEXT_MAX), 'x', PEERS_TEXT_MAX);
    for (int large = 1; large >= 0; large--) {
        str more = arena_printf(a,
                                ",'inputResponses':{'one':{'pad':'%.*s'},'two':{},"
                                "'three':{}}",
                                PEERS_TEXT_MAX - (large ? 10 : 100), pad);
        struct peer_call *c = task_call(w, "tasks/update", id, more.p);
        if (large)
            CHECK_FAILED("too large", c, RPC_INVALID_PARAMS,
                         "inputResponses is too large to be passed on to the server "
                         "that runs this task: send at most 64000 bytes",
                         NULL);
        else
            CHECK_DONE("large", c, "");
    }
    until(w, id, "completed");
}

/* A client whose answer did not arrive knows that. */
static void test_lost_answers_to_tasks(void **state)
{
    struct world *w = *state;
    str id = begin(w, "job");
    until(w, id, "input_required");
    w->deaf = true;
    CHECK_FAILED("lost", task_call(w, "tasks/update", id, SURE), RPC_INTERNAL_ERROR,
                 "The server that runs this task has not taken the answers: send them "
                 "again",
                 NULL);
    CHECK_STR("it still asks", status_of(w, id), "input_required");
    w->deaf = false;
    CHECK_DONE("again", task_call(w, "tasks/update", id, SURE), "");
    CHECK_STR("at once", status_of(w, id), "working");
    atomic_store(&gate, true);
}

static str permit_at(struct world *w, size_t i, str sealed)
{
    struct peer *p = w->replicas[i].client;
    str params = arena_printf(&p->arena,
                              "'name':'permit','requestState':'" STR_FMT
                              "','inputResponses':{'permit':{'action':'accept'}}",
                              STR_ARG(sealed));
    return peer_answer(peer_send(p, "tools/call", params.p));
}

/* A confirmation counts once in all processes, and not at all where that is unknown. */
static void test_SEC_123_confirmed_once(void **state)
{
    struct world *w = *state;
    plan = "a";
    str sealed = json_get_str(
        peer_result(peer_send(w->replicas[0].client, "tools/call", "'name':'permit'")),
        STR("requestState"));
    w->deaf = true;
    CHECK("unknown",
          str_find(permit_at(w, 1, sealed), STR("cannot be checked now")) != STR_NONE);
    w->deaf = false;
    CHECK("first", str_find(permit_at(w, 1, sealed), STR("carried out a")) != STR_NONE);
    for (size_t i = 0; i < COUNT_OF(w->replicas); i++)
        CHECK("again",
              str_find(permit_at(w, i, sealed), STR("was used before")) != STR_NONE);
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_sessions_end_everywhere, setup, teardown),
        cmocka_unit_test_setup_teardown(test_subscriptions_are_shared, setup, teardown),
        cmocka_unit_test_setup_teardown(test_subscriptions_are_limited, setup, teardown),
        cmocka_unit_test_setup_teardown(test_messages_have_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_odd_messages_are_ignored, setup, teardown),
        cmocka_unit_test_setup_teardown(test_tasks_are_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answers_to_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_partial_answers_to_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_large_answers_to_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost_answers_to_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_SEC_123_confirmed_once, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
