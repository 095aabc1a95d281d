#include "mcp/tool.h"

#include "base/utf8.h"
#include "mcp/call.h"
#include "mcp/call_running.h"
#include "mcp/core.h"

static size_t tool_index(const struct mcp_server *s, str name)
{
    for (size_t i = 0; i < s->n_tools; i++)
        if (str_eq(name, s->tool_names[i]))
            return i;
    return STR_NONE;
}

const struct mcp_tool *mcp_find_tool(const struct mcp_server *s, str name)
{
    size_t i = tool_index(s, name);
    return i != STR_NONE ? s->config.tools[i] : NULL;
}

bool mcp_server_offers(const struct mcp_server *s, const struct mcp_caller *caller,
                       const struct mcp_tool *t)
{
    return s->config.offers == NULL || s->config.offers(s->config.app, caller, t);
}

static bool is_offered(const struct mcp_request *r, const struct mcp_tool *t)
{
    return mcp_server_offers(r->server, &r->caller, t);
}

str mcp_words(struct mcp_request *r, str text)
{
    const struct mcp_config *c = &r->server->config;
    return c->words != NULL && text.n > 0 ? c->words(c->app, &r->arena, &r->caller, text)
                                          : text;
}

/* The tool of that name, if it is offered to the caller. */
static const struct mcp_tool *find_offered(const struct mcp_request *r, str name)
{
    const struct mcp_tool *t = mcp_find_tool(r->server, name);
    return t != NULL && is_offered(r, t) ? t : NULL;
}

bool mcp_tool_is_withheld(const struct mcp_request *r, str name)
{
    const struct mcp_config *c = &r->server->config;
    const struct mcp_tool *t = mcp_find_tool(r->server, name);
    const struct mcp_caller anybody = {0};
    return t != NULL && c->offers != NULL && !c->offers(c->app, &r->caller, t) &&
           c->offers(c->app, &anybody, t) &&
           (c->withholds == NULL || c->withholds(c->app, &r->caller, t));
}

/* --- tools/list --- */

/* The title is here only for clients that do not support the tool's title. */
static void put_annotations(struct jsonw *w, const struct mcp_tool *t, bool titled)
{
    jsonw_put_object(w, STR("annotations"));
    if (t->title != NULL && !titled)
        jsonw_put_str(w, STR("title"), str_c(t->title));
    jsonw_put_bool(w, STR("readOnlyHint"), (t->flags & MCP_READ_ONLY) != 0);
    bool brief = (t->flags & (MCP_READ_ONLY | MCP_OWN_FIELDS)) == MCP_READ_ONLY;
    if (!brief) { /* these two mean nothing for a tool that only reads */
        jsonw_put_bool(w, STR("destructiveHint"), (t->flags & MCP_DESTRUCTIVE) != 0);
        bool idempotent = (t->flags & (MCP_IDEMPOTENT | MCP_READ_ONLY)) != 0;
        if (idempotent || (t->flags & MCP_OWN_FIELDS) != 0) /* the default is false */
            jsonw_put_bool(w, STR("idempotentHint"), idempotent);
    }
    jsonw_put_bool(w, STR("openWorldHint"), (t->flags & MCP_OPEN_WORLD) != 0);
    jsonw_end(w);
}

/* The flat key is for hosts from before the MCP Apps specification was final. */
static void put_ui(struct jsonw *w, const struct mcp_tool *t)
{
    jsonw_put_object(w, STR("_meta"));
    jsonw_put_object(w, STR("ui"));
    jsonw_put_str(w, STR("resourceUri"), str_c(t->ui));
    jsonw_end(w);
    jsonw_put_str(w, STR("ui/resourceUri"), str_c(t->ui));
    jsonw_end(w);
}

/* Whether a description in a schema says something else to the caller. */
static bool schema_differs(struct mcp_request *r, const struct json *j)
{
    bool differs = false;
    if (!json_is(j, JSON_OBJECT) || r->server->config.words == NULL)
        return false;
    for (const struct json *m = j->child; m != NULL && !differs; m = m->next)
        differs = str_eq(m->key, STR("description")) && json_is(m, JSON_STRING)
                      ? mcp_words(r, m->text).p != m->text.p
                      : schema_differs(r, m);
    return differs;
}

/* A schema, with what its descriptions say to the caller; unchanged if that is all of it. */
static void put_schema(struct jsonw *w, struct mcp_request *r, str key,
                       const struct json *j)
{
    if (!schema_differs(r, j)) {
        jsonw_put_value(w, key, j);
        return;
    }
    jsonw_put_object(w, key);
    for (const struct json *m = j->child; m != NULL; m = m->next)
        if (str_eq(m->key, STR("description")) && json_is(m, JSON_STRING))
            jsonw_put_text(w, m->key, mcp_words(r, m->text));
        else
            put_schema(w, r, m->key, m);
    jsonw_end(w);
}

