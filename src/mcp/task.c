#include "mcp/task.h"

#include "base/clock.h"
#include "base/encode.h"
#include "base/os/rand.h"
#include "mcp/call.h"
#include "mcp/call_running.h"
#include "mcp/core.h"
#include "mcp/jsonrpc.h"
#include "mcp/peers.h"

enum status { WORKING, INPUT_REQUIRED, COMPLETED, FAILED, CANCELLED };

static const char *const status_names[] = {
    [WORKING] = "working", [INPUT_REQUIRED] = "input_required", [COMPLETED] = "completed",
    [FAILED] = "failed",   [CANCELLED] = "cancelled",
};

struct mcp_task {
    struct mcp_sink sink; /* replaces the client's; must be first */
    struct mcp_task *next;
    struct mcp_tasks *all;
    char id[33];
    char *principal;
    enum status status;
    unsigned rounds; /* how often it has asked */
    bool asked;      /* the others know that, and not yet that it goes on */
    int64_t created, updated;
    uint64_t expires_ms;
    struct mcp_request *request; /* until the end */
    str end;                     /* the result or error, as it was written; owned */
};

struct mcp_tasks {
    struct lock lock;
    struct mcp_task *first;
    size_t n;
};

struct mcp_tasks *mcp_tasks_create(void)
{
    struct mcp_tasks *t = mem_zero(sizeof(*t));
    lock_init(&t->lock, LOCK_TASKS);
    return t;
}

static void free_task(struct mcp_task *task)
{
    free(task->principal);
    free((char *)task->end.p);
    free(task);
}

void mcp_tasks_free(struct mcp_tasks *t)
{
    while (t->first != NULL) {
        struct mcp_task *next = t->first->next;
        free_task(t->first);
        t->first = next;
    }
    lock_release(&t->lock);
    free(t);
}

/* Drop expired tasks that are no longer running. The lock is held. */
static void expire(struct mcp_tasks *t)
{
    uint64_t now = clock_ms();
    for (struct mcp_task **at = &t->first; *at != NULL;) {
        struct mcp_task *task = *at;
        if (task->request == NULL && task->expires_ms < now) {
            *at = task->next;
            free_task(task);
            t->n--;
        } else {
            at = &task->next;
        }
    }
}

static void touch(struct mcp_task *task, enum status status)
{
    task->status = status;
    task->updated = clock_now();
}

/* --- a task as JSON; with the lock held --- */

static void put_fields(struct jsonw *w, const struct mcp_task *task)
{
    char when[CLOCK_ISO_SIZE];
    jsonw_put_str(w, STR("taskId"), str_c(task->id));
    jsonw_put_str(w, STR("status"), str_c(status_names[task->status]));
    jsonw_put_str(w, STR("createdAt"), clock_iso(task->created, when));
    jsonw_put_str(w, STR("lastUpdatedAt"), clock_iso(task->updated, when));
    jsonw_put_int(w, STR("ttlMs"), MCP_TASK_TTL_MS);
    jsonw_put_int(w, STR("pollIntervalMs"), MCP_TASK_POLL_MS);
}

/* The result of the call. We wrote it ourselves, so it need not be parsed again. */
static void put_end(struct jsonw *w, const struct mcp_task *task)
{
    struct sbuf text = {.p = (char *)task->end.p, .n = task->end.n};
    struct jsonw done = {.out = &text, .comma = true};
    jsonw_put_written(w, task->status == FAILED ? STR("error") : STR("result"), &done);
}

/* The members of the result of tasks/get. */
static void task_put(struct jsonw *w, const struct mcp_task *task)
{
    put_fields(w, task);
    if (task->status == COMPLETED || task->status == FAILED)
        put_end(w, task);
    if (task->status == INPUT_REQUIRED) {
        jsonw_key(w, STR("inputRequests"));
        mcp_write_questions(w, task->request);
    }
}

static str text_for_peers(const struct mcp_server *s, struct arena *a,
                          const struct mcp_task *task)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    if (!peers_exist(s))
        return STR("");
    jsonw_object(&w);
    jsonw_put_str(&w, STR("principal"), str_c(task->principal));
    jsonw_put_str(&w, STR("process"), peers_self(s));
    jsonw_put_int(&w, STR("rounds"), task->rounds);
    jsonw_put_object(&w, STR("task"));
    task_put(&w, task);
    jsonw_end(&w);
    jsonw_end(&w);
    return sbuf_str(&out);
}

