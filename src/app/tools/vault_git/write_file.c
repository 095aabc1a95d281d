#include "app/kit/kit_change.h"
#include "app/tools/vault_git/plain.h"
#include "base/path.h"
#include "vault/draft.h"

static const char NAME[] = "write_file";

struct args {
    str path, content;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File, e.g. \"Projects/Plan.md\"; missing directories are made"),
    MCP_FIELD(struct args, content, MCP_STR, MCP_REQUIRED, "The whole new text"),
    {0},
};

static enum mcp_consent write_file_confirm(struct mcp_call *call, bool replaces, str path,
                                           struct err *err)
{
    str question =
        arena_printf(call->arena, "Replace the text of '" STR_FMT "'?", STR_ARG(path));
    return replaces ? kit_confirm(call, &plain_change, false, question, err)
                    : MCP_ACCEPTED;
}

static bool write_file_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct draft *d = kit_draft(call, NAME, &plain_change);
    str path;
    if (!path_clean_file(call->arena, in->path, &path, err))
        return false;
    bool replaces = draft_exists(d, path);
    if (!draft_write(d, path, in->content, DRAFT_OVERWRITE, err))
        return false;
    enum mcp_consent wanted = write_file_confirm(call, replaces, path, err);
    if (wanted != MCP_ACCEPTED)
        return wanted == MCP_PENDING;
    str said = arena_printf(call->arena, "Successfully wrote to " STR_FMT, STR_ARG(path));
    return plain_commit(call, d, said, NULL, err);
}

static bool write_file_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &plain_change, write_file_steps, err);
}

const struct mcp_tool tool_write_file = {
    .name = NAME,
    .title = "Write File",
    .about = "Create a file or replace all of its text. To change "
             "a part use edit_file." PLAIN_ASK,
    .flags = MCP_DESTRUCTIVE | MCP_IDEMPOTENT | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = write_file_run,
};
