#include "app/answers/linked.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/obsidian_vault_mcp/tools.h"

struct args {
    str path;
    int direction;
    int64_t depth, limit;
};

static const char *const directions[] = {"both", "outgoing", "incoming", NULL};
static const enum graph_way ways[] = {GRAPH_BOTH, GRAPH_OUT, GRAPH_IN};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "The note: path or name"),
    MCP_FIELD(struct args, depth, MCP_INT, 0, "Maximum distance in links", .dflt = "1",
              .min = 1, .max = 10),
    MCP_FIELD(struct args, direction, MCP_ENUM, 0, "Which links to follow",
              .dflt = "\"both\"", .choices = directions),
    MCP_FIELD(struct args, limit, MCP_INT, 0, "Max notes", .dflt = "200", .min = 1,
              .max = 1000),
    {0},
};

static bool graph_neighbors_answer(struct mcp_call *call, const struct index *x,
                                   struct err *err)
{
    const struct args *in = call->args;
    struct stop stop = tool_stopping(call);
    struct linked_question q = {LINKED_NEIGHBOURS, .stop = &stop,
                                .way = ways[in->direction], .depth = (uint32_t)in->depth,
                                .limit = (size_t)in->limit};
    struct linked linked;
    if (!tool_file(call, x, in->path, &q.file, err))
        return false;
    return linked_find(x, call->arena, &q, &linked, err) &&
           tool_answer(call, &ovm_linked_shape, &linked, TOOL_BUDGET_MAX);
}

const struct mcp_tool ovm_graph_neighbors = {
    .name = "graph_neighbors",
    .title = "Notes around a note",
    .about = "Notes connected to a note by links, nearest first, with the number of "
             "links between them.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema =
        OVM_RESULTS_SCHEMA("\"path\":{\"type\":\"string\"},\"distance\":{\"type\":"
                           "\"integer\"}",
                           "\"path\",\"distance\""),
    TOOL_READS(graph_neighbors_answer),
};
