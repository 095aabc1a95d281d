#include "app/answers/answer.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/index/file.h"
#include "vault/index/graph.h"
#include "vault/index/index.h"
#include "vault/index/names.h"

struct args {
    str name;
    int direction;
};

static const char *const directions[] = {"incoming", "outgoing", "both", NULL};
enum direction { INCOMING, OUTGOING, BOTH };

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, direction, MCP_ENUM, 0, "Links to the note, from it, or both",
              .dflt = "\"both\"", .choices = directions),
    {0},
};

struct edges {
    const struct index *index;
    const struct file *file;
    enum direction direction; /* a list that was asked for may be empty */
    struct graph_edge *incoming, *outgoing;
    size_t n_incoming, n_outgoing;
};

/* {"name":…,"path":…,"count":…}; an unresolved link has no path. */
static void put_edges(struct jsonw *w, const struct index *x, str list, str total,
                      const struct graph_edge *edges, size_t n)
{
    jsonw_put_array(w, list);
    for (size_t i = 0; i < n && i < NOTES_LISTED; i++) {
        bool there = edges[i].file != NO_FILE;
        str path = there ? names_path(x->names, edges[i].file) : edges[i].path;
        jsonw_object(w);
        jsonw_put_str(w, STR("name"), there ? file_title(path) : path);
        if (there)
            jsonw_put_str(w, STR("path"), path);
        else
            jsonw_put_bool(w, STR("exists"), false);
        jsonw_put_int(w, STR("count"), edges[i].count);
        jsonw_end(w);
    }
    jsonw_end(w);
    if (n > NOTES_LISTED)
        jsonw_put_int(w, total, (int64_t)n);
}

static void get_links_json(struct answer_out *out, const void *result)
{
    const struct edges *e = result;
    jsonw_object(out->w);
    jsonw_put_str(out->w, STR("name"), file_title(e->file->path));
    jsonw_put_str(out->w, STR("path"), e->file->path);
    if (e->direction != OUTGOING)
        put_edges(out->w, e->index, STR("incoming"), STR("total_incoming"), e->incoming,
                  e->n_incoming);
    if (e->direction != INCOMING)
        put_edges(out->w, e->index, STR("outgoing"), STR("total_outgoing"), e->outgoing,
                  e->n_outgoing);
    jsonw_end(out->w);
}

static const struct answer_shape get_links_shape = {.json = get_links_json};

static void get_links_answer(struct mcp_call *call, const struct index *x,
                             const struct file *f, enum direction direction)
{
    struct edges e = {.index = x, .file = f, .direction = direction};
    if (direction != OUTGOING)
        e.n_incoming = graph_backlinks(x->graph, call->arena, f->id, &e.incoming);
    if (direction != INCOMING)
        e.n_outgoing = graph_links(x->graph, call->arena, f->id, &e.outgoing);
    for (size_t i = 0; i < e.n_outgoing; i++)
        if (e.outgoing[i].file == NO_FILE)
            e.outgoing[i].path =
                index_spelling(x, call->arena, f->id, e.outgoing[i].path);
    tool_answer(call, &get_links_shape, &e, TOOL_NO_BUDGET);
}

static bool get_links_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    const struct index *x;
    const struct file *f = notes_lock(call, in->name, &x, err);
    if (f == NULL)
        return false;
    get_links_answer(call, x, f, (enum direction)in->direction);
    tool_unlock(call);
    return true;
}

const struct mcp_tool tool_get_links = {
    .name = "get_links",
    .title = "Links",
    .about =
        "Notes that link to a note, and what it links to, resolved as Obsidian does.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = get_links_run,
};
