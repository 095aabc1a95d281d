#include "mcp/call_running.h"

#include "base/encode.h"
#include "base/utf8.h"
#include "mcp/client.h"
#include "mcp/core.h"
#include "mcp/form.h"
#include "mcp/hub.h"
#include "mcp/jsonrpc.h"
#include "mcp/template.h"

enum { SUGGESTIONS_MAX = 100 };

static struct mcp_running_call *running(struct mcp_call *call)
{
    return (struct mcp_running_call *)call;
}

static const struct mcp_running_call *running_const(const struct mcp_call *call)
{
    return (const struct mcp_running_call *)call;
}

void mcp_call_init(struct mcp_running_call *c, struct mcp_request *r,
                   enum mcp_call_kind kind, struct jsonw *w)
{
    *c = (struct mcp_running_call){.request = r, .kind = kind, .w = w};
    c->open.arena = &r->arena;
    c->open.app = r->server->config.app;
    c->open.caller = &r->caller;
    c->out_buf = SBUF_ON(&r->arena);
    c->out_w = JSONW_ON(&c->out_buf);
    c->open.out = &c->out_w;
}

bool mcp_call_read(struct mcp_running_call *c, const struct mcp_form *form,
                   const struct json *arguments, bool strict, struct err *err)
{
    struct mcp_form_values values;
    bool ok = mcp_form_read(form, c->open.arena, arguments, strict, &values, err);
    c->open.args = values.own;
    c->open.common = values.common;
    c->open.why = values.why;
    return ok;
}

/* --- content blocks --- */

/* A block is an element of a tool's result; in a prompt it is the content of a
 * message. */
static struct jsonw *begin_block(struct mcp_call *call, str type)
{
    struct mcp_running_call *c = running(call);
    if (c->kind == MCP_CALL_PROMPT) {
        jsonw_object(c->w);
        jsonw_put_str(c->w, STR("role"), STR("user"));
        jsonw_put_object(c->w, STR("content"));
    } else {
        jsonw_object(c->w);
    }
    jsonw_put_str(c->w, STR("type"), type);
    return c->w;
}

static void end_block(struct mcp_call *call)
{
    struct mcp_running_call *c = running(call);
    jsonw_end(c->w);
    if (c->kind == MCP_CALL_PROMPT)
        jsonw_end(c->w);
}

void mcp_text(struct mcp_call *call, str text)
{
    struct jsonw *w = begin_block(call, STR("text"));
    jsonw_put_str(w, STR("text"), text);
    end_block(call);
}

static void media(struct mcp_call *call, str type, str bytes, str mime)
{
    struct jsonw *w = begin_block(call, type);
    jsonw_put_str(w, STR("data"), encode_base64(call->arena, bytes));
    jsonw_put_str(w, STR("mimeType"), mime);
    end_block(call);
}

void mcp_image(struct mcp_call *call, str bytes, str mime)
{
    media(call, STR("image"), bytes, mime);
}

void mcp_audio(struct mcp_call *call, str bytes, str mime)
{
    if (running(call)->request->client.revision < MCP_2025_03_26)
        mcp_text(call, arena_printf(call->arena, "[audio, " STR_FMT ", %zu bytes]",
                                    STR_ARG(mime), bytes.n));
    else
        media(call, STR("audio"), bytes, mime);
}

static void contents(struct mcp_call *call, str uri, str mime, str member, str value)
{
    struct mcp_running_call *c = running(call);
    if (c->kind == MCP_CALL_RESOURCE) {
        jsonw_object(c->w);
    } else {
        begin_block(call, STR("resource"));
        jsonw_put_object(c->w, STR("resource"));
    }
    jsonw_put_str(c->w, STR("uri"), uri);
    jsonw_put_str(c->w, STR("mimeType"), mime);
    jsonw_put_str(c->w, member, value);
    if (c->kind == MCP_CALL_RESOURCE && c->ui_meta != NULL) {
        jsonw_put_object(c->w, STR("_meta"));
        jsonw_put_value(c->w, STR("ui"), c->ui_meta);
        jsonw_end(c->w);
    }
    jsonw_end(c->w);
    if (c->kind != MCP_CALL_RESOURCE)
        end_block(call);
}

void mcp_resource_text(struct mcp_call *call, str uri, str mime, str text)
{
    contents(call, uri, mime, STR("text"), text);
}

void mcp_resource_blob(struct mcp_call *call, str uri, str mime, str bytes)
{
    contents(call, uri, mime, STR("blob"), encode_base64(call->arena, bytes));
}

void mcp_link(struct mcp_call *call, str uri, str name, str mime)
{
    if (running(call)->request->client.revision < MCP_2025_06_18) {
        mcp_text(call, arena_printf(call->arena, STR_FMT " (" STR_FMT ")", STR_ARG(name),
                                    STR_ARG(uri)));
        return;
    }
    struct jsonw *w = begin_block(call, STR("resource_link"));
    jsonw_put_str(w, STR("uri"), uri);
    jsonw_put_str(w, STR("name"), name);
    jsonw_put_text(w, STR("mimeType"), mime);
    end_block(call);
}

/* --- lists and completion --- */

