#include "app/answers/changed.h"
#include "app/tool_support/tool_ack.h"
#include "app/tool_support/tool_change.h"
#include "app/tool_support/tool_once.h"
#include "app/tool_support/tool_read_log.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "vault/draft.h"
#include "vault/draft_schema.h"
#include "vault/transact.h"
#include "vault/vault.h"

static const char NAME[] = "vault_undo";

struct args {
    int64_t change;
    str idempotency_key;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, change, MCP_INT, 0, "Its number; omitted: the latest",
              .min = 1, .max = INT64_MAX),
    MCP_FIELD(struct args, idempotency_key, MCP_STR, MCP_UNLISTED, "Safe retries"),
    {0},
};

struct undo_call {
    struct undone undone; /* first: it is also the argument of undone_kept() */
    struct mcp_call *call;
    bool pending;
    bool elsewhere; /* another replica has done it before (tool_once.h) */
    size_t elsewhere_files;
};

/* Where schemas are enforced, a client cannot put back one that their owner has changed. */
static bool vault_undo_keeps_schemas(struct undo_call *u, struct err *err)
{
    struct vault *v = tool_vault(u->call);
    struct arena *a = u->call->arena;
    struct change_result plan;
    struct draft_result r;
    if (app_of(u->call)->settings.schema_policy != SCHEMAS_ENFORCE)
        return true;
    if (!vault_plan_undo(v, a, u->undone.number, &plan, err) ||
        !draft_read_undo(v, a, &plan, &r, err))
        return false;
    str schema = draft_schema_touched(&r);
    return schema.n == 0 ||
           err_named(err, E_POLICY_NOT_ALLOWED,
                     "'" STR_FMT "' is a schema: only the owner of the vault changes it",
                     STR_ARG(schema));
}

/* Undoing counts like any other change. */
static bool vault_undo_may(struct actor *by, size_t files, void *arg, struct err *err)
{
    struct undo_call *u = arg;
    str why;
    if (!vault_undo_keeps_schemas(u, err) ||
        !tool_check_many(u->call, u->elsewhere_files, files, &by->confirmed, &why, err))
        return false;
    if (!by->confirmed)
        return true;
    /* it fails if one of the files has changed since, so these need not be named */
    str plan = arena_printf(u->call->arena, "undo %llu, %zu files",
                            (unsigned long long)u->undone.number, files);
    return tool_ask(u->call, plan,
                    arena_printf(u->call->arena, STR_FMT " Undo?", STR_ARG(why)),
                    &u->pending, err);
}

/* Each replica knows its own changes only, and no two of them have the same number. */
static void say_where(struct mcp_call *call, const struct err *err)
{
    if (err->name == E_CHANGE_NOT_FOUND && replica_is_shared(&app_of(call)->replica))
        call->why = arena_printf(
            call->arena,
            "%s. Several replicas share this address, and only the one that made a "
            "change can undo it: repeat the call, which may reach another replica",
            err->msg);
}

static bool vault_undo_make(struct undo_call *u, const struct args *in, struct err *err)
{
    struct mcp_call *call = u->call;
    struct transact t = {.by = tool_actor(call, NAME),
                         .once = tool_request(call, NAME, in->idempotency_key),
                         .stop = tool_stopping(call),
                         .undo = &u->undone.number,
                         .may_undo = vault_undo_may,
                         .keep = undone_kept,
                         .arg = u};
    struct tool_made made;
    u->undone.number = in->change != MCP_ABSENT ? (uint64_t)in->change : 0;
    u->elsewhere_files = tool_files_elsewhere(call);
    if (!tool_transact(call, &t, &made, err)) {
        say_where(call, err);
        return false;
    }
    u->pending = made.waiting;
    u->elsewhere = made.elsewhere;
    u->undone.made = made.made;
    if (made.made.change > 0 && !made.made.repeated) {
        tool_files_changed(call);
        undone_read(call->arena, tool_vault(call), &u->undone);
    }
    tool_forget(call, &made.made);
    return !made.waiting;
}

static bool vault_undo_run(struct mcp_call *call, struct err *err)
{
    struct undo_call *u = tool_acking(call);
    bool waiting = false;
    if (u == NULL) {
        u = ARENA_NEW(call->arena, struct undo_call);
        *u = (struct undo_call){.call = call};
        if (!vault_undo_make(u, call->args, err))
            return u->pending;
    }
    if (!u->elsewhere && !tool_ack(call, u, &waiting, err))
        return false;
    u->undone.vault = tool_vault_name(call);
    return waiting || tool_answer(call, &undone_shape, &u->undone, TOOL_BUDGET);
}

const struct mcp_tool tool_vault_undo = {
    .name = NAME,
    .title = "Undo a change",
    .about = "Undo a change in all its files; undoing the undo redoes it. Refused when a "
             "file has changed since.",
    .flags = MCP_DESTRUCTIVE,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_undo_run,
};
