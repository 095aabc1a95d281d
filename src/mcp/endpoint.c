#include "mcp/endpoint.h"

#include "base/clock.h"
#include "base/lock.h"
#include "base/os/bytes.h"
#include "base/utf8.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"
#include "mcp/batch.h"
#include "mcp/client.h"
#include "mcp/core.h"
#include "mcp/header_match.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"
#include "mcp/peers.h"
#include "mcp/post.h"
#include "mcp/request.h"
#include "mcp/revision.h"
#include "mcp/session.h"
#include "mcp/stream.h"

#define EVENT_STREAM STR("text/event-stream")

struct mcp_endpoint {
    struct mcp_server *server;
    struct mcp_streams streams;
    mcp_refuse_fn *refuse;
    struct mcp_turns turns; /* take NULL: nothing is limited */
    void *context;          /* for refuse */
};

struct mcp_endpoint *mcp_endpoint_create(struct mcp_server *server, mcp_refuse_fn *refuse,
                                         void *context)
{
    struct mcp_endpoint *e = mem_zero(sizeof(*e));
    e->server = server;
    e->refuse = refuse;
    e->context = context;
    streams_init(&e->streams);
    uint8_t key[MCP_KEY_SIZE];
    struct err ignored;
    (void)!mcp_server_key(server, key, &ignored); /* now, not on the loop */
    bytes_wipe(key, sizeof(key));
    return e;
}

void mcp_endpoint_take_turns(struct mcp_endpoint *e, mcp_turn_fn *take,
                             mcp_charge_fn *charge)
{
    e->turns = (struct mcp_turns){take, e->context, charge};
}

void mcp_endpoint_free(struct mcp_endpoint *e)
{
    if (e == NULL)
        return;
    streams_release(&e->streams);
    free(e);
}

void mcp_endpoint_end_streams(struct mcp_endpoint *e)
{
    const struct mcp_config *c = &e->server->config;
    hub_close(&e->server->hub, c->name, c->version);
}

void mcp_endpoint_check(struct mcp_endpoint *e,
                        bool (*welcome)(void *context, const struct mcp_caller *caller),
                        void *context)
{
    mcp_check_callers(e->server, welcome, context, clock_now());
}

/* --- answers without an mcp_request --- */

static void endpoint_refuse_request(struct http_exchange *x, int status,
                                    const struct json *id, const struct rpc_error *e)
{
    struct arena a = {0};
    struct http_response r = {.status = status,
                              .content_type = POST_JSON_TYPE,
                              .body = rpc_error_text(&a, id, e)};
    if (status == 405)
        http_add_header(&r, STR("Allow"), STR("POST"));
    if (status == 429)
        http_add_header(&r, STR("Retry-After"), STR("60"));
    http_reply(x, &r);
    arena_release(&a);
}

static void refuse_with(struct http_exchange *x, int status, int code, const char *why)
{
    struct rpc_error e;
    rpc_fail(&e, code, "%s", why);
    endpoint_refuse_request(x, status, NULL, &e);
}

/* False if the user has too many streams: it was refused (SEC-64). */
static bool may_stream(struct mcp_endpoint *e, struct http_exchange *x, str user,
                       str scope)
{
    if (hub_has_room(&e->server->hub, user, scope))
        return true;
    refuse_with(x, 429, MCP_REFUSED,
                "Too many open streams: close some of them first (at most 64 per user)");
    return false;
}

/* r has a sink. */
static void refuse_busy(struct mcp_request *r)
{
    rpc_fail(&r->error, RPC_INTERNAL_ERROR, "The server is busy; try again in a moment");
    mcp_refuse(r);
}

static void accepted(struct http_exchange *x)
{
    http_reply(x, &(struct http_response){.status = 202});
}

static void serve(struct mcp_endpoint *e, struct http_exchange *x, struct mcp_request *r,
                  const struct rpc_message *m)
{
    r->id = m->id;
    r->method = m->method;
    r->params = m->params;
    if (r->sink == NULL)
        r->sink = &post_create(&e->streams, x, r)->sink;
    mcp_serve(r, false);
}

/* --- legacy --- */

