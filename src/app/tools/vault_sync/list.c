#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/vault_sync/shape.h"
#include "vault/vault.h"

struct args {
    str path;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, 0, "Folder path relative to vault root",
              .dflt = "\"/\""),
    {0},
};

static bool list_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct jsonw *out = call->out;
    struct vault_listing list;
    if (!vault_list(kit_vault(call), call->arena, in->path, &list, err))
        return false;
    jsonw_object(out);
    jsonw_put_str(out, STR("path"),
                  arena_printf(call->arena, "/" STR_FMT, STR_ARG(list.path)));
    jsonw_put_array(out, STR("entries"));
    for (size_t i = 0; i < list.n && out->out->n < SHAPE_BYTES_MAX; i++)
        put_entry(out, &list.entries[i]);
    jsonw_end(out);
    jsonw_put_int(out, STR("total_entries"), (int64_t)list.n);
    jsonw_end(out);
    return true;
}

const struct mcp_tool vault_sync_list = {
    .name = "vault_list",
    .title = "List a folder",
    .about = "List the contents of a folder, one level deep.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_BRIEF,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = list_run,
};
