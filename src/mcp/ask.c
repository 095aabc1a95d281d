/*
 * Questions to the client, and how their answers return.
 *
 * A handler that asks is run again from the start with the answers it has so far. A
 * legacy client gets each open question as a server request on the stream of the call;
 * the call is parked until all are answered. A modern client gets the questions as the
 * result, with the earlier answers in requestState, and repeats its call:
 *
 *     requestState = "v1." payload "." base64url(HMAC-SHA-256(key, payload))
 *     payload      = base64url({"expires":…,"id":random,"for":digest,"questions":{key:…}})
 *
 * The digest covers method, name and arguments of the call and the signed-in user, so a
 * state is useless for another call or another user. Each question is there with a digest
 * of what was asked and its answer, if there is one. So in both eras an answer is used only
 * for the question that was asked, and a confirmation (mcp_confirm) only once:
 * the id of its state is spent when the answer arrives (spent.c).
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/encode.h"
#include "base/hash.h"
#include "base/os/bytes.h"
#include "base/os/rand.h"
#include "mcp/call.h"
#include "mcp/call_running.h"
#include "mcp/core.h"
#include "mcp/jsonrpc.h"
#include "mcp/peers.h"
#include "mcp/request.h"
#include "mcp/schema.h"
#include "mcp/spent.h"
#include "mcp/task.h"

enum {
    STATE_SECONDS = 15 * 60,  /* time for a modern client to repeat its call */
    PARK_MS = 10 * 60 * 1000, /* time for a legacy client to answer */
    WATCH_MS = 60 * 1000,
    QUESTIONS_MAX = 32,    /* in one call */
    STATE_MAX = 256 << 10, /* bytes of requestState */
};

#define STATE_PREFIX STR("v1.")

static struct mcp_question *find_question(const struct mcp_request *r, str key)
{
    for (struct mcp_question *q = r->questions; q != NULL; q = q->next)
        if (str_eq(q->key, key))
            return q;
    return NULL;
}

static struct mcp_question *add_question(struct mcp_request *r, str key)
{
    size_t n = 0;
    struct mcp_question **end = &r->questions;
    for (; *end != NULL; end = &(*end)->next)
        n++;
    if (n >= QUESTIONS_MAX)
        BUG("more than %d questions in one call", QUESTIONS_MAX);
    *end = ARENA_NEW(&r->arena, struct mcp_question);
    (*end)->key = (*end)->shown = arena_str(&r->arena, key);
    return *end;
}

/* The capability that a question requires. */
static enum mcp_can needed_for(struct arena *a, str method, str params)
{
    const struct json *j;
    struct err err;
    if (str_eq(method, STR("sampling/createMessage")))
        return MCP_CAN_SAMPLE;
    if (str_eq(method, STR("roots/list")))
        return MCP_CAN_LIST_ROOTS;
    if (!str_eq(method, STR("elicitation/create")) || !json_parse(a, params, &j, &err))
        BUG("no client can be asked for " STR_FMT, STR_ARG(method));
    bool url = str_eq(json_get_str(j, STR("mode")), STR("url"));
    return url ? MCP_CAN_ELICIT_URL : MCP_CAN_ELICIT;
}

static str digest_question(struct arena *a, str method, str about)
{
    uint8_t hash[HASH_SIZE];
    hash_sha256(arena_printf(a, STR_FMT "\n" STR_FMT, STR_ARG(method), STR_ARG(about)),
                hash);
    return encode_base64url(a, (str){(char *)hash, HASH_SIZE});
}

/* Whether the answer is for what is asked now. */
static bool answer_fits(const struct mcp_question *q, str digest, bool planned)
{
    return q->digest.n > 0 ? str_eq(q->digest, digest) : !planned;
}

static void forget_answer(struct mcp_question *q)
{
    q->answer = NULL;
    q->id[0] = '\0';
}

/* The answer was to another question. A task shows this one by another key, so that a late
 * answer is not taken for it; elsewhere ids and states tell them apart. */
