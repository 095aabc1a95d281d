#include "mcp/hub.h"

#include "base/array.h"
#include "mcp/jsonrpc.h"

static const char *const change_methods[] = {
    [MCP_TOOLS_CHANGED] = "notifications/tools/list_changed",
    [MCP_PROMPTS_CHANGED] = "notifications/prompts/list_changed",
    [MCP_RESOURCES_CHANGED] = "notifications/resources/list_changed",
};

void hub_init(struct mcp_hub *h)
{
    *h = (struct mcp_hub){0};
    mutex_init(&h->lock);
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
    mutex_destroy(&h->lock);
}

static struct mcp_listener *find_legacy(struct mcp_hub *h, str scope)
{
    for (struct mcp_listener *l = h->last; l != NULL; l = l->prev)
        if (l->id == NULL && str_eq(str_c(l->scope), scope))
            return l;
    return NULL;
}

/* Make room: the first client without a stream is the one that has been idle longest. */
static void forget_oldest(struct mcp_hub *h)
{
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        if (l->id == NULL && l->sink == NULL) {
            unlink_listener(h, l);
            free_listener(l);
            h->n_legacy--;
            return;
        }
    }
}

/* The listener of a legacy client, created if there is none; it becomes the newest. */
static struct mcp_listener *legacy(struct mcp_hub *h, str scope)
{
    struct mcp_listener *l = find_legacy(h, scope);
    if (l != NULL) {
        unlink_listener(h, l);
    } else {
        if (h->n_legacy >= HUB_LISTENERS_MAX)
            forget_oldest(h);
        l = mem_zero(sizeof(*l));
        l->scope = mem_str(scope);
        l->wants[0] = l->wants[1] = l->wants[2] = true;
        l->log_level = MCP_LOG_DEBUG;
        h->n_legacy++;
    }
    hub_append(h, l);
    return l;
}

struct mcp_sink *hub_attach(struct mcp_hub *h, str scope, struct mcp_sink *sink)
{
    mutex_lock(&h->lock);
    struct mcp_listener *l = legacy(h, scope);
    struct mcp_sink *before = l->sink;
    l->sink = sink;
    mutex_unlock(&h->lock);
    return before;
}

static void set_caller(struct mcp_listener *l, const struct mcp_caller *caller)
{
    free(l->grant);
    free(l->user);
    l->grant = caller->grant.n > 0 ? mem_str(caller->grant) : NULL;
    l->user = caller->user.n > 0 ? mem_str(caller->user) : NULL;
    l->caller = caller->id;
    l->expires = caller->expires;
}

void hub_set_caller(struct mcp_hub *h, str scope, const struct mcp_caller *caller)
{
    mutex_lock(&h->lock);
    set_caller(legacy(h, scope), caller);
    mutex_unlock(&h->lock);
}

bool hub_has_room(struct mcp_hub *h, str user, str scope)
{
    size_t n = 0;
    if (user.n == 0)
        return true;
    mutex_lock(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        n += l->sink != NULL && l->user != NULL && str_eq(str_c(l->user), user) &&
             !(l->id == NULL && str_eq(str_c(l->scope), scope));
    mutex_unlock(&h->lock);
    return n < HUB_USER_STREAMS_MAX;
}

static struct mcp_sink *take_out(struct mcp_hub *h, struct mcp_listener *l)
{
    struct mcp_sink *sink = l->sink;
    unlink_listener(h, l);
    if (l->id != NULL)
        h->n_modern--;
    else
        h->n_legacy--;
    free_listener(l);
    return sink;
}

struct mcp_sink *hub_forget(struct mcp_hub *h, str scope)
{
    mutex_lock(&h->lock);
    struct mcp_listener *l = find_legacy(h, scope);
    struct mcp_sink *sink = l != NULL ? take_out(h, l) : NULL;
    mutex_unlock(&h->lock);
    return sink;
}

static bool add_uri(struct mcp_listener *l, str uri)
{
    for (size_t i = 0; i < l->n_uris; i++)
        if (str_eq(l->uris[i], uri))
            return true;
    if (l->n_uris >= HUB_URIS_MAX || uri.n > HUB_URI_BYTES_MAX)
        return false;
    *ARRAY_ADD(NULL, l->uris, l->n_uris) = (str){mem_str(uri), uri.n};
    return true;
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
    for (const struct json *j = uris != NULL ? uris->child : NULL; j != NULL; j = j->next)
        add_uri(l, j->text);

    mutex_lock(&h->lock);
    bool full = h->n_modern >= HUB_STREAMS_MAX;
    if (!full) {
        hub_append(h, l);
        h->n_modern++;
        l->sink->send(l->sink, acknowledgement);
    }
    mutex_unlock(&h->lock);
    if (full)
        free_listener(l);
    return !full;
}

struct mcp_sink *hub_unlisten(struct mcp_hub *h, uint64_t serial, str scope, str id)
{
    struct mcp_sink *sink = NULL;
    mutex_lock(&h->lock);
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        bool match = l->id != NULL && (serial != 0 ? l->serial == serial
                                                   : str_eq(str_c(l->scope), scope) &&
                                                         str_eq(str_c(l->id), id));
        if (match) {
            sink = take_out(h, l);
            break;
        }
    }
    mutex_unlock(&h->lock);
    return sink;
}

