#include "app/catalog/view.h"

#include "app/catalog/view_html.h"
#include "app/setup/app.h"
#include "app/setup/callers.h"
#include "app/setup/page_vault.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/chatgpt.h"
#include "base/array.h"
#include "base/encode.h"
#include "base/sort.h"
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
#include "vault/index/tags.h"
#include "vault/vault.h"

/* --- the graph as data --- */

/* What is asked for. */
struct view_request {
    str path;       /* of the note in the centre; empty: the one with the most links */
    uint32_t depth; /* 0: the whole vault */
    str find;       /* words to search for instead; or empty */
    str notice;     /* what the page says about the answer; or empty */
};

struct graph_view {
    const struct index *x;
    struct arena *a;
    struct jsonw *out;
    struct graph_near *nodes;
    size_t n, nodes_max, edges_max;
    uint32_t *places; /* of files in nodes, from 1; by id */
    bool truncated;
};

struct view_ranked {
    const struct file *file;
    size_t links;
};

/* Most links first, then by path. */
static int view_compare(const void *a, const void *b)
{
    const struct view_ranked *left = a, *right = b;
    if (left->links != right->links)
        return left->links > right->links ? -1 : 1;
    return str_cmp(left->file->path, right->file->path);
}

static size_t view_links(const struct index *x, struct arena *scratch, file_id file)
{
    struct graph_edge *edges;
    arena_reset(scratch);
    return graph_links(x->graph, scratch, file, &edges) +
           graph_backlinks(x->graph, scratch, file, &edges);
}

/* The note with the most links: the starting point if none is named. */
static const struct file *busiest(const struct index *x)
{
    const struct file *best = NULL, *f;
    size_t most = 0;
    struct arena scratch = {0};
    for (size_t i = 0; (f = index_nth(x, i)) != NULL; i++) {
        size_t n = view_links(x, &scratch, f->id);
        if (best == NULL || n > most) {
            best = f;
            most = n;
        }
    }
    arena_release(&scratch);
    return best;
}

static void add_node(struct graph_view *v, file_id file, uint32_t distance)
{
    if (v->places[file] > 0)
        return;
    if (v->n == v->nodes_max) {
        v->truncated = true;
        return;
    }
    v->nodes[v->n++] = (struct graph_near){file, distance};
    v->places[file] = (uint32_t)v->n;
}

/* All notes and canvases, or those with the most links. Attachments are left out. */
static void add_whole(struct graph_view *v)
{
    const struct index *x = v->x;
    const struct file *f;
    struct view_ranked *all = ARENA_ARRAY(v->a, struct view_ranked, x->count);
    struct arena scratch = {0};
    size_t n = 0;
    for (size_t i = 0; (f = index_nth(x, i)) != NULL; i++)
        if (!f->excluded && (f->kind == FILE_NOTE || f->kind == FILE_CANVAS))
            all[n++] = (struct view_ranked){f, view_links(x, &scratch, f->id)};
    arena_release(&scratch);
    if (n > 0)
        sort_items(all, n, sizeof(*all), view_compare);
    for (size_t i = 0; i < n && !v->truncated; i++)
        add_node(v, all[i].file->id, 0);
}

static void add_near(struct graph_view *v, file_id centre, uint32_t depth)
{
    struct graph_near *near;
    size_t n = graph_neighbours(v->x->graph, v->a, centre, GRAPH_BOTH, depth,
                                VIEW_NODES_MAX, &near);
    for (size_t i = 0; i < n; i++)
        add_node(v, near[i].file, near[i].distance);
}

static void put_node(struct graph_view *v, str path, uint32_t distance, bool missing)
{
    jsonw_object(v->out);
    jsonw_put_str(v->out, STR("path"), path);
    jsonw_put_str(v->out, STR("title"), file_title(path));
    if (distance > 0)
        jsonw_put_int(v->out, STR("distance"), distance);
    jsonw_put_true(v->out, STR("missing"), missing);
    jsonw_end(v->out);
}

