#include "app/answers/answer.h"
#include "app/answers/listed.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/vault_sync/shape.h"

struct args {
    str cursor;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, cursor, MCP_STR, 0,
              "next_cursor of the previous answer, to continue"),
    {0},
};

static bool read_cursor(str cursor, int64_t *out, struct err *err)
{
    *out = 0;
    return cursor.n == 0 || (str_to_int(cursor, out) && *out >= 0) ||
           err_named(err, E_INVALID_RANGE,
                     "cursor must be the next_cursor of a previous answer");
}

/* A page is as much as fits in one answer; most vaults fit in one page. */
static void list_all_json(struct answer_out *out, const void *result)
{
    const struct listed *l = result;
    jsonw_object(out->w);
    jsonw_put_int(out->w, STR("total_files"), (int64_t)l->total);
    size_t end = l->offset + answer_items(out, STR("files"), l, l->n, listed_put);
    if (end < l->total) {
        jsonw_key(out->w, STR("next_cursor"));
        jsonw_printf(out->w, "%zu", end);
    }
    jsonw_end(out->w);
}

static const struct answer_shape list_all_shape = {.json = list_all_json};

static bool list_all_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct listed list;
    int64_t from;
    if (!read_cursor(in->cursor, &from, err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    bool ok = listed_find(tool_vault(call), x, call->arena, &(struct filter_request){0},
                          (size_t)from, SIZE_MAX, &list, err) &&
              tool_answer(call, &list_all_shape, &list, TOOL_BUDGET_MAX);
    tool_unlock(call);
    return ok;
}

const struct mcp_tool vault_sync_list_all = {
    .name = "vault_list_all",
    .title = "List all files",
    .about = "A flat list of every file in the vault with metadata, no content. A good "
             "first call: it is a complete map of the vault.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = list_all_run,
};