static void replace_question(struct mcp_request *r, struct mcp_question *q)
{
    forget_answer(q);
    q->rounds++;
    if (r->task != NULL)
        q->shown = arena_printf(&r->arena, STR_FMT "-%u", STR_ARG(q->key), q->rounds + 1);
}

static const struct json *ask_about(struct mcp_call *call, str key, str plan, str method,
                                    str params)
{
    struct mcp_request *r = ((struct mcp_running_call *)call)->request;
    struct mcp_question *q = find_question(r, key);
    str digest = digest_question(&r->arena, method, plan.n > 0 ? plan : params);
    if (q == NULL)
        q = add_question(r, key);
    if (q->answer != NULL && !answer_fits(q, digest, plan.n > 0))
        replace_question(r, q);
    q->method = arena_str(&r->arena, method);
    q->params = arena_str(&r->arena, params);
    q->digest = digest;
    q->planned = plan.n > 0;
    if (q->answer != NULL)
        return q->answer;
    enum mcp_can needed = needed_for(&r->arena, method, q->params);
    if (!mcp_can(call, needed))
        mcp_lacks(r, needed);
    r->asking = true;
    return NULL;
}

const struct json *mcp_ask(struct mcp_call *call, str key, str method, str params)
{
    return ask_about(call, key, (str){0}, method, params);
}

static enum mcp_consent elicit_about(struct mcp_call *call, str key, str plan,
                                     str message, const struct mcp_field *fields,
                                     void *out)
{
    struct mcp_request *r = ((struct mcp_running_call *)call)->request;
    struct sbuf params = SBUF_ON(call->arena);
    struct jsonw w = JSONW_ON(&params);
    jsonw_object(&w);
    if (r->client.revision >= MCP_2025_11_25)
        jsonw_put_str(&w, STR("mode"), STR("form"));
    jsonw_put_str(&w, STR("message"), message);
    jsonw_key(&w, STR("requestedSchema"));
    mcp_schema_write(&w, fields);
    jsonw_end(&w);

    const struct json *answer =
        ask_about(call, key, plan, STR("elicitation/create"), sbuf_str(&params));
    if (answer == NULL)
        return MCP_PENDING;
    if (!str_eq(json_get_str(answer, STR("action")), STR("accept")))
        return MCP_DECLINED;
    struct err err = {0};
    if (mcp_schema_read(call->arena, fields, json_get(answer, STR("content")), false, out,
                        &err))
        return MCP_ACCEPTED;
    forget_answer(find_question(r, key)); /* it does not match the form */
    r->asking = true;
    return MCP_PENDING;
}

enum mcp_consent mcp_elicit(struct mcp_call *call, str key, str message,
                            const struct mcp_field *fields, void *out)
{
    return elicit_about(call, key, (str){0}, message, fields, out);
}

enum mcp_consent mcp_confirm(struct mcp_call *call, str key, str plan, str message)
{
    return elicit_about(call, key, plan, message, NULL, NULL);
}

bool mcp_take_answer(struct mcp_request *r, str shown, const struct json *answer)
{
    struct mcp_question *q = r->questions;
    while (q != NULL && !str_eq(q->shown, shown))
        q = q->next;
    if (q == NULL || q->answer != NULL)
        return false;
    struct err err;
    return json_parse(&r->arena, arena_str(&r->arena, answer->raw), &q->answer, &err);
}

bool mcp_has_open_question(const struct mcp_request *r)
{
    for (const struct mcp_question *q = r->questions; q != NULL; q = q->next)
        if (q->answer == NULL && q->method.n > 0)
            return true;
    return false;
}

/* --- modern: sealed state --- */

static bool digest_of(const struct mcp_request *r, struct arena *a, str *out)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    jsonw_array(&w);
    jsonw_str(&w, r->principal);
    jsonw_str(&w, r->method);
    jsonw_str(&w, json_get_str(r->params, STR("name")));
    jsonw_str(&w, json_get_str(r->params, STR("uri")));
    const struct json *arguments = json_get(r->params, STR("arguments"));
    if (arguments != NULL)
        jsonw_value(&w, arguments);
    jsonw_end(&w);
    uint8_t hash[HASH_SIZE];
    hash_sha256(sbuf_str(&text), hash);
    *out = encode_base64url(a, (str){(char *)hash, HASH_SIZE});
    return true;
}

