#include "app/answers/listed.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/vault.h"

struct args {
    str path;
    bool details;
    int64_t offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Folder, e.g. \"Projects\"",
              .dflt = "\"/\""),
    MCP_FIELD(struct args, details, MCP_BOOL, 0, "With size and time"),
    MCP_FIELD(struct args, offset, MCP_INT, MCP_CLAMPED | MCP_TERSE, "Entries to skip",
              .dflt = "0", .min = 0, .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED | MCP_CLAMPED, "Max tokens",
              .dflt = "10000", .min = 100, .max = KIT_BUDGET_MAX),
    {0},
};

static bool vault_list_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct folder_listed list = {.offset = (size_t)in->offset, .details = in->details};
    return vault_list(kit_vault(call), call->arena, in->path, &list.found, err) &&
           kit_answer(call, &folder_shape, &list, in->budget);
}

const struct mcp_tool tool_vault_list = {
    .name = "vault_list",
    .title = "List a folder",
    .about = "Entries of one folder; folders with their number of entries.",
    .flags = MCP_READ_ONLY | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_list_run,
};
