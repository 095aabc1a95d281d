/* Calls that wait without a worker. */
#include "mcp/call.h"
#include "mcp/server.h"

#include <stdatomic.h>

#include "peer.h"

static atomic_bool gate; /* lets the calls end */

struct seen {
    int runs;
};

static const struct mcp_kept seen_kept = {sizeof(struct seen)};

/* Two modules in one call; the second struct has the size of the first. */
struct pair {
    int runs;
};

static const struct mcp_kept pair_kept = {sizeof(struct pair)};

static bool both(struct mcp_call *call, struct err *err)
{
    struct seen *seen = mcp_kept(call, &seen_kept);
    struct pair *pair = mcp_kept(call, &pair_kept);
    seen->runs += 1;
    pair->runs += 10;
    if (seen->runs < 3)
        mcp_wait(call, 1);
    else
        mcp_text(call, arena_printf(call->arena, "%d %d", seen->runs, pair->runs));
    return true;
}

static bool waiting(struct mcp_call *call, struct err *err)
{
    struct seen *seen = mcp_kept(call, &seen_kept);
    seen->runs++;
    if (!atomic_load(&gate) || seen->runs < 3) {
        mcp_text(call, STR("discarded"));
        mcp_wait(call, 1);
        return true;
    }
    mcp_text(call, STR("done"));
    return true;
}

static bool task(struct mcp_call *call, struct err *err)
{
    return mcp_become_task(call) && waiting(call, err);
}

static bool brief(struct mcp_call *call, struct err *err)
{
    mcp_text(call, STR("brief"));
    return true;
}

/* --- handlers that are not tools: false without an error, until their third run --- */

static bool is_ready(struct mcp_call *call)
{
    struct seen *seen = mcp_kept(call, &seen_kept);
    if (++seen->runs < 3)
        mcp_wait(call, 1);
    return seen->runs >= 3;
}

static bool read_row(struct mcp_call *call, str uri, struct err *err)
{
    mcp_resource_text(call, uri, STR("text/plain"), STR("read"));
    return is_ready(call);
}

static bool list_rows(struct mcp_call *call, str cursor, struct err *err)
{
    mcp_list(call, &(struct mcp_listed){.uri = STR("row:a"), .name = STR("a")});
    return is_ready(call);
}

static bool complete_row(struct mcp_call *call, str variable, str typed, struct err *err)
{
    mcp_suggest(call, STR("suggested"));
    return is_ready(call);
}

static bool run_prompt(struct mcp_call *call, struct err *err)
{
    mcp_text(call, STR("prompted"));
    return is_ready(call);
}

static bool list_family(struct mcp_call *call, struct err *err)
{
    mcp_list_prompt(call, &(struct mcp_listed_prompt){.name = STR("member")});
    return is_ready(call);
}

static bool run_family(struct mcp_call *call, str name, str *about, struct err *err)
{
    mcp_text(call, STR("of the family"));
    return is_ready(call);
}

static str say_more(struct mcp_call *call)
{
    return is_ready(call) ? STR("more") : STR("");
}

static const struct mcp_resource row = {.uri = "row:{name}",
                                        .name = "row",
                                        .read = read_row,
                                        .list = list_rows,
                                        .complete = complete_row};
static const struct mcp_resource *const rows[] = {&row, NULL};
static const struct mcp_prompt prompt = {
    .name = "prompt", .about = "x", .run = run_prompt};
static const struct mcp_prompt *const prompts[] = {&prompt, NULL};
static const struct mcp_prompt_family family = {list_family, run_family};

static void count_answer(void *app, void *held)
{
    atomic_fetch_add((atomic_int *)held, 1);
}

static void forget_held(void *app, const struct mcp_caller *caller, void *held)
{
}

static atomic_int answers;

static bool hold_something(struct mcp_call *call, struct err *err)
{
    *mcp_held(call) = &answers;
    return true;
}

static const struct mcp_tool waiting_tool = {
    .name = "waiting", .about = "x", .run = waiting};
static const struct mcp_tool task_tool = {.name = "task", .about = "x", .run = task};
static const struct mcp_tool brief_tool = {.name = "brief", .about = "x", .run = brief};
static const struct mcp_tool quick_tool = {
    .name = "quick", .about = "x", .flags = MCP_QUICK, .run = brief};