static bool mac_of(struct mcp_request *r, str payload, str *out)
{
    uint8_t key[MCP_KEY_SIZE], mac[HASH_SIZE];
    struct err err;
    if (!mcp_server_key(r->server, key, &err))
        return false;
    hash_hmac((str){(char *)key, sizeof(key)}, payload, mac);
    bytes_wipe(key, sizeof(key));
    *out = encode_base64url(&r->arena, (str){(char *)mac, HASH_SIZE});
    return true;
}

static void put_sealed_questions(struct jsonw *w, const struct mcp_request *r)
{
    jsonw_put_object(w, STR("questions"));
    for (const struct mcp_question *q = r->questions; q != NULL; q = q->next) {
        if (q->method.n == 0)
            continue;
        jsonw_put_object(w, q->key);
        jsonw_put_str(w, STR("asked"), q->digest);
        jsonw_put_bool(w, STR("planned"), q->planned);
        if (q->answer != NULL)
            jsonw_put_value(w, STR("answer"), q->answer);
        jsonw_end(w);
    }
    jsonw_end(w);
}

static bool seal(struct mcp_request *r, str *out)
{
    struct arena *a = &r->arena;
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    str digest, mac;
    uint8_t id[MCP_SPENT_SIZE];
    rand_bytes(id, sizeof(id));
    digest_of(r, a, &digest);
    jsonw_object(&w);
    jsonw_put_int(&w, STR("expires"), clock_now() + STATE_SECONDS);
    jsonw_put_str(&w, STR("id"), encode_hex(a, (str){(char *)id, sizeof(id)}));
    jsonw_put_str(&w, STR("for"), digest);
    put_sealed_questions(&w, r);
    jsonw_end(&w);
    str payload = encode_base64url(a, sbuf_str(&text));
    if (!mac_of(r, payload, &mac))
        return false;
    *out = arena_printf(a, "v1." STR_FMT "." STR_FMT, STR_ARG(payload), STR_ARG(mac));
    return out->n <= STATE_MAX;
}

/* What is in a state that is ours, has not expired and belongs to this call; NULL
 * otherwise. */
static const struct json *unseal(struct mcp_request *r, str state)
{
    str payload, mac, text, digest;
    size_t dot = str_find_last(state, '.');
    if (!str_starts(state, STATE_PREFIX) || state.n > STATE_MAX || dot < STATE_PREFIX.n)
        return NULL;
    payload = str_slice(state, STATE_PREFIX.n, dot);
    if (!mac_of(r, payload, &mac) || !hash_equal(mac, str_skip(state, dot + 1)))
        return NULL;
    const struct json *j;
    struct err err;
    int64_t expires;
    if (!decode_base64url(&r->arena, payload, &text) ||
        !json_parse(&r->arena, text, &j, &err) ||
        !json_int(json_get(j, STR("expires")), &expires) || expires < clock_now())
        return NULL;
    digest_of(r, &r->arena, &digest);
    return str_eq(digest, json_get_str(j, STR("for"))) ? j : NULL;
}

/* The questions of the rounds before, with the answers so far. */
static void add_sealed_questions(struct mcp_request *r, const struct json *questions)
{
    for (const struct json *j = questions->child; j != NULL; j = j->next) {
        struct mcp_question *q = add_question(r, j->key);
        q->digest = json_get_str(j, STR("asked"));
        q->planned = json_get_true(j, STR("planned"));
        q->answer = json_get(j, STR("answer"));
    }
}

/* Add what the client answers in this round, also to questions that were not asked. Beyond
 * half of QUESTIONS_MAX these are ignored, to leave room for the handler's questions. */
static bool add_answers(struct mcp_request *r, const struct json *answers)
{
    size_t n = 0;
    for (const struct mcp_question *q = r->questions; q != NULL; q = q->next)
        n++;
    for (const struct json *j = answers->child; j != NULL; j = j->next) {
        if (!json_is(j, JSON_OBJECT))
            return rpc_fail(&r->error, RPC_INVALID_PARAMS,
                            "each inputResponses value must be an object");
        struct mcp_question *q = find_question(r, j->key);
        if (q == NULL && n++ < QUESTIONS_MAX / 2)
            q = add_question(r, j->key);
        if (q != NULL && q->answer == NULL)
            q->answer = j;
    }
    return true;
}

