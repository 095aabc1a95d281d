#include "app/kit/kit_change.h"
#include "app/tools/vault_git/plain.h"
#include "base/path.h"
#include "vault/draft.h"

static const char NAME[] = "create_directory";

struct args {
    str path;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "Directory; missing ones above it are made, too"),
    {0},
};

static bool create_directory_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &plain_change);
    str path;
    if (!path_clean(call->arena, in->path, &path, err))
        return false;
    str said = arena_printf(call->arena, "Successfully created directory " STR_FMT,
                            STR_ARG(path));
    return draft_make_folder(d, path, err) && plain_commit(call, d, said, NULL, err);
}

static bool create_directory_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plain_change, create_directory_steps, err);
}

const struct mcp_tool tool_create_directory = {
    .name = NAME,
    .title = "Create Directory",
    .about = "Make a directory; one that exists is fine. git keeps it once a file is in "
             "it; write_file makes directories by itself." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = create_directory_run,
};