str mcp_variable(const struct mcp_call *call, str name)
{
    const struct mcp_running_call *c = running_const(call);
    for (size_t i = 0; i < MCP_VARIABLES_MAX; i++)
        if (str_eq(mcp_template_variable(c->pattern, i), name))
            return c->variables[i];
    return (str){0};
}

void mcp_suggest(struct mcp_call *call, str value)
{
    struct mcp_running_call *c = running(call);
    if (c->n++ < SUGGESTIONS_MAX)
        jsonw_str(c->w, value);
}

void mcp_list(struct mcp_call *call, const struct mcp_listed *item)
{
    struct jsonw *w = running(call)->w;
    jsonw_object(w);
    jsonw_put_str(w, STR("uri"), item->uri);
    jsonw_put_str(w, STR("name"), item->name);
    jsonw_put_text(w, STR("title"), item->title);
    jsonw_put_text(w, STR("description"), item->about);
    jsonw_put_text(w, STR("mimeType"), item->mime);
    if (item->size >= 0)
        jsonw_put_int(w, STR("size"), item->size);
    if (item->last_modified.n > 0) {
        jsonw_put_object(w, STR("annotations"));
        jsonw_put_str(w, STR("lastModified"), item->last_modified);
        jsonw_end(w);
    }
    jsonw_end(w);
}

void mcp_list_more(struct mcp_call *call, str cursor)
{
    running(call)->cursor = cursor;
}

/* --- while it runs --- */

str mcp_arguments(const struct mcp_call *call)
{
    const struct json *arguments =
        json_get(running_const(call)->request->params, STR("arguments"));
    return arguments != NULL ? arguments->raw : (str){0};
}

str mcp_client_label(const struct mcp_call *call)
{
    return str_c(running_const(call)->request->client.label);
}

enum mcp_revision mcp_client_revision(const struct mcp_call *call)
{
    return running_const(call)->request->client.revision;
}

bool mcp_cancelled(const struct mcp_call *call)
{
    return atomic_load(&running_const(call)->request->cancelled);
}

static void send(struct mcp_request *r, struct sbuf *out, struct jsonw *w)
{
    jsonw_end(w);
    jsonw_end(w);
    r->sink->send(r->sink, sbuf_str(out));
}

/* What clients see must increase: a lower number begins a phase, which is added to those before. */
static bool progress_goes_on(struct mcp_request *r, double progress)
{
    double before = r->progress;
    if (r->progresses && progress < before)
        r->progress_base += before;
    bool goes_on =
        !r->progresses || (progress < before ? progress > 0 : progress > before);
    r->progresses = true;
    r->progress = progress;
    return goes_on;
}

void mcp_progress(struct mcp_call *call, double progress, double total, str message)
{
    struct mcp_request *r = running(call)->request;
    const struct json *token =
        json_get(json_get(r->params, STR("_meta")), STR("progressToken"));
    if ((!json_is(token, JSON_STRING) && !json_is(token, JSON_NUMBER)) ||
        mcp_cancelled(call))
        return;
    if (!progress_goes_on(r, progress))
        return;
    struct sbuf out = SBUF_ON(call->arena);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_call(&w, (str){0}, STR("notifications/progress"));
    jsonw_put_value(&w, STR("progressToken"), token);
    jsonw_key(&w, STR("progress"));
    jsonw_num(&w, r->progress_base + progress);
    if (total > 0) {
        jsonw_key(&w, STR("total"));
        jsonw_num(&w, r->progress_base + total);
    }
    if (message.n > 0 && r->client.revision >= MCP_2025_03_26)
        jsonw_put_str(&w, STR("message"), message);
    send(r, &out, &w);
}

void mcp_log(struct mcp_call *call, enum mcp_log_level level, str logger, str text)
{
    struct mcp_request *r = running(call)->request;
    enum mcp_log_level least = mcp_is_modern(r->client.revision)
                                   ? r->client.log_level
                                   : hub_level(&r->server->hub, r->scope);
    if (level < least || !r->server->config.logging || mcp_cancelled(call))
        return;
    struct sbuf out = SBUF_ON(call->arena);
    struct jsonw w = JSONW_ON(&out);
    rpc_begin_call(&w, (str){0}, STR("notifications/message"));
    jsonw_put_str(&w, STR("level"), mcp_log_level_name(level));
    jsonw_put_text(&w, STR("logger"), logger);
    jsonw_put_str(&w, STR("data"), text);
    send(r, &out, &w);
}

bool mcp_can(const struct mcp_call *call, enum mcp_can can)
{
    return (running_const(call)->request->client.can & can) != 0;
}

str mcp_session(const struct mcp_call *call)
{
    return running_const(call)->request->scope;
}

void mcp_error(struct mcp_call *call, int code, str message, str data)
{
    struct rpc_error *e = &running(call)->request->error;
    rpc_fail(e, code, STR_FMT, STR_ARG(utf8_cut(message, sizeof(e->message) - 1)));
    e->data = data;
}

void mcp_lacks(struct mcp_request *r, enum mcp_can can)
{
    bool modern = mcp_is_modern(r->client.revision);
    mcp_failed(r, modern ? MCP_MISSING_CAPABILITY : RPC_INVALID_REQUEST,
               "Missing required client capability");
    r->error.data = arena_printf(&r->arena, "{\"requiredCapabilities\":%s}",
                                 mcp_capability_json(can));
}