/* Notes that the centre links to and that do not exist yet. */
static size_t put_missing(struct graph_view *v, const struct file *centre)
{
    struct graph_edge *edges;
    size_t missing = 0;
    size_t n = centre ? graph_links(v->x->graph, v->a, centre->id, &edges) : 0;
    for (size_t i = 0; i < n && v->n + missing < v->nodes_max; i++)
        if (edges[i].file == NO_FILE) {
            put_node(v, index_spelling(v->x, v->a, centre->id, edges[i].path), 1, true);
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
        for (size_t k = 0; k < n && shown < v->edges_max; k++) {
            uint32_t place = edges[k].file != NO_FILE ? v->places[edges[k].file] : 0;
            if (place == 0 || place == i + 1)
                continue;
            put_edge(v, i, place - 1);
            shown++;
        }
    }
    jsonw_end(v->out);
}

struct view_folder {
    str name;
    size_t notes;
};

/* Most notes first, then by name. */
static int view_compare_folders(const void *a, const void *b)
{
    const struct view_folder *left = a, *right = b;
    if (left->notes != right->notes)
        return left->notes > right->notes ? -1 : 1;
    return str_cmp(left->name, right->name);
}

/* The largest top folders of the whole vault, whatever is shown of it, so that each keeps its
 * colour. Files by path come one folder after the other. */
static void view_put_folders(struct graph_view *v)
{
    struct view_folder *all = NULL;
    size_t n = 0, slash, at = 0;
    const struct file *f;
    while ((f = index_next_by_path(v->x, &at, NULL)) != NULL) {
        if (f->excluded || f->kind != FILE_NOTE ||
            (slash = str_find_char(f->path, '/')) == STR_NONE)
            continue;
        str name = str_slice(f->path, 0, slash);
        if (n == 0 || !str_eq(all[n - 1].name, name))
            *ARRAY_ADD(v->a, all, n) = (struct view_folder){name, 0};
        all[n - 1].notes++;
    }
    if (n > 0)
        sort_items(all, n, sizeof(*all), view_compare_folders);
    jsonw_put_array(v->out, STR("folders"));
    for (size_t i = 0; i < n && i < VIEW_FOLDERS; i++)
        jsonw_str(v->out, all[i].name);
    jsonw_end(v->out);
}

struct view_tag {
    struct tag tag;
    size_t nodes; /* that are shown and have it */
};

/* Most notes first, then by name. */
static int view_compare_tags(const void *a, const void *b)
{
    const struct view_tag *left = a, *right = b;
    if (left->nodes != right->nodes)
        return left->nodes > right->nodes ? -1 : 1;
    return str_cmp(left->tag.name, right->tag.name);
}

static size_t view_count_tag(const struct graph_view *v, const struct tag *t)
{
    size_t n = 0;
    for (size_t i = 0; i < t->all; i++)
        n += v->places[t->files[i]] > 0;
    return n;
}

/* [["area/garden",[0,3,7]],…]: the places of the nodes that have each. */
static void view_put_tags(struct graph_view *v)
{
    size_t n = 0, all = tags_count(v->x->tags);
    struct view_tag *tags = ARENA_ARRAY(v->a, struct view_tag, all);
    for (size_t i = 0; i < all; i++) {
        struct tag t = tags_at(v->x->tags, i);
        size_t nodes = view_count_tag(v, &t);
        if (nodes > 0)
            tags[n++] = (struct view_tag){t, nodes};
    }
    if (n > 0)
        sort_items(tags, n, sizeof(*tags), view_compare_tags);
    jsonw_put_array(v->out, STR("tags"));
    for (size_t i = 0; i < n && i < VIEW_TAGS; i++) {
        jsonw_array(v->out);
        jsonw_str(v->out, tags[i].tag.name);
        jsonw_array(v->out);
        for (size_t k = 0; k < tags[i].tag.all; k++)
            if (v->places[tags[i].tag.files[k]] > 0)
                jsonw_int(v->out, (int64_t)v->places[tags[i].tag.files[k]] - 1);
        jsonw_end(v->out);
        jsonw_end(v->out);
    }
    jsonw_end(v->out);
}

