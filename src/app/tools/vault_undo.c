#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/transact.h"

static const char NAME[] = "vault_undo";

struct args {
    int64_t change;
    str idempotency_key;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, change, MCP_INT, 0, "Its number; omitted: the latest",
              .min = 1, .max = INT64_MAX),
    MCP_FIELD(struct args, idempotency_key, MCP_STR, 0, "Safe repeats"),
    {0},
};

static str keep(struct arena *a, void *number)
{
    return arena_printf(a, "{\"undone\":%llu}",
                        (unsigned long long)*(const uint64_t *)number);
}

static void put_paths(struct mcp_call *call, const struct change_result *r)
{
    enum { SHOWN = 100 };
    jsonw_put_array(call->out, STR("restored"));
    for (size_t i = 0; i < r->n_paths && i < SHOWN; i++)
        jsonw_str(call->out, r->paths[i]);
    jsonw_end(call->out);
    if (r->n_paths > SHOWN)
        jsonw_put_int(call->out, STR("total_restored"), (int64_t)r->n_paths);
}

static bool vault_undo_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct kit_change how = {.idempotency_key = in->idempotency_key};
    uint64_t number = in->change != MCP_ABSENT ? (uint64_t)in->change : 0;
    struct transact t = {.as = kit_as(call, NAME, &how), .keep = keep, .arg = &number};
    struct change_result r;
    if (!transact_undo(kit_vault(call), call->arena, &t, &number, &r, err))
        return false;
    if (r.repeated) {
        kit_put_repeated(call, r.number, r.answer);
        return true;
    }
    jsonw_object(call->out);
    jsonw_put_int(call->out, STR("undone"), (int64_t)number);
    put_paths(call, &r);
    jsonw_put_int(call->out, STR("change"), (int64_t)r.number);
    jsonw_end(call->out);
    return true;
}

const struct mcp_tool tool_vault_undo = {
    .name = NAME,
    .title = "Undo a change",
    .about = "Take a change back in all its files; undoing that makes it again. Refused "
             "when a file changed since.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_undo_run,
};
