#include "app/kit/kit_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"

static const char NAME[] = "append_note";

struct args {
    str name, text;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    MCP_FIELD(struct args, text, MCP_STR, MCP_REQUIRED, "Text to add"),
    {0},
};

static bool append_note_steps(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    struct notes_edit e;
    struct edit_insert end = {.where = EDIT_APPEND, .content = in->text};
    struct edit_result r = {0};
    if (!notes_open(call, NAME, in->name, &e, err) ||
        !notes_take(call, &e, edit_insert(call->arena, e.file.text, &end, &r, err), &r,
                    err))
        return false;
    notes_put_done(call, &e, "appended");
    return true;
}

static bool append_note_run(struct mcp_call *call, struct err *err)
{
    return kit_change(call, &notes_now, append_note_steps, err);
}

const struct mcp_tool tool_append_note = {
    .name = NAME,
    .title = "Append to a note",
    .about = "Add text at the end of a note.",
    .flags = MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = append_note_run,
};
