#include "app/answers/findings.h"
#include "app/setup/settings.h"
#include "app/tool_support/tool_support.h"
#include "app/tools/rows.h"
#include "vault/ask/check.h"
#include "vault/vault.h"

struct args {
    struct mcp_strs kinds;
    str folder;
    int64_t limit, offset, budget;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, kinds, MCP_STRS, 0,
              "Only these, e.g. broken_link, orphan_note; or hub_note, stale_note, "
              "near_duplicate"),
    MCP_FIELD(struct args, folder, MCP_STR, MCP_TERSE, "Below this folder"),
    MCP_FIELD(struct args, limit, MCP_INT, MCP_UNLISTED, "Max items",
              .also = TOOL_LIMIT_ALSO, .dflt = "50", .min = 1, .max = 1000),
    MCP_FIELD(struct args, offset, MCP_INT, MCP_UNLISTED, "Items to skip", .dflt = "0",
              .min = 0, .max = 1000000000),
    MCP_FIELD(struct args, budget, MCP_INT, MCP_UNLISTED, "Max tokens", .dflt = "10000",
              .min = 100, .max = TOOL_BUDGET_MAX),
    {0},
};

static bool vault_check_run(struct mcp_call *call, struct err *err)
{
    enum { DEADLINE_MS = 5000 };
    const struct args *in = call->args;
    struct stop calling = tool_stopping(call), stop = stop_within(&calling, DEADLINE_MS);
    const struct settings *s = &app_of(call)->settings;
    struct check_limits limits = {.policy_property = settings_policy(&s->access),
                                  .folder = in->folder,
                                  .offset = (size_t)in->offset,
                                  .max = (size_t)in->limit,
                                  .stop = &stop};
    struct findings findings = {.offset = limits.offset};
    if (!findings_kinds(call->arena, in->kinds.items, in->kinds.n, false, &limits.kinds,
                        err) ||
        !findings_look(tool_vault(call), call->arena, &limits, err))
        return false;
    const struct index *x = tool_lock(call, err);
    if (x == NULL)
        return false;
    limits.types = vault_obsidian(tool_vault(call));
    check_vault(x, call->arena, &limits, &findings.found);
    bool ok = tool_answer(call, &findings_shape, &findings, in->budget);
    tool_unlock(call);
    return ok;
}

const struct mcp_tool tool_vault_check = {
    .name = "vault_check",
    .title = "Check",
    .about = "Broken links and properties, duplicate names, files not indexed, ...",
    .flags = MCP_READ_ONLY,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = vault_check_run,
};