bool hub_subscribe(struct mcp_hub *h, str scope, str uri)
{
    mutex_lock(&h->lock);
    bool added = add_uri(legacy(h, scope), uri);
    mutex_unlock(&h->lock);
    return added;
}

void hub_unsubscribe(struct mcp_hub *h, str scope, str uri)
{
    mutex_lock(&h->lock);
    struct mcp_listener *l = find_legacy(h, scope);
    for (size_t i = 0; l != NULL && i < l->n_uris; i++) {
        if (str_eq(l->uris[i], uri)) {
            free((char *)l->uris[i].p);
            l->uris[i] = l->uris[--l->n_uris];
            break;
        }
    }
    mutex_unlock(&h->lock);
}

void hub_set_level(struct mcp_hub *h, str scope, enum mcp_log_level level)
{
    mutex_lock(&h->lock);
    legacy(h, scope)->log_level = level;
    mutex_unlock(&h->lock);
}

static void put_client(struct jsonw *w, const struct mcp_listener *l)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("client"), str_c(l->scope));
    jsonw_put_int(w, STR("level"), l->log_level);
    jsonw_put_array(w, STR("uris"));
    for (size_t i = 0; i < l->n_uris; i++)
        jsonw_str(w, l->uris[i]);
    jsonw_end(w);
    jsonw_end(w);
}

str hub_memory(struct mcp_hub *h, struct arena *a)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    mutex_lock(&h->lock);
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
    mutex_unlock(&h->lock);
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
            add_uri(l, j->text);
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
        mutex_lock(&h->lock);
        while (n > 0) /* the newest last */
            recall_client(h, clients[--n]);
        mutex_unlock(&h->lock);
    }
    arena_release(&a);
}

void hub_restore(struct mcp_hub *h, str scope, enum mcp_log_level level, const str *uris,
                 size_t n)
{
    mutex_lock(&h->lock);
    struct mcp_listener *l = legacy(h, scope);
    l->log_level = level;
    while (l->n_uris > 0)
        free((char *)l->uris[--l->n_uris].p);
    for (size_t i = 0; i < n; i++)
        add_uri(l, uris[i]);
    mutex_unlock(&h->lock);
}

bool hub_is_streaming(struct mcp_hub *h, str scope)
{
    mutex_lock(&h->lock);
    const struct mcp_listener *l = find_legacy(h, scope);
    bool open = l != NULL && l->sink != NULL;
    mutex_unlock(&h->lock);
    return open;
}

enum mcp_log_level hub_level(struct mcp_hub *h, str scope)
{
    mutex_lock(&h->lock);
    const struct mcp_listener *l = find_legacy(h, scope);
    enum mcp_log_level level = l != NULL ? l->log_level : MCP_LOG_DEBUG;
    mutex_unlock(&h->lock);
    return level;
}

/* A modern stream's messages name the listen request they belong to. */
static void put_subscription(struct jsonw *w, struct arena *a,
                             const struct mcp_listener *l)
{
    const struct json *id;
    struct err err;
    if (l->id == NULL || !json_parse(a, str_c(l->id), &id, &err))
        return;
    jsonw_put_object(w, STR("_meta"));
    jsonw_put_value(w, STR(MCP_META "subscriptionId"), id);
    jsonw_end(w);
}

