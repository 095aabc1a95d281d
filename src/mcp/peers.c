/*
 * A message to the others is a verb, a line with a name, and text:
 *
 *     ended    scope    number of the session
 *     message  scope    JSON-RPC, as the client sent it
 *     client   scope    +URI or -URI: a subscription; =NUMBER: the log level
 *     task     id       answers as JSON, or nothing: cancel it
 */
#include "mcp/peers.h"

#include <errno.h>

#include "base/chars.h"
#include "base/hash.h"
#include "mcp/core.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"
#include "mcp/request.h"
#include "mcp/session.h"
#include "mcp/spent.h"
#include "mcp/task.h"

enum { TASK_S = MCP_TASK_TTL_MS / 1000, TOUCH_MS = HUB_IDLE_S * 1000 / 4 };

static const char LEVEL[] = "level"; /* the part of a client that is not a URI */

bool peers_exist(const struct mcp_server *s)
{
    return s->config.peers.tell != NULL;
}

bool peers_are_none(const struct mcp_request *r)
{
    return !peers_exist(r->server);
}

static void tell(const struct mcp_server *s, const char *verb, str name, str text)
{
    struct arena a = {0};
    str all =
        arena_printf(&a, "%s\n" STR_FMT "\n" STR_FMT, verb, STR_ARG(name), STR_ARG(text));
    if (peers_exist(s) && all.n <= MCP_TELL_MAX)
        s->config.peers.tell(s->config.app, all);
    arena_release(&a);
}

/* --- sessions --- */

void peers_session_ended(struct mcp_server *s, const struct mcp_session *session)
{
    char number[24];
    snprintf(number, sizeof(number), "%llu", (unsigned long long)session->number);
    tell(s, "ended", str_c(session->scope), str_c(number));
}

/* A whole number that fits, and nothing else. */
static bool peers_read_number(str text, uint64_t *out)
{
    char copy[24] = "";
    if (text.n == 0 || text.n >= sizeof(copy))
        return false;
    for (size_t i = 0; i < text.n; i++)
        if (!is_digit(text.p[i]))
            return false;
    memcpy(copy, text.p, text.n);
    errno = 0;
    *out = strtoull(copy, NULL, 10);
    return errno == 0;
}

static void hear_ended(struct mcp_server *s, str scope, str text)
{
    struct mcp_session session = {0};
    if (!peers_read_number(text, &session.number))
        return;
    session_end(&s->sessions, &session);
    struct mcp_sink *sink = hub_forget(&s->hub, scope);
    if (sink != NULL)
        sink->finish(sink, (str){0}, 0);
}

/* --- answers and notifications --- */

bool peers_take_in(struct mcp_server *s, str scope, const struct rpc_message *m, str raw)
{
    bool ours = m->kind == RPC_RESPONSE && mcp_answered(s, scope, m);
    if (m->kind == RPC_NOTIFICATION) {
        mcp_notified(s, scope, m);
        ours = !str_eq(m->method, STR("notifications/cancelled"));
    }
    if (ours || !peers_exist(s))
        return true;
    if (raw.n <= PEERS_TEXT_MAX)
        tell(s, "message", scope, raw);
    return raw.n <= PEERS_TEXT_MAX;
}

static void hear_message(struct mcp_server *s, str scope, str text)
{
    struct arena a = {0};
    const struct json *j;
    struct rpc_message m;
    struct rpc_error bad;
    struct err err;
    if (json_parse(&a, text, &j, &err) && rpc_read(j, &m, &bad)) {
        if (m.kind == RPC_RESPONSE)
            mcp_answered(s, scope, &m);
        else if (m.kind == RPC_NOTIFICATION)
            mcp_notified(s, scope, &m);
    }
    arena_release(&a);
}

/* --- subscriptions --- */

static const char CLIENTS[] = "client/";

/* Owners are hashed, so that none is the beginning of another. */
static str owner_name(struct arena *a, str owner)
{
    struct hash_content h = hash_content(owner);
    return arena_printf(a, "%s%016llx%016llx/", CLIENTS, (unsigned long long)h.high,
                        (unsigned long long)h.low);
}

static str client_name(struct arena *a, str owner, str scope)
{
    return arena_printf(a, STR_FMT STR_FMT, STR_ARG(owner_name(a, owner)),
                        STR_ARG(scope));
}

