/* Calls that continue as tasks. */
#include "mcp/server.h"
#include "mcp/task.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "asking.h"
#include "mcp_refuse.h"

static atomic_bool gate; /* lets the jobs end */

static bool job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    mcp_become_task(call); /* once is enough */
    mcp_progress(call, 1, 2, STR("this is not sent"));
    while (!atomic_load(&gate) && !mcp_cancelled(call))
        usleep(1000);
    mcp_text(call, STR("done"));
    return true;
}

static bool failing_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    return err_set(err, ERR_CONFLICT, "it changed");
}

static bool broken_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    return refuse(call, err, -7, "it broke");
}

static bool asking_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    return confirm_for(call, STR("it"));
}

static bool permit_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    return carry_out(call, err);
}

static bool three_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    return three(call, err);
}

static bool late_job(struct mcp_call *call, struct err *err)
{
    struct form form = {0};
    if (mcp_elicit(call, STR("first"), STR("Who?"), name_form, &form) == MCP_PENDING)
        return true;
    mcp_become_task(call);
    mcp_text(call, form.name);
    return true;
}

static bool task_only(struct mcp_call *call, struct err *err)
{
    if (!need_capability(call, MCP_CAN_TASKS, err))
        return false;
    mcp_become_task(call);
    mcp_text(call, STR("as a task"));
    return true;
}

/* As deep as a tool's result can be. */
static bool deep_job(struct mcp_call *call, struct err *err)
{
    mcp_become_task(call);
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        jsonw_array(call->out);
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        jsonw_end(call->out);
    return true;
}

static const struct mcp_tool deep_job_tool = {.name = "deep_job",
                                              .about = "x",
                                              .flags = MCP_QUICK | MCP_STRUCTURED,
                                              .run = deep_job};

#define TOOL(id, fn)                                                                     \
    static const struct mcp_tool id##_tool = {.name = #id, .about = "x", .run = (fn)}

TOOL(job, job);
TOOL(failing_job, failing_job);
TOOL(broken_job, broken_job);
TOOL(asking_job, asking_job);
TOOL(permit_job, permit_job);
TOOL(three_job, three_job);
TOOL(late_job, late_job);
TOOL(task_only, task_only);
static const struct mcp_tool quick_job_tool = {
    .name = "quick_job", .about = "x", .flags = MCP_QUICK, .run = failing_job};

static const struct mcp_tool *const tools[] = {&deep_job_tool,
                                               &job_tool,
                                               &failing_job_tool,
                                               &broken_job_tool,
                                               &asking_job_tool,
                                               &permit_job_tool,
                                               &three_job_tool,
                                               &late_job_tool,
                                               &task_only_tool,
                                               &quick_job_tool,
                                               NULL};

#define CAN_TASKS                                                                        \
    "{'elicitation':{},'sampling':{},'roots':{},'extensions':{'" MCP_META "tasks':{}}}"

static struct peer *make_peer(bool with_tasks)
{
    struct peer *p =
        peer_create(&(struct mcp_config){.tools = tools, .tasks = with_tasks});
    p->revision = MCP_2026_07_28;
    p->capabilities = CAN_TASKS;
    return p;
}

