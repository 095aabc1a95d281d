#include "app/answers/changed.h"
#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/ops.h"

struct args {
    str name;
    struct tool_change change;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD_AS(struct args, change.dry_run, "dry_run", MCP_BOOL, 0,
                 "Only report what would happen", .dflt = "false"),
    {0},
};

static bool delete_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct ops_report r;
    str path;
    if (!notes_find(c->call, in->name, &path, err) ||
        !ops_delete(c->draft, path, &(struct ops_delete){.unlink = true}, &r, err))
        return false;
    c->question = arena_printf(c->call->arena, "Delete '" STR_FMT "'?", STR_ARG(path));
    c->large = r.rewrites > TOOL_LARGE;
    changed_report(&c->out, &r);
    c->out.path = path;
    return true;
}

const struct mcp_tool tool_delete_note = {
    .name = "delete_note",
    .title = "Delete a note",
    .about = "Move a note to .trash/; links to it become plain text. dry_run shows which "
             "notes that touches.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = delete_note_steps,
                 .shape = &notes_deleted_shape, .change = offsetof(struct args, change)),
};
