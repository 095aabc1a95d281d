#include "app/answers/answer.h"
#include "app/answers/listed.h"
#include "app/tool_support/tool_support.h"
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

static void vault_sync_list_json(struct answer_out *out, const void *result)
{
    const struct folder_listed *f = result;
    jsonw_object(out->w);
    jsonw_key(out->w, STR("path"));
    jsonw_printf(out->w, "/" STR_FMT, STR_ARG(f->found.path));
    answer_items(out, STR("entries"), f, f->found.n, folder_put);
    jsonw_put_int(out->w, STR("total_entries"), (int64_t)f->found.n);
    jsonw_end(out->w);
}

static const struct answer_shape list_shape = {.json = vault_sync_list_json};

static bool list_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct folder_listed list = {0};
    return vault_list(tool_vault(call), call->arena, in->path, &list.found, err) &&
           tool_answer(call, &list_shape, &list, TOOL_BUDGET_MAX);
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
