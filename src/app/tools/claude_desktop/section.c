/* read_section and append_section */
#include "app/tool_support/tool_change.h"
#include "app/tools/claude_desktop/notes.h"
#include "vault/note/edit.h"

struct args {
    str name, section, text;
};

#define SECTION_FIELDS                                                                   \
    MCP_FIELD(struct args, name, MCP_STR, MCP_REQUIRED, NOTES_NAME),                     \
        MCP_FIELD(struct args, section, MCP_STR, MCP_REQUIRED,                           \
                  "Its heading (\"Plan\", or \"Plan#Next\" where titles repeat)")

static const struct mcp_field read_fields[] = {SECTION_FIELDS, {0}};

static const struct mcp_field append_fields[] = {
    SECTION_FIELDS,
    MCP_FIELD(struct args, text, MCP_STR, MCP_REQUIRED, "Text to add"),
    {0},
};

static bool read_section(struct mcp_call *call, struct err *err)
{
    const struct args *in = call->args;
    str path, text, section;
    return notes_read(call, in->name, &path, &text, err) &&
           edit_section_text(call->arena, text, in->section, &section, err) &&
           notes_answer(call, section, "read a section below it", err);
}

const struct mcp_tool tool_read_section = {
    .name = "read_section",
    .title = "Read a section",
    .about = "The text below a heading, with its subsections, without the heading.",
    .flags = MCP_READ_ONLY | MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = read_fields,
    .args_size = sizeof(struct args),
    .run = read_section,
};

static bool section_steps(struct tool_changing *c, struct err *err)
{
    const struct args *in = c->call->args;
    struct draft_file f;
    struct edit_section end = {
        .heading = in->section, .action = EDIT_APPEND_TO, .content = in->text};
    return notes_open(c, in->name, &f, err) &&
           edit_section(c->call->arena, f.text, &end, &c->edit, err) &&
           tool_rewrite(c, &f, err);
}

const struct mcp_tool tool_append_section = {
    .name = "append_section",
    .title = "Append to a section",
    .about = "Add text at the end of a section, after its subsections.",
    .flags = MCP_OWN_FIELDS | MCP_PLAIN_ERRORS,
    .fields = append_fields,
    .args_size = sizeof(struct args),
    TOOL_CHANGES(.unchecked = true, .steps = section_steps, .shape = &notes_done_shape,
                 .done = "appended", .tags = true),
};
