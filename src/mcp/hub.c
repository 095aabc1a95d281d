#include "mcp/hub.h"

#include "base/array.h"
#include "base/clock.h"
#include "mcp/caller.h"
#include "mcp/jsonrpc.h"
#include "mcp/request.h"

void hub_init(struct mcp_hub *h)
{
    *h = (struct mcp_hub){0};
    lock_init(&h->lock, LOCK_HUB);
    cond_init(&h->sent);
}

static void hub_append(struct mcp_hub *h, struct mcp_listener *l)
{
    l->prev = h->last;
    if (h->last != NULL)
        h->last->next = l;
    else
        h->first = l;
    h->last = l;
}

static void unlink_listener(struct mcp_hub *h, struct mcp_listener *l)
{
    if (l->prev != NULL)
        l->prev->next = l->next;
    else
        h->first = l->next;
    if (l->next != NULL)
        l->next->prev = l->prev;
    else
        h->last = l->prev;
    l->prev = l->next = NULL;
}

static void free_listener(struct mcp_listener *l)
{
    for (size_t i = 0; i < l->n_uris; i++)
        free((char *)l->uris[i].p);
    free(l->uris);
    free(l->scope);
    free(l->grant);
    free(l->user);
    free(l->owner);
    free(l->proof);
    free(l->id);
    free(l);
}

void hub_release(struct mcp_hub *h)
{
    while (h->first != NULL) {
        struct mcp_listener *l = h->first;
        unlink_listener(h, l);
        free_listener(l);
    }
    lock_release(&h->lock);
    cond_destroy(&h->sent);
}

static struct mcp_listener *find_legacy(struct mcp_hub *h, str scope)
{
    for (struct mcp_listener *l = h->last; l != NULL; l = l->prev)
        if (l->id == NULL && str_eq(str_c(l->scope), scope))
            return l;
    return NULL;
}

/* The same when no message is on its way to it, so that its sink may end. Waits for sends,
 * which do not wait for the hub. */
static struct mcp_listener *find_quiet(struct mcp_hub *h, str scope)
{
    struct mcp_listener *l;
    while ((l = find_legacy(h, scope)) != NULL && l->sending > 0)
        lock_wait(&h->lock, &h->sent);
    return l;
}

static struct mcp_sink *hub_take_out(struct mcp_hub *h, struct mcp_listener *l)
{
    struct mcp_sink *sink = l->sink;
    unlink_listener(h, l);
    if (l->id != NULL)
        h->n_modern--;
    else
        h->n_legacy--;
    h->n_uris -= l->n_uris;
    free_listener(l);
    return sink;
}

/* Make room: the first client without a stream is the one that has been idle longest. */
static void forget_oldest(struct mcp_hub *h)
{
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        if (l->id == NULL && l->sink == NULL) {
            (void)hub_take_out(h, l);
            return;
        }
    }
}

static void forget_idle(struct mcp_hub *h, uint64_t now)
{
    for (struct mcp_listener *l = h->first, *next; l != NULL; l = next) {
        next = l->next;
        if (l->id == NULL && l->sink == NULL &&
            l->idle_since + HUB_IDLE_S * UINT64_C(1000) <= now)
            (void)hub_take_out(h, l);
    }
}

void hub_forget_idle(struct mcp_hub *h, uint64_t now)
{
    lock_take(&h->lock);
    forget_idle(h, now);
    lock_drop(&h->lock);
}

/* The listener of a legacy client, created if there is none; it becomes the newest. */
static struct mcp_listener *legacy(struct mcp_hub *h, str scope)
{
    struct mcp_listener *l = find_legacy(h, scope);
    if (l != NULL) {
        unlink_listener(h, l);
    } else {
        forget_idle(h, clock_ms());
        if (h->n_legacy >= HUB_LISTENERS_MAX)
            forget_oldest(h);
        l = mem_zero(sizeof(*l));
        l->scope = mem_str(scope);
        l->wants[0] = l->wants[1] = l->wants[2] = true;
        l->log_level = MCP_LOG_DEBUG;
        h->n_legacy++;
    }
    l->idle_since = clock_ms();
    hub_append(h, l);
    return l;
}

struct mcp_sink *hub_attach(struct mcp_hub *h, str scope, struct mcp_sink *sink)
{
    lock_take(&h->lock);
    (void)find_quiet(h, scope);
    struct mcp_listener *l = legacy(h, scope);
    struct mcp_sink *before = l->sink;
    l->sink = sink;
    lock_drop(&h->lock);
    return before;
}

