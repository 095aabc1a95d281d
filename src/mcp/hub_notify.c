/* Who is notified of a change, and of which: without the hub's lock, the app says who may
 * see it, and messages are sent. */
#include "base/array.h"
#include "base/map.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"

static const char *const change_methods[] = {
    [MCP_TOOLS_CHANGED] = "notifications/tools/list_changed",
    [MCP_PROMPTS_CHANGED] = "notifications/prompts/list_changed",
    [MCP_RESOURCES_CHANGED] = "notifications/resources/list_changed",
};

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

/* --- notifying --- */

/* What has happened. */
struct hub_event {
    const char *method;
    enum { HUB_LIST, HUB_RESOURCE, HUB_RESOURCES } kind;
    enum mcp_change what; /* of HUB_LIST */
    const str *uris;      /* of HUB_LIST: for callers that see one of these; NULL: all */
    size_t n;
    str uri;          /* of HUB_RESOURCE; of HUB_RESOURCES how they begin */
    const str *owner; /* only for listeners of this owner; NULL: for all */
};

/* A subscription covers its own URI and everything below it. */
static bool covers(str subscribed, str uri)
{
    return str_starts(uri, subscribed) &&
           (uri.n == subscribed.n || str_ends(subscribed, STR("/")) ||
            uri.p[subscribed.n] == '/');
}

static bool covers_one(const struct mcp_listener *l, str uri)
{
    for (size_t i = 0; i < l->n_uris; i++)
        if (covers(l->uris[i], uri))
            return true;
    return false;
}

static bool is_meant(const struct hub_event *e, const struct mcp_listener *l)
{
    return e->owner == NULL ||
           str_eq(*e->owner, l->owner != NULL ? str_c(l->owner) : STR(""));
}

/* The next notification of the event that a listener wants; begin with *at = 0. */
static bool next_wanted(const struct hub_event *e, const struct mcp_listener *l,
                        size_t *at, str *uri)
{
    size_t i = (*at)++;
    if (l->sink == NULL || !is_meant(e, l) || (e->kind != HUB_RESOURCES && i > 0))
        return false;
    *uri = e->kind == HUB_RESOURCE ? e->uri : (str){0};
    if (e->kind != HUB_RESOURCES)
        return e->kind == HUB_LIST ? l->wants[e->what] : covers_one(l, e->uri);
    while (i < l->n_uris && !str_starts(l->uris[i], e->uri))
        i++;
    *at = i + 1;
    if (i < l->n_uris)
        *uri = l->uris[i];
    return i < l->n_uris;
}

/* Whether a listener would want it, if it had a stream. */
static bool misses(const struct mcp_listener *l, const struct hub_event *e)
{
    return l->sink == NULL && e->kind == HUB_RESOURCE && is_meant(e, l) &&
           covers_one(l, e->uri);
}

/* What callers may see of an event, by grant and URI: the app is asked once for each
 * pair. */
struct hub_views {
    struct arena *arena;
    struct map pairs;
    struct hub_view {
        str grant, uri;
        bool sees;
    } * views;
    size_t n;
};

static str pair_of(struct arena *a, const char *grant, str uri)
{
    return arena_printf(a, "%s\n" STR_FMT, grant, STR_ARG(uri));
}

static void add_view(struct hub_views *v, const struct mcp_listener *l, str uri)
{
    if (map_add_new(&v->pairs, pair_of(v->arena, l->grant, uri)))
        *ARRAY_ADD(v->arena, v->views, v->n) =
            (struct hub_view){.grant = arena_str(v->arena, str_c(l->grant)),
                              .uri = arena_str(v->arena, uri)};
}

static void hub_notify_look(const struct mcp_hub *h, const struct hub_event *e,
                            struct hub_view *v)
{
    v->sees = e->kind == HUB_LIST && e->uris == NULL;
    if (e->kind != HUB_LIST)
        v->sees = h->sees(h->app, v->grant, v->uri);
    for (size_t i = 0; e->kind == HUB_LIST && !v->sees && i < e->n; i++)
        v->sees = h->sees(h->app, v->grant, e->uris[i]);
}