static const struct mcp_tool both_tool = {.name = "both", .about = "x", .run = both};
static const struct mcp_tool *const tools[] = {&waiting_tool, &task_tool, &brief_tool,
                                               &quick_tool,   &both_tool, NULL};

static int setup(void **state)
{
    atomic_store(&gate, false);
    atomic_store(&answers, 0);
    struct peer *p = peer_create(&(struct mcp_config){.tools = tools,
                                                      .tasks = true,
                                                      .resources = rows,
                                                      .prompts = prompts,
                                                      .more_prompts = &family,
                                                      .more = say_more,
                                                      .before = hold_something,
                                                      .answering = count_answer,
                                                      .let_go = forget_held});
    p->revision = MCP_2026_07_28;
    p->wait = true;
    p->capabilities = "{'extensions':{'" MCP_META "tasks':{}}}";
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

static str text_of(struct peer_call *c)
{
    const struct json *content = json_get(peer_result(c), STR("content"));
    return json_get_str(content->child, STR("text"));
}

/* What two modules keep for one call is apart. */
static void test_kept(void **state)
{
    CHECK_STR("both", text_of(call_tool(*state, "both")), "3 30");
}

/* Many more calls wait than there are workers. */
static void test_others_run(void **state)
{
    enum { MANY = 100 };
    struct peer *p = *state;
    struct peer_call *calls[MANY];
    for (size_t i = 0; i < MANY; i++)
        calls[i] = call_tool(p, "waiting");
    for (size_t i = 0; i < MANY; i++)
        CHECK_STR("while they wait", text_of(call_tool(p, "brief")), "brief");
    atomic_store(&gate, true);
    for (size_t i = 0; i < MANY; i++)
        CHECK_STR("at the end", text_of(calls[i]), "done");
}

static void test_task(void **state)
{
    struct peer *p = *state;
    str id = json_get_str(peer_result(call_tool(p, "task")), STR("taskId"));
    const char *params = arena_printf(&p->arena, "'taskId':'" STR_FMT "'", STR_ARG(id)).p;
    CHECK_STR("while it waits",
              json_get_str(peer_result(peer_send(p, "tasks/get", params)), STR("status")),
              "working");
    peer_result(peer_send(p, "tasks/cancel", params));
    str status = STR("working");
    while (str_eq(status, STR("working")))
        status =
            json_get_str(peer_result(peer_send(p, "tasks/get", params)), STR("status"));
    CHECK_STR("a wait can be cancelled", status, "cancelled");
}

/* What they wrote before they waited is discarded. */
static void test_other_handlers(void **state)
{
    static const struct {
        const char *method, *params, *said;
    } cases[] = {
        {"resources/read", "'uri':'row:a'", "read"},
        {"resources/list", "", "row:a"},
        {"completion/complete",
         "'ref':{'type':'ref/resource','uri':'row:{name}'},"
         "'argument':{'name':'name','value':''}",
         "suggested"},
        {"prompts/get", "'name':'prompt'", "prompted"},
        {"prompts/get", "'name':'member'", "of the family"},
        {"prompts/list", "", "member"},
        {"server/discover", "", "more"},
    };
    struct peer *p = *state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct peer_call *c = peer_send(p, cases[i].method, cases[i].params);
        str answer = peer_answer(c), said = str_c(cases[i].said);
        size_t at = str_find(answer, said);
        CHECK_INT(cases[i].method, c->code, 0);
        CHECK(cases[i].method, at != STR_NONE);
        CHECK(cases[i].method, str_find(str_skip(answer, at + said.n), said) == STR_NONE);
    }
}

/* The app knows of every answer to a call that holds something, and of no error. */
static void test_answering(void **state)
{
    struct peer *p = *state;
    atomic_store(&gate, true);
    CHECK_STR("a tool", text_of(call_tool(p, "waiting")), "done");
    CHECK_INT("a tool", atomic_load(&answers), 1);
    peer_answer(call_tool(p, "no such tool"));
    peer_answer(peer_send(p, "tools/list", ""));
    CHECK_INT("nothing is held", atomic_load(&answers), 1);
}

/* --- turns --- */

/* How many requests may run at once, and how long the others have to wait. */
struct turns {
    atomic_int left, changes;
    uint64_t wait_ms;
};

