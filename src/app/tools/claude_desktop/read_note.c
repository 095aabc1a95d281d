#include "app/tools/claude_desktop/notes.h"

struct args {
    str name;
};

static const struct mcp_field fields[] = {
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),
    {0},
};

static bool read_note_run(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    str path, text;
    return notes_read(call, in->name, &path, &text, err) &&
           notes_answer(call, text, "read_section gives one section of it", err);
}

const struct mcp_tool tool_read_note = {
    .name = "read_note",
    .title = "Read a note",
    .about = "The whole text of a note, frontmatter and body.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = fields,
    .args_size = sizeof(struct args),
    .run = read_note_run,
};