/* The session of a legacy request; false if it was refused. */
static bool find_session(struct mcp_endpoint *e, struct http_exchange *x, str owner,
                         struct mcp_session *out)
{
    const struct http_request *h = http_request_of(x);
    str id = http_header(h, POST_SESSION_HEADER);
    if (id.p == NULL) {
        refuse_with(x, 400, MCP_REFUSED,
                    "Mcp-Session-Id is missing: call initialize first and send the id it "
                    "returned");
        return false;
    }
    if (!session_read(&e->server->sessions, id, owner, out)) {
        refuse_with(x, 404, MCP_SESSION_NOT_FOUND,
                    "Session not found: call initialize again");
        return false;
    }
    str version = http_header(h, STR("MCP-Protocol-Version"));
    enum mcp_revision named = mcp_revision_find(version);
    if (version.p != NULL && (named == MCP_NO_REVISION || mcp_is_modern(named))) {
        refuse_with(x, 400, MCP_REFUSED,
                    "MCP-Protocol-Version is not a revision with sessions");
        return false;
    }
    return true;
}

static bool accepts_both(struct http_exchange *x)
{
    const struct http_request *h = http_request_of(x);
    if (http_accepts(h, POST_JSON_TYPE) && http_accepts(h, EVENT_STREAM))
        return true;
    refuse_with(x, 406, MCP_REFUSED,
                "Accept must include application/json and text/event-stream");
    return false;
}

static void join_session(struct mcp_request *r, const struct mcp_session *session)
{
    r->client = session->client;
    r->scope = arena_str(&r->arena, str_c(session->scope));
}

static void legacy_initialize(struct mcp_endpoint *e, struct http_exchange *x,
                              struct mcp_request *r, const struct rpc_message *m)
{
    if (http_header(http_request_of(x), POST_SESSION_HEADER).p != NULL) {
        refuse_with(x, 400, RPC_INVALID_REQUEST,
                    "initialize cannot be sent within a session");
        mcp_request_free(r);
        return;
    }
    struct err err = {0};
    struct mcp_post *p = NULL;
    if (mcp_read_initialize(m->params, &r->client, &r->error)) {
        p = post_create(&e->streams, x, r);
        r->sink = &p->sink;
        if (session_issue(&e->server->sessions, &r->client, r->principal, p->session,
                          &err)) {
            serve(e, x, r, m);
            return;
        }
        rpc_fail(&r->error, RPC_INTERNAL_ERROR, "%s", err.msg);
    }
    r->id = m->id;
    if (p == NULL)
        r->sink = &post_create(&e->streams, x, r)->sink;
    mcp_refuse(r);
}

static void legacy_message(struct mcp_endpoint *e, struct http_exchange *x,
                           struct mcp_request *r, const struct rpc_message *m)
{
    struct mcp_session session;
    if (!accepts_both(x)) {
        mcp_request_free(r);
    } else if (m->kind == RPC_REQUEST && str_eq(m->method, STR("initialize"))) {
        legacy_initialize(e, x, r, m);
    } else if (!find_session(e, x, r->principal, &session)) {
        mcp_request_free(r);
    } else if (m->kind == RPC_REQUEST) {
        join_session(r, &session);
        serve(e, x, r, m);
    } else {
        if (peers_take_in(e->server, str_c(session.scope), m, http_request_of(x)->body))
            accepted(x);
        else
            refuse_with(x, 413, RPC_INVALID_REQUEST,
                        "This message is for another server, and too large to be passed "
                        "on to it: send at most 64,000 bytes");
        mcp_request_free(r);
    }
}

static bool has_claim(const struct json *array)
{
    for (const struct json *j = array->child; j != NULL; j = j->next)
        if (json_get(json_get(json_get(j, STR("params")), STR("_meta")),
                     STR(MCP_META "protocolVersion")) != NULL)
            return true;
    return false;
}

struct batch_job {
    struct mcp_request *r;
    const struct json *array;
};

static void batch_job(void *arg)
{
    const struct batch_job *job = arg;
    mcp_serve_batch(job->r, job->array, false);
}

/* Each message is parsed again. */
static void serve_batch(struct mcp_request *r, const struct json *array)
{
    struct batch_job *job = ARENA_NEW(&r->arena, struct batch_job);
    *job = (struct batch_job){r, array};
    if (!r->large)
        mcp_serve_batch(r, array, false);
    else if (!pool_try_for(r->server->config.pool, r->caller.share, batch_job, job))
        refuse_busy(r);
}

