#include "mcp/resource.h"

#include "base/encode.h"
#include "mcp/call_running.h"
#include "mcp/core.h"
#include "mcp/hub.h"
#include "mcp/peers.h"
#include "mcp/template.h"

static bool is_template(const struct mcp_resource *row)
{
    return strchr(row->uri, '{') != NULL;
}

/* --- lists --- */

static void resource_put_row(struct jsonw *w, const struct mcp_request *r,
                             const struct mcp_resource *row)
{
    jsonw_object(w);
    jsonw_put_str(w, is_template(row) ? STR("uriTemplate") : STR("uri"), str_c(row->uri));
    jsonw_put_str(w, STR("name"), str_c(row->name));
    if (row->title != NULL && r->client.revision >= MCP_2025_06_18)
        jsonw_put_str(w, STR("title"), str_c(row->title));
    jsonw_put_text(w, STR("description"), str_c(row->about));
    jsonw_put_text(w, STR("mimeType"), str_c(row->mime));
    jsonw_end(w);
}

/* The i-th listed row of one kind; NULL after the last. */
static const struct mcp_resource *listed_row(const struct mcp_server *s, bool templates,
                                             size_t i)
{
    for (size_t k = 0; k < s->n_resources; k++) {
        const struct mcp_resource *row = s->config.resources[k];
        if (!row->hidden && is_template(row) == templates && i-- == 0)
            return row;
    }
    return NULL;
}

static size_t count_rows(const struct mcp_server *s, bool templates)
{
    size_t n = 0;
    while (listed_row(s, templates, n) != NULL)
        n++;
    return n;
}

static void resource_put_rows(struct mcp_request *r, struct jsonw *w, bool templates,
                              size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        resource_put_row(w, r, listed_row(r->server, templates, i));
}

/* The i-th row that lists a family. */
static const struct mcp_resource *lister(const struct mcp_server *s, size_t i)
{
    for (size_t k = 0; k < s->n_resources; k++)
        if (s->config.resources[k]->list != NULL && i-- == 0)
            return s->config.resources[k];
    return NULL;
}

/*
 * The cursor is "<part>:<its own cursor>". Part 0 is the fixed rows, by number; the
 * others are the families, one after the other, each with its own pages.
 */
struct resource_place {
    int64_t part;
    str inner;
    int64_t row; /* in part 0 */
};

static bool resource_read_place(struct mcp_request *r, struct resource_place *at)
{
    *at = (struct resource_place){0};
    const struct json *j = json_get(r->params, STR("cursor"));
    str text, plain, head;
    if (j == NULL || (json_str(j, &text) && text.n == 0))
        return true;
    if (json_str(j, &text) && decode_base64url(&r->arena, text, &plain)) {
        at->inner = plain;
        bool numbered = str_next(&at->inner, ':', &head) && str_to_int(head, &at->part);
        if (numbered && at->part == 0 && str_to_int(at->inner, &at->row) && at->row > 0 &&
            (size_t)at->row < count_rows(r->server, false))
            return true;
        if (numbered && at->part > 0 && lister(r->server, (size_t)at->part - 1) != NULL)
            return true;
    }
    mcp_failed(r, RPC_INVALID_PARAMS,
               "Invalid cursor: use nextCursor of the previous page");
    return false;
}

static void resource_put_place(struct mcp_request *r, struct jsonw *w, int64_t part,
                               str inner)
{
    str plain = arena_printf(&r->arena, "%lld:" STR_FMT, (long long)part, STR_ARG(inner));
    jsonw_put_str(w, STR("nextCursor"), encode_base64url(&r->arena, plain));
}

/* Write a page of fixed rows; true if none are left. */
static bool put_row_page(struct mcp_request *r, struct jsonw *w, int64_t from, size_t *to)
{
    size_t n = count_rows(r->server, false);
    *to = (size_t)from + r->server->config.page_size;
    if (*to > n)
        *to = n;
    resource_put_rows(r, w, false, (size_t)from, *to);
    return *to == n;
}

enum mcp_outcome mcp_resources_list(struct mcp_request *r, struct jsonw *w)
{
    struct resource_place at;
    if (!resource_read_place(r, &at))
        return MCP_FAILED;
    jsonw_put_array(w, STR("resources"));
    size_t to = 0;
    if (at.part == 0 && !put_row_page(r, w, at.row, &to)) {
        jsonw_end(w);
        resource_put_place(r, w, 0, arena_printf(&r->arena, "%zu", to));
        return MCP_DONE;
    }
    size_t family = at.part > 0 ? (size_t)at.part - 1 : 0;
    const struct mcp_resource *row = lister(r->server, family);
    struct mcp_running_call c;
    mcp_call_init(&c, r, MCP_CALL_LIST, w);
    struct err err = {0};
    bool ok = row == NULL || row->list(&c.open, at.inner, &err);
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok)
        return mcp_failed(r, RPC_INVALID_PARAMS, "%s", err.msg);
    jsonw_end(w);
    if (c.cursor.n > 0)
        resource_put_place(r, w, (int64_t)family + 1, c.cursor);
    else if (row != NULL && lister(r->server, family + 1) != NULL)
        resource_put_place(r, w, (int64_t)family + 2, (str){0});
    return MCP_DONE;
}