/* --- the sink --- */

/* Progress and log messages can no longer reach the client. */
static void task_send(struct mcp_sink *sink, str message)
{
}

/* The value after {"jsonrpc":"2.0","id":…,"result": or "error": in an answer we wrote. */
static str value_of_answer(const struct mcp_request *r, str message, bool failed)
{
    size_t head = strlen("{\"jsonrpc\":\"2.0\",\"id\":") + r->id->raw.n +
                  strlen(failed ? ",\"error\":" : ",\"result\":");
    return str_slice(message, head, message.n - 1);
}

static void task_finish(struct mcp_sink *sink, str message, int code)
{
    struct mcp_task *task = (struct mcp_task *)sink;
    struct mcp_server *s = task->request->server;
    struct arena a = {0};
    lock_take(&task->all->lock);
    if (message.n == 0) {
        touch(task, CANCELLED);
    } else {
        str value = value_of_answer(task->request, message, code != 0);
        task->end = (str){mem_str(value), value.n};
        touch(task, code == 0 ? COMPLETED : FAILED);
    }
    task->request = NULL;
    str id = arena_str(&a, str_c(task->id)), text = text_for_peers(s, &a, task);
    lock_drop(&task->all->lock);
    peers_store_task(s, id, text);
    arena_release(&a);
}

static struct mcp_task *task_create(struct mcp_request *r)
{
    struct mcp_tasks *all = r->server->tasks;
    struct mcp_task *task = mem_zero(sizeof(*task));
    task->sink = (struct mcp_sink){.send = task_send, .finish = task_finish};
    task->all = all;
    task->principal = mem_str(r->principal);
    task->created = clock_now();
    task->expires_ms = clock_ms() + MCP_TASK_TTL_MS;
    task->request = r;
    touch(task, WORKING);
    uint8_t random[16];
    rand_bytes(random, sizeof(random));
    str id = encode_hex(&r->arena, (str){(char *)random, sizeof(random)});
    memcpy(task->id, id.p, id.n);

    lock_take(&all->lock);
    expire(all);
    bool full = all->n >= MCP_TASKS_MAX;
    if (!full) {
        task->next = all->first;
        all->first = task;
        all->n++;
    }
    lock_drop(&all->lock);
    if (!full)
        return task;
    free_task(task);
    return NULL;
}

bool mcp_become_task(struct mcp_call *call)
{
    struct mcp_request *r = ((struct mcp_running_call *)call)->request;
    if (r->task != NULL)
        return true;
    if (!mcp_can(call, MCP_CAN_TASKS) || !r->server->config.tasks)
        return false;
    struct mcp_task *task = task_create(r);
    if (task == NULL)
        return false; /* too many tasks: it continues as a plain call */
    struct sbuf out = SBUF_ON(&r->arena);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_result(&w, r->id);
    jsonw_put_str(&w, STR("resultType"), STR("task"));
    put_fields(&w, task);
    mcp_put_server_info(&w, r->server, false);
    jsonw_end(&w);
    jsonw_end(&w);

    struct mcp_sink *client = r->sink;
    peers_store_task(r->server, str_c(task->id),
                     text_for_peers(r->server, &r->arena, task));
    lock_take(&r->server->lock);
    r->task = task;
    r->sink = &task->sink;
    lock_drop(&r->server->lock);
    client->finish(client, sbuf_str(&out), 0);
    return true;
}

void mcp_task_asks(struct mcp_request *r)
{
    struct mcp_task *task = r->task;
    struct mcp_server *s = r->server;
    task->rounds++;
    task->asked = true;
    struct mcp_task asking = *task; /* stored before it can go on */
    asking.status = INPUT_REQUIRED;
    peers_store_task(s, str_c(asking.id), text_for_peers(s, &r->arena, &asking));
    lock_take(&task->all->lock);
    touch(task, INPUT_REQUIRED);
    lock_take(&s->lock);
    mcp_wait_for_answers(r);
    r->parked = true;
    if (atomic_load(&r->cancelled))
        mcp_unpark(r);
    lock_drop(&s->lock);
    lock_drop(&task->all->lock);
}

