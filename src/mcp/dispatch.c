/*
 * The table of methods, and how a request runs from its method's row to the answer.
 */
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/utf8.h"
#include "mcp/call_running.h"
#include "mcp/caller.h"
#include "mcp/client.h"
#include "mcp/core.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"
#include "mcp/peers.h"
#include "mcp/request.h"
#include "mcp/revision.h"
#include "mcp/server.h"
#include "mcp/task.h"

enum { LEGACY = 1, MODERN = 2, BOTH = 3 };

/* ttlMs: notes may change at any time, so clients must not cache them; tables change only
 * with the binary. */
enum { FIXED_TTL_MS = 3600 * 1000 };

enum cache { NOT_CACHED, CACHED_PUBLIC, CACHED_PRIVATE };

/* When a result that others may cache depends on the caller, or may change at any time. */
static bool is_granted(const struct mcp_request *r)
{
    return r->caller.grant.n > 0;
}

/* The text after the fixed instructions may need I/O. */
static bool is_fixed(const struct mcp_request *r)
{
    return r->server->config.more == NULL;
}

static bool has_more(const struct mcp_request *r)
{
    return !is_fixed(r);
}

static bool has_family(const struct mcp_request *r)
{
    return r->server->config.more_prompts != NULL;
}

struct method {
    const char *name;
    unsigned eras;
    bool (*offered)(const struct mcp_server *s); /* if not, it is unknown */
    enum mcp_outcome (*run)(struct mcp_request *r, struct jsonw *w);
    bool (*quick)(const struct mcp_request *r); /* NULL: always */
    enum cache cache;
    bool (*personal)(
        const struct mcp_request *r); /* then CACHED_PUBLIC is not; or NULL */
    bool asks;                        /* the client may send answers with it */
    bool own_turns;  /* it takes its turn itself, so that the model reads when to retry */
    bool uses_app;   /* mcp_record.uses_app */
    bool introduces; /* the server, with website and icon */
    bool (*brief)(
        const struct mcp_request *r); /* quick enough if the thread serves one client */
};

static bool has_tools(const struct mcp_server *s)
{
    return s->n_tools > 0;
}

static bool has_resources(const struct mcp_server *s)
{
    return s->n_resources > 0;
}

static bool has_prompts(const struct mcp_server *s)
{
    return s->n_prompts > 0;
}

static bool has_completions(const struct mcp_server *s)
{
    return s->n_prompts > 0 || s->n_resources > 0;
}

static bool has_subscriptions(const struct mcp_server *s)
{
    return s->config.subscribe;
}

static bool has_skills(const struct mcp_server *s)
{
    return s->config.skills != NULL && s->n_resources > 0;
}

static bool has_logging(const struct mcp_server *s)
{
    return s->config.logging;
}

static bool has_tasks(const struct mcp_server *s)
{
    return s->config.tasks;
}

static bool always(const struct mcp_server *s)
{
    return true;
}

static bool never_quick(const struct mcp_request *r)
{
    return false;
}

static bool is_brief(const struct mcp_request *r)
{
    return true;
}

static void put_flag_object(struct jsonw *w, str key, str flag, bool on)
{
    jsonw_put_object(w, key);
    jsonw_put_true(w, flag, on);
    jsonw_end(w);
}

static void put_extensions(struct jsonw *w, const struct mcp_server *s, bool modern)
{
    jsonw_put_object(w, STR("extensions"));
    put_flag_object(w, STR(MCP_META "ui"), STR(""), false);
    if (modern && s->config.tasks)
        put_flag_object(w, STR(MCP_META "tasks"), STR(""), false);
    if (modern && has_skills(s))
        put_flag_object(w, STR(MCP_META "skills"), STR("directoryRead"), true);
    jsonw_end(w);
}

static void put_capabilities(struct jsonw *w, const struct mcp_server *s, bool modern)
{
    const struct mcp_config *c = &s->config;
    jsonw_put_object(w, STR("capabilities"));
    if (has_tools(s))
        put_flag_object(w, STR("tools"), STR("listChanged"), c->list_changes);
    if (has_resources(s)) {
        jsonw_put_object(w, STR("resources"));
        jsonw_put_true(w, STR("listChanged"), c->list_changes);
        jsonw_put_true(w, STR("subscribe"), c->subscribe);
        jsonw_end(w);
    }
    if (has_prompts(s))
        put_flag_object(w, STR("prompts"), STR("listChanged"), c->list_changes);
    if (has_completions(s))
        put_flag_object(w, STR("completions"), STR(""), false);
    if (c->logging)
        put_flag_object(w, STR("logging"), STR(""), false);
    if (!c->plain)
        put_extensions(w, s, modern);
    jsonw_end(w);
}

