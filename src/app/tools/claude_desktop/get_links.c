#include "app/kit/tool_kit.h"
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

/* {"name":…,"path":…,"count":…}; a link to nothing has no path. */
static void put_edges(struct mcp_call *call, const struct index *x, const char *list,
                      const struct graph_edge *edges, size_t n)
{
    struct jsonw *out = call->out;
    jsonw_put_array(out, str_c(list));
    for (size_t i = 0; i < n && i < NOTES_LISTED; i++) {
        bool there = edges[i].file != NO_FILE;
        str path = there ? names_path(x->names, edges[i].file) : edges[i].path;
        jsonw_object(out);
        jsonw_put_str(out, STR("name"), there ? file_title(path) : path);
        if (there)
            jsonw_put_str(out, STR("path"), path);
        else
            jsonw_put_bool(out, STR("exists"), false);
        jsonw_put_int(out, STR("count"), edges[i].count);
        jsonw_end(out);
    }
    jsonw_end(out);
    if (n <= NOTES_LISTED)
        return;
    jsonw_key(out, arena_printf(call->arena, "total_%s", list));
    jsonw_int(out, (int64_t)n);
}

static void get_links_put_links(struct mcp_call *call, const struct index *x,
                                const struct file *f, enum direction direction)
{
    struct graph_edge *edges;
    jsonw_object(call->out);
    jsonw_put_str(call->out, STR("name"), file_title(f->path));
    jsonw_put_str(call->out, STR("path"), f->path);
    if (direction != OUTGOING) {
        size_t n = graph_backlinks(x->graph, call->arena, f->id, &edges);
        put_edges(call, x, "incoming", edges, n);
    }
    if (direction != INCOMING) {
        size_t n = graph_links(x->graph, call->arena, f->id, &edges);
        put_edges(call, x, "outgoing", edges, n);
    }
    jsonw_end(call->out);
}

static bool get_links_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    str path, text;
    if (!notes_read(call, in->name, &path, &text, err)) /* the index has it as it is */
        return false;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    const struct file *f = index_find(x, path);
    if (f != NULL)
        get_links_put_links(call, x, f, (enum direction)in->direction);
    kit_let_go(call);
    return f != NULL ||
           err_named(err, E_FILE_NOT_FOUND, "File not found: " STR_FMT, STR_ARG(path));
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
