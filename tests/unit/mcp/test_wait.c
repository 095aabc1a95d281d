/* Calls that wait without a worker. */
#include "mcp/call.h"

#include <stdatomic.h>

#include "peer.h"

static atomic_bool gate; /* lets the calls end */

struct seen {
    int runs;
};

static bool waiting(struct mcp_call *call, struct err *err)
{
    struct seen *seen = *mcp_kept(call);
    if (seen == NULL)
        *mcp_kept(call) = seen = ARENA_NEW(call->arena, struct seen);
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

static const struct mcp_tool waiting_tool = {
    .name = "waiting", .about = "x", .run = waiting};
static const struct mcp_tool task_tool = {.name = "task", .about = "x", .run = task};
static const struct mcp_tool brief_tool = {.name = "brief", .about = "x", .run = brief};
static const struct mcp_tool *const tools[] = {&waiting_tool, &task_tool, &brief_tool,
                                               NULL};

static int setup(void **state)
{
    atomic_store(&gate, false);
    struct peer *p = peer_create(&(struct mcp_config){.tools = tools, .tasks = true});
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_others_run, setup, teardown),
        cmocka_unit_test_setup_teardown(test_task, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