static void put_icon(struct jsonw *w, str icon)
{
    jsonw_put_array(w, STR("icons"));
    jsonw_object(w);
    jsonw_put_str(w, STR("src"), icon);
    jsonw_put_str(w, STR("mimeType"), STR("image/png"));
    jsonw_end(w);
    jsonw_end(w);
}

/* looks: with what people see of it, which is only sent when a client gets to know the server. */
static void put_implementation(struct jsonw *w, str key, const struct mcp_server *s,
                               bool looks)
{
    jsonw_put_object(w, key);
    jsonw_put_str(w, STR("name"), str_c(s->config.name));
    jsonw_put_text(w, STR("title"), str_c(s->config.title));
    jsonw_put_str(w, STR("version"), str_c(s->config.version));
    if (looks)
        jsonw_put_text(w, STR("websiteUrl"), s->config.website);
    if (looks && s->config.icon.n > 0)
        put_icon(w, s->config.icon);
    jsonw_end(w);
}

void mcp_put_server_info(struct jsonw *w, const struct mcp_server *s, bool looks)
{
    jsonw_put_object(w, STR("_meta"));
    put_implementation(w, STR(MCP_META "serverInfo"), s, looks);
    jsonw_end(w);
}

static enum mcp_outcome put_instructions(struct jsonw *w, struct mcp_request *r)
{
    const struct mcp_config *c = &r->server->config;
    struct mcp_running_call call;
    mcp_call_init(&call, r, MCP_CALL_LIST, w);
    str more = c->more != NULL ? c->more(&call.open) : STR("");
    if (r->wait_ms > 0)
        return MCP_WAITING;
    if (c->instructions.n + more.n > 0)
        jsonw_put_str(w, STR("instructions"),
                      arena_printf(&r->arena, STR_FMT STR_FMT,
                                   STR_ARG(mcp_words(r, c->instructions)),
                                   STR_ARG(more)));
    return MCP_DONE;
}

static enum mcp_outcome initialize(struct mcp_request *r, struct jsonw *w)
{
    jsonw_put_str(w, STR("protocolVersion"), mcp_revision_name(r->client.revision));
    put_capabilities(w, r->server, false);
    put_implementation(w, STR("serverInfo"), r->server,
                       r->client.revision >= MCP_2025_11_25);
    return put_instructions(w, r);
}

static enum mcp_outcome discover(struct mcp_request *r, struct jsonw *w)
{
    jsonw_put_array(w, STR("supportedVersions"));
    for (enum mcp_revision v = MCP_OLDEST_MODERN; v < MCP_REVISIONS; v++)
        jsonw_str(w, mcp_revision_name(v));
    jsonw_end(w);
    put_capabilities(w, r->server, true);
    return put_instructions(w, r);
}

static enum mcp_outcome ping(struct mcp_request *r, struct jsonw *w)
{
    return MCP_DONE;
}

static enum mcp_outcome set_level(struct mcp_request *r, struct jsonw *w)
{
    enum mcp_log_level level;
    if (!mcp_log_level_find(json_get_str(r->params, STR("level")), &level))
        return mcp_failed(r, RPC_INVALID_PARAMS,
                          "level must be one of debug, info, notice, "
                          "warning, error, critical, alert, emergency");
    hub_set_level(&r->server->hub, r->scope, level);
    peers_set_level(r->server, r->principal, r->scope, level);
    mcp_server_keep_memory(r->server);
    return MCP_DONE;
}