static int setup(void **state)
{
    atomic_store(&gate, false);
    *state = make_peer(true);
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

/* Start a task; returns its id. */
static str begin(struct peer *p, const char *name)
{
    struct peer_call *c = call_tool(p, name);
    str id = json_get_str(peer_result(c), STR("taskId"));
    if (id.n == 0)
        fail_msg("no task: " STR_FMT, STR_ARG(peer_answer(c)));
    return id;
}

static struct peer_call *task_call(struct peer *p, const char *method, str id,
                                   const char *more)
{
    str params = arena_printf(&p->arena, "'taskId':'" STR_FMT "'%s", STR_ARG(id), more);
    return peer_send(p, method, params.p);
}

/* tasks/get until the status is that one. */
static const struct json *until(struct peer *p, str id, const char *status)
{
    for (int i = 0; i < 100000; i++) {
        struct peer_call *c = task_call(p, "tasks/get", id, "");
        const struct json *result = peer_result(c);
        if (result == NULL)
            fail_msg("tasks/get: " STR_FMT, STR_ARG(peer_answer(c)));
        if (str_eq(json_get_str(result, STR("status")), str_c(status)))
            return result;
        usleep(2000);
    }
    fail_msg("never %s", status);
    return NULL;
}

static str keys_of(struct peer *p, const struct json *requests)
{
    struct sbuf keys = SBUF_ON(&p->arena);
    for (const struct json *j = requests->child; j != NULL; j = j->next)
        sbuf_printf(&keys, "%s" STR_FMT, keys.n > 0 ? " " : "", STR_ARG(j->key));
    return sbuf_str(&keys);
}

/* --- a task's life --- */

static void test_handle(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "job");
    const struct json *result = peer_result(c);
    str id = json_get_str(result, STR("taskId"));
    str created = json_get_str(result, STR("createdAt"));
    CHECK_INT("unguessable", id.n, 32);
    CHECK_INT("a date", created.n, strlen("2026-11-15T09:30:00Z"));
    str want = arena_printf(
        &p->arena,
        "{'jsonrpc':'2.0','id':1,'result':{'resultType':'task','taskId':'" STR_FMT
        "','status':'working','createdAt':'" STR_FMT "','lastUpdatedAt':'" STR_FMT
        "','ttlMs':900000,'pollIntervalMs':500," PEER_INFO "}}",
        STR_ARG(id), STR_ARG(created), STR_ARG(created));
    CHECK_QUOTED(&p->arena, "handle", peer_answer(c), want.p);
    CHECK_INT("no progress before", peer_n_sent(c), 0);
    CHECK("another id", !str_eq(id, begin(p, "job")));
    atomic_store(&gate, true);
}

static void test_completed(void **state)
{
    struct peer *p = *state;
    str id = begin(p, "job");
    const struct json *result = until(p, id, "working");
    CHECK_STR("envelope", json_get_str(result, STR("resultType")), "complete");
    CHECK("no result yet", json_get(result, STR("result")) == NULL);
    atomic_store(&gate, true);
    result = until(p, id, "completed");
    CHECK_STR("id", json_get_str(result, STR("taskId")), arena_str(&p->arena, id));
    CHECK_QUOTED(
        &p->arena, "result", json_get(result, STR("result"))->raw,
        "{'resultType':'complete','content':[{'type':'text','text':'done'}]," PEER_INFO
        "}");
    CHECK("no error", json_get(result, STR("error")) == NULL);
    CHECK("no questions", json_get(result, STR("inputRequests")) == NULL);
    until(p, id, "completed"); /* any number of times */
}

static void test_failures(void **state)
{
    struct peer *p = *state;
    const char *const names[] = {"failing_job", "quick_job"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const struct json *result = until(p, begin(p, names[i]), "completed");
        CHECK("a tool error is a result",
              json_get_true(json_get(result, STR("result")), STR("isError")));
    }
    const struct json *result = until(p, begin(p, "broken_job"), "failed");
    CHECK_QUOTED(&p->arena, "error", json_get(result, STR("error"))->raw,
                 "{'code':-7,'message':'it broke'}");
    CHECK("no result", json_get(result, STR("result")) == NULL);
}

static void test_cancel(void **state)
{
    struct peer *p = *state;
    str id = begin(p, "job");
    CHECK_DONE("cancel", task_call(p, "tasks/cancel", id, ""), "");
    const struct json *result = until(p, id, "cancelled");
    CHECK("no result", json_get(result, STR("result")) == NULL);
    CHECK_DONE("again", task_call(p, "tasks/cancel", id, ""), "");
    CHECK_DONE("update", task_call(p, "tasks/update", id, ",'inputResponses':{}"), "");
    until(p, id, "cancelled");

    str done = begin(p, "failing_job");
    until(p, done, "completed");
    CHECK_DONE("too late", task_call(p, "tasks/cancel", done, ""), "");
    until(p, done, "completed");
}