static bool has_confirmation(const struct mcp_request *r)
{
    for (const struct mcp_question *q = r->questions; q != NULL; q = q->next)
        if (q->planned && q->answer != NULL)
            return true;
    return false;
}

/* A state with a confirmation counts once. */
static bool spend_state(struct mcp_request *r, const struct json *state)
{
    if (!has_confirmation(r))
        return true;
    switch (peers_spend(r->server, r->caller.share, json_get_str(state, STR("id")),
                        STATE_SECONDS)) {
    case MCP_SPENT_NOW:
        return true;
    case MCP_SPENT_BEFORE:
        return rpc_fail(&r->error, RPC_INVALID_PARAMS,
                        "requestState was used before, and a confirmation counts once: "
                        "call again without it");
    case MCP_SPENT_UNKNOWN:
        break;
    }
    return rpc_fail(&r->error, RPC_INTERNAL_ERROR,
                    "Confirmations cannot be checked now: try again in a few minutes, "
                    "without requestState");
}

bool mcp_read_answers(struct mcp_request *r)
{
    if (!mcp_is_modern(r->client.revision))
        return true;
    const struct json *sealed = json_get(r->params, STR("requestState")), *state = NULL;
    const struct json *fresh = json_get(r->params, STR("inputResponses"));
    if (sealed != NULL) {
        state = unseal(r, json_is(sealed, JSON_STRING) ? sealed->text : (str){0});
        if (state == NULL)
            return rpc_fail(
                &r->error, RPC_INVALID_PARAMS,
                "requestState is not valid for this call: call again without it");
        add_sealed_questions(r, json_get(state, STR("questions")));
    }
    if (fresh != NULL && !json_is(fresh, JSON_OBJECT))
        return rpc_fail(&r->error, RPC_INVALID_PARAMS,
                        "inputResponses must be an object");
    return (fresh == NULL || add_answers(r, fresh)) &&
           (state == NULL || spend_state(r, state));
}

bool mcp_sends_answers(const struct mcp_request *r)
{
    return mcp_is_modern(r->client.revision) &&
           json_get(r->params, STR("requestState")) != NULL;
}

void mcp_write_questions(struct jsonw *w, const struct mcp_request *r)
{
    struct arena a = {0};
    jsonw_object(w);
    for (const struct mcp_question *q = r->questions; q != NULL; q = q->next) {
        const struct json *params;
        struct err err;
        if (q->answer != NULL || q->method.n == 0)
            continue;
        if (!json_parse(&a, q->params, &params, &err))
            BUG("params of question " STR_FMT ": %s", STR_ARG(q->key), err.msg);
        jsonw_put_object(w, q->shown);
        jsonw_put_str(w, STR("method"), q->method);
        jsonw_put_value(w, STR("params"), params);
        jsonw_end(w);
    }
    jsonw_end(w);
    arena_release(&a);
}

static void answer_with_questions(struct mcp_request *r)
{
    str state;
    if (!seal(r, &state)) {
        mcp_failed(r, RPC_INTERNAL_ERROR, "The server cannot store this question");
        mcp_answer_error(r);
        return;
    }
    struct sbuf out = SBUF_ON(&r->arena);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_result(&w, r->id);
    jsonw_put_str(&w, STR("resultType"), STR("input_required"));
    jsonw_key(&w, STR("inputRequests"));
    mcp_write_questions(&w, r);
    jsonw_put_str(&w, STR("requestState"), state);
    mcp_put_server_info(&w, r->server, false);
    jsonw_end(&w);
    jsonw_end(&w);
    mcp_answer(r, sbuf_str(&out));
}

/* --- legacy: server requests --- */