void mcp_task_goes_on(struct mcp_request *r)
{
    struct mcp_task *task = r->task;
    struct mcp_server *s = r->server;
    if (task == NULL || !task->asked)
        return;
    lock_take(&task->all->lock);
    bool working = task->status == WORKING; /* else it was cancelled */
    str text = working ? text_for_peers(s, &r->arena, task) : STR("");
    lock_drop(&task->all->lock);
    task->asked = false;
    if (working)
        peers_store_task(s, str_c(task->id), text);
}

/* --- the methods --- */

/* The task if it is ours, and the lock is held; or NULL, not locked. */
static struct mcp_task *lock_task(struct mcp_tasks *all, str id)
{
    lock_take(&all->lock);
    expire(all);
    for (struct mcp_task *t = all->first; t != NULL; t = t->next)
        if (str_eq(str_c(t->id), id))
            return t;
    lock_drop(&all->lock);
    return NULL;
}

/* The caller's task here, and the lock is held; or NULL, not locked, and r->error may be
 * set. */
static struct mcp_task *find_locked(struct mcp_request *r)
{
    struct mcp_tasks *all = r->server->tasks;
    if ((r->client.can & MCP_CAN_TASKS) == 0) {
        mcp_lacks(r, MCP_CAN_TASKS);
        return NULL;
    }
    struct mcp_task *task = lock_task(all, json_get_str(r->params, STR("taskId")));
    if (task == NULL || str_eq(str_c(task->principal), r->principal))
        return task;
    lock_drop(&all->lock);
    return NULL;
}

/* The caller's task as another process has stored it, with the name of that; NULL: there is
 * none, and r->error is set. */
static const struct json *find_stored(struct mcp_request *r)
{
    const struct json *j;
    struct err ignored;
    if (r->error.code != 0)
        return NULL;
    str id = json_get_str(r->params, STR("taskId"));
    str text = peers_stored_task(r->server, &r->arena, id);
    if (text.n > 0 && json_parse(&r->arena, text, &j, &ignored) &&
        str_eq(json_get_str(j, STR("principal")), r->principal) &&
        json_is(json_get(j, STR("task")), JSON_OBJECT))
        return j;
    mcp_failed(r, RPC_INVALID_PARAMS, "Unknown task");
    return NULL;
}

/* Whether the process that ran it is gone before it ended. */
static bool is_orphan(const struct mcp_request *r, const struct json *stored)
{
    str status = json_get_str(json_get(stored, STR("task")), STR("status"));
    return (str_eq(status, str_c(status_names[WORKING])) ||
            str_eq(status, str_c(status_names[INPUT_REQUIRED]))) &&
           peers_is_gone(r->server, json_get_str(stored, STR("process")));
}

/* It is not stored as failed: if its process was only cut off, it may still end. */
static void put_orphan(struct jsonw *w, const struct json *task)
{
    for (const struct json *j = task->child; j != NULL; j = j->next)
        if (str_eq(j->key, STR("status")))
            jsonw_put_str(w, j->key, str_c(status_names[FAILED]));
        else if (!str_eq(j->key, STR("inputRequests")))
            jsonw_put_value(w, j->key, j);
    jsonw_put_object(w, STR("error"));
    jsonw_put_int(w, STR("code"), RPC_INTERNAL_ERROR);
    jsonw_put_str(w, STR("message"),
                  STR("The server that ran this task has stopped, so its result is not "
                      "known: look at what it has done, then call the tool again"));
    jsonw_end(w);
}

static enum mcp_outcome put_stored(struct mcp_request *r, struct jsonw *w)
{
    const struct json *stored = find_stored(r);
    if (stored == NULL)
        return MCP_FAILED;
    const struct json *task = json_get(stored, STR("task"));
    if (is_orphan(r, stored)) {
        put_orphan(w, task);
        return MCP_DONE;
    }
    for (const struct json *j = task->child; j != NULL; j = j->next)
        jsonw_put_value(w, j->key, j);
    return MCP_DONE;
}

/* The request is for the process that runs the task. */
static enum mcp_outcome pass_on(struct mcp_request *r, str message)
{
    if (find_stored(r) == NULL)
        return MCP_FAILED;
    peers_tell_task(r->server, json_get_str(r->params, STR("taskId")), message);
    return MCP_DONE;
}

/* Whether there is an answer to each question of a task, so that it goes on; it may ask
 * again. */
static bool answers_all(const struct json *stored, const struct json *answers)
{
    const struct json *questions =
        json_get(json_get(stored, STR("task")), STR("inputRequests"));
    if (questions == NULL || answers == NULL)
        return false;
    for (const struct json *q = questions->child; q != NULL; q = q->next)
        if (!json_is(json_get(answers, q->key), JSON_OBJECT))
            return false;
    return true;
}