static void legacy_batch(struct mcp_endpoint *e, struct http_exchange *x,
                         struct mcp_request *r, const struct json *array)
{
    struct mcp_session session;
    const char *why = NULL;
    if (array->n == 0)
        why = "A batch cannot be empty";
    else if (array->n > RPC_BATCH_MAX)
        why = "A batch may have at most 100 messages";
    else if (has_claim(array))
        why = "Revision 2026-07-28 has no batches";
    if (why == NULL &&
        (!accepts_both(x) || !find_session(e, x, r->principal, &session))) {
        mcp_request_free(r);
        return;
    }
    if (why == NULL && session.client.revision != MCP_2025_03_26)
        why = "Only revision 2025-03-26 has batches";
    if (why != NULL) {
        refuse_with(x, 400, RPC_INVALID_REQUEST, why);
        mcp_request_free(r);
        return;
    }
    join_session(r, &session);
    r->sink = &post_create(&e->streams, x, r)->sink;
    serve_batch(r, array);
}

/* --- modern --- */

static void modern_request(struct mcp_endpoint *e, struct http_exchange *x,
                           struct mcp_request *r, const struct rpc_message *m,
                           enum mcp_claim claim, str version)
{
    const struct http_request *h = http_request_of(x);
    struct rpc_error *bad = &r->error;
    r->method = m->method;
    bool ok = claim != MCP_CLAIM_BROKEN;
    if (ok) {
        struct rpc_error unsupported = *bad;
        ok = header_match_agrees(h, version, m, bad);
        if (ok && claim == MCP_CLAIM_UNSUPPORTED) {
            *bad = unsupported;
            ok = false;
        }
    }
    ok = ok && header_match_complete(&r->arena, h, m, bad);
    if (ok && !mcp_method_known(r)) {
        rpc_fail(bad, RPC_METHOD_NOT_FOUND, "Method not found: %.*s",
                 STR_ARG(utf8_cut(m->method, 100)));
        endpoint_refuse_request(x, 404, m->id, bad);
        mcp_request_free(r);
        return;
    }
    ok = ok && header_match_params(&r->arena, h, e->server, m, bad);
    if (ok && str_eq(m->method, STR("subscriptions/listen")) &&
        !may_stream(e, x, r->caller.user, STR(""))) {
        mcp_request_free(r);
        return;
    }
    if (ok) {
        serve(e, x, r, m);
        return;
    }
    endpoint_refuse_request(x, 400, m->id, bad);
    mcp_request_free(r);
}

static void modern_without_envelope(struct http_exchange *x, struct mcp_request *r,
                                    const struct rpc_message *m)
{
    if (str_eq(m->method, STR("initialize")))
        rpc_fail(&r->error, MCP_HEADER_MISMATCH,
                 "Header mismatch: initialize belongs to a revision before 2026-07-28");
    else
        mcp_missing_envelope(m->params, &r->error);
    endpoint_refuse_request(x, 400, m->id, &r->error);
    mcp_request_free(r);
}

/* --- POST --- */

static void handle_message(struct mcp_endpoint *e, struct http_exchange *x,
                           struct mcp_request *r, const struct json *j)
{
    struct rpc_message m;
    if (!rpc_read(j, &m, &r->error)) {
        endpoint_refuse_request(x, 400, m.id, &r->error);
        mcp_request_free(r);
        return;
    }
    str hv = http_header(http_request_of(x), STR("MCP-Protocol-Version")), version = {0};
    enum mcp_claim claim =
        mcp_read_claim(&r->arena, m.params, &r->client, &version, &r->error);
    bool names_modern = hv.p != NULL && mcp_names_modern(hv);
    bool initialize = m.kind == RPC_REQUEST && str_eq(m.method, STR("initialize"));
    if (m.kind == RPC_NOTIFICATION && (claim != MCP_NO_CLAIM || names_modern)) {
        accepted(x);
        mcp_request_free(r);
    } else if (m.kind != RPC_REQUEST) {
        legacy_message(e, x, r, &m);
    } else if (claim != MCP_NO_CLAIM && !(initialize && claim != MCP_CLAIM_VALID)) {
        modern_request(e, x, r, &m, claim, version);
    } else if (names_modern) {
        modern_without_envelope(x, r, &m);
    } else {
        legacy_message(e, x, r, &m);
    }
}