static str question_message(struct mcp_request *r, struct mcp_question *q)
{
    const struct json *params;
    struct err err;
    snprintf(q->id, sizeof(q->id), "ask-%llu-%u", (unsigned long long)r->serial,
             r->asked++);
    if (!json_parse(&r->arena, q->params, &params, &err))
        BUG("params of question " STR_FMT ": %s", STR_ARG(q->key), err.msg);
    struct sbuf out = SBUF_ON(&r->arena);
    struct jsonw w = JSONW_ON(&out);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("jsonrpc"), STR("2.0"));
    jsonw_put_str(&w, STR("id"), str_c(q->id));
    jsonw_put_str(&w, STR("method"), q->method);
    jsonw_put_value(&w, STR("params"), params);
    jsonw_end(&w);
    return sbuf_str(&out);
}

/*
 * Runs once a minute while requests wait: those that have waited too long are run again,
 * to fail. A single timer serves all of them, so that none is pending when the pool is
 * freed.
 */
static void ask_give_up(void *arg)
{
    struct mcp_server *s = arg;
    uint64_t now = clock_ms();
    lock_take(&s->lock);
    s->watching = false;
    for (struct mcp_request *r = s->running; r != NULL; r = r->next) {
        s->watching |= r->waiting;
        if (r->waiting && r->waiting_since + PARK_MS < now) {
            r->unanswered = "the client did not answer in time";
            mcp_unpark(r);
        }
    }
    if (s->watching)
        pool_later(s->config.pool, WATCH_MS, ask_give_up, s);
    lock_drop(&s->lock);
}

void mcp_wait_for_answers(struct mcp_request *r)
{
    struct mcp_server *s = r->server;
    r->waiting = true;
    r->waiting_since = clock_ms();
    r->bytes = arena_size(&r->arena); /* it has grown */
    (void)!mcp_make_room(s, r->caller.share, 0);
    if (!s->watching)
        pool_later(s->config.pool, WATCH_MS, ask_give_up, s);
    s->watching = true;
}

/*
 * Answers may arrive as soon as the first question is sent, so the request accepts
 * answers from then on; but it is run again only after this function has parked it.
 */
static void send_questions(struct mcp_request *r)
{
    struct mcp_server *s = r->server;
    str messages[QUESTIONS_MAX];
    size_t n = 0;
    for (struct mcp_question *q = r->questions; q != NULL; q = q->next)
        if (q->answer == NULL && q->id[0] == '\0')
            messages[n++] = question_message(r, q);
    lock_take(&s->lock);
    mcp_wait_for_answers(r);
    lock_drop(&s->lock);
    for (size_t i = 0; i < n; i++)
        r->sink->send(r->sink, messages[i]);
    lock_take(&s->lock);
    r->parked = true;
    if (atomic_load(&r->cancelled) || r->unanswered != NULL || !mcp_has_open_question(r))
        mcp_unpark(r);
    lock_drop(&s->lock);
}

void mcp_put_questions(struct mcp_request *r)
{
    if (r->task != NULL)
        mcp_task_asks(r);
    else if (mcp_is_modern(r->client.revision))
        answer_with_questions(r);
    else
        send_questions(r);
}

static struct mcp_question *asked(struct mcp_request *r, str id)
{
    for (struct mcp_question *q = r->questions; q != NULL; q = q->next)
        if (q->id[0] != '\0' && str_eq(str_c(q->id), id))
            return q;
    return NULL;
}

bool mcp_answered(struct mcp_server *s, str scope, const struct rpc_message *m)
{
    str id;
    if (!json_str(m->id, &id))
        return false;
    bool found = false;
    lock_take(&s->lock);
    for (struct mcp_request *r = s->running; r != NULL && !found; r = r->next) {
        struct mcp_question *q =
            r->waiting && str_eq(r->scope, scope) ? asked(r, id) : NULL;
        if (q == NULL)
            continue;
        found = true;
        if (m->result == NULL)
            r->unanswered = "the client refused to answer";
        else if (!json_is(m->result, JSON_OBJECT))
            r->unanswered = "the client's answer is not an object";
        else
            mcp_take_answer(r, q->shown, m->result);
        if (r->unanswered != NULL || !mcp_has_open_question(r))
            mcp_unpark(r);
    }
    lock_drop(&s->lock);
    return found;
}
