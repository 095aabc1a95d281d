#include "app/kit/kit_change.h"
#include "app/tools/vault_git/plain.h"
#include "vault/ops.h"

static const char NAME[] = "delete_file";

struct args {
    str path;
    bool recursive;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "File or directory"),
    MCP_FIELD(struct args, recursive, MCP_BOOL, 0, "A directory with all in it",
              .dflt = "false"),
    {0},
};

static bool delete_file_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &plain_change);
    struct ops_delete how = {.recursive = in->recursive};
    struct ops_report r;
    if (!ops_delete(d, in->path, &how, &r, err))
        return plain_missing(call, in->path, err);
    str question = arena_printf(call->arena, "Delete '" STR_FMT "'?", STR_ARG(r.path));
    enum mcp_consent wanted =
        kit_confirm(call, &plain_change, in->recursive, question, err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    str said =
        arena_printf(call->arena, "Successfully deleted " STR_FMT "%s", STR_ARG(r.path),
                     r.to.n > 0 ? " (it is in the vault's trash)" : "");
    return plain_commit(call, d, said, &r, err);
}

static bool delete_file_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plain_change, delete_file_steps, err);
}

const struct mcp_tool tool_delete_file = {
    .name = NAME,
    .title = "Delete File",
    .about = "Move a file to the vault's trash. Links to it "
             "stay." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = delete_file_run,
};