static void put_tool(struct jsonw *w, struct mcp_request *r, size_t i)
{
    const struct mcp_tool *t = r->server->config.tools[i];
    bool titled = r->client.revision >= MCP_2025_06_18;
    jsonw_object(w);
    jsonw_put_str(w, STR("name"), str_c(t->name));
    if (t->title != NULL && titled)
        jsonw_put_str(w, STR("title"), str_c(t->title));
    jsonw_put_str(w, STR("description"), mcp_words(r, str_c(t->about)));
    put_schema(w, r, STR("inputSchema"), r->server->input_schemas[i]);
    if (r->server->output_schemas[i] != NULL && r->client.revision >= MCP_2025_06_18)
        jsonw_put_value(w, STR("outputSchema"), r->server->output_schemas[i]);
    if (r->client.revision >= MCP_2025_03_26)
        put_annotations(w, t, titled);
    if (t->ui != NULL)
        put_ui(w, t);
    jsonw_end(w);
}

enum mcp_outcome mcp_tools_list(struct mcp_request *r, struct jsonw *w)
{
    size_t *offered = ARENA_ARRAY(&r->arena, size_t, r->server->n_tools), n = 0;
    struct mcp_page page;
    for (size_t i = 0; i < r->server->n_tools; i++)
        if (is_offered(r, r->server->config.tools[i]))
            offered[n++] = i;
    if (!mcp_page_read(r, n, &page))
        return MCP_FAILED;
    jsonw_put_array(w, STR("tools"));
    for (size_t i = page.from; i < page.to; i++)
        put_tool(w, r, offered[i]);
    jsonw_end(w);
    mcp_page_cursor(w, n, &page);
    return MCP_DONE;
}

/* --- tools/call --- */

static const char *error_name(const struct err *err)
{
    static const char *const names[] = {
        [ERR_NONE] = "INTERNAL_ERROR",     [ERR_INVALID] = "INVALID_ARGUMENT",
        [ERR_NOT_FOUND] = "NOT_FOUND",     [ERR_EXISTS] = "ALREADY_EXISTS",
        [ERR_CONFLICT] = "CONFLICT",       [ERR_DENIED] = "NOT_ALLOWED",
        [ERR_LIMIT] = "LIMIT_EXCEEDED",    [ERR_BUSY] = "BUSY",
        [ERR_INTERNAL] = "INTERNAL_ERROR",
    };
    return err->name != E_NONE ? err_name_text(err->name) : names[err->code];
}

static void put_text(struct jsonw *w, str text)
{
    jsonw_object(w);
    jsonw_put_str(w, STR("type"), STR("text"));
    jsonw_put_str(w, STR("text"), text);
    jsonw_end(w);
}

/*
 * {"error":{"code":…,"message":…}}, as text for the model and as structured content for
 * programs; not as structured content if an output schema promises other data, which
 * clients check.
 */
static void put_error(struct mcp_request *r, const struct mcp_tool *t, struct jsonw *w,
                      const struct err *err, str message, str aside)
{
    struct sbuf out = SBUF_ON(&r->arena);
    struct jsonw e = JSONW_ON(&out);
    bool plain = (t->flags & MCP_PLAIN_ERRORS) != 0 ||
                 (r->server->config.plain_errors && !(t->flags & MCP_OWN_FIELDS));
    jsonw_object(&e);
    jsonw_put_object(&e, STR("error"));
    jsonw_put_str(&e, STR("code"), str_c(error_name(err)));
    jsonw_put_str(&e, STR("message"), message);
    jsonw_end(&e);
    jsonw_end(&e);

    jsonw_put_array(w, STR("content"));
    put_text(w, plain ? message : sbuf_str(&out));
    if (aside.n > 0)
        put_text(w, aside);
    jsonw_end(w);
    if (r->client.revision >= MCP_2025_06_18 && t->output_schema == NULL && !plain)
        jsonw_put_written(w, STR("structuredContent"), &e);
    jsonw_put_bool(w, STR("isError"), true);
}

/* Unless the app must wait for something first. */
static bool run_prepared(const struct mcp_tool *t, struct mcp_running_call *c,
                         struct err *err)
{
    const struct mcp_config *config = &c->request->server->config;
    if (config->before != NULL && !config->before(&c->open, err))
        return false;
    return c->request->wait_ms > 0 || t->run(&c->open, err);
}

