/*
 * peer - a client inside the test: sends requests to an mcp_server without a transport
 * and keeps the messages it receives.
 *
 *     struct peer *p = peer_create(&config);
 *     p->revision = MCP_2026_07_28;
 *     CHECK_DONE("echo", peer_send(p, "tools/call", "'name':'echo'"), "'content':[]");
 *     peer_free(p);
 *
 * Everything except the sink runs on the test's own thread, so checks may fail there.
 */
#pragma once

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "mcp/core.h"
#include "mcp/server.h"
#include "quoted.h"

enum { PEER_PATIENCE_S = 300, PEER_MESSAGES_MAX = 256 };

#define PEER_INFO "'_meta':{'" MCP_META "serverInfo':{'name':'peer','version':'1'}}"

/* One request and the messages received for it. */
struct peer_call {
    struct mcp_sink sink; /* must be first */
    struct peer *peer;
    struct peer_call *next;
    uint64_t serial;
    char id[24];
    bool modern, finished, detached;
    int code;
    char *answer; /* of finish */
    char *sent[PEER_MESSAGES_MAX];
    size_t n_sent;
};

struct peer {
    struct arena arena;
    struct pool *pool;
    struct mcp_server *server;
    struct peer_call *calls;
    unsigned ids;

    /* what the next request says about its client */
    enum mcp_revision revision;
    const char *capabilities; /* JSON, quoted.h */
    const char *meta;         /* further members of _meta, or NULL */
    const char *scope, *principal;
    struct mcp_caller caller;
    struct mcp_turns turns;
    bool wait; /* of mcp_serve */

    /* called for each message before the answer, on the sending thread; or NULL */
    void (*heard)(struct peer_call *c, str message);
    void (*ending)(struct peer_call *c); /* the same for the answer */

    pthread_mutex_t lock; /* protects the fields of calls */
    pthread_cond_t changed;
};

static inline bool peer_key(void *app, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    memset(out, 42, MCP_KEY_SIZE);
    return true;
}

/* name, version, key and pool get defaults if the config has none. */
static inline struct peer *peer_create(const struct mcp_config *config)
{
    struct peer *p = mem_zero(sizeof(*p));
    struct mcp_config c = *config;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->changed, NULL);
    p->pool = c.pool != NULL ? c.pool : pool_create(4, 64);
    c.pool = p->pool;
    c.name = c.name != NULL ? c.name : "peer";
    c.version = c.version != NULL ? c.version : "1";
    c.key = c.key != NULL ? c.key : peer_key;
    p->server = mcp_server_create(&c);
    p->revision = MCP_NEWEST_LEGACY;
    p->capabilities = "{}";
    p->scope = "here";
    return p;
}

static inline void peer_free_calls(struct peer *p)
{
    while (p->calls != NULL) {
        struct peer_call *c = p->calls;
        p->calls = c->next;
        for (size_t i = 0; i < c->n_sent; i++)
            free(c->sent[i]);
        free(c->answer);
        free(c);
    }
}

static inline void peer_free(struct peer *p)
{
    mcp_server_drain(p->server, 20); /* cancels calls that hang, then waits for them */
    mcp_server_drain(p->server, 5000);
    pool_free(p->pool);
    mcp_server_free(p->server);
    peer_free_calls(p);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
    arena_release(&p->arena);
    free(p);
}

static inline void peer_take(struct mcp_sink *sink, str message)
{
    struct peer_call *c = (struct peer_call *)sink;
    pthread_mutex_lock(&c->peer->lock);
    if (c->n_sent < PEER_MESSAGES_MAX)
        c->sent[c->n_sent++] = mem_str(message);
    pthread_cond_broadcast(&c->peer->changed);
    pthread_mutex_unlock(&c->peer->lock);
    if (c->peer->heard != NULL)
        c->peer->heard(c, message);
}

static inline void peer_finish(struct mcp_sink *sink, str message, int code)
{
    struct peer_call *c = (struct peer_call *)sink;
    if (c->peer->ending != NULL)
        c->peer->ending(c);
    pthread_mutex_lock(&c->peer->lock);
    if (c->finished)
        BUG("a sink was finished twice");
    c->finished = true;
    c->code = code;
    c->answer = mem_str(message);
    pthread_cond_broadcast(&c->peer->changed);
    pthread_mutex_unlock(&c->peer->lock);
}