enum mcp_outcome mcp_resources_templates(struct mcp_request *r, struct jsonw *w)
{
    size_t n = count_rows(r->server, true);
    struct mcp_page page;
    if (!mcp_page_read(r, n, &page))
        return MCP_FAILED;
    jsonw_put_array(w, STR("resourceTemplates"));
    resource_put_rows(r, w, true, page.from, page.to);
    jsonw_end(w);
    mcp_page_cursor(w, n, &page);
    return MCP_DONE;
}

/* --- resources/read --- */

static const struct mcp_resource *resource_find(struct mcp_request *r, str uri,
                                                size_t *index, str *values)
{
    struct mcp_server *s = r->server;
    for (size_t i = 0; i < s->n_resources; i++) {
        const struct mcp_resource *row = s->config.resources[i];
        *index = i;
        if (is_template(row) ? mcp_template_match(&r->arena, str_c(row->uri), uri, values)
                             : str_eq(uri, str_c(row->uri)))
            return row;
    }
    return NULL;
}

static enum mcp_outcome resource_not_found(struct mcp_request *r, str uri,
                                           const char *why)
{
    bool modern = mcp_is_modern(r->client.revision);
    mcp_failed(r, modern ? RPC_INVALID_PARAMS : MCP_RESOURCE_NOT_FOUND, "%s", why);
    struct sbuf data = SBUF_ON(&r->arena);
    struct jsonw w = JSONW_ON(&data);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("uri"), uri);
    jsonw_end(&w);
    r->error.data = sbuf_str(&data);
    return MCP_FAILED;
}

static enum mcp_outcome read_failed(struct mcp_request *r, str uri, const struct err *err)
{
    r->tool_error = *err;
    if (err->code == ERR_NOT_FOUND || err->code == ERR_DENIED)
        return resource_not_found(r, uri, err->msg);
    if (err->code == ERR_INTERNAL || err->code == ERR_BUSY)
        return mcp_failed(r, RPC_INTERNAL_ERROR, "%s", err->msg);
    return mcp_failed(r, RPC_INVALID_PARAMS, "%s", err->msg);
}

enum mcp_outcome mcp_resources_read(struct mcp_request *r, struct jsonw *w)
{
    str uri;
    if (!json_str(json_get(r->params, STR("uri")), &uri))
        return mcp_failed(r, RPC_INVALID_PARAMS, "resources/read needs uri (a string)");
    r->name = uri;
    struct mcp_running_call c;
    mcp_call_init(&c, r, MCP_CALL_RESOURCE, w);
    size_t index;
    const struct mcp_resource *row = resource_find(r, uri, &index, c.variables);
    if (row == NULL)
        return resource_not_found(r, uri, "Resource not found");
    c.pattern = str_c(row->uri);
    c.ui_meta = r->server->ui_metas[index];
    jsonw_put_array(w, STR("contents"));
    struct err err = {0};
    r->error.code = 0;
    bool ok = row->read(&c.open, uri, &err);
    if (r->error.code != 0)
        return MCP_FAILED;
    if (mcp_must_wait(r, ok, &err))
        return MCP_WAITING;
    if (!ok)
        return read_failed(r, uri, &err);
    if (r->asking)
        return MCP_ASKING;
    jsonw_end(w);
    return MCP_DONE;
}

bool mcp_resource_is_quick(const struct mcp_request *r)
{
    str uri = json_get_str(r->params, STR("uri"));
    for (size_t i = 0; i < r->server->n_resources; i++) {
        const struct mcp_resource *row = r->server->config.resources[i];
        if (str_eq(uri, str_c(row->uri)))
            return row->quick;
    }
    return false;
}

/* --- subscriptions --- */

static bool subscribed_uri(struct mcp_request *r, str *uri)
{
    if (json_str(json_get(r->params, STR("uri")), uri))
        return true;
    mcp_failed(r, RPC_INVALID_PARAMS, "uri is missing");
    return false;
}

/* With other processes, only the one that has the client's stream needs to know. */
static bool subscribe_here(struct mcp_request *r, str uri)
{
    struct mcp_hub *h = &r->server->hub;
    if (peers_exist(r->server) && !hub_is_streaming(h, r->scope))
        return uri.n <= HUB_URI_BYTES_MAX;
    hub_set_caller(h, r->scope, &r->caller);
    return hub_subscribe(h, r->scope, uri);
}

enum mcp_outcome mcp_resources_subscribe(struct mcp_request *r, struct jsonw *w)
{
    struct err err = {0};
    str uri;
    if (!subscribed_uri(r, &uri))
        return MCP_FAILED;
    if (!subscribe_here(r, uri) ||
        !peers_subscribe(r->server, r->principal, r->scope, uri, &err))
        return err.code == ERR_BUSY
                   ? mcp_failed(r, RPC_INTERNAL_ERROR, "%s: try again", err.msg)
                   : mcp_failed(
                         r, RPC_INVALID_PARAMS,
                         "at most %d subscriptions of %d bytes each, and %d in all "
                         "sessions",
                         HUB_URIS_MAX, HUB_URI_BYTES_MAX, HUB_URIS_OWNER);
    mcp_server_keep_memory(r->server);
    return MCP_DONE;
}

enum mcp_outcome mcp_resources_unsubscribe(struct mcp_request *r, struct jsonw *w)
{
    str uri;
    if (!subscribed_uri(r, &uri))
        return MCP_FAILED;
    hub_unsubscribe(&r->server->hub, r->scope, uri);
    peers_unsubscribe(r->server, r->principal, r->scope, uri);
    mcp_server_keep_memory(r->server);
    return MCP_DONE;
}
