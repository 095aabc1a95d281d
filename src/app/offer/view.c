#include "app/offer/view.h"

#include "app/kit/tool_kit.h"
#include "app/offer/view_html.h"
#include "app/tools/chatgpt.h"
#include "base/clock.h"
#include "base/encode.h"
#include "base/utf8.h"
#include "http/form.h"
#include "http/response.h"
#include "mcp/call.h"
#include "vault/ask/find.h"
#include "vault/ask/search.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"
#include "vault/vault.h"

/* --- the graph as data --- */

struct graph_view {
    const struct index *x;
    struct arena *a;
    struct jsonw *out;
    struct graph_near *nodes; /* the first is the centre */
    size_t n;
};

/* The note with the most links: the starting point if none is named. */
static const struct file *busiest(const struct index *x)
{
    const struct file *best = NULL, *f;
    size_t most = 0;
    struct arena scratch = {0};
    struct graph_edge *edges;
    for (size_t i = 0; (f = index_nth(x, i)) != NULL; i++) {
        arena_reset(&scratch);
        size_t n = graph_links(x->graph, &scratch, f->id, &edges) +
                   graph_backlinks(x->graph, &scratch, f->id, &edges);
        if (best == NULL || n > most) {
            best = f;
            most = n;
        }
    }
    arena_release(&scratch);
    return best;
}

static size_t place_of(const struct graph_view *v, file_id file)
{
    size_t i = 0;
    while (i < v->n && v->nodes[i].file != file)
        i++;
    return i;
}

static void put_node(struct graph_view *v, str path, uint32_t distance, bool missing)
{
    jsonw_object(v->out);
    jsonw_put_str(v->out, STR("path"), path);
    jsonw_put_str(v->out, STR("title"), file_title(path));
    jsonw_put_int(v->out, STR("distance"), distance);
    if (missing)
        jsonw_put_bool(v->out, STR("missing"), true);
    jsonw_end(v->out);
}

/* Notes that the centre links to and that do not exist yet. */
static size_t put_missing(struct graph_view *v)
{
    struct graph_edge *edges;
    size_t n = graph_links(v->x->graph, v->a, v->nodes[0].file, &edges), missing = 0;
    for (size_t i = 0; i < n && v->n + missing < VIEW_NODES_MAX; i++)
        if (edges[i].file == NO_FILE) {
            put_node(v, edges[i].path, 1, true);
            missing++;
        }
    return missing;
}

static void put_edge(struct graph_view *v, size_t from, size_t to)
{
    jsonw_array(v->out);
    jsonw_int(v->out, (int64_t)from);
    jsonw_int(v->out, (int64_t)to);
    jsonw_end(v->out);
}

static void put_edges(struct graph_view *v, size_t missing)
{
    size_t shown = 0;
    jsonw_put_array(v->out, STR("edges"));
    for (size_t i = 0; i < missing; i++)
        put_edge(v, 0, v->n + i);
    for (size_t i = 0; i < v->n; i++) {
        struct graph_edge *edges;
        size_t n = graph_links(v->x->graph, v->a, v->nodes[i].file, &edges);
        for (size_t k = 0; k < n && shown < VIEW_EDGES_MAX; k++) {
            size_t to = place_of(v, edges[k].file);
            if (to == i || to == v->n)
                continue;
            put_edge(v, i, to);
            shown++;
        }
    }
    jsonw_end(v->out);
}

static void put_graph(struct jsonw *out, struct arena *a, const struct app_vault *served,
                      const struct index *x, const struct file *f, uint32_t depth)
{
    struct graph_near *near;
    size_t n =
        graph_neighbours(x->graph, a, f->id, GRAPH_BOTH, depth, VIEW_NODES_MAX, &near);
    bool truncated = n == VIEW_NODES_MAX;
    struct graph_view v = {
        .x = x, .a = a, .out = out, .nodes = ARENA_ARRAY(a, struct graph_near, n + 1)};
    v.nodes[v.n++] = (struct graph_near){f->id, 0};
    for (size_t i = 0; i < n && v.n < VIEW_NODES_MAX; i++)
        v.nodes[v.n++] = near[i];
    jsonw_object(out);
    jsonw_put_str(out, STR("path"), f->path);
    jsonw_put_str(out, STR("title"), file_title(f->path));
    jsonw_put_str(out, STR("url"), chatgpt_url(a, served, f->path));
    jsonw_put_str(out, STR("text"), utf8_cut(f->text, VIEW_TEXT_MAX));
    jsonw_put_array(out, STR("nodes"));
    for (size_t i = 0; i < v.n; i++)
        put_node(&v, names_path(x->names, v.nodes[i].file), v.nodes[i].distance, false);
    size_t missing = put_missing(&v);
    jsonw_end(out);
    put_edges(&v, missing);
    jsonw_put_bool(out, STR("truncated"), truncated);
    jsonw_end(out);
}

/* An empty word means the busiest note. */
static bool find_middle(const struct index *x, struct arena *a, str word,
                        const struct file **out, struct err *err)
{
    if (word.n > 0)
        return find_file(x, a, word, out, err);
    *out = busiest(x);
    return *out != NULL || err_set(err, ERR_NOT_FOUND, "the vault is empty");
}

static uint32_t read_depth(str word)
{
    int64_t depth;
    bool good = str_to_int(word, &depth) && depth >= 1 && depth <= VIEW_DEPTH_MAX;
    return good ? (uint32_t)depth : 1;
}

