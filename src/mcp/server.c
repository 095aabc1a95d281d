#include "mcp/server.h"

#include "base/os/bytes.h"
#include "base/os/rand.h"
#include "mcp/core.h"
#include "mcp/form.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"
#include "mcp/peers.h"
#include "mcp/request.h"
#include "mcp/schema.h"
#include "mcp/session.h"
#include "mcp/spent.h"
#include "mcp/task.h"

enum { PAGE_SIZE = 100 };

static const struct json *parse_constant(struct arena *a, const char *text,
                                         const char *what)
{
    const struct json *j;
    struct err err;
    if (text == NULL)
        return NULL;
    if (!json_parse(a, str_c(text), &j, &err))
        BUG("%s: %s", what, err.msg);
    return j;
}

static const struct json *input_schema(struct arena *a, const struct mcp_tool *t,
                                       const struct mcp_form *form)
{
    if (t->input_schema != NULL)
        return parse_constant(a, t->input_schema, t->name);
    struct sbuf out = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&out);
    mcp_schema_write(&w, form->fields);
    sbuf_char(&out, '\0');
    return parse_constant(a, out.p, t->name);
}

static struct mcp_form tool_form(struct mcp_server *s, const struct mcp_tool *t)
{
    const struct mcp_config *c = &s->config;
    bool own = (t->flags & MCP_OWN_FIELDS) != 0;
    const struct mcp_field *common =
        own || c->common_of == NULL ? c->common : c->common_of(c->app, t);
    return mcp_form_make(&s->arena, t->fields, t->args_size, own ? NULL : common,
                         c->common_size);
}

static void load_tools(struct mcp_server *s)
{
    size_t n = 0;
    while (s->config.tools != NULL && s->config.tools[n] != NULL)
        n++;
    s->tool_names = ARENA_ARRAY(&s->arena, str, n);
    s->tool_forms = ARENA_ARRAY(&s->arena, struct mcp_form, n);
    s->input_schemas = ARENA_ARRAY(&s->arena, const struct json *, n);
    s->output_schemas = ARENA_ARRAY(&s->arena, const struct json *, n);
    for (size_t i = 0; i < n; i++) {
        const struct mcp_tool *t = s->config.tools[i];
        if (mcp_find_tool(s, str_c(t->name)) != NULL)
            BUG("two tools named %s", t->name);
        s->tool_names[i] = str_c(t->name);
        s->tool_forms[i] = tool_form(s, t);
        s->input_schemas[i] = input_schema(&s->arena, t, &s->tool_forms[i]);
        s->output_schemas[i] = parse_constant(&s->arena, t->output_schema, t->name);
        s->n_tools++;
    }
}

static void load_resources(struct mcp_server *s)
{
    const struct mcp_resource *const *rows = s->config.resources;
    for (; rows != NULL && rows[s->n_resources] != NULL; s->n_resources++)
        for (size_t i = 0; i < s->n_resources; i++)
            if (strcmp(rows[i]->uri, rows[s->n_resources]->uri) == 0)
                BUG("two resources at %s", rows[i]->uri);
    s->ui_metas = ARENA_ARRAY(&s->arena, const struct json *, s->n_resources);
    for (size_t i = 0; i < s->n_resources; i++)
        s->ui_metas[i] = parse_constant(&s->arena, rows[i]->ui_meta, rows[i]->uri);
}

static void load_prompts(struct mcp_server *s)
{
    const struct mcp_prompt *const *rows = s->config.prompts;
    for (; rows != NULL && rows[s->n_prompts] != NULL; s->n_prompts++)
        for (size_t i = 0; i < s->n_prompts; i++)
            if (strcmp(rows[i]->name, rows[s->n_prompts]->name) == 0)
                BUG("two prompts named %s", rows[i]->name);
    s->prompt_forms = ARENA_ARRAY(&s->arena, struct mcp_form, s->n_prompts);
    for (size_t i = 0; i < s->n_prompts; i++)
        s->prompt_forms[i] = mcp_form_make(&s->arena, rows[i]->fields, rows[i]->args_size,
                                           s->config.common, s->config.common_size);
}

struct mcp_server *mcp_server_create(const struct mcp_config *config)
{
    struct mcp_server *s = mem_zero(sizeof(*s));
    s->config = *config;
    if (s->config.page_size == 0)
        s->config.page_size = PAGE_SIZE;
    lock_init(&s->lock, LOCK_REQUESTS);
    lock_init(&s->key_lock, LOCK_KEY);
    lock_init(&s->memory_lock, LOCK_MEMORY);
    spent_init(&s->spent);
    hub_init(&s->hub);
    s->hub.sees = config->sees;
    s->hub.app = config->app;
    hub_recall(&s->hub, config->memory);
    s->tasks = mcp_tasks_create();
    sessions_init(&s->sessions, mcp_server_key, s);
    if (config->peers.tell != NULL) /* ids of questions must differ from theirs */
        rand_bytes(&s->serials, sizeof(uint32_t));
    load_tools(s);
    load_resources(s);
    load_prompts(s);
    return s;
}

