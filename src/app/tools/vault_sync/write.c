#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/vault_sync/shape.h"
#include "base/path.h"
#include "vault/draft.h"

struct args {
    str path, content;
    bool create_dirs;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File path relative to vault root"),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "Full file content"),
    MCP_FIELD(struct args, create_dirs, MCP_BOOL, 0,
              "Create parent directories if they don't exist", .dflt = "true"),
    {0},
};

static bool write_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    str path, folder, real;
    if (!path_clean_file(c->call->arena, in->path, &path, err))
        return false;
    folder = path_folder(path);
    if (!in->create_dirs && folder.n > 0 && !draft_find(c->draft, folder, &real))
        return err_named(err, E_FILE_NOT_FOUND, "Directory not found: " STR_FMT,
                         STR_ARG(folder));
    return changed_write(&c->out, c->draft, path, in->content, DRAFT_OVERWRITE, err);
}

const struct mcp_tool vault_sync_write = {
    .name = "vault_write",
    .title = "Write a file",
    .about = "Create a new file or fully replace an existing file.",
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = write_steps, .shape = &shape_changed),
};