static void set_caller(struct mcp_listener *l, const struct mcp_caller *caller)
{
    free(l->grant);
    free(l->user);
    free(l->owner);
    free(l->proof);
    l->proof = caller->proof.n > 0 ? mem_str(caller->proof) : NULL;
    l->proof_n = caller->proof.n;
    l->grant = caller->grant.n > 0 ? mem_str(caller->grant) : NULL;
    l->user = caller->user.n > 0 ? mem_str(caller->user) : NULL;
    l->owner = caller->owner.n > 0 ? mem_str(caller->owner) : NULL;
    l->caller = caller->id;
    l->expires = caller->expires;
}

void hub_set_caller(struct mcp_hub *h, str scope, const struct mcp_caller *caller)
{
    lock_take(&h->lock);
    set_caller(legacy(h, scope), caller);
    lock_drop(&h->lock);
}

bool hub_has_room(struct mcp_hub *h, str user, str scope)
{
    size_t n = 0;
    if (user.n == 0)
        return true;
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        n += l->sink != NULL && l->user != NULL && str_eq(str_c(l->user), user) &&
             !(l->id == NULL && str_eq(str_c(l->scope), scope));
    lock_drop(&h->lock);
    return n < HUB_USER_STREAMS_MAX;
}

struct mcp_sink *hub_forget(struct mcp_hub *h, str scope)
{
    lock_take(&h->lock);
    struct mcp_listener *l = find_quiet(h, scope);
    struct mcp_sink *sink = l != NULL ? hub_take_out(h, l) : NULL;
    lock_drop(&h->lock);
    return sink;
}

static size_t uris_of_owner(const struct mcp_hub *h, const char *owner)
{
    size_t n = 0;
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        n += l->owner != NULL && strcmp(l->owner, owner) == 0 ? l->n_uris : 0;
    return n;
}

/* Sessions are free, so they are not what limits a caller. */
static bool has_uri_room(struct mcp_hub *h, const struct mcp_listener *l)
{
    if (h->n_uris >= HUB_URIS_ALL)
        forget_idle(h, clock_ms());
    return l->n_uris < HUB_URIS_MAX && h->n_uris < HUB_URIS_ALL &&
           (l->owner == NULL || uris_of_owner(h, l->owner) < HUB_URIS_OWNER);
}

static bool add_uri(struct mcp_hub *h, struct mcp_listener *l, str uri)
{
    for (size_t i = 0; i < l->n_uris; i++)
        if (str_eq(l->uris[i], uri))
            return true;
    if (uri.n > HUB_URI_BYTES_MAX || !has_uri_room(h, l))
        return false;
    *ARRAY_ADD(NULL, l->uris, l->n_uris) = (str){mem_str(uri), uri.n};
    h->n_uris++;
    return true;
}

static void remove_uri(struct mcp_hub *h, struct mcp_listener *l, size_t i)
{
    free((char *)l->uris[i].p);
    if (i < l->n_missed) {
        l->uris[i] = l->uris[--l->n_missed];
        i = l->n_missed;
    }
    l->uris[i] = l->uris[--l->n_uris];
    h->n_uris--;
}

void hub_note_missed(struct mcp_listener *l, size_t i)
{
    if (i < l->n_missed)
        return;
    str uri = l->uris[i];
    l->uris[i] = l->uris[l->n_missed];
    l->uris[l->n_missed++] = uri;
}

void hub_missed(struct mcp_hub *h, str start)
{
    lock_take(&h->lock);
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next)
        for (size_t i = 0; l->sink == NULL && i < l->n_uris; i++)
            if (str_starts(l->uris[i], start))
                hub_note_missed(l, i);
    lock_drop(&h->lock);
}

/* A sink may wait for its client, so the lock is not held meanwhile either. */
void hub_send_all(struct mcp_hub *h, const struct hub_message *messages, size_t n,
                  unsigned *counter)
{
    for (size_t i = 0; i < n; i++)
        messages[i].to->sink->send(messages[i].to->sink, messages[i].text);
    lock_take(&h->lock);
    for (size_t i = 0; i < n; i++)
        messages[i].to->sending--;
    if (counter != NULL)
        --*counter;
    cond_wake_all(&h->sent); /* each waits for its own listener */
    lock_drop(&h->lock);
}

bool hub_listen(struct mcp_hub *h, const struct mcp_request *r, const bool wants[3],
                const struct json *uris, str acknowledgement)
{
    struct mcp_listener *l = mem_zero(sizeof(*l));
    l->sink = r->sink;
    l->scope = mem_str(r->scope);
    l->id = mem_str(r->id->raw);
    set_caller(l, &r->caller);
    l->serial = r->serial;
    memcpy(l->wants, wants, sizeof(l->wants));
    lock_take(&h->lock);
    bool full = h->n_modern >= HUB_STREAMS_MAX;
    if (!full) {
        hub_append(h, l);
        h->n_modern++;
        l->sending = 1;
        h->opening++;
        for (const struct json *j = uris != NULL ? uris->child : NULL; j != NULL;
             j = j->next)
            add_uri(h, l, j->text);
    }
    lock_drop(&h->lock);
    if (full)
        free_listener(l);
    else
        hub_send_all(h, &(struct hub_message){l, acknowledgement}, 1, &h->opening);
    return !full;
}