/* The call was answered, so cancelling its id has no effect. */
static void test_call_id_is_gone(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "job");
    str id = json_get_str(peer_result(c), STR("taskId"));
    peer_tell(p, "{'jsonrpc':'2.0','method':'notifications/cancelled','params':{"
                 "'requestId':1}}");
    mcp_cancel_serial(p->server, c->serial);
    usleep(20000);
    until(p, id, "working");
    atomic_store(&gate, true);
    until(p, id, "completed");
}

/* --- input --- */

static void test_input(void **state)
{
    struct peer *p = *state;
    str id = begin(p, "asking_job");
    const struct json *result = until(p, id, "input_required");
    CHECK_QUOTED(
        &p->arena, "requests", json_get(result, STR("inputRequests"))->raw,
        "{'sure':{'method':'elicitation/create','params':{'mode':'form'," SURE_PARAMS
        "}}}");
    CHECK("no state", json_get(result, STR("requestState")) == NULL);
    CHECK_DONE("update",
               task_call(p, "tasks/update", id,
                         ",'inputResponses':{'sure':{'action':'accept','content':{'ok':"
                         "true}}}"),
               "");
    result = until(p, id, "completed");
    CHECK("text", str_find(result->raw, STR("did it")) != STR_NONE);
}

/* In parts; what is unknown, already answered or not an object is ignored. */
static void test_partial_input(void **state)
{
    static const struct {
        const char *responses, *left;
    } cases[] = {
        {"{}", "one two three"},
        {"{'four':{}}", "one two three"},
        {"{'one':5,'two':null,'three':'x'}", "one two three"},
        {"{'two':{'n':2}}", "one three"},
        {"{'two':{'n':9},'x':{}}", "one three"},
        {"{'one':{'n':1}}", "three"},
    };

    struct peer *p = *state;
    str id = begin(p, "three_job");
    until(p, id, "input_required");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str more = arena_printf(&p->arena, ",'inputResponses':%s", cases[i].responses);
        CHECK_DONE(cases[i].responses, task_call(p, "tasks/update", id, more.p), "");
        const struct json *result = until(p, id, "input_required");
        CHECK_STR(cases[i].responses, keys_of(p, json_get(result, STR("inputRequests"))),
                  cases[i].left);
    }
    CHECK_DONE("nothing", task_call(p, "tasks/update", id, ""), "");
    CHECK_DONE("the last",
               task_call(p, "tasks/update", id, ",'inputResponses':{'three':{'n':3}}"),
               "");
    const struct json *result = until(p, id, "completed");
    const struct json *content =
        json_get(json_get(result, STR("result")), STR("content"));
    CHECK_STR("text", json_get_str(content->child, STR("text")),
              "{\"n\":1}{\"n\":2}{\"n\":3}");
}

static void test_unfit_input(void **state)
{
    struct peer *p = *state;
    str id = begin(p, "asking_job");
    until(p, id, "input_required");
    CHECK_DONE("unfit",
               task_call(p, "tasks/update", id,
                         ",'inputResponses':{'sure':{'action':'accept','content':{}}}"),
               "");
    const struct json *result = until(p, id, "input_required");
    CHECK("asked again", json_get(result, STR("inputRequests"))->n == 1);
    CHECK_DONE("decline",
               task_call(p, "tasks/update", id,
                         ",'inputResponses':{'sure':{'action':'decline'}}"),
               "");
    until(p, id, "completed");
}