/* Who is in the centre; NULL: the whole vault without a centre. */
static void put_centre(struct graph_view *v, const struct app_vault *served,
                       const struct file *f)
{
    jsonw_put_str(v->out, STR("title"), f != NULL ? file_title(f->path) : served->name);
    if (f == NULL)
        return;
    jsonw_put_str(v->out, STR("path"), f->path);
    jsonw_put_str(v->out, STR("url"), chatgpt_url(v->a, served, f->path));
    jsonw_put_str(v->out, STR("text"), utf8_cut(f->text, VIEW_TEXT_MAX));
}

static void put_notice(struct jsonw *out, const struct view_request *request)
{
    if (request->notice.n > 0)
        jsonw_put_str(out, STR("notice"), request->notice);
}

static void put_graph(struct jsonw *out, struct arena *a, const struct app_vault *served,
                      const struct index *x, const struct file *f,
                      const struct view_request *request)
{
    uint32_t depth = request->depth;
    bool whole = depth == 0;
    struct graph_view v = {
        .x = x,
        .a = a,
        .out = out,
        .nodes_max = whole ? VIEW_WHOLE_NODES_MAX : VIEW_NODES_MAX,
        .edges_max = whole ? VIEW_WHOLE_EDGES_MAX : VIEW_EDGES_MAX,
        .places = ARENA_ARRAY(a, uint32_t, x->n),
    };
    v.nodes = ARENA_ARRAY(a, struct graph_near, v.nodes_max);
    if (f != NULL)
        add_node(&v, f->id, 0);
    if (whole)
        add_whole(&v);
    else
        add_near(&v, f->id, depth);
    jsonw_object(out);
    put_centre(&v, served, f);
    view_put_folders(&v);
    view_put_tags(&v);
    jsonw_put_array(out, STR("nodes"));
    for (size_t i = 0; i < v.n; i++)
        put_node(&v, names_path(x->names, v.nodes[i].file), v.nodes[i].distance, false);
    size_t missing = put_missing(&v, f);
    jsonw_end(out);
    put_edges(&v, missing);
    jsonw_put_bool(out, STR("truncated"), v.truncated);
    put_notice(out, request);
    jsonw_end(out);
}

/* The whole vault needs no centre: then *out is NULL. */
static bool find_middle(const struct index *x, struct arena *a,
                        const struct view_request *request, const struct file **out,
                        struct err *err)
{
    *out = NULL;
    if (request->path.n > 0)
        return find_file(x, a, request->path, out, err);
    if (request->depth > 0)
        *out = busiest(x);
    return x->count > 0 || err_set(err, ERR_NOT_FOUND, "the vault is empty");
}

static uint32_t read_depth(str word)
{
    int64_t depth;
    bool good = str_to_int(word, &depth) && depth >= 1 && depth <= VIEW_DEPTH_MAX;
    return str_eq(word, STR("all")) ? 0 : good ? (uint32_t)depth : 1;
}