static struct mcp_listener *find_modern(struct mcp_hub *h, uint64_t serial, str scope,
                                        str id)
{
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next)
        if (l->id != NULL &&
            (serial != 0 ? l->serial == serial
                         : str_eq(str_c(l->scope), scope) && str_eq(str_c(l->id), id)))
            return l;
    return NULL;
}

struct mcp_sink *hub_unlisten(struct mcp_hub *h, uint64_t serial, str scope, str id)
{
    struct mcp_listener *l;
    lock_take(&h->lock);
    while ((l = find_modern(h, serial, scope, id)) != NULL && l->sending > 0)
        lock_wait(&h->lock, &h->sent);
    struct mcp_sink *sink = l != NULL ? hub_take_out(h, l) : NULL;
    lock_drop(&h->lock);
    return sink;
}

bool hub_subscribe(struct mcp_hub *h, str scope, str uri)
{
    lock_take(&h->lock);
    bool added = add_uri(h, legacy(h, scope), uri);
    lock_drop(&h->lock);
    return added;
}

void hub_unsubscribe(struct mcp_hub *h, str scope, str uri)
{
    lock_take(&h->lock);
    struct mcp_listener *l = find_legacy(h, scope);
    for (size_t i = 0; l != NULL && i < l->n_uris; i++) {
        if (str_eq(l->uris[i], uri)) {
            remove_uri(h, l, i);
            break;
        }
    }
    lock_drop(&h->lock);
}

void hub_set_level(struct mcp_hub *h, str scope, enum mcp_log_level level)
{
    lock_take(&h->lock);
    legacy(h, scope)->log_level = level;
    lock_drop(&h->lock);
}

static void put_client(struct jsonw *w, const struct mcp_listener *l)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("client"), str_c(l->scope));
    jsonw_put_int(w, STR("level"), l->log_level);
    jsonw_put_strs(w, STR("uris"), l->uris, l->n_uris);
    jsonw_end(w);
}

str hub_memory(struct mcp_hub *h, struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    lock_take(&h->lock);
    jsonw_array(&w);
    for (const struct mcp_listener *l = h->last; l != NULL; l = l->prev) {
        struct jsonw before = w;
        size_t mark = out.n;
        if (l->id != NULL || (l->n_uris == 0 && l->log_level == MCP_LOG_DEBUG))
            continue;
        put_client(&w, l);
        if (out.n < HUB_MEMORY_MAX)
            continue;
        out.n = mark;
        w = before;
        break;
    }
    jsonw_end(&w);
    lock_drop(&h->lock);
    return sbuf_str(&out);
}

static void recall_client(struct mcp_hub *h, const struct json *client)
{
    str scope = json_get_str(client, STR("client"));
    const struct json *uris = json_get(client, STR("uris"));
    int64_t level;
    if (scope.n == 0 || !json_is(uris, JSON_ARRAY) ||
        !json_int(json_get(client, STR("level")), &level) || level < MCP_LOG_DEBUG ||
        level > MCP_LOG_EMERGENCY)
        return;
    struct mcp_listener *l = legacy(h, scope);
    l->log_level = (enum mcp_log_level)level;
    for (const struct json *j = uris->child; j != NULL; j = j->next)
        if (json_is(j, JSON_STRING))
            add_uri(h, l, j->text);
}

void hub_recall(struct mcp_hub *h, str memory)
{
    struct arena a = {0};
    const struct json *all;
    struct err ignored;
    if (memory.n <= HUB_MEMORY_MAX && json_parse(&a, memory, &all, &ignored) &&
        json_is(all, JSON_ARRAY)) {
        const struct json **clients = ARENA_ARRAY(&a, const struct json *, all->n);
        size_t n = 0;
        for (const struct json *j = all->child; j != NULL; j = j->next)
            clients[n++] = j;
        lock_take(&h->lock);
        while (n > 0) /* the newest last */
            recall_client(h, clients[--n]);
        lock_drop(&h->lock);
    }
    arena_release(&a);
}

static bool hub_lists(str uri, const str *uris, size_t n)
{
    size_t i = 0;
    while (i < n && !str_eq(uris[i], uri))
        i++;
    return i < n;
}

void hub_restore(struct mcp_hub *h, str scope, enum mcp_log_level level, const str *uris,
                 size_t n)
{
    lock_take(&h->lock);
    struct mcp_listener *l = legacy(h, scope);
    l->log_level = level;
    for (size_t i = l->n_uris; i-- > 0;)
        if (!hub_lists(l->uris[i], uris, n))
            remove_uri(h, l, i);
    for (size_t i = 0; i < n; i++) {
        size_t before = l->n_uris;
        if (add_uri(h, l, uris[i]) && l->n_uris > before)
            hub_note_missed(l, before);
    }
    lock_drop(&h->lock);
}

