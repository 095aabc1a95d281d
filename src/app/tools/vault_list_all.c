#include "app/answers/listed.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"

struct args {
    str folder, tag;
    struct mcp_strs path_filter;
    bool details;
    int64_t limit, offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, folder, MCP_STR, 0, "Below this folder"),
    MCP_FIELD(struct args, tag, MCP_STR, 0, "With this tag or a nested one"),
    MCP_FIELD(struct args, path_filter, MCP_STRS, 0,
              "Globs, e.g. \"*.md\", \"!Archive/**\""),
    MCP_FIELD(struct args, details, MCP_BOOL, 0, "With size, time, property tags"),
    MCP_FIELD(struct args, limit, MCP_INT, MCP_CLAMPED | MCP_UNLISTED, "Max files",
              .dflt = "100000", .min = 1, .max = 1000000),
    MCP_FIELD(struct args, offset, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Files to skip",
              .dflt = "0", .min = 0, .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",
              .dflt = "10000", .min = 100, .max = KIT_BUDGET_MAX),
    {0},
};

static bool vault_list_all_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct filter_wish wish = {in->folder, in->path_filter.items, in->path_filter.n,
                               in->tag};
    struct listed list;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    bool ok = listed_find(kit_vault(call), x, call->arena, &wish, (size_t)in->offset,
                          (size_t)in->limit, &list, err);
    if (ok) {
        list.details = in->details;
        kit_answer(call, &listed_shape, &list, in->budget);
    }
    kit_let_go(call);
    return ok;
}

const struct mcp_tool tool_vault_list_all = {
    .name = "vault_list_all",
    .title = "List all files",
    .about = "All files as a tree. For one folder use vault_list, by properties "
             "vault_query.",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_list_all_run,
};