/* Whether a message, or one in a batch, calls a tool that is not offered to its
 * caller. */
static bool lacks_tool(const struct mcp_request *r, const struct json *j)
{
    if (json_is(j, JSON_ARRAY)) {
        for (const struct json *m = j->child; m != NULL; m = m->next)
            if (json_is(m, JSON_OBJECT) && lacks_tool(r, m))
                return true;
        return false;
    }
    return str_eq(json_get_str(j, STR("method")), STR("tools/call")) &&
           mcp_tool_is_withheld(r, json_get_str(json_get(j, STR("params")), STR("name")));
}

/* A body on its way from its bytes to a message. */
struct post_body {
    struct mcp_endpoint *endpoint;
    struct http_exchange *x;
    struct mcp_request *request;
    const struct json *message; /* NULL: request->error says why */
    bool lacks_tool;
};

static void read_body(struct post_body *p)
{
    struct mcp_request *r = p->request;
    struct err err = {0};
    str body = arena_str(&r->arena, http_request_of(p->x)->body);
    if (body.n > MCP_LOOP_BODY_MAX)
        lock_check_slow(); /* not on the loop */
    if (!json_parse(&r->arena, body, &p->message, &err))
        rpc_fail(&r->error, RPC_PARSE_ERROR, "Parse error: %s", err.msg);
    else
        p->lacks_tool = p->endpoint->refuse != NULL && lacks_tool(r, p->message);
}

/* On the loop. */
static void handle_body(const struct post_body *p)
{
    struct mcp_endpoint *e = p->endpoint;
    struct mcp_request *r = p->request;
    if (p->message == NULL) {
        endpoint_refuse_request(p->x, 400, NULL, &r->error);
        mcp_request_free(r);
    } else if (p->lacks_tool) {
        struct http_exchange *x = p->x;
        mcp_request_free(r); /* and p */
        e->refuse(e->context, x);
    } else if (json_is(p->message, JSON_ARRAY)) {
        legacy_batch(e, p->x, r, p->message);
    } else {
        handle_message(e, p->x, r, p->message);
    }
}

static void handle_read(struct http_exchange *x, void *arg, bool serving)
{
    const struct post_body *p = arg;
    if (serving) {
        handle_body(p);
        return;
    }
    mcp_request_free(p->request);
    refuse_with(x, 503, RPC_INTERNAL_ERROR, "The server is stopping");
}

static void read_job(void *arg)
{
    struct post_body *p = arg;
    read_body(p);
    http_continue(p->x, handle_read, p);
}

static void charge_bytes(const struct mcp_endpoint *e, const struct mcp_caller *caller,
                         size_t n)
{
    if (e->turns.charge != NULL && n >= MCP_COST_BYTES)
        e->turns.charge(e->turns.context, caller, (unsigned)(n / MCP_COST_BYTES));
}

static void handle_post(struct mcp_endpoint *e, struct http_exchange *x,
                        const struct mcp_caller *caller)
{
    const struct http_request *h = http_request_of(x);
    if (!str_eq_nocase(http_content_type(h), POST_JSON_TYPE)) {
        refuse_with(x, 415, MCP_REFUSED, "Content-Type must be application/json");
        return;
    }
    struct mcp_request *r = mcp_request_create(e->server);
    mcp_request_from(r, caller);
    r->turns = e->turns;
    r->large = h->body.n > MCP_LOOP_BODY_MAX;
    charge_bytes(e, caller, h->body.n);
    struct post_body *p = ARENA_NEW(&r->arena, struct post_body);
    *p = (struct post_body){.endpoint = e, .x = x, .request = r};
    if (!r->large) {
        read_body(p);
        handle_body(p);
    } else if (!mcp_enlist_reading(r, h->body.n)) {
        mcp_request_free(r);
        refuse_with(x, 503, RPC_INTERNAL_ERROR, MCP_NO_ROOM);
    } else if (!pool_try_for(e->server->config.pool, caller->share, read_job, p)) {
        mcp_request_free(r);
        refuse_with(x, 503, RPC_INTERNAL_ERROR,
                    "The server is busy; try again in a moment");
    }
}