static bool is_limited(const struct mcp_hub *h, const struct mcp_listener *l)
{
    return l->grant != NULL && h->sees != NULL;
}

/* The app parses grants and asks its vaults, so the lock is not held meanwhile. */
static void find_views(struct mcp_hub *h, const struct hub_event *e, struct hub_views *v)
{
    str uri;
    v->pairs.arena = v->arena;
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        if (misses(l, e) && is_limited(h, l))
            add_view(v, l, e->uri);
        for (size_t at = 0; next_wanted(e, l, &at, &uri);)
            if (is_limited(h, l))
                add_view(v, l, uri);
    }
    lock_drop(&h->lock);
    for (size_t i = 0; i < v->n; i++)
        hub_notify_look(h, e, &v->views[i]);
}

static bool view_sees(const struct hub_views *v, const struct mcp_listener *l, str uri)
{
    uint32_t at = map_find(&v->pairs, pair_of(v->arena, l->grant, uri));
    return at != MAP_NONE && v->views[at].sees;
}

static bool was_asked(const struct hub_views *v, const struct mcp_listener *l, str uri)
{
    return map_find(&v->pairs, pair_of(v->arena, l->grant, uri)) != MAP_NONE;
}

static struct hub_message message_for(struct arena *a, struct mcp_listener *l,
                                      const char *method, str uri)
{
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_call(&w, (str){0}, str_c(method));
    put_subscription(&w, a, l);
    jsonw_put_text(&w, STR("uri"), uri);
    jsonw_end(&w);
    jsonw_end(&w);
    l->sending++;
    return (struct hub_message){l, sbuf_str(&out)};
}

/* For a listener without a stream; the lock is held. Of several resources, what it may see
 * is asked later (hub_send_missed()). */
static void remember_missed(const struct mcp_hub *h, struct mcp_listener *l,
                            const struct hub_event *e, const struct hub_views *views)
{
    bool several = l->sink == NULL && e->kind == HUB_RESOURCES;
    if (!several && !(misses(l, e) && (!is_limited(h, l) || view_sees(views, l, e->uri))))
        return;
    for (size_t i = 0; i < l->n_uris; i++)
        if (several ? str_starts(l->uris[i], e->uri) : covers(l->uris[i], e->uri))
            hub_note_missed(l, i);
}

static void notify(struct mcp_hub *h, const struct hub_event *e)
{
    struct arena a = {0};
    struct hub_views views = {.arena = &a};
    struct hub_message *messages = NULL;
    size_t n = 0;
    str uri;
    find_views(h, e, &views);
    lock_take(&h->lock);
    while (h->opening > 0)
        lock_wait(&h->lock, &h->sent);
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next) {
        remember_missed(h, l, e, &views);
        for (size_t at = 0; next_wanted(e, l, &at, &uri);)
            if (!is_limited(h, l) || view_sees(&views, l, uri))
                *ARRAY_ADD(&a, messages, n) = message_for(&a, l, e->method, uri);
    }
    lock_drop(&h->lock);
    if (n > 0)
        hub_send_all(h, messages, n, NULL);
    arena_release(&a);
}

void hub_changed(struct mcp_hub *h, enum mcp_change what)
{
    hub_changed_by(h, what, NULL, 0);
}

void hub_changed_by(struct mcp_hub *h, enum mcp_change what, const str *uris, size_t n)
{
    notify(h, &(struct hub_event){change_methods[what], HUB_LIST, .what = what,
                                  .uris = uris, .n = n});
}

static const char updated_method[] = "notifications/resources/updated";

void hub_updated(struct mcp_hub *h, str uri)
{
    notify(h, &(struct hub_event){updated_method, HUB_RESOURCE, .uri = uri});
}

void hub_updated_for(struct mcp_hub *h, str uri, str owner)
{
    notify(h, &(struct hub_event){updated_method, HUB_RESOURCE, .uri = uri,
                                  .owner = &owner});
}

void hub_updated_all(struct mcp_hub *h, str start)
{
    notify(h, &(struct hub_event){updated_method, HUB_RESOURCES, .uri = start});
}

/* --- what changed while no stream was open --- */