static const struct method methods[] = {
    {"tools/call", BOTH, has_tools, mcp_tools_call, mcp_tool_is_quick,
     .brief = mcp_tool_is_brief, .asks = true, .own_turns = true, .uses_app = true},
    {"resources/read", BOTH, has_resources, mcp_resources_read, mcp_resource_is_quick,
     CACHED_PRIVATE, .asks = true, .uses_app = true},
    {"prompts/get", BOTH, has_prompts, mcp_prompts_get, mcp_prompt_is_quick, .asks = true,
     .uses_app = true},
    {"completion/complete", BOTH, has_completions, mcp_complete, never_quick,
     .uses_app = true},
    {"tools/list", BOTH, has_tools, mcp_tools_list, NULL, CACHED_PUBLIC,
     .personal = is_granted},
    {"resources/list", BOTH, has_resources, mcp_resources_list, never_quick,
     CACHED_PRIVATE, .uses_app = true},
    {"resources/templates/list", BOTH, has_resources, mcp_resources_templates, NULL,
     CACHED_PUBLIC},
    {"resources/directory/read", MODERN, has_skills, mcp_resources_folder, never_quick,
     CACHED_PRIVATE, .uses_app = true},
    {"skills/list", MODERN, has_skills, mcp_skills_list, never_quick, CACHED_PRIVATE,
     .uses_app = true},
    {"skills/get", MODERN, has_skills, mcp_skills_get, never_quick, CACHED_PRIVATE,
     .uses_app = true},
    {"prompts/list", BOTH, has_prompts, mcp_prompts_list, mcp_prompts_list_is_quick,
     CACHED_PUBLIC, .personal = has_family},
    {"server/discover", MODERN, always, discover, is_fixed, CACHED_PUBLIC,
     .personal = has_more, .brief = is_brief, .introduces = true},
    {"subscriptions/listen", MODERN, always, mcp_listen},
    {"tasks/get", MODERN, has_tasks, mcp_tasks_get, peers_are_none},
    {"tasks/update", MODERN, has_tasks, mcp_tasks_update, peers_are_none},
    {"tasks/cancel", MODERN, has_tasks, mcp_tasks_cancel, peers_are_none},
    {"initialize", LEGACY, always, initialize, is_fixed, .brief = is_brief},
    {"ping", LEGACY, always, ping},
    {"logging/setLevel", LEGACY, has_logging, set_level, peers_are_none},
    {"resources/subscribe", LEGACY, has_subscriptions, mcp_resources_subscribe,
     peers_are_none},
    {"resources/unsubscribe", LEGACY, has_subscriptions, mcp_resources_unsubscribe,
     peers_are_none},
};

static const struct method *find_method(const struct mcp_request *r)
{
    unsigned era = mcp_is_modern(r->client.revision) ? MODERN : LEGACY;
    for (size_t i = 0; i < COUNT_OF(methods); i++)
        if (str_eq(r->method, str_c(methods[i].name)))
            return (methods[i].eras & era) != 0 && methods[i].offered(r->server)
                       ? &methods[i]
                       : NULL;
    return NULL;
}

bool mcp_method_known(const struct mcp_request *r)
{
    return find_method(r) != NULL;
}

enum mcp_outcome mcp_failed(struct mcp_request *r, int code, const char *fmt, ...)
{
    char text[sizeof(r->error.message)];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    rpc_fail(&r->error, code, "%s", text);
    return MCP_FAILED;
}

/* --- the run --- */

/* False: the answer must not be sent. */
static bool record(struct mcp_request *r, str answer, int code, struct err *err)
{
    const struct mcp_config *c = &r->server->config;
    const struct method *m = find_method(r);
    if (c->on_done == NULL)
        return true;
    struct mcp_record done = {.method = r->method,
                              .name = r->name,
                              .revision = r->client.revision,
                              .code = code,
                              .err =
                                  r->tool_error.code != ERR_NONE ? &r->tool_error : NULL,
                              .micros = (clock_ns() - r->started_ns) / 1000,
                              .uses_app = m != NULL && m->uses_app,
                              .asks = r->asking,
                              .cancelled = atomic_load(&r->cancelled),
                              .caller = &r->caller,
                              .client = r->client.label,
                              .trace = mcp_read_trace(r->params),
                              .session = r->scope,
                              .answer = answer,
                              .bytes = r->params != NULL ? r->params->raw.n : 0,
                              .request = r};
    return c->on_done(c->app, &done, err);
}

static void dispatch_end(struct mcp_request *r, str message, int code)
{
    struct err err = {0};
    if (!record(r, message, code, &err) && message.n > 0) {
        rpc_fail(&r->error, RPC_INTERNAL_ERROR, "%s", err.msg);
        message = rpc_error_text(&r->arena, r->id, &r->error);
        code = r->error.code;
    }
    r->sink->finish(r->sink, message, code);
    mcp_delist(r); /* after the answer, so that an idle server has sent all its answers */
    mcp_request_free(r);
}