bool hub_is_streaming(struct mcp_hub *h, str scope)
{
    lock_take(&h->lock);
    const struct mcp_listener *l = find_legacy(h, scope);
    bool open = l != NULL && l->sink != NULL;
    lock_drop(&h->lock);
    return open;
}

size_t hub_streaming(struct mcp_hub *h, struct arena *a, struct hub_client **out)
{
    size_t n = 0;
    *out = NULL;
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        if (l->id == NULL && l->sink != NULL)
            *ARRAY_ADD(a, *out, n) = (struct hub_client){
                l->owner != NULL ? arena_str(a, str_c(l->owner)) : STR(""),
                arena_str(a, str_c(l->scope))};
    lock_drop(&h->lock);
    return n;
}

enum mcp_log_level hub_level(struct mcp_hub *h, str scope)
{
    lock_take(&h->lock);
    const struct mcp_listener *l = find_legacy(h, scope);
    enum mcp_log_level level = l != NULL ? l->log_level : MCP_LOG_DEBUG;
    lock_drop(&h->lock);
    return level;
}

str hub_closing_result(struct arena *a, const struct json *id, const char *server_name,
                       const char *server_version)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_result(&w, id);
    jsonw_put_str(&w, STR("resultType"), STR("complete"));
    jsonw_put_object(&w, STR("_meta"));
    jsonw_put_value(&w, STR(MCP_META "subscriptionId"), id);
    jsonw_put_object(&w, STR(MCP_META "serverInfo"));
    jsonw_put_str(&w, STR("name"), str_c(server_name));
    jsonw_put_str(&w, STR("version"), str_c(server_version));
    jsonw_end(&w);
    jsonw_end(&w);
    jsonw_end(&w);
    jsonw_end(&w);
    return sbuf_str(&out);
}

static struct mcp_caller caller_of(const struct mcp_listener *l)
{
    return (struct mcp_caller){.id = l->caller,
                               .user = str_c(l->user),
                               .grant = str_c(l->grant),
                               .proof = {l->proof, l->proof_n}};
}

static bool is_unwelcome(const struct mcp_check *check, const struct mcp_listener *l)
{
    struct mcp_caller caller = caller_of(l);
    return !mcp_is_welcome(check, &caller, l->expires);
}

/* A listener whose stream must end; check NULL: all must. */
static struct mcp_listener *find_unwelcome(struct mcp_hub *h,
                                           const struct mcp_check *check)
{
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next)
        if (l->sink != NULL && (check == NULL || is_unwelcome(check, l)))
            return l;
    return NULL;
}

/* Take the stream of one of them: a legacy client is kept without it. id, in the arena: of a
 * modern one. NULL: there is none. */
static struct mcp_sink *take_unwelcome(struct mcp_hub *h, const struct mcp_check *check,
                                       struct arena *a, str *id)
{
    struct mcp_listener *l;
    struct mcp_sink *sink = NULL;
    *id = (str){0};
    lock_take(&h->lock);
    while ((l = find_unwelcome(h, check)) != NULL && l->sending > 0)
        lock_wait(&h->lock, &h->sent);
    if (l != NULL && l->id != NULL) {
        *id = arena_str(a, str_c(l->id));
        sink = hub_take_out(h, l);
    } else if (l != NULL) {
        sink = l->sink;
        l->sink = NULL;
        l->idle_since = clock_ms();
    }
    lock_drop(&h->lock);
    return sink;
}

static void end_streams(struct mcp_hub *h, const struct mcp_check *check,
                        const char *server_name, const char *server_version)
{
    struct arena a = {0};
    struct mcp_sink *sink;
    const struct json *json;
    struct err err;
    str id;
    while ((sink = take_unwelcome(h, check, &a, &id)) != NULL) {
        str result = {0};
        if (id.n > 0 && json_parse(&a, id, &json, &err))
            result = hub_closing_result(&a, json, server_name, server_version);
        sink->finish(sink, result, 0);
        arena_reset(&a);
    }
    arena_release(&a);
}

void hub_list_callers(struct mcp_hub *h, struct mcp_callers *out)
{
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        struct mcp_caller caller = caller_of(l);
        if (l->sink != NULL)
            mcp_callers_add(out, &caller);
    }
    lock_drop(&h->lock);
}

void hub_check(struct mcp_hub *h, const struct mcp_check *check, const char *server_name,
               const char *server_version)
{
    end_streams(h, check, server_name, server_version);
}

void hub_close(struct mcp_hub *h, const char *server_name, const char *server_version)
{
    end_streams(h, NULL, server_name, server_version);
}