static bool is_behind(const struct mcp_listener *l)
{
    return l->sink != NULL && l->n_missed > 0;
}

bool hub_has_missed(struct mcp_hub *h)
{
    lock_take(&h->lock);
    const struct mcp_listener *l = h->first;
    while (l != NULL && !is_behind(l))
        l = l->next;
    lock_drop(&h->lock);
    return l != NULL;
}

/* What listeners that are behind may see of it. */
static void find_missed(struct mcp_hub *h, struct hub_views *v)
{
    v->pairs.arena = v->arena;
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        for (size_t i = 0; is_behind(l) && is_limited(h, l) && i < l->n_missed; i++)
            add_view(v, l, l->uris[i]);
    lock_drop(&h->lock);
    for (size_t i = 0; i < v->n; i++)
        v->views[i].sees = h->sees(h->app, v->views[i].grant, v->views[i].uri);
}

void hub_send_missed(struct mcp_hub *h)
{
    struct arena a = {0};
    struct hub_views views = {.arena = &a};
    struct hub_message *messages = NULL;
    size_t n = 0;
    find_missed(h, &views);
    lock_take(&h->lock);
    for (struct mcp_listener *l = h->first; l != NULL; l = l->next)
        for (; is_behind(l); l->n_missed--) {
            str uri = l->uris[l->n_missed - 1];
            if (is_limited(h, l) && !was_asked(&views, l, uri))
                break; /* its stream is newer: that sends it */
            if (!is_limited(h, l) || view_sees(&views, l, uri))
                *ARRAY_ADD(&a, messages, n) = message_for(&a, l, updated_method, uri);
        }
    lock_drop(&h->lock);
    if (n > 0)
        hub_send_all(h, messages, n, NULL);
    arena_release(&a);
}

/* --- what is watched --- */

/* Up to the third slash, or all of it. */
static str beginning_of(str uri)
{
    size_t n = 0;
    for (int slashes = 0; n < uri.n && slashes < 3; n++)
        slashes += uri.p[n] == '/';
    return str_slice(uri, 0, n);
}

struct hub_watched {
    struct map known;
    str *all;
    size_t n;
};

static void add_watched(struct hub_watched *w, str uri)
{
    struct arena *a = w->known.arena;
    str start = beginning_of(uri);
    if (map_find(&w->known, start) != MAP_NONE)
        return;
    start = arena_str(a, start);
    (void)map_add(&w->known, start);
    *ARRAY_ADD(a, w->all, w->n) = start;
}

size_t hub_watched(struct mcp_hub *h, struct arena *a, str **out)
{
    struct arena looks = {0};
    struct hub_views views = {.arena = &looks, .pairs.arena = &looks};
    struct hub_watched w = {.known.arena = a};
    struct hub_event event = {updated_method, HUB_RESOURCES, .uri = STR("")};
    str uri;
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        for (size_t at = 0; next_wanted(&event, l, &at, &uri);)
            if (is_limited(h, l))
                add_view(&views, l, uri);
            else
                add_watched(&w, uri);
    lock_drop(&h->lock);
    for (size_t i = 0; i < views.n; i++) {
        const struct hub_view *v = &views.views[i];
        if (map_find(&w.known, beginning_of(v->uri)) == MAP_NONE &&
            h->sees(h->app, v->grant, v->uri))
            add_watched(&w, v->uri);
    }
    arena_release(&looks);
    *out = w.all;
    return w.n;
}

size_t hub_subscribed(struct mcp_hub *h, struct arena *a, str start, str **out)
{
    struct hub_watched w = {.known.arena = a};
    lock_take(&h->lock);
    for (const struct mcp_listener *l = h->first; l != NULL; l = l->next)
        for (size_t i = 0; i < l->n_uris; i++)
            if (str_starts(l->uris[i], start) &&
                map_find(&w.known, l->uris[i]) == MAP_NONE) {
                str uri = arena_str(a, l->uris[i]);
                (void)map_add(&w.known, uri);
                *ARRAY_ADD(a, w.all, w.n) = uri;
            }
    lock_drop(&h->lock);
    *out = w.all;
    return w.n;
}
