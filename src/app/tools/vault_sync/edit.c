#include "vault/note/edit.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/vault_sync/shape.h"
#include "vault/draft.h"

struct args {
    str path, old_text, new_text;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, path, MCP_STR, MCP_REQUIRED,
              "File path relative to vault root"),
    MCP_FIELD(struct args, old_text, MCP_STR, MCP_REQUIRED,
              "Exact text to find (must appear exactly once in the file)"),
    MCP_FIELD(struct args, new_text, MCP_STR, MCP_REQUIRED,
              "Text to replace it with. Empty string to delete."),
    {0},
};

static bool edit_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct edit_swap swap = {in->old_text, in->new_text, false};
    struct edit_result r = {0};
    struct draft_file f;
    str path;
    if (!shape_path(c->call, in->path, &path, err) ||
        !draft_read(c->draft, path, &f, err))
        return false;
    if (!edit_replace(c->call->arena, f.text, &swap, 1, &r, err))
        return shape_edit_failed(&r, err); /* without its hint */
    c->edit = r;
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool vault_sync_edit = {
    .name = "vault_edit",
    .title = "Edit a file",
    .about = "Find-and-replace edit on an existing file; old_text must match exactly "
             "once, whitespace included.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = edit_steps, .shape = &shape_changed,
                 .done = "replaced"),
};
