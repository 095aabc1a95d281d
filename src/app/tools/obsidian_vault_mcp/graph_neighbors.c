#include "app/kit/tool_kit.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "vault/index/graph.h"
#include "vault/index/names.h"

enum { NEAR_MAX = 100000 };

struct args {
    str path;
    int direction;
    int64_t depth, limit;
};

static const char *const directions[] = {"both", "outgoing", "incoming", NULL};
static const enum graph_way ways[] = {GRAPH_BOTH, GRAPH_OUT, GRAPH_IN};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "The note: path or name"),
    MCP_FIELD(struct args, depth, MCP_INT, 0, "Most links between", .dflt = "1", .min = 1,
              .max = 10),
    MCP_FIELD(struct args, direction, MCP_ENUM, 0, "Which links are followed",
              .dflt = "\"both\"", .choices = directions),
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Most notes", .dflt = "200", .min = 1,
              .max = 1000),
    {0},
};

static bool graph_neighbors_put_answer(struct mcp_call *call, const struct index *x,
                                       struct err *err)
{
    const struct args *in = call->args;
    const struct file *f;
    struct graph_near *near;
    if (!kit_file(call, x, in->path, &f, err))
        return false;
    size_t n = graph_neighbours(x->graph, call->arena, f->id, ways[in->direction],
                                (uint32_t)in->depth, NEAR_MAX, &near);
    size_t shown = n < (size_t)in->limit ? n : (size_t)in->limit, i = 0;
    struct ovm_results results = ovm_open(call);
    while (i < shown &&
           ovm_put_near(&results, names_path(x->names, near[i].file), near[i].distance))
        i++;
    ovm_close(&results, n, n == NEAR_MAX);
    return true;
}

static bool graph_neighbors_run(struct mcp_call *call, struct err *err)
{
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = graph_neighbors_put_answer(call, x, err);
    kit_let_go(call);
    return ok;
}

const struct mcp_tool ovm_graph_neighbors = {
    .name = "graph_neighbors",
    .title = "Notes around a note",
    .about = "Notes that links connect with a note, the nearest first, with how many "
             "links are between.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        OVM_RESULTS_SCHEMA("\"path\":{\"type\":\"string\"},\"distance\":{\"type\":"
                           "\"integer\"}",
                           "\"path\",\"distance\""),
    .run = graph_neighbors_run,
};