static inline void peer_detach(struct mcp_sink *sink)
{
    struct peer_call *c = (struct peer_call *)sink;
    pthread_mutex_lock(&c->peer->lock);
    c->detached = true;
    pthread_mutex_unlock(&c->peer->lock);
}

static inline struct peer_call *peer_new_call(struct peer *p)
{
    struct peer_call *c = mem_zero(sizeof(*c));
    c->sink = (struct mcp_sink){peer_take, peer_finish, peer_detach};
    c->peer = p;
    c->next = p->calls;
    c->modern = mcp_is_modern(p->revision);
    p->calls = c;
    return c;
}

static inline str peer_meta(const struct peer *p, struct arena *a)
{
    const char *more = p->meta != NULL ? p->meta : "";
    if (!mcp_is_modern(p->revision))
        return arena_printf(a, "'_meta':{%s}", more);
    str version = mcp_revision_name(p->revision);
    return arena_printf(a,
                        "'_meta':{'" MCP_META "protocolVersion':'" STR_FMT "','" MCP_META
                        "clientCapabilities':%s%s%s}",
                        STR_ARG(version), p->capabilities, *more != '\0' ? "," : "",
                        more);
}

/* A request with the whole message as text. */
static inline struct peer_call *peer_send_text(struct peer *p, str text)
{
    struct peer_call *c = peer_new_call(p);
    struct mcp_request *r = mcp_request_create(p->server);
    const struct json *j;
    struct rpc_message m;
    struct err err = {0};
    if (!json_parse(&r->arena, arena_str(&r->arena, text), &j, &err) ||
        !rpc_read(j, &m, &r->error))
        fail_msg("no message: " STR_FMT, STR_ARG(text));
    r->id = m.id;
    r->method = m.method;
    r->params = m.params;
    r->sink = &c->sink;
    r->turns = p->turns;
    r->scope = arena_str(&r->arena, str_c(p->scope));
    mcp_request_from(r, &p->caller);
    r->principal = arena_str(&r->arena, str_c(p->principal));
    str version;
    if (c->modern && mcp_read_claim(&r->arena, m.params, &r->client, &version,
                                    &r->error) != MCP_CLAIM_VALID)
        fail_msg("no modern message: " STR_FMT, STR_ARG(text));
    if (!c->modern) {
        r->client.revision = p->revision;
        r->client.can = mcp_read_capabilities(quoted_json(&p->arena, p->capabilities)) &
                        ~(unsigned)MCP_CAN_TASKS;
    }
    c->serial = r->serial;
    snprintf(c->id, sizeof(c->id), STR_FMT, STR_ARG(m.id->raw));
    mcp_serve(r, p->wait);
    return c;
}

/* members are the members of params without _meta, in the form of quoted.h. */
static inline struct peer_call *peer_send(struct peer *p, const char *method,
                                          const char *members)
{
    str meta = peer_meta(p, &p->arena);
    str text = arena_printf(
        &p->arena, "{'jsonrpc':'2.0','id':%u,'method':'%s','params':{%s%s" STR_FMT "}}",
        ++p->ids, method, members, *members != '\0' ? "," : "", STR_ARG(meta));
    return peer_send_text(p, quoted(&p->arena, text.p));
}

/* With the lock held. */
static inline void peer_wait(struct peer *p, const char *what)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PEER_PATIENCE_S;
    if (pthread_cond_timedwait(&p->changed, &p->lock, &until) != 0) {
        pthread_mutex_unlock(&p->lock);
        fail_msg("%s: nothing received", what);
    }
}

/* Waits for the answer. */
static inline str peer_answer(struct peer_call *c)
{
    pthread_mutex_lock(&c->peer->lock);
    while (!c->finished)
        peer_wait(c->peer, "answer");
    pthread_mutex_unlock(&c->peer->lock);
    return str_c(c->answer);
}

/* Waits for the i-th message before the answer. */
static inline str peer_sent(struct peer_call *c, size_t i)
{
    pthread_mutex_lock(&c->peer->lock);
    while (c->n_sent <= i && !c->finished)
        peer_wait(c->peer, "message");
    str message = str_c(i < c->n_sent ? c->sent[i] : "(answered without it)");
    pthread_mutex_unlock(&c->peer->lock);
    return message;
}

