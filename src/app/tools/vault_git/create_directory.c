#include "app/tool_support/tool_change.h"
#include "app/tools/vault_git/plain.h"
#include "base/path.h"
#include "vault/draft.h"

struct args {
    str path;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "Directory; missing parents are created too"),
    {0},
};

static bool create_directory_steps(struct tool_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    str path;
    if (!path_clean(a, in->path, &path, err))
        return false;
    c->out.said =
        arena_printf(a, "Successfully created directory " STR_FMT, STR_ARG(path));
    return draft_make_folder(c->draft, path, err);
}

const struct mcp_tool tool_create_directory = {
    .name = "create_directory",
    .title = "Create Directory",
    .about = "Create a directory; one that exists is fine. git only keeps it once it "
             "contains a file; write_file creates directories itself." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = create_directory_steps,
                 .shape = &plain_said_shape),
};