static bool run_tool(size_t i, struct mcp_running_call *c, struct err *err)
{
    const struct mcp_server *s = c->request->server;
    const struct mcp_tool *t = s->config.tools[i];
    const struct json *arguments = json_get(c->request->params, STR("arguments"));
    if (t->input_schema != NULL) {
        c->open.args = arguments;
        return run_prepared(t, c, err);
    }
    bool strict = (t->flags & MCP_READ_ONLY) == 0 || (t->flags & MCP_EXACT) != 0;
    return mcp_call_read(c, &s->tool_forms[i], arguments, strict, err) &&
           run_prepared(t, c, err);
}

static void put_structured(struct mcp_running_call *c, const struct mcp_tool *t,
                           struct jsonw *w)
{
    bool wanted = t->output_schema != NULL || (t->flags & MCP_STRUCTURED) != 0 ||
                  c->open.structured;
    if (c->out_buf.n > 0 && wanted && c->request->client.revision >= MCP_2025_06_18)
        jsonw_put_written(w, STR("structuredContent"), &c->out_w);
}

static void tool_put_text(struct mcp_running_call *c)
{
    if (c->open.text.p != NULL)
        mcp_text(&c->open, c->open.text);
    else if (c->out_buf.n > 0)
        mcp_text(&c->open, sbuf_str(&c->out_buf));
    if (c->open.aside.n > 0)
        mcp_text(&c->open, c->open.aside);
}

static enum mcp_outcome tool_failed(struct mcp_running_call *c, const struct mcp_tool *t,
                                    struct jsonw *w, const struct err *err)
{
    struct mcp_request *r = c->request;
    str hint = mcp_words(r, str_c(err->hint != NULL ? err->hint : ""));
    struct err said = *err;
    said.hint = hint.n > 0 ? arena_str(&r->arena, hint).p : NULL;
    str message = c->open.why.n > 0 ? c->open.why : err_text(&r->arena, &said);
    r->tool_error = *err;
    if (t->failed != NULL)
        t->failed(&c->open, err, message);
    if (r->error.code != 0)
        return MCP_FAILED;
    if (r->server->config.after_failure != NULL)
        r->server->config.after_failure(&c->open);
    put_error(r, t, w, err, message, c->open.aside);
    return MCP_DONE;
}

enum mcp_outcome mcp_tools_call(struct mcp_request *r, struct jsonw *w)
{
    str name;
    if (!json_str(json_get(r->params, STR("name")), &name))
        return mcp_failed(r, RPC_INVALID_PARAMS, "tools/call needs name (a string)");
    size_t i = tool_index(r->server, name);
    if (i == STR_NONE || !is_offered(r, r->server->config.tools[i]))
        return mcp_failed(r, RPC_INVALID_PARAMS, "Unknown tool: %.*s",
                          STR_ARG(utf8_cut(name, 100)));
    r->name = name;
    const struct mcp_tool *t = r->server->config.tools[i];
    const struct json *arguments = json_get(r->params, STR("arguments"));
    if (arguments != NULL && !json_is(arguments, JSON_OBJECT) &&
        !json_is(arguments, JSON_NULL))
        return mcp_failed(r, RPC_INVALID_PARAMS, "arguments must be an object");
    if ((t->flags & MCP_POLLED) && r->sink->detach != NULL)
        r->sink->detach(r->sink);

    struct jsonw before = *w;
    size_t mark = w->out->n;
    jsonw_put_array(w, STR("content"));
    struct mcp_running_call c;
    mcp_call_init(&c, r, MCP_CALL_TOOL, w);
    c.open.tool = t;
    struct err err = {0};
    r->error.code = 0;
    bool changes = (t->flags & MCP_READ_ONLY) == 0;
    bool ok = mcp_take_turn(r, changes, &err) && run_tool(i, &c, &err);
    if (r->error.code != 0)
        return MCP_FAILED;
    if (ok && r->asking)
        return MCP_ASKING;
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok) {
        w->out->n = mark;
        *w = before;
        return tool_failed(&c, t, w, &err);
    }
    if (r->server->config.after != NULL)
        r->server->config.after(&c.open, t);
    tool_put_text(&c);
    jsonw_end(w);
    put_structured(&c, t, w);
    return MCP_DONE;
}

bool mcp_tool_is_quick(const struct mcp_request *r)
{
    const struct mcp_tool *t = find_offered(r, json_get_str(r->params, STR("name")));
    return t == NULL || (t->flags & MCP_QUICK) != 0;
}

bool mcp_tool_is_brief(const struct mcp_request *r)
{
    const struct mcp_config *c = &r->server->config;
    const struct mcp_tool *t =
        mcp_find_tool(r->server, json_get_str(r->params, STR("name")));
    return t != NULL && (t->flags & MCP_BRIEF) != 0 && c->ready != NULL &&
           c->ready(c->app);
}