static inline size_t peer_n_sent(struct peer_call *c)
{
    pthread_mutex_lock(&c->peer->lock);
    size_t n = c->n_sent;
    pthread_mutex_unlock(&c->peer->lock);
    return n;
}

static inline bool peer_is_finished(struct peer_call *c)
{
    pthread_mutex_lock(&c->peer->lock);
    bool finished = c->finished;
    pthread_mutex_unlock(&c->peer->lock);
    return finished;
}

/* A message without an answer: a notification, or the answer to a server's request. */
static inline bool peer_tell(struct peer *p, const char *message)
{
    struct rpc_message m;
    struct rpc_error bad;
    const struct json *j = quoted_json(&p->arena, message);
    if (!rpc_read(j, &m, &bad))
        fail_msg("%s: %s", message, bad.message);
    if (m.kind == RPC_RESPONSE)
        return mcp_answered(p->server, str_c(p->scope), &m);
    mcp_notified(p->server, str_c(p->scope), &m);
    return true;
}

/* The result in the parsed answer, or NULL if it is an error. */
static inline const struct json *peer_result(struct peer_call *c)
{
    const struct json *j;
    struct err err = {0};
    str text = peer_answer(c);
    if (!json_parse(&c->peer->arena, text, &j, &err))
        fail_msg("%s: " STR_FMT, err.msg, STR_ARG(text));
    return json_get(j, STR("result"));
}

/* The text of the answer's first content block. */
static inline str peer_text(struct peer_call *c)
{
    const struct json *content = json_get(peer_result(c), STR("content"));
    return json_get_str(content != NULL ? content->child : NULL, STR("text"));
}

/* The answer is a complete result with exactly these members, in the era's envelope. */
#define CHECK_DONE(row, call, members) CHECK_CACHED(row, call, members, NULL)

/* The same, with the caching scope of a modern one: "public" or "private". */
#define CHECK_CACHED(row, call, members, cache)                                          \
    do {                                                                                 \
        struct peer_call *call_ = (call);                                                \
        str answer_ = peer_answer(call_),                                                \
            want_text_ = peer_want_result(call_, members, cache);                        \
        CHECK_STR(row, answer_, want_text_);                                             \
        CHECK_INT(row, call_->code, 0);                                                  \
    } while (0)

static inline str peer_want_result(struct peer_call *c, const char *members,
                                   const char *cache)
{
    struct sbuf b = SBUF_ON(&c->peer->arena);
    sbuf_printf(&b, "{'jsonrpc':'2.0','id':%s,'result':{", c->id);
    if (c->modern)
        sbuf_printf(&b, "'resultType':'complete',");
    if (*members != '\0')
        sbuf_printf(&b, "%s,", members);
    if (c->modern && cache != NULL)
        sbuf_printf(&b, "'ttlMs':%d,'cacheScope':'%s',",
                    strcmp(cache, "public") == 0 ? 3600000 : 0, cache);
    if (c->modern)
        sbuf_printf(&b, PEER_INFO);
    else if (*members != '\0')
        b.n--; /* the comma */
    sbuf_printf(&b, "}}");
    sbuf_char(&b, '\0');
    return quoted(&c->peer->arena, b.p);
}

/* The answer is this error; data is JSON or NULL. */
#define CHECK_FAILED(row, call, want_code, want_message, want_data)                      \
    do {                                                                                 \
        struct peer_call *call_ = (call);                                                \
        str answer_ = peer_answer(call_);                                                \
        str want_text_ = peer_want_error(call_, want_code, want_message, want_data);     \
        CHECK_STR(row, answer_, want_text_);                                             \
        CHECK_INT(row, call_->code, want_code);                                          \
    } while (0)

static inline str peer_want_error(struct peer_call *c, int code, const char *message,
                                  const char *data)
{
    str text = arena_printf(&c->peer->arena,
                            "{'jsonrpc':'2.0','id':%s,'error':{'code':%d,'message':'%s'"
                            "%s%s}}",
                            c->id, code, message, data != NULL ? ",'data':" : "",
                            data != NULL ? data : "");
    return quoted(&c->peer->arena, text.p);
}