/* --- GET and DELETE: a legacy session's stream, and its end --- */

static bool is_modern_version(struct http_exchange *x)
{
    str hv = http_header(http_request_of(x), STR("MCP-Protocol-Version"));
    if (hv.p == NULL || !mcp_names_modern(hv))
        return false;
    refuse_with(x, 405, MCP_REFUSED, "Revision 2026-07-28 uses POST only");
    return true;
}

/* End abandoned streams of sessions. */
static void sweep(struct mcp_endpoint *e)
{
    char scope[SESSION_SCOPE_SIZE];
    while (streams_abandoned(&e->streams, scope)) {
        struct mcp_sink *sink = hub_attach(&e->server->hub, str_c(scope), NULL);
        if (sink == NULL)
            return;
        sink->finish(sink, (str){0}, 0);
    }
}

/* The session whose stream is requested; false if the request was refused. */
static bool wants_stream(struct mcp_endpoint *e, struct http_exchange *x, str owner,
                         struct mcp_session *session)
{
    if (is_modern_version(x))
        return false;
    if (http_accepts(http_request_of(x), EVENT_STREAM))
        return find_session(e, x, owner, session);
    refuse_with(x, 406, MCP_REFUSED, "Accept must include text/event-stream");
    return false;
}

static void handle_head(struct mcp_endpoint *e, struct http_exchange *x, str owner)
{
    struct mcp_session session;
    if (wants_stream(e, x, owner, &session))
        http_reply(x,
                   &(struct http_response){.status = 200, .content_type = EVENT_STREAM});
}

static void handle_get(struct mcp_endpoint *e, struct http_exchange *x,
                       const struct mcp_caller *caller)
{
    const struct http_request *h = http_request_of(x);
    struct mcp_session session;
    if (!wants_stream(e, x, caller->owner, &session))
        return;
    sweep(e);
    if (!may_stream(e, x, caller->user, str_c(session.scope)))
        return;
    uint64_t tag = http_exchange_id(x);
    str scope = str_c(session.scope), last = http_header(h, STR("Last-Event-ID"));
    hub_set_caller(&e->server->hub, scope, caller);
    http_on_gone(x, streams_gone, &e->streams, tag);
    if (last.p != NULL && streams_resume(&e->streams, scope, last, x, tag))
        return;
    if (last.p != NULL && peers_exist(e->server) && !stream_is_standalone(last)) {
        refuse_with(x, 404, MCP_REFUSED,
                    "This stream is not on this server, or has ended: connect again");
        return;
    }
    peers_read_client_soon(e->server, caller->owner, scope);
    http_stream(x, &(struct http_response){.status = 200});
    bool primer = session.client.revision >= MCP_2025_11_25;
    struct mcp_stream *stream = stream_open(&e->streams, scope, x, tag, primer, true);
    struct mcp_sink *before = hub_attach(&e->server->hub, scope, stream_sink(stream));
    if (before != NULL) /* the newest connection replaces an old one, which may be dead */
        before->finish(before, (str){0}, 0);
    mcp_server_send_missed(e->server);
}

static void handle_delete(struct mcp_endpoint *e, struct http_exchange *x, str owner)
{
    struct mcp_session session;
    if (is_modern_version(x) || !find_session(e, x, owner, &session))
        return;
    session_end(&e->server->sessions, &session);
    peers_session_ended(e->server, &session);
    struct mcp_sink *sink = hub_forget(&e->server->hub, str_c(session.scope));
    mcp_server_keep_memory(e->server);
    if (sink != NULL)
        sink->finish(sink, (str){0}, 0);
    http_reply(x, &(struct http_response){.status = 204});
}

void mcp_endpoint_handle(struct mcp_endpoint *e, struct http_exchange *x,
                         const struct mcp_caller *caller)
{
    switch (http_request_of(x)->method) {
    case HTTP_POST:
        handle_post(e, x, caller);
        break;
    case HTTP_DELETE:
        handle_delete(e, x, caller->owner);
        break;
    case HTTP_HEAD:
        handle_head(e, x, caller->owner);
        break;
    default:
        handle_get(e, x, caller);
        break;
    }
}