void mcp_release(struct mcp_request *r)
{
    struct err ignored;
    (void)!record(r, (str){0}, 0, &ignored);
    mcp_delist(r);
    mcp_request_free(r);
}

static enum cache cache_of(const struct mcp_request *r, const struct method *m)
{
    return m->personal != NULL && m->personal(r) ? CACHED_PRIVATE : m->cache;
}

static void put_cache(struct jsonw *w, enum cache cache)
{
    jsonw_put_int(w, STR("ttlMs"), cache == CACHED_PUBLIC ? FIXED_TTL_MS : 0);
    jsonw_put_str(w, STR("cacheScope"),
                  cache == CACHED_PUBLIC ? STR("public") : STR("private"));
}

static enum mcp_outcome run_method(struct mcp_request *r, const struct method *m,
                                   struct jsonw *w)
{
    struct err err = {0};
    bool first = !r->has_answers;
    r->has_answers = true;
    if (m->asks && first && !mcp_read_answers(r))
        return MCP_FAILED;
    if (m->own_turns || mcp_take_turn(r, false, &err))
        return m->run(r, w);
    return err.code == ERR_NONE ? MCP_WAITING
                                : mcp_failed(r, RPC_INTERNAL_ERROR, "%s", err.msg);
}

static void dispatch_run(void *arg)
{
    struct mcp_request *r = arg;
    const struct method *m = find_method(r);
    bool modern = mcp_is_modern(r->client.revision);
    struct sbuf out = SBUF_ON(&r->arena);
    struct jsonw w = JSONW_ON(&out);
    if (r->large)
        lock_check_slow(); /* not on the loop, however quick its method is */
    rpc_begin_result(&w, r->id);
    if (modern)
        jsonw_put_str(&w, STR("resultType"), STR("complete"));

    r->asking = false;
    r->wait_ms = 0;
    enum mcp_outcome outcome = MCP_DONE;
    if (r->unanswered != NULL)
        outcome = mcp_failed(r, RPC_INTERNAL_ERROR, "A question was not answered: %s",
                             r->unanswered);
    else if (!atomic_load(&r->cancelled))
        outcome = run_method(r, m, &w);
    if (outcome == MCP_TAKEN)
        return;
    if (atomic_load(&r->cancelled)) {
        dispatch_end(r, (str){0}, 0);
    } else if (outcome == MCP_ASKING) {
        mcp_drop_held(r); /* users answer slowly */
        mcp_put_questions(r);
    } else if (outcome == MCP_WAITING) {
        mcp_sleep(r);
    } else if (outcome == MCP_FAILED) {
        mcp_answer_error(r);
    } else {
        if (modern && m->cache != NOT_CACHED)
            put_cache(&w, cache_of(r, m));
        if (modern)
            mcp_put_server_info(&w, r->server, m->introduces);
        jsonw_end(&w);
        jsonw_end(&w);
        mcp_is_answering(r);
        dispatch_end(r, sbuf_str(&out), 0);
    }
}

static void run_on_worker(void *arg)
{
    struct mcp_request *r = arg;
    struct mcp_turns turns = r->turns;
    struct mcp_caller caller = {.id = r->caller.id};
    uint64_t start = clock_thread_ns();
    mcp_task_goes_on(r);
    dispatch_run(r);
    uint64_t ms = (clock_thread_ns() - start) / 1000000;
    if (turns.charge != NULL && ms >= MCP_COST_MS)
        turns.charge(turns.context, &caller, (unsigned)(ms / MCP_COST_MS));
}

void mcp_unpark(struct mcp_request *r)
{
    if (!r->parked)
        return;
    r->parked = r->waiting = false;
    r->wake_at = 0;
    pool_later_for(r->server->config.pool, r->caller.share, 0, run_on_worker, r);
}

void mcp_refuse(struct mcp_request *r)
{
    const struct json *id = r->id;
    struct err ignored = {0};
    if (id == NULL &&
        r->server->config.plain) /* required by JSON-RPC; MCP leaves it out */
        (void)!json_parse(&r->arena, STR("null"), &id, &ignored);
    str message = rpc_error_text(&r->arena, id, &r->error);
    (void)!record(r, message, r->error.code, &ignored);
    r->sink->finish(r->sink, message, r->error.code);
    mcp_request_free(r);
}