/* Permission for one plan is not permission for another, nor is a late answer. */
static void test_SEC_123_other_plan(void **state)
{
    struct peer *p = *state;
    plan = "a";
    str id = begin(p, "permit_job");
    until(p, id, "input_required");
    plan = "b";
    for (int i = 0; i < 2; i++) {
        CHECK_DONE("for a",
                   task_call(p, "tasks/update", id,
                             ",'inputResponses':{'permit':{'action':'accept'}}"),
                   "");
        const struct json *result = until(p, id, "input_required");
        CHECK_STR("asked again", keys_of(p, json_get(result, STR("inputRequests"))),
                  "permit-2");
    }
    CHECK_DONE("for b",
               task_call(p, "tasks/update", id,
                         ",'inputResponses':{'permit-2':{'action':'accept'}}"),
               "");
    const struct json *result = until(p, id, "completed");
    CHECK("text", str_find(result->raw, STR("carried out b")) != STR_NONE);
}

static void test_cancel_while_asking(void **state)
{
    struct peer *p = *state;
    str id = begin(p, "asking_job");
    until(p, id, "input_required");
    CHECK_DONE("cancel", task_call(p, "tasks/cancel", id, ""), "");
    until(p, id, "cancelled");
}

/* First a question by input_required, then a task. */
static void test_question_before(void **state)
{
    struct peer *p = *state;
    struct peer_call *c = call_tool(p, "late_job");
    str sealed = json_get_str(peer_result(c), STR("requestState"));
    str params = arena_printf(&p->arena,
                              "'name':'late_job','requestState':'" STR_FMT
                              "','inputResponses':{'first':{'action':'accept','content':{"
                              "'name':'Ada'}}}",
                              STR_ARG(sealed));
    c = peer_send(p, "tools/call", params.p);
    CHECK_STR("task", json_get_str(peer_result(c), STR("resultType")), "task");
    const struct json *result =
        until(p, json_get_str(peer_result(c), STR("taskId")), "completed");
    CHECK("text", str_find(result->raw, STR("Ada")) != STR_NONE);
}

/* --- who may use a task --- */

static void test_unknown(void **state)
{
    static const char *const methods[] = {"tasks/get", "tasks/update", "tasks/cancel"};
    static const char *const params[] = {
        "",
        "'taskId':''",
        "'taskId':5",
        "'taskId':null",
        "'taskId':'00000000000000000000000000000000'",
    };

    struct peer *p = *state;
    str id = begin(p, "job");
    for (size_t m = 0; m < COUNT_OF(methods); m++) {
        for (size_t i = 0; i < COUNT_OF(params); i++)
            CHECK_FAILED(params[i], peer_send(p, methods[m], params[i]),
                         RPC_INVALID_PARAMS, "Unknown task", NULL);
        p->principal = "eve";
        CHECK_FAILED("another user", task_call(p, methods[m], id, ""), RPC_INVALID_PARAMS,
                     "Unknown task", NULL);
        p->principal = NULL;
        CHECK_FAILED("half an id", task_call(p, methods[m], str_slice(id, 0, 31), ""),
                     RPC_INVALID_PARAMS, "Unknown task", NULL);
    }
    until(p, id, "working");

    p->principal = "ada";
    str hers = begin(p, "failing_job");
    until(p, hers, "completed");
    p->principal = NULL;
    CHECK_FAILED("no user", task_call(p, "tasks/get", hers, ""), RPC_INVALID_PARAMS,
                 "Unknown task", NULL);
    p->principal = "ada ";
    CHECK_FAILED("almost", task_call(p, "tasks/get", hers, ""), RPC_INVALID_PARAMS,
                 "Unknown task", NULL);
    atomic_store(&gate, true);
}

static void test_wrong_input(void **state)
{
    static const char *const cases[] = {"[]", "null", "'x'", "5"};
    struct peer *p = *state;
    str id = begin(p, "asking_job");
    until(p, id, "input_required");
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        str more = arena_printf(&p->arena, ",'inputResponses':%s", cases[i]);
        CHECK_FAILED(cases[i], task_call(p, "tasks/update", id, more.p),
                     RPC_INVALID_PARAMS, "inputResponses must be an object", NULL);
    }
}

#define NEEDED "{'requiredCapabilities':{'extensions':{'" MCP_META "tasks':{}}}}"