void mcp_server_keep(struct mcp_server *s, void *p, void (*free)(void *p))
{
    struct mcp_leftover *l = arena_alloc(&s->arena, sizeof(*l));
    *l = (struct mcp_leftover){s->leftovers, p, free};
    s->leftovers = l;
}

void mcp_server_free(struct mcp_server *s)
{
    if (s == NULL)
        return;
    for (struct mcp_leftover *l = s->leftovers; l != NULL; l = l->next)
        l->free(l->p);
    while (s->spare != NULL) {
        struct mcp_request *next = s->spare->next;
        arena_release(&s->spare->arena);
        free(s->spare);
        s->spare = next;
    }
    peers_release(s);
    mcp_tasks_free(s->tasks);
    sessions_release(&s->sessions);
    hub_release(&s->hub);
    lock_release(&s->memory_lock);
    lock_release(&s->key_lock);
    spent_release(&s->spent);
    lock_release(&s->lock);
    bytes_wipe(s->key, sizeof(s->key));
    arena_release(&s->arena);
    free(s);
}

static void make_key(struct mcp_server *s)
{
    lock_take(&s->key_lock);
    if (!s->tried_key)
        s->has_key = s->config.key(s->config.app, s->key, &s->no_key);
    s->tried_key = true;
    lock_drop(&s->key_lock);
}

bool mcp_server_key(struct mcp_server *s, uint8_t out[MCP_KEY_SIZE], struct err *err)
{
    if (!atomic_load(&s->tried_key))
        make_key(s);
    if (s->has_key)
        memcpy(out, s->key, MCP_KEY_SIZE);
    else
        *err = s->no_key;
    return s->has_key;
}

/* --- saved state of legacy clients --- */

void mcp_server_keep_now(struct mcp_server *s)
{
    struct arena a = {0};
    lock_take(&s->memory_lock);
    if (atomic_exchange(&s->unkept, false))
        s->config.keep_memory(s->config.app, hub_memory(&s->hub, &a));
    lock_drop(&s->memory_lock);
    arena_release(&a);
}

static void keep_job(void *server)
{
    mcp_server_keep_now(server);
}

void mcp_server_keep_memory(struct mcp_server *s)
{
    enum { SOON_MS = 100 }; /* combines several changes into one save */
    if (s->config.keep_memory != NULL && !atomic_exchange(&s->unkept, true))
        pool_later(s->config.pool, SOON_MS, keep_job, s);
}

void mcp_server_changed(struct mcp_server *s, enum mcp_change what)
{
    if (s->config.list_changes)
        hub_changed(&s->hub, what);
}

void mcp_server_changed_by(struct mcp_server *s, enum mcp_change what, const str *uris,
                           size_t n)
{
    if (s->config.list_changes)
        hub_changed_by(&s->hub, what, uris, n);
}

void mcp_server_updated(struct mcp_server *s, str uri)
{
    hub_updated(&s->hub, uri);
}

void mcp_server_updated_for(struct mcp_server *s, str uri, str owner)
{
    hub_updated_for(&s->hub, uri, owner);
}

size_t mcp_server_watched(struct mcp_server *s, struct arena *a, str **out)
{
    return hub_watched(&s->hub, a, out);
}

void mcp_server_updated_all(struct mcp_server *s, str start)
{
    hub_updated_all(&s->hub, start);
}

size_t mcp_server_subscribed(struct mcp_server *s, struct arena *a, str start, str **out)
{
    return hub_subscribed(&s->hub, a, start, out);
}

void mcp_server_missed(struct mcp_server *s, str start)
{
    hub_missed(&s->hub, start);
}

/* Asking what callers may see is not for the loop. */
static void send_missed(void *server)
{
    hub_send_missed(&((struct mcp_server *)server)->hub);
}

void mcp_server_send_missed(struct mcp_server *s)
{
    if (hub_has_missed(&s->hub))
        pool_later(s->config.pool, 0, send_missed, s);
}

/* --- pages of fixed lists: the cursor is the number of rows before it --- */

bool mcp_page_read(struct mcp_request *r, size_t n, struct mcp_page *page)
{
    const struct json *cursor = json_get(r->params, STR("cursor"));
    int64_t from = 0;
    str text;
    if (cursor != NULL &&
        !(json_str(cursor, &text) &&
          (text.n == 0 || (str_to_int(text, &from) && from >= 0 && (size_t)from < n)))) {
        mcp_failed(r, RPC_INVALID_PARAMS,
                   "Invalid cursor: use nextCursor of the previous page");
        return false;
    }
    page->from = (size_t)from;
    page->to = page->from + r->server->config.page_size;
    if (page->to > n)
        page->to = n;
    return true;
}

