#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/vault_git/plain.h"
#include "vault/ops.h"

struct args {
    str path;
    bool recursive;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED, "File or directory"),
    MCP_FIELD(struct args, recursive, MCP_BOOL, 0, "A directory and its contents",
              .dflt = "false"),
    {0},
};

static bool delete_file_steps(struct tool_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    struct ops_delete how = {.recursive = in->recursive};
    struct ops_report r;
    if (!ops_delete(c->draft, in->path, &how, &r, err))
        return plain_missing(c->call, in->path, err);
    c->question = arena_printf(a, "Delete '" STR_FMT "'?", STR_ARG(r.path));
    c->large = in->recursive;
    changed_report(&c->out, &r);
    c->out.said = arena_printf(a, "Successfully deleted " STR_FMT "%s", STR_ARG(r.path),
                               r.to.n > 0 ? " (it is in the vault's trash)" : "");
    return true;
}

const struct mcp_tool tool_delete_file = {
    .name = "delete_file",
    .title = "Delete File",
    .about = "Move a file to the vault's trash. Links to it "
             "stay." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = delete_file_steps,
                 .shape = &plain_said_shape),
};
