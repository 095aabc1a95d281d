#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/vault.h"

struct args {
    str path;
    int64_t offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Folder, e.g. \"Projects\"",
              .dflt = "\"/\""),
    MCP_FIELD(struct args, offset, MCP_INT, 0, "Entries to skip", .dflt = "0", .min = 0,
              .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_TACIT, "Most tokens", .dflt = "10000",
              .min = 100, .max = KIT_BUDGET_MAX),
    {0},
};

static bool vault_list_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct vault_listing list;
    struct kit_page page = kit_page(call, in->offset, INT64_MAX, in->budget);
    if (!vault_list(kit_vault(call), call->arena, in->path, &list, err))
        return false;
    struct jsonw *out = call->out;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"),
                  arena_printf(call->arena, "/" STR_FMT, STR_ARG(list.path)));
    jsonw_put_array(out, STR("entries"));
    for (size_t i = 0; i < list.n; i++)
        if (kit_page_takes(&page))
            put_entry(out, &list.entries[i]);
    kit_page_done(&page);
    jsonw_end(out);
    jsonw_put_int(out, STR("total_entries"), (int64_t)list.n);
    kit_put_next(out, page.end, page.total);
    jsonw_end(out);
    return true;
}

const struct mcp_tool tool_vault_list = {
    .name = "vault_list",
    .title = "List a folder",
    .about = "What is directly in one folder, with size and time, or number of entries.",
    .flags = MCP_READ_ONLY | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_list_run,
};