void mcp_page_cursor(struct jsonw *w, size_t n, const struct mcp_page *page)
{
    if (page->to == n)
        return;
    jsonw_key(w, STR("nextCursor"));
    jsonw_printf(w, "%zu", page->to);
}

/* --- subscriptions/listen --- */

static const struct {
    const char *key;
    enum mcp_change what;
} filters[] = {
    {"toolsListChanged", MCP_TOOLS_CHANGED},
    {"promptsListChanged", MCP_PROMPTS_CHANGED},
    {"resourcesListChanged", MCP_RESOURCES_CHANGED},
};

static bool can_change(const struct mcp_server *s, enum mcp_change what)
{
    const size_t n[] = {[MCP_TOOLS_CHANGED] = s->n_tools,
                        [MCP_PROMPTS_CHANGED] = s->n_prompts,
                        [MCP_RESOURCES_CHANGED] = s->n_resources};
    return s->config.list_changes && n[what] > 0;
}

static bool read_uris(struct mcp_request *r, const struct json *wanted,
                      const struct json **out)
{
    const struct json *uris = json_get(wanted, STR("resourceSubscriptions"));
    *out = r->server->config.subscribe ? uris : NULL;
    if (uris == NULL)
        return true;
    bool ok = json_is(uris, JSON_ARRAY) && uris->n <= HUB_URIS_MAX;
    for (const struct json *j = uris->child; ok && j != NULL; j = j->next)
        ok = json_is(j, JSON_STRING) && j->text.n <= HUB_URI_BYTES_MAX;
    if (!ok)
        mcp_failed(r, RPC_INVALID_PARAMS,
                   "resourceSubscriptions must be an array of at most %d URIs",
                   HUB_URIS_MAX);
    return ok;
}

static bool read_filter(struct mcp_request *r, bool wants[3], const struct json **uris)
{
    const struct json *wanted = json_get(r->params, STR("notifications"));
    if (!json_is(wanted, JSON_OBJECT)) {
        mcp_failed(r, RPC_INVALID_PARAMS, "notifications must be an object");
        return false;
    }
    for (size_t i = 0; i < COUNT_OF(filters); i++) {
        const struct json *j = json_get(wanted, str_c(filters[i].key));
        bool on = false;
        if (j != NULL && !json_bool(j, &on)) {
            mcp_failed(r, RPC_INVALID_PARAMS, "%s must be a boolean", filters[i].key);
            return false;
        }
        wants[filters[i].what] = on && can_change(r->server, filters[i].what);
    }
    return read_uris(r, wanted, uris);
}

static str acknowledgement(struct mcp_request *r, const bool wants[3],
                           const struct json *uris)
{
    struct sbuf out = SBUF_ON(&r->arena);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_call(&w, (str){0}, STR("notifications/subscriptions/acknowledged"));
    jsonw_put_object(&w, STR("_meta"));
    jsonw_put_value(&w, STR(MCP_META "subscriptionId"), r->id);
    jsonw_end(&w);
    jsonw_put_object(&w, STR("notifications"));
    for (size_t i = 0; i < COUNT_OF(filters); i++)
        jsonw_put_true(&w, str_c(filters[i].key), wants[filters[i].what]);
    if (uris != NULL)
        jsonw_put_value(&w, STR("resourceSubscriptions"), uris);
    jsonw_end(&w);
    jsonw_end(&w);
    jsonw_end(&w);
    return sbuf_str(&out);
}

/*
 * Acknowledged and registered in one step, so that no change is missed after the
 * acknowledgement and none is sent before it.
 */
enum mcp_outcome mcp_listen(struct mcp_request *r, struct jsonw *w)
{
    bool wants[3] = {false};
    const struct json *uris;
    struct mcp_hub *hub = &r->server->hub;
    if (!read_filter(r, wants, &uris))
        return MCP_FAILED;
    str acknowledged = acknowledgement(r, wants, uris);
    bool nothing = !wants[0] && !wants[1] && !wants[2] && (uris == NULL || uris->n == 0);
    if (nothing) { /* there is nothing to wait for: end the stream */
        r->sink->send(r->sink, acknowledged);
        const struct mcp_config *c = &r->server->config;
        mcp_answer(r, hub_closing_result(&r->arena, r->id, c->name, c->version));
        return MCP_TAKEN;
    }
    if (!hub_listen(hub, r, wants, uris, acknowledged))
        return mcp_failed(r, RPC_INTERNAL_ERROR, "at most %d listen streams",
                          HUB_STREAMS_MAX);
    mcp_release(r);
    return MCP_TAKEN;
}