static void notify(struct arena *a, const struct mcp_listener *l, const char *method,
                   str uri)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_call(&w, (str){0}, str_c(method));
    put_subscription(&w, a, l);
    if (uri.n > 0)
        jsonw_put_str(&w, STR("uri"), uri);
    jsonw_end(&w);
    jsonw_end(&w);
    l->sink->send(l->sink, sbuf_str(&out));
    arena_reset(a);
}

static bool hub_sees(const struct mcp_hub *h, const struct mcp_listener *l, str uri)
{
    return l->grant == NULL || h->sees == NULL || h->sees(h->app, str_c(l->grant), uri);
}

static bool sees_one(const struct mcp_hub *h, const struct mcp_listener *l,
                     const str *uris, size_t n)
{
    bool seen = uris == NULL;
    for (size_t i = 0; !seen && i < n; i++)
        seen = hub_sees(h, l, uris[i]);
    return seen;
}

void hub_changed(struct mcp_hub *h, enum mcp_change what)
{
    hub_changed_by(h, what, NULL, 0);
}

void hub_changed_by(struct mcp_hub *h, enum mcp_change what, const str *uris, size_t n)
{
    struct arena a = {0};
    mutex_lock(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        if (l->sink != NULL && l->wants[what] && sees_one(h, l, uris, n))
            notify(&a, l, change_methods[what], (str){0});
    mutex_unlock(&h->lock);
    arena_release(&a);
}

/* A subscription covers its own URI and everything below it. */
static bool covers(str subscribed, str uri)
{
    return str_starts(uri, subscribed) &&
           (uri.n == subscribed.n || str_ends(subscribed, STR("/")) ||
            uri.p[subscribed.n] == '/');
}

void hub_updated(struct mcp_hub *h, str uri)
{
    struct arena a = {0};
    mutex_lock(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        for (size_t i = 0; l->sink != NULL && i < l->n_uris; i++) {
            if (covers(l->uris[i], uri) && hub_sees(h, l, uri)) {
                notify(&a, l, "notifications/resources/updated", uri);
                break;
            }
        }
    }
    mutex_unlock(&h->lock);
    arena_release(&a);
}

bool hub_watches(struct mcp_hub *h, str start)
{
    bool found = false;
    mutex_lock(&h->lock);
    for (const struct mcp_listener *l = h->first; !found && l != NULL; l = l->next)
        for (size_t i = 0; !found && l->sink != NULL && i < l->n_uris; i++)
            found = str_starts(l->uris[i], start) && hub_sees(h, l, l->uris[i]);
    mutex_unlock(&h->lock);
    return found;
}

void hub_updated_all(struct mcp_hub *h, str start)
{
    struct arena a = {0};
    mutex_lock(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        for (size_t i = 0; l->sink != NULL && i < l->n_uris; i++)
            if (str_starts(l->uris[i], start) && hub_sees(h, l, l->uris[i]))
                notify(&a, l, "notifications/resources/updated", l->uris[i]);
    mutex_unlock(&h->lock);
    arena_release(&a);
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

/* Keep the legacy client, but close its stream. */
static void close_legacy(struct mcp_listener *l)
{
    struct mcp_sink *sink = l->sink;
    l->sink = NULL;
    sink->finish(sink, (str){0}, 0);
}

static void close_modern(struct mcp_hub *h, struct mcp_listener *l,
                         const char *server_name, const char *server_version)
{
    struct arena a = {0};
    const struct json *id;
    struct err err;
    str result = {0};
    if (json_parse(&a, str_c(l->id), &id, &err))
        result = hub_closing_result(&a, id, server_name, server_version);
    struct mcp_sink *sink = take_out(h, l);
    sink->finish(sink, result, 0);
    arena_release(&a);
}

/* check NULL: end all streams. */
static void end_streams(struct mcp_hub *h, const struct mcp_check *check,
                        const char *server_name, const char *server_version)
{
    mutex_lock(&h->lock);
    for (struct mcp_listener *l = h->first, *next; l != NULL; l = next) {
        next = l->next;
        if (l->sink == NULL ||
            (check != NULL && mcp_is_welcome(check, l->caller, l->expires)))
            continue;
        if (l->id == NULL)
            close_legacy(l);
        else
            close_modern(h, l, server_name, server_version);
    }
    mutex_unlock(&h->lock);
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