/* --- for MCP clients --- */

static bool read_page(struct mcp_call *call, str uri, struct err *err)
{
    mcp_resource_text(call, uri, STR("text/html;profile=mcp-app"), str_c(VIEW_HTML));
    return true;
}

static bool read_graph(struct mcp_call *call, str uri, struct err *err)
{
    struct sbuf text = SBUF_ON(call->arena);
    struct jsonw out = JSONW_ON(&text);
    const struct file *f;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool found = find_middle(x, call->arena, mcp_variable(call, STR("path")), &f, err);
    if (found)
        put_graph(&out, call->arena, kit_served(call), x, f,
                  read_depth(mcp_variable(call, STR("depth"))));
    kit_let_go(call);
    if (found)
        mcp_resource_text(call, uri, STR("application/json"), sbuf_str(&text));
    return found;
}

const struct mcp_resource view_page = {
    .uri = KIT_VIEW_URI,
    .name = "view",
    .title = "Notes around a note",
    .mime = "text/html;profile=mcp-app",
    .quick = true,
    .hidden = true,
    .read = read_page,
    .ui_meta = "{\"csp\":{\"connectDomains\":[],\"resourceDomains\":[]},"
               "\"prefersBorder\":true}",
};

const struct mcp_resource view_graph = {
    .uri = "vault-graph://{depth}/{+path}",
    .name = "graph",
    .title = "Links around a note",
    .mime = "application/json",
    .hidden = true,
    .read = read_graph,
};

/* --- for browsers --- */

static void answer_json(struct http_response *out, int status, const struct sbuf *text)
{
    out->status = status;
    out->content_type = STR("application/json");
    out->body = sbuf_str(text);
    http_add_header(out, STR("Cache-Control"), STR("no-store"));
}

static void answer_error(struct arena *a, struct http_response *out,
                         const struct err *err)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("error"), str_c(err->msg));
    jsonw_end(&w);
    answer_json(out, err->code == ERR_NOT_FOUND ? 404 : 400, &text);
}

static bool search(struct app *app, struct arena *a, const struct index *x, str word,
                   struct jsonw *out, struct err *err)
{
    enum { DEADLINE_MS = 3000 };
    struct search s = {.mode = SEARCH_WORDS,
                       .query = word,
                       .limit = VIEW_FOUND_MAX,
                       .deadline_ns = clock_ns() + DEADLINE_MS * 1000000ULL,
                       .pool = app->indexing};
    struct search_result r;
    if (!search_run(x, a, &s, &r, err))
        return false;
    jsonw_object(out);
    jsonw_put_array(out, STR("results"));
    for (size_t i = 0; i < r.n; i++) {
        jsonw_object(out);
        jsonw_put_str(out, STR("path"), r.hits[i].file->path);
        jsonw_put_str(out, STR("title"), file_title(r.hits[i].file->path));
        jsonw_put_str(out, STR("snippet"), r.hits[i].snippet);
        jsonw_end(out);
    }
    jsonw_end(out);
    jsonw_end(out);
    return true;
}

static bool put_data(struct app *app, struct arena *a, const struct form *form,
                     struct jsonw *out, struct err *err)
{
    const struct app_vault *served = &app->vaults[0];
    const struct file *f;
    str find = form_get(form, STR("find"));
    if (!vault_wait(served->vault, NULL, NULL, err))
        return false;
    const struct index *x = vault_hold(served->vault);
    bool ok = find.n > 0 ? search(app, a, x, find, out, err)
                         : find_middle(x, a, form_get(form, STR("path")), &f, err);
    if (ok && find.n == 0)
        put_graph(out, a, served, x, f, read_depth(form_get(form, STR("depth"))));
    vault_let_go(served->vault);
    return ok;
}

/* Only the page's own script may run, and it may load only from this server. */
static str policy(struct arena *a)
{
    uint8_t hash[HASH_SIZE];
    str page = str_c(VIEW_HTML), begin = STR("<script>");
    size_t from = str_find(page, begin) + begin.n, to = str_find(page, STR("</script>"));
    hash_sha256(str_slice(page, from, to), hash);
    return arena_printf(
        a,
        "default-src 'none'; script-src 'sha256-" STR_FMT
        "'; style-src 'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'",
        STR_ARG(encode_base64(a, (str){(const char *)hash, sizeof(hash)})));
}

static void answer_page(struct arena *a, struct http_response *out)
{
    out->status = 200;
    out->content_type = STR("text/html; charset=utf-8");
    out->body = str_c(VIEW_HTML);
    http_add_header(out, STR("Cache-Control"), STR("no-store"));
    http_add_header(out, STR("Content-Security-Policy"), policy(a));
    http_add_header(out, STR("X-Frame-Options"), STR("DENY"));
    http_add_header(out, STR("Referrer-Policy"), STR("same-origin"));
}

void view_answer(struct app *app, struct arena *a, const struct http_request *r,
                 struct http_response *out)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    struct form form;
    struct err err = {0};
    if (str_eq(r->path, STR("/graph")))
        answer_page(a, out);
    else if (form_parse(a, r->query, STR(""), &form, &err) &&
             put_data(app, a, &form, &w, &err))
        answer_json(out, 200, &text);
    else
        answer_error(a, out, &err);
}
