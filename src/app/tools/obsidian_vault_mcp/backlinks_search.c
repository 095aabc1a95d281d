#include "app/answers/linked.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/obsidian_vault_mcp/tools.h"
#include "vault/text/glob.h"

struct args {
    str path, path_filter;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "The note that is linked to: path or name"),
    MCP_FIELD(struct args, path_filter, MCP_STR, 0,
              "Only links in notes that match this glob, as in vault_search"),
    {0},
};

static bool backlinks_search_answer(struct mcp_call *call, const struct index *x,
                                    struct err *err)
{
    const struct args *in = call->args;
    struct stop stop = tool_stopping(call);
    struct linked_question q = {LINKED_BACKLINKS, .limit = OVM_ITEMS_MAX, .stop = &stop};
    struct linked linked;
    struct glob *only;
    if (!tool_file(call, x, in->path, &q.file, err) ||
        !glob_compile(call->arena, &in->path_filter, in->path_filter.n > 0, &only, err))
        return false;
    q.only = only;
    return linked_find(x, call->arena, &q, &linked, err) &&
           tool_answer(call, &ovm_linked_shape, &linked, TOOL_BUDGET_MAX);
}

const struct mcp_tool ovm_backlinks_search = {
    .name = "backlinks_search",
    .title = "Find backlinks",
    .about = "Every link to a note, with the line it is in; links are resolved as in "
             "Obsidian.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .output_schema = OVM_LINES_SCHEMA,
    TOOL_READS(backlinks_search_answer),
};
