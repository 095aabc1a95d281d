#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"

struct args {
    str name, text;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, text, MCP_STR, MCP_REQUIRED, "Text to add"),
    {0},
};

static bool append_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct draft_file f;
    struct edit_insert end = {.where = EDIT_APPEND, .content = in->text};
    return notes_open(c, in->name, &f, err) &&
           edit_insert(c->call->arena, f.text, &end, &c->edit, err) &&
           tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_append_note = {
    .name = "append_note",
    .title = "Append to a note",
    .about = "Add text at the end of a note.",
    .flags = MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = append_note_steps,
                 .shape = &notes_done_shape, .done = "appended", .tags = true),
};
