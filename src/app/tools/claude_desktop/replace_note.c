#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"
#include "vault/note/note.h"

struct args {
    str name, old_text, new_text;
    bool replace_all;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, old_text, MCP_STR, MCP_REQUIRED,
              "Exact text of the body; must occur once, unless replace_all"),
    MCP_FIELD(struct args, new_text, MCP_STR, MCP_REQUIRED, "Empty deletes"),
    MCP_FIELD(struct args, replace_all, MCP_BOOL, 0, "Every occurrence", .dflt = "false"),
    {0},
};

static bool replace_note_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct draft_file f;
    struct note note;
    if (!notes_open(c, in->name, &f, err))
        return false;
    note_scan(c->call->arena, f.text, &note);
    struct edit_swap swap = {in->old_text, in->new_text, in->replace_all, note.body};
    if (!edit_replace(c->call->arena, f.text, &swap, 1, &c->edit, err))
        return false;
    c->out.replacements = c->edit.replacements;
    return tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_replace_note = {
    .name = "replace_note",
    .title = "Replace text",
    .about = "Replace exact text in the body of a note; returns how many were replaced.",
    .flags = MCP_DESTRUCTIVE | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = replace_note_steps,
                 .shape = &notes_counted_shape, .done = "replaced", .tags = true),
};
