#include "app/answers/put.h"
#include "app/kit/tool_kit.h"
#include "app/tools/vault_sync/shape.h"
#include "vault/index/index.h"

struct args {
    str cursor;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, cursor, MCP_STR, 0,
              "Where to go on, when an answer had a next_cursor"),
    {0},
};

static bool read_cursor(str cursor, int64_t *out, struct err *err)
{
    *out = 0;
    return cursor.n == 0 || (str_to_int(cursor, out) && *out >= 0) ||
           err_named(err, E_INVALID_RANGE, "cursor must be the next_cursor of an answer");
}

/* A page is as much as an answer may have; most vaults are one page. */
static void list_all_put_files(struct mcp_call *call, const struct index *x, size_t from)
{
    struct jsonw *out = call->out;
    const struct file **files;
    size_t n = index_sorted(x, call->arena, &files), i = from;
    jsonw_object(out);
    jsonw_put_int(out, STR("total_files"), (int64_t)n);
    jsonw_put_array(out, STR("files"));
    for (; i < n && (i == from || out->out->n < SHAPE_BYTES_MAX); i++)
        put_listed(out, call->arena, files[i]);
    jsonw_end(out);
    if (i < n)
        jsonw_put_str(out, STR("next_cursor"), arena_printf(call->arena, "%zu", i));
    jsonw_end(out);
}

static bool list_all_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    int64_t from;
    if (!read_cursor(in->cursor, &from, err))
        return false;
    const struct index *x = kit_hold(call, err);
    if (x == NULL)
        return false;
    list_all_put_files(call, x, (size_t)from);
    kit_let_go(call);
    return true;
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