static bool take(void *context, const struct mcp_caller *caller, bool changes,
                 uint64_t most_ms, uint64_t *wait_ms, struct err *err)
{
    struct turns *t = context;
    *wait_ms = 0;
    if (atomic_load(&t->left) > 0)
        atomic_fetch_sub(&t->left, 1);
    else
        *wait_ms = t->wait_ms;
    if (*wait_ms > most_ms)
        return err_named(err, E_RATE_LIMITED, "try again in %d", (int)*wait_ms);
    atomic_fetch_add(&t->changes, changes);
    return true;
}

static void limit(struct peer *p, struct turns *t, int left, uint64_t wait_ms)
{
    *t = (struct turns){.left = left, .wait_ms = wait_ms};
    p->turns = (struct mcp_turns){take, t};
}

static void test_turns(void **state)
{
    static const struct {
        const char *name;
        int left;
        uint64_t wait_ms;
        const char *tool, *said;
    } cases[] = {
        {"at once", 1, 99999, "brief", "brief"},
        {"after a while", 0, 5, "brief", "brief"},
        {"then it waits for something else", 0, 5, "waiting", "done"},
        {"too late", 0, MCP_TURN_MS + 1, "brief", "try again in 10001"},
    };
    struct peer *p = *state;
    atomic_store(&gate, true);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct turns t;
        limit(p, &t, cases[i].left, cases[i].wait_ms);
        str said = text_of(call_tool(p, cases[i].tool));
        CHECK(cases[i].name, str_find(said, str_c(cases[i].said)) != STR_NONE);
        bool counted = cases[i].wait_ms <= MCP_TURN_MS || cases[i].left > 0;
        CHECK_INT(cases[i].name, atomic_load(&t.changes), counted);
    }
}

/* What is not a tool fails with an error of the protocol. */
static void test_turns_of_others(void **state)
{
    struct peer *p = *state;
    struct turns t;
    limit(p, &t, 0, 5);
    CHECK("it waits",
          json_get(peer_result(peer_send(p, "tools/list", "")), STR("tools")) != NULL);
    CHECK_INT("no change", atomic_load(&t.changes), 0);
    limit(p, &t, 0, MCP_TURN_MS + 1);
    struct peer_call *c = peer_send(p, "tools/list", "");
    str answer = peer_answer(c);
    CHECK_INT("it fails", c->code, RPC_INTERNAL_ERROR);
    CHECK("it says why", str_find(answer, STR("try again in 10001")) != STR_NONE);
}

/* So many may wait; the next one is refused, until one of them has gone. */
static void test_turns_are_bounded(void **state)
{
    struct peer *p = *state;
    struct turns t;
    struct peer_call *first = NULL, *next;
    limit(p, &t, 0, MCP_TURN_MS);
    for (size_t i = 0; i < MCP_TURNS_MAX; i++) {
        next = call_tool(p, "quick");
        CHECK("one that waits", !peer_is_finished(next));
        first = first != NULL ? first : next;
    }
    CHECK("one too many",
          str_find(text_of(call_tool(p, "quick")), STR("try again")) != STR_NONE);
    mcp_cancel_serial(p->server, first->serial);
    peer_answer(first);
    do /* it leaves just after its end */
        next = call_tool(p, "quick");
    while (peer_is_finished(next));
}

/* Requests of one caller do not use up the places of the others. */
static void test_turns_are_shared(void **state)
{
    struct peer *p = *state;
    struct turns t;
    limit(p, &t, 0, MCP_TURN_MS);
    p->caller.share = 7;
    for (size_t i = 0; i < MCP_TURNS_SHARE; i++)
        CHECK("one that waits", !peer_is_finished(call_tool(p, "quick")));
    CHECK("one too many",
          str_find(text_of(call_tool(p, "quick")), STR("try again")) != STR_NONE);
    p->caller.share = 8;
    CHECK("another caller", !peer_is_finished(call_tool(p, "quick")));
}

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_others_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns_are_shared, setup, teardown),
        cmocka_unit_test_setup_teardown(test_task, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_handlers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answering, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns_of_others, setup, teardown),
        cmocka_unit_test_setup_teardown(test_turns_are_bounded, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
