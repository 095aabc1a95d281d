#include "app/answers/listed.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "vault/vault.h"

struct args {
    str path, tag;
    bool recursive, details;
    struct mcp_strs path_filter;
    int64_t limit, offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_TERSE, "Folder, e.g. \"Projects\"",
              .dflt = "\"/\""),
    MCP_FIELD(struct args, recursive, MCP_BOOL, 0, "All files below it, as a tree"),
    MCP_FIELD(struct args, tag, MCP_STR, MCP_TERSE, "With this tag or a nested one"),
    MCP_FIELD(struct args, path_filter, MCP_STRS, MCP_TERSE,
              "Globs, e.g. \"*.md\", \"!Archive/**\""),
    MCP_FIELD(struct args, details, MCP_BOOL, 0, "With size, time; recursive: tags"),
    MCP_FIELD(struct args, limit, MCP_INT, MCP_CLAMPED | MCP_UNLISTED, "Max files",
              .also = TOOL_LIMIT_ALSO, .dflt = "100000", .min = 1, .max = 1000000),
    MCP_FIELD(struct args, offset, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Entries to skip",
              .dflt = "0", .min = 0, .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",
              .dflt = "10000", .min = 100, .max = TOOL_BUDGET_MAX),
    {0},
};

static bool vault_list_folder(struct mcp_call *call, const struct args *in,
                              struct err *err)
{
    struct folder_listed list = {.offset = (size_t)in->offset, .details = in->details};
    return vault_list(tool_vault(call), call->arena, in->path, &list.found, err) &&
           tool_answer(call, &folder_shape, &list, in->budget);
}

/* All files below the folder that match. */
static bool vault_list_files(struct mcp_call *call, const struct index *x,
                             struct err *err)
{
    const struct args *in = call->args;
    str folder = str_eq(in->path, STR("/")) ? STR("") : in->path;
    struct filter_request request = {folder, in->path_filter.items, in->path_filter.n,
                                     in->tag};
    struct listed list;
    if (!listed_find(tool_vault(call), x, call->arena, &request, (size_t)in->offset,
                     (size_t)in->limit, &list, err))
        return false;
    list.details = in->details;
    return tool_answer(call, &listed_shape, &list, in->budget);
}

static bool vault_list_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    if (in->recursive || in->tag.n > 0 || in->path_filter.n > 0)
        return tool_with_index(call, vault_list_files, err);
    return vault_list_folder(call, in, err);
}

const struct mcp_tool tool_vault_list = {
    .name = "vault_list",
    .title = "List files",
    .about = "Entries of a folder; or all files below it, by tag or glob. By "
             "properties: vault_query.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_list_run,
};