static bool put_found(const struct app *app, struct arena *a, const struct index *x,
                      const struct view_request *request, struct jsonw *out,
                      struct err *err)
{
    enum { DEADLINE_MS = 3000 };
    struct search s = {.mode = SEARCH_WORDS,
                       .query = request->find,
                       .limit = VIEW_FOUND_MAX,
                       .within_ms = DEADLINE_MS,
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
    put_notice(out, request);
    jsonw_end(out);
    return true;
}

/* While the index is held. */
static bool put_data(const struct app_vault *served, struct arena *a,
                     const struct index *x, const struct view_request *request,
                     struct jsonw *out, struct err *err)
{
    const struct file *f;
    if (request->find.n > 0)
        return put_found(served->app, a, x, request, out, err);
    if (!find_middle(x, a, request, &f, err))
        return false;
    put_graph(out, a, served, x, f, request);
    return true;
}

/* --- for MCP clients --- */

static bool view_read_page(struct mcp_call *call, str uri, struct err *err)
{
    mcp_resource_text(call, uri, STR("text/html;profile=mcp-app"), str_c(VIEW_HTML));
    return true;
}

static bool read_graph(struct mcp_call *call, str uri, struct err *err)
{
    struct sbuf text = SBUF_ON(call->arena);
    struct jsonw out = JSONW_ON(&text);
    str depth = mcp_variable(call, STR("depth")), rest = mcp_variable(call, STR("path"));
    bool find = str_eq(depth, STR("find"));
    struct view_request request = {.path = find ? STR("") : rest,
                                   .depth = read_depth(depth),
                                   .find = find ? rest : STR("")};
    const struct index *x = tool_use_chosen(call, err) ? tool_lock(call, err) : NULL;
    if (x == NULL)
        return false;
    bool found = put_data(tool_served(call), call->arena, x, &request, &out, err);
    tool_unlock(call);
    if (found)
        mcp_resource_text(call, uri, STR("application/json"), sbuf_str(&text));
    return found;
}

const struct mcp_resource view_page = {
    .uri = TOOL_VIEW_URI,
    .name = "view",
    .title = "Notes around a note",
    .mime = "text/html;profile=mcp-app",
    .quick = true,
    .hidden = true,
    .read = view_read_page,
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

/* notice: why the answer may be wrong, or empty. */
static void answer_error(struct arena *a, struct http_response *out, str notice,
                         const struct err *err)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    jsonw_object(&w);
    jsonw_put_str(&w, STR("error"),
                  notice.n == 0
                      ? str_c(err->msg)
                      : arena_printf(a, "%s. " STR_FMT, err->msg, STR_ARG(notice)));
    jsonw_end(&w);
    answer_json(out, err->code == ERR_NOT_FOUND ? 404 : 400, &text);
}

static bool read_data(const struct app_vault *served, struct arena *a, str person,
                      const struct form *form, str notice, struct jsonw *out,
                      struct err *err)
{
    struct vault *v = page_vault_of(served, person);
    struct view_request request = {.path = form_get(form, STR("path")),
                                   .depth = read_depth(form_get(form, STR("depth"))),
                                   .find = form_get(form, STR("find")),
                                   .notice = notice};
    if (!vault_wait(v, NULL, NULL, err) || !vault_prepare(v, err))
        return false;
    const struct index *x = vault_lock(v);
    bool ok = put_data(served, a, x, &request, out, err);
    vault_unlock(v);
    return ok;
}

/* The map is of one of the vaults that the person sees. *notice: it may be older than what the
 * person has seen. */
static bool read_chosen(struct app *app, struct arena *a, const struct form *form,
                        str person, struct jsonw *out, str *notice, struct err *err)
{
    const struct mcp_caller caller = app_caller(app, a, person);
    str name = form_get(form, STR("vault"));
    const struct app_vault *served =
        name.n > 0 ? vaults_find(app, &caller, name) : vaults_first(app, &caller);
    if (served == NULL)
        return vaults_unknown(app, &caller, name, err);
    struct page_vault use;
    if (!page_vault_open(&use, a, served, person, err))
        return false;
    if (use.seen.stale)
        *notice = STR(RYW_STALE);
    bool ok = read_data(served, a, person, form, *notice, out, err);
    page_vault_close(&use);
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
        "'; style-src 'unsafe-inline'; connect-src 'self'; img-src 'self'; base-uri "
        "'none'; "
        "form-action 'self'; frame-ancestors 'none'",
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
                 str person, struct http_response *out)
{
    struct sbuf text = SBUF_ON(a);
    struct jsonw w = JSONW_ON(&text);
    struct form form;
    str notice = {0};
    struct err err = {0};
    if (str_eq(r->path, STR("/graph")))
        answer_page(a, out);
    else if (form_parse(a, r->query, STR(""), &form, &err) &&
             read_chosen(app, a, &form, person, &w, &notice, &err))
        answer_json(out, 200, &text);
    else
        answer_error(a, out, notice, &err);
}