/* Answers that were passed on, in the arena of tasks/update. */
struct passing {
    str before;     /* the task as it was stored */
    uint64_t until; /* 0: not passed on yet */
};

static const struct mcp_kept passing_kept = {sizeof(struct passing)};

/* Answered when the process that runs the task has them: a message may be lost, and
 * afterwards no process shows the questions any more. */
static enum mcp_outcome pass_on_answers(struct mcp_request *r, const struct json *answers)
{
    struct passing *p = mcp_request_kept(r, &passing_kept);
    const struct json *stored = find_stored(r);
    if (stored == NULL)
        return MCP_FAILED;
    if (answers != NULL && answers->raw.n > PEERS_TEXT_MAX)
        return mcp_failed(r, RPC_INVALID_PARAMS,
                          "inputResponses is too large to be passed on to the server "
                          "that runs this task: send at most %d bytes",
                          PEERS_TEXT_MAX);
    if (p->until == 0) {
        peers_tell_task(r->server, json_get_str(r->params, STR("taskId")),
                        answers != NULL ? answers->raw : STR("{}"));
        if (!answers_all(stored, answers))
            return MCP_DONE;
        *p = (struct passing){stored->raw, clock_ms() + MCP_TASK_PASS_MS};
    }
    if (!str_eq(stored->raw, p->before))
        return MCP_DONE;
    if (clock_ms() >= p->until)
        return mcp_failed(r, RPC_INTERNAL_ERROR,
                          "The server that runs this task has not taken the answers: "
                          "send them again");
    r->wait_ms = MCP_TASK_PASS_POLL_MS;
    return MCP_WAITING;
}

enum mcp_outcome mcp_tasks_get(struct mcp_request *r, struct jsonw *w)
{
    struct mcp_task *task = find_locked(r);
    if (task == NULL)
        return put_stored(r, w);
    task_put(w, task);
    lock_drop(&task->all->lock);
    return MCP_DONE;
}

static void take_answers(struct mcp_task *task, const struct json *answers)
{
    struct mcp_request *asking = task->request;
    struct mcp_server *s = asking->server;
    lock_take(&s->lock);
    for (const struct json *j = answers->child; j != NULL && asking->parked; j = j->next)
        if (json_is(j, JSON_OBJECT))
            mcp_take_answer(asking, j->key, j);
    if (asking->parked && !mcp_has_open_question(asking)) {
        touch(task, WORKING);
        mcp_unpark(asking);
    }
    lock_drop(&s->lock);
}

enum mcp_outcome mcp_tasks_update(struct mcp_request *r, struct jsonw *w)
{
    const struct json *answers = json_get(r->params, STR("inputResponses"));
    if (answers != NULL && !json_is(answers, JSON_OBJECT))
        return mcp_failed(r, RPC_INVALID_PARAMS, "inputResponses must be an object");
    struct mcp_task *task = find_locked(r);
    if (task == NULL)
        return pass_on_answers(r, answers);
    if (task->status == INPUT_REQUIRED && answers != NULL)
        take_answers(task, answers);
    lock_drop(&task->all->lock);
    return MCP_DONE;
}

static void cancel_task(struct mcp_task *task)
{
    if (task->request == NULL)
        return;
    struct mcp_server *s = task->request->server;
    lock_take(&s->lock);
    atomic_store(&task->request->cancelled, true);
    mcp_unpark(task->request);
    lock_drop(&s->lock);
}

enum mcp_outcome mcp_tasks_cancel(struct mcp_request *r, struct jsonw *w)
{
    struct mcp_task *task = find_locked(r);
    if (task == NULL)
        return pass_on(r, STR(""));
    cancel_task(task);
    lock_drop(&task->all->lock);
    return MCP_DONE;
}

void mcp_task_heard(struct mcp_server *s, str id, str message)
{
    struct arena a = {0};
    const struct json *answers;
    struct err ignored;
    struct mcp_task *task = lock_task(s->tasks, id);
    if (task == NULL)
        return;
    if (message.n == 0)
        cancel_task(task);
    else if (task->status == INPUT_REQUIRED &&
             json_parse(&a, message, &answers, &ignored))
        take_answers(task, answers);
    lock_drop(&task->all->lock);
    arena_release(&a);
}
