#include "app/tool_support/tool_change.h"
#include "app/tools/vault_git/plain.h"
#include "base/path.h"
#include "vault/draft.h"

struct args {
    str path, content;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\"; missing directories are created"),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "The whole new text"),
    {0},
};

static bool write_file_steps(struct tool_changing *c, struct err *err)
{
    struct arena *a = c->call->arena;
    const struct args *in = c->call->args;
    str path;
    if (!path_clean_file(a, in->path, &path, err))
        return false;
    if (draft_exists(c->draft, path))
        c->question =
            arena_printf(a, "Replace the text of '" STR_FMT "'?", STR_ARG(path));
    c->out.said = arena_printf(a, "Successfully wrote to " STR_FMT, STR_ARG(path));
    return draft_write(c->draft, path, in->content, DRAFT_OVERWRITE, err);
}

const struct mcp_tool tool_write_file = {
    .name = "write_file",
    .title = "Write File",
    .about = "Create a file or replace all of its text. To change "
             "a part use edit_file." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = write_file_steps,
                 .shape = &plain_said_shape),
};