static void test_without_capability(void **state)
{
    struct peer *p = *state;
    str id = begin(p, "job");
    atomic_store(&gate, true);
    p->capabilities = "{}";
    CHECK_DONE("runs to its end", call_tool(p, "job"),
               "'content':[{'type':'text','text':'done'}]");
    CHECK_FAILED("only as a task", call_tool(p, "task_only"), MCP_MISSING_CAPABILITY,
                 "Missing required client capability", NEEDED);
    static const char *const methods[] = {"tasks/get", "tasks/update", "tasks/cancel"};
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        CHECK_FAILED(methods[i], task_call(p, methods[i], id, ""), MCP_MISSING_CAPABILITY,
                     "Missing required client capability", NEEDED);
    p->revision = MCP_2025_11_25;
    p->capabilities = CAN_TASKS;
    CHECK_DONE("legacy", call_tool(p, "job"),
               "'content':[{'type':'text','text':'done'}]");
}

static void test_not_offered(void **state)
{
    (void)state;
    atomic_store(&gate, true);
    struct peer *p = make_peer(false);
    CHECK_DONE("runs to its end", call_tool(p, "job"),
               "'content':[{'type':'text','text':'done'}]");
    CHECK_FAILED("tasks/get", peer_send(p, "tasks/get", ""), RPC_METHOD_NOT_FOUND,
                 "Method not found: tasks/get", NULL);
    peer_free(p);
}

/* What a tool could write can be fetched. In a child process, since a BUG() would end
 * this one. */
static void test_deep_result(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        close(STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        struct peer *p = make_peer(true);
        struct peer_call *c = task_call(p, "tasks/get", begin(p, "deep_job"), "");
        _exit(str_find(peer_answer(c), STR("\"completed\"")) != STR_NONE ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    CHECK("the server lives", WIFEXITED(status));
    CHECK_INT("completed", WEXITSTATUS(status), 0);
}

/* --- many tasks, and shutting down --- */

/* Above the limit a call continues as a plain call. */
static void test_too_many(void **state)
{
    struct peer *p = *state;
    for (int i = 0; i < MCP_TASKS_MAX; i++)
        begin(p, "failing_job");
    const struct json *result = peer_result(call_tool(p, "failing_job"));
    CHECK_STR("no task", json_get_str(result, STR("resultType")), "complete");
    CHECK("its result", json_get_true(result, STR("isError")));
}

static void test_drained(void **state)
{
    struct peer *p = *state;
    str working = begin(p, "job"), asking_ = begin(p, "asking_job");
    until(p, asking_, "input_required");
    mcp_server_drain(p->server, 50);
    until(p, working, "cancelled");
    until(p, asking_, "cancelled");
}

/* The server stops while tasks run and ask: nothing leaks. */
static void test_freed(void **state)
{
    (void)state;
    for (int round = 0; round < 10; round++) {
        atomic_store(&gate, round % 2 == 0);
        struct peer *p = make_peer(true);
        begin(p, "job");
        begin(p, "three_job");
        call_tool(p, "asking_job");
        peer_free(p);
    }
}

#define TASK_TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

TEST_MAIN(argc, argv)
{
    const struct CMUnitTest tests[] = {
        TASK_TEST(test_handle),
        TASK_TEST(test_completed),
        TASK_TEST(test_failures),
        TASK_TEST(test_cancel),
        TASK_TEST(test_call_id_is_gone),
        TASK_TEST(test_input),
        TASK_TEST(test_partial_input),
        TASK_TEST(test_unfit_input),
        TASK_TEST(test_SEC_123_other_plan),
        TASK_TEST(test_cancel_while_asking),
        TASK_TEST(test_question_before),
        TASK_TEST(test_unknown),
        TASK_TEST(test_wrong_input),
        TASK_TEST(test_without_capability),
        cmocka_unit_test(test_not_offered),
        cmocka_unit_test(test_deep_result),
        TASK_TEST(test_too_many),
        TASK_TEST(test_drained),
        cmocka_unit_test(test_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