static void tell_client(struct mcp_server *s, str scope, char sign, str text)
{
    struct arena a = {0};
    tell(s, "client", scope, arena_printf(&a, "%c" STR_FMT, sign, STR_ARG(text)));
    arena_release(&a);
}

bool peers_subscribe(struct mcp_server *s, str owner, str scope, str uri, struct err *err)
{
    struct arena a = {0};
    bool full = false;
    if (!peers_exist(s))
        return true;
    struct mcp_peer_limits limits = {.group = owner_name(&a, owner),
                                     .all = str_c(CLIENTS),
                                     .group_max =
                                         owner.n > 0 ? HUB_URIS_OWNER : HUB_URIS_ALL,
                                     .all_max = HUB_URIS_ALL};
    bool ok = s->config.peers.put_some(s->config.app, client_name(&a, owner, scope), uri,
                                       HUB_IDLE_S, &limits, &full);
    arena_release(&a);
    if (!ok || full)
        return err_set(err, full ? ERR_LIMIT : ERR_BUSY,
                       full ? "too many subscriptions" : "it cannot be stored now");
    tell_client(s, scope, '+', uri);
    return true;
}

void peers_unsubscribe(struct mcp_server *s, str owner, str scope, str uri)
{
    struct arena a = {0};
    if (peers_exist(s)) {
        s->config.peers.put(s->config.app, client_name(&a, owner, scope), uri, STR(""),
                            0);
        tell_client(s, scope, '-', uri);
    }
    arena_release(&a);
}

void peers_set_level(struct mcp_server *s, str owner, str scope, enum mcp_log_level level)
{
    struct arena a = {0};
    str text = arena_printf(&a, "%d", (int)level);
    if (peers_exist(s)) {
        s->config.peers.put(s->config.app, client_name(&a, owner, scope), str_c(LEVEL),
                            text, HUB_IDLE_S);
        tell_client(s, scope, '=', text);
    }
    arena_release(&a);
}

static bool read_level(str text, int64_t *level)
{
    return str_to_int(text, level) && *level >= MCP_LOG_DEBUG &&
           *level <= MCP_LOG_EMERGENCY;
}

static bool is_level(const struct mcp_peer_note *note, int64_t *level)
{
    return str_eq(note->part, str_c(LEVEL)) && read_level(note->text, level);
}

static void read_client(struct mcp_server *s, str owner, str scope)
{
    struct arena a = {0};
    struct mcp_peer_note *notes;
    size_t n = 0, n_uris = 0;
    int64_t level = MCP_LOG_DEBUG;
    if (!peers_exist(s) ||
        !s->config.peers.list(s->config.app, &a, client_name(&a, owner, scope), &notes,
                              &n)) {
        arena_release(&a);
        return;
    }
    str *uris = ARENA_ARRAY(&a, str, n + 1);
    for (size_t i = 0; i < n; i++)
        if (!is_level(&notes[i], &level))
            uris[n_uris++] = notes[i].part;
    if (n > 0 || hub_is_streaming(&s->hub, scope))
        hub_restore(&s->hub, scope, (enum mcp_log_level)level, uris, n_uris);
    s->config.peers.touch(s->config.app, client_name(&a, owner, scope), HUB_IDLE_S);
    mcp_server_send_missed(s);
    arena_release(&a);
}

struct peers_reading {
    struct peers_reading *next;
    char scope[SESSION_SCOPE_SIZE];
    char *owner;
};

static struct peers_reading *take_reading(struct mcp_server *s)
{
    lock_take(&s->lock);
    struct peers_reading *r = s->readings;
    if (r != NULL)
        s->readings = r->next;
    lock_drop(&s->lock);
    return r;
}

static void free_reading(struct peers_reading *r)
{
    free(r->owner);
    free(r);
}

static void read_job(void *arg)
{
    struct mcp_server *s = arg;
    struct peers_reading *r = take_reading(s);
    read_client(s, str_c(r->owner), str_c(r->scope));
    free_reading(r);
}

void peers_touch(struct mcp_server *s)
{
    struct arena a = {0};
    struct hub_client *clients;
    size_t n = hub_streaming(&s->hub, &a, &clients);
    for (size_t i = 0; i < n; i++)
        s->config.peers.touch(s->config.app,
                              client_name(&a, clients[i].owner, clients[i].scope),
                              HUB_IDLE_S);
    arena_release(&a);
}