void mcp_answer(struct mcp_request *r, str message)
{
    dispatch_end(r, message, 0);
}

void mcp_answer_error(struct mcp_request *r)
{
    dispatch_end(r, rpc_error_text(&r->arena, r->id, &r->error), r->error.code);
}

void mcp_serve(struct mcp_request *r, bool wait)
{
    const struct method *m = find_method(r);
    if (m == NULL) {
        rpc_fail(&r->error, RPC_METHOD_NOT_FOUND, "Method not found: %.*s",
                 STR_ARG(utf8_cut(r->method, 100)));
        mcp_refuse(r);
        return;
    }
    if (!mcp_enlist(r)) {
        rpc_fail(&r->error, RPC_INTERNAL_ERROR, MCP_NO_ROOM);
        mcp_refuse(r);
        return;
    }
    struct pool *pool = r->server->config.pool;
    bool own_thread = wait && m->brief != NULL && m->brief(r);
    bool waits = r->large || (mcp_sends_answers(r) && peers_exist(r->server)) ||
                 (m->uses_app && r->server->config.on_done_waits && !wait);
    if (!waits && (own_thread || m->quick == NULL || m->quick(r))) {
        dispatch_run(r);
    } else if (pool_try_for(pool, r->caller.share, run_on_worker, r)) {
        return;
    } else if (wait) {
        if (r->sink->flush != NULL)
            r->sink->flush(r->sink);
        pool_submit_for(pool, r->caller.share, run_on_worker, r);
    } else {
        mcp_delist(r);
        rpc_fail(&r->error, RPC_INTERNAL_ERROR,
                 "The server is busy; try again in a moment");
        mcp_refuse(r);
    }
}

/* --- cancellation --- */

/* A parked request has no thread that could see the flag: wake it. The lock is held. */
static void cancel_locked(struct mcp_request *r)
{
    atomic_store(&r->cancelled, true);
    mcp_unpark(r);
}

/* notifications/cancelled: stop the request with that id in that scope, if it is
 * running. */
static void mcp_cancel(struct mcp_server *s, str scope, const struct json *id)
{
    if (id == NULL)
        return;
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (r->task == NULL && str_eq(r->scope, scope) && str_eq(r->id->raw, id->raw) &&
            !str_eq(r->method, STR("initialize")))
            cancel_locked(r);
    lock_drop(&s->lock);
    struct mcp_sink *sink = hub_unlisten(&s->hub, 0, scope, id->raw);
    if (sink != NULL)
        sink->finish(sink, (str){0}, 0);
}

void mcp_cancel_serial(struct mcp_server *s, uint64_t serial)
{
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (r->serial == serial && r->task == NULL)
            cancel_locked(r);
    lock_drop(&s->lock);
    struct mcp_sink *sink = hub_unlisten(&s->hub, serial, (str){0}, (str){0});
    if (sink != NULL)
        sink->finish(sink, (str){0}, 0);
}

void mcp_cancel_unwelcome(struct mcp_server *s, const struct mcp_check *check)
{
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (!mcp_is_welcome(check, &r->caller, 0)) /* valid at the start is enough */
            cancel_locked(r);
    lock_drop(&s->lock);
}

void mcp_notified(struct mcp_server *s, str scope, const struct rpc_message *m)
{
    if (str_eq(m->method, STR("notifications/cancelled")))
        mcp_cancel(s, scope, json_get(m->params, STR("requestId")));
}

static bool is_idle(struct mcp_server *s)
{
    lock_take(&s->lock);
    bool idle = s->running == NULL;
    lock_drop(&s->lock);
    return idle;
}

/* Requests that wait for a client's answer have no thread, so draining the pool is not
 * enough. */
static void wait_until_idle(struct mcp_server *s, unsigned ms)
{
    enum { STEP_MS = 5 };
    for (unsigned waited = 0; waited < ms && !is_idle(s); waited += STEP_MS)
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000L}, NULL);
}

void mcp_server_drain(struct mcp_server *s, unsigned ms)
{
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        if (r->waiting)
            cancel_locked(r);
    lock_drop(&s->lock);
    wait_until_idle(s, ms);
    hub_close(&s->hub, s->config.name, s->config.version);
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL; r = r->next)
        cancel_locked(r);
    lock_drop(&s->lock);
    wait_until_idle(s, ms);
    mcp_server_keep_now(s);
}
