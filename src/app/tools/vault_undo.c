#include "app/kit/kit_change.h"
#include "app/kit/tool_kit.h"
#include "app/tools/rows.h"
#include "vault/vault.h"

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

static bool number_of(struct vault *v, const struct args *in, uint64_t *out,
                      struct err *err)
{
    *out = (uint64_t)in->change;
    return in->change != MCP_ABSENT || vault_undoable(v, out, err);
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

static bool undo(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct kit_change how = {.idempotency_key = in->idempotency_key};
    struct vault *v = kit_vault(call);
    struct change as = kit_as(call, NAME, &how);
    struct change_result r;
    uint64_t number;
    if (kit_repeated(call, NAME, &how))
        return true;
    if (!number_of(v, in, &number, err))
        return false;
    as.answer =
        arena_printf(call->arena, "{\"undone\":%llu}", (unsigned long long)number);
    if (!vault_undo(v, call->arena, number, &as, &r, err))
        return false;
    jsonw_object(call->out);
    jsonw_put_int(call->out, STR("undone"), (int64_t)number);
    put_paths(call, &r);
    jsonw_put_int(call->out, STR("change"), (int64_t)r.number);
    jsonw_end(call->out);
    return true;
}

static bool vault_undo_run(struct mcp_call *call, struct err *err)
{
    struct vault *v = kit_vault(call);
    vault_lock_changes(v); /* the latest is the latest until it is undone */
    bool ok = undo(call, err);
    vault_unlock_changes(v);
    return ok;
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