static void touch_job(void *arg)
{
    struct mcp_server *s = arg;
    peers_touch(s);
    pool_later(s->config.pool, TOUCH_MS, touch_job, s);
}

void peers_read_client_soon(struct mcp_server *s, str owner, str scope)
{
    struct peers_reading *r;
    if (!peers_exist(s) || scope.n >= sizeof(r->scope))
        return;
    r = mem_zero(sizeof(*r));
    memcpy(r->scope, scope.p, scope.n);
    r->owner = mem_str(owner);
    lock_take(&s->lock);
    r->next = s->readings;
    s->readings = r;
    bool first = !s->touching;
    s->touching = true;
    lock_drop(&s->lock);
    pool_later(s->config.pool, 0, read_job, s);
    if (first)
        pool_later(s->config.pool, TOUCH_MS, touch_job, s);
}

void peers_release(struct mcp_server *s)
{
    for (struct peers_reading *r; (r = take_reading(s)) != NULL;)
        free_reading(r);
}

/* If its stream is here; elsewhere nothing is to be known of it. */
static void hear_client(struct mcp_server *s, str scope, str text)
{
    int64_t level;
    str rest = str_skip(text, 1);
    if (text.n < 2 || !hub_is_streaming(&s->hub, scope))
        return;
    if (text.p[0] == '+')
        (void)!hub_subscribe(&s->hub, scope, rest);
    else if (text.p[0] == '-')
        hub_unsubscribe(&s->hub, scope, rest);
    else if (text.p[0] == '=' && read_level(rest, &level))
        hub_set_level(&s->hub, scope, (enum mcp_log_level)level);
}

/* --- confirmations --- */

enum mcp_spending peers_spend(struct mcp_server *s, uint64_t share, str id,
                              unsigned seconds)
{
    struct arena a = {0};
    bool first = false;
    if (!peers_exist(s))
        return spent_spend(&s->spent, share, id, seconds);
    if (id.n != 2 * MCP_SPENT_SIZE)
        return MCP_SPENT_UNKNOWN;
    bool known = s->config.peers.once(
        s->config.app, arena_printf(&a, "spent/" STR_FMT, STR_ARG(id)), seconds, &first);
    arena_release(&a);
    return !known ? MCP_SPENT_UNKNOWN : first ? MCP_SPENT_NOW : MCP_SPENT_BEFORE;
}

/* --- tasks --- */

static str task_name(struct arena *a, str id)
{
    return arena_printf(a, "task/" STR_FMT, STR_ARG(id));
}

void peers_store_task(struct mcp_server *s, str id, str text)
{
    struct arena a = {0};
    if (peers_exist(s))
        s->config.peers.put(s->config.app, task_name(&a, id), STR(""), text, TASK_S);
    arena_release(&a);
}

str peers_stored_task(struct mcp_server *s, struct arena *a, str id)
{
    struct mcp_peer_note *notes;
    size_t n = 0;
    bool found = peers_exist(s) && id.n <= MCP_TASK_ID_MAX &&
                 s->config.peers.list(s->config.app, a, task_name(a, id), &notes, &n) &&
                 n > 0;
    return found ? notes[0].text : (str){0};
}

str peers_self(const struct mcp_server *s)
{
    return peers_exist(s) ? s->config.peers.self(s->config.app) : STR("");
}

bool peers_is_gone(const struct mcp_server *s, str name)
{
    return peers_exist(s) && s->config.peers.is_gone(s->config.app, name);
}

void peers_tell_task(struct mcp_server *s, str id, str message)
{
    tell(s, "task", id, message);
}

/* --- listening --- */

void mcp_server_heard(struct mcp_server *s, str text)
{
    static const struct {
        const char *verb;
        void (*hear)(struct mcp_server *s, str name, str text);
    } verbs[] = {{"ended", hear_ended},
                 {"message", hear_message},
                 {"client", hear_client},
                 {"task", mcp_task_heard}};
    str verb = {0}, name = {0};
    str_next(&text, '\n', &verb);
    str_next(&text, '\n', &name);
    for (size_t i = 0; i < COUNT_OF(verbs); i++)
        if (str_eq(verb, str_c(verbs[i].verb)))
            verbs[i].hear(s, name, text);
}
